/** Compares what several tools say of the same field, in memory, and tells only yes or no. */
import { BoundedMap } from "./bounded.js";
import type { Agreement } from "./options.js";
import { canonicalize } from "./wire/canonical.js";
import { fitName, LIMITS } from "./wire/payloads.js";
import { sha256 } from "./wire/sha256.js";

export interface AgreementVerdict {
  readonly field: string;
  readonly toolA: string;
  readonly toolB: string;
  readonly agreed: boolean;
  readonly windowMs: number;
}

/** The latest value of a tool: a number as itself, anything else only as its digest. */
interface Seen {
  readonly value: number | string;
  readonly at: number;
}

/** This many conversations are remembered, and this many fields and tools altogether. */
const CONVERSATIONS = 1000;

/** The latest values per conversation, field and tool. One book serves one destination. */
export class AgreementBook {
  readonly #conversations = new BoundedMap<string, Map<string, Seen>>(CONVERSATIONS);

  /**
   * Notes what the tool called `name` returned at `now` (monotonic milliseconds) and compares it with the latest
   * value of every other tool of its fields, if that is young enough.
   */
  note(
    agreements: readonly Agreement[],
    conversation: string,
    name: string,
    structured: unknown,
    now: number,
  ): AgreementVerdict[] {
    // As declared tools are named: cut to what the wire format takes.
    const tool = fitName(name, LIMITS.toolName);
    const verdicts: AgreementVerdict[] = [];
    for (const { field, tools, windowMs, tolerance } of agreements) {
      const path = tools.get(tool);
      const value = path === undefined ? undefined : comparable(valueAt(structured, path));
      if (value === undefined) continue;
      const book = this.#book(conversation);
      for (const other of tools.keys()) {
        const seen = other === tool ? undefined : book.get(keyOf(field, other));
        if (seen === undefined || now - seen.at >= windowMs) continue;
        const [toolA, toolB] = tool < other ? [tool, other] : [other, tool];
        verdicts.push({
          field,
          toolA,
          toolB,
          agreed: equal(value, seen.value, tolerance),
          windowMs,
        });
      }
      book.set(keyOf(field, tool), { value, at: now });
    }
    return verdicts;
  }

  #book(conversation: string): Map<string, Seen> {
    let book = this.#conversations.get(conversation);
    if (book === undefined) {
      book = new Map();
      this.#conversations.set(conversation, book);
    }
    return book;
  }
}

function keyOf(field: string, tool: string): string {
  return JSON.stringify([field, tool]);
}

function comparable(value: unknown): number | string | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  const canonical = value === undefined ? undefined : canonicalize(value);
  return canonical === undefined ? undefined : sha256(canonical);
}

function equal(a: number | string, b: number | string, tolerance: number): boolean {
  if (typeof a === "number" && typeof b === "number") return Math.abs(a - b) <= tolerance;
  return a === b;
}

/** The value a JSON Pointer names, or `undefined`. */
export function valueAt(document: unknown, pointer: string): unknown {
  let value = document;
  for (const token of pointer.split("/").slice(1)) {
    const name = token.replace(/~1/g, "/").replace(/~0/g, "~");
    if (Array.isArray(value))
      value = /^(?:0|[1-9]\d*)$/.test(name) ? value[Number(name)] : undefined;
    else if (typeof value === "object" && value !== null && Object.hasOwn(value, name)) {
      value = (value as Record<string, unknown>)[name];
    } else return undefined;
  }
  return value;
}
