/** Watching a value of the host's come to its end, without changing what the host sees of it. */
import { ours, override } from "../guard.js";
import { isThenable } from "./shapes.js";

const { then } = Promise.prototype;

/**
 * Tells how `value` ends: at once when it is no promise, else when it settles. Returns what the
 * host is to get in its place.
 *
 * That is the same object, promises included. Only where it is another kind of thenable it is one
 * that looks like it: asking such an object for its end may be what starts it (query builders run
 * their query then), so that is left to the host and listened to.
 */
export function settled(
  value: unknown,
  fulfilled: (result: unknown) => void,
  rejected: (error: unknown) => void,
): unknown {
  const onFulfilled = (result: unknown) => void ours(() => fulfilled(result));
  const onRejected = (error: unknown) => void ours(() => rejected(error));
  return (
    ours(() => {
      if (value instanceof Promise) {
        // Not its own `then`, which may do anything.
        then.call(value, onFulfilled, onRejected);
        return { handed: value };
      }
      if (isThenable(value)) return { handed: overheard(value, onFulfilled, onRejected) };
      onFulfilled(value);
      return { handed: value };
    }) ?? { handed: value }
  ).handed;
}

type Listener = (value: unknown) => unknown;

/** An object that inherits all from `thenable` and notes what it tells the one who asks it. */
function overheard(thenable: PromiseLike<unknown>, fulfilled: Listener, rejected: Listener) {
  const passing = (note: Listener, given: unknown) =>
    typeof given === "function"
      ? (outcome: unknown) => {
          note(outcome);
          return given(outcome);
        }
      : given;
  const ask = (onFulfilled?: unknown, onRejected?: unknown) =>
    thenable.then(
      passing(fulfilled, onFulfilled) as Listener,
      passing(rejected, onRejected) as Listener,
    );
  const heir: object = Object.create(thenable);
  override(heir, "then", ask);
  return heir;
}
