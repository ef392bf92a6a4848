package wire

import (
	"encoding/json"
	"time"
	"unicode/utf8"
)

// Limits of the wire format: lengths in code points, durations in milliseconds.
const (
	MaxClientName     = 128
	MaxToolName       = 200
	MaxField          = 200
	MaxVersion        = 64
	MaxTools          = 500
	MaxAgreements     = 100
	MaxAgreementTools = 20
	MaxDurationMS     = 86_400_000
)

// Outcome is how a call ended.
type Outcome string

// The outcomes.
const (
	OK        Outcome = "ok"
	BadArgs   Outcome = "bad_args"
	ToolError Outcome = "tool_error"
	Crashed   Outcome = "crashed"
)

// Payload is anything that is sent.
type Payload interface {
	// AppendJSON appends the payload as it is sent.
	AppendJSON(dst []byte) ([]byte, error)
}

// Call is one finished call. What takes time to write is left to whoever sends it.
type Call struct {
	SessionID  string
	ClientName string
	ToolName   string
	StartedAt  time.Time
	Duration   time.Duration
	Outcome    Outcome
	Units      int
	Empty      bool
	ArgsHash   string
}

// AppendJSON implements [Payload].
func (c *Call) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, struct {
		V             int     `json:"v"`
		Type          string  `json:"type"`
		SessionID     string  `json:"session_id"`
		ClientName    string  `json:"client_name"`
		ToolName      string  `json:"tool_name"`
		StartedAt     string  `json:"started_at"`
		DurationMS    int64   `json:"duration_ms"`
		Outcome       Outcome `json:"outcome"`
		ResponseBytes int     `json:"response_bytes"`
		IsEmpty       bool    `json:"is_empty"`
		ArgsHash      string  `json:"args_hash"`
	}{
		1, "call", c.SessionID, FitName(c.ClientName, MaxClientName), FitName(c.ToolName, MaxToolName),
		Timestamp(c.StartedAt), min(max(c.Duration.Milliseconds(), 0), MaxDurationMS), c.Outcome,
		min(max(c.Units, 0), MaxUnits), c.Outcome == OK && c.Empty, c.ArgsHash,
	})
}

// Agreement is whether two tools agreed about a declared field.
type Agreement struct {
	SessionID    string
	Field        string
	ToolA, ToolB string
	Agreed       bool
	CheckedAt    time.Time
	Window       time.Duration
}

// AppendJSON implements [Payload].
func (a *Agreement) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, struct {
		V         int    `json:"v"`
		Type      string `json:"type"`
		SessionID string `json:"session_id"`
		Field     string `json:"field"`
		ToolA     string `json:"tool_a"`
		ToolB     string `json:"tool_b"`
		Agreed    bool   `json:"agreed"`
		CheckedAt string `json:"checked_at"`
		WindowMS  int64  `json:"window_ms"`
	}{1, "agreement", a.SessionID, a.Field, a.ToolA, a.ToolB, a.Agreed, Timestamp(a.CheckedAt), a.Window.Milliseconds()})
}

// DeclaredAgreement is a field and the names of the tools that report it.
type DeclaredAgreement struct {
	Field string   `json:"field"`
	Tools []string `json:"tools"`
}

// Startup is the tools that clients see. Empty members are left out.
type Startup struct {
	SessionID       string
	ClientName      string
	Tools           []Tool
	SDK             string
	MCPSDKVersion   string
	ProtocolVersion string
	Transport       string
	Agreements      []DeclaredAgreement
}

// AppendJSON implements [Payload].
func (s *Startup) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, struct {
		V               int                 `json:"v"`
		Type            string              `json:"type"`
		SessionID       string              `json:"session_id"`
		ClientName      string              `json:"client_name"`
		Tools           []Tool              `json:"tools"`
		SDK             string              `json:"sdk,omitempty"`
		MCPSDKVersion   string              `json:"mcp_sdk_version,omitempty"`
		ProtocolVersion string              `json:"protocol_version,omitempty"`
		Transport       string              `json:"transport,omitempty"`
		Agreements      []DeclaredAgreement `json:"agreements,omitempty"`
	}{
		1, "startup", s.SessionID, FitName(s.ClientName, MaxClientName), s.Tools, cut(s.SDK, MaxVersion),
		cut(s.MCPSDKVersion, MaxVersion), cut(s.ProtocolVersion, MaxVersion), s.Transport, s.Agreements,
	})
}

func appendJSON(dst []byte, payload any) ([]byte, error) {
	text, err := json.Marshal(payload)
	return append(dst, text...), err
}

// Timestamp is RFC 3339 in UTC with three decimals, rounded down. What a clock cannot mean is clamped.
func Timestamp(t time.Time) string {
	const last = 253_402_300_799_999 // the end of 9999
	return time.UnixMilli(min(max(t.UnixMilli(), 0), last)).UTC().Format("2006-01-02T15:04:05.000Z")
}

// FitName makes a name fit: what is not UTF-8 replaced, cut to so many code points, never empty.
func FitName(name string, limit int) string {
	if name == "" {
		return "unknown"
	}
	return cut(name, limit)
}

func cut(text string, limit int) string {
	if len(text) > limit {
		count := 0
		for at := range text {
			if count == limit {
				text = text[:at]
				break
			}
			count++
		}
	}
	if utf8.ValidString(text) {
		return text
	}
	return string([]rune(text))
}
