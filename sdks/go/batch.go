package mcpulse

import (
	"crypto/rand"
	"encoding/hex"

	"mcpulse/wire"
)

const (
	maxPayloads   = 500
	maxBytes      = 1 << 20
	envelopeBytes = len(`{"batch":[]}`)
)

// batch is payloads that travel together, under one idempotency key until they are answered.
type batch struct {
	key      string
	startups []leading // in front; as first sent, for the key stands for them
	texts    [][]byte  // oldest first; the ring may take back the oldest while they wait
	bytes    int
}

// leading is a startup, and what tells its surface apart.
type leading struct {
	surface string
	startup *wire.Startup
	text    []byte
}

func newBatch() *batch {
	var key [16]byte
	_, _ = rand.Read(key[:]) // never fails
	return &batch{key: hex.EncodeToString(key[:]), bytes: envelopeBytes}
}

// lead puts startups in front, oldest first. The newest always finds room, older ones if they fit.
func (b *batch) lead(pending []leading) {
	for i := len(pending) - 1; i >= 0; i-- {
		one := pending[i]
		text, err := one.startup.AppendJSON(nil)
		if err == nil && b.bytes+len(text)+1 > maxBytes {
			if len(b.startups) > 0 {
				return
			}
			// Only an absurd number of declared agreements gets here; the tools matter more.
			without := *one.startup
			without.Agreements = nil
			text, err = without.AppendJSON(nil)
		}
		if err != nil {
			continue
		}
		one.text = text
		b.startups = append([]leading{one}, b.startups...)
		b.bytes += len(text) + 1
	}
}

// add adds a payload unless the batch is full.
func (b *batch) add(text []byte) bool {
	if len(b.texts)+len(b.startups) >= maxPayloads || b.bytes+len(text)+1 > maxBytes {
		return false
	}
	b.texts = append(b.texts, text)
	b.bytes += len(text) + 1
	return true
}

func (b *batch) empty() bool { return len(b.texts)+len(b.startups) == 0 }

// payloads are those of the request, startups first.
func (b *batch) payloads() [][]byte {
	var all [][]byte
	for _, one := range b.startups {
		all = append(all, one.text)
	}
	return append(all, b.texts...)
}

func (b *batch) body() []byte {
	body := append(make([]byte, 0, b.bytes), `{"batch":[`...)
	for i, text := range b.payloads() {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, text...)
	}
	return append(body, "]}"...)
}
