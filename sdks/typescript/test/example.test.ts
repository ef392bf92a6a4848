/** The example, as its README says to run it. `run-tests` installs it. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Ingest } from "./support/ingest.js";

const folder = fileURLToPath(new URL("../../../../examples/typescript-shop", import.meta.url));

test("the example's conversation is recorded", async (t) => {
  const ingest = await Ingest.start();
  t.after(() => ingest.close());
  const env = { ...process.env, MCPULSE_KEY: "k", MCPULSE_ENDPOINT: ingest.endpoint };
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ["client.mjs"], { cwd: folder, env });
  assert.equal(stdout.trim().split("\n").length, 7);
  assert.deepEqual(
    ingest.calls.map(({ tool_name, outcome, is_empty }) => [tool_name, outcome, is_empty]),
    [
      ["search_orders", "ok", true],
      ["search_orders", "ok", false],
      ["get_order", "ok", false],
      ["get_invoice", "ok", false],
      ["get_order", "tool_error", false],
      ["get_order", "bad_args", false],
      ["get_invoice", "crashed", false],
    ],
  );
  assert.deepEqual(
    ingest.agreements.map(({ field, agreed }) => [field, agreed]),
    [["total", true]],
  );
  assert.deepEqual(
    ingest.startups.map(({ client_name, tools }) => [client_name, tools.length]),
    [["example-client", 3]],
  );
});
