import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { CallPayload } from "../src/wire/payloads.js";
import { environment, overHttp, overStdio, SPEAKERS, type Speaker } from "./support/clients.js";
import { Ingest } from "./support/ingest.js";
import { call, type Loose, SDKS, type Sdk } from "./support/sdks.js";

/** What the kit's tools are called with, and what becomes of it. */
const SCRIPT: [name: string, args: object | undefined, outcome: string, empty: boolean][] = [
  ["echo", { b: 1, a: [2] }, "ok", false],
  ["fast", undefined, "ok", false],
  ["empty", { kind: "no_parts" }, "ok", true],
  ["empty", { kind: "list" }, "ok", true],
  ["error", undefined, "tool_error", false],
  ["crash", undefined, "crashed", false],
  ["strict", { id: 0 }, "bad_args", false],
  ["strict", { id: 1, other: 1 }, "bad_args", false],
  ["strict", { id: 1 }, "ok", false],
  ["huge", { units: 50_000 }, "ok", false],
  ["unicode", undefined, "ok", false],
  ["nope", { x: 1 }, "bad_args", false],
  // Last, because the end of the program sends what is left at once.
  ["quit", { code: 0 }, "ok", false],
];

async function play(client: Loose): Promise<Loose[]> {
  const results: Loose[] = [];
  for (const [name, args] of SCRIPT) results.push(await call(client, name, args));
  return results;
}

function check(calls: readonly CallPayload[], results: readonly Loose[], clientName: string): void {
  assert.deepEqual(
    calls.map(({ tool_name, outcome, is_empty }) => [tool_name, outcome, is_empty]),
    SCRIPT.map(([name, , outcome, empty]) => [name, outcome, empty]),
  );
  for (const [at, recorded] of calls.entries()) {
    const { _meta, ...result } = results[at];
    const size = results[at] instanceof Error ? 0 : JSON.stringify(result).length;
    assert.equal(recorded.response_bytes, size, recorded.tool_name);
    assert.equal(recorded.client_name, clientName);
  }
}

function speaks(sdk: Sdk, { protocol }: Speaker): boolean {
  return sdk === "v2" || protocol === "2025-11-25";
}

for (const sdk of SDKS) {
  for (const api of ["high", "low"]) {
    for (const speaker of SPEAKERS) {
      if (!speaks(sdk, speaker)) continue;
      const title = `${api}-level server ${sdk}, client ${speaker.client}, ${speaker.protocol}`;
      const flags = ["--sdk", sdk, "--api", api];

      test(`stdio: ${title}`, async (t) => {
        const ingest = await Ingest.start();
        t.after(() => ingest.close());
        const client = await overStdio(speaker, flags, environment(ingest), "stdio-client");
        const results = await play(client);
        await client.close();
        await ingest.until(({ calls }) => calls.length === SCRIPT.length);
        check(ingest.calls, results, "stdio-client");
        const [startup] = ingest.startups;
        assert.equal(startup?.transport, "stdio");
        assert.equal(startup?.protocol_version, speaker.protocol);
        assert.equal(startup?.client_name, "stdio-client");
        assert.equal(startup?.session_id, ingest.calls[0]?.session_id);
      });

      for (const http of ["stateful", "stateless"]) {
        test(`http ${http}: ${title}`, async (t) => {
          const ingest = await Ingest.start();
          t.after(() => ingest.close());
          const server = await overHttp([...flags, "--http", http], environment(ingest));
          t.after(() => server.close());
          const client = await server.connect(speaker, "http-client");
          const results = await play(client);
          await ingest.until(({ calls }) => calls.length === SCRIPT.length);
          // Without a protocol session and without an envelope, nobody says who is calling.
          const known = http === "stateful" || speaker.protocol === "2026-07-28";
          check(ingest.calls, results, known ? "http-client" : "unknown");
          const [startup] = ingest.startups;
          assert.equal(startup?.transport, "http");
          assert.equal(startup?.protocol_version, speaker.protocol);
          assert.equal(new Set(ingest.taken.map(({ session_id }) => session_id)).size, 1);
        });
      }
    }
  }
}

describe("clients and conversations over HTTP", () => {
  for (const sdk of SDKS) {
    for (const sessions of ["process", "conversation"]) {
      test(`sessions: ${sessions}, ${sdk}`, async (t) => {
        const ingest = await Ingest.start();
        t.after(() => ingest.close());
        const server = await overHttp(["--sdk", sdk, "--sessions", sessions], environment(ingest));
        t.after(() => server.close());
        const speakers = SPEAKERS.filter((speaker) => speaks(sdk, speaker));
        const clients = await Promise.all(
          Array.from({ length: 6 }, (_, n) =>
            server.connect(speakers[n % speakers.length] as Speaker, `client-${n}`),
          ),
        );
        await Promise.all(
          Array.from({ length: 60 }, (_, n) => call(clients[n % 6], "echo", { n: n % 6 })),
        );
        await ingest.until(({ calls }) => calls.length === 60);
        const calledBy = (name: string) =>
          ingest.calls.filter(({ client_name }) => client_name === name);
        const process = ingest.startups[0]?.session_id;
        for (let n = 0; n < 6; n += 1) {
          const calls = calledBy(`client-${n}`);
          assert.equal(calls.length, 10);
          assert.equal(new Set(calls.map(({ args_hash }) => args_hash)).size, 1);
          const ids = new Set(calls.map(({ session_id }) => session_id));
          assert.equal(ids.size, 1);
          // Protocol 2026-07-28 names no conversation, so its calls stay with the process's.
          const named = (speakers[n % speakers.length] as Speaker).protocol === "2025-11-25";
          assert.equal(ids.has(process ?? ""), !(named && sessions === "conversation"));
        }
        const expected = sessions === "process" ? 1 : 1 + clientsNamed(speakers);
        const all = ingest.taken.map(({ session_id }) => session_id);
        assert.equal(new Set(all).size, expected);
      });
    }
  }

  function clientsNamed(speakers: readonly Speaker[]): number {
    const named = Array.from({ length: 6 }, (_, n) => speakers[n % speakers.length] as Speaker);
    return named.filter(({ protocol }) => protocol === "2025-11-25").length;
  }

  test("two servers with one key in one process share its session", async (t) => {
    const ingest = await Ingest.start();
    t.after(() => ingest.close());
    const server = await overHttp(["--servers", "2"], environment(ingest));
    t.after(() => server.close());
    for (const url of server.urls) {
      const client = await server.connect(SPEAKERS[2] as Speaker, "twice", url);
      for (let n = 0; n < 15; n += 1) await call(client, "fast");
    }
    await ingest.until(({ calls }) => calls.length === 30);
    assert.equal(new Set(ingest.taken.map(({ session_id }) => session_id)).size, 1);
  });
});

for (const [protocol, speaker] of [
  ["2026-07-28", SPEAKERS[2] as Speaker],
  ["2025-11-25", SPEAKERS[1] as Speaker],
] as const) {
  test(`a call that asks the client first is one call, ${protocol}`, async (t) => {
    const ingest = await Ingest.start();
    t.after(() => ingest.close());
    const client = await overStdio(speaker, ["--sdk", "v2"], environment(ingest));
    const result = await call(client, "ask", {});
    await client.close();
    assert.deepEqual(result.content, [{ type: "text", text: "hello Zoë" }]);
    await ingest.until(({ calls }) => calls.length > 0);
    assert.deepEqual(
      ingest.calls.map(({ tool_name, outcome }) => [tool_name, outcome]),
      [["ask", "ok"]],
    );
  });
}
