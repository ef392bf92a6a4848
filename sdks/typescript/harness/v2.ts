import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node";
import {
  acceptedContent,
  createMcpHandler,
  inputRequired,
  isInitializeRequest,
  McpServer,
  ProtocolError,
  Server,
} from "@modelcontextprotocol/server";
import { serveStdio as serve } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";
import { type Handle, type Make, sessions } from "./http.js";
import { text, tool } from "./tools.js";

export { McpServer, Server };
export const invalid = (message: string) => new ProtocolError(-32602, message);
export const handlers = { "tools/list": "tools/list", "tools/call": "tools/call" };
export const options: { capabilities?: object } = {};
/** Tasks live outside this MCP SDK. */
export const addJob = (_server: unknown) => {};

const schema = z.object({ name: z.string() });
export const ask = tool(z.object({}), (_args, { inputs }) => {
  const answer = acceptedContent(inputs as never, "who", schema);
  if (answer !== undefined) return text(`hello ${answer.name}`);
  const who = inputRequired.elicit({ message: "Who?", requestedSchema: schema as never });
  return inputRequired({ inputRequests: { who } });
});

export async function serveStdio(make: Make): Promise<void> {
  serve((() => make()) as never);
}

/** Protocol 2026-07-28 has no sessions; older requests go to theirs. */
export function serveHttp(make: Make, stateless: boolean): Handle {
  const modern = toNodeHandler(createMcpHandler((() => make(true)) as never));
  const older = sessions(make, false, (options) => new NodeStreamableHTTPServerTransport(options));
  return (request, response, body) => {
    const inSession = request.headers["mcp-session-id"] !== undefined || isInitializeRequest(body);
    const handle = inSession && !stateless ? older : (modern as unknown as Handle);
    return handle(request, response, body);
  };
}
