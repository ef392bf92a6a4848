// The kit's tools, whichever MCP SDK serves them; docs/harness.md says what each must do.
import * as z from "zod";

/** `inputs` is what a client answered to SDK 2, `sendRequest` how to ask with SDK 1. */
export type Context = { signal?: AbortSignal; inputs?: unknown; sendRequest?: unknown };
export type Run = (args: never, context: Context) => unknown;
export interface Tool {
  description: string;
  schema?: z.ZodObject;
  run: Run;
}

const CANARY = process.env.MCPULSE_HARNESS_CANARY ?? "canary";
const EMPTY = { no_parts: [], blank: " \n\t", null: "null", list: "[]", object: "{}" } as const;

export const text = (text: string) => ({ content: [{ type: "text" as const, text }] });
export const tool = (schema: z.ZodObject | undefined, run: Run, description = "One of the kit's."): Tool => ({
  description,
  run,
  ...(schema && { schema }),
});

const price = tool(z.object({ id: z.string(), amount: z.number() }), (order) => ({
  ...text(JSON.stringify({ order })),
  structuredContent: { order },
}));

export const tools: Record<string, Tool> = {
  echo: tool(z.looseObject({}), (args) => text(JSON.stringify(args))),
  fast: tool(undefined, () => text("done")),
  slow: tool(z.object({ ms: z.int() }), async ({ ms }: { ms: number }, { signal }) => {
    const { setTimeout } = await import("node:timers/promises");
    await setTimeout(ms, undefined, signal && { signal });
    return text("done");
  }),
  empty: tool(z.object({ kind: z.enum(Object.keys(EMPTY)) }), ({ kind }: { kind: keyof typeof EMPTY }) =>
    kind === "no_parts" ? { content: [] } : text(EMPTY[kind]),
  ),
  reply: tool(z.object({ result: z.looseObject({}) }), ({ result }: { result: object }) => result),
  error: tool(undefined, () => ({ ...text("no such order"), isError: true })),
  crash: tool(undefined, () => {
    throw new Error(`boom ${CANARY}`);
  }),
  strict: tool(z.strictObject({ id: z.int().min(1), note: z.string().optional() }), () => text("ok")),
  huge: tool(z.object({ units: z.int().default(1_000_000) }), ({ units }: { units: number }) =>
    text("x".repeat(units)),
  ),
  unicode: tool(undefined, () => text("café 🚀 東京")),
  canary: tool(
    z.object({ secret: z.string().describe(`Such as ${CANARY}.`) }),
    ({ secret }: { secret: string }) => text(`${CANARY} ${secret}`),
    `Keeps a secret: ${CANARY}.`,
  ),
  price_a: price,
  price_b: price,
  never_called: tool(undefined, () => text("done")),
  quit: tool(
    z.object({ code: z.int(), how: z.string().optional() }),
    ({ code, how }: { code: number; how?: string }) => {
      setTimeout(() => {
        if (how === "uncaught") throw new Error("uncaught");
        process.exit(code);
      }, 50);
      return text("bye");
    },
  ),
};
