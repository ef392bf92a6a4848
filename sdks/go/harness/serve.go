package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpulse"
)

type quit struct {
	code     int
	uncaught bool
}

// kit makes the server objects of one path.
type kit struct {
	*flags
	quits chan quit
	grown atomic.Bool
}

// server is a server object with the kit's tools, watched.
func (k *kit) server() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "harness", Version: "1.0.0"}, &mcp.ServerOptions{PageSize: k.page})
	if k.early {
		k.watch(server)
	}
	k.tools(server)
	// `late` comes with the first request.
	var once sync.Once
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
			once.Do(func() { k.add(server, "late") })
			return next(ctx, method, request)
		}
	})
	if !k.early {
		k.watch(server)
	}
	return server
}

func (k *kit) watch(server *mcp.Server) {
	if k.unwatched {
		return
	}
	mcpulse.Watch(server, k.options())
	if k.twice {
		mcpulse.Watch(server, k.options())
	}
}

func serve(k *kit) error {
	if k.transport == "http" {
		return overHTTP(k)
	}
	for range k.servers - 1 {
		k.server()
	}
	server := k.server()
	session, err := server.Connect(context.Background(), &mcp.StdioTransport{}, nil)
	if err != nil {
		return err
	}
	return session.Wait()
}

func overHTTP(first *kit) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	root := "http://" + listener.Addr().String()
	mux := http.NewServeMux()
	more := []string{}
	for at := 1; at <= first.servers; at++ {
		path := "/mcp"
		k := &kit{flags: first.flags, quits: first.quits}
		if at > 1 {
			path += strconv.Itoa(at)
			more = append(more, root+path)
		}
		// Asked for the protocol versions of a session that is served already.
		var shared atomic.Pointer[mcp.Server]
		make := func(r *http.Request) *mcp.Server {
			if served := shared.Load(); served != nil && r.Header.Get("Mcp-Session-Id") != "" {
				return served
			}
			server := k.server()
			shared.Store(server)
			return server
		}
		stateful := mcp.NewStreamableHTTPHandler(make, nil)
		stateless := mcp.NewStreamableHTTPHandler(make, &mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			// Stateful handlers of this MCP SDK do not serve the protocol that has no sessions.
			if k.http == "stateless" || r.Header.Get("Mcp-Protocol-Version") >= "2026-07-28" {
				stateless.ServeHTTP(w, r)
			} else {
				stateful.ServeHTTP(w, r)
			}
		})
	}
	said, err := json.Marshal(struct {
		URL  string   `json:"url"`
		More []string `json:"more"`
	}{root + "/mcp", more})
	if err != nil {
		return err
	}
	fmt.Println(string(said))
	return http.Serve(listener, mux)
}
