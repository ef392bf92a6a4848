/** One `tools/call` on its way: what is measured when, and what is recorded in the end. */
import { argsHash } from "../wire/canonical.js";
import { isEmptyResult } from "../wire/empty.js";
import { type ResultSize, resultSize } from "../wire/sizes.js";
import { clientOf, contextOf, conversationOf, signalOf } from "./context.js";
import { type HandlerState, outcomeOf } from "./outcome.js";
import { isObject, type RequestContext, type RpcRequest } from "./shapes.js";
import type { Watcher } from "./watcher.js";

/**
 * The calls being served, by the abort signal of their request. Both MCP SDKs make one signal per
 * request and hand it to the author's handler, whatever else they copy on the way; so the two
 * layers find each other without asynchronous context tracking.
 */
const serving = new WeakMap<object, Call>();

/** The call a handler is run for, from the context it was given; `undefined` outside of one. */
export function callOf(context: unknown): Call | undefined {
  if (!isObject(context)) return undefined;
  const call = serving.get(signalOf(context as RequestContext) ?? context);
  return call?.isDone ? undefined : call;
}

export class Call {
  handler: HandlerState;
  /** The task this call became, by the handler's own doing. */
  task: { isError: boolean } | undefined;
  readonly request: RpcRequest;
  readonly context: RequestContext;
  readonly #watcher: Watcher;
  readonly #validated: boolean;
  readonly #begunAt: number;
  readonly #startedAt: number;
  readonly #client: unknown;
  readonly #argsHash: string;
  #endedAt = 0;
  #done = false;

  /** `inSight`: whether it will be seen if the author's handler runs. */
  constructor(watcher: Watcher, request: RpcRequest, context: unknown, inSight: boolean) {
    const { clock } = watcher.destination;
    this.#begunAt = clock.now();
    this.#startedAt = clock.date();
    this.#watcher = watcher;
    this.request = request;
    this.context = contextOf(context);
    // Before the handler runs: it is free to change what it is given.
    this.#argsHash = argsHash(request.params?.arguments);
    this.#client = clientOf(watcher.server, request, this.context);
    this.#validated = watcher.validates;
    this.handler = { kind: inSight ? "not run" : "unseen" };
    serving.set(signalOf(this.context) ?? this.context, this);
  }

  get isDone(): boolean {
    return this.#done;
  }

  /** Whether the client asked for a task instead of an answer. */
  get wantsTask(): boolean {
    return isObject(this.request.params?.task);
  }

  /** The request was answered with a result. */
  answered(result: unknown): void {
    if (this.#done) return;
    this.#end();
    if (this.wantsTask && isObject(result) && isObject(result.task)) {
      // Recorded when the task ends; if nobody sees it end, not at all.
      if (this.task === undefined) this.#unrecorded("task out of sight");
      return;
    }
    const size = resultSize(result);
    const outcome = outcomeOf({
      validated: this.#validated,
      handler: this.handler,
      request: this.request,
      answer: { kind: "result", result, serializable: size.serializable },
      task: this.task,
    });
    this.#finish(outcome, result, size);
  }

  /** The request was answered with a JSON-RPC error. */
  failed(error: unknown): void {
    if (this.#done) return;
    this.#end();
    const outcome = outcomeOf({
      validated: this.#validated,
      handler: this.handler,
      request: this.request,
      answer: { kind: "error", error },
    });
    this.#finish(outcome, undefined, NO_RESULT);
  }

  /** The task behind this call ended. */
  taskEnded(status: string, result: unknown): void {
    if (this.#done) return;
    this.#end();
    this.task = { isError: isObject(result) && result.isError === true };
    if (status === "cancelled") {
      this.#unrecorded("cancelled");
      return;
    }
    // If the client did not ask for a task, the MCP SDK waits for it and answers with its result.
    if (!this.wantsTask) return;
    const ended = status === "completed" ? "ok" : "crashed";
    this.#finish(this.task.isError ? "tool_error" : ended, result, resultSize(result));
  }

  /** Measuring the answer is not part of the duration. */
  #end(): void {
    this.#endedAt = this.#watcher.destination.clock.now();
  }

  #finish(outcome: ReturnType<typeof outcomeOf>, result: unknown, size: ResultSize): void {
    const aborted = signalOf(this.context)?.aborted === true && !this.wantsTask;
    if (aborted || outcome === "input required" || outcome === "task") {
      this.#unrecorded(aborted ? "cancelled" : outcome);
      return;
    }
    this.#done = true;
    if (outcome !== "bad_args") this.#watcher.surface.exists(this.request, this.context);
    this.#watcher.recorded(
      {
        conversation: conversationOf(this.context),
        client: this.#client,
        tool: this.request.params?.name,
        startedAt: this.#startedAt,
        durationMs: this.#endedAt - this.#begunAt,
        outcome,
        units: size.units,
        isEmpty: outcome === "ok" && isEmptyResult(result),
        argsHash: this.#argsHash,
      },
      outcome === "ok" && isObject(result) ? result.structuredContent : undefined,
    );
  }

  #unrecorded(reason: string): void {
    this.#done = true;
    this.#watcher.destination.sender.loss.unrecorded(reason);
  }
}

const NO_RESULT: ResultSize = { units: 0, serializable: true };
