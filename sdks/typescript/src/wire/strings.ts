/**
 * What JSON makes of a string, found without writing it where that can be avoided.
 *
 * Tool answers are mostly one long text. Scanning it for each character JSON escapes with
 * `indexOf` runs at the speed of the engine's own memory search, an order of magnitude faster
 * than a regular expression, a loop over char codes, or writing the JSON only to measure it. Where
 * escapes are dense, as in JSON within a text, a loop over its bytes is faster still.
 */

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters JSON escapes
const NEEDS_CARE = /["\\\u0000-\u001f\ud800-\udfff]/;

/** The characters JSON escapes, with the code units each escape adds. */
const ESCAPED: readonly (readonly [character: string, added: number])[] = [
  ...Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code)),
  '"',
  "\\",
].map((character) => [character, JSON.stringify(character).length - 3] as const);

/** The code units an escape adds, by the byte of the character in UTF-8. */
const ADDED = new Uint8Array(256);
for (const [character, added] of ESCAPED) ADDED[character.charCodeAt(0)] = added;

/** Up to here one regular expression is faster than a search per character. */
const SHORT = 256;
/** Escapes are dense when there is more than one in so many characters, */
const DENSE = 16;
/** which the start of a text tells of the rest. */
const SAMPLE = 128;

/** The JSON of a string, or `undefined` if it holds a lone surrogate. */
export function quoted(text: string): string | undefined {
  if (text.length <= SHORT) {
    if (!NEEDS_CARE.test(text)) return `"${text}"`;
    return text.isWellFormed() ? JSON.stringify(text) : undefined;
  }
  if (!text.isWellFormed()) return undefined;
  for (const [character] of ESCAPED) if (text.includes(character)) return JSON.stringify(text);
  return `"${text}"`;
}

/** The UTF-16 length of the JSON of a string, or `undefined` if it holds a lone surrogate. */
export function quotedUnits(text: string): number | undefined {
  if (text.length <= SHORT) {
    if (!NEEDS_CARE.test(text)) return text.length + 2;
    return text.isWellFormed() ? JSON.stringify(text).length : undefined;
  }
  if (!text.isWellFormed()) return undefined;
  const units = text.length + 2;
  return units + (startsDense(text) ? addedByBytes(text) : addedBySearch(text));
}

function startsDense(text: string): boolean {
  let escapes = 0;
  for (let at = 0; at < SAMPLE; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x80 && ADDED[code] !== 0) escapes += 1;
  }
  return escapes > SAMPLE / DENSE;
}

/** The code units escapes add to a text, searched for each by each. */
function addedBySearch(text: string): number {
  let units = 0;
  let patience = text.length / DENSE;
  for (const [character, added] of ESCAPED) {
    for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) {
      units += added;
      patience -= 1;
      if (patience < 0) return addedByBytes(text);
    }
  }
  return units;
}

const encoder = new TextEncoder();
const CHUNK = 8192;
/** A code unit is at most three bytes of UTF-8. */
const bytes = new Uint8Array(CHUNK * 3);

/** The same, counted byte by byte: what JSON escapes is one byte, and no part of anything else. */
function addedByBytes(text: string): number {
  let units = 0;
  for (let at = 0; at < text.length; at += CHUNK) {
    // Half a pair at either end of a chunk encodes as something that is not escaped, too.
    const { written } = encoder.encodeInto(text.slice(at, at + CHUNK), bytes);
    for (let i = 0; i < written; i += 1) units += ADDED[bytes[i] as number] as number;
  }
  return units;
}
