package mcpulse

import (
	"fmt"
	"os"
	"strings"
	"sync"
)

var saying sync.Mutex

// say writes debug lines to standard error, the only place this package writes to: standard output belongs to the
// protocol.
func say(text string) {
	saying.Lock()
	defer saying.Unlock()
	// Standard error may be closed; that is no business of the host's.
	_, _ = os.Stderr.WriteString("mcpulse: " + strings.ReplaceAll(text, "\n", "\nmcpulse: ") + "\n")
}

// guarded runs what is ours and nothing of the host's: a fault in it must not reach the host.
func guarded(what func()) (fine bool) {
	defer func() { fine = recover() == nil && fine }()
	what()
	return true
}

// said tells what an ingest answered.
func said(status int) string {
	if status == 0 {
		return "nothing answered"
	}
	return fmt.Sprintf("answered %d", status)
}

func plural(payloads int) string {
	if payloads == 1 {
		return "1 payload"
	}
	return fmt.Sprintf("%d payloads", payloads)
}

// printed is what an ingest said, on one line.
func printed(body []byte) string {
	return strings.ToValidUTF8(strings.TrimSpace(string(body)), "\uFFFD")
}
