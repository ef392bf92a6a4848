package mcpulse

import (
	"reflect"
	"runtime"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpulse/wire"
)

// endOfCode: a protocol error that a handler returns is meant, unless its code is one of failures.
func endOfCode(code int64) ending {
	switch code {
	case jsonrpc.CodeInternalError, -32000, -32001, 0:
		return escaped
	}
	return saidError
}

func outcomeOf(end ending) wire.Outcome {
	switch end {
	case returned:
		return wire.OK
	case saidError:
		return wire.ToolError
	default:
		return wire.Crashed
	}
}

// outcomeOfError: the answer is a JSON-RPC error.
func (c *call) outcomeOfError(err error) wire.Outcome {
	switch end := c.ended(); end {
	case returned:
		// The MCP SDK did not take what the handler returned.
		return wire.Crashed
	case saidError, escaped:
		return outcomeOf(end)
	}
	code, ok := codeOf(err)
	if !ok {
		return wire.Crashed
	}
	switch code {
	case jsonrpc.CodeInvalidParams, jsonrpc.CodeMethodNotFound, jsonrpc.CodeInvalidRequest:
		// No such tool, or a handler of the low-level API that binds arguments itself and says so.
		return wire.BadArgs
	}
	return outcomeOf(endOfCode(code))
}

// outcomeOfErrorResult: the answer is a result that says isError.
func (c *call) outcomeOfErrorResult(request *mcp.CallToolRequest, result *mcp.CallToolResult) wire.Outcome {
	switch {
	case c.ended() == escaped:
		return wire.Crashed
	case c.ended() != unseen || result.GetError() == nil:
		return wire.ToolError
	case c.known.sees(c.name) || refused(request):
		return wire.BadArgs
	}
	// mcp.AddTool makes the same of an error that its handler returned and of a result that says isError.
	return wire.ToolError
}

// isDying tells whether a panic that passes through this goroutine ends the program: above the calls of this package
// there is only the MCP SDK, which recovers nothing.
func isDying() bool {
	var counters [256]uintptr
	frames := runtime.CallersFrames(counters[:runtime.Callers(1, counters[:])])
	outermost := reflect.TypeFor[link]().PkgPath() + ".(*link).receiving"
	panicking, only := false, false
	for {
		frame, more := frames.Next()
		name := frame.Function
		switch {
		case name == "runtime.gopanic" || strings.HasPrefix(name, "runtime.panic") || name == "runtime.sigpanic":
			panicking = true
		case strings.HasPrefix(name, outermost):
			only = true
		case strings.HasPrefix(name, mcpSDK+"/") || strings.HasPrefix(name, "runtime."):
		default:
			only = false
		}
		if !more {
			return panicking && only
		}
	}
}
