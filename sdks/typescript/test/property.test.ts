import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { text as readText } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import * as wire from "../src/wire/index.js";
import { valueUnits } from "../src/wire/sizes.js";
import { RandomJson } from "./support/random-json.js";

const DOCUMENTS = 100_000;

/** RFC 8785 as ECMAScript itself would have it: sort the keys, then JSON.stringify. */
function reference(value: unknown): string | undefined {
  if (Array.isArray(value)) {
    const items = value.map(reference);
    return items.includes(undefined) ? undefined : `[${items.join()}]`;
  }
  if (typeof value === "object" && value !== null) {
    const members: string[] = [];
    for (const key of Object.keys(value).sort()) {
      const member = reference((value as Record<string, unknown>)[key]);
      const name = reference(key);
      if (member === undefined || name === undefined) return undefined;
      members.push(`${name}:${member}`);
    }
    return `{${members.join()}}`;
  }
  if (typeof value === "number" && !Number.isFinite(value)) return undefined;
  const json = JSON.stringify(value);
  return /(?<!\\)(?:\\\\)*\\ud[89a-f]/.test(json) ? undefined : json;
}

interface Expected {
  readonly canonical: string | null;
  readonly hash: string;
  readonly units: number;
}

function expectation(text: string): Expected {
  const canonical = reference(JSON.parse(text));
  const args = canonical === "null" ? "{}" : canonical;
  const digest = args === undefined ? undefined : createHash("sha256").update(args).digest("hex");
  return {
    canonical: args ?? null,
    hash: digest?.slice(0, 12) ?? "000000000000",
    units: canonical?.length ?? 0,
  };
}

const random = new RandomJson(0x5eed);
const documents = Array.from({ length: DOCUMENTS }, () => random.text());

test(`${DOCUMENTS} random documents: canonical form, hash and size as ECMAScript`, () => {
  let representable = 0;
  for (const text of documents) {
    const expected = expectation(text);
    const value: unknown = JSON.parse(text);
    const canonical = wire.canonicalizeArgsText(text) ?? null;
    if (canonical !== expected.canonical) assert.equal(canonical, expected.canonical, text);
    if (wire.argsHash(value) !== expected.hash) assert.equal(wire.argsHash(value), expected.hash);
    if (wire.utf16Length(text) !== expected.units) assert.fail(`units of ${text}`);
    // Measured without writing it, as results are. What is not finite is null on the wire.
    const json = JSON.stringify(value);
    const units = reference(JSON.parse(json)) === undefined ? 0 : json.length;
    if (valueUnits(value) !== units) assert.equal(valueUnits(value), units, text);
    if (expected.canonical !== null) representable += 1;
  }
  // The generator must keep making both kinds.
  assert.ok(representable > DOCUMENTS / 2 && representable < DOCUMENTS);
});

test("the portable SHA-256 is SHA-256", () => {
  const random = new RandomJson(42);
  const texts = Array.from({ length: 2000 }, () => random.text());
  for (let length = 0; length < 300; length += 1)
    texts.push("a".repeat(length), "é".repeat(length));
  for (const text of texts) {
    assert.equal(wire.portableSha256(text), createHash("sha256").update(text).digest("hex"));
  }
});

/** The Rust producer as a program, if this tree has it built. */
const binary = ["release", "debug"]
  .map((kind) => fileURLToPath(new URL(`../../../../target/${kind}/mcpulse`, import.meta.url)))
  .find((file) => {
    const { stdout } = spawnSync(file, ["canonicalize"], { input: "{}\n", encoding: "utf8" });
    return stdout === "{}\n";
  });
const skip = binary === undefined && "no mcpulse is built in target/";

test(`${DOCUMENTS} random documents: the Rust producer finds the same`, { skip }, async () => {
  const [canonical, hashes] = await Promise.all([lines("canonicalize"), lines("hash")]);
  let at = 0;
  for (const text of documents) {
    // Which the test above has compared with ECMAScript's.
    const hash = wire.argsHash(JSON.parse(text));
    const form = wire.canonicalizeText(text) ?? "!";
    if (canonical[at] !== form) assert.equal(canonical[at], form, text);
    if (hashes[at] !== hash) assert.equal(hashes[at], hash, text);
    at += 1;
  }
  assert.equal(canonical.length, DOCUMENTS);
});

/** One document per line in, one result per line out. */
async function lines(command: string): Promise<string[]> {
  const child = spawn(binary as string, [command], { stdio: ["pipe", "pipe", "inherit"] });
  const output = readText(child.stdout);
  for (const text of documents) {
    // A document may hold line ends as white space.
    const line = `${text.replaceAll(/[\r\n]/g, " ")}\n`;
    if (!child.stdin.write(line)) await once(child.stdin, "drain");
  }
  child.stdin.end();
  return (await output).slice(0, -1).split("\n");
}
