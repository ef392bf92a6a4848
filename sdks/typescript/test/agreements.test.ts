import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as z from "zod";
import { AgreementBook, valueAt } from "../src/agreements.js";
import type { Agreement } from "../src/options.js";
import { Bench, call, newHigh, register, SDKS } from "./support/sdks.js";

function agreement(overrides: Partial<Agreement> = {}): Agreement {
  const tools = new Map([
    ["b", "/total"],
    ["a", "/sum"],
    ["c", "/deep/0/x~1y"],
  ]);
  return { field: "amount", tools, windowMs: 1000, tolerance: 0, ...overrides };
}

describe("agreements", () => {
  test("are checked against the latest value of each other tool", () => {
    const book = new AgreementBook();
    const note = (tool: string, content: unknown) => book.note([agreement()], "", tool, content, 0);
    assert.deepEqual(note("b", { total: 5 }), []);
    const verdict = { field: "amount", toolA: "a", toolB: "b", windowMs: 1000 };
    assert.deepEqual(note("a", { sum: 5 }), [{ ...verdict, agreed: true }]);
    assert.deepEqual(note("a", { sum: 6 }), [{ ...verdict, agreed: false }]);
    assert.deepEqual(
      note("c", { deep: [{ "x/y": 6 }] }).map(({ toolA, toolB, agreed }) => [toolA, toolB, agreed]),
      [
        ["b", "c", false],
        ["a", "c", true],
      ],
    );
  });

  test("end with the window", () => {
    const book = new AgreementBook();
    book.note([agreement()], "", "b", { total: 5 }, 0);
    assert.equal(book.note([agreement()], "", "a", { sum: 5 }, 999).length, 1);
    assert.equal(book.note([agreement()], "", "b", { total: 5 }, 1999).length, 0);
  });

  test("compare numbers within the tolerance, other values by canonical form", () => {
    const pairs: [unknown, unknown, boolean][] = [
      [10, 10.5, true],
      [10, 10.6, false],
      ["10", 10, false],
      [{ x: 1, y: [2] }, { y: [2.0], x: 1 }, true],
      [{ x: 1 }, { x: 2 }, false],
      [null, null, true],
      [true, false, false],
    ];
    for (const [total, sum, agreed] of pairs) {
      const book = new AgreementBook();
      const declared = [agreement({ tolerance: 0.5 })];
      book.note(declared, "", "b", { total }, 0);
      assert.equal(book.note(declared, "", "a", { sum }, 0)[0]?.agreed, agreed);
    }
  });

  test("need a value at the path", () => {
    const book = new AgreementBook();
    book.note([agreement()], "", "b", { total: 5 }, 0);
    for (const content of [{}, { sum: undefined }, { sum: Number.NaN }, [], "x", null, 7]) {
      assert.equal(book.note([agreement()], "", "a", content, 0).length, 0);
    }
    assert.equal(book.note([agreement()], "", "other", { sum: 5 }, 0).length, 0);
  });

  test("stay within a conversation", () => {
    const book = new AgreementBook();
    book.note([agreement()], "one", "b", { total: 5 }, 0);
    assert.equal(book.note([agreement()], "two", "a", { sum: 5 }, 0).length, 0);
  });

  test("keep no value but numbers in memory", () => {
    const book = new AgreementBook();
    const seen: unknown[] = [];
    const { set } = Map.prototype;
    Map.prototype.set = function (key, value) {
      seen.push(value);
      return set.call(this, key, value);
    };
    try {
      book.note([agreement()], "", "b", { total: "SECRET" }, 0);
    } finally {
      Map.prototype.set = set;
    }
    assert.ok(!JSON.stringify(seen).includes("SECRET"));
  });

  test("find values as RFC 6901 does", () => {
    const document = { a: [{ "m~n": 1, "x/y": 2, "": 3 }], "": 4, __proto__: { inherited: 5 } };
    const found: [string, unknown][] = [
      ["", document],
      ["/", 4],
      ["/a/0/m~0n", 1],
      ["/a/0/x~1y", 2],
      ["/a/0/", 3],
      ["/a/00", undefined],
      ["/a/-", undefined],
      ["/inherited", undefined],
      ["/a/0/m~0n/deeper", undefined],
    ];
    for (const [pointer, value] of found) assert.deepEqual(valueAt(document, pointer), value);
  });
});

for (const sdk of SDKS) {
  test(`agreements over the wire, ${sdk}`, async (t) => {
    const bench = await Bench.start(t);
    const server = bench.watch(newHigh(sdk), {
      agreements: {
        amount: { tools: { b: "/order/amount", a: "/order/amount" }, windowMs: 60_000 },
      },
    });
    for (const name of ["a", "b"]) {
      register(server, name, {
        schema: z.object({ amount: z.number(), fail: z.boolean().optional() }),
        run: ({ amount, fail }) => ({
          content: [{ type: "text", text: "x" }],
          structuredContent: { order: { amount } },
          ...(fail && { isError: true }),
        }),
      });
    }
    const client = await bench.connect(sdk, server);
    await call(client, "b", { amount: 7.25 });
    await call(client, "a", { amount: 8.25, fail: true });
    await call(client, "a", { amount: 7.25 });
    await call(client, "b", { amount: 9.25 });
    const { agreements, received } = await bench.flush();
    const [first, second] = agreements;
    assert.equal(agreements.length, 2);
    assert.match(String(first?.checked_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.deepEqual(
      [first, second].map((verdict) => ({ ...verdict, session_id: "", checked_at: "" })),
      [true, false].map((agreed) => ({
        v: 1,
        type: "agreement",
        session_id: "",
        field: "amount",
        tool_a: "a",
        tool_b: "b",
        agreed,
        checked_at: "",
        window_ms: 60_000,
      })),
    );
    const sent = received.map(({ text }) => text).join();
    assert.ok(!sent.includes("7.25") && !sent.includes("/order/amount"));
  });
}
