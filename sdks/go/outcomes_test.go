package mcpulse

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type order struct {
	ID int `json:"id" jsonschema:"the id"`
}

func withError(err error) *mcp.CallToolResult {
	result := &mcp.CallToolResult{}
	result.SetError(err)
	return result
}

func isError(text string) *mcp.CallToolResult {
	result := replying(text)
	result.IsError = true
	return result
}

func coded(code int64) error { return &jsonrpc.Error{Code: code, Message: "said so"} }

// addBy is one of the ways to add a tool.
type addBy func(server *mcp.Server, result *mcp.CallToolResult, out any, err error)

func byAddTool(server *mcp.Server, result *mcp.CallToolResult, out any, err error) {
	AddTool(server, &mcp.Tool{Name: "tool"}, func(context.Context, *mcp.CallToolRequest, order) (*mcp.CallToolResult, any, error) {
		return result, out, err
	})
}

func byTheirs(server *mcp.Server, result *mcp.CallToolResult, out any, err error) {
	mcp.AddTool(server, &mcp.Tool{Name: "tool"}, func(context.Context, *mcp.CallToolRequest, order) (*mcp.CallToolResult, any, error) {
		return result, out, err
	})
}

func byHand(server *mcp.Server, result *mcp.CallToolResult, _ any, err error) {
	server.AddTool(&mcp.Tool{Name: "tool", InputSchema: anySchema}, rawAnswers(result, err))
}

func TestOutcomes(t *testing.T) {
	good, bad := anything{"id": 1}, anything{"id": "one"}
	unwritable := func() {} // JSON has no functions
	for name, one := range map[string]struct {
		add       addBy
		arguments any
		result    *mcp.CallToolResult
		out       any
		err       error
		want      string
	}{
		"ok":                         {byAddTool, good, replying("yes"), nil, nil, "ok"},
		"nothing":                    {byAddTool, good, nil, nil, nil, "ok"},
		"wrong arguments":            {byAddTool, bad, replying("yes"), nil, nil, "bad_args"},
		"missing arguments":          {byAddTool, anything{}, replying("yes"), nil, nil, "bad_args"},
		"isError":                    {byAddTool, good, isError("no"), nil, nil, "tool_error"},
		"SetError":                   {byAddTool, good, withError(errors.New("no")), nil, nil, "tool_error"},
		"a protocol error":           {byAddTool, good, nil, nil, coded(-32602), "tool_error"},
		"an internal error":          {byAddTool, good, nil, nil, coded(-32603), "crashed"},
		"an error":                   {byAddTool, good, nil, nil, errors.New("boom"), "crashed"},
		"a result nobody can write":  {byAddTool, good, nil, unwritable, nil, "crashed"},
		"theirs: ok":                 {byTheirs, good, replying("yes"), nil, nil, "ok"},
		"theirs: wrong arguments":    {byTheirs, bad, replying("yes"), nil, nil, "bad_args"},
		"theirs: missing arguments":  {byTheirs, anything{}, replying("yes"), nil, nil, "bad_args"},
		"theirs: isError":            {byTheirs, good, isError("no"), nil, nil, "tool_error"},
		"theirs: wrong, it says":     {byTheirs, good, nil, nil, coded(-32602), "bad_args"},
		"theirs: a protocol error":   {byTheirs, good, nil, nil, coded(-32050), "tool_error"},
		"theirs: an internal error":  {byTheirs, good, nil, nil, coded(-32603), "crashed"},
		"theirs: unwritable":         {byTheirs, good, nil, unwritable, nil, "crashed"},
		"by hand: ok":                {byHand, good, replying("yes"), nil, nil, "ok"},
		"by hand: isError":           {byHand, good, isError("no"), nil, nil, "tool_error"},
		"by hand: SetError":          {byHand, good, withError(errors.New("no")), nil, nil, "tool_error"},
		"by hand: wrong arguments":   {byHand, bad, nil, nil, coded(-32602), "bad_args"},
		"by hand: a protocol error":  {byHand, good, nil, nil, coded(-32050), "tool_error"},
		"by hand: an internal error": {byHand, good, nil, nil, coded(-32603), "crashed"},
		"by hand: an error":          {byHand, good, nil, nil, errors.New("boom"), "crashed"},
		// The limit of tools that mcp.AddTool added: it makes the same of both.
		"theirs: an error": {byTheirs, good, nil, nil, errors.New("boom"), "tool_error"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newIngest(t)
			plain, watched := newServer(), newServer()
			one.add(plain, one.result, one.out, one.err)
			one.add(watched, one.result, one.out, one.err)
			Watch(watched, i.options())
			want, wantErr := calling(t, connect(t, plain), "tool", one.arguments)
			got, gotErr := calling(t, connect(t, watched), "tool", one.arguments)
			sameAnswer(t, got, gotErr, want, wantErr)
			call := i.call()
			expect(t, "outcome", call.Outcome, one.want)
			if gotErr != nil {
				expect(t, "response_bytes", call.ResponseBytes, 0)
			}
		})
	}
}

// sameAnswer: watching changed nothing.
func sameAnswer(t *testing.T, got *mcp.CallToolResult, gotErr error, want *mcp.CallToolResult, wantErr error) {
	t.Helper()
	if (gotErr == nil) != (wantErr == nil) || gotErr != nil && gotErr.Error() != wantErr.Error() {
		t.Errorf("error: %v, not %v", gotErr, wantErr)
	}
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(want)
	expect(t, "result", string(a), string(b))
}

// TestBinding: the schema takes what the Go type does not.
func TestBinding(t *testing.T) {
	i := newIngest(t)
	server := newServer()
	never := func(context.Context, *mcp.CallToolRequest, order) (*mcp.CallToolResult, any, error) {
		t.Error("the handler ran")
		return nil, nil, nil
	}
	AddTool(server, &mcp.Tool{Name: "ours", InputSchema: anySchema}, never)
	mcp.AddTool(server, &mcp.Tool{Name: "theirs", InputSchema: anySchema}, never)
	Watch(server, i.options())
	client := connect(t, server)
	for _, name := range []string{"ours", "theirs"} {
		if !must(t, client, name, map[string]any{"id": "one"}).IsError {
			t.Error("it was bound")
		}
	}
	calls := i.calls()
	expect(t, "ours", calls[0].Outcome, "bad_args")
	// A limit of mcp.AddTool: nothing tells this from an error of the handler's.
	expect(t, "theirs", calls[1].Outcome, "tool_error")
}

func TestAToolThatDoesNotExist(t *testing.T) {
	i := newIngest(t)
	server := newServer()
	byAddTool(server, replying("yes"), nil, nil)
	Watch(server, i.options())
	client := connect(t, server)
	for _, name := range []string{"no such tool", ""} {
		if _, err := calling(t, client, name, anything{}); err == nil {
			t.Error("it exists")
		}
	}
	calls := i.calls()
	expect(t, "calls", len(calls), 2)
	expect(t, "name", calls[0].ToolName, "no such tool")
	expect(t, "name", calls[1].ToolName, "unknown")
	expect(t, "outcome", calls[0].Outcome, "bad_args")
}

func TestTheMCPSDKRejectsAResult(t *testing.T) {
	i := newIngest(t)
	server := newServer()
	schema := json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
	AddTool(server, &mcp.Tool{Name: "tool", OutputSchema: schema}, func(context.Context, *mcp.CallToolRequest, anything) (*mcp.CallToolResult, anything, error) {
		return nil, anything{"n": "not a number"}, nil
	})
	Watch(server, i.options())
	if _, err := calling(t, connect(t, server), "tool", nil); err == nil {
		t.Error("the MCP SDK took it")
	}
	expect(t, "outcome", i.call().Outcome, "crashed")
}

func TestCancelledCalls(t *testing.T) {
	i := newIngest(t)
	server := newServer()
	begun := make(chan struct{})
	ended := make(chan error, 1)
	AddTool(server, &mcp.Tool{Name: "slow"}, func(ctx context.Context, _ *mcp.CallToolRequest, _ anything) (*mcp.CallToolResult, any, error) {
		close(begun)
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, nil, ctx.Err()
	})
	AddTool(server, &mcp.Tool{Name: "fast"}, answers(replying("done"), nil))
	Watch(server, i.options())
	client := connect(t, server)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-begun
		cancel()
	}()
	if _, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "slow"}); !errors.Is(err, context.Canceled) {
		t.Errorf("the client got %v", err)
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the handler got %v", err)
	}
	must(t, client, "fast", nil)
	loss := &i.stream().sender.loss
	eventually(t, "the loss report", func() bool {
		loss.mu.Lock()
		defer loss.mu.Unlock()
		return loss.unrecorded["cancelled"] == 1
	})
	expect(t, "recorded", i.call().ToolName, "fast")
}

func TestAskingForInput(t *testing.T) {
	i := newIngest(t)
	server := newServer()
	asks := &mcp.ElicitParams{Message: "Who?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}}}`)}
	AddTool(server, &mcp.Tool{Name: "ask"}, func(_ context.Context, request *mcp.CallToolRequest, _ anything) (*mcp.CallToolResult, any, error) {
		if request.Params.InputResponses["who"] != nil {
			return replying("hello"), nil, nil
		}
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"who": asks}}, nil, nil
	})
	Watch(server, i.options())
	client := connect(t, server, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: anything{"name": "Ada"}}, nil
		},
	})
	must(t, client, "ask", nil)
	expect(t, "outcome", i.call().Outcome, "ok")
}
