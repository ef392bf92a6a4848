package mcpulse

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"
	"weak"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// registry has what is global: streams by destination, and what is known of servers, which it holds weakly.
type registry struct {
	mu      sync.Mutex
	streams map[destination]*stream
	servers map[weak.Pointer[mcp.Server]]*watched
}

type destination struct{ endpoint, key string }

var global = &registry{
	streams: map[destination]*stream{},
	servers: map[weak.Pointer[mcp.Server]]*watched{},
}

// streamOf is the stream of these settings, made if this process has none yet.
func (r *registry) streamOf(options *settings) *stream {
	r.mu.Lock()
	defer r.mu.Unlock()
	to := destination{options.endpoint, options.key}
	found := r.streams[to]
	if found == nil {
		found = newStream(to.endpoint, to.key, newTransport())
		r.streams[to] = found
	}
	if options.debug {
		found.debug.Store(true)
	}
	return found
}

// of is what is known of a server, made if it is new. It must not lead back to the server.
func (r *registry) of(server *mcp.Server) *watched {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := weak.Make(server)
	found := r.servers[key]
	if found == nil {
		found = &watched{}
		r.servers[key] = found
		runtime.AddCleanup(server, r.forget, key)
	}
	return found
}

func (r *registry) forget(key weak.Pointer[mcp.Server]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.servers, key)
}

func (r *registry) all() []*stream {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []*stream
	for _, one := range r.streams {
		all = append(all, one)
	}
	return all
}

// ErrNotSent says that something recorded had not been taken when [Flush] returned.
var ErrNotSent = errors.New("mcpulse: not everything was sent")

// exitBudget is what a flush takes at most when its context sets no deadline: it may hold up the end of a program.
const exitBudget = time.Second

func (r *registry) flush(ctx context.Context) error {
	if _, has := ctx.Deadline(); !has {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, exitBudget)
		defer cancel()
	}
	deadline, _ := ctx.Deadline()
	var flushes []*flush
	streams := r.all()
	for _, one := range streams {
		flushes = append(flushes, one.sender.flush(ctx, deadline))
	}
	var err error
	for _, one := range flushes {
		select {
		case <-one.done:
			if !one.sent {
				err = ErrNotSent
			}
		case <-ctx.Done():
			err = ErrNotSent
		}
	}
	for _, one := range streams {
		one.say("flushed: " + one.sender.report())
	}
	return err
}
