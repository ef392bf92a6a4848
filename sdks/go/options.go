package mcpulse

import (
	"fmt"
	"math"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"mcpulse/wire"
)

// Policy is whether a tool declares that it needs authorisation or a verified identity.
type Policy string

// The policies.
const (
	PolicyNone          Policy = "none"
	PolicyAuthorization Policy = "authorization"
	PolicyIdentity      Policy = "identity"
)

// Sessions is what a session of MCPulse is.
type Sessions string

const (
	// SessionsProcess is one session for the process and destination: the default.
	SessionsProcess Sessions = "process"
	// SessionsConversation is a session of its own for the calls of each Mcp-Session-Id, for HTTP servers with many
	// users at once.
	SessionsConversation Sessions = "conversation"
)

// Agreement declares one field that several tools report, to be compared in memory when they do.
type Agreement struct {
	// Tools maps 2 to 20 tools to JSON Pointers (RFC 6901) into their structured content.
	Tools map[string]string
	// Window is how old the other tool's value may be: whole milliseconds up to 24 hours. Default 5 minutes.
	Window time.Duration
	// Tolerance is how far apart two numbers may be and still agree; absolute. Default 0.
	Tolerance float64
}

// Options say what is done, not what is sent: none sends more. The zero value is the default.
type Options struct {
	// Key is the ingest key. Default: MCPULSE_KEY. Without one nothing is watched.
	Key string
	// Endpoint is where MCPulse is. Default: MCPULSE_ENDPOINT, else http://127.0.0.1:7077.
	Endpoint string
	// Disabled turns everything off.
	Disabled bool
	// Debug writes every payload that is sent and every reason for not sending to standard error.
	Debug bool
	// Policies maps tools to policies. Default: what a tool says by securitySchemes.
	Policies map[string]Policy
	// Agreements maps fields to the tools that report them. Default: none.
	Agreements map[string]Agreement
	// Sessions: see there.
	Sessions Sessions
}

const (
	defaultEndpoint = "http://127.0.0.1:7077"
	defaultWindow   = 5 * time.Minute
	longestWindow   = 24 * time.Hour
)

// agreement is a declared field, checked.
type agreement struct {
	field     string
	tools     map[string][]string // name, as it fits the wire, to the tokens of the pointer
	names     []string            // the names in order
	window    time.Duration
	tolerance float64
}

// settings are options, checked.
type settings struct {
	key, endpoint   string
	debug           bool
	policies        map[string]Policy
	agreements      []agreement
	declared        []wire.DeclaredAgreement
	perConversation bool
}

var printable = regexp.MustCompile(`^[\x21-\x7e]+$`)

// readOptions checks options; nil when nothing is to be watched. It complains by name and rule, never by value.
func readOptions(options *Options, complain func(string)) *settings {
	var given Options
	if options != nil {
		given = *options
	}
	s := &settings{
		key:             or(given.Key, "MCPULSE_KEY"),
		endpoint:        strings.TrimRight(or(given.Endpoint, "MCPULSE_ENDPOINT"), "/"),
		debug:           given.Debug,
		policies:        map[string]Policy{},
		perConversation: given.Sessions == SessionsConversation,
	}
	if s.endpoint == "" {
		s.endpoint = defaultEndpoint
	}
	if reason := refusal(&given, s); reason != "" {
		complain("off: " + reason)
		return nil
	}
	for tool, policy := range given.Policies {
		switch policy {
		case PolicyNone, PolicyAuthorization, PolicyIdentity:
			s.policies[tool] = policy
		default:
			complain("policies: each must be none, authorization or identity; one is ignored")
		}
	}
	for _, field := range sortedKeys(given.Agreements) {
		checked, reason := checkAgreement(field, given.Agreements[field], len(s.agreements))
		if reason != "" {
			complain("agreements: " + reason + "; one field is ignored")
			continue
		}
		s.agreements = append(s.agreements, checked)
		s.declared = append(s.declared, wire.DeclaredAgreement{Field: checked.field, Tools: checked.names})
	}
	return s
}

func or(given, variable string) string {
	if given == "" {
		given = os.Getenv(variable)
	}
	return strings.TrimSpace(given)
}

func refusal(given *Options, s *settings) string {
	switch {
	case given.Disabled:
		return "it is disabled"
	case s.key == "":
		return "no key: give one as Key or MCPULSE_KEY"
	case !printable.MatchString(s.key):
		// A header can carry nothing else.
		return "the key must be printable ASCII without spaces"
	case !isEndpoint(s.endpoint):
		return "the endpoint must be an http or https URL"
	case given.Sessions != "" && given.Sessions != SessionsProcess && given.Sessions != SessionsConversation:
		return "sessions must be process or conversation"
	}
	return ""
}

func isEndpoint(endpoint string) bool {
	parsed, err := url.Parse(endpoint)
	return err == nil && printable.MatchString(endpoint) && (parsed.Scheme == "http" || parsed.Scheme == "https") &&
		parsed.Hostname() != "" && parsed.RawQuery == "" && parsed.Fragment == ""
}

func checkAgreement(field string, given Agreement, count int) (agreement, string) {
	if count == wire.MaxAgreements {
		return agreement{}, fmt.Sprintf("there may be %d fields", wire.MaxAgreements)
	}
	checked := agreement{
		field: wire.FitName(field, wire.MaxField), tools: map[string][]string{}, window: given.Window, tolerance: given.Tolerance,
	}
	for _, tool := range sortedKeys(given.Tools) {
		tokens, ok := pointerTokens(given.Tools[tool])
		if !ok {
			return agreement{}, "each path must be a JSON Pointer"
		}
		// Names that are equal once cut are one tool.
		name := wire.FitName(tool, wire.MaxToolName)
		if _, known := checked.tools[name]; !known {
			checked.tools[name] = tokens
		}
	}
	checked.names = slices.SortedFunc(keys(checked.tools), wire.CompareUTF16[string])
	if n := len(checked.names); n < 2 || n > wire.MaxAgreementTools {
		return agreement{}, fmt.Sprintf("it must name 2 to %d tools", wire.MaxAgreementTools)
	}
	if checked.window == 0 {
		checked.window = defaultWindow
	}
	if checked.window < time.Millisecond || checked.window > longestWindow {
		return agreement{}, "the window must be from a millisecond to 24 hours"
	}
	checked.window = checked.window.Truncate(time.Millisecond)
	if !(checked.tolerance >= 0) || math.IsInf(checked.tolerance, 0) {
		return agreement{}, "the tolerance must be a number not below 0"
	}
	return checked, ""
}

// pointerTokens takes a JSON Pointer apart.
func pointerTokens(pointer string) ([]string, bool) {
	if pointer == "" {
		return nil, true
	}
	if pointer[0] != '/' {
		return nil, false
	}
	tokens := strings.Split(pointer[1:], "/")
	for i, token := range tokens {
		if strings.Contains(strings.NewReplacer("~0", "", "~1", "").Replace(token), "~") {
			return nil, false
		}
		tokens[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
	}
	return tokens, true
}
