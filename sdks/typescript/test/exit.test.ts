import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { describe, test } from "node:test";
import { environment } from "./support/clients.js";
import { type Ending, Harness } from "./support/harness.js";
import { Ingest } from "./support/ingest.js";
import { SDKS } from "./support/sdks.js";

/** Ways a program ends, and how Node ends then. */
const ENDS: {
  name: string;
  flags?: string[];
  end: (harness: Harness) => void;
  ending: Ending;
  calls: string[];
}[] = [
  {
    name: "end of input",
    end: (harness) => harness.child.stdin.end(),
    ending: { code: 0, signal: null },
    calls: ["fast"],
  },
  {
    name: "process.exit()",
    end: (harness) => void harness.call("quit", { code: 7 }),
    ending: { code: 7, signal: null },
    calls: ["fast", "quit"],
  },
  {
    name: "an uncaught error",
    end: (harness) => void harness.call("quit", { code: 0, how: "uncaught" }),
    ending: { code: 1, signal: null },
    calls: ["fast", "quit"],
  },
  {
    name: "SIGTERM with a handler of the host's",
    flags: ["--on-sigterm", "5"],
    end: (harness) => void harness.child.kill("SIGTERM"),
    ending: { code: 5, signal: null },
    calls: ["fast"],
  },
];

for (const sdk of SDKS) {
  describe(`the end of the program, ${sdk}`, () => {
    for (const { name, flags = [], end, ending, calls } of ENDS) {
      test(`by ${name} delivers what was recorded and ends as it would`, async (t) => {
        const ingest = await Ingest.start();
        t.after(() => ingest.close());
        const harness = new Harness(["--sdk", sdk, ...flags], environment(ingest));
        await harness.initialize();
        // A full batch first: its arrival shows that sending works, however slow this machine is.
        for (let n = 0; n < 30; n += 1) await harness.call("unicode");
        await ingest.until(({ taken }) => taken.length > 0);
        await harness.call("fast");
        end(harness);
        assert.deepEqual(await harness.ended, ending);
        const names = ingest.calls.map(({ tool_name }) => tool_name);
        assert.deepEqual(
          names.filter((name) => name !== "unicode"),
          calls,
        );
        assert.equal(names.length, 30 + calls.length);
        assert.equal(ingest.startups.length, 1);
      });

      test(`by ${name} is as without us when the ingest never answers`, async (t) => {
        const ingest = await Ingest.start();
        ingest.respond = () => {};
        t.after(() => ingest.close());
        const harness = new Harness(["--sdk", sdk, ...flags], environment(ingest));
        await harness.initialize();
        await harness.call("fast");
        end(harness);
        assert.deepEqual(await harness.ended, ending);
      });
    }

    test("by SIGTERM without a handler is at once, by the signal", async (t) => {
      const ingest = await Ingest.start();
      t.after(() => ingest.close());
      const harness = new Harness(["--sdk", sdk], environment(ingest));
      await harness.initialize();
      await harness.call("fast");
      harness.child.kill("SIGTERM");
      assert.deepEqual(await harness.ended, { code: null, signal: "SIGTERM" });
    });

    test("delivers more than one batch", async () => {
      // Sending this much within the one second there is may fail on a busy machine, too.
      for (let attempt = 1; attempt <= 5; attempt += 1) {
        const ingest = await Ingest.start();
        const held: ServerResponse[] = [];
        ingest.respond = (_, response) => void held.push(response);
        const harness = new Harness(["--sdk", sdk], environment(ingest));
        await harness.initialize();
        for (let n = 0; n < 700; n += 1) await harness.call("fast");
        await ingest.until(({ received }) => received.length > 0);
        ingest.respond = (_, response) => void response.writeHead(202).end("{}");
        for (const response of held) response.writeHead(202).end("{}");
        assert.deepEqual(await harness.end(), { code: 0, signal: null });
        const delivered = ingest.calls.length;
        await ingest.close();
        if (delivered === 700) return;
      }
      assert.fail("some never arrived");
    });

    // Starting to send, and sending, within the one second there is may fail on a busy machine;
    // it does not fail each time.
    async function delivers(
      run: (harness: Harness) => Promise<unknown>,
      what: "calls" | "startups",
    ) {
      for (let attempt = 1; attempt <= 5; attempt += 1) {
        const ingest = await Ingest.start();
        const harness = new Harness(["--sdk", sdk], environment(ingest));
        await harness.initialize();
        await run(harness);
        assert.equal((await harness.ended).code, 0);
        const delivered = ingest[what].length;
        await ingest.close();
        if (delivered === 1) return;
      }
      assert.fail("nothing arrived");
    }

    test("delivers even what was recorded just before", () =>
      delivers((harness) => harness.call("quit", { code: 0 }), "calls"));

    test("by end of input right after the handshake sends the startup", () =>
      delivers((harness) => harness.end(), "startups"));
  });
}

test("servers created and dropped are collected", async (t) => {
  const ingest = await Ingest.start();
  t.after(() => ingest.close());
  for (const sdk of SDKS) {
    for (const api of ["high", "low"]) {
      const flags = ["--sdk", sdk, "--api", api, "churn", "250"];
      const harness = new Harness(flags, environment(ingest));
      const { created, alive } = JSON.parse(await harness.firstLine);
      await harness.ended;
      assert.equal(created, 250);
      assert.ok(alive <= 1, `${sdk} ${api}: ${alive}`);
    }
  }
});
