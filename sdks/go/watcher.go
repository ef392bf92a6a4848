package mcpulse

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpulse/wire"
)

// watched is what is known of a server that may be watched. Nothing in it leads to the server.
type watched struct {
	mu      sync.Mutex
	watcher *watcher
	ours    map[string]bool // tools whose handlers our AddTool sees
}

// adds notes that our AddTool added a tool.
func (k *watched) adds(tool string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ours == nil {
		k.ours = map[string]bool{}
	}
	k.ours[tool] = true
	if k.watcher != nil {
		k.watcher.surface.changed()
	}
}

func (k *watched) sees(tool string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.ours[tool]
}

// watcher is what is done about one server.
type watcher struct {
	options *settings
	stream  *stream
	surface surface
}

// link joins a watcher to its server's middleware. The server holds it; nothing else does for long.
type link struct {
	*watcher
	known *watched
	next  mcp.MethodHandler
}

const (
	methodCall        = "tools/call"
	methodList        = "tools/list"
	methodInitialize  = "initialize"
	methodListChanged = "notifications/tools/list_changed"
	sessionHeader     = "Mcp-Session-Id"
)

func (l *link) receiving(next mcp.MethodHandler) mcp.MethodHandler {
	l.next = next
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		switch method {
		case methodCall:
			if typed, ok := request.(*mcp.CallToolRequest); ok && typed.Params != nil {
				return l.call(ctx, typed)
			}
			return next(ctx, method, request)
		case methodList:
			result, err := next(ctx, method, request)
			guarded(func() { l.listed(request, result, err) })
			return result, err
		default:
			result, err := next(ctx, method, request)
			if !strings.HasPrefix(method, "notifications/") {
				guarded(func() { l.greeted(ctx, method, request, result) })
			}
			return result, err
		}
	}
}

func (l *link) sending(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		if method == methodListChanged {
			guarded(func() {
				l.surface.changed()
				l.schedule(ctx, 0, request)
			})
		}
		return next(ctx, method, request)
	}
}

// call serves a call. It must not recover: what escapes the handler is the host's.
func (l *link) call(ctx context.Context, request *mcp.CallToolRequest) (result mcp.Result, err error) {
	c := &call{link: l, started: time.Now()}
	if !guarded(func() { c.begin(ctx, request) }) {
		l.stream.sender.loss.skip("a fault of the producer's")
		return l.next(ctx, methodCall, request)
	}
	ended := false
	defer func() {
		if !ended {
			guarded(func() { c.escaped() })
		}
	}()
	result, err = l.next(context.WithValue(ctx, slot{}, c), methodCall, request)
	ended = true
	duration := time.Since(c.started)
	if !guarded(func() { c.answered(ctx, request, result, err, duration) }) {
		l.stream.sender.loss.skip("a fault of the producer's")
	}
	guarded(func() { c.looked(ctx, request, err) })
	return result, err
}

// clientOf is the name of the client that sent a call: never that of another request.
func clientOf(request *mcp.CallToolRequest) string {
	meta := request.Params.Meta
	switch info := meta[mcp.MetaKeyClientInfo].(type) {
	case map[string]any:
		if name, ok := info["name"].(string); ok && name != "" {
			return name
		}
	case *mcp.Implementation:
		if info != nil && info.Name != "" {
			return info.Name
		}
	}
	if _, modern := meta[mcp.MetaKeyProtocolVersion]; modern || request.Session == nil {
		return ""
	}
	if params := request.Session.InitializeParams(); params != nil && params.ClientInfo != nil {
		return params.ClientInfo.Name
	}
	return ""
}

// about is what a request says about its client, for a startup.
func about(request mcp.Request) facts {
	var f facts
	switch typed := request.(type) {
	case *mcp.CallToolRequest:
		f.client = clientOf(typed)
	case interface{ ClientInfo() *mcp.Implementation }:
		if info := typed.ClientInfo(); info != nil {
			f.client = info.Name
		}
	}
	if typed, ok := request.(interface{ ProtocolVersion() string }); ok {
		f.protocol = typed.ProtocolVersion()
	}
	session := request.GetSession()
	f.transport = "stdio"
	if extra := request.GetExtra(); extra != nil && extra.Header != nil || session != nil && session.ID() != "" {
		f.transport = "http"
	}
	return f
}

// greeted: a client connected, or asked for something else than tools. It may see other tools than clients before it.
func (l *link) greeted(ctx context.Context, method string, request mcp.Request, result mcp.Result) {
	if method == methodInitialize {
		l.surface.changed()
	}
	if !l.surface.wanted("") {
		return
	}
	said := about(request)
	initialized, ok := result.(*mcp.InitializeResult)
	ok = ok && initialized != nil
	if ok {
		said.protocol = initialized.ProtocolVersion
	}
	l.scheduleAs(ctx, greeting, ok, l.stream.mayCollect, request, said)
}

// listed: what a client got is the surface, if it got all of it.
func (l *link) listed(request mcp.Request, result mcp.Result, err error) {
	list, ok := result.(*mcp.ListToolsResult)
	if err != nil || !ok || list == nil || list.NextCursor != "" {
		return
	}
	if typed, ok := request.(*mcp.ListToolsRequest); ok && typed.Params != nil && typed.Params.Cursor != "" {
		return
	}
	l.record(list.Tools, about(request))
}

func (l *link) record(tools []*mcp.Tool, said facts) {
	if len(tools) > 0 && l.surface.same(tools) {
		return
	}
	if !l.stream.recordTools(tools, said, l.options) {
		// The sender has no time; the next call tries again.
		l.surface.changed()
		return
	}
	if l.surface.listed(tools) {
		l.stream.say(l.wrapped(tools))
	}
}

// wrapped says what is watched of what is advertised.
func (l *link) wrapped(tools []*mcp.Tool) string {
	if len(tools) == 0 {
		return "recording nothing: this server has no tools"
	}
	seen := 0
	for _, tool := range tools {
		if tool != nil && l.known.sees(tool.Name) {
			seen++
		}
	}
	return fmt.Sprintf("watching %d of %d tools, the handlers of %d", len(tools), len(tools), seen)
}

// conversationOf is the conversation that the protocol names, where that matters.
func (l *link) conversationOf(request *mcp.CallToolRequest) string {
	if !l.options.perConversation && len(l.options.agreements) == 0 || request.Extra == nil {
		return ""
	}
	return request.Extra.Header.Get(sessionHeader)
}

func (l *link) compare(tool, conversation string, structured []byte) {
	l.stream.book.note(l.options.agreements, conversation, tool, structured, time.Now(), func(verdict *wire.Agreement) {
		verdict.SessionID, verdict.CheckedAt = l.stream.session, time.Now()
		l.stream.sender.push(verdict)
	})
}
