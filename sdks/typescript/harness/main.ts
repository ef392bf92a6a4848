// The program the conformance kit drives; docs/porting.md says how.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { watch } from "mcpulse";
import * as z from "zod";
import { answerFixtures } from "./fixtures.js";
import type { Make } from "./http.js";
import { type Tool, text, tool, tools } from "./tools.js";

const flag = (initial: string) => ({ type: "string", default: initial }) as const;
const toggle = { type: "boolean", default: false } as const;
const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ...{ transport: flag("stdio"), sdk: flag("v2"), api: flag("high"), http: flag("stateful") },
    ...{ servers: flag("1"), sessions: flag("process"), fork: flag("0"), "on-sigterm": flag("") },
    ...{ early: toggle, unwatched: toggle, debug: toggle },
  },
});
if (flags.fork !== "0") {
  console.error("unsupported: --fork: Node starts new processes, it does not fork");
  process.exit(64);
}
const exitCode = flags["on-sigterm"];
if (exitCode !== "") process.on("SIGTERM", () => process.exit(Number(exitCode)));
const sdk = flags.sdk === "v1" ? await import("./v1.js") : await import("./v2.js");

const info = { name: "harness", version: "1.0.0" };
const options = { capabilities: { tools: { listChanged: true } } };
type Context = { signal?: AbortSignal; mcpReq?: { signal: AbortSignal; inputResponses?: unknown } };
const about = ({ signal = undefined, mcpReq }: Context) =>
  ({ signal: signal ?? mcpReq?.signal, inputs: mcpReq?.inputResponses }) as { signal: AbortSignal };

function highLevel() {
  const server = new sdk.McpServer(info, options);
  const register = server.registerTool.bind(server) as (...args: unknown[]) => void;
  const add = (name: string, { description, schema: inputSchema, run }: Tool) =>
    inputSchema === undefined
      ? register(name, { description }, () => run({} as never, {}))
      : register(name, { description, inputSchema }, (args: never, context: Context) => run(args, about(context)));
  return { server, inner: server.server, add };
}

/** Both requests by hand, arguments validated by hand. */
function lowLevel() {
  const server = new sdk.Server(info, options);
  const registered = new Map<string, Tool>();
  const handle = server.setRequestHandler.bind(server) as (...args: unknown[]) => void;
  handle(sdk.handlers["tools/list"], () => ({
    tools: [...registered].map(([name, { description, schema = z.object({}) }]) => ({
      ...{ name, description },
      inputSchema: z.toJSONSchema(schema, { io: "input" }),
    })),
  }));
  handle(
    sdk.handlers["tools/call"],
    ({ params }: { params: { name: string; arguments?: object } }, context: Context) => {
      const tool = registered.get(params.name);
      const parsed = (tool?.schema ?? z.object({})).safeParse(params.arguments ?? {});
      if (tool === undefined || !parsed.success) throw sdk.invalid("no such tool, or not with such arguments");
      return tool.run(parsed.data as never, about(context));
    },
  );
  const add = (name: string, tool: Tool) => {
    registered.set(name, tool);
    if (server.transport !== undefined) void server.sendToolListChanged();
  };
  return { server, inner: server, add };
}

const make = (() => {
  const { server, inner, add } = flags.api === "low" ? lowLevel() : highLevel();
  const attach = () =>
    watch(server, {
      sessions: flags.sessions as "process",
      debug: flags.debug,
      policies: { strict: "authorization", never_called: "identity" },
      agreements: { amount: { tools: { price_a: "/order/amount", price_b: "/order/amount" } } },
    });
  if (flags.early && !flags.unwatched) attach();
  for (const [name, tool] of Object.entries(tools)) add(name, tool);
  if ("ask" in sdk) add("ask", sdk.ask);
  const grow = () => {
    add(
      "grown",
      tool(undefined, () => text("grown")),
    );
    return text("grown");
  };
  add("grow", tool(undefined, grow));
  if (!flags.early && !flags.unwatched) attach();
  const connect = inner.connect as (transport: unknown) => Promise<void>;
  inner.connect = async (transport: unknown) => {
    await connect.call(inner, transport);
    add(
      "late",
      tool(undefined, () => text("late")),
    );
  };
  return server;
}) as Make;

function serveHttp(): void {
  const paths = Array.from({ length: Number(flags.servers) }, (_, i) => `/mcp${i === 0 ? "" : i + 1}`);
  const handles = new Map(paths.map((path) => [path, sdk.serveHttp(make, flags.http === "stateless")]));
  const http = createServer(async (request, response) => {
    const body = await readText(request);
    await handles.get(request.url ?? "")?.(request, response, body === "" ? undefined : JSON.parse(body));
  });
  http.listen(0, "127.0.0.1", () => {
    const [url, ...more] = paths.map((path) => `http://127.0.0.1:${(http.address() as AddressInfo).port}${path}`);
    console.log(JSON.stringify({ url, more }));
  });
}

/** Makes and drops servers, and counts those that garbage collection leaves. */
async function churn(total: number): Promise<void> {
  const made = Array.from({ length: total }, () => new WeakRef(make()));
  for (let round = 0; round < 10; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    globalThis.gc?.();
  }
  console.log(JSON.stringify({ created: total, alive: made.filter((server) => server.deref()).length }));
}

if (positionals[0] === "fixtures") await answerFixtures();
else if (positionals[0] === "churn") await churn(Number(positionals[1]));
else if (flags.transport === "http") serveHttp();
else await sdk.serveStdio(make);
