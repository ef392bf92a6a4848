package mcpulse

import (
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"
)

// takes tells whether the tool takes the arguments, by its schema: for tools of mcp.AddTool, which makes the same of
// arguments that it refuses and of an error that the handler returned. Asked only of a call that failed.
func (c *call) takes() bool {
	tool := c.surface.tool(c.name)
	if tool == nil {
		return true
	}
	// As the MCP SDK does it. A copy of the schema: resolving it may change it.
	text, err := json.Marshal(tool.InputSchema)
	if err != nil {
		return true
	}
	var schema jsonschema.Schema
	if json.Unmarshal(text, &schema) != nil {
		return true
	}
	resolved, err := schema.Resolve(&jsonschema.ResolveOptions{})
	if err != nil {
		return true
	}
	arguments := map[string]any{}
	if len(c.arguments) > 0 {
		if json.Unmarshal(c.arguments, &arguments) != nil {
			return false
		}
	}
	var given any = arguments
	if resolved.ApplyDefaults(&given) != nil {
		return false
	}
	return resolved.Validate(&given) == nil
}
