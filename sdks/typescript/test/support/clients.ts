/** Real clients, of SDK 2 for both protocol generations and of SDK 1, talking to a harness. */

import { fileURLToPath } from "node:url";
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as HttpV2,
} from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Harness } from "./harness.js";
import type { Ingest } from "./ingest.js";
import type { Loose, Sdk } from "./sdks.js";

const main = fileURLToPath(new URL("../../harness/main.js", import.meta.url));

/** A client library and the protocol revision it speaks. */
export interface Speaker {
  readonly client: Sdk;
  readonly protocol: "2025-11-25" | "2026-07-28";
}

export const SPEAKERS: readonly Speaker[] = [
  { client: "v1", protocol: "2025-11-25" },
  { client: "v2", protocol: "2025-11-25" },
  { client: "v2", protocol: "2026-07-28" },
];

export function environment(ingest: Ingest): Record<string, string> {
  return { MCPULSE_KEY: "mp_live_e2e", MCPULSE_ENDPOINT: ingest.endpoint };
}

function newClient({ client, protocol }: Speaker, name: string): Loose {
  if (client === "v1") return new ClientV1({ name, version: "1" }, { capabilities: {} });
  const made = new ClientV2(
    { name, version: "1" },
    {
      capabilities: { elicitation: {} },
      ...(protocol === "2026-07-28" && { versionNegotiation: { mode: { pin: protocol } } }),
    },
  );
  made.setRequestHandler("elicitation/create", async () => ({
    action: "accept",
    content: { name: "Zoë" },
  }));
  return made;
}

/** Starts a harness on stdio and connects to it. */
export async function overStdio(
  speaker: Speaker,
  flags: readonly string[],
  env: Record<string, string>,
  name = "stdio-client",
): Promise<Loose> {
  const Transport: Loose = speaker.client === "v1" ? StdioV1 : StdioV2;
  const client = newClient(speaker, name);
  await client.connect(
    new Transport({
      command: process.execPath,
      args: [main, ...flags],
      env: { PATH: process.env.PATH ?? "", ...env },
      stderr: "ignore",
    }),
  );
  return client;
}

/** Starts a harness on HTTP; `connect` adds clients. */
export async function overHttp(flags: readonly string[], env: Record<string, string>) {
  const harness = new Harness(["--transport", "http", ...flags], env);
  const { url, more } = JSON.parse(await harness.firstLine) as { url: string; more: string[] };
  const clients: Loose[] = [];
  return {
    harness,
    urls: [url, ...more],
    async connect(speaker: Speaker, name = "http-client", to = url): Promise<Loose> {
      const Transport: Loose = speaker.client === "v1" ? HttpV1 : HttpV2;
      const client = newClient(speaker, name);
      await client.connect(new Transport(new URL(to)));
      clients.push(client);
      return client;
    },
    async close(): Promise<void> {
      for (const client of clients) await client.close().catch(() => {});
      harness.child.kill("SIGTERM");
      await harness.ended;
    },
  };
}
