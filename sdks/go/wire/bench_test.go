package wire

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// documents are what calls are measured on: about 2 KB of arguments and 10 KB of results.
func documents() map[string][]byte {
	var rows []map[string]any
	for i := range 160 {
		rows = append(rows, map[string]any{"id": fmt.Sprintf("id-%04d", i), "name": "a name of some length", "price": float64(i) * 1.25})
	}
	args, _ := json.Marshal(map[string]any{"query": "a query", "rows": rows[:35]})
	result, _ := json.Marshal(map[string]any{"rows": rows})
	text, _ := json.Marshal(map[string]any{"query": strings.Repeat("query ", 340)})
	return map[string][]byte{"args 2 KB": args, "result 10 KB": result, "text 2 KB": text}
}

func BenchmarkArgsHash(b *testing.B) {
	for name, document := range documents() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(document)))
			b.ReportAllocs()
			for b.Loop() {
				ArgsHash(document)
			}
		})
	}
}

func BenchmarkUnits(b *testing.B) {
	for name, document := range documents() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(document)))
			b.ReportAllocs()
			for b.Loop() {
				Units(document)
			}
		})
	}
}

func BenchmarkStringUnits(b *testing.B) {
	text := strings.Repeat("ten bytes ", 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		StringUnits(text)
	}
}
