// The canonical form as ECMAScript itself would have it: keys sorted, then JSON.stringify. One document a line in (as a
// JSON string, so that line ends in it survive), one answer a line out: canonical form or null, args_hash, size.
import { createHash } from "node:crypto";
import { createInterface } from "node:readline";

class NotRepresentable extends Error {}

function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (value !== null && typeof value === "object") {
    const names = Object.keys(value).sort();
    return `{${names.map((name) => `${canonical(name)}:${canonical(value[name])}`).join()}}`;
  }
  if (typeof value === "number" && !Number.isFinite(value)) throw new NotRepresentable();
  if (typeof value === "string" && !value.isWellFormed()) throw new NotRepresentable();
  return JSON.stringify(value);
}

const out = [];
for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  try {
    const text = canonical(JSON.parse(JSON.parse(line)));
    const args = text === "null" ? "{}" : text;
    out.push([text, createHash("sha256").update(args).digest("hex").slice(0, 12), text.length]);
  } catch (error) {
    if (!(error instanceof NotRepresentable)) throw error;
    out.push([null, "000000000000", 0]);
  }
}
process.stdout.write(out.map((one) => JSON.stringify(one)).join("\n"));
