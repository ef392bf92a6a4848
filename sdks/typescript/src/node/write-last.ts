import { writeSync } from "node:fs";

const STDERR = 2;
/** A full pipe is looked at again after this, in milliseconds. */
const PAUSE_MS = 2;

/**
 * Writes to stderr as the process ends. A pipe that is full takes part of a text and leaves the rest to an event loop
 * that will not turn again, so the rest is written here, as far as whoever reads keeps up.
 */
export function writeLast(lines: string, timeoutMs: number): void {
  const until = performance.now() + timeoutMs;
  let rest = Buffer.from(`${lines}\n`);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(STDERR, rest));
    } catch (error) {
      if ((error as { code?: unknown }).code !== "EAGAIN" || performance.now() >= until) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}
