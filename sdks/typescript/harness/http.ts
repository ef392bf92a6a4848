import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";

export type Handle = (request: IncomingMessage, response: ServerResponse, body: unknown) => Promise<void>;
/** Makes a server: for one request, or for as long as its connection lives. */
export type Make = (perRequest?: boolean) => { connect(transport: unknown): Promise<void>; close(): Promise<void> };

function refuse(response: ServerResponse, status: number, code: number, message: string): void {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id: null }));
}

/** One server object per protocol session, or per request. */
export function sessions(
  make: Make,
  stateless: boolean,
  transportFor: (options: object) => { handleRequest: Handle },
): Handle {
  const open = new Map<unknown, { handleRequest: Handle }>();
  return async (request, response, body) => {
    const id = request.headers["mcp-session-id"];
    let transport = open.get(id);
    if (transport === undefined) {
      if (id !== undefined && !stateless) return refuse(response, 404, -32001, "Session not found");
      const made = transportFor({
        ...(!stateless && { sessionIdGenerator: randomUUID }),
        onsessioninitialized: (id: string) => void open.set(id, made),
        onsessionclosed: (id: string) => void open.delete(id),
      });
      transport = made;
      const server = make(stateless);
      await server.connect(transport);
      if (stateless) response.on("close", () => void server.close());
    }
    await transport.handleRequest(request, response, body);
  };
}

/** Serves one handle for each of `/mcp`, `/mcp2`, … and prints where. */
export function listen(handles: readonly Handle[]): void {
  const paths = handles.map((_, n) => `/mcp${n === 0 ? "" : n + 1}`);
  const http = createServer(async (request, response) => {
    const handle = handles[paths.indexOf(request.url ?? "")];
    if (handle === undefined) return refuse(response, 404, -32600, "No server here");
    try {
      const body = await readText(request);
      await handle(request, response, body === "" ? undefined : JSON.parse(body));
    } catch (error) {
      if (error instanceof SyntaxError && !response.headersSent) refuse(response, 400, -32700, "Parse error");
      else response.destroy();
    }
  });
  http.listen(0, "127.0.0.1", () => {
    const { port } = http.address() as AddressInfo;
    const [url, ...more] = paths.map((path) => `http://127.0.0.1:${port}${path}`);
    console.log(JSON.stringify({ url, more }));
  });
}
