/**
 * MCPulse for Node: the same as the portable entry point, with native hashing, sending from a
 * thread, and a last flush when the process ends.
 *
 * @module
 */
import * as nodeCrypto from "node:crypto";
import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";
import { packageVersion } from "./node/package-version.js";
import { workerTransport } from "./node/worker-transport.js";
import { writeLast } from "./node/write-last.js";
import { usePlatform } from "./platform.js";
import { useSha256 } from "./wire/sha256.js";

/** Node itself, not another runtime that answers to the `node` export condition. */
const isNode = !("Bun" in globalThis) && !("Deno" in globalThis);

// One call instead of three, where Node has it (20.12).
if (typeof nodeCrypto.hash === "function") {
  useSha256((text) => nodeCrypto.hash("sha256", text, "hex"));
} else {
  useSha256((text) => nodeCrypto.createHash("sha256").update(text, "utf8").digest("hex"));
}

usePlatform({
  env: (name) => process.env[name],
  writeLine: (line) => void process.stderr.write(`${line}\n`),
  writeLast,
  sharesIo: true,
  // 'exit' comes at every end that runs any code at all: an empty event loop, process.exit(), an
  // uncaught error, the host's own signal handler. It changes none of them. Signals without a
  // handler of the host's end Node at once, and that stays so: no handler is installed here.
  onExit: (flush) => void process.once("exit", flush),
  onIdle: (work) => void process.once("beforeExit", work),
  packageVersion,
  sharedSession,
  ...(isNode ? { createTransport: workerTransport } : {}),
});

/** Threads started after this one inherit what is set here. */
function sharedSession(destination: string, make: () => string): string {
  const key = `mcpulse:${destination}`;
  const inherited = getEnvironmentData(key);
  if (typeof inherited === "string") return inherited;
  const session = make();
  setEnvironmentData(key, session);
  return session;
}

export * from "./index.js";
