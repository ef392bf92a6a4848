/** Longer waits than this are not believed. */
const LONGEST_MS = 3_600_000;

/** Milliseconds to wait for a `Retry-After` of seconds or of an HTTP date; 0 if it says nothing. */
export function retryAfterMs(header: string | undefined, nowEpochMs: number): number {
  if (header === undefined || header.trim() === "") return 0;
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - nowEpochMs;
  return ms > 0 ? Math.min(ms, LONGEST_MS) : 0;
}
