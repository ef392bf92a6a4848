/** What a request says about who sent it and how. */
import type { LowLevelServer, RequestContext, RpcRequest } from "./shapes.js";

const CLIENT_INFO = "io.modelcontextprotocol/clientInfo";
const PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion";

export function contextOf(context: unknown): RequestContext {
  return typeof context === "object" && context !== null ? context : {};
}

/** The signal that ends when this request is cancelled; also what identifies the request. */
export function signalOf(context: RequestContext): AbortSignal | undefined {
  return context.signal ?? context.mcpReq?.signal;
}

/** The conversation the protocol names (`Mcp-Session-Id`), if it does. */
export function conversationOf(context: RequestContext): string | undefined {
  const { sessionId } = context;
  return typeof sessionId === "string" && sessionId !== "" ? sessionId : undefined;
}

/**
 * The client's name, from this request or from the protocol session it belongs to; `undefined`
 * when neither says.
 */
export function clientOf(
  server: LowLevelServer,
  request: RpcRequest,
  context: RequestContext,
): unknown {
  const info = envelope(request, context, CLIENT_INFO) ?? identified(server, context);
  return (info as { name?: unknown } | undefined)?.name;
}

/**
 * Who initialised the session. Over HTTP without a session there is none: whoever initialised
 * this server object last need not be the one who is calling.
 */
function identified(server: LowLevelServer, context: RequestContext): unknown {
  if (isHttp(context) && conversationOf(context) === undefined) return undefined;
  return server.getClientVersion?.();
}

/** The protocol revision of a request; `initialized` is the one its session agreed on. */
export function protocolOf(
  server: LowLevelServer,
  request: RpcRequest,
  context: RequestContext,
  initialized: unknown,
): unknown {
  return (
    envelope(request, context, PROTOCOL_VERSION) ??
    server._negotiatedProtocolVersion ??
    initialized ??
    header(context, "mcp-protocol-version")
  );
}

export function transportOf(
  server: LowLevelServer,
  context: RequestContext,
): "http" | "stdio" | undefined {
  if (isHttp(context)) return "http";
  const transport = server.transport as { _wire?: object; constructor: { name?: string } };
  if (transport === undefined) return undefined;
  // SDK 2 serves stdio through a channel in front of the transport.
  const stdio = [transport, transport._wire].some(
    (link) => link !== undefined && ("_stdout" in link || /stdio/i.test(link.constructor.name)),
  );
  return stdio ? "stdio" : undefined;
}

/** A member of the per-request envelope of protocol 2026-07-28. SDK 2 lifts it out of `_meta`. */
function envelope(request: RpcRequest, context: RequestContext, key: string): unknown {
  return context.mcpReq?.envelope?.[key] ?? request.params?._meta?.[key];
}

function isHttp(context: RequestContext): boolean {
  return context.requestInfo !== undefined || context.http?.req !== undefined;
}

function header(context: RequestContext, name: string): unknown {
  return context.requestInfo?.headers?.[name] ?? context.http?.req?.headers?.get(name);
}
