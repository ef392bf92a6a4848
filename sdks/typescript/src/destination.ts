/**
 * Where payloads of one endpoint and key go: one session and one ring per process, shared by
 * every `watch()` that names them.
 */
import { AgreementBook, type AgreementVerdict } from "./agreements.js";
import { BoundedMap } from "./bounded.js";
import { ours } from "./guard.js";
import type { Settings } from "./options.js";
import { platform } from "./platform.js";
import { newSessionId } from "./random.js";
import { type Clock, systemClock } from "./send/clock.js";
import { Sender } from "./send/sender.js";
import type { Transport } from "./send/transport.js";
import { VERSION } from "./version.js";
import {
  type CallPayload,
  fitInteger,
  fitName,
  LIMITS,
  type Outcome,
  type StartupPayload,
} from "./wire/payloads.js";
import { hash12 } from "./wire/sha256.js";

/** A finished call, in this process's terms. */
export interface FinishedCall {
  /** The conversation the protocol names, if it does. */
  readonly conversation: string | undefined;
  readonly client: unknown;
  readonly tool: unknown;
  /** Wall clock, milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly outcome: Outcome;
  readonly units: number;
  readonly isEmpty: boolean;
  readonly argsHash: string;
}

export type StartupFacts = Omit<StartupPayload, "v" | "type" | "session_id" | "sdk">;

/** Session ids of conversations are remembered for this many. */
const CONVERSATIONS = 10_000;
/** So many surfaces are remembered as sent; a server with one per user may have many. */
const SURFACES = 4096;
/** Collecting the tools of a server is free this many times, */
const COLLECT_BURST = 20;
/** and then once in this time. */
const COLLECT_INTERVAL_MS = 5000;
/** A final flush may hold up the exit of the process this long, all destinations together. */
const EXIT_BUDGET_MS = 1000;
/** Of these, for debug lines that stderr does not take at once. */
const LAST_LINES_MS = 200;

export class Destination {
  readonly sender: Sender;
  readonly agreements = new AgreementBook();
  readonly clock: Clock;
  /** Set by any watcher that asks for it. */
  debug = false;
  readonly #identity: string;
  #session: string | undefined;
  readonly #conversations = new BoundedMap<string, string>(CONVERSATIONS);
  readonly #surfaces = new BoundedMap<string, true>(SURFACES);
  readonly #lists = new BoundedMap<string, true>(SURFACES);
  #collectCredit = COLLECT_BURST;
  #collectedAt = 0;
  readonly #putOff = new Set<() => Promise<void>>();
  readonly #running = new Set<Promise<void>>();

  constructor(settings: Settings, transport: Transport, clock: Clock) {
    this.clock = clock;
    this.#identity = hash12(`${settings.endpoint} ${settings.key}`);
    this.sender = new Sender({
      url: `${settings.endpoint}/v1/ingest`,
      headers: {
        Authorization: `Bearer ${settings.key}`,
        "Content-Type": "application/json",
        "User-Agent": `mcpulse-typescript/${VERSION}`,
      },
      transport,
      clock,
      sharesIo: platform().sharesIo,
      say: (line) => {
        if (this.debug) say(line());
      },
    });
  }

  /** Made on first use: Workers allow no random numbers before the first request. */
  get session(): string {
    this.#session ??= platform().sharedSession(this.#identity, newSessionId);
    return this.#session;
  }

  #sessionOf(conversation: string | undefined): string {
    if (conversation === undefined) return this.session;
    let session = this.#conversations.get(conversation);
    if (session === undefined) {
      session = newSessionId();
      this.#conversations.set(conversation, session);
    }
    return session;
  }

  /** Records a call. `perConversation` is the watcher's `sessions` option. */
  recordCall(call: FinishedCall, perConversation: boolean): void {
    const payload: CallPayload = {
      v: 1,
      type: "call",
      session_id: this.#sessionOf(perConversation ? call.conversation : undefined),
      client_name: fitName(call.client, LIMITS.clientName),
      tool_name: fitName(call.tool, LIMITS.toolName),
      started_at: new Date(call.startedAt),
      duration_ms: fitInteger(call.durationMs, LIMITS.durationMs),
      outcome: call.outcome,
      response_bytes: fitInteger(call.units, LIMITS.units),
      is_empty: call.outcome === "ok" && call.isEmpty,
      args_hash: call.argsHash,
    };
    this.sender.push(payload);
  }

  recordVerdicts(verdicts: readonly AgreementVerdict[]): void {
    for (const { field, toolA, toolB, agreed, windowMs } of verdicts) {
      this.sender.push({
        v: 1,
        type: "agreement",
        session_id: this.session,
        field,
        tool_a: toolA,
        tool_b: toolB,
        agreed,
        checked_at: new Date(this.clock.date()),
        window_ms: windowMs,
      });
    }
  }

  /** Sends the startup of a surface, once per surface and session. Says whether it was new. */
  recordSurface(facts: StartupFacts): boolean {
    // A surface is a set: the same tools in another order are the same surface.
    const tools = facts.tools.map((tool) => JSON.stringify(tool)).sort();
    const fingerprint = hash12(JSON.stringify([tools, facts.agreements ?? []]));
    if (this.#surfaces.get(fingerprint) !== undefined) return false;
    this.#surfaces.set(fingerprint, true);
    this.sender.lead(
      {
        v: 1,
        type: "startup",
        session_id: this.session,
        ...facts,
        sdk: `mcpulse-typescript/${VERSION}`,
      },
      fingerprint,
    );
    return true;
  }

  /** Whether exactly this list of tools, as JSON, was dealt with before. */
  knowsList(hash: string): boolean {
    if (this.#lists.get(hash) !== undefined) return true;
    this.#lists.set(hash, true);
    return false;
  }

  /**
   * Whether tools may be collected now. Collecting runs code of the host's and may be dear, and
   * servers built per request would pay for it each time: a burst is free, then one per interval.
   */
  mayCollect(): boolean {
    const now = this.clock.now();
    const earned = (now - this.#collectedAt) / COLLECT_INTERVAL_MS;
    this.#collectCredit = Math.min(COLLECT_BURST, this.#collectCredit + earned);
    this.#collectedAt = now;
    return this.#collectCredit >= 1;
  }

  /** Tools are being collected. */
  collecting(): void {
    this.#collectCredit -= 1;
  }

  /** Notes work that is put off, so that {@link flush} can bring it forward; returns how to drop it. */
  later(work: () => Promise<void>): () => void {
    this.#putOff.add(work);
    return () => this.#putOff.delete(work);
  }

  /** Does work that was put off. */
  runLater(work: () => Promise<void>): void {
    const running = work().catch(() => {});
    this.#running.add(running);
    running.then(() => this.#running.delete(running));
  }

  /** Begins everything put off. */
  runAllLater(): void {
    for (const work of [...this.#putOff]) this.runLater(work);
  }

  /** Sends everything, work put off included, within `timeoutMs`. */
  async flush(timeoutMs: number): Promise<void> {
    const until = this.clock.now() + timeoutMs;
    this.runAllLater();
    if (this.#running.size > 0) {
      let giveUp: () => void = () => {};
      const timeout = new Promise<void>((resolve) => {
        giveUp = this.clock.after(timeoutMs, resolve);
      });
      await Promise.race([Promise.all(this.#running), timeout]);
      giveUp();
    }
    await this.sender.flush(Math.max(0, until - this.clock.now()));
  }

  say(line: string): void {
    if (this.debug) say(line);
  }
}

/** Debug lines of the end of the process, which are written together. */
let last: string[] | undefined;

/** Writes a debug line. */
export function say(line: string): void {
  try {
    for (const part of line.split("\n")) {
      const text = `mcpulse: ${part}`;
      if (last !== undefined) last.push(text);
      else platform().writeLine(text);
    }
  } catch {
    // stderr may be closed; that is no business of the host's.
  }
}

interface Registry {
  readonly destinations: Map<string, Destination>;
  transport: Transport;
}

/**
 * Kept on the global object, because a process that loads this package both as ESM and as
 * CommonJS has two copies of this module and must still have one session.
 */
const REGISTRY = Symbol.for(`mcpulse/${VERSION}`);

function registry(): Registry {
  const holder = globalThis as { [REGISTRY]?: Registry };
  let found = holder[REGISTRY];
  if (found === undefined) {
    found = { destinations: new Map(), transport: platform().createTransport() };
    Object.defineProperty(holder, REGISTRY, { value: found });
    const { destinations } = found;
    platform().onIdle(() => {
      for (const destination of destinations.values()) ours(() => destination.runAllLater());
    });
    platform().onExit(() => ours(() => flushAtExit(found as Registry)));
  }
  return found;
}

/** The destination of these settings, made if this process has none yet. */
export function destinationOf(settings: Settings): Destination {
  const { destinations, transport } = registry();
  const key = `${settings.endpoint} ${settings.key}`;
  let destination = destinations.get(key);
  if (destination === undefined) {
    destination = new Destination(settings, transport, systemClock);
    destinations.set(key, destination);
  }
  if (settings.debug) destination.debug = true;
  return destination;
}

/** All destinations of this process. */
export function allDestinations(): Destination[] {
  return [...registry().destinations.values()];
}

function flushAtExit({ destinations, transport }: Registry): void {
  last = [];
  try {
    for (const { sender } of destinations.values()) sender.dispatchAll();
    const debugs = [...destinations.values()].some(({ debug }) => debug);
    transport.settle?.(debugs ? EXIT_BUDGET_MS - LAST_LINES_MS : EXIT_BUDGET_MS);
    for (const destination of destinations.values()) {
      destination.say(`at exit: ${destination.sender.loss}, held ${destination.sender.held}`);
    }
    if (last.length > 0) platform().writeLast(last.join("\n"), LAST_LINES_MS);
  } finally {
    last = undefined;
  }
}
