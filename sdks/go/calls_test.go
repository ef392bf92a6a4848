package mcpulse

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"weak"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpulse/wire"
)

func TestACall(t *testing.T) {
	i := newIngest(t)
	server := newServer()
	AddTool(server, &mcp.Tool{Name: "tool"}, answers(replying("café 🚀"), nil))
	if Watch(server, i.options()) != server {
		t.Error("the server is not handed back")
	}
	before := time.Now()
	must(t, connect(t, server), "tool", map[string]any{"b": 1.5, "a": "é"})
	call := i.call()
	started, err := time.Parse("2006-01-02T15:04:05.000Z", call.StartedAt)
	if err != nil || started.Before(before.Truncate(time.Millisecond)) || started.After(time.Now()) {
		t.Errorf("started_at %s: %v", call.StartedAt, err)
	}
	if !strings.HasPrefix(call.SessionID, "s_") || len(call.SessionID) != 14 {
		t.Errorf("session %s", call.SessionID)
	}
	expect(t, "client", call.ClientName, "tester")
	expect(t, "args_hash", call.ArgsHash, wire.ArgsHash([]byte(`{"a":"é","b":1.5}`)))
	expect(t, "response_bytes", call.ResponseBytes, len(`{"content":[{"text":"","type":"text"}]}`)+7)
	startup := i.startups(1)[0]
	expect(t, "sdk", startup.SDK, "mcpulse-go/"+Version)
	expect(t, "transport", startup.Transport, "stdio")
	expect(t, "protocol", startup.ProtocolVersion, "2026-07-28")
	expect(t, "tools", len(startup.Tools), 1)
	expect(t, "session", startup.SessionID, call.SessionID)
}

func TestArgumentsAreHashedBeforeTheHandlerRuns(t *testing.T) {
	i := newIngest(t)
	server := newServer()
	server.AddTool(&mcp.Tool{Name: "tool", InputSchema: anySchema}, func(_ context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for at := range request.Params.Arguments {
			request.Params.Arguments[at] = ' '
		}
		return replying("ok"), nil
	})
	Watch(server, i.options())
	must(t, connect(t, server), "tool", map[string]any{"a": 1})
	expect(t, "args_hash", i.call().ArgsHash, wire.ArgsHash([]byte(`{"a":1}`)))
}

func TestWatchingTwiceRecordsOnce(t *testing.T) {
	i := newIngest(t)
	server := newServer()
	AddTool(server, &mcp.Tool{Name: "tool"}, answers(replying("ok"), nil))
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { Watch(server, i.options()) })
	}
	all.Wait()
	must(t, connect(t, server), "tool", nil)
	i.call()
}

func TestALaterWatchWorks(t *testing.T) {
	i := newIngest(t)
	server := newServer()
	AddTool(server, &mcp.Tool{Name: "tool"}, answers(replying("ok"), nil))
	t.Setenv("MCPULSE_KEY", "")
	Watch(server, nil)
	Watch(server, &Options{Key: "mp_live_test", Disabled: true})
	Watch(nil, i.options())
	client := connect(t, server)
	must(t, client, "tool", nil)
	Watch(server, i.options())
	must(t, client, "tool", nil)
	i.call()
}

// TestPanics: what a handler panics with reaches whoever recovers it, the same object.
func TestPanics(t *testing.T) {
	boom := errors.New("boom")
	for name, add := range map[string]func(*mcp.Server){
		"AddTool": func(server *mcp.Server) {
			AddTool(server, &mcp.Tool{Name: "tool"}, func(context.Context, *mcp.CallToolRequest, anything) (*mcp.CallToolResult, any, error) {
				panic(boom)
			})
		},
		"by hand": func(server *mcp.Server) {
			server.AddTool(&mcp.Tool{Name: "tool", InputSchema: anySchema}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				panic(boom)
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			i := newIngest(t)
			server := newServer()
			add(server)
			Watch(server, i.options())
			recovered := make(chan any, 1)
			server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
				return func(ctx context.Context, method string, request mcp.Request) (result mcp.Result, err error) {
					defer func() {
						if what := recover(); what != nil {
							recovered <- what
							err = errors.New("recovered")
						}
					}()
					return next(ctx, method, request)
				}
			})
			if _, err := calling(t, connect(t, server), "tool", nil); err == nil {
				t.Error("the call did not fail")
			}
			if what := <-recovered; what != boom {
				t.Errorf("recovered %v", what)
			}
			call := i.call()
			expect(t, "outcome", call.Outcome, "crashed")
			expect(t, "response_bytes", call.ResponseBytes, 0)
		})
	}
}

func TestGoexit(t *testing.T) {
	i := newIngest(t)
	server := newServer()
	AddTool(server, &mcp.Tool{Name: "tool"}, func(context.Context, *mcp.CallToolRequest, anything) (*mcp.CallToolResult, any, error) {
		runtime.Goexit()
		return nil, nil, nil
	})
	Watch(server, i.options())
	client := connect(t, server)
	// Nobody answers.
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() {
		_, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "tool"})
		ended <- err
	}()
	eventually(t, "the call", func() bool { return len(i.calls()) == 1 })
	expect(t, "outcome", i.call().Outcome, "crashed")
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestClientsAreNotMixedUp(t *testing.T) {
	i := newIngest(t)
	server := newServer()
	AddTool(server, &mcp.Tool{Name: "tool"}, answers(replying("ok"), nil))
	Watch(server, i.options())
	const clients, times = 8, 20
	var all sync.WaitGroup
	for n := range clients {
		client := connectBy(t, server, nil, fmt.Sprint("client ", n))
		all.Go(func() {
			for range times {
				if _, err := client.CallTool(context.Background(), &mcp.CallToolParams{Name: "tool", Arguments: map[string]any{"n": n}}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	counts := map[string]int{}
	for _, call := range i.calls() {
		var n int
		if _, err := fmt.Sscanf(call.ClientName, "client %d", &n); err != nil {
			t.Fatal(err)
		}
		expect(t, "args_hash", call.ArgsHash, wire.ArgsHash(fmt.Appendf(nil, `{"n":%d}`, n)))
		counts[call.ClientName]++
	}
	for n := range clients {
		expect(t, "calls", counts[fmt.Sprint("client ", n)], times)
	}
}

func TestWhoIsCalling(t *testing.T) {
	info := map[string]any{"name": "modern"}
	for name, one := range map[string]struct {
		meta mcp.Meta
		want string
	}{
		"said":            {mcp.Meta{mcp.MetaKeyProtocolVersion: "2026-07-28", mcp.MetaKeyClientInfo: info}, "modern"},
		"typed":           {mcp.Meta{mcp.MetaKeyClientInfo: &mcp.Implementation{Name: "typed"}}, "typed"},
		"not said":        {mcp.Meta{mcp.MetaKeyProtocolVersion: "2026-07-28"}, ""},
		"nonsense":        {mcp.Meta{mcp.MetaKeyProtocolVersion: "2026-07-28", mcp.MetaKeyClientInfo: 7}, ""},
		"nothing at all":  {nil, ""},
		"a nil typed one": {mcp.Meta{mcp.MetaKeyClientInfo: (*mcp.Implementation)(nil)}, ""},
	} {
		expect(t, name, clientOf(&mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Meta: one.meta}}), one.want)
	}
}

func TestServersShareASession(t *testing.T) {
	i := newIngest(t)
	for range 3 {
		server := newServer()
		AddTool(server, &mcp.Tool{Name: "tool"}, answers(replying("ok"), nil))
		Watch(server, i.options())
		must(t, connect(t, server), "tool", nil)
	}
	calls := i.calls()
	expect(t, "calls", len(calls), 3)
	for _, call := range calls {
		expect(t, "session", call.SessionID, calls[0].SessionID)
	}
	// The same tools, so one startup.
	i.startups(1)
}

func TestServersAreLetGo(t *testing.T) {
	i := newIngest(t)
	const count = 50
	var servers []weak.Pointer[mcp.Server]
	for range count {
		server := newServer()
		AddTool(server, &mcp.Tool{Name: "tool"}, answers(replying("ok"), nil))
		Watch(server, i.options())
		ours, theirs := mcp.NewInMemoryTransports()
		session, err := server.Connect(context.Background(), ours, nil)
		if err != nil {
			t.Fatal(err)
		}
		client, err := mcp.NewClient(&mcp.Implementation{Name: "c"}, nil).Connect(context.Background(), theirs, nil)
		if err != nil {
			t.Fatal(err)
		}
		must(t, client, "tool", nil)
		_ = client.Close()
		_ = session.Wait()
		servers = append(servers, weak.Make(server))
	}
	i.all()
	eventually(t, "the servers to go", func() bool {
		runtime.GC()
		alive := 0
		global.mu.Lock()
		defer global.mu.Unlock()
		for _, server := range servers {
			if server.Value() != nil || global.servers[server] != nil {
				alive++
			}
		}
		return alive == 0
	})
}

// TestFaultsOfOurOwn: whatever breaks in here, the host's answers stay the same.
func TestFaultsOfOurOwn(t *testing.T) {
	i := newIngest(t)
	server := newServer()
	AddTool(server, &mcp.Tool{Name: "tool"}, answers(replying("ok"), nil))
	Watch(server, i.options())
	known := global.of(server)
	client := connect(t, server)
	must(t, client, "tool", nil)
	i.startups(1)
	// Every use of them is a fault from here on.
	known.watcher.options = nil
	for range 3 {
		expect(t, "the answer", must(t, client, "tool", nil).Content[0].(*mcp.TextContent).Text, "ok")
		if _, err := client.ListTools(context.Background(), nil); err != nil {
			t.Error(err)
		}
	}
	loss := &known.watcher.stream.sender.loss
	loss.mu.Lock()
	defer loss.mu.Unlock()
	expect(t, "faults", loss.unrecorded["a fault of the producer's"], 3)
}

func TestFlushWithoutAnything(t *testing.T) {
	if err := Flush(context.Background()); err != nil && !errors.Is(err, ErrNotSent) {
		t.Error(err)
	}
	dead := &Options{Key: "mp_live_test", Endpoint: "http://127.0.0.1:9"}
	server := newServer()
	AddTool(server, &mcp.Tool{Name: "tool"}, answers(replying("ok"), nil))
	Watch(server, dead)
	must(t, connect(t, server), "tool", nil)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Flush(ctx); !errors.Is(err, ErrNotSent) {
		t.Errorf("flushed a dead ingest: %v", err)
	}
}
