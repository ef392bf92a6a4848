// A shop's MCP server on stdio. The one line about MCPulse is `watch(server)`.
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { watch } from "mcpulse";
import * as z from "zod";

const orders = [
  { id: "A-1", customer: "Zoë", status: "shipped", total: 42.5 },
  { id: "A-2", customer: "Ann", status: "open", total: 17 },
  { id: "A-3", customer: "Zoë", status: "open", total: 8.25 },
];

const asJson = (value) => ({ content: [{ type: "text", text: JSON.stringify(value) }] });

function makeServer() {
  const server = new McpServer({ name: "shop", version: "1.0.0" });

  server.registerTool(
    "search_orders",
    {
      description: "Search orders by customer or status.",
      inputSchema: z.object({ customer: z.string().optional(), status: z.string().optional() }),
    },
    ({ customer, status }) =>
      asJson(
        orders.filter(
          (order) =>
            (customer === undefined || order.customer === customer) &&
            (status === undefined || order.status === status),
        ),
      ),
  );

  server.registerTool(
    "get_order",
    { description: "Show one order.", inputSchema: z.object({ id: z.string() }) },
    ({ id }) => {
      const order = orders.find((candidate) => candidate.id === id);
      if (order !== undefined) return { ...asJson(order), structuredContent: order };
      return { content: [{ type: "text", text: `There is no order ${id}.` }], isError: true };
    },
  );

  server.registerTool(
    "get_invoice",
    { description: "Show the invoice of an order.", inputSchema: z.object({ id: z.string() }) },
    ({ id }) => {
      const order = orders.find((candidate) => candidate.id === id);
      if (order === undefined) throw new Error("the invoice store is down");
      const invoice = { order: id, amount: order.total };
      return { ...asJson(invoice), structuredContent: invoice };
    },
  );

  return watch(server, {
    debug: process.env.MCPULSE_DEBUG === "1",
    // What an order costs should be the same wherever it is read.
    agreements: { total: { tools: { get_order: "/total", get_invoice: "/amount" } } },
  });
}

serveStdio(makeServer);
