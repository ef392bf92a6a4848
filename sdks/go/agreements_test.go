package mcpulse

import (
	"context"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpulse/wire"
)

// verdicts notes values by turns and returns what was said of them.
func verdicts(t *testing.T, given Agreement, notes ...[3]string) string {
	t.Helper()
	checked, complaints := read(t, &Options{Key: "key", Agreements: map[string]Agreement{"f": given}})
	expect(t, "complaints", complaints, "")
	book := newAgreementBook()
	now := time.Now()
	var said []string
	for _, note := range notes {
		conversation, tool, structured := note[0], note[1], note[2]
		if conversation == "later" {
			now, conversation = now.Add(checked.agreements[0].window), ""
		}
		book.note(checked.agreements, conversation, tool, []byte(structured), now, func(v *wire.Agreement) {
			said = append(said, fmt.Sprintf("%s=%s %v", v.ToolA, v.ToolB, v.Agreed))
		})
	}
	return strings.Join(said, ", ")
}

func TestVerdicts(t *testing.T) {
	two := map[string]string{"a": "/x", "b": "/y/0"}
	deep := `{"x":` + strings.Repeat("[", 130) + strings.Repeat("]", 130) + `}`
	for name, one := range map[string]struct {
		given Agreement
		notes [][3]string
		want  string
	}{
		"equal":             {Agreement{Tools: two}, [][3]string{{"", "a", `{"x":{"p":1.0,"q":2}}`}, {"", "b", `{"y":[{"q":2,"p":1}]}`}}, "a=b true"},
		"different":         {Agreement{Tools: two}, [][3]string{{"", "b", `{"y":["1"]}`}, {"", "a", `{"x":1}`}}, "a=b false"},
		"numbers":           {Agreement{Tools: two}, [][3]string{{"", "a", `{"x":1e2}`}, {"", "b", `{"y":[100]}`}}, "a=b true"},
		"within tolerance":  {Agreement{Tools: two, Tolerance: 0.5}, [][3]string{{"", "a", `{"x":1}`}, {"", "b", `{"y":[1.5]}`}}, "a=b true"},
		"beyond tolerance":  {Agreement{Tools: two, Tolerance: 0.5}, [][3]string{{"", "a", `{"x":1}`}, {"", "b", `{"y":[1.6]}`}}, "a=b false"},
		"each time":         {Agreement{Tools: two}, [][3]string{{"", "a", `{"x":1}`}, {"", "b", `{"y":[1]}`}, {"", "a", `{"x":2}`}}, "a=b true, a=b false"},
		"another tool":      {Agreement{Tools: two}, [][3]string{{"", "a", `{"x":1}`}, {"", "c", `{"x":1}`}}, ""},
		"missing":           {Agreement{Tools: two}, [][3]string{{"", "a", `{}`}, {"", "b", `{"y":[1]}`}}, ""},
		"not representable": {Agreement{Tools: two}, [][3]string{{"", "a", deep}, {"", "b", `{"y":[1]}`}}, ""},
		"not JSON":          {Agreement{Tools: two}, [][3]string{{"", "a", `{`}, {"", "b", `{"y":[1]}`}}, ""},
		"conversations":     {Agreement{Tools: two}, [][3]string{{"1", "a", `{"x":1}`}, {"2", "b", `{"y":[1]}`}, {"1", "b", `{"y":[1]}`}}, "a=b true"},
		"too old":           {Agreement{Tools: two}, [][3]string{{"", "a", `{"x":1}`}, {"later", "b", `{"y":[1]}`}}, ""},
		"UTF-16 order": {
			Agreement{Tools: map[string]string{"\uff5e": "/x", "🚀": "/x", "b": "/x"}},
			[][3]string{{"", "\uff5e", `{"x":1}`}, {"", "🚀", `{"x":1}`}}, "🚀=\uff5e true",
		},
	} {
		t.Run(name, func(t *testing.T) { expect(t, "verdicts", verdicts(t, one.given, one.notes...), one.want) })
	}
}

func TestAgreementsOfCalls(t *testing.T) {
	i := newIngest(t)
	server := newServer()
	for name, value := range map[string]any{"a": big.NewInt(7), "b": 7.0, "c": "7"} {
		AddTool(server, &mcp.Tool{Name: name}, func(_ context.Context, _ *mcp.CallToolRequest, in anything) (*mcp.CallToolResult, any, error) {
			if in["fail"] != nil {
				result := isError("no")
				result.StructuredContent = map[string]any{"v": 8}
				return result, nil, nil
			}
			return nil, map[string]any{"v": value}, nil
		})
	}
	options := i.options()
	options.Agreements = map[string]Agreement{"field": {Tools: map[string]string{"a": "/v", "b": "/v", "c": "/v"}, Window: time.Minute}}
	Watch(server, options)
	client := connect(t, server)
	must(t, client, "a", map[string]any{"fail": 1})
	must(t, client, "a", nil)
	must(t, client, "b", nil)
	must(t, client, "c", nil)
	got := map[string]bool{}
	for _, verdict := range i.of("agreement") {
		got[verdict.ToolA+verdict.ToolB] = verdict.Agreed
		expect(t, "field", verdict.Field, "field")
		expect(t, "window_ms", verdict.WindowMS, 60_000)
		expect(t, "session", verdict.SessionID, i.stream().session)
	}
	expect(t, "verdicts", fmt.Sprint(got), "map[ab:true ac:false bc:false]")
	expect(t, "declared", fmt.Sprint(i.startups(1)[0].Agreements), "[{field [a b c]}]")
}
