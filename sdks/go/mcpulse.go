// Package mcpulse tells the owner of an MCP server how its tools are used: which are called, how they end, how long
// they take, how much they put into the model's context. It attaches to servers of
// github.com/modelcontextprotocol/go-sdk and sends sizes and hashes; never arguments, results, descriptions, schemas or
// error texts.
//
//	mcpulse.Watch(server, nil)                 // the ingest key comes from MCPULSE_KEY
//	defer mcpulse.Flush(context.Background())  // in main: what is left is sent, for at most one second
//
// It never panics into its host, never blocks it, and installs no signal handler.
package mcpulse

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Watch records the calls of a server and hands it back. Tools may be added before or after. A server is watched once,
// however often Watch is called, and held only weakly; servers built per request share one session. Middleware that is
// added afterwards is outside of what is measured. Nil options are the default.
func Watch(server *mcp.Server, options *Options) *mcp.Server {
	guarded(func() { watch(server, options) })
	return server
}

func watch(server *mcp.Server, options *Options) {
	complain := func(string) {}
	if options != nil && options.Debug {
		complain = say
	}
	if server == nil {
		complain("off: there is no server")
		return
	}
	checked := readOptions(options, complain)
	if checked == nil {
		return
	}
	known := global.of(server)
	known.mu.Lock()
	defer known.mu.Unlock()
	if known.watcher != nil {
		complain("this server is watched already")
		return
	}
	w := &watcher{options: checked, stream: global.streamOf(checked)}
	l := &link{watcher: w, known: known}
	server.AddReceivingMiddleware(l.receiving)
	server.AddSendingMiddleware(l.sending)
	known.watcher = w
}

// Flush sends what was recorded so far, and returns [ErrNotSent] unless all of it was taken. It takes until the end of
// ctx, or a second when ctx sets no deadline. Go has no hooks at the end of a program: call it, deferred, in main.
func Flush(ctx context.Context) (err error) {
	if !guarded(func() { err = global.flush(ctx) }) {
		err = ErrNotSent
	}
	return err
}

// AddTool is [mcp.AddTool], and sees the handler: whether arguments were bound and how it ended are then known for
// certain. It works the same for a server that is not watched.
func AddTool[In, Out any](server *mcp.Server, tool *mcp.Tool, handler mcp.ToolHandlerFor[In, Out]) {
	mcp.AddTool(server, tool, func(ctx context.Context, request *mcp.CallToolRequest, in In) (result *mcp.CallToolResult, out Out, err error) {
		c, _ := ctx.Value(slot{}).(*call)
		if c == nil {
			return handler(ctx, request, in)
		}
		// Unless it returns: a panic passes through, and is not looked at.
		c.reached(escaped)
		result, out, err = handler(ctx, request, in)
		c.reached(endOf(result, err))
		return result, out, err
	})
	guarded(func() { global.of(server).adds(tool.Name) })
}

// endOf tells how a handler ended.
func endOf(result *mcp.CallToolResult, err error) ending {
	if err != nil {
		// What the MCP SDK passes on as it is. Any other error is a failure that nobody planned.
		if said, ok := err.(*jsonrpc.Error); ok {
			return endOfCode(said.Code)
		}
		return escaped
	}
	if result != nil && result.IsError {
		return saidError
	}
	return returned
}

func codeOf(err error) (int64, bool) {
	var said *jsonrpc.Error
	if errors.As(err, &said) && said != nil {
		return said.Code, true
	}
	return 0, false
}
