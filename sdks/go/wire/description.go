package wire

import (
	"slices"
	"strings"
)

// stopWords say nothing about a tool.
var stopWords = func() map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(`
a about after all also an and any are as at be been before both but by can could do does
each either every for from had has have how i if in into is it its itself may me more most
must my no nor not of off on once only or other our out over own per shall she he should so
some such than that the their them then there these they this those through to too under
until up upon us very via was we were what when where whether which while who whom whose why
will with within without would you your yours`) {
		words[word] = true
	}
	return words
}()

// DescriptionHash is the hash of a description's wording; empty for an empty one.
func DescriptionHash(description string) string {
	if description == "" {
		return ""
	}
	return Hash12([]byte(description))
}

// DescriptionNorm is the hash of a description's words in any order; empty when none is left.
func DescriptionNorm(description string) string {
	tokens := DescriptionTokens(description)
	if len(tokens) == 0 {
		return ""
	}
	return Hash12([]byte(strings.Join(tokens, " ")))
}

// DescriptionTokens are what a description is compared by: lowercase, stemmed, sorted, with repeats.
func DescriptionTokens(description string) []string {
	tokens := []string{}
	for token := range strings.FieldsFuncSeq(lower(description), separates) {
		if stopWords[token] {
			continue
		}
		if isWord(token) {
			token = Stem(token)
		}
		tokens = append(tokens, token)
	}
	slices.SortFunc(tokens, CompareUTF16[string])
	return tokens
}

// lower changes A to Z only: full case folding differs between languages and versions of Unicode.
func lower(text string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, text)
}

func separates(r rune) bool {
	switch {
	case r < 0x80:
		return !('a' <= r && r <= 'z' || '0' <= r && r <= '9')
	case r <= 0xBF:
		return r >= 0xA0
	default:
		return 0x2000 <= r && r <= 0x206F || 0x3000 <= r && r <= 0x303F
	}
}

// isWord tells whether a token is stemmed: four letters or more, a to z only.
func isWord(token string) bool {
	for i := range len(token) {
		if token[i] < 'a' || token[i] > 'z' {
			return false
		}
	}
	return len(token) >= 4
}
