package mcpulse

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpulse/wire"
)

const (
	greeting    = 500 * time.Millisecond // a client that has just connected nearly always lists the tools within this
	recheck     = 5 * time.Second        // tools may have changed unseen where nobody is notified
	maxUnlisted = 1000
	maxPages    = 100 // a server that pages without end is not followed further
	collectTime = 10 * time.Second
)

// surface is the tools that clients of a server see. Its lock is never held while anything is listed or sent.
type surface struct {
	mu         sync.Mutex
	known      bool
	tools      []*mcp.Tool // those last seen; the MCP SDK does not change them
	names      map[string]bool
	unlisted   map[string]bool // names that were called and, when last looked for, not listed
	checkedAt  time.Time
	collecting bool
	timer      *time.Timer // a collection that was put off
	due        time.Time
	told       bool
}

// changed: the tools may be others than before.
func (s *surface) changed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known = false
	clear(s.unlisted)
}

// wanted tells whether the tools have to be collected; exists is the name of a tool that was called and exists.
func (s *surface) wanted(exists string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known && exists != "" && !s.names[exists] && !s.unlisted[exists] && len(s.unlisted) < maxUnlisted {
		// Once for each name: middleware may serve tools that are not listed.
		if s.unlisted == nil {
			s.unlisted = map[string]bool{}
		}
		s.unlisted[exists] = true
		s.known = false
	}
	return !s.known && !s.collecting
}

// stale tells whether the tools were last looked at so long ago that they should be looked at again, once.
func (s *surface) stale() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.known || s.collecting || time.Since(s.checkedAt) < recheck {
		return false
	}
	s.checkedAt = time.Now()
	return true
}

// same tells whether these are the tools that were seen last. They are compared by identity, which is cheap.
func (s *surface) same(tools []*mcp.Tool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Equal(s.tools, tools) {
		return false
	}
	s.seen()
	return true
}

func (s *surface) seen() {
	s.known = true
	s.checkedAt = time.Now()
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
}

// listed notes what was seen, and tells whether it is the first time.
func (s *surface) listed(tools []*mcp.Tool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tools = slices.Clone(tools)
	s.names = map[string]bool{}
	for _, tool := range tools {
		if tool != nil {
			s.names[tool.Name] = true
		}
	}
	s.seen()
	first := !s.told
	s.told = true
	return first
}

// plan schedules a collection after this delay, if it may. One that was put off longer is called off, and so is any when
// this one knows better who asks.
func (s *surface) plan(delay time.Duration, better bool, may func() bool, collect func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	due := time.Now().Add(delay)
	switch {
	case s.collecting:
		return
	case s.timer == nil:
		if !may() {
			return
		}
	case !better && !due.Before(s.due):
		return
	default:
		s.timer.Stop()
	}
	s.due = due
	var timer *time.Timer
	timer = time.AfterFunc(delay, func() {
		s.mu.Lock()
		mine := s.timer == timer && !s.collecting
		if mine {
			s.timer, s.collecting = nil, true
		}
		s.mu.Unlock()
		if mine {
			collect()
			s.mu.Lock()
			s.collecting = false
			s.mu.Unlock()
		}
	})
	s.timer = timer
}

func (l *link) schedule(ctx context.Context, delay time.Duration, request mcp.Request) {
	l.scheduleAs(ctx, delay, false, l.stream.mayCollect, request, about(request))
}

func (l *link) scheduleAs(ctx context.Context, delay time.Duration, better bool, may func() bool, request mcp.Request, said facts) {
	session, ok := request.GetSession().(*mcp.ServerSession)
	if !ok || session == nil {
		return
	}
	extra := request.GetExtra()
	// Lists may depend on who asks. The request itself will be over.
	ctx = context.WithoutCancel(ctx)
	l.surface.plan(delay, better, may, func() {
		// Middleware of the host's runs in there, and this goroutine is ours.
		if !guarded(func() { l.collect(ctx, session, extra, said) }) {
			l.stream.say("the tools could not be listed; trying again on the next request")
		}
	})
}

// collect lists the tools as a client would.
func (l *link) collect(ctx context.Context, session *mcp.ServerSession, extra *mcp.RequestExtra, said facts) {
	ctx, cancel := context.WithTimeout(ctx, collectTime)
	defer cancel()
	var tools []*mcp.Tool
	cursor := ""
	for range maxPages {
		request := &mcp.ListToolsRequest{Session: session, Params: &mcp.ListToolsParams{Cursor: cursor}, Extra: extra}
		result, err := l.next(ctx, methodList, request)
		list, ok := result.(*mcp.ListToolsResult)
		if err != nil || !ok || list == nil {
			l.stream.say("the tools could not be listed; trying again on the next request")
			return
		}
		tools = append(tools, list.Tools...)
		cursor = list.NextCursor
		if cursor == "" || len(tools) >= wire.MaxTools {
			break
		}
	}
	l.record(tools, said)
}
