/** Which of the four outcomes a call had, from what is known about it and not from messages. */
import type { Outcome } from "../wire/payloads.js";
import { isObject, type RpcRequest } from "./shapes.js";

/** What became of the author's handler. */
export type HandlerState =
  /** It is not known whether it ran: it was registered before this package was attached. */
  | { readonly kind: "unseen" }
  | { readonly kind: "not run" }
  | { readonly kind: "returned"; readonly value: unknown }
  | { readonly kind: "threw"; readonly error: unknown };

/** How the request was answered. */
export type Answered =
  | { readonly kind: "result"; readonly result: unknown; readonly serializable: boolean }
  | { readonly kind: "error"; readonly error: unknown };

export interface CallFacts {
  /**
   * Whether the MCP SDK validates arguments in front of the handler (a high-level server), or
   * the handler is its own validation (a low-level one).
   */
  readonly validated: boolean;
  readonly handler: HandlerState;
  readonly request: RpcRequest;
  readonly answer: Answered;
  /** How the task behind the call ended, if there was one and it was seen to. */
  readonly task?: { readonly isError: boolean } | undefined;
}

/** Not a finished call: the client is asked for more, or gets a task to come back for. */
export type Unfinished = "input required" | "task";

const INVALID_PARAMS = -32602;
const METHOD_NOT_FOUND = -32601;
const URL_ELICITATION_REQUIRED = -32042;
/** Codes the MCP SDKs themselves use for failures: internal, timed out, connection closed. */
const FAILURES = new Set([-32603, -32001, -32000]);

export function outcomeOf(facts: CallFacts): Outcome | Unfinished {
  const { answer } = facts;
  if (answer.kind === "error") return outcomeOfError(facts, answer.error);
  if (!isObject(answer.result)) return facts.handler.kind === "not run" ? "bad_args" : "crashed";
  const { resultType, isError } = answer.result;
  if (resultType === "input_required") return "input required";
  if (typeof resultType === "string" && resultType !== "complete") return "task";
  if (!answer.serializable) return "crashed";
  return isError === true ? outcomeOfErrorResult(facts) : "ok";
}

/** The answer is a result that says `isError`. */
function outcomeOfErrorResult({ validated, handler, task }: CallFacts): Outcome {
  switch (handler.kind) {
    case "unseen":
      return "tool_error";
    case "not run":
      return validated ? "bad_args" : "tool_error";
    case "threw":
      return outcomeOfThrown(handler.error);
    case "returned":
      if (isObject(handler.value) && handler.value.isError === true) return "tool_error";
      // A task's handler returned the task; its own result came later.
      if (task !== undefined) return task.isError ? "tool_error" : "crashed";
      return "crashed";
  }
}

/** The answer is a JSON-RPC error. */
function outcomeOfError(facts: CallFacts, error: unknown): Outcome | Unfinished {
  // The client is sent to a URL and then calls again.
  if (protocolCode(error) === URL_ELICITATION_REQUIRED) return "input required";
  const { validated, handler, request } = facts;
  switch (handler.kind) {
    case "not run":
      return "bad_args";
    case "returned":
      return "crashed";
    case "threw":
      return validated ? outcomeOfThrown(handler.error) : outcomeOfUnbound(handler.error);
    case "unseen":
      if (!isCallable(request)) return "bad_args";
      return isRejectedResult(error) ? "crashed" : outcomeOfUnbound(error);
  }
}

/**
 * The MCP SDKs have no error type for tools alone; what comes nearest is their protocol error,
 * thrown with a code of the author's choice.
 */
function outcomeOfThrown(error: unknown): Outcome {
  const code = protocolCode(error);
  return code === undefined || FAILURES.has(code) ? "crashed" : "tool_error";
}

/** A low-level handler finds tools and reads arguments itself, and says so by these two codes. */
function outcomeOfUnbound(error: unknown): Outcome {
  const code = protocolCode(error);
  return code === INVALID_PARAMS || code === METHOD_NOT_FOUND ? "bad_args" : outcomeOfThrown(error);
}

/** Whether the MCP SDKs' schema of `tools/call` lets a request through to a handler. */
function isCallable({ params }: RpcRequest): boolean {
  return (
    isObject(params) &&
    typeof params.name === "string" &&
    (params.arguments === undefined ||
      (isObject(params.arguments) && !Array.isArray(params.arguments)))
  );
}

/**
 * For a low-level handler registered before this package was attached, the MCP SDK's refusal of
 * its result looks like an error it threw itself, but for the fixed start of the message.
 */
function isRejectedResult(error: unknown): boolean {
  return (
    protocolCode(error) === INVALID_PARAMS &&
    /^(?:MCP error -32602: )?Invalid tools\/call result: /.test(String((error as Error).message))
  );
}

/** The code of a protocol error of either MCP SDK; `undefined` for any other error. */
function protocolCode(error: unknown): number | undefined {
  if (!isObject(error)) return undefined;
  const { name, code } = error;
  if (name !== "McpError" && name !== "ProtocolError") return undefined;
  return Number.isSafeInteger(code) ? (code as number) : undefined;
}
