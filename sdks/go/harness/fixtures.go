package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"strings"

	"mcpulse/wire"
)

// line is what comes in: an operation, and JSON text as a string, or a text.
type line struct {
	Op, Text, Word      string
	JSON, Result, Entry *string
}

// fixtures does text-level checks: one JSON object a line in, one a line out.
func fixtures() {
	in := bufio.NewReader(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	answers := json.NewEncoder(out)
	answers.SetEscapeHTML(false)
	for {
		read, err := in.ReadString('\n')
		if strings.TrimSpace(read) != "" {
			var asked line
			if json.Unmarshal([]byte(read), &asked) != nil || answers.Encode(asked.answer()) != nil {
				os.Exit(1)
			}
		}
		if err == io.EOF {
			return
		}
	}
}

func raw(text *string) []byte {
	if text == nil {
		return nil
	}
	return []byte(*text)
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func (l *line) answer() map[string]any {
	switch l.Op {
	case "args":
		canonical, ok := wire.CanonicalizeArgs(raw(l.JSON))
		answer := map[string]any{"canonical": nil, "args_hash": wire.ArgsHash(raw(l.JSON))}
		if ok {
			answer["canonical"] = string(canonical)
		}
		return answer
	case "size":
		return map[string]any{"units": wire.Units(raw(l.JSON))}
	case "empty":
		return map[string]any{"is_empty": wire.MeasureResult(raw(l.Result)).Empty}
	case "result":
		return map[string]any{"units": wire.MeasureResult(raw(l.Result)).Units}
	case "tool":
		tool, _ := wire.DescribeTool(raw(l.Entry), "")
		return map[string]any{
			"schema_bytes": tool.SchemaBytes, "schema_hash": tool.SchemaHash,
			"description_hash": orNull(tool.DescriptionHash), "description_norm": orNull(tool.DescriptionNorm),
		}
	case "description":
		return map[string]any{
			"tokens":           wire.DescriptionTokens(l.Text),
			"description_hash": orNull(wire.DescriptionHash(l.Text)), "description_norm": orNull(wire.DescriptionNorm(l.Text)),
		}
	case "stem":
		return map[string]any{"stem": wire.Stem(l.Word)}
	}
	return map[string]any{"unsupported": "op " + l.Op}
}
