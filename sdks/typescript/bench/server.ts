import { watch } from "mcpulse";
import * as z from "zod";

// biome-ignore lint/suspicious/noExplicitAny: both MCP SDKs, one shape
export type Loose = any;

const rows = Array.from({ length: 60 }, (_, n) => ({
  id: n,
  name: `Customer ${n}`,
  total: n * 9.99,
}));
const filters = Array.from({ length: 24 }, (_, n) => ({
  field: `column_${n}`,
  op: "contains",
  value: `text ${n}`,
}));

/** About 2 KB of arguments and 10 KB of result, in the shapes tools have. */
export const WORKLOADS = {
  "text in, text out": {
    args: { query: "find the order of the customer, please. ".repeat(50) },
    result: {
      content: [{ type: "text", text: "One line of an answer, with words.\n".repeat(290) }],
    },
  },
  "objects in, JSON as text out": {
    args: { query: "orders", page: 3, filters: [...filters, ...filters.slice(0, 12)] },
    result: { content: [{ type: "text", text: JSON.stringify([...rows, ...rows, ...rows]) }] },
  },
  "objects in, structured content out": {
    args: { query: "orders", page: 3, filters: [...filters, ...filters.slice(0, 12)] },
    result: {
      content: [{ type: "text", text: JSON.stringify(rows) }],
      structuredContent: { rows: [...rows, ...rows, ...rows.slice(0, 20)] },
    },
  },
};
export type Workload = (typeof WORKLOADS)[keyof typeof WORKLOADS];

/** A server as its transport sees it: what a request goes in by, and when its answer comes out. */
export async function connected(McpServer: Loose, result: object, watched?: string) {
  const server = new McpServer({ name: "bench", version: "1" }, { capabilities: { tools: {} } });
  server.registerTool("tool", { inputSchema: z.looseObject({}) }, () => result);
  if (watched !== undefined) watch(server, { key: "mp_live_bench", endpoint: watched });
  let answered: () => void = () => {};
  const transport: Loose = {
    start: async () => {},
    close: async () => {},
    send: async (message: object) => {
      // As a real transport does, and so that the engine sees the whole of a call.
      if (JSON.stringify(message).length > 0) answered();
    },
  };
  await server.connect(transport);
  let id = 0;
  const request = (method: string, params: object) =>
    new Promise<void>((resolve) => {
      answered = resolve;
      id += 1;
      transport.onmessage({ jsonrpc: "2.0", id, method, params });
    });
  await request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "bench", version: "1" },
  });
  return (args: object) => request("tools/call", { name: "tool", arguments: args });
}
