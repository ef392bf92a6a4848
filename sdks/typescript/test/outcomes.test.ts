import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import * as z from "zod";
import {
  Bench,
  call,
  handle,
  type Loose,
  newHigh,
  newLow,
  protocolError,
  register,
  SDKS,
  type TestTool,
} from "./support/sdks.js";

const text = (value: string) => ({ content: [{ type: "text", text: value }] });
const ok = () => text("fine");
const id = z.object({ id: z.int() });

for (const sdk of SDKS) {
  describe(`outcomes of McpServer, ${sdk}`, () => {
    let bench: Bench;
    beforeEach(async () => {
      bench = await Bench.start();
    });
    afterEach(() => bench.close());

    async function outcomeOf(tool: TestTool, args?: unknown, name = "tool") {
      const server = bench.watch(newHigh(sdk));
      register(server, "tool", tool);
      const client = await bench.connect(sdk, server);
      await call(client, name, args);
      const { calls } = await bench.flush();
      assert.equal(calls.length, 1);
      return calls[0]?.outcome;
    }

    test("a result is ok", async () => assert.equal(await outcomeOf({ run: ok }), "ok"));

    test("a result that says isError is tool_error", async () => {
      const run = async () => ({ ...text("no"), isError: true });
      assert.equal(await outcomeOf({ run }), "tool_error");
    });

    test("arguments that fail validation are bad_args", async () => {
      assert.equal(await outcomeOf({ schema: id, run: ok }, { id: "x" }), "bad_args");
    });

    test("no arguments at all where some are needed are bad_args", async () => {
      assert.equal(await outcomeOf({ schema: id, run: ok }), "bad_args");
    });

    test("validation code of the author's that throws is bad_args", async () => {
      const schema = z.object({}).refine(() => {
        throw new Error("broken");
      });
      assert.equal(await outcomeOf({ schema, run: ok }, {}), "bad_args");
    });

    test("an unknown tool is bad_args", async () => {
      assert.equal(await outcomeOf({ run: ok }, {}, "nope"), "bad_args");
    });

    test("a name of Object.prototype is an unknown tool", async () => {
      assert.equal(await outcomeOf({ run: ok }, {}, "constructor"), "bad_args");
    });

    test("a disabled tool is bad_args", async () => {
      const server = bench.watch(newHigh(sdk));
      register(server, "tool", { run: ok }).disable();
      await call(await bench.connect(sdk, server), "tool");
      assert.deepEqual(
        (await bench.flush()).calls.map(({ outcome }) => outcome),
        ["bad_args"],
      );
    });

    for (const [what, run] of Object.entries({
      "thrown at once": () => {
        throw new Error("boom");
      },
      "thrown later": async () => {
        await new Promise(setImmediate);
        throw new TypeError("boom");
      },
      "thrown that is no error": () => {
        throw "boom";
      },
      "of the MCP SDK's own failures": () => {
        throw protocolError(sdk, -32603);
      },
    })) {
      test(`an error ${what} is crashed`, async () => {
        assert.equal(await outcomeOf({ run }), "crashed");
      });
    }

    test("the MCP SDK's error, thrown with a code, is tool_error", async () => {
      const run = () => {
        throw protocolError(sdk, -32602);
      };
      assert.equal(await outcomeOf({ run }), "tool_error");
    });

    test("structured content that fails the output schema is crashed", async () => {
      const run = () => ({ ...text("x"), structuredContent: { id: "x" } });
      assert.equal(await outcomeOf({ output: id, run }), "crashed");
    });

    test("missing structured content is crashed", async () => {
      assert.equal(await outcomeOf({ output: id, run: ok }), "crashed");
    });

    test("a result that is none is crashed", async () => {
      assert.equal(await outcomeOf({ run: () => ({ content: "x" }) }), "crashed");
    });

    test("nothing returned is crashed", async () => {
      assert.equal(await outcomeOf({ run: () => undefined }), "crashed");
    });

    test("being asked to visit a URL first is no finished call", async () => {
      const server = bench.watch(newHigh(sdk));
      const elicit = protocolError(sdk, -32042);
      Object.assign(elicit, { data: { elicitations: [] } });
      register(server, "tool", {
        run: () => {
          throw elicit;
        },
      });
      await call(await bench.connect(sdk, server), "tool");
      assert.equal((await bench.flush()).calls.length, 0);
    });

    test("update() of the handler, the schema and the name is followed", async () => {
      const server = bench.watch(newHigh(sdk));
      const tool = register(server, "tool", { schema: id, run: ok });
      const client = await bench.connect(sdk, server);
      await call(client, "tool", { id: 1 });
      tool.update({
        callback: () => {
          throw new Error("boom");
        },
      });
      await call(client, "tool", { id: 2 });
      tool.update({ paramsSchema: sdk === "v1" ? { n: z.string() } : z.object({ n: z.string() }) });
      await call(client, "tool", { id: 3 });
      tool.update({ name: "other" });
      await call(client, "other", { n: "x" });
      await call(client, "tool", { n: "x" });
      const { calls } = await bench.flush();
      assert.deepEqual(
        calls.map(({ tool_name, outcome }) => [tool_name, outcome]),
        [
          ["tool", "ok"],
          ["tool", "crashed"],
          ["tool", "bad_args"],
          ["other", "crashed"],
          ["tool", "bad_args"],
        ],
      );
    });

    test("a tools/call handler of the author's own, without registered tools", async () => {
      const server = bench.watch(newHigh(sdk));
      handle(sdk, server.server, "tools/call", ({ params }) =>
        params.name === "bad" ? { ...text("no"), isError: true } : text("fine"),
      );
      const client = await bench.connect(sdk, server);
      await call(client, "good");
      await call(client, "bad");
      assert.deepEqual(
        (await bench.flush()).calls.map(({ outcome }) => outcome),
        ["ok", "tool_error"],
      );
    });
  });

  for (const order of ["before", "after"]) {
    describe(`outcomes of Server, ${sdk}, handlers set ${order} watch()`, () => {
      let bench: Bench;
      beforeEach(async () => {
        bench = await Bench.start();
      });
      afterEach(() => bench.close());

      async function outcomeOf(handler: (request: Loose, context: Loose) => unknown) {
        const server = newLow(sdk);
        if (order === "after") bench.watch(server);
        handle(sdk, server, "tools/list", () => ({ tools: [] }));
        handle(sdk, server, "tools/call", handler);
        if (order === "before") bench.watch(server);
        const client = await bench.connect(sdk, server);
        await call(client, "tool", {});
        const { calls } = await bench.flush();
        assert.equal(calls.length, 1);
        return calls[0]?.outcome;
      }

      const throwing = (error: unknown) => () => {
        throw error;
      };

      test("a result is ok", async () => assert.equal(await outcomeOf(ok), "ok"));

      test("isError is tool_error", async () => {
        assert.equal(await outcomeOf(() => ({ ...text("no"), isError: true })), "tool_error");
      });

      test("an error is crashed", async () => {
        assert.equal(await outcomeOf(throwing(new Error("boom"))), "crashed");
      });

      test("invalid params is bad_args: the handler is its own validation", async () => {
        assert.equal(await outcomeOf(throwing(protocolError(sdk, -32602))), "bad_args");
      });

      test("method not found is bad_args: no such tool", async () => {
        assert.equal(await outcomeOf(throwing(protocolError(sdk, -32601))), "bad_args");
      });

      test("another code of the author's is tool_error", async () => {
        assert.equal(await outcomeOf(throwing(protocolError(sdk, -31000))), "tool_error");
      });

      test("internal error is crashed", async () => {
        assert.equal(await outcomeOf(throwing(protocolError(sdk, -32603))), "crashed");
      });

      test("a result the MCP SDK rejects is crashed", async () => {
        assert.equal(await outcomeOf(() => ({ content: "x" })), "crashed");
      });

      test("a request the MCP SDK rejects is bad_args", async () => {
        const server = newLow(sdk);
        if (order === "after") bench.watch(server);
        handle(sdk, server, "tools/call", ok);
        if (order === "before") bench.watch(server);
        const client = await bench.connect(sdk, server);
        for (const params of [{ name: "tool", arguments: "x" }, { name: 7 }, {}]) {
          await assert.rejects(
            sdk === "v1"
              ? client.request({ method: "tools/call", params }, z.any())
              : client.request({ method: "tools/call", params }),
          );
        }
        const { calls } = await bench.flush();
        assert.deepEqual(
          calls.map(({ outcome, tool_name }) => [tool_name, outcome]),
          [
            ["tool", "bad_args"],
            ["unknown", "bad_args"],
            ["unknown", "bad_args"],
          ],
        );
      });
    });
  }

  test(`a fallback handler that serves tools, ${sdk}`, async (t) => {
    const bench = await Bench.start(t);
    const server = bench.watch(newLow(sdk));
    server.fallbackRequestHandler = async ({ method }: Loose) =>
      method === "tools/list" ? { tools: [] } : text("fine");
    const client = await bench.connect(sdk, server);
    await call(client, "tool", { a: 1 });
    const { calls, startups } = await bench.flush();
    assert.deepEqual(
      calls.map(({ outcome, args_hash }) => [outcome, args_hash]),
      [["ok", "015abd7f5cc5"]],
    );
    assert.equal(startups.length, 1);
  });
}

test("the three-argument form of setRequestHandler, v2", async (t) => {
  const bench = await Bench.start(t);
  const server = bench.watch(newLow("v2"));
  const params = z.object({ name: z.string(), arguments: z.object({ id: z.int() }) });
  server.setRequestHandler("tools/call", { params }, (parsed: Loose) => {
    if (parsed.arguments.id === 2) throw new Error("boom");
    return text("fine");
  });
  const client = await bench.connect("v2", server);
  for (const args of [{ id: 1, extra: true }, { id: "x" }, { id: 2 }]) {
    await call(client, "tool", args);
  }
  const { calls } = await bench.flush();
  assert.deepEqual(
    calls.map(({ outcome }) => outcome),
    ["ok", "bad_args", "crashed"],
  );
});
