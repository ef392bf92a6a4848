// The program that the conformance kit drives, for the Go producer. docs/harness.md says what it must do.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"time"
	"weak"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpulse"
)

type flags struct {
	transport, sdk, api, http, sessions string
	unwatched, early, twice, debug      bool
	servers, onSigterm, fork, page      int
}

func main() {
	mode, arguments := "", os.Args[1:]
	if len(arguments) > 0 && (arguments[0] == "fixtures" || arguments[0] == "churn") {
		mode, arguments = arguments[0], arguments[1:]
	}
	count := 1000
	if mode == "churn" && len(arguments) > 0 {
		if given, err := strconv.Atoi(arguments[0]); err == nil {
			count, arguments = given, arguments[1:]
		}
	}
	f := parse(arguments)
	if mode == "fixtures" {
		fixtures()
		return
	}
	if code := run(f, mode, count); code != 0 {
		os.Exit(code)
	}
}

// run is all of the program, so that what is deferred in it comes before an exit, and after a panic.
func run(f *flags, mode string, count int) int {
	// As every watched program should.
	defer mcpulse.Flush(context.Background())
	if mode == "churn" {
		churn(f, count)
		return 0
	}
	quits := make(chan quit, 1)
	if f.onSigterm >= 0 {
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, syscall.SIGTERM)
		go func() { <-signals; quits <- quit{code: f.onSigterm} }()
	}
	ended := make(chan error, 1)
	k := &kit{flags: f, quits: quits}
	go func() { ended <- serve(k) }()
	select {
	case err := <-ended:
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	case q := <-quits:
		if q.uncaught {
			panic("nobody catches this")
		}
		return q.code
	}
}

func parse(arguments []string) *flags {
	f := &flags{}
	set := flag.NewFlagSet("harness", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.StringVar(&f.transport, "transport", "stdio", "")
	set.StringVar(&f.sdk, "sdk", "", "")
	set.StringVar(&f.api, "api", "high", "")
	set.StringVar(&f.http, "http", "stateful", "")
	set.StringVar(&f.sessions, "sessions", "process", "")
	set.BoolVar(&f.unwatched, "unwatched", false, "")
	set.BoolVar(&f.early, "early", false, "")
	set.BoolVar(&f.twice, "twice", false, "")
	set.BoolVar(&f.debug, "debug", false, "")
	set.IntVar(&f.servers, "servers", 1, "")
	set.IntVar(&f.onSigterm, "on-sigterm", -1, "")
	set.IntVar(&f.fork, "fork", 0, "")
	set.IntVar(&f.page, "page", 0, "")
	if err := set.Parse(arguments); err != nil {
		unsupported(err.Error(), "no such flag")
	}
	if f.fork > 0 {
		unsupported("--fork", "a Go program does not fork")
	}
	if f.sdk != "" {
		unsupported("--sdk", "there is one MCP SDK")
	}
	return f
}

func unsupported(what, why string) {
	fmt.Fprintf(os.Stderr, "unsupported: %s: %s\n", what, why)
	os.Exit(64)
}

// options are those that the kit expects.
func (f *flags) options() *mcpulse.Options {
	return &mcpulse.Options{
		Policies: map[string]mcpulse.Policy{
			"strict": mcpulse.PolicyAuthorization, "never_called": mcpulse.PolicyIdentity,
		},
		Agreements: map[string]mcpulse.Agreement{
			"amount": {Tools: map[string]string{"price_a": "/order/amount", "price_b": "/order/amount"}},
		},
		Sessions: mcpulse.Sessions(f.sessions),
		Debug:    f.debug,
	}
}

// churn makes, watches, uses and drops servers, and counts those that are left.
func churn(f *flags, count int) {
	var servers []weak.Pointer[mcp.Server]
	for range count {
		servers = append(servers, once(&kit{flags: f, quits: make(chan quit, 1)}))
	}
	alive := len(servers)
	for began := time.Now(); alive > 0 && time.Since(began) < 20*time.Second; time.Sleep(50 * time.Millisecond) {
		runtime.GC()
		alive = 0
		for _, server := range servers {
			if server.Value() != nil {
				alive++
			}
		}
	}
	said, _ := json.Marshal(map[string]int{"created": count, "alive": alive})
	fmt.Println(string(said))
}

// once makes a server and calls it once.
func once(k *kit) weak.Pointer[mcp.Server] {
	server := k.server()
	ctx := context.Background()
	ours, theirs := mcp.NewInMemoryTransports()
	session, err := server.Connect(ctx, ours, nil)
	if err != nil {
		panic(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "churn", Version: "1"}, nil).Connect(ctx, theirs, nil)
	if err != nil {
		panic(err)
	}
	if _, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "fast"}); err != nil {
		panic(err)
	}
	_ = client.Close()
	_ = session.Wait()
	return weak.Make(server)
}
