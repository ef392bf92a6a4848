import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import * as wire from "../src/wire/index.js";
import { readSpec } from "./support/spec.js";

interface CanonicalCase {
  name: string;
  input: unknown;
  canonical: string;
  args_hash: string;
}
interface TextCase {
  name: string;
  json: string | null;
  canonical: string | null;
  args_hash: string;
}

describe("canonical.json", () => {
  const { cases } = readSpec<{ cases: CanonicalCase[] }>("canonical.json");
  for (const { name, input, canonical, args_hash } of cases) {
    test(name, () => {
      assert.equal(wire.canonicalize(input), canonical);
      assert.equal(wire.argsHash(input), args_hash);
    });
  }

  test("the package ships the file unchanged", () => {
    const shipped = readFileSync(new URL("../../spec/canonical.json", import.meta.url));
    const published = readFileSync(new URL("../../../../spec/canonical.json", import.meta.url));
    assert.ok(shipped.equals(published));
  });
});

describe("canonical-extra.json", () => {
  const spec = readSpec<{ depth_limit: number; cases: TextCase[] }>("canonical-extra.json");
  assert.equal(wire.DEPTH_LIMIT, spec.depth_limit);
  for (const { name, json, canonical, args_hash } of spec.cases) {
    test(name, () => {
      const text = json ?? "";
      assert.equal(wire.canonicalizeArgsText(text) ?? null, canonical);
      const args = parsed(text);
      if (args.ok) assert.equal(wire.argsHash(args.value), args_hash);
      else assert.equal(args_hash, wire.NOT_REPRESENTABLE_HASH);
    });
  }
});

function parsed(text: string): { ok: boolean; value?: unknown } {
  if (text === "") return { ok: true, value: undefined };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false };
  }
}

describe("sizes.json", () => {
  const spec = readSpec<{
    cases: { name: string; result: string; utf16: number }[];
    unrepresentable: { result: string; utf16: number }[];
    strings: { text: string; utf16: number }[];
  }>("sizes.json");
  for (const { name, result, utf16 } of spec.cases) {
    test(name, () => assert.equal(wire.utf16Length(result), utf16));
  }
  for (const { result, utf16 } of spec.unrepresentable) {
    test(`unrepresentable ${JSON.stringify(result)}`, () =>
      assert.equal(wire.utf16Length(result), utf16));
  }
  for (const { text, utf16 } of spec.strings) {
    test(`string ${JSON.stringify(text)}`, () => {
      assert.equal(text.length, utf16);
      assert.equal(wire.utf16Length(JSON.stringify(text)), utf16 + 2);
    });
  }
});

describe("empty.json", () => {
  const { cases } = readSpec<{ cases: { name: string; result: unknown; is_empty: boolean }[] }>(
    "empty.json",
  );
  for (const { name, result, is_empty } of cases) {
    test(name, () => assert.equal(wire.isEmptyResult(result), is_empty));
  }
});

describe("tools.json", () => {
  interface ToolCase {
    entry: wire.ToolEntry;
    schema_bytes: number;
    schema_hash: string | null;
    description_hash: string | null;
    description_norm: string | null;
  }
  const { cases } = readSpec<{ cases: ToolCase[] }>("tools.json");
  for (const { entry, ...expected } of cases) {
    test(String(entry.name), () => {
      const described = wire.describeTool(entry);
      assert.equal(described.schema_bytes, expected.schema_bytes);
      assert.equal(described.schema_hash ?? null, expected.schema_hash);
      assert.equal(described.description_hash ?? null, expected.description_hash);
      assert.equal(described.description_norm ?? null, expected.description_norm);
    });
  }
});

describe("description-norm.json", () => {
  const spec = readSpec<{
    stopwords: string[];
    cases: {
      name: string;
      description: string;
      tokens: string[];
      description_hash: string | null;
      description_norm: string | null;
    }[];
  }>("description-norm.json");
  test("stop words", () => assert.deepEqual([...wire.STOP_WORDS], spec.stopwords));
  for (const { name, description, ...expected } of spec.cases) {
    test(name, () => {
      assert.deepEqual(wire.descriptionTokens(description), expected.tokens);
      assert.equal(wire.descriptionHash(description) ?? null, expected.description_hash);
      assert.equal(wire.descriptionNorm(description) ?? null, expected.description_norm);
    });
  }
});

test("porter.json", () => {
  const words = Object.entries(readSpec<Record<string, string>>("porter.json"));
  assert.ok(words.length > 1000);
  for (const [word, expected] of words) assert.equal(wire.stem(word), expected, word);
});
