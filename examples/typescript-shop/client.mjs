// Plays a short conversation with the shop, as a model would.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { fileURLToPath } from "node:url";

const client = new Client({ name: "example-client", version: "1.0.0" });
await client.connect(
  new StdioClientTransport({
    command: process.execPath,
    args: [fileURLToPath(new URL("shop.mjs", import.meta.url))],
    env: { ...process.env },
  }),
);

for (const [name, args] of [
  ["search_orders", { customer: "Zoe" }],
  ["search_orders", { customer: "Zoë" }],
  ["get_order", { id: "A-1" }],
  ["get_invoice", { id: "A-1" }],
  ["get_order", { id: "A-9" }],
  ["get_order", { number: 9 }],
  ["get_invoice", { id: "A-9" }],
]) {
  const { content, isError } = await client.callTool({ name, arguments: args });
  console.log(`${name}(${JSON.stringify(args)}) ${isError ? "failed" : "→"} ${content[0].text}`);
}
await client.close();
