import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../../harness/main.js", import.meta.url));

interface Reply {
  readonly id?: number;
  readonly method?: string;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The harness as a child process, driven with raw JSON-RPC. */
export class Harness {
  readonly child: ChildProcessWithoutNullStreams;
  /** Every line of stdout. */
  readonly lines: string[] = [];
  stderr = "";
  /** What the server is answered when it asks the client to elicit. */
  answer: object | undefined;
  readonly ended: Promise<Ending>;
  #lastId = 0;
  readonly #replies = new Map<number, (reply: Reply) => void>();
  #firstLine: (line: string) => void = () => {};
  readonly firstLine = new Promise<string>((resolve) => {
    this.#firstLine = resolve;
  });

  constructor(flags: readonly string[], env: Record<string, string> = {}) {
    this.child = spawn(process.execPath, ["--expose-gc", main, ...flags], {
      env: { ...process.env, MCPULSE_KEY: "", ...env },
    });
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    createInterface({ input: this.child.stdout }).on("line", (line) => this.#read(line));
    this.ended = new Promise((resolve) => {
      this.child.on("close", (code, signal) => resolve({ code, signal }));
    });
  }

  #read(line: string): void {
    this.lines.push(line);
    this.#firstLine(line);
    const reply = JSON.parse(line) as Reply;
    if (reply.id === undefined) return;
    if (reply.method !== undefined) {
      const answer = { jsonrpc: "2.0", id: reply.id, result: this.answer };
      this.child.stdin.write(`${JSON.stringify(answer)}\n`);
      return;
    }
    this.#replies.get(reply.id)?.(reply);
    this.#replies.delete(reply.id);
  }

  notify(method: string, params: object = {}): void {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method, params })}\n`);
  }

  /** Sends a request whose `params` are given as JSON text. */
  requestText(method: string, params: string): Promise<Reply> {
    this.#lastId += 1;
    const id = this.#lastId;
    const answered = new Promise<Reply>((resolve, reject) => {
      this.#replies.set(id, resolve);
      this.ended.then(() => reject(new Error(`no answer to ${method}; stderr: ${this.stderr}`)));
    });
    answered.catch(() => {});
    const text = params.replaceAll("\n", " ");
    this.child.stdin.write(
      `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${text}}\n`,
    );
    return answered;
  }

  request(method: string, params: object = {}): Promise<Reply> {
    return this.requestText(method, JSON.stringify(params));
  }

  get lastId(): number {
    return this.#lastId;
  }

  call(name: string, args?: object): Promise<Reply> {
    return this.request("tools/call", { name, ...(args && { arguments: args }) });
  }

  /** The handshake of protocol 2025-11-25. */
  async initialize(clientName = "test-client"): Promise<void> {
    await this.request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: this.answer === undefined ? {} : { elicitation: {} },
      clientInfo: { name: clientName, version: "1" },
    });
    this.notify("notifications/initialized");
  }

  /** Ends the input and waits for the program to end by itself. */
  async end(): Promise<Ending> {
    this.child.stdin.end();
    return this.ended;
  }
}
