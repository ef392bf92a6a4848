// The canonical form as ECMAScript itself has it: one JSON string with the text of a document per line in, one
// line out, `canonical form <TAB> length in UTF-16 code units <TAB> hash`, or `!` when there is none.
import { createHash } from "node:crypto";
import { createInterface } from "node:readline";

function canonical(value, depth) {
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new Error("not finite");
    return JSON.stringify(value);
  }
  if (typeof value === "string") {
    if (!value.isWellFormed()) throw new Error("lone surrogate");
    return JSON.stringify(value);
  }
  if (value === null || typeof value === "boolean") return String(value);
  if (depth === 128) throw new Error("too deep");
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, depth + 1)).join(",")}]`;
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${canonical(key, depth)}:${canonical(value[key], depth + 1)}`).join(",")}}`;
}

for await (const line of createInterface({ input: process.stdin })) {
  let answer = "!";
  try {
    const text = canonical(JSON.parse(JSON.parse(line)), 0);
    const hash = createHash("sha256").update(text).digest("hex").slice(0, 12);
    answer = `${text}\t${text.length}\t${hash}`;
  } catch {
    // Not representable.
  }
  process.stdout.write(`${answer}\n`);
}
