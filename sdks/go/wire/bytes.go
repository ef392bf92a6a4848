package wire

import (
	"encoding/binary"
	"unsafe"
)

// Eight bytes at a time: most text is ASCII without anything to escape.
const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones
)

// bytesOf reads a string as bytes without a copy. They must not be written to.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// specials marks the bytes of a word that are quotes, backslashes or control characters; bytes above the first that is
// marked may be marked by mistake.
func specials(word uint64) uint64 {
	quote, backslash := word^('"'*ones), word^('\\'*ones)
	return ((word-0x20*ones)&^word | (quote-ones)&^quote | (backslash-ones)&^backslash) & highs
}

// plainRun is where the first quote, backslash or control character stands from `from` on.
func plainRun(s []byte, from int) int {
	for ; from+8 <= len(s); from += 8 {
		if specials(binary.LittleEndian.Uint64(s[from:])) != 0 {
			break
		}
	}
	for from < len(s) && !special[s[from]] {
		from++
	}
	return from
}

var special = func() (table [256]bool) {
	for c := range 0x20 {
		table[c] = true
	}
	table['"'], table['\\'] = true, true
	return table
}()

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

// utf16Len counts the units of UTF-8.
func utf16Len(s []byte) int {
	units, i := 0, 0
	for ; i+8 <= len(s); i += 8 {
		if binary.LittleEndian.Uint64(s[i:])&highs == 0 {
			units += 8
			continue
		}
		for _, c := range s[i : i+8] {
			units += int(unitsOf[c])
		}
	}
	for _, c := range s[i:] {
		units += int(unitsOf[c])
	}
	return units
}

// escapedLen counts the units of UTF-8 as it stands in the canonical form, without quotes.
func escapedLen(s []byte) int {
	units, i := 0, 0
	for ; i+8 <= len(s); i += 8 {
		word := binary.LittleEndian.Uint64(s[i:])
		if word&highs|specials(word) == 0 {
			units += 8
			continue
		}
		for _, c := range s[i : i+8] {
			units += int(costOf[c])
		}
	}
	for _, c := range s[i:] {
		units += int(costOf[c])
	}
	return units
}
