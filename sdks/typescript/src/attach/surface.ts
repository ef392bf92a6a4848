/** The tools clients see: collected once, and again when they change. */

import { ours } from "../guard.js";
import { platform } from "../platform.js";
import { fitName, fitVersion, LIMITS } from "../wire/payloads.js";
import { hash12 } from "../wire/sha256.js";
import { describeTool, type ToolEntry } from "../wire/tool.js";
import { clientOf, contextOf, protocolOf, transportOf } from "./context.js";
import { observeTool } from "./handlers.js";
import { isObject, type RpcRequest } from "./shapes.js";
import type { Watcher } from "./watcher.js";

/** A client that has just connected nearly always lists the tools itself within this time. */
const GREETING_MS = 500;
/** So many names of tools that are not listed are remembered. */
const UNLISTED = 1000;
/** A server that pages without end is not followed further. */
const PAGES = 100;

export class Surface {
  readonly #watcher: Watcher;
  /** The names last collected; `undefined` when they have to be collected (again). */
  #names: ReadonlySet<unknown> | undefined;
  /** Names that were called and, when last looked for, not listed. */
  readonly #unlisted = new Set<unknown>();
  #collecting = false;
  /** The delay of the collection that is scheduled, in milliseconds. */
  #scheduled = Number.POSITIVE_INFINITY;
  #callOff: () => void = () => {};

  constructor(watcher: Watcher) {
    this.#watcher = watcher;
  }

  /** The server told its clients that the list changed. */
  changed(): void {
    this.#names = undefined;
    this.#unlisted.clear();
  }

  /** A client connected: it may be another than before, and see other tools. */
  greeted(request: RpcRequest, context: unknown): void {
    this.#names = undefined;
    this.#watcher.destination.sender.warmUp();
    this.#schedule(GREETING_MS, request, context);
  }

  /** A tool is being called. */
  calling(request: RpcRequest, context: unknown): void {
    if (this.#names === undefined) this.#schedule(0, request, context);
  }

  /** A tool exists, listed or not: one that is not may have been added since. */
  exists(request: RpcRequest, context: unknown): void {
    const name = request.params?.name;
    if (this.#names === undefined || this.#names.has(name) || this.#unlisted.has(name)) return;
    // Once for each name: some servers serve tools they do not list.
    if (this.#unlisted.size < UNLISTED) this.#unlisted.add(name);
    this.#schedule(0, request, context);
  }

  /** A client listed the tools: what it got is the surface, if it got all of it. */
  listed(request: RpcRequest, context: unknown, result: unknown): void {
    const page = this.#asReceived(result);
    const partial = request.params?.cursor !== undefined || page.nextCursor !== undefined;
    if (!partial) this.#record(page.tools, request, context);
    else if (this.#names === undefined) this.#schedule(0, request, context);
  }

  #schedule(ms: number, request: RpcRequest, context: unknown): void {
    const { destination } = this.#watcher;
    if (this.#collecting || ms >= this.#scheduled || !destination.mayCollect()) return;
    this.#callOff();
    this.#scheduled = ms;
    const run = () => {
      this.#callOff();
      return this.#collect(request, context);
    };
    const forget = destination.later(run);
    const cancel = destination.clock.after(ms, () => destination.runLater(run));
    this.#callOff = () => {
      cancel();
      forget();
      this.#scheduled = Number.POSITIVE_INFINITY;
      this.#callOff = () => {};
    };
  }

  async #collect(request: RpcRequest, context: unknown): Promise<void> {
    const { destination } = this.#watcher;
    if (this.#collecting) return;
    destination.collecting();
    this.#collecting = true;
    try {
      this.#record(await this.#allPages(context), request, context);
    } catch {
      // The author's own code may have failed, so the error is not looked at. Next time, then.
      destination.say("the tools could not be listed; trying again on the next request");
    } finally {
      this.#collecting = false;
    }
  }

  async #allPages(context: unknown): Promise<ToolEntry[]> {
    const entries: ToolEntry[] = [];
    let cursor: unknown;
    for (let page = 0; page < PAGES && entries.length < LIMITS.tools; page += 1) {
      const handler = this.#watcher.handlerOf("tools/list");
      if (handler === undefined) throw new Error("no tools/list");
      const request = {
        jsonrpc: "2.0",
        id: 0,
        method: "tools/list",
        ...(cursor === undefined ? {} : { params: { cursor } }),
      };
      const { tools, nextCursor } = this.#asReceived(await handler(request, context));
      entries.push(...tools);
      if (typeof nextCursor !== "string") return entries;
      cursor = nextCursor;
    }
    return entries;
  }

  /** A `tools/list` result as the client receives it: SDK 2 still rewrites it per protocol. */
  #asReceived(result: unknown): { tools: ToolEntry[]; nextCursor: unknown } {
    const { server } = this.#watcher;
    const encoded = ours(() => server._wireCodec?.().encodeResult("tools/list", result)) ?? result;
    const { tools, nextCursor } = encoded as { tools?: unknown; nextCursor?: unknown };
    if (!Array.isArray(tools)) throw new Error("no tools");
    return { tools, nextCursor };
  }

  #record(entries: readonly ToolEntry[], request: RpcRequest, given: unknown): void {
    const watcher = this.#watcher;
    const { destination, settings, server } = watcher;
    this.#callOff();
    this.#names = new Set(entries.map(({ name }) => name));
    // As JSON the entries are what the client got: without undefined members.
    const json = JSON.stringify(entries.slice(0, LIMITS.tools));
    if (destination.knowsList(hash12(`${watcher.declared} ${json}`))) return;

    const context = contextOf(given);
    const transport = transportOf(server, context);
    const mcpSdk = server._wireCodec === undefined ? "sdk" : "server";
    const agreements = settings.agreements.map(({ field, tools }) => ({
      field,
      tools: [...tools.keys()],
    }));
    const received = JSON.parse(json) as ToolEntry[];
    destination.recordSurface({
      client_name: fitName(clientOf(server, request, context), LIMITS.clientName),
      tools: received.map((entry) =>
        describeTool(entry, settings.policies.get(String(entry.name))),
      ),
      ...optional("mcp_sdk_version", platform().packageVersion(`@modelcontextprotocol/${mcpSdk}`)),
      ...optional(
        "protocol_version",
        protocolOf(server, request, context, watcher.initializedProtocol),
      ),
      ...(transport !== undefined && { transport }),
      ...(agreements.length > 0 && { agreements }),
    });
    this.#sayWhatIsWrapped(received);
  }

  #sayWhatIsWrapped(entries: readonly ToolEntry[]): void {
    const { destination, handlerOf, high } = this.#watcher;
    if (handlerOf("tools/call") === undefined) {
      destination.say("recording nothing: this server has no handler for tools/call");
      return;
    }
    const tools = high?._registeredTools ?? {};
    const inner = entries.filter(({ name }) => {
      const tool = Object.hasOwn(tools, String(name)) ? tools[String(name)] : undefined;
      return isObject(tool) && ours(() => observeTool(tool)) === true;
    });
    destination.say(
      `watching ${entries.length} of ${entries.length} tools by their requests, ` +
        `${inner.length} also by their handlers`,
    );
  }
}

function optional<K extends string>(key: K, value: unknown): { [P in K]?: string } {
  const text = fitVersion(value);
  return text === undefined ? {} : ({ [key]: text } as { [P in K]?: string });
}
