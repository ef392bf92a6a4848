package mcpulse

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpulse/wire"
)

const (
	maxConversations = 10_000 // whose session ids are remembered
	maxSurfaces      = 4096   // remembered as sent; a server with one per user may have many
	collectBurst     = 20     // collecting tools is free so often,
	collectInterval  = 5 * time.Second
)

// stream is where payloads of one endpoint and key go: one session and one ring for the process, shared by every Watch.
type stream struct {
	session string
	sender  *sender
	book    *agreementBook
	debug   atomic.Bool // set by any Watch that asks for it

	conversations *bounded[string, string]
	surfaces      *bounded[string, bool]
	lists         *bounded[string, bool]

	mu          sync.Mutex
	credit      float64
	collectedAt time.Time
}

func newStream(endpoint, key string, post transport) *stream {
	s := &stream{
		session:       newSessionID(),
		book:          newAgreementBook(),
		conversations: newBounded[string, string](maxConversations),
		surfaces:      newBounded[string, bool](maxSurfaces),
		lists:         newBounded[string, bool](maxSurfaces),
		credit:        collectBurst,
	}
	header := http.Header{
		"Authorization": {"Bearer " + key},
		"Content-Type":  {"application/json"},
		"User-Agent":    {sdkName},
	}
	s.sender = newSender(endpoint+"/v1/ingest", header, post, func(text func() string) {
		if s.debug.Load() {
			say(text())
		}
	})
	return s
}

// newSessionID is s_ and 12 hexadecimal digits from the system's own generator.
func newSessionID() string {
	var random [6]byte
	_, _ = rand.Read(random[:]) // never fails
	return "s_" + hex.EncodeToString(random[:])
}

// sessionOf is the session of a conversation, random and not derived from its name.
func (s *stream) sessionOf(conversation string) string {
	if conversation == "" {
		return s.session
	}
	session, _ := s.conversations.getOrMake(conversation, newSessionID)
	return session
}

func (s *stream) say(text string) {
	if s.debug.Load() {
		say(text)
	}
}

// mayCollect tells whether tools may be collected now, and counts that they are. Collecting runs code of the host's and
// may be dear, and servers built per request would pay for it each time: a burst is free, then one per interval.
func (s *stream) mayCollect() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.credit = min(collectBurst, s.credit+float64(now.Sub(s.collectedAt))/float64(collectInterval))
	s.collectedAt = now
	if s.credit < 1 {
		return false
	}
	s.credit--
	return true
}

// facts are what a request says about its client, for a startup.
type facts struct{ client, protocol, transport string }

// recordTools has the sender's goroutine look at the tools that clients see; new ones make a startup.
func (s *stream) recordTools(tools []*mcp.Tool, about facts, options *settings) bool {
	return s.sender.submit(func() { s.lookAt(tools, about, options) })
}

func (s *stream) lookAt(tools []*mcp.Tool, about facts, options *settings) {
	if len(tools) > wire.MaxTools {
		tools = tools[:wire.MaxTools]
	}
	declared, _ := json.Marshal([]any{options.policies, options.declared})
	seen := declared
	var entries [][]byte
	for _, tool := range tools {
		entry, err := json.Marshal(tool)
		if err != nil {
			// Then clients cannot have it either.
			s.say("the tools could not be written; no startup")
			return
		}
		entries = append(entries, entry)
		seen = append(append(seen, '\n'), entry...)
	}
	if !s.lists.add(wire.Hash12(seen), true) {
		return
	}
	startup := &wire.Startup{
		SessionID: s.session, ClientName: about.client, SDK: sdkName, MCPSDKVersion: mcpSDKVersion(),
		ProtocolVersion: about.protocol, Transport: about.transport, Agreements: options.declared, Tools: []wire.Tool{},
	}
	var described []string
	for i, entry := range entries {
		tool, ok := wire.DescribeTool(entry, string(options.policies[tools[i].Name]))
		if !ok {
			continue
		}
		startup.Tools = append(startup.Tools, tool)
		text, _ := json.Marshal(tool)
		described = append(described, string(text))
	}
	// A surface is a set: the same tools in another order are the same surface.
	slices.Sort(described)
	surface := wire.Hash12(append(declared, strings.Join(described, "\n")...))
	if s.surfaces.add(surface, true) {
		s.sender.lead(surface, startup)
	}
}
