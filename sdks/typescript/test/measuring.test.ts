import assert from "node:assert/strict";
import { test } from "node:test";
import { argsHash, canonicalize } from "../src/wire/canonical.js";
import { numberUnits } from "../src/wire/numbers.js";
import { valueUnits } from "../src/wire/sizes.js";
import { quotedUnits } from "../src/wire/strings.js";
import { RandomJson } from "./support/random-json.js";

/** Numbers whose length is worked out, and their neighbours, whose length is not. */
function* numbers(): Generator<number> {
  const random = new RandomJson(7);
  const edges = [0, -0, 1, 9, 10, 0.1, 0.3, 1e-6, 1e-7, 9.999999, 5e-324, 1e20, 1e21, 2 ** 53];
  for (const edge of [...edges, 2 ** 50, 2 ** 50 - 0.5, 2 ** 44 - 0.0625, 999999999999.9]) {
    yield* [edge, -edge, edge + Number.EPSILON, edge - Number.EPSILON];
  }
  for (let n = 0; n < 100_000; n += 1) {
    const whole = random.integer(10 ** random.integer(16));
    // Multiples of a power of ten, and sums that miss one by the last bits.
    const number = whole / 10 ** random.integer(9);
    yield* [number, -number, number + 0.1, number * 1.1];
  }
}

test("the length of a number is that of its ECMAScript spelling", () => {
  for (const number of numbers()) {
    if (numberUnits(number) !== String(number).length) {
      assert.equal(numberUnits(number), String(number).length, String(number));
    }
  }
});

test("the length of a long string is that of its JSON, wherever its escapes are", () => {
  const pieces = ['"', "\\", "\n", "\u0000", "a", "é", "€", "🚀", "plain words ", '{"a":"b"},'];
  for (const length of [200, 257, 8191, 8192, 8193, 20_000]) {
    for (const piece of pieces) {
      const dense = piece.repeat(length);
      for (const text of [
        dense,
        `x${dense}`,
        "x".repeat(length) + dense,
        dense + "x".repeat(length),
      ]) {
        assert.equal(quotedUnits(text), JSON.stringify(text).length, `${length} × ${piece}`);
        for (const lone of ["\ud800", "\udc00"]) {
          assert.equal(quotedUnits(text + lone), undefined);
          assert.equal(quotedUnits(lone + text), undefined);
        }
      }
    }
  }
});

test("objects of different shapes beside and within each other keep their own keys", () => {
  const value = [
    { b: 1, a: { b: 1, a: 2 } },
    { a: { b: 1 }, b: 1 },
    { b: 1, c: { 10: 1, 9: 2 } },
    { b: undefined, a: 1 },
    { b: 1, a: undefined },
  ];
  const canonical = `[${[
    '{"a":{"a":2,"b":1},"b":1}',
    '{"a":{"b":1},"b":1}',
    '{"b":1,"c":{"10":1,"9":2}}',
    '{"a":1}',
    '{"b":1}',
  ]}]`;
  assert.equal(canonicalize(value), canonical);
  assert.equal(valueUnits(value), canonical.length);
});

test("a canonical form made while another is being made changes neither", () => {
  const outer = {
    b: {
      toJSON: () => {
        argsHash({ z: { y: 1 } });
        return { d: 1, c: 2 };
      },
    },
    a: { d: 3, c: 4 },
  };
  assert.equal(canonicalize(outer), '{"a":{"c":4,"d":3},"b":{"c":2,"d":1}}');
});

test("a key without a canonical form counts only where it is written", () => {
  assert.equal(canonicalize({ "\ud800": undefined, a: 1 }), '{"a":1}');
  assert.equal(canonicalize({ "\ud800": 1, a: 1 }), undefined);
});

test("members of the prototype count nowhere, whatever objects stand before", () => {
  const heir = Object.assign(Object.create({ b: 1 }), { a: 1 });
  class Row {
    a = 1;
    get b() {
      return 2;
    }
  }
  const value = [{ a: 1, b: 1 }, heir, new Row(), Object.create(null), { a: 1, b: 1 }];
  assert.equal(valueUnits(value), JSON.stringify(value).length);
  Object.defineProperty(Object.prototype, "b", {
    value: 1,
    enumerable: true,
    configurable: true,
    writable: true,
  });
  try {
    const more = [{ a: 1, b: 1 }, { a: 1 }, {}];
    assert.equal(valueUnits(more), JSON.stringify(more).length);
    assert.equal(canonicalize(more), JSON.stringify(more));
  } finally {
    Reflect.deleteProperty(Object.prototype, "b");
  }
});

test("objects whose keys begin alike are measured in full", () => {
  const value = [
    { a: 1, b: 2 },
    { a: 1 },
    { a: 1, b: 2, c: { a: 1, b: 2 } },
    { a: undefined, b: 2 },
    { a: () => {}, "\ud800": undefined },
    { b: 1, a: { b: 1, a: { b: 1, c: 1 } } },
    {},
    { a: 1, b: 2 },
  ];
  assert.equal(valueUnits(value), JSON.stringify(value).length);
});
