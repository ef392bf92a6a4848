/** A batch: payloads that travel together, under one idempotency key until they are answered. */
import { randomHex } from "../random.js";
import type { StartupPayload } from "../wire/payloads.js";

/** At most this many payloads in a request. */
export const MAX_PAYLOADS = 500;
/** At most this many bytes in a request. */
export const MAX_BYTES = 1024 * 1024;
/** `{"batch":[` and `]}`. */
const ENVELOPE_BYTES = 12;

/** A startup not taken yet, and what tells its surface from others. */
export interface PendingStartup {
  readonly fingerprint: string;
  readonly payload: StartupPayload;
}

export class Batch {
  readonly idempotencyKey = randomHex(16);
  /** Payloads as JSON text, oldest first; the ring may take back the oldest while it waits. */
  readonly texts: string[] = [];
  /** The startups in front of them. Kept as first sent: the idempotency key stands for them. */
  readonly startups: { readonly fingerprint: string; readonly text: string }[] = [];
  /** When the request on its way was begun, on the monotonic clock; `undefined` while waiting. */
  flyingSince: number | undefined;
  /** How many texts the request on its way carries. */
  flyingCount = 0;
  #bytes = ENVELOPE_BYTES;

  /** Puts startups in front, oldest first. The newest always finds room, older ones if they fit. */
  lead(pending: readonly PendingStartup[]): void {
    for (const { fingerprint, payload } of [...pending].reverse()) {
      let text = JSON.stringify(payload);
      if (this.#bytes + utf8Bytes(text) > MAX_BYTES) {
        if (this.startups.length > 0) return;
        // Only an absurd number of declared agreements gets here; the tools matter more.
        text = JSON.stringify({ ...payload, agreements: undefined });
      }
      this.startups.unshift({ fingerprint, text });
      this.#bytes += utf8Bytes(text) + 1;
    }
  }

  /** Adds a payload unless the batch is full. */
  add(text: string): boolean {
    const bytes = utf8Bytes(text) + 1;
    const count = this.texts.length + this.startups.length;
    if (count >= MAX_PAYLOADS || this.#bytes + bytes > MAX_BYTES) return false;
    this.texts.push(text);
    this.#bytes += bytes;
    return true;
  }

  get isEmpty(): boolean {
    return this.texts.length === 0 && this.startups.length === 0;
  }

  /** The payloads of the request, startups first. */
  payloads(): readonly string[] {
    return [...this.startups.map(({ text }) => text), ...this.texts];
  }

  body(): string {
    return `{"batch":[${this.payloads().join(",")}]}`;
  }
}

const encoder = new TextEncoder();

function utf8Bytes(text: string): number {
  return encoder.encode(text).length;
}
