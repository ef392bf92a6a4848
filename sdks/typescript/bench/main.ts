/**
 * What watching costs: calls of a watched server beside those of its unwatched twin, in one run.
 *
 *   npm run bench
 *
 * Only the difference means anything; the rest is the machine's.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer as McpServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpServer as McpServerV2 } from "@modelcontextprotocol/server";
import { connected, type Loose, WORKLOADS, type Workload } from "./server.js";

const ROUNDS = 200;
const CALLS_A_ROUND = 50;

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
process.exit();
