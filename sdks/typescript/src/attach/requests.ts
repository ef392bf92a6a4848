/** The outer layer: requests as the MCP SDK dispatches them, before it validates anything. */

import { ours, override } from "../guard.js";
import { Call, callOf } from "./call.js";
import { observed, observeTool } from "./handlers.js";
import { settled } from "./settled.js";
import { isObject, type RequestHandler, type RpcRequest } from "./shapes.js";
import { followTask } from "./tasks.js";
import type { Watcher } from "./watcher.js";

type Fn = (this: unknown, ...args: unknown[]) => unknown;

/** Requests that show the watcher something. */
const OBSERVED = new Set(["tools/call", "tools/list", "initialize", "server/discover"]);

/**
 * Attaches to a server. Both MCP SDKs look handlers up by `_requestHandlers.get(method)` for each
 * request, whether they were set before or after, in whichever form; so that is where to stand.
 * Returns how to undo it.
 */
export function observeRequests(watcher: Watcher): () => void {
  const { server } = watcher;
  const handlers = server._requestHandlers;
  const get = handlers.get;
  const layers = new WeakMap<RequestHandler, RequestHandler>();
  const undo: (() => void)[] = [];
  try {
    undo.push(
      override(handlers, "get", function (this: Map<string, RequestHandler>, method: string) {
        const found = get.call(handlers, method);
        if (!OBSERVED.has(method)) return found;
        // A server may answer everything by its fallback; the lookup then comes back empty.
        const handler = found ?? server.fallbackRequestHandler;
        if (typeof handler !== "function") return found;
        let layer = layers.get(handler);
        if (layer === undefined) {
          layer = layerFor(watcher, method, handler);
          layers.set(handler, layer);
        }
        return layer;
      }),
    );
    watcher.handlerOf = (method) => get.call(handlers, method) ?? server.fallbackRequestHandler;
    if (watcher.high === undefined) undo.push(observeRegistrations(watcher));
    undo.push(observeListChanges(watcher));
  } catch (error) {
    for (const step of undo) step();
    throw error;
  }
  return () => {
    for (const step of undo) step();
  };
}

function layerFor(watcher: Watcher, method: string, handler: RequestHandler): RequestHandler {
  return method === "tools/call"
    ? callLayer(watcher, handler)
    : observingLayer(watcher, method, handler);
}

/** Records calls. Result, error and promise are the handler's own. */
function callLayer(watcher: Watcher, handler: RequestHandler): RequestHandler {
  const fault = () => watcher.destination.sender.loss.unrecorded("a fault of the producer's");
  return function (this: unknown, request: RpcRequest, context: unknown): unknown {
    const call = ours(() => begin(watcher, request, context), fault);
    if (call === undefined) return handler.call(this, request, context);
    let answer: unknown;
    try {
      answer = handler.call(this, request, context);
    } catch (error) {
      ours(() => call.failed(error), fault);
      throw error;
    }
    return settled(
      answer,
      (result) => ours(() => call.answered(result), fault),
      (error) => ours(() => call.failed(error), fault),
    );
  };
}

function begin(watcher: Watcher, request: RpcRequest, context: unknown): Call | undefined {
  // A host's own wrapper that got hold of this layer and calls it: the outermost counts.
  if (callOf(context) !== undefined) return undefined;
  let inSight = watcher.validates || watcher.seesHandler;
  const name = request.params?.name;
  const tools = watcher.high?._registeredTools;
  if (tools !== undefined && typeof name === "string" && Object.hasOwn(tools, name)) {
    const tool = tools[name];
    inSight = isObject(tool) && ours(() => observeTool(tool)) === true;
  }
  const call = new Call(watcher, request, context, inSight);
  watcher.surface.calling(request, context);
  if (watcher.server._taskStore !== undefined) followTask(call, watcher.server._taskStore);
  return call;
}

/** Looks at the answer of another request, once it is there. */
function observingLayer(watcher: Watcher, method: string, handler: RequestHandler): RequestHandler {
  return function (this: unknown, request: RpcRequest, context: unknown): unknown {
    const answer = handler.call(this, request, context);
    const look = (result: unknown) => watcher.saw(method, request, context, result);
    return settled(answer, look, () => {});
  };
}

/**
 * On a low-level server the author's handler is the last argument of `setRequestHandler`, in its
 * two- and three-argument forms. Those set from now on are known to have run or not.
 */
function observeRegistrations(watcher: Watcher): () => void {
  const { server } = watcher;
  const { setRequestHandler } = server;
  const stored = () => watcher.handlerOf("tools/call");
  return override(server, "setRequestHandler", function (this: unknown, ...args: unknown[]) {
    const author = args.at(-1);
    if (typeof author !== "function") return setRequestHandler.apply(this, args);
    // Which method it is for shows only afterwards: one form names it inside a schema.
    const gate = { open: false };
    args[args.length - 1] = observed(author as Fn, gate);
    const before = stored();
    const result = setRequestHandler.apply(this, args);
    const now = stored();
    if (now !== before) {
      gate.open = true;
      watcher.seenHandler = now;
    }
    return result;
  });
}

function observeListChanges(watcher: Watcher): () => void {
  const { server } = watcher;
  const { notification } = server;
  if (typeof notification !== "function") return () => {};
  return override(server, "notification", function (this: unknown, ...args: unknown[]) {
    const [message] = args;
    if (isObject(message) && message.method === "notifications/tools/list_changed") {
      ours(() => watcher.surface.changed());
    }
    return notification.apply(this, args);
  });
}
