// Servers made, used once in memory, and dropped; garbage collection says how many are left.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Make } from "./http.js";

/** Answers of requests made in memory, one at a time. */
async function useOnce(server: ReturnType<Make>): Promise<void> {
  let answered: (message: object) => void = () => {};
  const transport = {
    onmessage: (_message: object) => {},
    start: async () => {},
    close: async () => {},
    // Notifications have no id.
    send: async (message: object) => void ("id" in message && answered(message)),
  };
  await server.connect(transport);
  const request = (method: string, params: object) =>
    new Promise((resolve) => {
      answered = resolve;
      transport.onmessage({ jsonrpc: "2.0", id: 1, method, params });
    });
  const clientInfo = { name: "churn", version: "1" };
  await request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  await request("tools/call", { name: "fast", arguments: {} });
  await server.close();
}

export async function churn(make: Make, total: number): Promise<void> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const made: WeakRef<object>[] = [];
  for (let n = 0; n < total; n += 1) {
    const server = make();
    made.push(new WeakRef(server));
    await useOnce(server);
    // A weak reference holds until the event loop turns.
    await new Promise(setImmediate);
  }
  const alive = () => made.filter((server) => server.deref() !== undefined).length;
  for (let round = 0; round < 20; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    collect();
    if (alive() === 0) break;
  }
  console.log(JSON.stringify({ created: total, alive: alive() }));
}
