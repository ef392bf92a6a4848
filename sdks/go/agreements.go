package mcpulse

import (
	"crypto/sha256"
	"math"
	"strconv"
	"sync"
	"time"

	"mcpulse/wire"
)

const maxValues = 1000 // conversations, and fields and tools of each

// agreementBook has the latest values per conversation, field and tool. One book serves one destination.
type agreementBook struct {
	mu            sync.Mutex
	conversations *bounded[string, *bounded[fieldOfTool, seen]]
}

type fieldOfTool struct{ field, tool string }

// seen is the latest value of a tool: a number as itself, anything else only as its digest.
type seen struct {
	comparedValue
	at time.Time
}

type comparedValue struct {
	isNumber bool
	number   float64
	digest   [sha256.Size]byte
}

func newAgreementBook() *agreementBook {
	return &agreementBook{conversations: newBounded[string, *bounded[fieldOfTool, seen]](maxValues)}
}

// note notes what a tool returned, and compares it with the latest value of every other tool of its fields, if that is
// young enough.
func (b *agreementBook) note(declared []agreement, conversation, name string, structured []byte, now time.Time, verdict func(*wire.Agreement)) {
	tool := wire.FitName(name, wire.MaxToolName)
	var doc *wire.Doc
	for i := range declared {
		one := &declared[i]
		path, ok := one.tools[tool]
		if !ok {
			continue
		}
		if doc == nil {
			if doc = wire.Parse(structured); doc == nil {
				return
			}
			defer doc.Free()
		}
		value, ok := comparableOf(doc, valueAt(doc, path))
		if !ok {
			continue
		}
		b.compare(one, conversation, tool, value, now, verdict)
	}
}

func (b *agreementBook) compare(one *agreement, conversation, tool string, value comparedValue, now time.Time, verdict func(*wire.Agreement)) {
	// Two calls that end at once must not both miss the other.
	b.mu.Lock()
	defer b.mu.Unlock()
	values, _ := b.conversations.getOrMake(conversation, func() *bounded[fieldOfTool, seen] {
		return newBounded[fieldOfTool, seen](maxValues)
	})
	for _, other := range one.names {
		if other == tool {
			continue
		}
		latest, ok := values.get(fieldOfTool{one.field, other})
		if !ok || now.Sub(latest.at) >= one.window {
			continue
		}
		first, second := tool, other
		if wire.CompareUTF16(first, second) > 0 {
			first, second = second, first
		}
		verdict(&wire.Agreement{
			Field: one.field, ToolA: first, ToolB: second, Window: one.window,
			Agreed: agree(value, latest.comparedValue, one.tolerance),
		})
	}
	values.set(fieldOfTool{one.field, tool}, seen{value, now})
}

func agree(a, b comparedValue, tolerance float64) bool {
	if a.isNumber && b.isNumber {
		return math.Abs(a.number-b.number) <= tolerance
	}
	return a == b
}

func comparableOf(doc *wire.Doc, value wire.Value) (comparedValue, bool) {
	if value == wire.None {
		return comparedValue{}, false
	}
	canonical, ok := doc.AppendCanonical(nil, value)
	if !ok {
		return comparedValue{}, false
	}
	if doc.Kind(value) == wire.Number {
		number, err := strconv.ParseFloat(string(canonical), 64)
		return comparedValue{isNumber: true, number: number}, err == nil
	}
	return comparedValue{digest: sha256.Sum256(canonical)}, true
}

// valueAt is the value that a JSON Pointer names.
func valueAt(doc *wire.Doc, path []string) wire.Value {
	value := doc.Root()
	for _, token := range path {
		switch doc.Kind(value) {
		case wire.Object:
			value = doc.Member(value, token)
		case wire.Array:
			value = itemAt(doc, value, token)
		default:
			return wire.None
		}
		if value == wire.None {
			return wire.None
		}
	}
	return value
}

func itemAt(doc *wire.Doc, array wire.Value, token string) wire.Value {
	index, err := strconv.Atoi(token)
	if err != nil || index < 0 || strconv.Itoa(index) != token {
		return wire.None
	}
	for item := range doc.Items(array) {
		if index == 0 {
			return item
		}
		index--
	}
	return wire.None
}
