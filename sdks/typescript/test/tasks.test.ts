import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import {
  InMemoryTaskMessageQueue,
  InMemoryTaskStore,
} from "@modelcontextprotocol/sdk/experimental/tasks";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import { Bench, call, type Loose, newHigh } from "./support/sdks.js";

const text = (value: string) => ({ content: [{ type: "text", text: value }] });

/** Made by the tests, to be cleaned up. */
const stores: InMemoryTaskStore[] = [];

/** Ends a task; what it says is what the store is told. */
type End = (store: Loose, taskId: string) => unknown;

async function taskServer(bench: Bench, taskSupport: string, end: End, sabotage = false) {
  const taskStore = new InMemoryTaskStore();
  stores.push(taskStore);
  const server = bench.watch(
    newHigh("v1", {
      capabilities: { tools: {}, tasks: { requests: { tools: { call: {} } }, cancel: {} } },
      taskStore,
      taskMessageQueue: new InMemoryTaskMessageQueue(),
    }),
  );
  server.experimental.tasks.registerToolTask(
    "job",
    { inputSchema: { n: z.number() }, execution: { taskSupport } },
    {
      async createTask(_args: object, { taskStore: store, taskRequestedTtl }: Loose) {
        if (sabotage) throw new Error("boom");
        const task = await store.createTask({ ttl: taskRequestedTtl ?? 60_000, pollInterval: 10 });
        setTimeout(() => void end(store, task.taskId), 30);
        return { task };
      },
      getTask: (_args: object, { taskId, taskStore: store }: Loose) => store.getTask(taskId),
      getTaskResult: (_args: object, { taskId, taskStore: store }: Loose) =>
        store.getTaskResult(taskId),
    },
  );
  return bench.connect("v1", server);
}

/** Asks for a task and follows it to its end. */
async function follow(client: Loose): Promise<string[]> {
  const seen: string[] = [];
  const params = { name: "job", arguments: { n: 1 } };
  const stream = client.experimental.tasks.callToolStream(params, CallToolResultSchema, {
    task: { ttl: 60_000 },
  });
  for await (const message of stream) seen.push(message.type);
  return seen;
}

describe("tasks of SDK 1", () => {
  // The stores' own timers would keep this process alive.
  afterEach(() => {
    for (const store of stores.splice(0)) store.cleanup();
  });

  const ends: [string, End, string | undefined][] = [
    ["that complete are ok", (s, id) => s.storeTaskResult(id, "completed", text("x")), "ok"],
    [
      "that complete with isError are tool_error",
      (s, id) => s.storeTaskResult(id, "failed", { ...text("x"), isError: true }),
      "tool_error",
    ],
    ["that fail are crashed", (s, id) => s.updateTaskStatus(id, "failed", "boom"), "crashed"],
    [
      "that are cancelled are not recorded",
      (s, id) => s.updateTaskStatus(id, "cancelled"),
      undefined,
    ],
  ];
  for (const [what, end, outcome] of ends) {
    test(what, async (t) => {
      const bench = await Bench.start(t);
      const client = await taskServer(bench, "required", end);
      assert.ok((await follow(client)).includes("taskCreated"));
      const { calls } = await bench.flush();
      assert.deepEqual(
        calls.map((recorded) => recorded.outcome),
        outcome === undefined ? [] : [outcome],
      );
      if (outcome !== undefined) {
        assert.ok((calls[0]?.duration_ms ?? 0) >= 29);
      }
    });
  }

  test("are not recorded before they end", async (t) => {
    const bench = await Bench.start(t);
    const client = await taskServer(bench, "required", () => {});
    const stream = client.experimental.tasks.callToolStream(
      { name: "job", arguments: { n: 1 } },
      CallToolResultSchema,
      { task: { ttl: 60_000 } },
    );
    await stream.next();
    assert.equal((await bench.flush()).calls.length, 0);
    await stream.return();
  });

  test("that cannot be made are crashed", async (t) => {
    const bench = await Bench.start(t);
    const client = await taskServer(bench, "required", () => {}, true);
    await follow(client);
    const { calls } = await bench.flush();
    assert.deepEqual(
      calls.map(({ outcome }) => outcome),
      ["crashed"],
    );
  });

  const waited: [string, End, string][] = [
    ["ok", (s, id) => s.storeTaskResult(id, "completed", text("done")), "ok"],
    [
      "tool_error",
      (s, id) => s.storeTaskResult(id, "completed", { ...text("no"), isError: true }),
      "tool_error",
    ],
    ["crashed", (s, id) => s.updateTaskStatus(id, "failed", "boom"), "crashed"],
  ];
  for (const [what, end, outcome] of waited) {
    test(`that the MCP SDK waits for are one call: ${what}`, async (t) => {
      const bench = await Bench.start(t);
      const client = await taskServer(bench, "optional", end);
      await call(client, "job", { n: 1 });
      const { calls } = await bench.flush();
      assert.deepEqual(
        calls.map((recorded) => recorded.outcome),
        [outcome],
      );
    });
  }

  test("keep a handler with private members working", async (t) => {
    class Handler {
      readonly #secret = text("private");
      async createTask(_args: object, { taskStore }: Loose) {
        const task = await taskStore.createTask({ ttl: 60_000, pollInterval: 10 });
        await taskStore.storeTaskResult(task.taskId, "completed", this.#secret);
        return { task };
      }
      getTask = (_args: object, { taskId, taskStore }: Loose) => taskStore.getTask(taskId);
      getTaskResult = (_args: object, { taskId, taskStore }: Loose) =>
        taskStore.getTaskResult(taskId);
    }
    const bench = await Bench.start(t);
    const taskStore = new InMemoryTaskStore();
    stores.push(taskStore);
    const capabilities = { tools: {}, tasks: { requests: { tools: { call: {} } } } };
    const server = bench.watch(newHigh("v1", { capabilities, taskStore }));
    server.experimental.tasks.registerToolTask(
      "job",
      { inputSchema: { n: z.number() }, execution: { taskSupport: "optional" } },
      new Handler(),
    );
    const client = await bench.connect("v1", server);
    const result = await call(client, "job", { n: 1 });
    assert.deepEqual(result.content, text("private").content);
    await follow(client);
    const { calls } = await bench.flush();
    assert.deepEqual(
      calls.map(({ outcome }) => outcome),
      ["ok", "ok"],
    );
  });
});
