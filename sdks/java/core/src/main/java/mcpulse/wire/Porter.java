package mcpulse.wire;

/**
 * M. F. Porter, "An algorithm for suffix stripping" (1980), as published: without the departures of
 * later implementations.
 */
public final class Porter {
  private static final String[][] STEP_2 = {
    {"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"},
    {"abli", "able"}, {"alli", "al"}, {"entli", "ent"}, {"eli", "e"}, {"ousli", "ous"},
    {"ization", "ize"}, {"ation", "ate"}, {"ator", "ate"}, {"alism", "al"}, {"iveness", "ive"},
    {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"}, {"iviti", "ive"}, {"biliti", "ble"},
  };
  private static final String[][] STEP_3 = {
    {"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ful", ""},
    {"ness", ""},
  };
  private static final String[][] STEP_4 = {
    {"al"}, {"ance"}, {"ence"}, {"er"}, {"ic"}, {"able"}, {"ible"}, {"ant"}, {"ement"}, {"ment"},
    {"ent"}, {"ion"}, {"ou"}, {"ism"}, {"ate"}, {"iti"}, {"ous"}, {"ive"}, {"ize"},
  };

  private Porter() {}

  /** The stem of a lowercase word of a–z. */
  public static String stem(String word) {
    String stem = step1b(step1a(word));
    if (stem.endsWith("y") && hasVowel(cut(stem, 1))) {
      stem = cut(stem, 1) + "i";
    }
    return step5(step4(replace(replace(stem, STEP_2), STEP_3)));
  }

  private static String cut(String word, int count) {
    return word.substring(0, word.length() - count);
  }

  private static String step1a(String word) {
    if (word.endsWith("sses") || word.endsWith("ies")) {
      return cut(word, 2);
    }
    return word.endsWith("ss") || !word.endsWith("s") ? word : cut(word, 1);
  }

  private static String step1b(String word) {
    if (word.endsWith("eed")) {
      return measure(cut(word, 3)) > 0 ? cut(word, 1) : word;
    }
    int suffix = word.endsWith("ed") ? 2 : word.endsWith("ing") ? 3 : 0;
    String rest = cut(word, suffix);
    if (suffix == 0 || !hasVowel(rest)) {
      return word;
    }
    if (rest.endsWith("at") || rest.endsWith("bl") || rest.endsWith("iz")) {
      return rest + "e";
    }
    if (endsInDoubleConsonant(rest) && "lsz".indexOf(last(rest)) < 0) {
      return cut(rest, 1);
    }
    return measure(rest) == 1 && endsInShortSyllable(rest) ? rest + "e" : rest;
  }

  /** The longest suffix decides; if its condition fails, no other rule is tried. */
  private static String replace(String word, String[][] rules) {
    String[] rule = longest(word, rules);
    if (rule == null) {
      return word;
    }
    String rest = cut(word, rule[0].length());
    return measure(rest) > 0 ? rest + rule[1] : word;
  }

  private static String step4(String word) {
    String[] rule = longest(word, STEP_4);
    if (rule == null) {
      return word;
    }
    String rest = cut(word, rule[0].length());
    boolean bars = rule[0].equals("ion") && !rest.endsWith("s") && !rest.endsWith("t");
    return measure(rest) <= 1 || bars ? word : rest;
  }

  private static String step5(String word) {
    String stem = word;
    if (stem.endsWith("e")) {
      String rest = cut(stem, 1);
      int measure = measure(rest);
      if (measure > 1 || measure == 1 && !endsInShortSyllable(rest)) {
        stem = rest;
      }
    }
    return stem.endsWith("ll") && measure(stem) > 1 ? cut(stem, 1) : stem;
  }

  private static String[] longest(String word, String[][] rules) {
    String[] best = null;
    for (String[] rule : rules) {
      if (word.endsWith(rule[0]) && (best == null || rule[0].length() > best[0].length())) {
        best = rule;
      }
    }
    return best;
  }

  private static char last(String word) {
    return word.charAt(word.length() - 1);
  }

  /** Which letters are consonants: a {@code y} is a vowel after one, and a consonant elsewhere. */
  private static boolean[] consonants(String word) {
    boolean[] consonants = new boolean[word.length()];
    for (int at = 0; at < consonants.length; at++) {
      char letter = word.charAt(at);
      consonants[at] =
          letter == 'y' ? at == 0 || !consonants[at - 1] : "aeiou".indexOf(letter) < 0;
    }
    return consonants;
  }

  private static boolean hasVowel(String word) {
    for (boolean consonant : consonants(word)) {
      if (!consonant) {
        return true;
      }
    }
    return false;
  }

  /** Porter's m: how many times a run of vowels is followed by a run of consonants. */
  private static int measure(String word) {
    int measure = 0;
    boolean afterVowel = false;
    for (boolean consonant : consonants(word)) {
      if (consonant && afterVowel) {
        measure++;
      }
      afterVowel = !consonant;
    }
    return measure;
  }

  private static boolean endsInDoubleConsonant(String word) {
    int last = word.length() - 1;
    return last > 0 && word.charAt(last) == word.charAt(last - 1) && consonants(word)[last];
  }

  /** Porter's *o: consonant, vowel, consonant at the end, the last not w, x or y. */
  private static boolean endsInShortSyllable(String word) {
    int last = word.length() - 1;
    if (last < 2) {
      return false;
    }
    boolean[] consonants = consonants(word);
    return consonants[last]
        && !consonants[last - 1]
        && consonants[last - 2]
        && "wxy".indexOf(word.charAt(last)) < 0;
  }
}
