/**
 * The parts of MCP SDK objects this package touches, by shape: importing the SDKs' own types
 * would tie it to one of them, and what it needs is not in them anyway.
 */

export interface RpcRequest {
  readonly method?: unknown;
  readonly params?: {
    readonly name?: unknown;
    readonly arguments?: unknown;
    readonly cursor?: unknown;
    readonly task?: unknown;
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
}

export type RequestHandler = (request: RpcRequest, context: unknown) => unknown;

/** `Server` of either MCP SDK. */
export interface LowLevelServer {
  readonly _requestHandlers: Map<string, RequestHandler>;
  fallbackRequestHandler?: RequestHandler;
  setRequestHandler(...args: unknown[]): unknown;
  notification?(...args: unknown[]): unknown;
  getClientVersion?(): unknown;
  readonly transport?: object;
  /** SDK 2: the protocol revision in use. */
  readonly _negotiatedProtocolVersion?: unknown;
  /** SDK 2: how results are written in that revision. */
  _wireCodec?(): { encodeResult(method: string, result: unknown): unknown };
  /** SDK 1: where results of tasks are kept. */
  readonly _taskStore?: object;
}

/** `McpServer` of either MCP SDK. */
export interface HighLevelServer {
  readonly server: LowLevelServer;
  readonly _registeredTools: Readonly<Record<string, object>>;
}

/** What a request handler gets beside the request, in either MCP SDK. */
export interface RequestContext {
  readonly sessionId?: unknown;
  /** SDK 1. */
  readonly signal?: AbortSignal;
  readonly requestInfo?: { readonly headers?: Readonly<Record<string, unknown>> };
  /** SDK 2. */
  readonly mcpReq?: {
    readonly signal?: AbortSignal;
    readonly envelope?: Readonly<Record<string, unknown>>;
  };
  readonly http?: { readonly req?: { readonly headers?: Headers } };
}

export interface ServerParts {
  readonly server: LowLevelServer;
  /** The registry of a high-level server. */
  readonly high: HighLevelServer | undefined;
}

/** Recognises a server of either MCP SDK; `undefined` for anything else. */
export function partsOf(candidate: unknown): ServerParts | undefined {
  if (!isObject(candidate)) return undefined;
  const { server, _registeredTools } = candidate as Partial<HighLevelServer>;
  if (isLowLevel(server) && isObject(_registeredTools)) {
    return { server, high: candidate as unknown as HighLevelServer };
  }
  return isLowLevel(candidate) ? { server: candidate, high: undefined } : undefined;
}

function isLowLevel(candidate: unknown): candidate is LowLevelServer {
  if (!isObject(candidate)) return false;
  const { _requestHandlers, setRequestHandler } = candidate as Partial<LowLevelServer>;
  // Not `instanceof Map`: the server may come from another realm.
  return (
    typeof _requestHandlers?.get === "function" &&
    typeof _requestHandlers.set === "function" &&
    typeof setRequestHandler === "function"
  );
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  const candidate = isObject(value) || typeof value === "function" ? value : undefined;
  return typeof (candidate as { then?: unknown } | undefined)?.then === "function";
}
