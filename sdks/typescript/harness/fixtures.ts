// Text-level checks: one JSON object per line in, one per line out.
import { createInterface } from "node:readline";
import * as wire from "mcpulse/wire";

type Line = { op: string; json?: string | null; result?: string | null; entry: string; text: string; word: string };

const operations: Record<string, (line: Line) => object> = {
  args: ({ json }) => {
    const canonical = wire.canonicalizeArgsText(json ?? "") ?? null;
    return { canonical, args_hash: canonical === null ? wire.NOT_REPRESENTABLE_HASH : wire.hash12(canonical) };
  },
  size: ({ json }) => ({ units: wire.utf16Length(json ?? "") }),
  empty: ({ result }) => ({ is_empty: wire.isEmptyResult(JSON.parse(result ?? "null")) }),
  result: ({ result }) => ({ units: wire.resultSize(JSON.parse(result ?? "null")).units }),
  tool: ({ entry }) => ({ description_hash: null, description_norm: null, ...wire.describeTool(JSON.parse(entry)) }),
  description: ({ text }) => ({
    tokens: wire.descriptionTokens(text),
    description_hash: wire.descriptionHash(text) ?? null,
    description_norm: wire.descriptionNorm(text) ?? null,
  }),
  stem: ({ word }) => ({ stem: wire.stem(word) }),
};

export async function answerFixtures(): Promise<void> {
  for await (const text of createInterface({ input: process.stdin })) {
    const line = JSON.parse(text) as Line;
    const answer = operations[line.op]?.(line) ?? { unsupported: `op ${line.op}` };
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
}
