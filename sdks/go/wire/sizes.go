package wire

// MaxUnits is the largest size there is; larger ones are clamped to it.
const MaxUnits = 2_147_483_647

// UTF16Len is the length of a text in UTF-16 code units.
func UTF16Len(text string) int { return utf16Len(bytesOf(text)) }

// StringUnits is the size of a string as JSON, quotes and escapes included. What is not UTF-8 counts as U+FFFD, which
// encoding/json writes in its place.
func StringUnits(text string) int { return 2 + escapedLen(bytesOf(WellFormed(text))) }

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
		if isCanonicalNumber(spelled) {
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
		d.distinctInAnyOrder(value)
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
		return 2 + utf16Len(s), true
	default:
		return 2 + escapedLen(s), true
	}
}
