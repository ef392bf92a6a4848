import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { describe, test } from "node:test";
import { environment } from "./support/clients.js";
import { Harness } from "./support/harness.js";
import { Ingest, type Responder } from "./support/ingest.js";
import { SDKS } from "./support/sdks.js";

const CANARY = "canary-5f1d";

/** Everything a client can do, with the canary wherever there is room for one. */
async function play(harness: Harness): Promise<void> {
  await harness.initialize(`client-${CANARY.length}`);
  await harness.request("tools/list");
  for (const [name, args] of [
    ["echo", { [CANARY]: [CANARY, { deep: CANARY }] }],
    ["canary", { secret: CANARY }],
    ["reply", { result: { content: [{ type: "text", text: CANARY }], isError: true } }],
    ["reply", { result: { content: [], structuredContent: { a: CANARY } } }],
    ["crash", {}],
    ["strict", { id: CANARY }],
    ["strict", { id: 1, [CANARY]: 1 }],
    ["price_a", { id: CANARY, amount: 1 }],
    ["price_b", { id: CANARY, amount: 2 }],
    ["huge", { units: 1_000_000 }],
    ["unicode", {}],
    ["late", {}],
    ["grow", {}],
    ["grown", {}],
  ] as const) {
    await harness.call(name, args);
  }
  await harness.request("tools/list");
  // Not what the MCP SDK takes for a request at all.
  for (const params of [
    '{"name":"echo","arguments":null}',
    '{"name":"echo","arguments":7}',
    "{}",
  ]) {
    await harness.requestText("tools/call", params);
  }
}

for (const sdk of SDKS) {
  for (const api of ["high", "low"]) {
    const flags = ["--sdk", sdk, "--api", api];
    const canary = { MCPULSE_HARNESS_CANARY: CANARY };
    let twin: string[] | undefined;

    async function unwatched(): Promise<string[]> {
      if (twin === undefined) {
        const harness = new Harness([...flags, "--unwatched"], canary);
        await play(harness);
        assert.deepEqual(await harness.end(), { code: 0, signal: null });
        twin = [...harness.lines];
      }
      return twin;
    }

    describe(`${api}-level server ${sdk}`, () => {
      test("says on stdout what its unwatched twin says, byte for byte", async (t) => {
        for (const early of [[], ["--early"]]) {
          const ingest = await Ingest.start();
          t.after(() => ingest.close());
          const harness = new Harness([...flags, ...early], { ...canary, ...environment(ingest) });
          await play(harness);
          assert.deepEqual(await harness.end(), { code: 0, signal: null });
          assert.deepEqual([...harness.lines], await unwatched());
          assert.equal(harness.stderr, "");
          assert.equal(ingest.calls.length, 17);
        }
      });

      test("lets out no byte of what it is asked and what it answers", async (t) => {
        const ingest = await Ingest.start();
        t.after(() => ingest.close());
        const harness = new Harness([...flags, "--debug"], { ...canary, ...environment(ingest) });
        await play(harness);
        await harness.end();
        assert.equal(ingest.calls.length, 17);
        const sent = ingest.received.map(({ text, headers }) => text + JSON.stringify(headers));
        assert.ok(harness.stderr.includes("mcpulse: sending"));
        for (const out of [...sent, harness.stderr]) {
          assert.ok(!out.includes(CANARY));
          assert.ok(!out.toLowerCase().includes("one of the kit"));
        }
        assert.ok(!harness.stderr.includes(environment(ingest).MCPULSE_KEY ?? ""));
      });

      const troubles: Record<string, Responder | "dead"> = {
        "that is dead": "dead",
        "that never answers": () => {},
        "that answers 400": status(400),
        "that answers 401": status(401),
        "that answers 413": status(413),
        "that answers 429": status(429, { "retry-after": "0" }),
        "that answers 500": status(500),
        "that answers 503": status(503),
        "that answers 202 with garbage": (_, response) => {
          response.writeHead(202).end("\u0000<html>");
        },
        "that answers 202 without end": (_, response) => {
          response.writeHead(202);
          const more = setInterval(() => response.write("x".repeat(65_536)), 1);
          response.on("close", () => clearInterval(more));
        },
        "that redirects": status(307, { location: "http://127.0.0.1:9/" }),
        "that closes at once": (_, response) => void response.destroy(),
        "that closes half way": (_, response) => {
          response.writeHead(202, { "content-length": "100" });
          response.write("{");
          setTimeout(() => response.destroy(), 10);
        },
        "that speaks no HTTP": (_, response: ServerResponse) => {
          response.socket?.end("garbage\r\n\r\n");
        },
      };
      // What sends is the same for all; one server of each SDK and of each level will do.
      const tried = (sdk === "v1") === (api === "high") ? Object.entries(troubles) : [];
      for (const [what, responder] of tried) {
        test(`works the same with an ingest ${what}`, async (t) => {
          const ingest = await Ingest.start();
          if (responder === "dead") await ingest.close();
          else {
            ingest.respond = responder;
            t.after(() => ingest.close());
          }
          const endpoint = responder === "dead" ? "http://127.0.0.1:9" : ingest.endpoint;
          const harness = new Harness(flags, {
            ...canary,
            MCPULSE_KEY: "mp_live_x",
            MCPULSE_ENDPOINT: endpoint,
          });
          await play(harness);
          assert.deepEqual(await harness.end(), { code: 0, signal: null });
          assert.deepEqual([...harness.lines], await unwatched());
          assert.equal(harness.stderr, "");
        });
      }
    });
  }
}

function status(code: number, headers: Record<string, string> = {}): Responder {
  return (_, response) => void response.writeHead(code, headers).end("no");
}
