import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Ingest } from "./support/ingest.js";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));

/** A server of no MCP SDK at all, for folders where none is installed. */
const SERVER = `
const handlers = new Map([["tools/call", () => ({ content: [] })], ["tools/list", () => ({ tools: [] })]]);
const server = { _requestHandlers: handlers, setRequestHandler() {} };
`;
const CALL = `
for (const name of names) handlers.get("tools/call")({ params: { name } }, {});
`;

describe("the packed package, in a clean folder", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "mcpulse-pack-"));
    const packed = await run(
      "npm",
      ["pack", "--ignore-scripts", "--json", "--pack-destination", folder],
      {
        cwd: root,
      },
    );
    assert.match(packed.stdout, /mcpulse-\d/);
    const tarball = (await readdir(folder)).find((name) => name.endsWith(".tgz"));
    await writeFile(join(folder, "package.json"), "{}");
    await run("npm", ["install", "--offline", "--no-audit", `./${tarball}`], { cwd: folder });
  });

  async function runScript(name: string, code: string): Promise<Ingest> {
    const ingest = await Ingest.start();
    await writeFile(join(folder, name), code);
    const env = { ...process.env, MCPULSE_KEY: "k", MCPULSE_ENDPOINT: ingest.endpoint };
    await run(process.execPath, [name], { cwd: folder, env });
    await ingest.close();
    return ingest;
  }

  test("brings nothing else along", async () => {
    const installed = await readdir(join(folder, "node_modules"));
    assert.deepEqual(
      installed.filter((name) => !name.startsWith(".")),
      ["mcpulse"],
    );
    const files = await readdir(join(folder, "node_modules", "mcpulse"));
    assert.deepEqual(files.sort(), [
      "LICENSE-APACHE",
      "LICENSE-MIT",
      "README.md",
      "dist",
      "package.json",
      "spec",
    ]);
  });

  test("works as ESM", async () => {
    const { calls } = await runScript(
      "esm.mjs",
      `import { watch } from "mcpulse"; ${SERVER} watch(server); const names = ["esm"]; ${CALL}`,
    );
    assert.deepEqual(
      calls.map(({ tool_name }) => tool_name),
      ["esm"],
    );
  });

  test("works as CommonJS", async () => {
    const { calls } = await runScript(
      "cjs.cjs",
      `const { watch } = require("mcpulse"); ${SERVER} watch(server); const names = ["cjs"]; ${CALL}`,
    );
    assert.deepEqual(
      calls.map(({ tool_name }) => tool_name),
      ["cjs"],
    );
  });

  test("is one session when loaded as both, and a server watched by both counts once", async () => {
    const { calls, taken } = await runScript(
      "both.mjs",
      `import { createRequire } from "node:module";
       import { watch } from "mcpulse"; ${SERVER}
       const cjs = createRequire(import.meta.url)("mcpulse");
       if (cjs.watch === watch) throw new Error("one copy");
       watch(server); cjs.watch(server);
       const names = ["both"]; ${CALL}
       const other = { _requestHandlers: new Map(handlers), setRequestHandler() {} };
       cjs.watch(other);
       other._requestHandlers.get("tools/call")({ params: { name: "other" } }, {});`,
    );
    assert.deepEqual(
      calls.map(({ tool_name }) => tool_name),
      ["both", "other"],
    );
    assert.equal(new Set(taken.map(({ session_id }) => session_id)).size, 1);
  });

  test("is one session in the threads of a process", async () => {
    const { taken, calls } = await runScript(
      "threads.mjs",
      `import { isMainThread, Worker } from "node:worker_threads";
       import { flush, watch } from "mcpulse"; ${SERVER} watch(server);
       const names = [isMainThread ? "main" : "thread"]; ${CALL}
       await flush();
       if (isMainThread) new Worker(new URL(import.meta.url));`,
    );
    assert.deepEqual(calls.map(({ tool_name }) => tool_name).sort(), ["main", "thread"]);
    assert.equal(new Set(taken.map(({ session_id }) => session_id)).size, 1);
  });

  test("is a session for each process of a cluster", async () => {
    const { calls } = await runScript(
      "cluster.mjs",
      `import cluster from "node:cluster";
       import { watch } from "mcpulse"; ${SERVER} watch(server);
       const names = [cluster.isPrimary ? "primary" : "worker"]; ${CALL}
       if (cluster.isPrimary) { cluster.fork(); cluster.fork(); } else process.exit(0);`,
    );
    assert.deepEqual(calls.map(({ tool_name }) => tool_name).sort(), [
      "primary",
      "worker",
      "worker",
    ]);
    assert.equal(new Set(calls.map(({ session_id }) => session_id)).size, 3);
  });

  test("sends without threads where they are forbidden", async () => {
    const { calls } = await runScript(
      "forbidden.mjs",
      `import workers from "node:worker_threads";
       import { syncBuiltinESMExports } from "node:module";
       workers.Worker = class { constructor() { throw new Error("forbidden"); } };
       syncBuiltinESMExports();
       const { flush, watch } = await import("mcpulse"); ${SERVER} watch(server);
       const names = ["forbidden"]; ${CALL} await flush();`,
    );
    assert.deepEqual(
      calls.map(({ tool_name }) => tool_name),
      ["forbidden"],
    );
  });

  test("waits for flush() at the top level without ending early", async () => {
    const { calls } = await runScript(
      "flush.mjs",
      `import { flush, watch } from "mcpulse"; ${SERVER} watch(server); const names = ["a", "b"]; ${CALL}
       await flush(); names.splice(0, 2, "c"); ${CALL} await flush();`,
    );
    assert.deepEqual(
      calls.map(({ tool_name }) => tool_name),
      ["a", "b", "c"],
    );
  });

  test("has types for ESM and CommonJS", async () => {
    const code = `import { flush, watch, type WatchOptions } from "mcpulse";
      import { argsHash } from "mcpulse/wire";
      const options: WatchOptions = { key: "k", policies: { a: "identity" }, sessions: "conversation" };
      class Mine { own = 1 }
      const own: number = watch(new Mine(), options).own;
      const hash: string = argsHash({ own });
      export const done: Promise<void> = flush(hash.length);
      // @ts-expect-error no such policy
      export const wrong: WatchOptions = { policies: { a: "x" } };\n`;
    await writeFile(join(folder, "types.mts"), code);
    await writeFile(join(folder, "types.cts"), code);
    const typescript = createRequire(import.meta.url).resolve("typescript/package.json");
    const tsc = join(dirname(typescript), "bin", "tsc");
    const flags = [
      "--noEmit",
      "--strict",
      "--module",
      "nodenext",
      "--target",
      "es2022",
      "--types",
      "",
    ];
    await run(process.execPath, [tsc, ...flags, "types.mts", "types.cts"], { cwd: folder });
  });

  test("ships the frozen fixtures", async () => {
    const shipped = await readFile(join(folder, "node_modules/mcpulse/spec/canonical.json"));
    assert.ok(shipped.equals(await readFile(join(root, "../../spec/canonical.json"))));
    await rm(folder, { recursive: true });
  });
});
