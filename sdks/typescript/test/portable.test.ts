import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import vm from "node:vm";
import { Ingest } from "./support/ingest.js";
import type { Loose } from "./support/sdks.js";

const dist = fileURLToPath(new URL("../../dist/cjs/", import.meta.url));

/** A runtime with `fetch` and little else: no process, no node: modules, timers that are numbers. */
class EdgeRuntime {
  readonly globals: Record<string, Loose>;
  readonly lines: string[] = [];
  /** Random numbers asked for, timers set and requests made so far. */
  effects = 0;
  readonly #modules = new Map<string, Loose>();

  constructor() {
    let lastTimer = 0;
    const timers = new Map<number, NodeJS.Timeout>();
    this.globals = vm.createContext({
      URL,
      TextEncoder,
      TextDecoder,
      AbortSignal,
      performance,
      console: { error: (line: string) => this.lines.push(line) },
      fetch: (...args: Parameters<typeof fetch>) => {
        this.effects += 1;
        return fetch(...args);
      },
      crypto: {
        getRandomValues: (array: Uint8Array) => {
          this.effects += 1;
          return crypto.getRandomValues(array);
        },
      },
      setTimeout: (run: () => void, ms: number) => {
        this.effects += 1;
        lastTimer += 1;
        timers.set(lastTimer, setTimeout(run, ms).unref());
        return lastTimer;
      },
      clearTimeout: (timer: number) => clearTimeout(timers.get(timer)),
    });
  }

  load(file: string): Loose {
    const loaded = this.#modules.get(file);
    if (loaded !== undefined) return loaded.exports;
    const module = { exports: {} };
    this.#modules.set(file, module);
    const run = vm.runInContext(
      `(function (exports, require, module) {${readFileSync(file, "utf8")}\n})`,
      this.globals,
      { filename: file },
    );
    run(module.exports, (name: string) => this.load(join(dirname(file), name)), module);
    return module.exports;
  }
}

/** What `watch` needs of a low-level server. */
function server(runtime: EdgeRuntime): Loose {
  return vm.runInContext(
    `({
      _requestHandlers: new Map([
        ["tools/list", async () => ({ tools: [{ name: "a", inputSchema: { type: "object" } }] })],
        ["tools/call", async () => ({ content: [{ type: "text", text: "x" }] })],
      ]),
      setRequestHandler(method, handler) { this._requestHandlers.set(method, handler); },
    })`,
    runtime.globals,
  );
}

async function request(watched: Loose, params: object): Promise<void> {
  await watched._requestHandlers.get("tools/call")({ method: "tools/call", params }, {});
}

test("works where there is nothing but fetch, and does nothing before the first request", async (t) => {
  const ingest = await Ingest.start();
  t.after(() => ingest.close());
  const runtime = new EdgeRuntime();
  const { watch, flush } = runtime.load(join(dist, "index.js"));
  const watched = watch(server(runtime), { key: "k", endpoint: ingest.endpoint, debug: true });
  assert.equal(runtime.effects, 0);
  await request(watched, { name: "a", arguments: { b: 1, a: [2] } });
  await flush();
  assert.deepEqual(
    ingest.calls.map(({ tool_name, args_hash }) => [tool_name, args_hash]),
    [["a", "63c9663de90e"]],
  );
  assert.equal(ingest.startups.length, 1);
  assert.ok(runtime.lines.some((line) => line.startsWith("mcpulse: sending ")));
});

test("a request that dies with its runtime's request is sent again by a later flush", async (t) => {
  const ingest = await Ingest.start();
  t.after(() => ingest.close());
  const runtime = new EdgeRuntime();
  let now = 0;
  runtime.globals.performance = { now: () => now };
  const { fetch: realFetch } = runtime.globals;
  const { watch, flush } = runtime.load(join(dist, "index.js"));
  const watched = watch(server(runtime), { key: "k", endpoint: ingest.endpoint });
  runtime.globals.fetch = () => new Promise(() => {});
  await request(watched, { name: "first" });
  void flush();
  await new Promise(setImmediate);
  runtime.globals.fetch = realFetch;
  await request(watched, { name: "second" });
  await flush();
  assert.deepEqual(
    ingest.calls.map(({ tool_name }) => tool_name),
    ["second"],
  );
  now += 13_000;
  await request(watched, { name: "third" });
  await flush();
  assert.deepEqual(ingest.calls.map(({ tool_name }) => tool_name).sort(), [
    "first",
    "second",
    "third",
  ]);
});

test("flush without anything watched, or with a dead ingest, resolves", async () => {
  const runtime = new EdgeRuntime();
  const { watch, flush } = runtime.load(join(dist, "index.js"));
  await flush();
  const watched = watch(server(runtime), { key: "k", endpoint: "http://127.0.0.1:9" });
  await request(watched, { name: "a" });
  await flush();
  await flush(1);
});
