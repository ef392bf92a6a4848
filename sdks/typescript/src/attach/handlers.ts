/** The inner layer: the author's own code, which either ran or did not. */

import { ours } from "../guard.js";
import { callOf } from "./call.js";
import { settled } from "./settled.js";
import { isObject } from "./shapes.js";

type Fn = (this: unknown, ...args: unknown[]) => unknown;

/**
 * Wraps a function of the author's. It gets the same arguments and gives the same result, the
 * very same promise included; what it did is noted with the call it ran for. Nothing is noted
 * while the gate is closed.
 */
export function observed(author: Fn, gate: { readonly open: boolean } = OPEN): Fn {
  return function (this: unknown, ...args: unknown[]): unknown {
    // The context is the last argument of every form either MCP SDK knows.
    const call = gate.open ? ours(() => callOf(args.at(-1))) : undefined;
    if (call === undefined) return author.apply(this, args);
    let value: unknown;
    try {
      value = author.apply(this, args);
    } catch (error) {
      call.handler = { kind: "threw", error };
      throw error;
    }
    call.handler = { kind: "returned", value };
    return settled(
      value,
      (result) => {
        call.handler = { kind: "returned", value: result };
      },
      (error) => {
        call.handler = { kind: "threw", error };
      },
    );
  };
}

const OPEN = { open: true };

/** What the MCP SDKs call for a registered tool: v2's `executor`, v1's `handler`, `callback` before. */
const MEMBERS = ["executor", "handler", "callback"] as const;

/** The tools and task handlers already wrapped. */
const wrapped = new WeakSet<object>();

/**
 * Wraps the author's code of a registered tool, for as long as the tool lives: `update()` assigns
 * the member anew, and a setter wraps again. Does nothing the second time.
 */
export function observeTool(tool: object): boolean {
  if (wrapped.has(tool)) return true;
  const members = tool as Record<string, unknown>;
  const member = MEMBERS.find((name) => name in tool && isHandler(members[name]));
  if (member === undefined) return false;
  let current = wrapHandler(members[member]);
  Object.defineProperty(tool, member, {
    configurable: true,
    enumerable: true,
    get: () => current,
    set: (next: unknown) => {
      current = wrapHandler(next);
    },
  });
  wrapped.add(tool);
  return true;
}

function isHandler(value: unknown): boolean {
  return typeof value === "function" || (isObject(value) && typeof value.createTask === "function");
}

function wrapHandler(handler: unknown): unknown {
  if (typeof handler === "function") return observed(handler as Fn);
  if (!isObject(handler) || typeof handler.createTask !== "function") return handler;
  // A task handler is an object with methods, perhaps of a class with private members, so it has
  // to stay the object it is.
  if (!wrapped.has(handler) && Object.isExtensible(handler)) {
    handler.createTask = observed(handler.createTask as Fn);
    wrapped.add(handler);
  }
  return handler;
}
