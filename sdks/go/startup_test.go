package mcpulse

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func names(startup payload) string {
	var all []string
	for _, tool := range startup.Tools {
		all = append(all, tool.Name)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

func TestEarlyAndLateTools(t *testing.T) {
	for _, add := range []func(*mcp.Server, string){
		func(server *mcp.Server, name string) {
			AddTool(server, &mcp.Tool{Name: name}, answers(replying("ok"), nil))
		},
		func(server *mcp.Server, name string) {
			server.AddTool(&mcp.Tool{Name: name, InputSchema: anySchema}, rawAnswers(replying("ok"), nil))
		},
	} {
		i := newIngest(t)
		server := newServer()
		add(server, "before")
		Watch(server, i.options())
		add(server, "after")
		client := connect(t, server)
		must(t, client, "before", nil)
		must(t, client, "after", nil)
		expect(t, "startup", names(i.startups(1)[0]), "after before")
		add(server, "later")
		must(t, client, "later", nil)
		expect(t, "the next startup", names(i.startups(2)[1]), "after before later")
		expect(t, "calls", len(i.calls()), 3)
		server.RemoveTools("before")
		if _, err := client.ListTools(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		expect(t, "the last startup", names(i.startups(3)[2]), "after later")
		// A surface that this session has sent already.
		add(server, "before")
		if _, err := client.ListTools(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		must(t, client, "before", nil)
		i.startups(3)
	}
}

func TestAListThatChangesIsNoticed(t *testing.T) {
	i := newIngest(t)
	server := newServer()
	AddTool(server, &mcp.Tool{Name: "one"}, answers(replying("ok"), nil))
	Watch(server, i.options())
	client := connectLegacy(t, server)
	must(t, client, "one", nil)
	i.startups(1)
	// Clients that are notified need not do anything.
	mcp.AddTool(server, &mcp.Tool{Name: "two"}, answers(replying("ok"), nil))
	expect(t, "startup", names(i.startups(2)[1]), "one two")
}

func TestAChangeThatNobodyIsToldOf(t *testing.T) {
	i := newIngest(t)
	server := newServer()
	mcp.AddTool(server, &mcp.Tool{Name: "one"}, answers(replying("ok"), nil))
	Watch(server, i.options())
	client := connect(t, server)
	must(t, client, "one", nil)
	i.startups(1)
	// Protocol 2026-07-28 notifies only those that listen.
	mcp.AddTool(server, &mcp.Tool{Name: "two"}, answers(replying("ok"), nil))
	must(t, client, "one", nil)
	i.startups(1)
	surface := &global.of(server).watcher.surface
	surface.mu.Lock()
	surface.checkedAt = surface.checkedAt.Add(-recheck)
	surface.mu.Unlock()
	must(t, client, "one", nil)
	expect(t, "startup", names(i.startups(2)[1]), "one two")
}

// connectLegacy speaks a protocol with sessions.
func connectLegacy(t *testing.T, server *mcp.Server) *mcp.ClientSession {
	t.Helper()
	ours, theirs := mcp.NewInMemoryTransports()
	if _, err := server.Connect(context.Background(), legacy{ours}, nil); err != nil {
		t.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "legacy"}, nil).Connect(context.Background(), theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

type legacy struct{ mcp.Transport }

func (legacy) SupportsProtocolVersion(version string) bool { return version < "2026-07-28" }

func TestAnInitializeSaysWhoItIs(t *testing.T) {
	i := newIngest(t)
	server := newServer()
	AddTool(server, &mcp.Tool{Name: "one"}, answers(replying("ok"), nil))
	Watch(server, i.options())
	client := connectLegacy(t, server)
	// Nobody lists or calls anything.
	startup := i.startups(1)[0]
	expect(t, "client", startup.ClientName, "legacy")
	expect(t, "protocol", startup.ProtocolVersion, "2025-11-25")
	must(t, client, "one", nil)
	expect(t, "client of the call", i.call().ClientName, "legacy")
}

func TestPages(t *testing.T) {
	i := newIngest(t)
	server := mcp.NewServer(&mcp.Implementation{Name: "server"}, &mcp.ServerOptions{PageSize: 7})
	for n := range 600 {
		server.AddTool(&mcp.Tool{Name: fmt.Sprintf("tool-%03d", n), InputSchema: anySchema}, rawAnswers(replying("ok"), nil))
	}
	Watch(server, i.options())
	client := connect(t, server)
	// A page is not the surface.
	if _, err := client.ListTools(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	must(t, client, "tool-599", nil)
	tools := i.startups(1)[0].Tools
	expect(t, "tools", len(tools), 500)
	expect(t, "the last", tools[499].Name, "tool-499")
}

func TestACollectionThatFailsIsTriedAgain(t *testing.T) {
	i := newIngest(t)
	server := newServer()
	AddTool(server, &mcp.Tool{Name: "one"}, answers(replying("ok"), nil))
	var failures atomic.Int32
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
			if method == "tools/list" {
				switch failures.Add(1) {
				case 1:
					return nil, errors.New("not now")
				case 2:
					panic("in a goroutine that is not the host's")
				}
			}
			return next(ctx, method, request)
		}
	})
	Watch(server, i.options())
	client := connect(t, server)
	eventually(t, "a startup", func() bool {
		must(t, client, "one", nil)
		return len(i.of("startup")) == 1
	})
	if failures.Load() != 3 {
		t.Errorf("listed %d times", failures.Load())
	}
}

func TestPolicies(t *testing.T) {
	i := newIngest(t)
	server := newServer()
	schemes := func(kind string) mcp.Meta {
		return mcp.Meta{"securitySchemes": []any{map[string]any{"type": kind}}}
	}
	for name, meta := range map[string]mcp.Meta{"plain": nil, "open": schemes("noauth"), "closed": schemes("oauth2"), "mine": schemes("noauth")} {
		server.AddTool(&mcp.Tool{Name: name, Meta: meta, InputSchema: anySchema}, rawAnswers(replying("ok"), nil))
	}
	options := i.options()
	options.Policies = map[string]Policy{"mine": PolicyIdentity, "plain": "nonsense", "absent": PolicyNone}
	Watch(server, options)
	must(t, connect(t, server), "plain", nil)
	got := map[string]string{}
	for _, tool := range i.startups(1)[0].Tools {
		got[tool.Name] = tool.Policy
	}
	for name, want := range map[string]string{"plain": "", "open": "none", "closed": "authorization", "mine": "identity"} {
		expect(t, name, got[name], want)
	}
}

// TestTheLimits of collecting: servers that are built for each request do not list their tools each time.
func TestCollectingIsBounded(t *testing.T) {
	s := newStream("http://ingest", "key", nil)
	may := 0
	for range 1000 {
		if s.mayCollect() {
			may++
		}
	}
	if may < collectBurst || may > collectBurst+1 {
		t.Errorf("collected %d times", may)
	}
}

func TestNoCanaryInAnyByte(t *testing.T) {
	const canary = "d41d8cd98f00"
	i := newIngest(t)
	server := newServer()
	schema := json.RawMessage(`{"type":"object","properties":{"secret":{"type":"string","description":"` + canary + `"}}}`)
	options := i.options()
	options.Agreements = map[string]Agreement{"f": {Tools: map[string]string{"a": "/x", "b": "/x"}}}
	for _, name := range []string{"a", "b"} {
		AddTool(server, &mcp.Tool{Name: name, Description: canary, InputSchema: schema}, func(context.Context, *mcp.CallToolRequest, anything) (*mcp.CallToolResult, any, error) {
			return replying(canary), map[string]any{"x": canary}, nil
		})
	}
	AddTool(server, &mcp.Tool{Name: "fails"}, answers(nil, errors.New(canary)))
	Watch(server, options)
	client := connect(t, server)
	for _, name := range []string{"a", "b", "fails"} {
		must(t, client, name, map[string]any{"secret": canary})
	}
	i.startups(1)
	expect(t, "verdicts", len(i.of("agreement")), 1)
	if strings.Contains(string(i.sent()), canary) {
		t.Error("a canary flew")
	}
}
