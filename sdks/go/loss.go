package mcpulse

import (
	"fmt"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
)

// lossReport counts what became of everything that was recorded.
type lossReport struct {
	recorded, sent, ringFull atomic.Int64

	mu         sync.Mutex
	dropped    map[string]int64
	unrecorded map[string]int64
}

func count(counts *map[string]int64, reason string, by int) {
	if *counts == nil {
		*counts = map[string]int64{}
	}
	(*counts)[reason] += int64(by)
}

// drop counts payloads that were recorded and will never arrive.
func (l *lossReport) drop(reason string, by int) {
	if by == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	count(&l.dropped, reason, by)
}

// skip counts a request that was seen and, rightly, not recorded. The lock is never held while sending.
func (l *lossReport) skip(reason string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	count(&l.unrecorded, reason, 1)
}

func (l *lossReport) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	dropped := map[string]int64{"ring full": l.ringFull.Load()}
	for reason, n := range l.dropped {
		dropped[reason] += n
	}
	return fmt.Sprintf("recorded %d, sent %d, dropped %s, not recorded %s",
		l.recorded.Load(), l.sent.Load(), reasons(dropped), reasons(l.unrecorded))
}

func reasons(counts map[string]int64) string {
	var sum int64
	var each []string
	for reason, n := range counts {
		if n > 0 {
			sum += n
			each = append(each, fmt.Sprintf("%s %d", reason, n))
		}
	}
	if sum == 0 {
		return "0"
	}
	sort.Strings(each)
	return fmt.Sprintf("%d (%s)", sum, strings.Join(each, ", "))
}
