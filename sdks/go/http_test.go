package mcpulse

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// serveHTTP serves a new watched server for each request or session, and counts them.
func serveHTTP(t *testing.T, options *Options, http *mcp.StreamableHTTPOptions) (url string, made *atomic.Int32) {
	t.Helper()
	made = new(atomic.Int32)
	handler := mcp.NewStreamableHTTPHandler(func(*httpRequest) *mcp.Server {
		made.Add(1)
		server := newServer()
		AddTool(server, &mcp.Tool{Name: "tool"}, answers(replying("ok"), nil))
		for _, name := range []string{"a", "b"} {
			AddTool(server, &mcp.Tool{Name: name}, func(context.Context, *mcp.CallToolRequest, anything) (*mcp.CallToolResult, any, error) {
				return nil, map[string]any{"x": 1}, nil
			})
		}
		return Watch(server, options)
	}, http)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL, made
}

type httpRequest = http.Request

func dial(t *testing.T, url, name string) *mcp.ClientSession {
	t.Helper()
	transport := &mcp.StreamableClientTransport{Endpoint: url, DisableStandaloneSSE: true}
	client, err := mcp.NewClient(&mcp.Implementation{Name: name}, nil).Connect(context.Background(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func TestAServerForEachRequest(t *testing.T) {
	i := newIngest(t)
	url, made := serveHTTP(t, i.options(), &mcp.StreamableHTTPOptions{Stateless: true})
	const clients, times = 4, 15
	var all sync.WaitGroup
	for n := range clients {
		client := dial(t, url, fmt.Sprint("client ", n))
		all.Go(func() {
			for range times {
				if _, err := client.CallTool(context.Background(), &mcp.CallToolParams{Name: "tool"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	counts := map[string]int{}
	calls := i.calls()
	for _, call := range calls {
		expect(t, "session", call.SessionID, calls[0].SessionID)
		counts[call.ClientName]++
	}
	for n := range clients {
		expect(t, "calls", counts[fmt.Sprint("client ", n)], times)
	}
	if made.Load() < clients*times {
		t.Errorf("%d servers", made.Load())
	}
	startup := i.startups(1)[0]
	expect(t, "transport", startup.Transport, "http")
	expect(t, "protocol", startup.ProtocolVersion, "2026-07-28")
}

func TestConversations(t *testing.T) {
	i := newIngest(t)
	options := i.options()
	options.Sessions = SessionsConversation
	options.Agreements = map[string]Agreement{"f": {Tools: map[string]string{"a": "/x", "b": "/x"}}}
	url, _ := serveHTTP(t, options, nil)
	one, two := dial(t, url, "one"), dial(t, url, "two")
	for range 2 {
		must(t, one, "tool", nil)
		must(t, two, "tool", nil)
	}
	// Compared within a conversation only.
	must(t, one, "a", nil)
	must(t, two, "b", nil)
	expect(t, "verdicts", len(i.of("agreement")), 0)
	must(t, one, "b", nil)
	expect(t, "verdicts", len(i.of("agreement")), 1)
	sessions := map[string]string{}
	for _, call := range i.calls() {
		if known := sessions[call.ClientName]; known != "" {
			expect(t, "session of "+call.ClientName, call.SessionID, known)
		}
		sessions[call.ClientName] = call.SessionID
	}
	process := i.stream().session
	if sessions["one"] == sessions["two"] || sessions["one"] == process || sessions["two"] == process {
		t.Errorf("%v, %s", sessions, process)
	}
	expect(t, "session of the startup", i.startups(1)[0].SessionID, process)
	for _, name := range []string{one.ID(), two.ID()} {
		if name == "" || strings.Contains(string(i.sent()), name) {
			t.Errorf("the name of a conversation was sent: %q", name)
		}
	}
}

// TestNamesBeyondASCII pins a limit of the MCP SDK (P-070, A-004): over HTTP with protocol 2026-07-28 it refuses names
// that are not ASCII before any middleware, since it compares the header Mcp-Name without decoding it.
func TestNamesBeyondASCII(t *testing.T) {
	i := newIngest(t)
	url, _ := serveHTTP(t, i.options(), &mcp.StreamableHTTPOptions{Stateless: true})
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"é","arguments":{},"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	request, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "=?base64?w6k=?=",
	} {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answered, _ := io.ReadAll(response.Body)
	if response.StatusCode != http.StatusBadRequest || !strings.Contains(string(answered), "Mcp-Name") {
		t.Errorf("the limit is gone: %d %s", response.StatusCode, answered)
	}
	expect(t, "calls", len(i.calls()), 0)
}

// TestTheTransport: one request is one request.
func TestTheTransport(t *testing.T) {
	var hits, elsewhere atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		body, _ := io.ReadAll(r.Body)
		switch r.URL.Path {
		case "/redirect":
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		case "/gone":
			connection, _, _ := w.(http.Hijacker).Hijack()
			_ = connection.Close()
		case "/long":
			w.WriteHeader(http.StatusAccepted)
			_, _ = w.Write(make([]byte, 10*answerLimit))
		case "/cut":
			w.Header().Set("Content-Length", "1000")
			w.WriteHeader(http.StatusAccepted)
		default:
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = w.Write(append([]byte(r.Header.Get("Idempotency-Key")+" "), body...))
		}
	}))
	defer server.Close()
	t.Setenv("HTTP_PROXY", other.URL)
	post := newTransport()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	send := func(path string) answer {
		return post(ctx, server.URL+path, http.Header{"Idempotency-Key": {"key"}}, []byte("body"))
	}
	plain := send("/")
	expect(t, "answer", fmt.Sprintf("%d %s %s", plain.status, plain.retryAfter, plain.body), "503 7 key body")
	expect(t, "redirect", send("/redirect").status, 307)
	expect(t, "gone", send("/gone").status, 0)
	long := send("/long")
	expect(t, "long", [2]int{long.status, len(long.body)}, [2]int{202, answerLimit})
	expect(t, "cut", send("/cut").status, 202)
	expect(t, "no such host", post(ctx, "http://256.256.256.256", http.Header{}, nil).status, 0)
	expect(t, "nonsense", post(ctx, "http://[", http.Header{}, nil).status, 0)
	expect(t, "requests", hits.Load(), 5)
	expect(t, "requests elsewhere", elsewhere.Load(), 0)
}

func TestARequestEndsWithItsContext(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	// The listener takes the connection and never answers.
	expect(t, "status", newTransport()(ctx, "http://"+listener.Addr().String(), http.Header{}, []byte("{}")).status, 0)
}
