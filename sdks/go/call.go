package mcpulse

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpulse/wire"
)

// slot is where the layer of the request leaves its call for the layer of the author's handler.
type slot struct{}

// ending is how the author's handler ended, as far as is known.
type ending int32

const (
	unseen    ending = iota // it did not run, or is not one that AddTool of this package added
	returned                // a result
	saidError               // a result that says isError, or a protocol error that was meant
	escaped                 // anything else
)

// call is one tools/call on its way.
type call struct {
	*link
	started      time.Time
	name         string
	client       string
	conversation string
	argsHash     string
	end          atomic.Int32 // an ending; middleware may have left a handler behind that still runs
}

func (c *call) begin(ctx context.Context, request *mcp.CallToolRequest) {
	c.name = request.Params.Name
	c.client = clientOf(request)
	c.conversation = c.conversationOf(request)
	// Before the handler runs: it is free to change what it is given.
	c.argsHash = wire.ArgsHash(request.Params.Arguments)
	if c.surface.wanted("") {
		c.schedule(ctx, 0, request)
	}
}

// reached: the author's handler runs, or ended so. Within one request it may run again, with what it asked for.
func (c *call) reached(end ending) { c.end.Store(int32(end)) }

func (c *call) ended() ending { return ending(c.end.Load()) }

// answered: the request was answered.
func (c *call) answered(ctx context.Context, request *mcp.CallToolRequest, result mcp.Result, err error, duration time.Duration) {
	loss := &c.stream.sender.loss
	if errors.Is(ctx.Err(), context.Canceled) {
		loss.skip("cancelled")
		return
	}
	typed, ok := result.(*mcp.CallToolResult)
	if code, _ := codeOf(err); code == mcp.CodeURLElicitationRequired || err == nil && ok && typed != nil && typed.InputRequests != nil {
		loss.skip("input required")
		return
	}
	var size measured
	outcome := wire.OK
	switch {
	case err != nil:
		outcome = c.outcomeOfError(err)
	default:
		// The author's types may write themselves.
		if !guarded(func() { size = measure(result) }) || !size.writable {
			// Then nothing is answered at all.
			outcome = wire.Crashed
		} else if ok && typed != nil && typed.IsError {
			outcome = c.outcomeOfErrorResult(request, typed)
		}
	}
	c.push(outcome, size, duration)
	if outcome == wire.OK && size.structured != nil && len(c.options.agreements) > 0 {
		c.compare(c.name, c.conversation, size.structured)
	}
}

// looked: a tool that exists was called, and may be new.
func (c *call) looked(ctx context.Context, request *mcp.CallToolRequest, err error) {
	switch {
	case err != nil && c.ended() == unseen:
	case c.surface.wanted(c.name):
		c.schedule(ctx, 0, request)
	case c.surface.stale():
		// Servers that are built per request do not live so long, so this costs nothing of what they may take.
		c.scheduleAs(ctx, 0, false, func() bool { return true }, request, about(request))
	}
}

// escaped: a panic passes through, or the goroutine ends.
func (c *call) escaped() {
	c.push(wire.Crashed, measured{}, time.Since(c.started))
	if isDying() {
		_ = global.flush(context.Background())
	}
}

func (c *call) push(outcome wire.Outcome, size measured, duration time.Duration) {
	session := c.stream.session
	if c.options.perConversation {
		session = c.stream.sessionOf(c.conversation)
	}
	c.stream.sender.push(&wire.Call{
		SessionID: session, ClientName: c.client, ToolName: c.name, StartedAt: c.started, Duration: duration,
		Outcome: outcome, Units: size.units, Empty: size.empty, ArgsHash: c.argsHash,
	})
}
