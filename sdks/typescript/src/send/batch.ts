/** A batch: payloads that travel together, under one idempotency key until they are answered. */
import { randomHex } from "../random.js";
import type { StartupPayload } from "../wire/payloads.js";

/** At most this many payloads in a request. */
export const MAX_PAYLOADS = 500;
/** At most this many bytes in a request. */
export const MAX_BYTES = 1024 * 1024;
/** `{"batch":[` and `]}`. */
const ENVELOPE_BYTES = 12;

export class Batch {
  readonly idempotencyKey = randomHex(16);
  /** Payloads as JSON text, oldest first; the ring may take back the oldest while it waits. */
  readonly texts: string[] = [];
  /** The startup leading this batch. Kept as it was first sent: the idempotency key stands for it. */
  startup: { readonly fingerprint: string; readonly text: string } | undefined;
  /** When the request on its way was begun, on the monotonic clock; `undefined` while waiting. */
  flyingSince: number | undefined;
  /** How many texts the request on its way carries. */
  flyingCount = 0;
  #bytes = ENVELOPE_BYTES;

  lead(payload: StartupPayload, fingerprint: string): void {
    let text = JSON.stringify(payload);
    if (utf8Bytes(text) + ENVELOPE_BYTES > MAX_BYTES) {
      // Only an absurd number of declared agreements gets here; the tools matter more.
      text = JSON.stringify({ ...payload, agreements: undefined });
    }
    this.startup = { fingerprint, text };
    this.#bytes += utf8Bytes(text) + 1;
  }

  /** Adds a payload unless the batch is full. */
  add(text: string): boolean {
    const bytes = utf8Bytes(text) + 1;
    const count = this.texts.length + (this.startup === undefined ? 0 : 1);
    if (count >= MAX_PAYLOADS || this.#bytes + bytes > MAX_BYTES) return false;
    this.texts.push(text);
    this.#bytes += bytes;
    return true;
  }

  get isEmpty(): boolean {
    return this.texts.length === 0 && this.startup === undefined;
  }

  /** The payloads of the request, startup first. */
  payloads(): readonly string[] {
    return this.startup === undefined ? this.texts : [this.startup.text, ...this.texts];
  }

  body(): string {
    return `{"batch":[${this.payloads().join(",")}]}`;
  }
}

const encoder = new TextEncoder();

function utf8Bytes(text: string): number {
  return encoder.encode(text).length;
}
