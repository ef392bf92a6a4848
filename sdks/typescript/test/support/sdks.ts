/**
 * Both MCP SDKs behind one face, in process: a watched server with the given tools, and a real
 * client of the same SDK connected to it in memory.
 */
import { Client as ClientV2, InMemoryTransport as PairV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as PairV1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server as ServerV1 } from "@modelcontextprotocol/sdk/server/index.js";
import { McpServer as McpServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  McpError,
} from "@modelcontextprotocol/sdk/types.js";
import {
  McpServer as McpServerV2,
  ProtocolError,
  Server as ServerV2,
} from "@modelcontextprotocol/server";
import { flush, type WatchOptions, watch } from "mcpulse";
import type * as z from "zod";
import { Ingest } from "./ingest.js";

export const SDKS = ["v1", "v2"] as const;
export type Sdk = (typeof SDKS)[number];

// biome-ignore lint/suspicious/noExplicitAny: tests reach into either SDK
export type Loose = any;
export type Handler = (args: Loose, context: Loose) => unknown;

export interface TestTool {
  readonly schema?: z.ZodType;
  readonly output?: z.ZodType;
  readonly description?: string;
  readonly run: Handler;
}

const info = { name: "server", version: "1" };
const capabilities = { tools: { listChanged: true } };
let keys = 0;

export function protocolError(sdk: Sdk, code: number, message = "told so"): Error {
  return sdk === "v1" ? new McpError(code, message) : new ProtocolError(code, message);
}

export function newHigh(sdk: Sdk, options: object = {}): Loose {
  const McpServer = sdk === "v1" ? McpServerV1 : McpServerV2;
  return new McpServer(info, { capabilities, ...options });
}

export function register(server: Loose, name: string, tool: TestTool): Loose {
  const { schema, output, description, run } = tool;
  const config = {
    ...(description !== undefined && { description }),
    ...(schema && { inputSchema: schema }),
    ...(output && { outputSchema: output }),
  };
  const handler = schema ? run : (context: unknown) => run({}, context);
  return server.registerTool(name, config, handler);
}

export function newLow(sdk: Sdk, options: object = {}): Loose {
  const Server = sdk === "v1" ? ServerV1 : ServerV2;
  return new Server(info, { capabilities, ...options });
}

/** Sets a low-level handler in the SDK's own way. */
export function handle(
  sdk: Sdk,
  server: Loose,
  method: "tools/list" | "tools/call",
  handler: (request: Loose, context: Loose) => unknown,
): void {
  const schema = method === "tools/list" ? ListToolsRequestSchema : CallToolRequestSchema;
  server.setRequestHandler(sdk === "v1" ? schema : method, handler);
}

/** An ingest, a key of its own, and the `watch` that goes with them. */
export class Bench {
  readonly clients: Loose[] = [];

  private constructor(
    readonly ingest: Ingest,
    readonly key: string,
  ) {}

  /** Closed again after the test. */
  static async start(test?: { after(run: () => Promise<void>): void }): Promise<Bench> {
    keys += 1;
    const bench = new Bench(await Ingest.start(), `mp_live_test${keys}`);
    test?.after(() => bench.close());
    return bench;
  }

  watch<T>(server: T, options: WatchOptions = {}): T {
    return watch(server, { key: this.key, endpoint: this.ingest.endpoint, ...options });
  }

  /** Connects a client of the same SDK. */
  async connect(sdk: Sdk, server: Loose, name = "test-client"): Promise<Loose> {
    const [Client, Pair] = sdk === "v1" ? [ClientV1, PairV1] : [ClientV2, PairV2];
    const client = new (Client as Loose)({ name, version: "1" }, { capabilities: {} });
    const [near, far] = (Pair as Loose).createLinkedPair();
    await Promise.all([server.connect(far), client.connect(near)]);
    this.clients.push(client);
    return client;
  }

  async flush(): Promise<Ingest> {
    await flush();
    return this.ingest;
  }

  async close(): Promise<void> {
    for (const client of this.clients) await client.close();
    await flush(100);
    await this.ingest.close();
  }
}

/** Calls a tool and gives what came back: the result, or the error. */
export async function call(client: Loose, name: string, args?: unknown): Promise<Loose> {
  try {
    return await client.callTool({ name, ...(args !== undefined && { arguments: args }) });
  } catch (error) {
    return error;
  }
}
