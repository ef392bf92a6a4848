package mcpulse

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// BenchmarkCall is what watching adds to a call, alone: a middleware around nothing.
func BenchmarkCall(b *testing.B) {
	var rows []map[string]any
	for i := range 160 {
		rows = append(rows, map[string]any{"id": fmt.Sprintf("id-%04d", i), "name": "a name of some length", "price": float64(i) * 1.25})
	}
	few, _ := json.Marshal(map[string]any{"query": "small", "rows": rows[:35]})
	many, _ := json.Marshal(map[string]any{"rows": rows})
	long, _ := json.Marshal(map[string]any{"query": strings.Repeat("query ", 340)})
	for name, one := range map[string]struct {
		arguments []byte
		result    *mcp.CallToolResult
	}{
		"text":    {long, replying(strings.Repeat("ten bytes ", 1000))},
		"objects": {few, &mcp.CallToolResult{Content: []mcp.Content{}, StructuredContent: json.RawMessage(many)}},
	} {
		b.Run(name, func(b *testing.B) {
			l := &link{watcher: &watcher{options: &settings{}, stream: newStream("http://127.0.0.1:9", "key", newTransport())}, known: &watched{}}
			serve := l.receiving(func(context.Context, string, mcp.Request) (mcp.Result, error) { return one.result, nil })
			request := &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: "tool", Arguments: one.arguments}, Session: &mcp.ServerSession{}}
			l.surface.listed([]*mcp.Tool{{Name: "tool"}})
			b.ReportAllocs()
			for b.Loop() {
				if _, err := serve(context.Background(), methodCall, request); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
