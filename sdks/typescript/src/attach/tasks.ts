/**
 * Tasks of MCP SDK 1: a call that answers with a ticket, and a result that a store gets later.
 * The store is the one place where the end of a task can be seen.
 */
import { BoundedMap } from "../bounded.js";
import { ours, override } from "../guard.js";
import type { Call } from "./call.js";
import { isObject, isThenable } from "./shapes.js";

/** This many unfinished tasks are followed per store. */
const PENDING = 1000;

const FOLLOWED: unique symbol = Symbol.for("mcpulse.followed") as never;

type Method = (...args: unknown[]) => unknown;

interface TaskStore {
  createTask: Method;
  storeTaskResult: Method;
  updateTaskStatus: Method;
  [FOLLOWED]?: Follower;
}

interface Follower {
  /** Calls by the `params` of their request, which the store is given when it makes a task. */
  readonly calls: WeakMap<object, Call>;
  readonly pending: BoundedMap<string, Call>;
}

/** Follows a call into the store, in case a task is made for it. */
export function followTask(call: Call, store: object | undefined): void {
  const { params } = call.request;
  if (!isTaskStore(store) || !isObject(params)) return;
  followerOf(store).calls.set(params, call);
}

function isTaskStore(store: object | undefined): store is TaskStore {
  const { createTask, storeTaskResult, updateTaskStatus } = (store ?? {}) as Partial<TaskStore>;
  return [createTask, storeTaskResult, updateTaskStatus].every((fn) => typeof fn === "function");
}

function followerOf(store: TaskStore): Follower {
  if (store[FOLLOWED] !== undefined) return store[FOLLOWED];
  const follower: Follower = { calls: new WeakMap(), pending: new BoundedMap(PENDING) };
  Object.defineProperty(store, FOLLOWED, { value: follower });

  after(store, "createTask", ([, , request], task) => {
    const params = isObject(request) ? request.params : undefined;
    const call = isObject(params) ? follower.calls.get(params) : undefined;
    if (call === undefined || !isObject(task) || typeof task.taskId !== "string") return;
    call.task = { isError: false };
    follower.pending.set(task.taskId, call);
  });
  after(store, "storeTaskResult", ([taskId, status, result]) => {
    follower.pending.take(String(taskId))?.taskEnded(String(status), result);
  });
  after(store, "updateTaskStatus", ([taskId, status]) => {
    if (status !== "failed" && status !== "cancelled") return;
    follower.pending.take(String(taskId))?.taskEnded(status, undefined);
  });
  return follower;
}

/**
 * Calls `then` once a method of the store has succeeded. What the method gives is handed on as a
 * promise of its own, so that a failure nobody handles stays one.
 */
function after(
  store: TaskStore,
  name: "createTask" | "storeTaskResult" | "updateTaskStatus",
  then: (args: unknown[], result: unknown) => void,
): void {
  const method = store[name];
  override(store, name, function (this: unknown, ...args: unknown[]): unknown {
    const result = method.apply(this, args);
    const note = (value: unknown) => {
      ours(() => then(args, value));
      return value;
    };
    return isThenable(result) ? result.then(note) : note(result);
  });
}
