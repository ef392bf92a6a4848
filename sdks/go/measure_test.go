package mcpulse

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpulse/wire"
)

// odd writes itself in its own way.
type odd struct{}

func (odd) MarshalJSON() ([]byte, error) {
	return []byte(`{ "b" : 1.0 , "a":"\u003c" , "a":"é" }`), nil
}

// results are of every kind that a handler may return: the text of them is on the wire, and nowhere else.
var results = map[string]*mcp.CallToolResult{
	"no parts":          {Content: []mcp.Content{}},
	"nil content":       {},
	"text":              replying("plain"),
	"blank":             replying(" \n\t"),
	"null text":         replying(" null "),
	"list text":         replying("[ ]"),
	"blank string text": replying(`"\u0020"`),
	"zero text":         replying("0"),
	"odd text":          replying("café 🚀 東京 <&> \u2028 \u0000 \x7f \" \\ / \r\n"),
	"not UTF-8":         replying("a\xffb\xc3 \xed\xa0\x80"),
	"long text":         replying(strings.Repeat("0123456789é", 1000)),
	"two parts":         {Content: []mcp.Content{&mcp.TextContent{}, &mcp.TextContent{Text: ""}}},
	"annotated":         {Content: []mcp.Content{&mcp.TextContent{Text: "x", Annotations: &mcp.Annotations{Priority: 0.5}}}},
	"part with meta":    {Content: []mcp.Content{&mcp.TextContent{Text: "x", Meta: mcp.Meta{"a": 1}}}},
	"image":             {Content: []mcp.Content{&mcp.ImageContent{Data: []byte("data"), MIMEType: "image/png"}}},
	"audio":             {Content: []mcp.Content{&mcp.AudioContent{Data: []byte("data"), MIMEType: "audio/wav"}}},
	"link":              {Content: []mcp.Content{&mcp.ResourceLink{URI: "file:///é", Name: "a"}}},
	"resource":          {Content: []mcp.Content{&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "file:///a", Text: "<b>"}}}},
	"meta":              {Meta: mcp.Meta{"x": strings.Repeat("y", 100)}, Content: []mcp.Content{}},
	"error":             isError("no such order"),
	"structured":        {Content: []mcp.Content{}, StructuredContent: map[string]any{"a": []any{1, 2.5, nil, "é"}}},
	"empty structured":  {Content: replying("words").Content, StructuredContent: map[string]any{}},
	"wrapped":           {Content: replying("words").Content, StructuredContent: map[string]any{"result": []any{}}},
	"wrapped twice":     {StructuredContent: map[string]any{"result": map[string]any{"result": nil}}},
	"structured text":   {StructuredContent: "{}"},
	"structured raw":    {Content: []mcp.Content{}, StructuredContent: json.RawMessage(`{"z":1.0,"a":1e2,"a":[ ]}`)},
	"structured null":   {Content: []mcp.Content{}, StructuredContent: json.RawMessage("null")},
	"nil raw":           {Content: []mcp.Content{}, StructuredContent: json.RawMessage(nil)},
	"nil pointer":       {Content: []mcp.Content{}, StructuredContent: (*order)(nil)},
	"half a pair":       {Content: []mcp.Content{}, StructuredContent: json.RawMessage(`"\ud800"`)},
	"too deep":          {Content: []mcp.Content{}, StructuredContent: json.RawMessage(strings.Repeat("[", 129) + strings.Repeat("]", 129))},
	"odd":               {Content: []mcp.Content{}, StructuredContent: odd{}},
	"state":             {Content: []mcp.Content{}, RequestState: "state"},
	"both":              {Content: replying("a").Content, StructuredContent: map[string]any{"a": 1}, IsError: true},
}

func TestResultsAreMeasuredAsTheyAreWritten(t *testing.T) {
	for name, result := range results {
		t.Run(name, func(t *testing.T) {
			i := newIngest(t)
			server := newServer()
			server.AddTool(&mcp.Tool{Name: "raw", InputSchema: anySchema}, rawAnswers(result, nil))
			Watch(server, i.options())
			var tap wiretap
			client := connectBy(t, server, &tap, "tester")
			// The client may not be able to read it; the wire shows what came.
			_, _ = calling(t, client, "raw", nil)
			written := onTheWire(t, tap.String())
			want := wire.MeasureResult(written)
			call := i.call()
			expect(t, "response_bytes of "+string(written), call.ResponseBytes, want.Units)
			expect(t, "is_empty of "+string(written), call.IsEmpty, want.Empty && call.Outcome == "ok")
		})
	}
}

// onTheWire is the last result that was received.
func onTheWire(t *testing.T, log string) []byte {
	t.Helper()
	var found json.RawMessage
	for line := range strings.Lines(log) {
		_, message, ok := strings.Cut(line, "read: ")
		var response struct{ Result json.RawMessage }
		if ok && json.Unmarshal([]byte(message), &response) == nil && response.Result != nil {
			found = response.Result
		}
	}
	if found == nil {
		t.Fatalf("no result on the wire: %s", log)
	}
	return found
}

func TestTypedResults(t *testing.T) {
	type out struct {
		Rows []order `json:"rows"`
		Note *string `json:"note"`
	}
	i := newIngest(t)
	server := newServer()
	AddTool(server, &mcp.Tool{Name: "typed"}, func(_ context.Context, _ *mcp.CallToolRequest, in order) (*mcp.CallToolResult, out, error) {
		return nil, out{Rows: make([]order, in.ID)}, nil
	})
	AddTool(server, &mcp.Tool{Name: "list"}, func(context.Context, *mcp.CallToolRequest, anything) (*mcp.CallToolResult, []int, error) {
		return nil, []int{}, nil
	})
	Watch(server, i.options())
	var tap wiretap
	client := connectBy(t, server, &tap, "tester")
	var want []wire.Result
	for _, id := range []int{0, 3} {
		must(t, client, "typed", order{id})
		want = append(want, wire.MeasureResult(onTheWire(t, tap.String())))
	}
	must(t, client, "list", nil)
	want = append(want, wire.MeasureResult(onTheWire(t, tap.String())))
	for at, call := range i.calls() {
		expect(t, "response_bytes", call.ResponseBytes, want[at].Units)
		expect(t, "is_empty", call.IsEmpty, want[at].Empty)
	}
	expect(t, "a list of nothing", want[2].Empty, true)
}

// fussy cannot be written.
type fussy struct{ panics bool }

func (f fussy) MarshalJSON() ([]byte, error) {
	if f.panics {
		panic("the author's")
	}
	return nil, context.Canceled
}

func TestResultsThatCannotBeWritten(t *testing.T) {
	for _, result := range []mcp.Result{
		&mcp.CallToolResult{StructuredContent: fussy{}},
		&mcp.CallToolResult{StructuredContent: json.RawMessage("{")},
		&mcp.CallToolResult{StructuredContent: json.RawMessage{}},
		&mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Meta: mcp.Meta{"a": fussy{}}}}},
	} {
		if size := measure(result); size.writable || size.units != 0 {
			t.Errorf("%+v", size)
		}
	}
	c := &call{link: &link{watcher: &watcher{options: &settings{}, stream: newStream("", "", nil)}, known: &watched{}}}
	c.answered(context.Background(), &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{}}, &mcp.CallToolResult{StructuredContent: fussy{panics: true}}, nil, 0)
	recorded := (<-c.stream.sender.ring).(*wire.Call)
	expect(t, "outcome", recorded.Outcome, wire.Crashed)
	if size := measure((*mcp.CallToolResult)(nil)); !size.empty || !size.writable {
		t.Errorf("no result: %+v", size)
	}
	if size := measure(&mcp.ListToolsResult{}); !size.writable || size.units == 0 {
		t.Errorf("a result of another kind: %+v", size)
	}
}
