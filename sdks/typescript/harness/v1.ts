import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema, McpError } from "@modelcontextprotocol/sdk/types.js";
import { type Handle, type Make, sessions } from "./http.js";

export { McpServer, Server };
export const invalid = (message: string) => new McpError(-32602, message);
export const handlers = { "tools/list": ListToolsRequestSchema, "tools/call": CallToolRequestSchema };

export async function serveStdio(make: Make): Promise<void> {
  await make().connect(new StdioServerTransport());
}

export function serveHttp(make: Make, stateless: boolean): Handle {
  return sessions(make, stateless, (options) => new StreamableHTTPServerTransport(options));
}
