package mcpulse

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// unwrapped is the MCP SDK's own handler of requests, without anybody's middleware: it serves a request by the server
// of the request's session, whichever server it was taken from.
var unwrapped = sync.OnceValue(func() (handler mcp.MethodHandler) {
	mcp.NewServer(&mcp.Implementation{Name: "mcpulse"}, nil).AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		handler = next
		return next
	})
	return handler
})

// registered is the tool of that name, whether clients see it or not.
func registered(session *mcp.ServerSession, name string) *mcp.Tool {
	cursor := ""
	for range maxPages {
		params := &mcp.ListToolsParams{Cursor: cursor}
		result, err := unwrapped()(context.Background(), methodList, &mcp.ListToolsRequest{Session: session, Params: params})
		list, ok := result.(*mcp.ListToolsResult)
		if err != nil || !ok || list == nil {
			return nil
		}
		for _, tool := range list.Tools {
			if tool.Name == name {
				return tool
			}
		}
		if cursor = list.NextCursor; cursor == "" {
			return nil
		}
	}
	return nil
}

// refused tells whether a tool's schema refuses the arguments. mcp.AddTool makes the same of arguments that it refuses
// and of an error that its handler returned; this tells them apart. Asked only of calls that failed.
func refused(request *mcp.CallToolRequest) bool {
	tool := registered(request.Session, request.Params.Name)
	if tool == nil {
		return false
	}
	// As the MCP SDK does it, but with a copy of the schema: resolving may change it.
	text, err := json.Marshal(tool.InputSchema)
	var schema jsonschema.Schema
	if err != nil || json.Unmarshal(text, &schema) != nil {
		return false
	}
	resolved, err := schema.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		return false
	}
	arguments := map[string]any{}
	if len(request.Params.Arguments) > 0 && json.Unmarshal(request.Params.Arguments, &arguments) != nil {
		return true
	}
	var given any = arguments
	return resolved.ApplyDefaults(&given) != nil || resolved.Validate(&given) != nil
}
