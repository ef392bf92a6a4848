/** Hashes of descriptions: of the wording, and of its meaning-bearing words. */
import { stem } from "./porter.js";
import { hash12 } from "./sha256.js";
import { STOP_WORDS } from "./stop-words.js";

/**
 * Runs of ASCII letters, digits and everything from U+0080 up except the punctuation blocks
 * U+00A0–00BF, U+2000–206F and U+3000–303F.
 */
const TOKEN = /[a-z0-9\u0080-\u009f\u00c0-\u1fff\u2070-\u2fff\u3040-\uffff]+/g;
const STEMMED = /^[a-z]{4,}$/;

/** The tokens a description is compared by: lowercased in ASCII, stemmed, sorted, repeats kept. */
export function descriptionTokens(description: string): string[] {
  // Only A–Z: full case folding differs between languages' libraries and Unicode versions.
  const lower = description.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const tokens: string[] = [];
  for (const token of lower.match(TOKEN) ?? []) {
    if (!STOP_WORDS.has(token)) tokens.push(STEMMED.test(token) ? stem(token) : token);
  }
  return tokens.sort();
}

/** Hash of a description's words in any order, or `undefined` if none is left. */
export function descriptionNorm(description: string): string | undefined {
  const tokens = descriptionTokens(description);
  return tokens.length === 0 ? undefined : hash12(tokens.join(" "));
}

/** Hash of a description's exact wording, or `undefined` if it is empty. */
export function descriptionHash(description: string): string | undefined {
  return description === "" ? undefined : hash12(description);
}
