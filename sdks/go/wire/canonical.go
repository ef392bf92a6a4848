package wire

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// AppendCanonical appends the canonical form of a value; false when it has none, and then dst is of no use.
func (d *Doc) AppendCanonical(dst []byte, value Value) ([]byte, bool) {
	n := &d.nodes[value]
	switch n.kind {
	case Null:
		return append(dst, "null"...), true
	case True:
		return append(dst, "true"...), true
	case False:
		return append(dst, "false"...), true
	case Number:
		return appendSpelled(dst, d.str(n.text))
	case String:
		return d.appendString(dst, n.text)
	case Array:
		dst = append(dst, '[')
		for item := n.first; item != None; item = d.nodes[item].next {
			if item != n.first {
				dst = append(dst, ',')
			}
			var ok bool
			if dst, ok = d.AppendCanonical(dst, item); !ok {
				return dst, false
			}
		}
		return append(dst, ']'), true
	case Object:
		return d.appendObject(dst, value)
	default:
		return dst, false
	}
}

func (d *Doc) appendObject(dst []byte, value Value) ([]byte, bool) {
	dst = append(dst, '{')
	from := len(d.order)
	d.distinct(value)
	to := len(d.order)
	ok := true
	for i := from; i < to && ok; i++ {
		member := d.order[i]
		if i > from {
			dst = append(dst, ',')
		}
		if dst, ok = d.appendString(dst, d.nodes[member].key); ok {
			dst = append(dst, ':')
			dst, ok = d.AppendCanonical(dst, member)
		}
	}
	d.order = d.order[:from]
	return append(dst, '}'), ok
}

// distinct pushes the members of an object onto the scratch stack: in the order of their keys by UTF-16 code units,
// and of each key only the last.
func (d *Doc) distinct(value Value) {
	from := len(d.order)
	sorted := true
	for member := range d.Items(value) {
		if n := len(d.order); n > from && d.compareKeys(d.order[n-1], member) >= 0 {
			sorted = false
		}
		d.order = append(d.order, member)
	}
	if sorted {
		return
	}
	members := d.order[from:]
	// Members stand in the document in the order of their numbers, so ties need no stable sort.
	slices.SortFunc(members, func(a, b Value) int {
		if order := d.compareKeys(a, b); order != 0 {
			return order
		}
		return int(a - b)
	})
	kept := from
	for i, member := range members {
		if i+1 < len(members) && d.compareKeys(member, members[i+1]) == 0 {
			continue
		}
		d.order[kept] = member
		kept++
	}
	d.order = d.order[:kept]
}

// distinctInAnyOrder is the same in any order.
func (d *Doc) distinctInAnyOrder(value Value) {
	from := len(d.order)
	if d.nodes[value].count > 12 {
		d.distinct(value)
		return
	}
	for member := range d.Items(value) {
		key := d.nodes[member].key
		for _, before := range d.order[from:] {
			if other := d.nodes[before].key; bytes.Equal(d.str(other), d.str(key)) {
				d.order = d.order[:from]
				d.distinct(value)
				return
			}
		}
		d.order = append(d.order, member)
	}
}

func (d *Doc) compareKeys(a, b Value) int {
	x, y := d.nodes[a].key, d.nodes[b].key
	// What two keys with half pairs hide behind U+FFFD does not matter: with either the object has no canonical form.
	if order := CompareUTF16(d.str(x), d.str(y)); order != 0 {
		return order
	}
	return int(x.flags&flagHalf) - int(y.flags&flagHalf)
}

// CompareUTF16 compares UTF-8 texts by their UTF-16 code units.
func CompareUTF16[T string | []byte](a, b T) int {
	for i := range min(len(a), len(b)) {
		x, y := a[i], b[i]
		if x == y {
			continue
		}
		// Bytes sort as code points do, and those as UTF-16 does, except that surrogate pairs (lead bytes from F0 on)
		// come before U+E000 to U+FFFF (lead bytes EE and EF).
		if x >= 0xEE && y >= 0xEE && (x >= 0xF0) != (y >= 0xF0) {
			x, y = y, x
		}
		return int(x) - int(y)
	}
	return len(a) - len(b)
}

func (d *Doc) appendString(dst []byte, t text) ([]byte, bool) {
	if t.flags&flagHalf != 0 {
		return dst, false
	}
	dst = append(dst, '"')
	if t.flags&flagPlain != 0 {
		dst = append(dst, d.str(t)...)
	} else {
		dst = appendEscaped(dst, d.str(t))
	}
	return append(dst, '"'), true
}

const hexDigits = "0123456789abcdef"

func appendEscaped(dst, s []byte) []byte {
	from := 0
	for i, c := range s {
		if !special[c] {
			continue
		}
		dst = append(dst, s[from:i]...)
		from = i + 1
		if short := shortEscape(c); short != 0 {
			dst = append(dst, '\\', short)
		} else {
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return append(dst, s[from:]...)
}

func shortEscape(c byte) byte {
	switch c {
	case '"', '\\':
		return c
	case '\b':
		return 'b'
	case '\f':
		return 'f'
	case '\n':
		return 'n'
	case '\r':
		return 'r'
	case '\t':
		return 't'
	}
	return 0
}

// appendSpelled appends a number in the text of a document as ECMAScript writes it.
func appendSpelled(dst, spelled []byte) ([]byte, bool) {
	if isCanonicalNumber(spelled) {
		return append(dst, spelled...), true
	}
	number, err := strconv.ParseFloat(string(spelled), 64)
	if err != nil {
		return dst, false
	}
	return AppendNumber(dst, number)
}

// isCanonicalNumber tells of a number that it is spelled as ECMAScript writes it, when that is easy to see: up to 15
// digits always are the shortest for their double, so it only has to be laid out in the same way.
func isCanonicalNumber(spelled []byte) bool {
	digits := spelled
	if digits[0] == '-' {
		digits = digits[1:]
	}
	// One more for the point.
	if len(digits) > 16 {
		return false
	}
	point := -1
	for i, c := range digits {
		if c == '.' {
			point = i
		} else if c < '0' || c > '9' {
			return false
		}
	}
	if point < 0 {
		return len(digits) < 16 && (digits[0] != '0' || len(spelled) == 1)
	}
	// No zero at the end, and not so small that ECMAScript writes an exponent.
	return digits[len(digits)-1] != '0' && (digits[0] != '0' || len(digits) < 8)
}

// AppendNumber appends a number as ECMAScript's Number::toString writes it; false when it is not finite.
func AppendNumber(dst []byte, number float64) ([]byte, bool) {
	if math.IsNaN(number) || math.IsInf(number, 0) {
		return dst, false
	}
	if number == 0 {
		return append(dst, '0'), true
	}
	// The shortest digits that read back as the same double, as in d.ddde±dd; only the layout differs.
	var scratch [32]byte
	shortest := strconv.AppendFloat(scratch[:0], number, 'e', -1, 64)
	if shortest[0] == '-' {
		dst = append(dst, '-')
		shortest = shortest[1:]
	}
	e := bytes.IndexByte(shortest, 'e')
	exponent, _ := strconv.Atoi(string(shortest[e+1:]))
	var digitsRoom [24]byte
	digits := append(digitsRoom[:0], shortest[0])
	if e > 2 {
		digits = append(digits, shortest[2:e]...)
	}
	// The decimal point stands after this many digits.
	point := exponent + 1
	switch {
	case len(digits) <= point && point <= 21:
		dst = append(dst, digits...)
		for range point - len(digits) {
			dst = append(dst, '0')
		}
	case 0 < point && point <= 21:
		dst = append(append(append(dst, digits[:point]...), '.'), digits[point:]...)
	case -6 < point && point <= 0:
		dst = append(dst, "0."...)
		for range -point {
			dst = append(dst, '0')
		}
		dst = append(dst, digits...)
	default:
		dst = append(dst, digits[0])
		if len(digits) > 1 {
			dst = append(append(dst, '.'), digits[1:]...)
		}
		dst = append(dst, 'e')
		if exponent > 0 {
			dst = append(dst, '+')
		}
		dst = strconv.AppendInt(dst, int64(exponent), 10)
	}
	return dst, true
}

// WellFormed is the text with what is not UTF-8 replaced by U+FFFD, each byte on its own, as encoding/json does.
func WellFormed(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return string([]rune(text))
}
