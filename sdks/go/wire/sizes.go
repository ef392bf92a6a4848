package wire

import "unicode/utf8"

// MaxUnits is the largest size there is; larger ones are clamped to it.
const MaxUnits = 2_147_483_647

// UTF16Len is the length of a text in UTF-16 code units.
func UTF16Len[T string | []byte](text T) int {
	units := 0
	for i := range len(text) {
		units += int(unitsOf[text[i]])
	}
	return units
}

// unitsOf says for the bytes of UTF-8 how many UTF-16 units begin with them: characters beyond U+FFFF have two.
var unitsOf = func() (table [256]uint8) {
	for c := range table {
		switch {
		case c < 0x80 || c >= 0xC0 && c < 0xF0:
			table[c] = 1
		case c >= 0xF0:
			table[c] = 2
		}
	}
	return table
}()

// costOf is the same for the canonical form, where some bytes are escaped.
var costOf = func() (table [256]uint8) {
	table = unitsOf
	for c := range table {
		if special[c] {
			table[c] = 6
			if shortEscape(byte(c)) != 0 {
				table[c] = 2
			}
		}
	}
	return table
}()

// StringUnits is the size of a string as JSON, quotes and escapes included. What is not UTF-8 counts as U+FFFD, which
// encoding/json writes in its place.
func StringUnits[T string | []byte](text T) int {
	units := 2
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= 0x80 {
			return units + oddUnits(text[i:])
		}
		units += int(costOf[c])
	}
	return units
}

// oddUnits is the same without the quotes, for any text.
func oddUnits[T string | []byte](text T) int {
	units := 0
	if valid(text) {
		for i := range len(text) {
			units += int(costOf[text[i]])
		}
		return units
	}
	for _, r := range string(text) {
		switch {
		case r >= 0x10000:
			units += 2
		case r >= 0x80:
			units++
		default:
			units += int(costOf[r])
		}
	}
	return units
}

func valid[T string | []byte](text T) bool {
	switch text := any(text).(type) {
	case string:
		return utf8.ValidString(text)
	case []byte:
		return utf8.Valid(text)
	}
	return false
}

// Units is the size of a value; false when it is not representable.
func (d *Doc) Units(value Value) (int, bool) {
	n := &d.nodes[value]
	switch n.kind {
	case Null, True:
		return 4, true
	case False:
		return 5, true
	case Number:
		spelled := d.str(n.text)
		if isShortInteger(spelled) {
			return len(spelled), true
		}
		var scratch [32]byte
		written, ok := appendSpelled(scratch[:0], spelled)
		return len(written), ok
	case String:
		return d.stringUnits(n.text)
	case Array:
		// Two brackets, and a comma for each item but the first.
		units := 1 + max(1, int(n.count))
		for item := n.first; item != None; item = d.nodes[item].next {
			size, ok := d.Units(item)
			if !ok {
				return 0, false
			}
			units += size
		}
		return units, true
	case Object:
		from := len(d.order)
		d.distinct(value)
		units, ok := d.membersUnits(from)
		d.order = d.order[:from]
		return units, ok
	default:
		return 0, false
	}
}

// membersUnits is the size of an object of the members on the scratch stack.
func (d *Doc) membersUnits(from int) (int, bool) {
	to := len(d.order)
	units := 1 + max(1, to-from)
	for i := from; i < to; i++ {
		member := d.order[i]
		key, fine := d.stringUnits(d.nodes[member].key)
		size, ok := d.Units(member)
		if !ok || !fine {
			return 0, false
		}
		units += key + 1 + size
	}
	return units, true
}

func (d *Doc) stringUnits(t text) (int, bool) {
	switch s := d.str(t); {
	case t.flags&flagHalf != 0:
		return 0, false
	case t.flags&flagPlain != 0:
		return 2 + UTF16Len(s), true
	default:
		return StringUnits(s), true
	}
}
