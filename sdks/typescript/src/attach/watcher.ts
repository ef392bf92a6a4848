/** What is known about one watched server. Nothing global holds on to it, so it goes when the server goes. */
import type { Destination, FinishedCall } from "../destination.js";
import type { Settings } from "../options.js";
import { hash12 } from "../wire/sha256.js";
import {
  type HighLevelServer,
  isObject,
  type LowLevelServer,
  type RequestHandler,
  type RpcRequest,
  type ServerParts,
} from "./shapes.js";
import { Surface } from "./surface.js";

export class Watcher {
  readonly server: LowLevelServer;
  readonly high: HighLevelServer | undefined;
  readonly surface: Surface;
  /** The handler stored for a method, without the layer around it. */
  handlerOf: (method: string) => RequestHandler | undefined;
  /** The stored `tools/call` handler whose author's part is known to have run or not. */
  seenHandler: RequestHandler | undefined;
  /** The protocol revision agreed on by `initialize`, where the MCP SDK does not keep it. */
  initializedProtocol: unknown;
  #declared: string | undefined;

  constructor(
    parts: ServerParts,
    readonly settings: Settings,
    readonly destination: Destination,
  ) {
    this.server = parts.server;
    this.high = parts.high;
    this.handlerOf = () => undefined;
    this.surface = new Surface(this);
  }

  /** Whether the MCP SDK validates arguments in front of the author's handlers. */
  get validates(): boolean {
    const tools = this.high?._registeredTools;
    // A high-level server without registered tools has its requests answered by hand.
    if (tools !== undefined) for (const name in tools) if (Object.hasOwn(tools, name)) return true;
    return false;
  }

  get seesHandler(): boolean {
    return this.seenHandler !== undefined && this.handlerOf("tools/call") === this.seenHandler;
  }

  /** Tells apart what is declared for the same tools by different watchers. */
  get declared(): string {
    const { policies, agreements } = this.settings;
    this.#declared ??= hash12(
      JSON.stringify([[...policies], agreements.map(({ field, tools }) => [field, [...tools]])]),
    );
    return this.#declared;
  }

  /** A request other than a call was answered. */
  saw(method: string, request: RpcRequest, context: unknown, result: unknown): void {
    if (method === "tools/list") {
      this.surface.listed(request, context, result);
      return;
    }
    if (method === "initialize") {
      this.initializedProtocol = isObject(result) ? result.protocolVersion : undefined;
    }
    this.surface.greeted(request, context);
  }

  /** A call is finished. `structured` is the structured content of one that is ok. */
  recorded(call: FinishedCall, structured: unknown): void {
    const { destination, settings } = this;
    destination.recordCall(call, settings.perConversation);
    if (settings.agreements.length === 0 || structured === undefined) return;
    if (typeof call.tool !== "string") return;
    const verdicts = destination.agreements.note(
      settings.agreements,
      call.conversation ?? "",
      call.tool,
      structured,
      destination.clock.now(),
    );
    destination.recordVerdicts(verdicts);
  }
}
