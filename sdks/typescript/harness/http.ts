import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

export type Handle = (request: IncomingMessage, response: ServerResponse, body: unknown) => Promise<void>;
export type Make = () => { connect(transport: unknown): Promise<void>; close(): Promise<void> };

/** One server object per protocol session, or per request. */
export function sessions(
  make: Make,
  stateless: boolean,
  transportFor: (options: object) => { handleRequest: Handle },
): Handle {
  const open = new Map<unknown, { handleRequest: Handle }>();
  return async (request, response, body) => {
    let transport = open.get(request.headers["mcp-session-id"]);
    if (transport === undefined) {
      const made = transportFor({
        ...(!stateless && { sessionIdGenerator: randomUUID }),
        onsessioninitialized: (id: string) => void open.set(id, made),
        onsessionclosed: (id: string) => void open.delete(id),
      });
      transport = made;
      const server = make();
      await server.connect(transport);
      if (stateless) response.on("close", () => void server.close());
    }
    await transport.handleRequest(request, response, body);
  };
}
