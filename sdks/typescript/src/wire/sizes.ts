/**
 * Sizes are UTF-16 code units of compact JSON: what `String.length` says of `JSON.stringify`.
 */
import { canonicalizeText, DEPTH_LIMIT } from "./canonical.js";
import { numberUnits } from "./numbers.js";
import { quotedUnits } from "./strings.js";

/** The UTF-16 length of a JSON document given as text; 0 if it is not representable. */
export function utf16Length(jsonText: string): number {
  return canonicalizeText(jsonText)?.length ?? 0;
}

/** What a result weighs, and whether the MCP SDK can write it at all. */
export interface ResultSize {
  /** UTF-16 code units; 0 when not representable. */
  readonly units: number;
  /** False when `JSON.stringify` refuses the result (a BigInt, a cycle): the client gets nothing. */
  readonly serializable: boolean;
}

/**
 * The size of a `result` object as the client receives it, less `_meta` and `resultType`, null
 * members and an `isError` that is false.
 */
export function resultSize(result: unknown): ResultSize {
  const counted = countedMembers(result);
  if (counted === undefined) return { units: 0, serializable: true };
  try {
    return { units: measureAll(counted), serializable: true };
  } catch {
    return { units: 0, serializable: isSerializable(counted) };
  }
}

/** The size of one JSON value as the client receives it; 0 if it is not representable. */
export function valueUnits(value: unknown): number {
  try {
    return measureAll(value);
  } catch {
    return 0;
  }
}

function measureAll(value: unknown): number {
  extended = isExtended();
  try {
    return measure(value, 0);
  } finally {
    measuredKeys.length = 0;
  }
}

function isSerializable(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false;
  }
}

const NOT_REPRESENTABLE: unique symbol = Symbol("not representable");

/** `JSON.stringify(value).length` without the string. Throws what has no canonical form. */
function measure(value: unknown, depth: number): number {
  switch (typeof value) {
    case "string":
      return measureString(value);
    case "number":
      // A number that is not finite goes over the wire as null.
      return Number.isFinite(value) ? numberUnits(value) : 4;
    case "boolean":
      return value ? 4 : 5;
    case "object":
      if (value === null) return 4;
      if (depth === DEPTH_LIMIT) throw NOT_REPRESENTABLE;
      if (Array.isArray(value)) return measureArray(value, depth + 1);
      if (typeof (value as { toJSON?: unknown }).toJSON === "function") {
        return measure((value as { toJSON(): unknown }).toJSON(), depth);
      }
      return measureObject(value as Record<string, unknown>, depth + 1);
    case "bigint":
      throw NOT_REPRESENTABLE;
    default:
      return 4;
  }
}

function measureArray(array: readonly unknown[], depth: number): number {
  if (array.length === 0) return 2;
  let units = array.length + 1;
  for (let i = 0; i < array.length; i += 1) units += measure(array[i], depth);
  return units;
}

/** Keys in their order, and what they add up to as JSON. */
interface Keys {
  readonly keys: readonly string[];
  readonly units: number;
}

/**
 * The keys last measured at each depth. Rows of one result share their keys, so most objects find
 * theirs here. Emptied after each measurement.
 */
const measuredKeys: (Keys | undefined)[] = [];
/** {@link isExtended}, as of the measurement. */
let extended = false;

function measureObject(object: Record<string, unknown>, depth: number): number {
  // `for in` makes no list of the keys, but finds those of the prototype too.
  const inherits = extended || Object.getPrototypeOf(object) !== Object.prototype;
  const known = measuredKeys[depth];
  // The keys, once they turn out not to be the known ones.
  let own: string[] | undefined;
  let units = 0;
  let members = 0;
  for (const key in object) {
    if (inherits && !Object.hasOwn(object, key)) continue;
    const member = object[key];
    if (member === undefined || typeof member === "function" || typeof member === "symbol")
      continue;
    if (own === undefined && known?.keys[members] !== key)
      own = known?.keys.slice(0, members) ?? [];
    own?.push(key);
    members += 1;
    // The most frequent kinds first, with a call less.
    if (typeof member === "string") units += measureString(member);
    else if (typeof member === "number" && Number.isFinite(member)) units += numberUnits(member);
    else units += measure(member, depth);
  }
  if (members === 0) return 2;
  // Quotes aside, each key has a colon and all but one a comma; and there are two braces.
  units += 2 * members + 1;
  if (own === undefined && known?.keys.length === members) return units + known.units;
  const keys = own ?? known?.keys.slice(0, members) ?? [];
  const measured = { keys, units: keys.reduce((sum, key) => sum + measureString(key), 0) };
  measuredKeys[depth] = measured;
  return units + measured.units;
}

/** Whether a library gave all objects a member that `for in` finds. */
function isExtended(): boolean {
  for (const _ in Object.prototype) return true;
  return false;
}

function measureString(text: string): number {
  const units = quotedUnits(text);
  if (units === undefined) throw NOT_REPRESENTABLE;
  return units;
}

/**
 * The members of a result that count, in a new object; other values as they are; `undefined`
 * for no result.
 */
export function countedMembers(result: unknown): unknown {
  if (result === undefined || result === null) return undefined;
  if (typeof result !== "object" || Array.isArray(result)) return result;
  const counted: Record<string, unknown> = {};
  for (const key of Object.keys(result)) {
    const member = (result as Record<string, unknown>)[key];
    if (member === null || member === undefined) continue;
    if (key === "_meta" || key === "resultType") continue;
    if (key === "isError" && member === false) continue;
    counted[key] = member;
  }
  return counted;
}
