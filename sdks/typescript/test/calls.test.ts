import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { watch } from "mcpulse";
import * as z from "zod";
import {
  Bench,
  call,
  handle,
  type Loose,
  newHigh,
  newLow,
  register,
  SDKS,
} from "./support/sdks.js";
import { readSpec } from "./support/spec.js";

const text = (value: string) => ({ content: [{ type: "text", text: value }] });
const any = z.looseObject({});

for (const sdk of SDKS) {
  describe(`calls, ${sdk}`, () => {
    test("hash what the client sent, before defaults and dropped fields", async (t) => {
      const bench = await Bench.start(t);
      const server = bench.watch(newHigh(sdk));
      const seen: unknown[] = [];
      register(server, "tool", {
        schema: z.object({ a: z.int(), page: z.int().default(1) }),
        run: (args) => {
          seen.push(args);
          return text("x");
        },
      });
      await call(await bench.connect(sdk, server), "tool", { extra: [1], a: 2 });
      assert.deepEqual(seen, [{ a: 2, page: 1 }]);
      const { calls } = await bench.flush();
      // {"a":2,"extra":[1]}
      assert.equal(calls[0]?.args_hash, "32b691701630");
    });

    test("hash before a handler changes what it is given", async (t) => {
      const bench = await Bench.start(t);
      const server = bench.watch(newLow(sdk));
      handle(sdk, server, "tools/call", ({ params }) => {
        params.arguments.list.length = 0;
        return text("x");
      });
      await call(await bench.connect(sdk, server), "tool", { list: [1] });
      const { calls } = await bench.flush();
      assert.equal(calls[0]?.args_hash, "d777f13efab7");
    });

    test("of every fixture that travels have its hash", async (t) => {
      interface Case {
        json: string | null;
        args_hash: string;
        traffic: boolean;
      }
      const { cases } = readSpec<{ cases: Case[] }>("canonical-extra.json");
      const traffic = cases.filter((fixture) => fixture.traffic && fixture.json !== "null");
      assert.ok(traffic.length > 30);
      const bench = await Bench.start(t);
      const server = bench.watch(newHigh(sdk));
      register(server, "tool", { schema: any, run: () => text("x") });
      const client = await bench.connect(sdk, server);
      for (const { json } of traffic) {
        await call(client, "tool", json === null ? undefined : JSON.parse(json));
      }
      const { calls } = await bench.flush();
      assert.deepEqual(
        calls.map(({ args_hash }) => args_hash),
        traffic.map(({ args_hash }) => args_hash),
      );
    });

    test("have the size and emptiness of what the client got", async (t) => {
      const bench = await Bench.start(t);
      const server = bench.watch(newHigh(sdk));
      const results = [
        text("café 🚀"),
        { content: [] },
        { ...text("{}"), structuredContent: { rows: [] }, _meta: { big: "x".repeat(999) } },
        { ...text("[]"), isError: false },
        text("\ud800"),
        { ...text("x"), isError: true },
      ];
      register(server, "tool", { schema: any, run: ({ n }) => results[n] });
      const client = await bench.connect(sdk, server);
      for (const n of results.keys()) await call(client, "tool", { n });
      const { calls } = await bench.flush();
      assert.deepEqual(
        calls.map(({ response_bytes, is_empty }) => [response_bytes, is_empty]),
        [
          [JSON.stringify(text("café 🚀")).length, false],
          [14, true],
          [JSON.stringify({ ...text("{}"), structuredContent: { rows: [] } }).length, false],
          [JSON.stringify(text("[]")).length, true],
          [0, false],
          [JSON.stringify({ ...text("x"), isError: true }).length, false],
        ],
      );
    });

    test("that the transport could not write are crashed and weigh nothing", async (t) => {
      const bench = await Bench.start(t);
      const server = bench.watch(newHigh(sdk));
      const cycle: Loose = {};
      cycle.self = cycle;
      const results = [{ ...text("x"), structuredContent: { n: 1n } }];
      if (sdk === "v1") results.push({ ...text("x"), structuredContent: cycle });
      register(server, "tool", { schema: any, run: ({ n }) => results[n] });
      const client = await bench.connect(sdk, server);
      for (const n of results.keys()) await call(client, "tool", { n });
      const { calls } = await bench.flush();
      for (const { outcome, response_bytes } of calls) {
        assert.deepEqual([outcome, response_bytes], ["crashed", 0]);
      }
      assert.equal(calls.length, results.length);
    });

    test("that are cancelled are not recorded", async (t) => {
      const bench = await Bench.start(t);
      const server = bench.watch(newHigh(sdk));
      let begun: () => void = () => {};
      const started = new Promise<void>((resolve) => {
        begun = resolve;
      });
      let finish: () => void = () => {};
      register(server, "tool", {
        schema: any,
        run: async () => {
          begun();
          await new Promise<void>((resolve) => {
            finish = resolve;
          });
          return text("too late");
        },
      });
      register(server, "other", { schema: any, run: () => text("x") });
      const client = await bench.connect(sdk, server);
      const abort = new AbortController();
      const params = { name: "tool", arguments: {} };
      const options = { signal: abort.signal };
      const called =
        sdk === "v1"
          ? client.callTool(params, undefined, options)
          : client.callTool(params, options);
      await started;
      abort.abort("enough");
      await assert.rejects(called);
      await call(client, "other", {});
      finish();
      await new Promise(setImmediate);
      const { calls } = await bench.flush();
      assert.deepEqual(
        calls.map(({ tool_name }) => tool_name),
        ["other"],
      );
    });

    test("carry times the wire format takes", async (t) => {
      const bench = await Bench.start(t);
      const server = bench.watch(newHigh(sdk));
      register(server, "tool", { run: () => text("x") });
      const before = Date.now();
      await call(await bench.connect(sdk, server), "tool");
      const [recorded] = (await bench.flush()).calls;
      assert.match(String(recorded?.started_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      const startedAt = Date.parse(String(recorded?.started_at));
      assert.ok(startedAt >= before && startedAt <= Date.now());
      assert.ok(Number.isInteger(recorded?.duration_ms));
    });

    test("have names that fit", async (t) => {
      const bench = await Bench.start(t);
      const server = bench.watch(newHigh(sdk));
      register(server, "tool", { run: () => text("x") });
      const client = await bench.connect(sdk, server, "🚀".repeat(200));
      await call(client, `\ud800${"é".repeat(300)}`);
      await call(client, "");
      const { calls } = await bench.flush();
      assert.equal(calls[0]?.client_name, "🚀".repeat(128));
      assert.equal(calls[0]?.tool_name, `\ufffd${"é".repeat(199)}`);
      assert.equal(calls[1]?.tool_name, "unknown");
    });

    test("through a wrapper of the host's count once", async (t) => {
      const bench = await Bench.start(t);
      const server = bench.watch(newHigh(sdk));
      register(server, "tool", { run: () => text("x") });
      const inner = server.server;
      const builtIn = inner._requestHandlers.get("tools/call");
      inner._requestHandlers.set("tools/call", (request: Loose, context: Loose) =>
        builtIn(request, context),
      );
      await call(await bench.connect(sdk, server), "tool");
      assert.equal((await bench.flush()).calls.length, 1);
    });

    test("of concurrent clients stay apart", async (t) => {
      const bench = await Bench.start(t);
      const clients: Loose[] = [];
      for (let n = 0; n < 5; n += 1) {
        const server = bench.watch(newHigh(sdk));
        register(server, "tool", {
          schema: any,
          run: async ({ n: k }) => {
            for (let i = 0; i < k % 7; i += 1) await new Promise(setImmediate);
            if (k % 3 === 0) throw new Error("boom");
            return text(String(k));
          },
        });
        clients.push(await bench.connect(sdk, server, `client-${n}`));
      }
      await Promise.all(
        Array.from({ length: 200 }, (_, k) => call(clients[k % 5], "tool", { n: k })),
      );
      const { calls } = await bench.flush();
      assert.equal(calls.length, 200);
      for (let n = 0; n < 5; n += 1) {
        assert.equal(calls.filter(({ client_name }) => client_name === `client-${n}`).length, 40);
      }
      assert.equal(calls.filter(({ outcome }) => outcome === "crashed").length, 67);
      assert.equal(new Set(calls.map(({ session_id }) => session_id)).size, 1);
    });
  });

  describe(`what the host gets, ${sdk}`, () => {
    test("is its own: the very result, promise and error", async (t) => {
      const bench = await Bench.start(t);
      const server = bench.watch(newLow(sdk));
      const promise = Promise.resolve(text("x"));
      const error = new RangeError("mine");
      let mode = "promise";
      server.fallbackRequestHandler = () => {
        if (mode === "promise") return promise;
        if (mode === "throw") throw error;
        return Promise.reject(error);
      };
      const handler = server._requestHandlers.get("tools/call");
      assert.equal(handler({ method: "tools/call", params: { name: "x" } }, {}), promise);
      mode = "throw";
      assert.throws(
        () => handler({ method: "tools/call", params: { name: "x" } }, {}),
        (thrown) => thrown === error,
      );
      mode = "reject";
      await assert.rejects(
        () => handler({ method: "tools/call", params: { name: "x" } }, {}),
        (thrown) => thrown === error,
      );
    });

    test("is its own server, and watch() of anything else is harmless", () => {
      const server = newHigh(sdk);
      const options = { key: "k", endpoint: "http://127.0.0.1:9" };
      assert.equal(watch(server, options), server);
      assert.equal(watch(server, options), server);
      for (const odd of [null, undefined, 7, "x", {}, [], new Map(), Object.freeze({}), () => {}]) {
        assert.equal(watch(odd, options), odd);
      }
      const hostile = new Proxy(
        {},
        {
          get() {
            throw new Error("no");
          },
        },
      );
      assert.equal(watch(hostile, options), hostile);
      // biome-ignore lint/suspicious/noExplicitAny: wrong on purpose
      for (const wrong of [null, 7, "x", { policies: 7 }, { agreements: { a: null } }] as any[]) {
        assert.ok(watch(newHigh(sdk), wrong));
      }
    });

    test("is untouched without a key, or when switched off", () => {
      for (const options of [
        { key: "  " },
        { key: "k", enabled: false },
        { key: "k", endpoint: "ftp://x" },
      ]) {
        const server = newLow(sdk);
        const before = Object.getOwnPropertyNames(server);
        watch(server, options);
        assert.deepEqual(Object.getOwnPropertyNames(server), before);
        assert.ok(!Object.hasOwn(server._requestHandlers, "get"));
      }
    });

    test("is untouched when attaching fails half way, and a later watch() works", async (t) => {
      const bench = await Bench.start(t);
      const server = newLow(sdk);
      const notification = server.notification;
      Object.defineProperty(server, "notification", {
        value: notification,
        configurable: false,
        writable: false,
      });
      bench.watch(server);
      assert.ok(!Object.hasOwn(server._requestHandlers, "get"));
      assert.ok(!Object.hasOwn(server, "setRequestHandler"));
      const other = bench.watch(newLow(sdk));
      handle(sdk, other, "tools/call", () => text("x"));
      await call(await bench.connect(sdk, other), "tool");
      assert.equal((await bench.flush()).calls.length, 1);
    });

    test("is not disturbed by a frozen tool", async (t) => {
      const bench = await Bench.start(t);
      const server = bench.watch(newHigh(sdk));
      const tool = register(server, "tool", { run: () => ({ ...text("no"), isError: true }) });
      Object.freeze(tool);
      await call(await bench.connect(sdk, server), "tool");
      assert.deepEqual(
        (await bench.flush()).calls.map(({ outcome }) => outcome),
        ["tool_error"],
      );
    });
  });
}

test("an input_required result is no finished call; the retry that finishes is", async (t) => {
  const { inputRequired } = await import("@modelcontextprotocol/server");
  const bench = await Bench.start(t);
  const server = bench.watch(newLow("v2"));
  let round = 0;
  server.fallbackRequestHandler = () => {
    round += 1;
    return round === 1 ? inputRequired({ requestState: "s" }) : text("x");
  };
  const handler = server._requestHandlers.get("tools/call");
  for (let n = 0; n < 2; n += 1) {
    await handler({ method: "tools/call", params: { name: "tool" } }, {});
  }
  assert.equal((await bench.flush()).calls.length, 1);
});
