import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  Worker,
} from "node:worker_threads";
import { fetchTransport } from "../send/fetch-transport.js";
import {
  ANSWER_LIMIT,
  type Answer,
  type Outgoing,
  REQUEST_TIMEOUT_MS,
  type Transport,
} from "../send/transport.js";
import { WORKER_SOURCE } from "./worker-source.js";

interface Reply {
  readonly id: number;
  readonly answer: Answer;
}

interface Thread {
  readonly worker: Worker;
  readonly port: MessagePort;
  /** One number: how many requests the thread has answered. */
  readonly answered: Int32Array;
}

/**
 * Sends from a thread of its own.
 *
 * A host's event loop must not be kept alive by a request, a socket or a name lookup of ours, and
 * at `process.exit()` nothing asynchronous runs any more: with a thread the first holds by
 * construction, and at exit the main thread can wait for the answers, within a bound.
 *
 * Where no thread can be started (a permission model, a limit), it sends with `fetch` instead.
 */
export function workerTransport(): Transport {
  return new WorkerTransport();
}

class WorkerTransport implements Transport {
  #thread: Thread | undefined;
  #fallback: Transport | undefined;
  #keepAlive = 0;
  #lastId = 0;
  readonly #waiting = new Map<number, (answer: Answer) => void>();

  send(request: Outgoing, done: (answer: Answer) => void): void {
    const thread = this.#start();
    if (thread === undefined) {
      this.#fallback?.send(request, done);
      return;
    }
    this.#lastId += 1;
    this.#waiting.set(this.#lastId, done);
    thread.port.postMessage({ id: this.#lastId, request });
  }

  warmUp(): void {
    this.#start();
  }

  keepAlive(on: boolean): void {
    this.#keepAlive += on ? 1 : -1;
    if (this.#keepAlive > 0) this.#thread?.port.ref();
    else this.#thread?.port.unref();
  }

  settle(timeoutMs: number): void {
    const thread = this.#thread;
    const until = performance.now() + timeoutMs;
    while (thread !== undefined && this.#waiting.size > 0) {
      // Read before looking, so that an answer that comes in between ends the wait at once.
      const answered = Atomics.load(thread.answered, 0);
      for (let got = take(thread.port); got !== undefined; got = take(thread.port)) this.#land(got);
      const left = until - performance.now();
      if (this.#waiting.size === 0 || left <= 0) return;
      Atomics.wait(thread.answered, 0, answered, left);
    }
  }

  #start(): Thread | undefined {
    if (this.#thread !== undefined || this.#fallback !== undefined) return this.#thread;
    try {
      this.#thread = startThread();
    } catch {
      this.#fallback = fetchTransport();
      return undefined;
    }
    const { worker, port } = this.#thread;
    port.on("message", (reply: Reply) => this.#land(reply));
    if (this.#keepAlive === 0) port.unref();
    worker.on("error", () => this.#lost());
    worker.on("exit", () => this.#lost());
    return this.#thread;
  }

  #land({ id, answer }: Reply): void {
    const done = this.#waiting.get(id);
    this.#waiting.delete(id);
    done?.(answer);
  }

  /** The thread ended early; the next request starts another. */
  #lost(): void {
    this.#thread = undefined;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const done of waiting) done({ status: 0 });
  }
}

function startThread(): Thread {
  const { port1: port, port2 } = new MessageChannel();
  const answered = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const worker = new Worker(WORKER_SOURCE, {
    eval: true,
    name: "mcpulse",
    workerData: {
      port: port2,
      answered,
      timeoutMs: REQUEST_TIMEOUT_MS,
      answerLimit: ANSWER_LIMIT,
    },
    transferList: [port2],
    // The host's loaders, inspectors and hooks are not for this thread.
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 },
  });
  worker.unref();
  return { worker, port, answered };
}

function take(port: MessagePort): Reply | undefined {
  return receiveMessageOnPort(port)?.message as Reply | undefined;
}
