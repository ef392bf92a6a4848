package wire

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// readSpec reads a fixture of the protocol.
func readSpec[T any](t testing.TB, name string) T {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "spec", name))
	if err != nil {
		t.Fatal(err)
	}
	var spec T
	if err := json.Unmarshal(text, &spec); err != nil {
		t.Fatal(err)
	}
	return spec
}

func checkArgs(t *testing.T, name string, text []byte, canonical *string, hash string) {
	t.Helper()
	got, ok := CanonicalizeArgs(text)
	if ok != (canonical != nil) || ok && string(got) != *canonical {
		t.Errorf("%s: canonical form %q, %v", name, got, ok)
	}
	if got := ArgsHash(text); got != hash {
		t.Errorf("%s: hash %s, not %s", name, got, hash)
	}
}

func TestCanonical(t *testing.T) {
	shipped, err := os.ReadFile("canonical.json")
	if err != nil {
		t.Fatal(err)
	}
	published, err := os.ReadFile("../../../spec/canonical.json")
	if err != nil {
		t.Fatal(err)
	}
	if string(shipped) != string(published) {
		t.Error("the canonical.json of this package is not that of the protocol")
	}
	spec := readSpec[struct {
		Cases []struct {
			Name      string
			Input     json.RawMessage
			Canonical *string
			ArgsHash  string `json:"args_hash"`
		}
	}](t, "canonical.json")
	if len(spec.Cases) != 23 {
		t.Errorf("%d cases", len(spec.Cases))
	}
	for _, one := range spec.Cases {
		checkArgs(t, one.Name, one.Input, one.Canonical, one.ArgsHash)
	}
}

func TestCanonicalExtra(t *testing.T) {
	spec := readSpec[struct {
		DepthLimit int `json:"depth_limit"`
		Cases      []struct {
			Name      string
			JSON      *string
			Canonical *string
			ArgsHash  string `json:"args_hash"`
		}
	}](t, "canonical-extra.json")
	if spec.DepthLimit != DepthLimit {
		t.Errorf("depth limit %d", spec.DepthLimit)
	}
	for _, one := range spec.Cases {
		var text []byte
		if one.JSON != nil {
			text = []byte(*one.JSON)
		}
		checkArgs(t, one.Name, text, one.Canonical, one.ArgsHash)
	}
}

func TestSizes(t *testing.T) {
	type sized struct {
		Name, Result, Text string
		UTF16, UTF8        int
	}
	spec := readSpec[struct{ Cases, Unrepresentable, Strings []sized }](t, "sizes.json")
	for _, one := range spec.Cases {
		if got := Units([]byte(one.Result)); got != one.UTF16 {
			t.Errorf("%s: %d units, not %d", one.Name, got, one.UTF16)
		}
		canonical, _ := Canonicalize([]byte(one.Result))
		if UTF16Len(string(canonical)) != one.UTF16 || len(canonical) != one.UTF8 {
			t.Errorf("%s: canonical form of %d units and %d bytes", one.Name, UTF16Len(string(canonical)), len(canonical))
		}
	}
	for _, one := range spec.Unrepresentable {
		if got := Units([]byte(one.Result)); got != 0 || one.UTF16 != 0 {
			t.Errorf("%q: %d units", one.Result, got)
		}
	}
	for _, one := range spec.Strings {
		if got := UTF16Len(one.Text); got != one.UTF16 {
			t.Errorf("%s: %d units, not %d", one.Name, got, one.UTF16)
		}
		quoted, _ := json.Marshal(one.Text)
		if got, want := StringUnits(one.Text), Units(quoted); got != want {
			t.Errorf("%s: %d units as JSON, not %d", one.Name, got, want)
		}
	}
}

func TestEmpty(t *testing.T) {
	spec := readSpec[struct {
		Cases []struct {
			Name    string
			Result  json.RawMessage
			IsEmpty bool `json:"is_empty"`
		}
	}](t, "empty.json")
	for _, one := range spec.Cases {
		if got := MeasureResult(one.Result).Empty; got != one.IsEmpty {
			t.Errorf("%s: %v", one.Name, got)
		}
	}
}

func TestTools(t *testing.T) {
	spec := readSpec[struct {
		Cases []struct {
			Entry           json.RawMessage
			SchemaBytes     int     `json:"schema_bytes"`
			SchemaHash      string  `json:"schema_hash"`
			DescriptionHash *string `json:"description_hash"`
			DescriptionNorm *string `json:"description_norm"`
		}
	}](t, "tools.json")
	or := func(text *string) string {
		if text == nil {
			return ""
		}
		return *text
	}
	for _, one := range spec.Cases {
		got, ok := DescribeTool(one.Entry, "")
		want := Tool{got.Name, one.SchemaBytes, one.SchemaHash, or(one.DescriptionHash), or(one.DescriptionNorm), got.Policy}
		if !ok || got != want {
			t.Errorf("%+v, not %+v", got, want)
		}
	}
}

func TestDescriptions(t *testing.T) {
	spec := readSpec[struct {
		StopWords []string
		Cases     []struct {
			Name, Description string
			Tokens            []string
			DescriptionHash   *string `json:"description_hash"`
			DescriptionNorm   *string `json:"description_norm"`
		}
	}](t, "description-norm.json")
	if len(spec.StopWords) != len(stopWords) {
		t.Errorf("%d stop words, not %d", len(stopWords), len(spec.StopWords))
	}
	for _, word := range spec.StopWords {
		if !stopWords[word] {
			t.Errorf("%s is a stop word", word)
		}
	}
	same := func(got string, want *string) bool { return want == nil && got == "" || want != nil && got == *want }
	for _, one := range spec.Cases {
		if got := DescriptionTokens(one.Description); !slices.Equal(got, one.Tokens) {
			t.Errorf("%s: %q, not %q", one.Name, got, one.Tokens)
		}
		if !same(DescriptionHash(one.Description), one.DescriptionHash) || !same(DescriptionNorm(one.Description), one.DescriptionNorm) {
			t.Errorf("%s: the hashes differ", one.Name)
		}
	}
}

func TestPorter(t *testing.T) {
	words := readSpec[map[string]string](t, "porter.json")
	if len(words) < 1000 {
		t.Errorf("%d words", len(words))
	}
	for word, want := range words {
		if got := Stem(word); got != want {
			t.Errorf("%s: %s, not %s", word, got, want)
		}
	}
}

func TestPolicies(t *testing.T) {
	for entry, want := range map[string]string{
		`{}`:                     "",
		`{"securitySchemes":[]}`: "",
		`{"securitySchemes":null,"_meta":{"securitySchemes":[{"type":"noauth"}]}}`: "none",
		`{"securitySchemes":[{"type":"oauth2"},{"type":"noauth"}]}`:                "none",
		`{"securitySchemes":[{"type":"oauth2"}]}`:                                  "authorization",
		`{"securitySchemes":[{"type":"oauth2"},{"type":"other"}]}`:                 "",
		`{"securitySchemes":[{"type":"oauth2"},7]}`:                                "",
		`{"securitySchemes":"oauth2","_meta":7}`:                                   "",
	} {
		if tool, ok := DescribeTool([]byte(entry), ""); !ok || tool.Policy != want {
			t.Errorf("%s: %q", entry, tool.Policy)
		}
		if tool, _ := DescribeTool([]byte(entry), "identity"); tool.Policy != "identity" {
			t.Errorf("%s: the declared policy is not taken", entry)
		}
	}
	if _, ok := DescribeTool([]byte("[]"), ""); ok {
		t.Error("an array is no entry")
	}
}

func TestWhatIsNoJSON(t *testing.T) {
	for _, text := range []string{
		"{", "}", "[1,]", "[,1]", "{,}", `{"a"}`, `{"a":}`, `{"a":1,}`, `{a:1}`, "01", "-", "1.", ".5", "1e", "+1", "NaN",
		"Infinity", "tru", "truex", "nul", `"`, `"\`, `"\x"`, `"\u12"`, `"\u12g4"`, "\"\n\"", "1 2", "[1 2]", "\ufeff1",
		"\xff", "\"\xc3\"", "\"\xed\xa0\x80\"", "[1}", "{]", "1\x00",
		strings.Repeat("[", 200) + "," + strings.Repeat("]", 200),
		strings.Repeat("[", 200) + strings.Repeat("]", 199),
		strings.Repeat("[", 200) + strings.Repeat("]", 199) + "}",
		strings.Repeat(`{"a":`, 200) + "1," + strings.Repeat("}", 200),
	} {
		if doc := Parse([]byte(text)); doc != nil {
			t.Errorf("%.20q was read", text)
		}
		if got := ArgsHash([]byte(text)); got != NotRepresentableHash {
			t.Errorf("%.20q: %s", text, got)
		}
	}
}

func TestDepth(t *testing.T) {
	nested := func(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }
	if got := Units([]byte(nested(128))); got != 256 {
		t.Errorf("128 containers: %d units", got)
	}
	for _, text := range []string{nested(129), nested(100_000), strings.Repeat(`{"a":`, 129) + "{}" + strings.Repeat("}", 129)} {
		if doc := Parse([]byte(text)); doc == nil {
			t.Errorf("%.9q… is JSON", text)
		}
		if Units([]byte(text)) != 0 || ArgsHash([]byte(text)) != NotRepresentableHash {
			t.Errorf("%.9q… is representable", text)
		}
	}
	// What was replaced need only be JSON.
	if got, ok := Canonicalize([]byte(`{"a":` + nested(500) + `,"a":[1e999,"\ud800"],"a":1}`)); !ok || string(got) != `{"a":1}` {
		t.Errorf("%q", got)
	}
}

func TestResults(t *testing.T) {
	for text, want := range map[string]Result{
		``:     {0, true},
		`null`: {0, true},
		`{}`:   {2, true},
		`{"_meta":{"a":1},"resultType":"complete","isError":false,"x":null}`: {2, true},
		`{"content":[],"isError":true}`:                                      {29, true},
		`{"content":[{"type":"text","text":"no"}],"content":null}`:           {2, true},
		`{"structuredContent":{"result":{"result":[]}}}`:                     {46, false},
		`{"content":[{"type":"text","text":"\ud800"}]}`:                      {0, false},
		`7`: {1, false},
		`{`: {0, false},
	} {
		if got := MeasureResult([]byte(text)); got != want {
			t.Errorf("%s: %+v, not %+v", text, got, want)
		}
	}
}

func TestNamesFit(t *testing.T) {
	for name, want := range map[string]string{
		"": "unknown", "ab": "ab", "\xff\xfe": "��", "é🚀é": "é🚀é", "abcdef": "abcd", "🚀🚀🚀🚀🚀": "🚀🚀🚀🚀",
	} {
		if got := FitName(name, 4); got != want {
			t.Errorf("%q: %q", name, got)
		}
	}
}
