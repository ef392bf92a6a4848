import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { afterEach, beforeEach, describe, test } from "node:test";
import { readOptions, type Settings, type WatchOptions } from "../src/options.js";
import { VERSION } from "../src/version.js";
import { fitInteger, fitName, fitVersion } from "../src/wire/payloads.js";

function read(options: unknown): { settings: Settings | undefined; complaints: string[] } {
  const complaints: string[] = [];
  const settings = readOptions(options as WatchOptions, (reason) => complaints.push(reason));
  return { settings, complaints };
}

describe("options", () => {
  const names = ["MCPULSE_KEY", "MCPULSE_ENDPOINT"] as const;
  const before = names.map((name) => process.env[name]);
  beforeEach(() => {
    for (const name of names) delete process.env[name];
  });
  afterEach(() => {
    for (const [at, name] of names.entries()) {
      if (before[at] === undefined) delete process.env[name];
      else process.env[name] = before[at];
    }
  });

  // The portable platform reads the environment through globalThis.process.
  test("come from the environment where they are not given", () => {
    process.env.MCPULSE_KEY = " from-env ";
    process.env.MCPULSE_ENDPOINT = "https://pulse.example//";
    const { settings } = read({});
    assert.equal(settings?.key, "from-env");
    assert.equal(settings?.endpoint, "https://pulse.example");
    assert.equal(
      read({ key: "given", endpoint: "http://x/base/" }).settings?.endpoint,
      "http://x/base",
    );
  });

  test("default to the local endpoint", () => {
    assert.equal(read({ key: "k" }).settings?.endpoint, "http://127.0.0.1:7077");
    assert.equal(read({ key: "k", endpoint: "" }).settings?.endpoint, "http://127.0.0.1:7077");
  });

  test("turn everything off", () => {
    process.env.MCPULSE_KEY = "from-env";
    for (const options of [
      { key: "" },
      { key: " \n" },
      { enabled: false },
      { endpoint: "localhost:7077" },
      { endpoint: "not a url" },
      { key: "two words" },
      { key: "schlüssel" },
    ]) {
      const { settings, complaints } = read(options);
      assert.equal(settings, undefined);
      assert.match(complaints[0] ?? "", /^off: /);
    }
  });

  test("that are wrong are named, with the rule and without the value", () => {
    const tools = { a: "/x", b: "/y" };
    const wrong: [object, RegExp][] = [
      [{ policies: { a: "SECRET" } }, /^policies: each must be/],
      [{ agreements: { SECRET: { tools: { a: "/x" } } } }, /^agreements: tools must name 2 to 20/],
      [{ agreements: { SECRET: { tools: { a: "SECRET", b: "/x" } } } }, /JSON Pointer/],
      [{ agreements: { SECRET: { tools: { a: "/~2", b: "/x" } } } }, /JSON Pointer/],
      [{ agreements: { SECRET: { tools, windowMs: 0 } } }, /windowMs must be an integer/],
      [{ agreements: { SECRET: { tools, windowMs: 1.5 } } }, /windowMs must be an integer/],
      [{ agreements: { SECRET: { tools, tolerance: -1 } } }, /tolerance must be a number/],
    ];
    for (const [options, complaint] of wrong) {
      const { settings, complaints } = read({ key: "k", ...options });
      assert.ok(settings);
      assert.equal(settings.agreements.length + settings.policies.size, 0);
      assert.equal(complaints.length, 1);
      assert.match(complaints[0] ?? "", complaint);
      assert.doesNotMatch(complaints[0] ?? "", /SECRET/);
    }
  });

  test("take tools whose names are equal once cut for one", () => {
    const long = "x".repeat(200);
    const tools = { [`${long}1`]: "/a", [`${long}2`]: "/b", other: "/c" };
    const { settings } = read({ key: "k", agreements: { field: { tools } } });
    assert.deepEqual(
      [...(settings?.agreements[0]?.tools ?? [])],
      [
        [long, "/a"],
        ["other", "/c"],
      ],
    );
    const { [`${long}2`]: _, other: __, ...one } = tools;
    assert.equal(
      read({ key: "k", agreements: { field: { tools: { ...one, [`${long}2`]: "/b" } } } }).settings
        ?.agreements.length,
      0,
    );
  });

  test("take at most 100 agreements", () => {
    const agreements = Object.fromEntries(
      Array.from({ length: 101 }, (_, n) => [`field_${n}`, { tools: { a: "", b: "/x" } }]),
    );
    const { settings, complaints } = read({ key: "k", agreements });
    assert.equal(settings?.agreements.length, 100);
    assert.equal(complaints.length, 1);
  });
});

describe("values that fit", () => {
  test("names", () => {
    assert.equal(fitName("ok", 200), "ok");
    assert.equal(fitName("", 200), "unknown");
    assert.equal(fitName(undefined, 200), "unknown");
    assert.equal(fitName(7, 200), "unknown");
    assert.equal(fitName("\ude80x", 200), "\ufffdx");
    assert.equal(Array.from(fitName("🚀".repeat(201), 200)).length, 200);
    assert.equal(fitName("🚀".repeat(200), 200), "🚀".repeat(200));
    assert.equal(fitName(`${"a".repeat(199)}🚀b`, 200), `${"a".repeat(199)}🚀`);
  });

  test("integers", () => {
    assert.equal(fitInteger(1.9, 10), 1);
    assert.equal(fitInteger(-1, 10), 0);
    assert.equal(fitInteger(Number.NaN, 10), 0);
    assert.equal(fitInteger(Number.POSITIVE_INFINITY, 10), 10);
    assert.equal(fitInteger(11, 10), 10);
  });

  test("versions", () => {
    assert.equal(fitVersion(""), undefined);
    assert.equal(fitVersion(2), undefined);
    assert.equal(fitVersion("v".repeat(99)), "v".repeat(64));
  });
});

test("the version is the package's", () => {
  assert.equal(createRequire(import.meta.url)("../../package.json").version, VERSION);
});
