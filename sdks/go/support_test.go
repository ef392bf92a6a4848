package mcpulse

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// patience is how long tests wait for what must come.
const patience = 60 * time.Second

// payload is one payload as it came.
type payload struct {
	Type            string
	SessionID       string `json:"session_id"`
	ClientName      string `json:"client_name"`
	ToolName        string `json:"tool_name"`
	StartedAt       string `json:"started_at"`
	DurationMS      int    `json:"duration_ms"`
	Outcome         string
	ResponseBytes   int    `json:"response_bytes"`
	IsEmpty         bool   `json:"is_empty"`
	ArgsHash        string `json:"args_hash"`
	Tools           []struct{ Name, Policy string }
	SDK             string
	MCPSDKVersion   string `json:"mcp_sdk_version"`
	ProtocolVersion string `json:"protocol_version"`
	Transport       string
	Agreements      []struct {
		Field string
		Tools []string
	}
	Field    string
	ToolA    string `json:"tool_a"`
	ToolB    string `json:"tool_b"`
	Agreed   bool
	WindowMS int `json:"window_ms"`
}

// ingest takes everything.
type ingest struct {
	t      *testing.T
	url    string
	mu     sync.Mutex
	bodies [][]byte
	got    []payload
}

func newIngest(t *testing.T) *ingest {
	i := &ingest{t: t}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var envelope struct{ Batch []payload }
		if err == nil {
			err = json.Unmarshal(body, &envelope)
		}
		if err != nil {
			t.Error(err)
		}
		i.mu.Lock()
		i.bodies = append(i.bodies, body)
		i.got = append(i.got, envelope.Batch...)
		i.mu.Unlock()
		w.WriteHeader(http.StatusAccepted)
	}))
	t.Cleanup(server.Close)
	i.url = server.URL
	return i
}

// options are those of a destination of this test's own.
func (i *ingest) options() *Options { return &Options{Key: "mp_live_test", Endpoint: i.url} }

// stream is the destination of this ingest.
func (i *ingest) stream() *stream {
	return global.streamOf(&settings{key: "mp_live_test", endpoint: i.url})
}

// all is everything that was recorded, once it was sent.
func (i *ingest) all() []payload {
	i.t.Helper()
	deadline := time.Now().Add(patience)
	flush := i.stream().sender.flush(context.Background(), deadline)
	<-flush.done
	if !flush.sent {
		i.t.Fatal("not everything was sent")
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.got)
}

func (i *ingest) of(kind string) []payload {
	i.t.Helper()
	var some []payload
	for _, one := range i.all() {
		if one.Type == kind {
			some = append(some, one)
		}
	}
	return some
}

func (i *ingest) calls() []payload { i.t.Helper(); return i.of("call") }

// call is the only call there is.
func (i *ingest) call() payload {
	i.t.Helper()
	calls := i.calls()
	if len(calls) != 1 {
		i.t.Fatalf("%d calls, not one: %+v", len(calls), calls)
	}
	return calls[0]
}

// startups waits for so many startups.
func (i *ingest) startups(count int) []payload {
	i.t.Helper()
	eventually(i.t, "startups", func() bool { return len(i.of("startup")) >= count })
	startups := i.of("startup")
	if len(startups) != count {
		i.t.Fatalf("%d startups, not %d", len(startups), count)
	}
	return startups
}

func (i *ingest) sent() []byte {
	i.mu.Lock()
	defer i.mu.Unlock()
	return bytes.Join(i.bodies, nil)
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for began := time.Now(); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > patience {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

func newServer() *mcp.Server {
	return mcp.NewServer(&mcp.Implementation{Name: "server", Version: "1"}, nil)
}

// wiretap keeps what goes over a connection.
type wiretap struct {
	mu sync.Mutex
	bytes.Buffer
}

func (w *wiretap) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Buffer.Write(p)
}

func (w *wiretap) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Buffer.String()
}

// connect is a client of a server.
func connect(t *testing.T, server *mcp.Server, options ...*mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	return connectBy(t, server, nil, "tester", options...)
}

// connectBy is the same with a name, and something that sees what goes over the wire.
func connectBy(t *testing.T, server *mcp.Server, tap *wiretap, name string, options ...*mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	ours, theirs := mcp.NewInMemoryTransports()
	var transport mcp.Transport = theirs
	if tap != nil {
		transport = &mcp.LoggingTransport{Transport: theirs, Writer: tap}
	}
	if _, err := server.Connect(context.Background(), ours, nil); err != nil {
		t.Fatal(err)
	}
	var option *mcp.ClientOptions
	if len(options) > 0 {
		option = options[0]
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, option).Connect(context.Background(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// calling calls a tool; what comes of it is the caller's to judge.
func calling(t *testing.T, client *mcp.ClientSession, tool string, arguments any) (*mcp.CallToolResult, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return client.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
}

// must calls a tool that answers.
func must(t *testing.T, client *mcp.ClientSession, tool string, arguments any) *mcp.CallToolResult {
	t.Helper()
	result, err := calling(t, client, tool, arguments)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func replying(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

type anything = map[string]any

// answers is a handler that always answers the same.
func answers(result *mcp.CallToolResult, err error) mcp.ToolHandlerFor[anything, any] {
	return func(context.Context, *mcp.CallToolRequest, anything) (*mcp.CallToolResult, any, error) {
		return anew(result), nil, err
	}
}

// rawAnswers is the same for the low-level API.
func rawAnswers(result *mcp.CallToolResult, err error) mcp.ToolHandler {
	return func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return anew(result), err }
}

// anew: the MCP SDK writes into results.
func anew(result *mcp.CallToolResult) *mcp.CallToolResult {
	if result == nil {
		return nil
	}
	other := *result
	return &other
}

var anySchema = json.RawMessage(`{"type":"object"}`)
