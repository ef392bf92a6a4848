// The program the conformance kit drives; docs/harness.md says how.
import { watch } from "mcpulse";
import * as z from "zod";
import { churn } from "./churn.js";
import { answerFixtures } from "./fixtures.js";
import { readFlags } from "./flags.js";
import { listen, type Make } from "./http.js";
import { type Tool, text, tool, tools } from "./tools.js";

const flags = readFlags();
const exitCode = flags["on-sigterm"];
if (exitCode !== "") process.on("SIGTERM", () => process.exit(Number(exitCode)));
const sdk = flags.sdk === "v1" ? await import("./v1.js") : await import("./v2.js");

const info = { name: "harness", version: "1.0.0" };
const options = {
  ...sdk.options,
  capabilities: { tools: { listChanged: true }, ...sdk.options.capabilities },
};

/** What a tool may use of what either MCP SDK hands it. */
type Context = { signal?: AbortSignal; sendRequest?: unknown } & {
  mcpReq?: { signal: AbortSignal; inputResponses?: unknown };
};
const about = ({ signal, sendRequest, mcpReq }: Context) =>
  ({ signal: signal ?? mcpReq?.signal, sendRequest, inputs: mcpReq?.inputResponses }) as { signal: AbortSignal };

function highLevel() {
  const server = new sdk.McpServer(info, options);
  const register = server.registerTool.bind(server) as (...args: unknown[]) => void;
  const add = (name: string, { description, schema: inputSchema, run }: Tool) =>
    inputSchema === undefined
      ? register(name, { description }, (context: Context) => run({} as never, about(context)))
      : register(name, { description, inputSchema }, (args: never, context: Context) => run(args, about(context)));
  sdk.addJob(server as never);
  return { server, inner: server.server, add };
}

/** Both requests by hand, arguments validated by hand. */
function lowLevel() {
  const server = new sdk.Server(info, options);
  const registered = new Map<string, Tool>();
  const handle = server.setRequestHandler.bind(server) as (...args: unknown[]) => void;
  handle(sdk.handlers["tools/list"], ({ params }: { params?: { cursor?: string } }) => {
    const tools = [...registered].map(([name, { description, schema = z.object({}) }]) => ({
      ...{ name, description },
      inputSchema: z.toJSONSchema(schema, { io: "input" }),
    }));
    const from = Number(params?.cursor ?? 0);
    const to = from + (Number(flags.page) || tools.length);
    return { tools: tools.slice(from, to), ...(to < tools.length && { nextCursor: String(to) }) };
  });
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

const says = (word: string) => tool(undefined, () => text(word));

/** Makes the servers of one address. */
function maker(): Make {
  // Servers made for one request each have nothing but this to remember by.
  let hasGrown = false;
  return ((perRequest = false) => build(perRequest && hasGrown, () => (hasGrown = true))) as Make;
}

function build(isGrown: boolean, hasGrown: () => void) {
  const { server, inner, add } = flags.api === "low" ? lowLevel() : highLevel();
  const attach = () => {
    for (let times = flags.unwatched ? 0 : flags.twice ? 2 : 1; times > 0; times -= 1) {
      watch(server, {
        sessions: flags.sessions as "process",
        debug: flags.debug,
        policies: { strict: "authorization", never_called: "identity" },
        agreements: { amount: { tools: { price_a: "/order/amount", price_b: "/order/amount" } } },
      });
    }
  };
  if (flags.early) attach();
  for (const [name, tool] of Object.entries({ ...tools, ask: sdk.ask })) add(name, tool);
  let grown = isGrown;
  const grow = () => {
    if (!grown) add("grown", says("grown"));
    grown = true;
    hasGrown();
    return text("grown");
  };
  add("grow", tool(undefined, grow));
  if (isGrown) add("grown", says("grown"));
  if (!flags.early) attach();
  const connect = inner.connect as (transport: unknown) => Promise<void>;
  inner.connect = async (transport: unknown) => {
    await connect.call(inner, transport);
    add("late", says("late"));
  };
  return server;
}

if (flags.mode === "fixtures") await answerFixtures();
else if (flags.mode === "churn") await churn(maker(), flags.count);
else {
  const count = Number(flags.servers);
  if (flags.transport === "http") {
    listen(Array.from({ length: count }, () => sdk.serveHttp(maker(), flags.http === "stateless")));
  } else {
    // Standard input and output are one connection, so the other servers are only there.
    for (let n = 1; n < count; n += 1) maker()();
    await sdk.serveStdio(maker());
  }
}
