package mcpulse

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestMain runs this binary as a watched program, when it is told to.
func TestMain(m *testing.M) {
	if how := os.Getenv("MCPULSE_TEST_PROGRAM"); how != "" {
		program(how)
		return
	}
	os.Exit(m.Run())
}

// program serves over stdio, and ends in the way it is told.
func program(how string) {
	if how != "forgets" {
		defer func() { _ = Flush(context.Background()) }()
	}
	server := newServer()
	AddTool(server, &mcp.Tool{Name: "fast"}, answers(replying("done"), nil))
	AddTool(server, &mcp.Tool{Name: "panics"}, func(context.Context, *mcp.CallToolRequest, anything) (*mcp.CallToolResult, any, error) {
		panic("boom")
	})
	AddTool(server, &mcp.Tool{Name: "exits"}, func(context.Context, *mcp.CallToolRequest, anything) (*mcp.CallToolResult, any, error) {
		os.Exit(3)
		return nil, nil, nil
	})
	Watch(server, &Options{Debug: how == "debug"})
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// runs a program, calls a tool three times and another once, and ends its input.
func runs(t *testing.T, i *ingest, how, last string) (code int, stdout, stderr string) {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), "MCPULSE_TEST_PROGRAM="+how, "MCPULSE_KEY=mp_live_test", "MCPULSE_ENDPOINT="+i.url)
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out, complaints bytes.Buffer
	pipe, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	command.Stderr = &complaints
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	kept := &teeing{from: pipe, to: &out}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "parent"}, nil).Connect(context.Background(), &mcp.IOTransport{Reader: kept, Writer: in}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		must(t, client, "fast", nil)
	}
	if last != "" {
		_, _ = calling(t, client, last, nil)
	}
	_ = in.Close()
	err = command.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !strings.Contains(err.Error(), "file already closed") {
		t.Fatal(err)
	}
	_ = client.Close()
	return command.ProcessState.ExitCode(), out.String(), complaints.String()
}

// teeing keeps what is read.
type teeing struct {
	from interface {
		Read([]byte) (int, error)
		Close() error
	}
	to *bytes.Buffer
}

func (t *teeing) Read(p []byte) (int, error) {
	n, err := t.from.Read(p)
	t.to.Write(p[:n])
	return n, err
}

func (t *teeing) Close() error { return t.from.Close() }

func outcomes(i *ingest) string {
	var all []string
	for _, call := range i.calls() {
		all = append(all, call.Outcome)
	}
	return strings.Join(all, " ")
}

func TestTheEndOfInput(t *testing.T) {
	i := newIngest(t)
	code, stdout, stderr := runs(t, i, "flushes", "")
	expect(t, "code", code, 0)
	expect(t, "stderr", stderr, "")
	expect(t, "outcomes", outcomes(i), "ok ok ok")
	for line := range strings.Lines(stdout) {
		if !strings.HasPrefix(line, `{"jsonrpc":"2.0"`) {
			t.Errorf("on standard output: %s", line)
		}
	}
	// What nobody else sees: the version in the program.
	if version := i.startups(1)[0].MCPSDKVersion; version != "" && !strings.HasPrefix(version, "v1.") {
		t.Errorf("version %q", version)
	}
}

// TestAPanicThatEndsTheProgram: the MCP SDK recovers nothing, so this is the last chance to send.
func TestAPanicThatEndsTheProgram(t *testing.T) {
	i := newIngest(t)
	code, _, stderr := runs(t, i, "flushes", "panics")
	expect(t, "code", code, 2)
	if !strings.HasPrefix(stderr, "panic: boom\n") || strings.Contains(stderr, "recovered") {
		t.Error(stderr)
	}
	expect(t, "outcomes", outcomes(i), "ok ok ok crashed")
}

// TestExitRunsNothing pins a limit of Go: os.Exit ends a program at once, and so does a main that forgets to flush.
func TestExitRunsNothing(t *testing.T) {
	i := newIngest(t)
	code, _, _ := runs(t, i, "flushes", "exits")
	expect(t, "code", code, 3)
	code, _, _ = runs(t, i, "forgets", "")
	expect(t, "code", code, 0)
	expect(t, "calls", len(i.calls()), 0)
}

func TestDebug(t *testing.T) {
	i := newIngest(t)
	_, _, stderr := runs(t, i, "debug", "")
	for _, want := range []string{
		"mcpulse: watching 3 of 3 tools, the handlers of 3\n", `mcpulse: sending {"v":1,"type":"startup",`,
		`mcpulse: sending {"v":1,"type":"call",`, "mcpulse: taken: ",
		"mcpulse: flushed: recorded 4, sent 4, dropped 0, not recorded 0, held 0\n",
	} {
		if !strings.Contains(stderr, want) {
			t.Errorf("no %q in %s", want, stderr)
		}
	}
	for line := range strings.Lines(stderr) {
		if !strings.HasPrefix(line, "mcpulse: ") {
			t.Errorf("a line of somebody else: %s", line)
		}
	}
}
