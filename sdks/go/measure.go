package mcpulse

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpulse/wire"
)

// measured is what is told of a result, and what it says in structure, as JSON.
type measured struct {
	units      int
	empty      bool
	writable   bool // the MCP SDK can put it on the wire
	structured []byte
}

// measure measures a result as the MCP SDK will write it. Ordinary results are not written for it: text is measured
// where it is, structured content has been written by the MCP SDK already.
func measure(result mcp.Result) measured {
	typed, ok := result.(*mcp.CallToolResult)
	switch {
	case ok && typed == nil:
		return measured{empty: true, writable: true}
	case !ok || typed.RequestState != "" || typed.InputRequests != nil:
		return measureWritten(result)
	}
	m := measured{writable: true}
	members, units := 0, 0
	if !m.addContent(typed.Content, &members, &units) {
		return measureWritten(result)
	}
	if typed.StructuredContent != nil && !m.addStructured(typed.StructuredContent, &members, &units) {
		return m
	}
	if typed.IsError {
		members++
		units += len(`"isError":true`)
	}
	m.units = min(units+1+max(1, members), wire.MaxUnits)
	return m
}

// The canonical form of a text part is {"text":…,"type":"text"}.
const textPartUnits = len(`{"text":,"type":"text"}`)

// addContent measures content of nothing but plain text; false when there is anything else.
func (m *measured) addContent(content []mcp.Content, members, units *int) bool {
	if content == nil {
		m.empty = true
		return true
	}
	*members++
	*units += len(`"content":`) + 1 + max(1, len(content))
	for _, part := range content {
		text, ok := part.(*mcp.TextContent)
		if !ok || text == nil || len(text.Meta) > 0 || text.Annotations != nil {
			return false
		}
		*units += textPartUnits + wire.StringUnits(text.Text)
	}
	switch len(content) {
	case 0:
		m.empty = true
	case 1:
		m.empty = wire.IsEmptyText(content[0].(*mcp.TextContent).Text)
	}
	return true
}

// addStructured measures structured content; false when the result cannot be written or has no size, and then m says
// which.
func (m *measured) addStructured(value any, members, units *int) bool {
	text, written := value.(json.RawMessage)
	if !written {
		var err error
		if text, err = json.Marshal(value); err != nil {
			m.writable = false
			return false
		}
	}
	if len(text) == 0 {
		// encoding/json writes no RawMessage as null, and an empty one not at all.
		m.writable = text == nil
		return m.writable
	}
	doc := wire.Parse(text)
	if doc == nil {
		m.writable = json.Valid(text)
		m.empty = false
		return false
	}
	defer doc.Free()
	if doc.Kind(doc.Root()) == wire.Null {
		return true
	}
	m.structured = text
	m.empty = wire.StructuredIsEmpty(doc)
	size, ok := doc.Units(doc.Root())
	if !ok {
		return false
	}
	*members++
	*units += len(`"structuredContent":`) + size
	return true
}

func measureWritten(result mcp.Result) measured {
	text, err := json.Marshal(result)
	if err != nil {
		return measured{}
	}
	told := wire.MeasureResult(text)
	m := measured{units: told.Units, empty: told.Empty, writable: true}
	if typed, ok := result.(*mcp.CallToolResult); ok && typed.StructuredContent != nil {
		m.structured, _ = json.Marshal(typed.StructuredContent)
	}
	return m
}
