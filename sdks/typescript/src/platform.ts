/**
 * What differs between runtimes. The default works wherever `fetch` does (Workers, edge runtimes,
 * Deno, Bun); the Node entry point replaces it.
 */
import { fetchTransport } from "./send/fetch-transport.js";
import type { Transport } from "./send/transport.js";

export interface Platform {
  /** An environment variable, where the runtime has an environment. */
  env(name: string): string | undefined;
  /** Writes one line to stderr, never to stdout: that belongs to the MCP stdio transport. */
  writeLine(line: string): void;
  /** Writes lines to stderr when nothing will run afterwards; may take `timeoutMs`. */
  writeLast(lines: string, timeoutMs: number): void;
  /** Makes the one transport of this process. */
  createTransport(): Transport;
  /**
   * Whether work begun in one request may be awaited in another. Not so on Workers, where the
   * input and output of a request die with it.
   */
  readonly sharesIo: boolean;
  /** Calls `flush` once when the process is about to end, if the runtime tells. */
  onExit(flush: () => void): void;
  /** Calls `work` when the process has run out of other work but can still do some. */
  onIdle(work: () => void): void;
  /** The installed version of a package, if it can be found. */
  packageVersion(name: string): string | undefined;
  /** The session id of a destination shared by the threads of this process, made if need be. */
  sharedSession(destination: string, make: () => string): string;
}

const portable: Platform = {
  env: (name) => {
    const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
    return process?.env?.[name];
  },
  // console.error is the only way to stderr that every runtime has.
  writeLine: (line) => console.error(line),
  writeLast: (lines) => console.error(lines),
  createTransport: fetchTransport,
  sharesIo: false,
  onExit: () => {},
  onIdle: () => {},
  packageVersion: () => undefined,
  sharedSession: (_destination, make) => make(),
};

let current: Platform = portable;

export function platform(): Platform {
  return current;
}

/** Replaces parts of the platform; used by entry points and tests. */
export function usePlatform(parts: Partial<Platform>): void {
  current = { ...current, ...parts };
}
