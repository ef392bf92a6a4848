package wire

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func seeds(f *testing.F) {
	f.Helper()
	for _, one := range readSpec[struct {
		Cases []struct{ JSON *string }
	}](f, "canonical-extra.json").Cases {
		if one.JSON != nil {
			f.Add([]byte(*one.JSON))
		}
	}
	for _, text := range []string{
		"", " ", "null", `{"a":[1,2.50,-0,1e999,"\ud800\udc00\ud800"],"a":{}}`, strings.Repeat("[", 300), "{\"\\u0061\":\xff}",
		`{"content":[{"type":"text","text":"[]"}],"structuredContent":{"result":"\u0020"},"isError":false}`,
	} {
		f.Add([]byte(text))
	}
}

// FuzzCanonical holds the scanner against encoding/json where the two agree on what there is to say.
func FuzzCanonical(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		doc := Parse(text)
		// encoding/json takes text that is not UTF-8, and nothing deeper than 10 000.
		if valid := utf8.Valid(text) && json.Valid(text); (doc != nil) != valid && (valid || deepest(text) < 10_000) {
			t.Fatalf("read: %v, valid: %v", doc != nil, valid)
		}
		canonical, ok := Canonicalize(text)
		if !ok {
			if units := Units(text); units != 0 {
				t.Fatalf("%d units without a canonical form", units)
			}
			return
		}
		again, fine := Canonicalize(canonical)
		if !fine || !bytes.Equal(again, canonical) {
			t.Fatalf("%q becomes %q", canonical, again)
		}
		if !json.Valid(canonical) {
			t.Fatalf("%q is not JSON", canonical)
		}
		if got, want := Units(text), UTF16Len(string(canonical)); got != want {
			t.Fatalf("%d units, and %d in the canonical form", got, want)
		}
		if got := ArgsHash(text); string(canonical) != "null" && got != Hash12(canonical) {
			t.Fatalf("hash %s of %q", got, canonical)
		}
		var mine, theirs any
		if json.Unmarshal(canonical, &mine) == nil && json.Unmarshal(text, &theirs) == nil {
			// Which takes minus zero for zero.
			if !reflect.DeepEqual(mine, theirs) {
				t.Fatalf("%q says something else than %q", canonical, text)
			}
		}
	})
}

func deepest(text []byte) int { return bytes.Count(text, []byte("[")) + bytes.Count(text, []byte("{")) }

// FuzzResult: whatever a result is, it is measured.
func FuzzResult(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		result := MeasureResult(text)
		if whole := Units(text); result.Units > whole {
			t.Fatalf("%d units of %d", result.Units, whole)
		}
		DescribeTool(text, "")
		for _, token := range DescriptionTokens(string(text)) {
			if token == "" {
				t.Fatal("an empty token")
			}
		}
		if utf8.Valid(text) {
			quoted, _ := json.Marshal(string(text))
			if got, want := StringUnits(string(text)), Units(quoted); got != want {
				t.Fatalf("%d units of a string, not %d", got, want)
			}
			if got, want := IsEmptyText(string(text)), emptyText(text); got != want {
				t.Fatalf("empty: %v, not %v", got, want)
			}
		}
	})
}

// emptyText is rule E-008, slowly.
func emptyText(text []byte) bool {
	blank := func(s string) bool { return strings.Trim(s, " \t\n\r") == "" }
	if blank(string(text)) {
		return true
	}
	var value any
	if !json.Valid(text) || json.Unmarshal(text, &value) != nil {
		return false
	}
	switch value := value.(type) {
	case nil:
		return true
	case string:
		return blank(value)
	case []any:
		return len(value) == 0
	case map[string]any:
		return len(value) == 0
	}
	return false
}
