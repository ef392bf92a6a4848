// Package wire has the pure functions of the MCPulse protocol: canonical form (RFC 8785), hashes, sizes in
// UTF-16 code units, emptiness of results, and what is said of tools and their descriptions. Nothing here reads
// a clock, a file or the network, and nothing panics, whatever it is given.
package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"sync"
)

// DepthLimit is how deep containers may be nested and still have a canonical form.
const DepthLimit = 128

// NotRepresentableHash stands for what has no canonical form.
const NotRepresentableHash = "000000000000"

// EmptyArgsHash is the hash of {}, and so of absent, null and empty arguments.
const EmptyArgsHash = "44136fa355b3"

// Hash12 is the first 12 hexadecimal digits of SHA-256.
func Hash12(data []byte) string {
	sum := sha256.Sum256(data)
	var digits [12]byte
	hex.Encode(digits[:], sum[:6])
	return string(digits[:])
}

// Canonicalize returns the canonical form of JSON text; false when it is not JSON or has none.
func Canonicalize(text []byte) ([]byte, bool) {
	doc := Parse(text)
	if doc == nil {
		return nil, false
	}
	defer doc.Free()
	return doc.AppendCanonical(nil, doc.Root())
}

// CanonicalizeArgs is [Canonicalize] for the arguments of a call: absent, blank and null count as {}.
func CanonicalizeArgs(text []byte) ([]byte, bool) {
	if isBlank(text) {
		return []byte("{}"), true
	}
	canonical, ok := Canonicalize(text)
	if ok && string(canonical) == "null" {
		return []byte("{}"), true
	}
	return canonical, ok
}

// Canonical forms are written here, hashed and forgotten.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

const keptBytes = 1 << 16

// hashOf is the hash of the canonical form of a value.
func (d *Doc) hashOf(value Value) (string, bool) {
	buffer := buffers.Get().(*[]byte)
	canonical, ok := d.AppendCanonical((*buffer)[:0], value)
	hash := NotRepresentableHash
	if ok {
		hash = Hash12(canonical)
	}
	if cap(canonical) <= keptBytes {
		*buffer = canonical
		buffers.Put(buffer)
	}
	return hash, ok
}

// ArgsHash is the args_hash of a call's arguments, given as the client sent them.
func ArgsHash(text []byte) string {
	if isBlank(text) {
		return EmptyArgsHash
	}
	doc := Parse(text)
	if doc == nil {
		return NotRepresentableHash
	}
	defer doc.Free()
	if doc.Kind(doc.Root()) == Null {
		return EmptyArgsHash
	}
	hash, _ := doc.hashOf(doc.Root())
	return hash
}

// Units is the size of JSON text in UTF-16 code units of its canonical form; 0 when it has none.
func Units(text []byte) int {
	doc := Parse(text)
	if doc == nil {
		return 0
	}
	defer doc.Free()
	units, ok := doc.Units(doc.Root())
	if !ok {
		return 0
	}
	return units
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func isBlank[T string | []byte](text T) bool {
	for i := range len(text) {
		if !isSpace(text[i]) {
			return false
		}
	}
	return true
}
