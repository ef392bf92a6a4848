// Measures what watching costs: calls of a watched server beside those of its unwatched twin in one run, and memory
// over many calls with the ingest dead.
//
//	go run ./bench            the cost of a call
//	go run ./bench -memory    memory over a million calls
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpulse"
)

type row struct {
	ID    string  `json:"id"`
	Name  string  `json:"name"`
	Price float64 `json:"price"`
}

type arguments struct {
	Query string `json:"query"`
	Rows  []row  `json:"rows,omitempty"`
}

type output struct {
	Rows []row `json:"rows"`
}

func main() {
	memory := flag.Bool("memory", false, "memory instead of time")
	calls := flag.Int("calls", 0, "how many calls")
	flag.Parse()
	os.Setenv("MCPULSE_KEY", "mp_live_bench")
	// Nobody listens there.
	os.Setenv("MCPULSE_ENDPOINT", "http://127.0.0.1:9")
	if *memory {
		measureMemory(max(*calls, 1_000_000))
		return
	}
	count := *calls
	if count == 0 {
		count = 4000
	}
	fmt.Printf("%-36s %-10s %9s %9s %9s\n", "µs at the median", "by", "plain", "watched", "added")
	measureTime("text in, text out", "text", arguments{Query: strings.Repeat("query ", 340)}, count)
	measureTime("objects in, structured content out", "rows", arguments{Rows: rows(45)}, count)
}

func rows(count int) []row {
	all := make([]row, count)
	for i := range all {
		all[i] = row{fmt.Sprintf("id-%04d", i), "a name of some length", float64(i) * 1.25}
	}
	return all
}

// serve is a server with the two tools.
func serve(watched bool) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	text := strings.Repeat("ten bytes ", 1000)
	mcpulse.AddTool(server, &mcp.Tool{Name: "text"}, func(context.Context, *mcp.CallToolRequest, arguments) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
	})
	answer := output{rows(160)}
	mcpulse.AddTool(server, &mcp.Tool{Name: "rows"}, func(context.Context, *mcp.CallToolRequest, arguments) (*mcp.CallToolResult, output, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{}}, answer, nil
	})
	if watched {
		mcpulse.Watch(server, nil)
	}
	return server
}

// connect is a client of one.
func connect(watched bool) *mcp.ClientSession {
	server := serve(watched)
	ours, theirs := mcp.NewInMemoryTransports()
	ctx := context.Background()
	if _, err := server.Connect(ctx, ours, nil); err != nil {
		panic(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil).Connect(ctx, theirs, nil)
	if err != nil {
		panic(err)
	}
	return client
}

// measureTime makes calls by turns, so that what disturbs one disturbs the other: single calls by the clock, and blocks
// of them by the processor time of the process.
func measureTime(what, tool string, in arguments, count int) {
	clients := []*mcp.ClientSession{connect(false), connect(true)}
	var clock, processor [2][]float64
	const block = 50
	for i := range count/block + 4 {
		for which, client := range clients {
			used := processorTime()
			for range block {
				began := time.Now()
				call(client, tool, in)
				if i >= 4 {
					clock[which] = append(clock[which], float64(time.Since(began))/1000)
				}
			}
			if i >= 4 {
				processor[which] = append(processor[which], float64(processorTime()-used)/1000/block)
			}
		}
	}
	show := func(by string, times [2][]float64) {
		slices.Sort(times[0])
		slices.Sort(times[1])
		a, b := times[0][len(times[0])/2], times[1][len(times[1])/2]
		fmt.Printf("%-36s %-10s %9.1f %9.1f %9.1f\n", what, by, a, b, b-a)
	}
	show("clock", clock)
	show("processor", processor)
}

// processorTime is what the process has used, in nanoseconds.
func processorTime() int64 {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return used.Utime.Nano() + used.Stime.Nano()
}

func call(client *mcp.ClientSession, tool string, in any) {
	result, err := client.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: in})
	if err != nil || result.IsError {
		panic(fmt.Sprint("the call failed: ", err))
	}
}

// measureMemory makes calls where requests arrive at the server, so that a million of them take a minute.
func measureMemory(count int) {
	server := serve(true)
	var handler mcp.MethodHandler
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		handler = next
		return next
	})
	ours, _ := mcp.NewInMemoryTransports()
	session, err := server.Connect(context.Background(), ours, nil)
	if err != nil {
		panic(err)
	}
	arguments := []byte(`{"query":"small"}`)
	for i := 1; i <= count; i++ {
		result, err := handler(context.Background(), "tools/call", &mcp.CallToolRequest{
			Session: session, Params: &mcp.CallToolParamsRaw{Name: "text", Arguments: arguments},
		})
		if answered, ok := result.(*mcp.CallToolResult); err != nil || !ok || answered.IsError {
			panic(fmt.Sprint("the call failed: ", err))
		}
		if i == 10_000 || i%(count/5) == 0 {
			debug.FreeOSMemory()
			var stats runtime.MemStats
			runtime.ReadMemStats(&stats)
			fmt.Printf("after %8d calls: heap %5.2f MB, resident %s, goroutines %d\n", i, float64(stats.HeapAlloc)/1e6, resident(), runtime.NumGoroutine())
		}
	}
}

func resident() string {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			return strings.TrimSpace(rest)
		}
	}
	return "unknown"
}
