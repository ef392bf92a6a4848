import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type {
  AgreementPayload,
  CallPayload,
  Payload,
  StartupPayload,
} from "../../src/wire/payloads.js";
import { readSpec } from "./spec.js";

export interface Received {
  readonly headers: IncomingMessage["headers"];
  /** The body, byte for byte. */
  readonly text: string;
  readonly batch: readonly Payload[];
  /** What it was answered with. */
  status: number;
}

/** Answers a request; the default is to take everything. */
export type Responder = (received: Received, response: ServerResponse, index: number) => void;

const take: Responder = ({ batch }, response) => {
  response.writeHead(202, { "content-type": "application/json" });
  response.end(JSON.stringify({ accepted: batch.length, rejected: [], accepts: [1] }));
};

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
const isValid = ajv.compile(readSpec<object>("wire.schema.json"));

/** An ingest that keeps what it is sent, and insists on the published schema. */
export class Ingest {
  readonly received: Received[] = [];
  respond: Responder = take;
  /** What was wrong with payloads that should not have been sent. */
  readonly invalid: string[] = [];
  readonly #sockets = new Set<Socket>();
  #waiting: (() => void)[] = [];

  private constructor(readonly server: Server) {
    server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
    server.on("request", (request, response) => void this.#handle(request, response));
  }

  static async start(port = 0): Promise<Ingest> {
    const ingest = new Ingest(createServer());
    await new Promise<void>((resolve) => ingest.server.listen(port, "127.0.0.1", resolve));
    return ingest;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = "";
    request.setEncoding("utf8");
    for await (const part of request) text += part;
    const { batch } = JSON.parse(text) as { batch: Payload[] };
    for (const payload of batch) {
      if (!isValid(payload)) this.invalid.push(ajv.errorsText(isValid.errors));
    }
    const received: Received = { headers: request.headers, text, batch, status: 0 };
    this.received.push(received);
    response.on("finish", () => {
      received.status = response.statusCode;
      this.#wake();
    });
    this.respond(received, response, this.received.length - 1);
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** The payloads taken with 202, each batch once. */
  get taken(): Payload[] {
    const keys = new Set<unknown>();
    return this.received.flatMap(({ batch, headers, status }) => {
      const key = headers["idempotency-key"];
      if (status !== 202 || keys.has(key)) return [];
      keys.add(key);
      return batch;
    });
  }

  get calls(): CallPayload[] {
    return this.taken.filter((payload) => payload.type === "call");
  }

  get startups(): StartupPayload[] {
    return this.taken.filter((payload) => payload.type === "startup");
  }

  get agreements(): AgreementPayload[] {
    return this.taken.filter((payload) => payload.type === "agreement");
  }

  /** Resolves once `done` holds. */
  async until(done: (ingest: this) => boolean): Promise<this> {
    while (!done(this)) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
    assert.deepEqual(this.invalid, []);
  }
}
