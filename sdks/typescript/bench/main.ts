/**
 * What watching costs: calls of a watched server beside those of its unwatched twin, in one run.
 *
 *   npm run bench            the cost of a call, and memory with a dead ingest
 *   npm run bench -- --quick the same with fewer calls
 *
 * Only the difference and the ratio mean anything; the rest is the machine's.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer as McpServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpServer as McpServerV2 } from "@modelcontextprotocol/server";
import { watch } from "mcpulse";
import * as z from "zod";

const quick = process.argv.includes("--quick");
const ROUNDS = quick ? 40 : 200;
const CALLS_A_ROUND = 50;
const MEMORY_CALLS = quick ? 100_000 : 1_000_000;

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
const WORKLOADS = {
  "text in, text out": {
    args: { query: "find the order of the customer, please. ".repeat(50) },
    result: {
      content: [{ type: "text", text: "One line of an answer, with words.\n".repeat(290) }],
    },
  },
  "objects in, JSON as text out": {
    args: { query: "orders", page: 3, filters },
    result: { content: [{ type: "text", text: JSON.stringify([...rows, ...rows, ...rows]) }] },
  },
  "objects in, structured content out": {
    args: { query: "orders", page: 3, filters },
    result: {
      content: [{ type: "text", text: JSON.stringify(rows) }],
      structuredContent: { rows: [...rows, ...rows] },
    },
  },
};
type Workload = (typeof WORKLOADS)[keyof typeof WORKLOADS];

// biome-ignore lint/suspicious/noExplicitAny: both MCP SDKs, one shape
type Loose = any;

/** A server, as the transport sees it: what a request goes in by, and when its answer comes out. */
async function connected(McpServer: Loose, result: object, watched?: string) {
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

function median(times: number[]): number {
  return times.sort((a, b) => a - b)[times.length >> 1] ?? 0;
}

/** Median times of a call in microseconds, plain and watched, taken in turns. */
async function compare(McpServer: Loose, { args, result }: Workload, endpoint: string) {
  const plain = await connected(McpServer, result);
  const watched = await connected(McpServer, result, endpoint);
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const which of round % 2 === 0 ? [0, 1] : [1, 0]) {
      const call = which === 0 ? plain : watched;
      for (let n = 0; n < CALLS_A_ROUND; n += 1) {
        // The arguments are parsed anew for each call, as a transport does.
        const fresh = JSON.parse(JSON.stringify(args));
        const begun = performance.now();
        await call(fresh);
        // The first rounds warm the engine up.
        if (round >= ROUNDS / 4) times[which]?.push((performance.now() - begun) * 1000);
      }
      await new Promise(setImmediate);
    }
  }
  return { plain: median(times[0]), watched: median(times[1]) };
}

/** An ingest that takes everything, out of the way of what is measured. */
const ingest = createServer((request, response) => {
  request.resume().on("end", () => response.writeHead(202).end("{}"));
});
await new Promise<void>((resolve) => ingest.listen(0, "127.0.0.1", resolve));
const endpoint = `http://127.0.0.1:${(ingest.address() as AddressInfo).port}`;

console.log("median time of a call, in microseconds (goal: less than 50 added)\n");
console.log("MCP SDK  workload                              plain  watched    added");
for (const [sdk, McpServer] of [
  ["v1", McpServerV1],
  ["v2", McpServerV2],
] as const) {
  for (const [name, workload] of Object.entries(WORKLOADS)) {
    const { plain, watched } = await compare(McpServer, workload, endpoint);
    const figures = [plain, watched, watched - plain].map((us) => us.toFixed(1).padStart(9));
    console.log(`${sdk.padEnd(8)} ${name.padEnd(34)} ${figures.join("")}`);
  }
}
ingest.close();
ingest.closeAllConnections();

console.log(
  `\nmemory over ${MEMORY_CALLS} calls with the ingest dead, in MB (heap after collection)\n`,
);
const { args, result } = WORKLOADS["text in, text out"];
const call = await connected(McpServerV2, result, "http://127.0.0.1:9");
for (let done = 0; done <= MEMORY_CALLS; done += 1) {
  if (done % (MEMORY_CALLS / 10) === 0) {
    globalThis.gc?.();
    const { heapUsed, rss } = process.memoryUsage();
    const figures = [heapUsed, rss].map((bytes) => (bytes / 1e6).toFixed(1).padStart(8));
    console.log(`${String(done).padStart(9)} calls  heap ${figures[0]}  rss ${figures[1]}`);
  }
  await call(args);
  if (done % 1000 === 0) await new Promise(setImmediate);
}
process.exit();
