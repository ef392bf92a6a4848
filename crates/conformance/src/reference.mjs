// The canonical form as ECMAScript itself has it: one JSON string with the text of a document per line in, one line
// out, `canonical form <TAB> length in UTF-16 units <TAB> hash`, or `!` for what is not representable.
import { createHash } from "node:crypto";
import { createInterface } from "node:readline";

const DEEPEST = 128;

function write(value, depth) {
  switch (typeof value) {
    case "number":
      if (!Number.isFinite(value)) throw new RangeError("not finite");
      return JSON.stringify(value);
    case "string":
      if (/\p{Surrogate}/u.test(value)) throw new RangeError("half a surrogate pair");
      return JSON.stringify(value);
    case "object":
      break;
    default:
      return JSON.stringify(value);
  }
  if (value === null) return "null";
  if (depth === DEEPEST) throw new RangeError("too deep");
  if (Array.isArray(value)) return `[${value.map((item) => write(item, depth + 1)).join(",")}]`;
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${write(key, 0)}:${write(value[key], depth + 1)}`).join(",")}}`;
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
  let answer = "!";
  try {
    const form = write(JSON.parse(JSON.parse(line)), 0);
    const hash = createHash("sha256").update(form, "utf8").digest("hex").slice(0, 12);
    answer = `${form}\t${form.length}\t${hash}`;
  } catch {
    // Not representable.
  }
  process.stdout.write(`${answer}\n`);
}
