/**
 * The ring and what leaves it: batches, retries, the startup that leads them, and the flushes.
 *
 * One sender serves one destination. Nothing here runs on the call path except {@link Sender.push},
 * which stores a reference and returns.
 */
import { ours } from "../guard.js";
import type { Payload, StartupPayload } from "../wire/payloads.js";
import { Batch, type PendingStartup } from "./batch.js";
import type { Clock } from "./clock.js";
import { LossReport } from "./loss.js";
import { retryAfterMs } from "./retry-after.js";
import { Ring } from "./ring.js";
import { type Answer, REQUEST_TIMEOUT_MS, type Transport } from "./transport.js";

/** The ring holds this many payloads, those of waiting batches included. */
export const RING_CAPACITY = 1000;
/** A batch leaves at this many payloads. */
export const BATCH_SIZE = 30;
/** A batch leaves when its oldest payload is this old, in milliseconds. */
export const BATCH_AGE_MS = 5000;
/** No batch is tried again sooner than this. */
export const RETRY_MS = 5000;
/** So many startups wait outside the ring; a server has more surfaces only if each user has one. */
const STARTUPS = 20;
/** A request not answered for this long died with the runtime that began it. */
const STALE_MS = REQUEST_TIMEOUT_MS + 2000;

export interface SenderOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly sharesIo: boolean;
  /** Says why something was not sent, or what was; told nothing when debugging is off. */
  readonly say: (line: () => string) => void;
}

type Verdict = "taken" | "ended" | "again";

export class Sender {
  readonly loss = new LossReport();
  readonly #options: SenderOptions;
  readonly #ring = new Ring<Payload>(RING_CAPACITY);
  /** Batches not yet answered, oldest first. */
  #batches: Batch[] = [];
  /** Startups not taken yet, oldest first. They live outside the ring. */
  readonly #startups: PendingStartup[] = [];
  /** Whether they are worth a batch of their own. */
  #startupDue = false;
  /** Sizes of everything the ring accounts for. */
  #held = 0;
  /** When the oldest payload outside a batch came, on the monotonic clock. */
  #oldestAt = 0;
  /** No request before this, and none at all, not even at exit, before the ingest's own wish. */
  #notBefore = 0;
  #askedToWaitUntil = 0;
  #wakeAt: number | undefined;
  #warm = false;
  #cancelWake: () => void = () => {};
  /** Called when the next request is answered. */
  readonly #landings: (() => void)[] = [];

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** Takes a payload. Never blocks; at capacity the oldest is dropped and counted. */
  push(payload: Payload): void {
    this.loss.recorded += 1;
    this.warmUp();
    this.#enqueue(payload);
  }

  /**
   * Makes this the startup that leads every batch until one is taken. Startups of older surfaces
   * that were not taken go in front of it: the last one before a call says which tools it had.
   */
  lead(payload: StartupPayload, fingerprint: string): void {
    this.loss.recorded += 1;
    this.warmUp();
    this.#startups.push({ fingerprint, payload });
    this.#startupDue = true;
    if (this.#startups.length > STARTUPS) {
      this.#startups.shift();
      this.loss.dropped("too many surfaces");
    }
    this.#wake(BATCH_AGE_MS);
  }

  /** Readies the transport, off the path of the request, so that even an early exit finds it ready. */
  warmUp(): void {
    if (this.#warm) return;
    this.#warm = true;
    this.#options.clock.after(0, () => this.#options.transport.warmUp?.());
  }

  #enqueue(payload: Payload): void {
    if (this.#held === RING_CAPACITY) this.#dropOldest();
    if (this.#ring.size === 0) this.#oldestAt = this.#options.clock.now();
    this.#ring.push(payload);
    this.#held += 1;
    this.#wake(this.#ring.size >= BATCH_SIZE ? 0 : BATCH_AGE_MS);
  }

  #dropOldest(): void {
    this.#held -= 1;
    this.loss.dropped("ring full");
    const oldest = this.#batches.find((batch) => batch.texts.length > 0);
    if (oldest === undefined) {
      this.#ring.shift();
      return;
    }
    oldest.texts.shift();
    if (oldest.isEmpty && oldest.flyingSince === undefined) this.#forget(oldest);
  }

  /** Arranges to look at the ring in `ms`, unless that is already arranged for sooner. */
  #wake(ms: number): void {
    const { clock } = this.#options;
    const now = clock.now();
    // The answer to the request on its way comes first, and looks at the ring itself.
    if (this.#batches.some((batch) => isFlying(batch, now))) return;
    const at = Math.max(now + ms, this.#notBefore);
    // A timer that is overdue belonged to a request whose runtime has ended: arrange another.
    const overdue = this.#wakeAt !== undefined && now > this.#wakeAt + 1000;
    if (this.#wakeAt !== undefined && this.#wakeAt <= at && !overdue) return;
    this.#cancelWake();
    this.#wakeAt = at;
    this.#cancelWake = clock.after(at - now, () => {
      this.#wakeAt = undefined;
      this.#tick();
    });
  }

  #tick(): void {
    const now = this.#options.clock.now();
    if (this.#batches.some((batch) => isFlying(batch, now))) return;
    if (now < this.#notBefore) {
      this.#wake(this.#notBefore - now);
      return;
    }
    const batch = this.#nextBatch();
    if (batch !== undefined) this.#dispatch(batch, () => this.#wakeForRest());
  }

  #wakeForRest(): void {
    const age = this.#options.clock.now() - this.#oldestAt;
    if (this.#batches.length > 0 || this.#ring.size >= BATCH_SIZE) this.#wake(0);
    else if (this.#ring.size > 0) this.#wake(Math.max(0, BATCH_AGE_MS - age));
    else if (this.#startupDue) this.#wake(BATCH_AGE_MS);
  }

  /** The oldest batch that waits, or a new one if there is anything to send. */
  #nextBatch(): Batch | undefined {
    const now = this.#options.clock.now();
    const waiting = this.#batches.find((batch) => !isFlying(batch, now));
    if (waiting !== undefined) return waiting;
    // Those in front of a batch on its way are not sent twice.
    const carried = new Set(
      this.#batches.flatMap(({ startups }) => startups.map(({ fingerprint }) => fingerprint)),
    );
    const startups = this.#startups.filter(({ fingerprint }) => !carried.has(fingerprint));
    if (this.#ring.size === 0 && !(startups.length > 0 && this.#startupDue)) return undefined;

    const batch = new Batch();
    batch.lead(startups);
    for (let next = this.#ring.peek(); next !== undefined; next = this.#ring.peek()) {
      if (!batch.add(JSON.stringify(next))) break;
      this.#ring.shift();
    }
    this.#batches.push(batch);
    return batch;
  }

  #dispatch(batch: Batch, then: (verdict: Verdict) => void): void {
    const { url, headers, transport, clock, say } = this.#options;
    const begun = clock.now();
    batch.flyingSince = begun;
    batch.flyingCount = batch.texts.length;
    say(() =>
      batch
        .payloads()
        .map((text) => `sending ${text}`)
        .join("\n"),
    );
    const request = {
      url,
      headers: { ...headers, "Idempotency-Key": batch.idempotencyKey },
      body: batch.body(),
    };
    const land = (answer: Answer) => {
      // A late answer to a request that was given up and begun again says nothing new.
      if (batch.flyingSince !== begun) return;
      batch.flyingSince = undefined;
      then(this.#answered(batch, answer));
      for (const landed of this.#landings.splice(0)) landed();
    };
    transport.send(request, (answer) => ours(() => land(answer)));
  }

  #answered(batch: Batch, answer: Answer): Verdict {
    const { clock, say } = this.#options;
    const { status } = answer;
    if (status === 202) {
      this.#taken(batch, answer);
      return "taken";
    }
    const now = clock.now();
    // Spread out, so that a fleet does not come back at the same instant.
    this.#notBefore = now + RETRY_MS + clock.jitter(1000);
    const what = status === 0 ? "nothing answered" : `the ingest answered ${status}`;
    if (status !== 0 && status !== 429 && status !== 503) {
      say(() => `not sent: ${what}; ${batch.texts.length} payloads dropped`);
      this.loss.dropped(`answered ${status}`, batch.texts.length);
      // Startups lead the next batch, but do not make one.
      this.#startupDue = false;
      this.#forget(batch);
      return "ended";
    }
    const wait = retryAfterMs(answer.retryAfter, clock.date());
    this.#askedToWaitUntil = now + wait;
    this.#notBefore = Math.max(this.#notBefore, this.#askedToWaitUntil);
    say(() => `not sent: ${what}; trying again in ${Math.ceil((this.#notBefore - now) / 1000)} s`);
    if (batch.isEmpty) this.#forget(batch);
    return "again";
  }

  #taken(batch: Batch, answer: Answer): void {
    // What the full ring dropped while the request was on its way did arrive.
    this.loss.dropped("ring full", batch.texts.length - batch.flyingCount);
    this.loss.sent += batch.flyingCount;
    for (const { fingerprint } of batch.startups) {
      const at = this.#startups.findIndex((startup) => startup.fingerprint === fingerprint);
      if (at === -1) continue;
      this.#startups.splice(at, 1);
      this.loss.sent += 1;
    }
    if (this.#startups.length === 0) this.#startupDue = false;
    this.#notBefore = 0;
    // It comes from elsewhere: nothing in it may reach a terminal as more than letters.
    this.#options.say(() => `taken: ${(answer.body ?? "").replace(/[^ -~]/g, "?")}`);
    this.#forget(batch);
  }

  #forget(batch: Batch): void {
    this.#held -= batch.texts.length;
    batch.texts.length = 0;
    this.#batches = this.#batches.filter((other) => other !== batch);
  }

  /**
   * Sends everything held, now. Resolves when all of it is answered, when the ingest fails, or
   * after `timeoutMs`. Never rejects.
   */
  async flush(timeoutMs: number): Promise<void> {
    const { clock, transport } = this.#options;
    let timedOut: () => void = () => {};
    const timeout = new Promise<"timeout">((resolve) => {
      timedOut = () => resolve("timeout");
    });
    const cancel = clock.after(timeoutMs, timedOut);
    transport.keepAlive(true);
    try {
      while (clock.now() >= this.#askedToWaitUntil) {
        const step = this.#flushStep();
        if (step === undefined) break;
        const verdict = await Promise.race([step, timeout]);
        if (verdict !== "taken" && verdict !== "landed") break;
      }
    } finally {
      cancel();
      transport.keepAlive(false);
      this.#wakeForRest();
    }
  }

  /** The next thing a flush has to wait for, or `undefined` when all is sent. */
  #flushStep(): Promise<Verdict | "landed"> | undefined {
    const now = this.#options.clock.now();
    if (this.#options.sharesIo && this.#batches.some((batch) => isFlying(batch, now))) {
      return new Promise((resolve) => this.#landings.push(() => resolve("landed")));
    }
    const batch = this.#nextBatch();
    return batch && new Promise((resolve) => this.#dispatch(batch, resolve));
  }

  /** Hands everything held to the transport without waiting; for the exit of the process. */
  dispatchAll(): void {
    if (this.#options.clock.now() < this.#askedToWaitUntil) return;
    for (let batch = this.#nextBatch(); batch !== undefined; batch = this.#nextBatch()) {
      this.#dispatch(batch, () => {});
      if (batch.flyingSince === undefined) return;
    }
  }

  /** How many payloads are held. */
  get held(): number {
    return this.#held;
  }
}

function isFlying({ flyingSince }: Batch, now: number): boolean {
  return flyingSince !== undefined && now - flyingSince < STALE_MS;
}
