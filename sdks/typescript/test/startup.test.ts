import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import * as z from "zod";
import { describeTool } from "../src/wire/index.js";
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

const text = (value: string) => ({ content: [{ type: "text", text: value }] });
const ok = () => text("fine");
const schema = z.object({ q: z.string().describe("What to look for") });

for (const sdk of SDKS) {
  describe(`startup, ${sdk}`, () => {
    test("describes the tools as the client receives them", async (t) => {
      const bench = await Bench.start(t);
      const server = bench.watch(newHigh(sdk), {
        policies: { search: "authorization" },
        agreements: { total: { tools: { search: "/total", find: "/sum" } } },
      });
      register(server, "search", {
        schema,
        output: schema,
        description: "Searching orders.",
        run: ok,
      });
      register(server, "bare", { run: ok });
      const client = await bench.connect(sdk, server);
      const { tools } = await client.listTools();
      const { startups } = await bench.flush();
      assert.equal(startups.length, 1);
      const { tools: described, session_id, ...rest } = startups[0] as Loose;
      assert.deepEqual(described, [
        { ...describeTool(tools[0]), policy: "authorization" },
        describeTool(tools[1]),
      ]);
      assert.match(session_id, /^s_[0-9a-f]{12}$/);
      const pkg = `node_modules/@modelcontextprotocol/${sdk === "v1" ? "sdk" : "server"}/package.json`;
      assert.deepEqual(rest, {
        v: 1,
        type: "startup",
        client_name: "test-client",
        sdk: "mcpulse-typescript/0.1.0",
        mcp_sdk_version: JSON.parse(readFileSync(pkg, "utf8")).version,
        protocol_version: "2025-11-25",
        agreements: [{ field: "total", tools: ["search", "find"] }],
      });
    });

    test("is collected when the client lists nothing itself", async (t) => {
      const bench = await Bench.start(t);
      const server = bench.watch(newHigh(sdk));
      register(server, "tool", { run: ok });
      const client = await bench.connect(sdk, server);
      await call(client, "tool");
      const { startups } = await bench.flush();
      assert.deepEqual(
        startups.map(({ tools }) => tools.map(({ name }) => name)),
        [["tool"]],
      );
    });

    test("needs no call: connecting is enough", async (t) => {
      const bench = await Bench.start(t);
      const server = bench.watch(newHigh(sdk));
      register(server, "tool", { run: ok });
      await bench.connect(sdk, server);
      assert.equal((await bench.flush()).startups.length, 1);
    });

    test("is sent once per surface, however often and by however many it is listed", async (t) => {
      const bench = await Bench.start(t);
      for (const order of [
        ["a", "b"],
        ["b", "a"],
      ]) {
        const server = bench.watch(newHigh(sdk));
        for (const name of order) register(server, name, { run: ok });
        const client = await bench.connect(sdk, server);
        for (let n = 0; n < 3; n += 1) await client.listTools();
        await call(client, "a");
      }
      assert.equal((await bench.flush()).startups.length, 1);
    });

    test("follows changes clients are told of", async (t) => {
      const bench = await Bench.start(t);
      const server = bench.watch(newHigh(sdk));
      const tool = register(server, "a", { description: "One.", run: ok });
      const client = await bench.connect(sdk, server);
      await call(client, "a");
      await bench.flush();
      register(server, "b", { run: ok });
      await call(client, "a");
      await bench.flush();
      tool.update({ description: "Another." });
      await client.listTools();
      await bench.flush();
      tool.update({ description: "One." });
      await client.listTools();
      const { startups } = await bench.flush();
      // Back to a surface that was sent: nothing new.
      assert.deepEqual(
        startups.map(({ tools }) => tools.map(({ name }) => name)),
        [["a"], ["a", "b"], ["a", "b"]],
      );
    });

    test("follows a tool added without telling, once it is called", async (t) => {
      const bench = await Bench.start(t);
      const server = bench.watch(newLow(sdk));
      const names = ["a"];
      const entry = (name: string) => ({ name, inputSchema: { type: "object" } });
      handle(sdk, server, "tools/list", () => ({ tools: names.map(entry) }));
      handle(sdk, server, "tools/call", ok);
      const client = await bench.connect(sdk, server);
      await call(client, "a");
      await bench.flush();
      names.push("b");
      await call(client, "b");
      const { startups } = await bench.flush();
      assert.deepEqual(
        startups.map(({ tools }) => tools.map(({ name }) => name)),
        [["a"], ["a", "b"]],
      );
    });

    test("collects all pages", async (t) => {
      const bench = await Bench.start(t);
      const server = bench.watch(newLow(sdk));
      const names = Array.from({ length: 25 }, (_, n) => `tool_${n}`);
      handle(sdk, server, "tools/list", ({ params }) => {
        const from = Number(params?.cursor ?? 0);
        const tools = names
          .slice(from, from + 10)
          .map((name) => ({ name, inputSchema: { type: "object" } }));
        return { tools, ...(from + 10 < names.length && { nextCursor: String(from + 10) }) };
      });
      handle(sdk, server, "tools/call", ok);
      const client = await bench.connect(sdk, server);
      await client.listTools();
      const { startups } = await bench.flush();
      assert.deepEqual(
        startups.map(({ tools }) => tools.map(({ name }) => name)),
        [names],
      );
    });

    test("leaves out tools beyond 500, and pages that never end", async (t) => {
      const bench = await Bench.start(t);
      const server = bench.watch(newLow(sdk));
      let pages = 0;
      handle(sdk, server, "tools/list", () => {
        pages += 1;
        const tools = Array.from({ length: 7 }, (_, n) => ({
          name: `tool_${pages}_${n}`,
          inputSchema: { type: "object" },
        }));
        return { tools, nextCursor: "more" };
      });
      handle(sdk, server, "tools/call", ok);
      await call(await bench.connect(sdk, server), "a");
      const { startups } = await bench.flush();
      assert.deepEqual(
        startups.map(({ tools }) => tools.length),
        [500],
      );
      assert.ok(pages <= 100);
    });

    test("that cannot be collected is tried again on the next request", async (t) => {
      const bench = await Bench.start(t);
      const server = bench.watch(newLow(sdk));
      let broken = true;
      handle(sdk, server, "tools/list", () => {
        if (broken) throw new Error("not yet");
        return { tools: [{ name: "a", inputSchema: { type: "object" } }] };
      });
      handle(sdk, server, "tools/call", ok);
      const client = await bench.connect(sdk, server);
      await call(client, "a");
      assert.equal((await bench.flush()).startups.length, 0);
      broken = false;
      await call(client, "a");
      assert.equal((await bench.flush()).startups.length, 1);
    });

    test("says what a tool declares of itself", async (t) => {
      const bench = await Bench.start(t);
      const server = bench.watch(newLow(sdk), { policies: { d: "identity" } });
      const oauth = { type: "oauth2", scopes: ["x"] };
      const entry = (name: string, more: object) => ({
        name,
        inputSchema: { type: "object" },
        ...more,
      });
      const tools = [
        entry("a", { securitySchemes: [oauth] }),
        entry("b", { securitySchemes: [{ type: "noauth" }, oauth] }),
        entry("c", { _meta: { securitySchemes: [oauth] } }),
        entry("d", { securitySchemes: [oauth] }),
        entry("e", { securitySchemes: [{ type: "something" }, oauth] }),
        entry("f", {}),
      ];
      handle(sdk, server, "tools/list", () => ({ tools }));
      handle(sdk, server, "tools/call", ok);
      const client = await bench.connect(sdk, server);
      await call(client, "a");
      const { startups } = await bench.flush();
      assert.deepEqual(
        startups[0]?.tools.map(({ policy }) => policy),
        ["authorization", "none", "authorization", "identity", undefined, undefined],
      );
    });

    test("of two servers with one key are two, in one session", async (t) => {
      const bench = await Bench.start(t);
      for (const name of ["a", "b"]) {
        const server = bench.watch(newHigh(sdk));
        register(server, name, { run: ok });
        await call(await bench.connect(sdk, server), name);
      }
      const { startups, calls } = await bench.flush();
      assert.equal(startups.length, 2);
      assert.equal(calls.length, 2);
      const sessions = [...startups, ...calls].map(({ session_id }) => session_id);
      assert.equal(new Set(sessions).size, 1);
    });

    test("is collected for a burst of servers, not for every one of a flood", async (t) => {
      const bench = await Bench.start(t);
      let listed = 0;
      for (let n = 0; n < 100; n += 1) {
        const server = bench.watch(newLow(sdk));
        handle(sdk, server, "tools/list", () => {
          listed += 1;
          return { tools: [{ name: "a", inputSchema: { type: "object" } }] };
        });
        handle(sdk, server, "tools/call", ok);
        await call(await bench.connect(sdk, server), "a");
        await new Promise(setImmediate);
      }
      await bench.flush();
      assert.ok(listed >= 20 && listed < 40, String(listed));
    });
  });
}
