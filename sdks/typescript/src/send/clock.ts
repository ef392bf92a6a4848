import { ours } from "../guard.js";

/** Time, so that tests can run it. All of it in milliseconds. */
export interface Clock {
  /** Monotonic. */
  now(): number;
  /** The wall clock, since 1970. */
  date(): number;
  /** Calls `run` after `ms`, without keeping the process alive; returns a way to call it off. */
  after(ms: number, run: () => void): () => void;
  /** A random time from 0 to `ms`. */
  jitter(ms: number): number;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => Date.now(),
  after(ms, run) {
    // What a timer throws would end the host.
    const timer: unknown = setTimeout(() => ours(run), ms);
    // Where timers are objects they can be told not to keep the process alive.
    (timer as { unref?: () => void }).unref?.();
    return () => clearTimeout(timer as ReturnType<typeof setTimeout>);
  },
  jitter: (ms) => Math.random() * ms,
};
