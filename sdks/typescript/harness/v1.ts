import { InMemoryTaskMessageQueue, InMemoryTaskStore } from "@modelcontextprotocol/sdk/experimental/tasks";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import {
  CallToolRequestSchema,
  ElicitResultSchema,
  ListToolsRequestSchema,
  McpError,
} from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import { type Handle, type Make, sessions } from "./http.js";
import { type Context, text, tool } from "./tools.js";

export { McpServer, Server };
export const invalid = (message: string) => new McpError(-32602, message);
export const handlers = { "tools/list": ListToolsRequestSchema, "tools/call": CallToolRequestSchema };

/** One store for all servers: a client asks for its task in another request. */
export const options = {
  capabilities: { tasks: { requests: { tools: { call: {} } }, cancel: {} } },
  taskStore: new InMemoryTaskStore(),
  taskMessageQueue: new InMemoryTaskMessageQueue(),
};

type Ask = (request: object, schema: typeof ElicitResultSchema) => Promise<{ content?: { name?: unknown } }>;
export const ask = tool(z.object({}), async (_args, { sendRequest }: Context) => {
  const requestedSchema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
  const params = { message: "Who?", requestedSchema };
  const { content } = await (sendRequest as Ask)({ method: "elicitation/create", params }, ElicitResultSchema);
  return text(`hello ${content?.name}`);
});

/** A tool that answers at once with a task, for clients that ask for one; others wait for its end. */
export function addJob(server: McpServer): void {
  server.experimental.tasks.registerToolTask(
    "job",
    {
      description: "Takes its time.",
      inputSchema: { ms: z.int() },
      execution: { taskSupport: "optional" },
    },
    {
      async createTask({ ms }, { taskStore }) {
        // Without a lifetime of its own: the store would keep a timer, and the timer the process.
        const task = await taskStore.createTask({ ttl: null, pollInterval: 20 });
        setTimeout(() => {
          void taskStore.storeTaskResult(task.taskId, "completed", text("done"));
        }, ms);
        return { task };
      },
      getTask: (_args, { taskId, taskStore }) => taskStore.getTask(taskId),
      getTaskResult: async (_args, { taskId, taskStore }) => (await taskStore.getTaskResult(taskId)) as never,
    },
  );
}

export async function serveStdio(make: Make): Promise<void> {
  await make().connect(new StdioServerTransport());
}

export function serveHttp(make: Make, stateless: boolean): Handle {
  return sessions(make, stateless, (options) => new StreamableHTTPServerTransport(options));
}
