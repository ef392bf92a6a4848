/** The harness as docs/harness.md has it, driven with raw JSON-RPC. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { environment, overHttp, SPEAKERS, type Speaker } from "./support/clients.js";
import { Harness } from "./support/harness.js";
import { Ingest } from "./support/ingest.js";
import { call, type Loose, SDKS } from "./support/sdks.js";

const main = fileURLToPath(new URL("../harness/main.js", import.meta.url));

function run(flags: readonly string[], input = "") {
  const env = { ...process.env, MCPULSE_KEY: "" };
  return spawnSync(process.execPath, [main, ...flags], { env, input, encoding: "utf8" });
}

describe("what it cannot do", () => {
  for (const [flags, what] of [
    [["--nope"], "--nope"],
    [["--nope=1"], "--nope"],
    [["--fork", "2"], "--fork"],
    [["--sdk", "v3"], "--sdk"],
    [["--transport"], "--transport"],
    [["--early=1"], "--early"],
    [["--on-sigterm", "soon"], "--on-sigterm"],
    [["dance"], "dance"],
    [["churn"], "churn"],
  ] as const) {
    test(`${flags.join(" ")} ends it with 64 and says why`, () => {
      const { status, stdout, stderr } = run(flags);
      assert.equal(status, 64);
      assert.equal(stdout, "");
      assert.match(stderr, new RegExp(`^unsupported: ${what}: .+\n$`));
    });
  }
});

test("fixtures: one answer for each line, in order", () => {
  const lines = [
    { op: "args", json: '{"b":1.0,"a":[]}' },
    { op: "args", json: null },
    { op: "args", json: '"\\ud800"' },
    { op: "size", json: '"🚀"' },
    { op: "empty", result: '{"content":[]}' },
    { op: "empty", result: null },
    { op: "result", result: '{"content":[],"isError":false,"_meta":{"a":1}}' },
    { op: "tool", entry: '{"name":"a","inputSchema":{"type":"object"}}' },
    { op: "description", text: "" },
    { op: "stem", word: "relational" },
    { op: "dance" },
  ];
  const { status, stdout } = run(["fixtures"], `${lines.map((l) => JSON.stringify(l)).join("\n")}`);
  assert.equal(status, 0);
  const answers = stdout.trim().split("\n");
  assert.deepEqual(
    answers.map((line) => JSON.parse(line)),
    [
      { canonical: '{"a":[],"b":1}', args_hash: answers[0]?.match(/[0-9a-f]{12}/)?.[0] },
      { canonical: "{}", args_hash: "44136fa355b3" },
      { canonical: null, args_hash: "000000000000" },
      { units: 4 },
      { is_empty: true },
      { is_empty: true },
      { units: '{"content":[]}'.length },
      {
        name: "a",
        schema_bytes: '{"name":"a","inputSchema":{"type":"object"}}'.length,
        schema_hash: JSON.parse(answers[7] ?? "").schema_hash,
        description_hash: null,
        description_norm: null,
      },
      { tokens: [], description_hash: null, description_norm: null },
      { stem: "relat" },
      { unsupported: "op dance" },
    ],
  );
});

for (const sdk of SDKS) {
  for (const api of ["high", "low"]) {
    const flags = ["--sdk", sdk, "--api", api];

    test(`${sdk} ${api}: a twin answers the same, and watching twice records once`, async (t) => {
      const ingest = await Ingest.start();
      t.after(() => ingest.close());
      const answers: unknown[] = [];
      for (const how of [["--unwatched"], [], ["--early", "--twice", "--servers", "2"]]) {
        const before = ingest.calls.length;
        const harness = new Harness([...flags, ...how], environment(ingest));
        await harness.initialize();
        const replies: unknown[] = [];
        for (const [name, args] of [
          ["echo", { z: 1, a: { b: null } }],
          ["reply", { result: { content: [{ type: "text", text: "x" }], isError: true } }],
          ["price_a", { id: "1", amount: 2 }],
          ["late", {}],
          ["grow", {}],
          ["grow", {}],
          ["grown", {}],
          ["crash", {}],
        ] as const) {
          replies.push(await harness.call(name, args));
        }
        replies.push(await harness.request("tools/list"));
        assert.deepEqual(await harness.end(), { code: 0, signal: null });
        assert.equal(harness.stderr, "");
        answers.push(replies);
        const expected = how.includes("--unwatched") ? 0 : replies.length - 1;
        assert.equal(ingest.calls.length - before, expected);
      }
      assert.deepEqual(answers[1], answers[0]);
      assert.deepEqual(answers[2], answers[0]);
    });
  }
}

describe("jobs and questions of SDK 1", () => {
  test("a job is one call, whether asked for as a task or not", async (t) => {
    const ingest = await Ingest.start();
    t.after(() => ingest.close());
    const harness = new Harness(["--sdk", "v1"], environment(ingest));
    await harness.initialize();
    const done = { content: [{ type: "text", text: "done" }] };
    assert.deepEqual((await harness.call("job", { ms: 10 })).result, done);
    const params = { name: "job", arguments: { ms: 10 }, task: { ttl: 60_000 } };
    const { task } = (await harness.request("tools/call", params)).result as Loose;
    const { result } = await harness.request("tasks/result", { taskId: task.taskId });
    assert.deepEqual((result as Loose).content, done.content);
    assert.deepEqual(await harness.end(), { code: 0, signal: null });
    assert.deepEqual(
      ingest.calls.map(({ tool_name, outcome, is_empty }) => [tool_name, outcome, is_empty]),
      [
        ["job", "ok", false],
        ["job", "ok", false],
      ],
    );
  });

  test("a question to the client is part of the call", async (t) => {
    const ingest = await Ingest.start();
    t.after(() => ingest.close());
    const harness = new Harness(["--sdk", "v1"], environment(ingest));
    harness.answer = { action: "accept", content: { name: "Zoë" } };
    await harness.initialize();
    const { result } = await harness.call("ask", {});
    assert.deepEqual(result, { content: [{ type: "text", text: "hello Zoë" }] });
    await harness.end();
    assert.deepEqual(
      ingest.calls.map(({ tool_name, outcome }) => [tool_name, outcome]),
      [["ask", "ok"]],
    );
  });
});

for (const sdk of SDKS) {
  for (const http of ["stateful", "stateless"]) {
    test(`http ${http} ${sdk}: garbage and wrong addresses are answered, and the rest goes on`, async (t) => {
      const ingest = await Ingest.start();
      t.after(() => ingest.close());
      const flags = ["--sdk", sdk, "--http", http, "--servers", "2"];
      const server = await overHttp(flags, environment(ingest));
      t.after(() => server.close());
      const post = async (url: string, body: string, headers: Record<string, string> = {}) => {
        const accept = "application/json, text/event-stream";
        const response = await fetch(url, {
          method: "POST",
          headers: { "Content-Type": "application/json", Accept: accept, ...headers },
          body,
        });
        return { status: response.status, text: await response.text() };
      };
      const [first, second] = server.urls as [string, string];
      assert.equal((await post(first, "{")).status, 400);
      assert.equal((await post(`${first}9`, "{}")).status, 404);
      const initialize = JSON.stringify({
        ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
        params: {
          ...{ protocolVersion: "2025-11-25", capabilities: {} },
          clientInfo: { name: "raw", version: "1" },
        },
      });
      if (http === "stateful") {
        const gone = await post(second, initialize, { "Mcp-Session-Id": "gone" });
        assert.equal(gone.status, 404);
      }
      const good = await post(second, initialize);
      assert.equal(good.status, 200);
      assert.match(good.text, /"serverInfo":\{"name":"harness"/);
    });
  }
}

test("a tool that grew stays, where each request has a server object of its own", async (t) => {
  const ingest = await Ingest.start();
  t.after(() => ingest.close());
  for (const { flags, speaker } of [
    { flags: ["--sdk", "v1", "--http", "stateless"], speaker: SPEAKERS[0] },
    { flags: ["--sdk", "v2", "--http", "stateless"], speaker: SPEAKERS[1] },
    { flags: ["--sdk", "v2", "--http", "stateful"], speaker: SPEAKERS[2] },
  ]) {
    const before = ingest.startups.length;
    const server = await overHttp(flags, environment(ingest));
    const client = await server.connect(speaker as Speaker);
    assert.equal((await call(client, "grown")).isError ?? true, true);
    await call(client, "grow");
    assert.deepEqual((await call(client, "grown")).content, [{ type: "text", text: "grown" }]);
    const { tools } = await client.listTools();
    assert.ok(tools.some(({ name }: Loose) => name === "grown"));
    // The end of the program sends what is left at once.
    await call(client, "quit", { code: 0 });
    await server.harness.ended;
    await client.close().catch(() => {});
    // The surface without it, and the one with it.
    assert.equal(ingest.startups.length, before + 2);
  }
});
