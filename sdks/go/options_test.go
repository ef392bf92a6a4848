package mcpulse

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"mcpulse/wire"
)

func read(t *testing.T, options *Options) (*settings, string) {
	t.Helper()
	var complaints []string
	checked := readOptions(options, func(text string) { complaints = append(complaints, text) })
	return checked, strings.Join(complaints, "\n")
}

func TestDefaults(t *testing.T) {
	t.Setenv("MCPULSE_KEY", " mp_live_env ")
	t.Setenv("MCPULSE_ENDPOINT", "")
	checked, complaints := read(t, nil)
	expect(t, "complaints", complaints, "")
	expect(t, "key", checked.key, "mp_live_env")
	expect(t, "endpoint", checked.endpoint, "http://127.0.0.1:7077")
	t.Setenv("MCPULSE_ENDPOINT", "https://example.org/pulse//")
	checked, _ = read(t, &Options{Key: "other"})
	expect(t, "key", checked.key, "other")
	expect(t, "endpoint", checked.endpoint, "https://example.org/pulse")
}

func TestRefusals(t *testing.T) {
	t.Setenv("MCPULSE_KEY", "")
	t.Setenv("MCPULSE_ENDPOINT", "")
	for _, options := range []*Options{
		nil, {}, {Key: "  "}, {Key: "secret", Disabled: true}, {Key: "secret key"}, {Key: "secret\n" + "x"}, {Key: "sécret"},
		{Key: "secret", Endpoint: "ftp://secret"}, {Key: "secret", Endpoint: "secret"}, {Key: "secret", Endpoint: "http://"},
		{Key: "secret", Endpoint: "http://secret host"}, {Key: "secret", Endpoint: "http://[secret"},
		{Key: "secret", Sessions: "secret"}, {Key: "secret", Endpoint: "http://host/?secret"},
	} {
		checked, complaints := read(t, options)
		if checked != nil || !strings.HasPrefix(complaints, "off: ") {
			t.Errorf("%+v: %q", options, complaints)
		}
		// By name and rule, never by value.
		if strings.Contains(complaints, "secret") {
			t.Error(complaints)
		}
	}
}

func TestAgreementOptions(t *testing.T) {
	two := map[string]string{"a": "/x", "b": ""}
	many := map[string]string{}
	for n := range 21 {
		many[fmt.Sprint(n)] = "/x"
	}
	long := strings.Repeat("t", 300)
	for name, one := range map[string]struct {
		given Agreement
		fine  bool
	}{
		"defaults":        {Agreement{Tools: two}, true},
		"all":             {Agreement{Tools: two, Window: time.Hour, Tolerance: 0.5}, true},
		"one tool":        {Agreement{Tools: map[string]string{"a": "/x"}}, false},
		"too many":        {Agreement{Tools: many}, false},
		"equal once cut":  {Agreement{Tools: map[string]string{long + "a": "/x", long + "b": "/x"}}, false},
		"no pointer":      {Agreement{Tools: map[string]string{"a": "x", "b": "/x"}}, false},
		"a bad escape":    {Agreement{Tools: map[string]string{"a": "/~2", "b": "/x"}}, false},
		"negative window": {Agreement{Tools: two, Window: -1}, false},
		"short window":    {Agreement{Tools: two, Window: time.Microsecond}, false},
		"long window":     {Agreement{Tools: two, Window: 25 * time.Hour}, false},
		"tolerance":       {Agreement{Tools: two, Tolerance: -1}, false},
		"NaN":             {Agreement{Tools: two, Tolerance: math.NaN()}, false},
		"infinity":        {Agreement{Tools: two, Tolerance: math.Inf(1)}, false},
	} {
		checked, complaints := read(t, &Options{Key: "key", Agreements: map[string]Agreement{"field": one.given}})
		if checked == nil || (len(checked.agreements) == 1) != one.fine || (complaints == "") != one.fine {
			t.Errorf("%s: %q", name, complaints)
		}
	}
	all := map[string]Agreement{}
	for n := range 101 {
		all[fmt.Sprint(n)] = Agreement{Tools: two}
	}
	checked, _ := read(t, &Options{Key: "key", Agreements: all})
	expect(t, "fields", len(checked.declared), wire.MaxAgreements)
}

func TestPointers(t *testing.T) {
	doc := wire.Parse([]byte(`{"a/b":{"~":[10,{"":"x"}]},"":1,"n":null}`))
	for pointer, want := range map[string]string{
		"": "", "/a~1b/~0/0": "10", "/a~1b/~0/1/": `"x"`, "/": "1", "/n": "null", "/a~1b/~0/2": "none", "/a~1b/~0/00": "none",
		"/a~1b/~0/-": "none", "/a~1b/~0/-1": "none", "/absent": "none", "/n/x": "none", "//x": "none",
	} {
		tokens, ok := pointerTokens(pointer)
		if !ok {
			t.Fatal(pointer)
		}
		got := "none"
		if value := valueAt(doc, tokens); value != wire.None {
			canonical, _ := doc.AppendCanonical(nil, value)
			got = string(canonical)
		}
		if pointer != "" {
			expect(t, pointer, got, want)
		}
	}
}
