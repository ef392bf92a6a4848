/** The entry point: attach to a server, hand it back. */
import { observeRequests } from "./attach/requests.js";
import { partsOf } from "./attach/shapes.js";
import { Watcher } from "./attach/watcher.js";
import { allDestinations, destinationOf, say } from "./destination.js";
import { readOptions, type WatchOptions } from "./options.js";

/** Marks watched servers, also for another copy of this package in the same process. */
const WATCHED: unique symbol = Symbol.for("mcpulse.watched") as never;

/**
 * Watches an MCP server: `McpServer` or `Server` of `@modelcontextprotocol/server` 2 or
 * `@modelcontextprotocol/sdk` 1, before or after its tools are registered and it is connected.
 *
 * Returns the same server. Never throws: when something is wrong, the server is left as it was
 * and the `debug` option says why.
 */
export function watch<T>(server: T, options: WatchOptions = {}): T {
  const debug = options?.debug === true;
  const complain = (reason: string) => {
    if (debug) say(reason);
  };
  try {
    attach(server, options ?? {}, complain);
  } catch {
    complain("not watching: this server could not be attached to");
  }
  return server;
}

function attach(
  candidate: unknown,
  options: WatchOptions,
  complain: (reason: string) => void,
): void {
  const settings = readOptions(options, complain);
  if (settings === undefined) return;
  const parts = partsOf(candidate);
  if (parts === undefined) {
    complain("not watching: this is no McpServer or Server of an MCP SDK that is supported");
    return;
  }
  const marked = parts.server as { [WATCHED]?: Watcher };
  const known = marked[WATCHED];
  if (known !== undefined) {
    complain("already watching this server: the first watch() counts");
    return;
  }
  const watcher = new Watcher(parts, settings, destinationOf(settings));
  const undo = observeRequests(watcher);
  try {
    Object.defineProperty(marked, WATCHED, { value: watcher });
  } catch (error) {
    undo();
    throw error;
  }
}

/**
 * Sends everything recorded so far, for every watched server. For hosts without a long-lived
 * process: `ctx.waitUntil(flush())`. Resolves when all is sent, when the ingest fails, or after
 * `timeoutMs` (default 10 000). Never rejects.
 */
export async function flush(timeoutMs = 10_000): Promise<void> {
  try {
    await Promise.all(allDestinations().map((destination) => destination.flush(timeoutMs)));
  } catch {
    // What could not be sent stays in the ring.
  }
}
