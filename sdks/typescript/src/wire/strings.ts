/**
 * What JSON makes of a string, found without writing it where that can be avoided.
 *
 * Tool answers are mostly one long text. Scanning it for each character JSON escapes with
 * `indexOf` runs at the speed of the engine's own memory search, an order of magnitude faster
 * than a regular expression, a loop over char codes, or writing the JSON only to measure it.
 */

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters JSON escapes
const NEEDS_CARE = /["\\\u0000-\u001f\ud800-\udfff]/;

/** The characters JSON escapes, with the code units each escape adds. */
const ESCAPED: readonly (readonly [character: string, added: number])[] = [
  ...Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code)),
  '"',
  "\\",
].map((character) => [character, JSON.stringify(character).length - 3] as const);

/** Up to here one regular expression is faster than a search per character. */
const SHORT = 96;

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
  let units = text.length + 2;
  // Where escapes are dense, writing the JSON is cheaper than stopping at each of them.
  let patience = text.length >> 2;
  for (const [character, added] of ESCAPED) {
    for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) {
      units += added;
      patience -= 1;
      if (patience === 0) return JSON.stringify(text).length;
    }
  }
  return units;
}
