/**
 * M. F. Porter, "An algorithm for suffix stripping" (1980), as published: without the departures
 * of later implementations.
 */

type Rule = readonly [suffix: string, replacement: string];

const STEP_2: readonly Rule[] = [
  ["ational", "ate"],
  ["tional", "tion"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["izer", "ize"],
  ["abli", "able"],
  ["alli", "al"],
  ["entli", "ent"],
  ["eli", "e"],
  ["ousli", "ous"],
  ["ization", "ize"],
  ["ation", "ate"],
  ["ator", "ate"],
  ["alism", "al"],
  ["iveness", "ive"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["aliti", "al"],
  ["iviti", "ive"],
  ["biliti", "ble"],
];

const STEP_3: readonly Rule[] = [
  ["icate", "ic"],
  ["ative", ""],
  ["alize", "al"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ful", ""],
  ["ness", ""],
];

const STEP_4: readonly string[] = [
  "al",
  "ance",
  "ence",
  "er",
  "ic",
  "able",
  "ible",
  "ant",
  "ement",
  "ment",
  "ent",
  "ion",
  "ou",
  "ism",
  "ate",
  "iti",
  "ous",
  "ive",
  "ize",
];

/** The stem of a lowercase word of a–z. */
export function stem(word: string): string {
  let stemmed = step1a(word);
  stemmed = step1b(stemmed);
  if (stemmed.endsWith("y") && hasVowel(stemmed.slice(0, -1))) stemmed = `${stemmed.slice(0, -1)}i`;
  stemmed = replaceLongest(stemmed, STEP_2);
  stemmed = replaceLongest(stemmed, STEP_3);
  return step5(step4(stemmed));
}

function step1a(word: string): string {
  if (word.endsWith("sses") || word.endsWith("ies")) return word.slice(0, -2);
  if (word.endsWith("ss") || !word.endsWith("s")) return word;
  return word.slice(0, -1);
}

function step1b(word: string): string {
  if (word.endsWith("eed")) {
    return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  }
  const suffix = word.endsWith("ed") ? 2 : word.endsWith("ing") ? 3 : 0;
  const rest = word.slice(0, word.length - suffix);
  if (suffix === 0 || !hasVowel(rest)) return word;
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (endsInDoubleConsonant(rest) && !/[lsz]$/.test(rest)) return rest.slice(0, -1);
  return measure(rest) === 1 && endsInShortSyllable(rest) ? `${rest}e` : rest;
}

/** The longest suffix that matches decides; if its condition fails, no other rule is tried. */
function replaceLongest(word: string, rules: readonly Rule[]): string {
  const [suffix, replacement] = longest(word, rules, (rule) => rule[0]) ?? ["", ""];
  const rest = word.slice(0, word.length - suffix.length);
  return suffix !== "" && measure(rest) > 0 ? rest + replacement : word;
}

function step4(word: string): string {
  const suffix = longest(word, STEP_4, (text) => text);
  if (suffix === undefined) return word;
  const rest = word.slice(0, -suffix.length);
  if (measure(rest) <= 1 || (suffix === "ion" && !/[st]$/.test(rest))) return word;
  return rest;
}

function step5(word: string): string {
  let stemmed = word;
  if (stemmed.endsWith("e")) {
    const rest = stemmed.slice(0, -1);
    const m = measure(rest);
    if (m > 1 || (m === 1 && !endsInShortSyllable(rest))) stemmed = rest;
  }
  return stemmed.endsWith("ll") && measure(stemmed) > 1 ? stemmed.slice(0, -1) : stemmed;
}

function longest<T>(word: string, candidates: readonly T[], text: (candidate: T) => string) {
  let best: T | undefined;
  for (const candidate of candidates) {
    if (!word.endsWith(text(candidate))) continue;
    if (best === undefined || text(candidate).length > text(best).length) best = candidate;
  }
  return best;
}

/** A `y` is a vowel after a consonant, and a consonant elsewhere. */
function isConsonant(word: string, at: number): boolean {
  const letter = word[at] as string;
  if (letter === "y") return at === 0 || !isConsonant(word, at - 1);
  return !"aeiou".includes(letter);
}

function hasVowel(word: string): boolean {
  for (let at = 0; at < word.length; at += 1) if (!isConsonant(word, at)) return true;
  return false;
}

/** Porter's m: how many times a run of vowels is followed by a run of consonants. */
function measure(word: string): number {
  let m = 0;
  let afterVowel = false;
  for (let at = 0; at < word.length; at += 1) {
    const consonant = isConsonant(word, at);
    if (consonant && afterVowel) m += 1;
    afterVowel = !consonant;
  }
  return m;
}

function endsInDoubleConsonant(word: string): boolean {
  const last = word.length - 1;
  return last > 0 && word[last] === word[last - 1] && isConsonant(word, last);
}

/** Porter's *o: consonant, vowel, consonant at the end, the last not w, x or y. */
function endsInShortSyllable(word: string): boolean {
  const last = word.length - 1;
  return (
    last >= 2 &&
    isConsonant(word, last) &&
    !isConsonant(word, last - 1) &&
    isConsonant(word, last - 2) &&
    !"wxy".includes(word[last] as string)
  );
}
