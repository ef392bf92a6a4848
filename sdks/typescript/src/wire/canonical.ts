/**
 * The canonical form of a JSON document (RFC 8785) and the hashes made from it.
 *
 * ECMAScript is the reference of RFC 8785, so numbers and escapes are the runtime's own; what is
 * left is the order of keys, the depth limit, and refusing what has no canonical form.
 */
import { hash12 } from "./sha256.js";
import { quoted } from "./strings.js";

/** Deeper nesting than this many containers has no canonical form. */
export const DEPTH_LIMIT = 128;

/** `args_hash` of arguments that have no canonical form. */
export const NOT_REPRESENTABLE_HASH = "000000000000";

/** `args_hash` of `{}`, and so of absent, null and empty arguments. */
export const EMPTY_ARGS_HASH = "44136fa355b3";

const NOT_REPRESENTABLE: unique symbol = Symbol("not representable");

/**
 * The canonical form of a value, or `undefined` if it has none: a lone surrogate, a number that
 * is not finite, a BigInt, or nesting deeper than {@link DEPTH_LIMIT}.
 *
 * Values that never were JSON text are read as `JSON.stringify` reads them: `toJSON` is called,
 * undefined members are left out.
 */
export function canonicalize(value: unknown): string | undefined {
  try {
    return write(value, 0);
  } catch {
    // NOT_REPRESENTABLE, or thrown by a getter or `toJSON` of the value: no canonical form either.
    return undefined;
  } finally {
    shapes.length = 0;
  }
}

/** The canonical form of JSON text, or `undefined` if it is not JSON or has none. */
export function canonicalizeText(text: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return canonicalize(value);
}

/** `args_hash` of a tool's arguments: 12 lowercase hex digits. */
export function argsHash(args: unknown): string {
  if (args === undefined || args === null) return EMPTY_ARGS_HASH;
  const canonical = canonicalize(args);
  return canonical === undefined ? NOT_REPRESENTABLE_HASH : hash12(canonical);
}

/** The canonical form of arguments given as JSON text; blank text and `null` count as `{}`. */
export function canonicalizeArgsText(text: string): string | undefined {
  if (/^[ \t\n\r]*$/.test(text)) return "{}";
  const canonical = canonicalizeText(text);
  return canonical === "null" ? "{}" : canonical;
}

/** The hash of a document's canonical form, or `undefined` if it has none. */
export function canonicalHash(value: unknown): string | undefined {
  const canonical = canonicalize(value);
  return canonical === undefined ? undefined : hash12(canonical);
}

function write(value: unknown, depth: number): string {
  switch (typeof value) {
    case "string":
      return quote(value);
    case "number":
      if (!Number.isFinite(value)) throw NOT_REPRESENTABLE;
      return String(value);
    case "boolean":
      return value ? "true" : "false";
    case "object":
      if (value === null) return "null";
      if (depth === DEPTH_LIMIT) throw NOT_REPRESENTABLE;
      if (Array.isArray(value)) return writeArray(value, depth + 1);
      if (typeof (value as { toJSON?: unknown }).toJSON === "function") {
        return write((value as { toJSON(): unknown }).toJSON(), depth);
      }
      return writeObject(value as Record<string, unknown>, depth + 1);
    default:
      // undefined, functions and symbols reach here only inside arrays or on their own.
      if (typeof value === "bigint" || depth === 0) throw NOT_REPRESENTABLE;
      return "null";
  }
}

function writeArray(array: readonly unknown[], depth: number): string {
  let text = "[";
  for (let i = 0; i < array.length; i += 1) {
    if (i > 0) text += ",";
    text += write(array[i], depth);
  }
  return `${text}]`;
}

/** The keys of an object as they stand, and what is written for them, in order. */
interface Shape {
  readonly keys: readonly string[];
  readonly names: readonly Name[];
}

interface Name {
  readonly key: string;
  /** The key as JSON with what comes before and after it: as the first member, and as another. */
  readonly first: string;
  readonly next: string;
  /** Whether the key has a canonical form. Where it has none, only being written is refused. */
  readonly isRepresentable: boolean;
}

/**
 * The shape last written at each depth. Rows of one document share their keys, so most objects
 * find theirs here. Emptied after each document.
 */
const shapes: (Shape | undefined)[] = [];

function writeObject(object: Record<string, unknown>, depth: number): string {
  const keys = Object.keys(object);
  let shape = shapes[depth];
  if (shape === undefined || !isSame(shape.keys, keys)) {
    shape = { keys, names: keys.toSorted().map(nameOf) };
    shapes[depth] = shape;
  }
  const { names } = shape;
  let text = "";
  for (let i = 0; i < names.length; i += 1) {
    const { key, first, next, isRepresentable } = names[i] as Name;
    const member = object[key];
    if (member === undefined || typeof member === "function" || typeof member === "symbol")
      continue;
    if (!isRepresentable) throw NOT_REPRESENTABLE;
    text += text === "" ? first : next;
    text += write(member, depth);
  }
  return text === "" ? "{}" : `${text}}`;
}

function nameOf(key: string): Name {
  const name = quoted(key);
  return { key, first: `{${name}:`, next: `,${name}:`, isRepresentable: name !== undefined };
}

/** Whether two lists of strings are equal. */
function isSame(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i += 1) if (a[i] !== b[i]) return false;
  return true;
}

function quote(text: string): string {
  const json = quoted(text);
  if (json === undefined) throw NOT_REPRESENTABLE;
  return json;
}
