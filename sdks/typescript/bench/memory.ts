/**
 * Memory with the ingest dead: over a million calls, and over ten thousand servers made, watched,
 * used once and dropped.
 *
 *   npm run bench:memory
 */
import { McpServer } from "@modelcontextprotocol/server";
import { connected, WORKLOADS } from "./server.js";

const CALLS = 1_000_000;
const SERVERS = 10_000;
/** Nothing listens here. */
const DEAD = "http://127.0.0.1:9";

const { args, result } = WORKLOADS["text in, text out"];

async function follow(what: string, total: number, step: () => Promise<void>): Promise<void> {
  console.log(`\n${what} with the ingest dead, in MB (heap after collection)\n`);
  for (let done = 0; done <= total; done += 1) {
    if (done % (total / 10) === 0) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      globalThis.gc?.();
      const { heapUsed, rss } = process.memoryUsage();
      const figures = [heapUsed, rss].map((bytes) => (bytes / 1e6).toFixed(1).padStart(8));
      console.log(`${String(done).padStart(9)}  heap ${figures[0]}  rss ${figures[1]}`);
    }
    await step();
    // Timers and answers of the sending thread get their turn, as in a real server.
    if (done % 100 === 0) await new Promise(setImmediate);
  }
}

const call = await connected(McpServer, result, DEAD);
await follow(`${CALLS} calls`, CALLS, () => call(args));
await follow(`${SERVERS} servers`, SERVERS, async () => {
  const once = await connected(McpServer, result, DEAD);
  await once(args);
});
process.exit();
