package wire

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// answer is what ECMAScript makes of a document.
type answer struct {
	Canonical *string
	Hash      string
	Units     int
}

func (a *answer) UnmarshalJSON(text []byte) error {
	return json.Unmarshal(text, &[]any{&a.Canonical, &a.Hash, &a.Units})
}

// ecmascript asks Node, all in one process.
func ecmascript(t *testing.T, texts []string) []answer {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		// Where all toolchains are expected, a missing one fails the test.
		if os.Getenv("MCPULSE_REQUIRE_ALL") == "1" {
			t.Fatal(err)
		}
		t.Skip("the reference needs Node")
	}
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	for _, text := range texts {
		if err := encoder.Encode(text); err != nil {
			t.Fatal(err)
		}
	}
	run := exec.Command(node, "testdata/reference.mjs")
	run.Stdin, run.Stderr = &lines, os.Stderr
	said, err := run.Output()
	if err != nil {
		t.Fatal(err)
	}
	var answers []answer
	for line := range strings.Lines(string(said)) {
		var one answer
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatal(err)
		}
		answers = append(answers, one)
	}
	if len(answers) != len(texts) {
		t.Fatalf("%d answers to %d documents", len(answers), len(texts))
	}
	return answers
}

func compare(t *testing.T, text string, want answer) {
	t.Helper()
	canonical, ok := Canonicalize([]byte(text))
	if ok != (want.Canonical != nil) || ok && string(canonical) != *want.Canonical {
		t.Fatalf("%s: canonical form %q, %v", text, canonical, ok)
	}
	if got := ArgsHash([]byte(text)); got != want.Hash {
		t.Fatalf("%s: hash %s, not %s", text, got, want.Hash)
	}
	if got := Units([]byte(text)); got != want.Units {
		t.Fatalf("%s: %d units, not %d", text, got, want.Units)
	}
}

func TestRandomDocuments(t *testing.T) {
	count := 100_000
	if given, err := strconv.Atoi(os.Getenv("MCPULSE_DOCUMENTS")); err == nil {
		count = given
	}
	maker := randomJSON{rand.New(rand.NewPCG(8785, 0x5EED))}
	texts := make([]string, count)
	for i := range texts {
		texts[i] = maker.value(0)
	}
	representable := 0
	for i, want := range ecmascript(t, texts) {
		compare(t, texts[i], want)
		if want.Canonical != nil {
			representable++
		}
	}
	// The generator must keep making both kinds.
	if representable < count/2 || representable == count {
		t.Errorf("%d of %d documents are representable", representable, count)
	}
}

func TestRandomNumbers(t *testing.T) {
	random := rand.New(rand.NewPCG(754, 1985))
	var texts []string
	add := func(number float64) {
		if !math.IsNaN(number) && !math.IsInf(number, 0) {
			texts = append(texts, strconv.FormatFloat(number, 'g', 17, 64), strconv.FormatFloat(number, 'f', -1, 64))
		}
	}
	for range 20_000 {
		add(math.Float64frombits(random.Uint64()))
		add(float64(random.IntN(1_000_000)) / 1000)
	}
	for power := -30; power < 30; power++ {
		for _, scale := range []float64{1, -1, 1.5, 9.999999999999999, -12345678.9} {
			add(scale * math.Pow10(power))
		}
	}
	for power := range 70 {
		for _, step := range []float64{-1, 0, 1} {
			add(math.Ldexp(1, power) + step)
		}
	}
	for i, want := range ecmascript(t, texts) {
		compare(t, texts[i], want)
	}
}

// randomJSON makes documents as text, with white space, escapes and numbers that no serialiser would write so.
type randomJSON struct{ *rand.Rand }

func pick[T any](r randomJSON, from ...T) T { return from[r.IntN(len(from))] }

func (r randomJSON) value(depth int) string {
	kinds := 8
	if depth > 5 {
		kinds = 5
	}
	switch r.IntN(kinds) {
	case 0:
		return pick(r, "true", "false", "null")
	case 1, 2:
		return r.number()
	case 3, 4:
		return r.string()
	case 5:
		return r.many("[", "]", func() string { return r.value(depth + 1) })
	default:
		return r.many("{", "}", func() string { return r.string() + r.space() + ":" + r.value(depth+1) })
	}
}

func (r randomJSON) many(opening, closing string, item func() string) string {
	items := make([]string, r.IntN(6))
	for i := range items {
		items[i] = r.space() + item() + r.space()
	}
	return opening + r.space() + strings.Join(items, ",") + closing
}

func (r randomJSON) space() string {
	if r.IntN(4) == 0 {
		return pick(r, " ", "\t", "\n", "\r", "  ")
	}
	return ""
}

func (r randomJSON) digits(count int) string {
	var digits strings.Builder
	for range count {
		digits.WriteByte('0' + byte(r.IntN(10)))
	}
	return digits.String()
}

func (r randomJSON) number() string {
	number := pick(r, "", "", "-")
	if r.IntN(3) == 0 {
		number += "0"
	} else {
		number += strconv.Itoa(1+r.IntN(9)) + r.digits(r.IntN(25))
	}
	if r.IntN(2) == 0 {
		number += "." + r.digits(1+r.IntN(20))
	}
	if r.IntN(3) == 0 {
		number += pick(r, "e", "E") + pick(r, "", "+", "-") + strconv.Itoa(r.IntN(400))
	}
	return number
}

func (r randomJSON) string() string {
	var text strings.Builder
	for range r.IntN(12) {
		text.WriteString(r.character())
	}
	return `"` + text.String() + `"`
}

func (r randomJSON) character() string {
	switch r.IntN(10) {
	case 0:
		return pick(r, `\n`, `\t`, `\r`, `\b`, `\f`, `\"`, `\\`, `\/`, `/`, "<", "&")
	case 1:
		return `\u` + strings.ToLower(strconv.FormatInt(int64(0x10000+r.IntN(0x10000)), 16)[1:])
	case 2:
		return `\u00` + strings.ToUpper(strconv.FormatInt(int64(0x100+r.IntN(0x100)), 16)[1:])
	case 3:
		return string(rune(0x80 + r.IntN(0xD000)))
	case 4:
		return string(rune(0x10000 + r.IntN(0x100000)))
	case 5:
		return string(rune(0xE000 + r.IntN(0x2000)))
	case 6:
		return pick(r, `\ud83d\ude80`, "\u2028", "\u007f", "\uffff", "\ufeff", "__proto__", "10", "9", "eight bytes and more")
	default:
		return string(rune('a' + r.IntN(26)))
	}
}
