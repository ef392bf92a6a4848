/** How a batch travels: one HTTP request, one answer. */

export interface Outgoing {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Answer {
  /** HTTP status, or 0 when nothing answered within {@link REQUEST_TIMEOUT_MS}. */
  readonly status: number;
  /** The value of `Retry-After`, as sent. */
  readonly retryAfter?: string;
  /** The start of the body; only looked at for what the ingest rejected. */
  readonly body?: string;
}

export interface Transport {
  /** Sends without waiting and without throwing; `done` is called once. */
  send(request: Outgoing, done: (answer: Answer) => void): void;
  /** Whether requests on their way keep the process alive; they do not unless asked. */
  keepAlive(on: boolean): void;
  /** Does ahead what the first request would have to wait for. */
  warmUp?(): void;
  /**
   * Waits synchronously for all answers, at most `timeoutMs`: the only way to send anything while
   * a process is exiting. Absent where the runtime has no such way.
   */
  settle?(timeoutMs: number): void;
}

/** One request, from first byte to last, in milliseconds. */
export const REQUEST_TIMEOUT_MS = 10_000;

/** An ingest is not trusted to end its body: this much of it is read, in UTF-16 units. */
export const ANSWER_LIMIT = 16_384;
