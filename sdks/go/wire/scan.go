package wire

import (
	"bytes"
	"math"
	"sync"
	"unicode/utf8"
)

// Kind is what a value is.
type Kind uint8

// The kinds of JSON values.
const (
	Null Kind = iota
	False
	True
	Number
	String
	Array
	Object
	// TooDeep stands for a container deeper than [DepthLimit]. What is in it was checked, and is not kept.
	TooDeep
)

// Value is a value of a [Doc].
type Value int32

// None is no value.
const None Value = -1

const (
	flagPlain   = 1 << iota // the text of a string is the canonical form of what it says, but for the quotes
	flagDecoded             // the string is in Doc.decoded, not in Doc.text
	flagHalf                // half a surrogate pair
)

// text is a string of a document, or the spelling of a number.
type text struct {
	start, end int32
	flags      uint8
}

type node struct {
	key, text text
	next      Value // the next in the same container
	first     Value
	count     int32
	kind      Kind
}

// Doc is a JSON document taken apart. It keeps what encoding/json changes in silence: repeated keys, numbers as
// they are spelled, half surrogate pairs.
type Doc struct {
	text    []byte
	decoded []byte
	nodes   []node
	open    []Value // containers that are being read
	last    []Value // the last member of each
	deep    []byte  // the same below the limit, where nothing is kept
	order   []Value // scratch, used as a stack
	pos     int
}

var docs = sync.Pool{New: func() any { return new(Doc) }}

const keptNodes = 1 << 12

// Parse reads JSON text; nil when it is not JSON, or not UTF-8. It reads without recursion, in a time that is
// linear in the length. The text must not change while the document is used.
func Parse(text []byte) *Doc {
	if len(text) > math.MaxInt32/4 || !utf8.Valid(text) {
		return nil
	}
	d := docs.Get().(*Doc)
	d.text, d.decoded, d.nodes, d.pos = text, d.decoded[:0], d.nodes[:0], 0
	d.open, d.last, d.deep, d.order = d.open[:0], d.last[:0], d.deep[:0], d.order[:0]
	if !d.document() {
		d.Free()
		return nil
	}
	return d
}

// Free lets the document be used again. Nothing of it may be used afterwards.
func (d *Doc) Free() {
	d.text = nil
	if cap(d.nodes) <= keptNodes && cap(d.decoded) <= keptBytes && cap(d.deep) <= keptBytes && cap(d.order) <= keptNodes {
		docs.Put(d)
	}
}

// Root is the value of the document.
func (d *Doc) Root() Value { return 0 }

// Kind tells what a value is; Null for no value.
func (d *Doc) Kind(value Value) Kind {
	if value == None {
		return Null
	}
	return d.nodes[value].kind
}

func (d *Doc) str(t text) []byte {
	if t.flags&flagDecoded != 0 {
		return d.decoded[t.start:t.end]
	}
	return d.text[t.start:t.end]
}

// Text is what a string says. Half surrogate pairs have become U+FFFD.
func (d *Doc) Text(value Value) []byte { return d.str(d.nodes[value].text) }

// Items are the items of an array, or the members of an object, in order; repeated keys are all there.
func (d *Doc) Items(value Value) func(yield func(Value) bool) {
	return func(yield func(Value) bool) {
		for item := d.nodes[value].first; item != None; item = d.nodes[item].next {
			if !yield(item) {
				return
			}
		}
	}
}

// Len is how many items or members there are; repeated keys count each time.
func (d *Doc) Len(value Value) int { return int(d.nodes[value].count) }

// Member is the last member of that name; None when there is none, or the value is no object.
func (d *Doc) Member(value Value, name string) Value {
	found := None
	if d.Kind(value) == Object {
		for member := range d.Items(value) {
			if string(d.str(d.nodes[member].key)) == name && d.nodes[member].key.flags&flagHalf == 0 {
				found = member
			}
		}
	}
	return found
}

func (d *Doc) space() {
	for d.pos < len(d.text) && isSpace(d.text[d.pos]) {
		d.pos++
	}
}

// peek is the next byte that is no white space; 0 at the end.
func (d *Doc) peek() byte {
	d.space()
	if d.pos < len(d.text) {
		return d.text[d.pos]
	}
	return 0
}

func (d *Doc) document() bool {
	var key text
	for {
		// A value.
		if !d.value(key) {
			return false
		}
		// What follows it.
		for {
			inside, object := d.inside()
			if !inside {
				return d.peek() == 0 && d.pos == len(d.text)
			}
			empty := d.opened()
			switch c := d.peek(); {
			case c == ',' && !empty:
				d.pos++
			case object && c == '}' || !object && c == ']':
				d.pos++
				d.close()
				continue
			case !empty:
				return false
			}
			break
		}
		key = text{}
		if _, object := d.inside(); object {
			if d.peek() != '"' {
				return false
			}
			var ok bool
			if key, ok = d.string(); !ok || d.peek() != ':' {
				return false
			}
			d.pos++
		}
	}
}

// inside tells whether a container is open, and whether it is an object.
func (d *Doc) inside() (inside, object bool) {
	if n := len(d.deep); n > 0 {
		return true, d.deep[n-1]&^fresh == '{'
	}
	if n := len(d.open); n > 0 {
		return true, d.nodes[d.open[n-1]].kind == Object
	}
	return false, false
}

const fresh = 0x80

// opened tells whether the container that is open has only just been opened; asked once after each value.
func (d *Doc) opened() bool {
	if n := len(d.deep); n > 0 {
		was := d.deep[n-1]&fresh != 0
		d.deep[n-1] &^= fresh
		return was
	}
	return d.nodes[d.open[len(d.open)-1]].first == None
}

func (d *Doc) close() {
	if n := len(d.deep); n > 0 {
		d.deep = d.deep[:n-1]
		return
	}
	d.open = d.open[:len(d.open)-1]
	d.last = d.last[:len(d.last)-1]
}

func (d *Doc) value(key text) bool {
	n := node{key: key, next: None, first: None}
	c := d.peek()
	switch c {
	case '{', '[':
		d.pos++
		switch {
		case len(d.deep) > 0:
			d.deep = append(d.deep, c|fresh)
			return true
		case len(d.open) == DepthLimit:
			n.kind = TooDeep
			d.add(n)
			d.deep = append(d.deep, c|fresh)
			return true
		}
		n.kind = Array
		if c == '{' {
			n.kind = Object
		}
		at := d.add(n)
		d.open = append(d.open, at)
		d.last = append(d.last, None)
		return true
	case '"':
		var ok bool
		if n.text, ok = d.string(); !ok {
			return false
		}
		n.kind = String
	case 'n':
		n.kind = Null
		if !d.literal("null") {
			return false
		}
	case 't':
		n.kind = True
		if !d.literal("true") {
			return false
		}
	case 'f':
		n.kind = False
		if !d.literal("false") {
			return false
		}
	default:
		n.kind = Number
		n.text.start = int32(d.pos)
		if !d.number() {
			return false
		}
		n.text.end = int32(d.pos)
	}
	if len(d.deep) == 0 {
		d.add(n)
	}
	return true
}

func (d *Doc) add(n node) Value {
	at := Value(len(d.nodes))
	d.nodes = append(d.nodes, n)
	if depth := len(d.open); depth > 0 {
		parent := &d.nodes[d.open[depth-1]]
		parent.count++
		if before := d.last[depth-1]; before == None {
			parent.first = at
		} else {
			d.nodes[before].next = at
		}
		d.last[depth-1] = at
	}
	return at
}

func (d *Doc) literal(word string) bool {
	if !bytes.HasPrefix(d.text[d.pos:], []byte(word)) {
		return false
	}
	d.pos += len(word)
	return true
}

func (d *Doc) digits() bool {
	from := d.pos
	for d.pos < len(d.text) && d.text[d.pos]-'0' <= 9 {
		d.pos++
	}
	return d.pos > from
}

func (d *Doc) is(c byte) bool {
	if d.pos < len(d.text) && d.text[d.pos] == c {
		d.pos++
		return true
	}
	return false
}

func (d *Doc) number() bool {
	d.is('-')
	if !d.is('0') && !d.digits() {
		return false
	}
	if d.is('.') && !d.digits() {
		return false
	}
	if d.is('e') || d.is('E') {
		if !d.is('+') {
			d.is('-')
		}
		return d.digits()
	}
	return true
}

// string reads a string from its quote on.
func (d *Doc) string() (text, bool) {
	from := d.pos + 1
	end := plainRun(d.text, from)
	if end == len(d.text) {
		return text{}, false
	}
	if d.text[end] == '"' {
		d.pos = end + 1
		return text{int32(from), int32(end), flagPlain}, true
	}
	return d.escaped(from, end)
}

// escaped reads a string that is not plain from `at` on.
func (d *Doc) escaped(from, at int) (text, bool) {
	result := text{start: int32(len(d.decoded)), flags: flagDecoded}
	for {
		d.decoded = append(d.decoded, d.text[from:at]...)
		if at == len(d.text) {
			return text{}, false
		}
		switch d.text[at] {
		case '"':
			d.pos = at + 1
			result.end = int32(len(d.decoded))
			return result, true
		case '\\':
			next, ok := d.escape(at+1, &result)
			if !ok {
				return text{}, false
			}
			from = next
			at = plainRun(d.text, from)
		default:
			return text{}, false
		}
	}
}

// escape reads what follows a backslash, and returns where the rest begins.
func (d *Doc) escape(at int, t *text) (int, bool) {
	if at == len(d.text) {
		return 0, false
	}
	c := d.text[at]
	switch c {
	case '"', '\\', '/':
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'u':
		unit, ok := d.hex4(at + 1)
		if !ok {
			return 0, false
		}
		at += 5
		r := rune(unit)
		if unit&0xF800 == 0xD800 {
			r = utf8.RuneError
			low, ok := d.lowHalf(at)
			if unit < 0xDC00 && ok {
				r = 0x10000 + rune(unit-0xD800)<<10 + rune(low-0xDC00)
				at += 6
			} else {
				t.flags |= flagHalf
			}
		}
		d.decoded = utf8.AppendRune(d.decoded, r)
		return at, true
	default:
		return 0, false
	}
	d.decoded = append(d.decoded, c)
	return at + 1, true
}

// lowHalf reads an escape of the second half of a surrogate pair.
func (d *Doc) lowHalf(at int) (uint32, bool) {
	if at+6 > len(d.text) || d.text[at] != '\\' || d.text[at+1] != 'u' {
		return 0, false
	}
	unit, ok := d.hex4(at + 2)
	return unit, ok && unit&0xFC00 == 0xDC00
}

func (d *Doc) hex4(at int) (unit uint32, ok bool) {
	if at+4 > len(d.text) {
		return 0, false
	}
	for _, c := range d.text[at : at+4] {
		switch {
		case c-'0' <= 9:
			c -= '0'
		case (c|0x20)-'a' <= 5:
			c = (c | 0x20) - 'a' + 10
		default:
			return 0, false
		}
		unit = unit<<4 | uint32(c)
	}
	return unit, true
}
