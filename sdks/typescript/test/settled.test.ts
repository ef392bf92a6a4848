import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { InMemoryTaskStore } from "@modelcontextprotocol/sdk/experimental/tasks";
import { settled } from "../src/attach/settled.js";
import { followTask } from "../src/attach/tasks.js";
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

const answer = { content: [{ type: "text", text: "from the query" }] };

/** As query builders are: each request for the result runs the query. */
class Query {
  runs = 0;
  constructor(readonly error?: Error) {}
  // biome-ignore lint/suspicious/noThenProperty: this is what is tested
  then(fulfilled?: Loose, rejected?: Loose): Promise<unknown> {
    this.runs += 1;
    const run = this.error === undefined ? Promise.resolve(answer) : Promise.reject(this.error);
    return run.then(fulfilled, rejected);
  }
}

for (const sdk of SDKS) {
  describe(`a handler that gives a query of its own kind, ${sdk}`, () => {
    const cases: [string, () => Query, string][] = [
      ["that answers", () => new Query(), "ok"],
      ["that fails", () => new Query(new Error("boom")), "crashed"],
    ];
    for (const [what, make, outcome] of cases) {
      const servers: [string, (query: Query) => Loose][] = [
        [
          "high-level",
          (query) => {
            const server = newHigh(sdk);
            register(server, "find", { run: () => query });
            return server;
          },
        ],
        [
          "low-level",
          (query) => {
            const server = newLow(sdk);
            handle(sdk, server, "tools/call", () => query);
            return server;
          },
        ],
        [
          "fallback",
          (query) => {
            const server = newLow(sdk);
            server.fallbackRequestHandler = () => query;
            return server;
          },
        ],
      ];
      for (const [kind, serve] of servers) {
        test(`${what} runs it once, ${kind}`, async (t) => {
          const bench = await Bench.start(t);
          const [query, twin] = [make(), make()];
          const watched = await bench.connect(sdk, bench.watch(serve(query)));
          const plain = await bench.connect(sdk, serve(twin));
          assert.deepEqual(await call(watched, "find"), await call(plain, "find"));
          assert.equal(twin.runs, 1);
          assert.equal(query.runs, 1);
          const { calls } = await bench.flush();
          assert.deepEqual(
            calls.map((recorded) => recorded.outcome),
            [outcome],
          );
        });
      }
    }
  });
}

describe("what settles", () => {
  const heard: unknown[] = [];
  const listen = (value: unknown) =>
    settled(
      value,
      (result) => heard.push(["ok", result]),
      (error) => heard.push(["failed", error]),
    );

  test("is handed on as the same object, and its end is told", async () => {
    heard.length = 0;
    const [good, bad, plain] = [Promise.resolve(1), Promise.reject(new Error("no")), { a: 1 }];
    for (const value of [good, bad, plain, 7]) assert.equal(listen(value), value);
    await assert.rejects(bad);
    assert.deepEqual(heard, [
      ["ok", plain],
      ["ok", 7],
      ["ok", 1],
      ["failed", new Error("no")],
    ]);
  });

  test("has no code of its own run by listening", async () => {
    let asked = 0;
    class Own extends Promise<number> {
      // biome-ignore lint/suspicious/noThenProperty: this is what is tested
      override then(...args: Loose[]): Loose {
        asked += 1;
        return super.then(...args);
      }
    }
    const value = new Own((resolve) => resolve(1));
    assert.equal(listen(value), value);
    assert.equal(asked, 0);
    const unreadable = {
      // biome-ignore lint/suspicious/noThenProperty: this is what is tested
      get then() {
        throw new Error("not yours");
      },
    };
    assert.equal(listen(unreadable), unreadable);
  });
});

test("a failure of a task store that nobody handles stays one", async (t) => {
  const store = new InMemoryTaskStore();
  t.after(() => store.cleanup());
  followTask({ request: { params: {} } } as Loose, store);
  const unhandled = new Promise((resolve) => {
    const listeners = process.listeners("unhandledRejection");
    process.removeAllListeners("unhandledRejection");
    process.once("unhandledRejection", (error) => {
      for (const listener of listeners) process.on("unhandledRejection", listener);
      resolve(error);
    });
  });
  void store.storeTaskResult("no such task", "completed", { content: [] });
  assert.match(String(await unhandled), /not found/i);
});
