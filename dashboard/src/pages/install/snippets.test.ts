import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { SNIPPETS } from "./snippets";

const target = { key: `mp_live_${"k".repeat(32)}`, endpoint: "https://pulse.example.org" };

describe.each(SNIPPETS.map((snippet) => [snippet.label, snippet] as const))(
  "the snippet for %s",
  (_, snippet) => {
    it("has the key and this server's address filled in", () => {
      const code = snippet
        .blocks(target)
        .map((block) => block.code)
        .join("\n");
      expect(code).toContain(target.key);
      expect(code).toContain(target.endpoint);
    });

    it("is of a producer that is there", () => {
      expect(snippet.id === "http" || existsSync(`../sdks/${snippet.id}`)).toBe(true);
    });

    it("installs nothing by a registry name that is not ours", () => {
      const code = snippet
        .blocks(target)
        .map((block) => block.code)
        .join("\n");
      expect(code).not.toMatch(/cargo add|npm (?:i|install)|pip install|mcpulse\s*=\s*"/u);
    });
  },
);

it("posts a payload that the wire format takes", () => {
  const code = SNIPPETS.find((snippet) => snippet.id === "http")?.blocks(target)[0]?.code ?? "";
  // What the shell makes of it: the date is filled in between two quoted parts.
  const body = code
    .slice(code.indexOf("-d '") + 4)
    .replace(/'\$\(date [^)]*\)'/u, "2026-11-30T12:00:00.000Z")
    .replace(/'$/u, "");
  const { batch } = JSON.parse(body) as { batch: Record<string, unknown>[] };
  expect(Object.keys(batch[0] ?? {}).toSorted()).toEqual(
    [
      "args_hash",
      "client_name",
      "duration_ms",
      "is_empty",
      "outcome",
      "response_bytes",
      "session_id",
      "started_at",
      "tool_name",
      "type",
      "v",
    ].toSorted(),
  );
});
