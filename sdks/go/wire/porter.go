package wire

import "strings"

// M. F. Porter, "An algorithm for suffix stripping" (1980), as printed, without its author's later departures.

type rule struct{ suffix, replacement string }

var step2 = []rule{
	{"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"}, {"abli", "able"},
	{"alli", "al"}, {"entli", "ent"}, {"eli", "e"}, {"ousli", "ous"}, {"ization", "ize"}, {"ation", "ate"},
	{"ator", "ate"}, {"alism", "al"}, {"iveness", "ive"}, {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"},
	{"iviti", "ive"}, {"biliti", "ble"},
}

var step3 = []rule{
	{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ful", ""}, {"ness", ""},
}

var step4 = []rule{
	{"al", ""}, {"ance", ""}, {"ence", ""}, {"er", ""}, {"ic", ""}, {"able", ""}, {"ible", ""}, {"ant", ""},
	{"ement", ""}, {"ment", ""}, {"ent", ""}, {"ion", ""}, {"ou", ""}, {"ism", ""}, {"ate", ""}, {"iti", ""},
	{"ous", ""}, {"ive", ""}, {"ize", ""},
}

// Stem is the stem of a lowercase word of a to z.
func Stem(word string) string {
	word = step1b(step1a(word))
	if rest, ok := strings.CutSuffix(word, "y"); ok && hasVowel(rest) {
		word = rest + "i"
	}
	word = replace(word, step2, 0)
	word = replace(word, step3, 0)
	word = replace(word, step4, 1)
	return step5(word)
}

func step1a(word string) string {
	switch {
	case strings.HasSuffix(word, "sses"), strings.HasSuffix(word, "ies"):
		return word[:len(word)-2]
	case strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss"):
		return word[:len(word)-1]
	}
	return word
}

func step1b(word string) string {
	if rest, ok := strings.CutSuffix(word, "eed"); ok {
		if measure(rest) > 0 {
			return rest + "ee"
		}
		return word
	}
	rest, ok := strings.CutSuffix(word, "ed")
	if !ok {
		rest, ok = strings.CutSuffix(word, "ing")
	}
	if !ok || !hasVowel(rest) {
		return word
	}
	switch last := len(rest) - 1; {
	case strings.HasSuffix(rest, "at"), strings.HasSuffix(rest, "bl"), strings.HasSuffix(rest, "iz"):
		return rest + "e"
	case endsInDouble(rest) && !strings.ContainsRune("lsz", rune(rest[last])):
		return rest[:last]
	case measure(rest) == 1 && endsInShortSyllable(rest):
		return rest + "e"
	}
	return rest
}

// replace applies the rule of the longest suffix; if its condition fails, no other is tried.
func replace(word string, rules []rule, above int) string {
	var longest rule
	for _, one := range rules {
		if len(one.suffix) > len(longest.suffix) && strings.HasSuffix(word, one.suffix) {
			longest = one
		}
	}
	rest := word[:len(word)-len(longest.suffix)]
	if longest.suffix == "" || measure(rest) <= above {
		return word
	}
	if longest.suffix == "ion" && !strings.HasSuffix(rest, "s") && !strings.HasSuffix(rest, "t") {
		return word
	}
	return rest + longest.replacement
}

func step5(word string) string {
	if rest, ok := strings.CutSuffix(word, "e"); ok {
		if m := measure(rest); m > 1 || m == 1 && !endsInShortSyllable(rest) {
			word = rest
		}
	}
	if strings.HasSuffix(word, "ll") && measure(word) > 1 {
		word = word[:len(word)-1]
	}
	return word
}

// isConsonant: a y is a vowel after a consonant, and a consonant elsewhere.
func isConsonant(word string, at int) bool {
	consonant := true
	start := at
	for start > 0 && word[start] == 'y' {
		start--
	}
	for i := start; i <= at; i++ {
		switch word[i] {
		case 'a', 'e', 'i', 'o', 'u':
			consonant = false
		case 'y':
			consonant = i == 0 || !consonant
		default:
			consonant = true
		}
	}
	return consonant
}

func hasVowel(word string) bool {
	for at := range len(word) {
		if !isConsonant(word, at) {
			return true
		}
	}
	return false
}

// measure is Porter's m: how many times a run of vowels is followed by a run of consonants.
func measure(word string) int {
	m, afterVowel := 0, false
	for at := range len(word) {
		consonant := isConsonant(word, at)
		if consonant && afterVowel {
			m++
		}
		afterVowel = !consonant
	}
	return m
}

func endsInDouble(word string) bool {
	last := len(word) - 1
	return last > 0 && word[last] == word[last-1] && isConsonant(word, last)
}

// endsInShortSyllable is Porter's *o: consonant, vowel, consonant at the end, the last not w, x or y.
func endsInShortSyllable(word string) bool {
	last := len(word) - 1
	return last >= 2 && isConsonant(word, last) && !isConsonant(word, last-1) && isConsonant(word, last-2) &&
		!strings.ContainsRune("wxy", rune(word[last]))
}
