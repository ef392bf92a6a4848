package wire

// Result is what is told of the result of a call.
type Result struct {
	// Units is response_bytes; 0 when the result is not representable.
	Units int
	// Empty is whether the result holds no answer.
	Empty bool
}

// MeasureResult measures a result as the client receives it. Text that is not JSON has no size and is an answer.
func MeasureResult(text []byte) Result {
	if isBlank(text) {
		return Result{Empty: true}
	}
	d := Parse(text)
	if d == nil {
		return Result{}
	}
	defer d.Free()
	if d.Kind(d.Root()) != Object {
		result := Result{Empty: d.saysNothing(d.Root())}
		if d.Kind(d.Root()) != Null {
			result.Units, _ = d.Units(d.Root())
		}
		return result
	}
	from := len(d.order)
	d.counted(d.Root())
	units, ok := d.membersUnits(from)
	if !ok {
		units = 0
	}
	result := Result{Units: min(units, MaxUnits), Empty: d.isEmpty(d.order[from:])}
	d.order = d.order[:from]
	return result
}

// counted pushes the members of a result that count onto the scratch stack.
func (d *Doc) counted(value Value) {
	from := len(d.order)
	d.distinct(value)
	kept := from
	for _, member := range d.order[from:] {
		n := &d.nodes[member]
		name := d.str(n.key)
		switch {
		case n.kind == Null, string(name) == "_meta", string(name) == "resultType":
		case n.kind == False && string(name) == "isError":
		default:
			d.order[kept] = member
			kept++
		}
	}
	d.order = d.order[:kept]
}

func (d *Doc) isEmpty(members []Value) bool {
	content := None
	for _, member := range members {
		switch string(d.str(d.nodes[member].key)) {
		case "structuredContent":
			return d.saysNothing(d.unwrapped(member))
		case "content":
			content = member
		}
	}
	if d.Kind(content) != Array {
		return len(members) == 0
	}
	if d.Len(content) != 1 {
		return d.Len(content) == 0
	}
	part := d.nodes[content].first
	kind, text := d.Member(part, "type"), d.Member(part, "text")
	if d.Kind(kind) != String || string(d.Text(kind)) != "text" || d.Kind(text) != String {
		return false
	}
	return IsEmptyText(d.Text(text))
}

// StructuredIsEmpty tells whether structured content, given as JSON text, holds no answer.
func StructuredIsEmpty(d *Doc) bool { return d.saysNothing(d.unwrapped(d.Root())) }

// unwrapped opens {"result": x}: MCP SDKs wrap a tool's plain return value so.
func (d *Doc) unwrapped(value Value) Value {
	if d.Kind(value) != Object {
		return value
	}
	inner := d.Member(value, "result")
	if inner == None {
		return value
	}
	for member := range d.Items(value) {
		if string(d.str(d.nodes[member].key)) != "result" {
			return value
		}
	}
	return inner
}

func (d *Doc) saysNothing(value Value) bool {
	switch d.Kind(value) {
	case Null:
		return true
	case String:
		return IsEmptyText(d.Text(value))
	case Array, Object:
		return d.Len(value) == 0
	default:
		return false
	}
}

// IsEmptyText tells whether a text is blank, or JSON for null, a blank string, [] or {}.
func IsEmptyText[T string | []byte](text T) bool {
	// Nearly every text tells by its first letter.
	at := 0
	for at < len(text) && isSpace(text[at]) {
		at++
	}
	if at == len(text) {
		return true
	}
	switch text[at] {
	case 'n', '[', '{', '"':
	default:
		return false
	}
	end := len(text)
	for isSpace(text[end-1]) {
		end--
	}
	switch first, last := text[at], text[end-1]; first {
	case 'n':
		return string(text[at:end]) == "null"
	case '[':
		return last == ']' && isBlank(text[at+1:end-1])
	case '{':
		return last == '}' && isBlank(text[at+1:end-1])
	default:
		// A blank string is spelled with few letters.
		return end-at >= 2 && (text[at+1] == '"' || text[at+1] == ' ' || text[at+1] == '\\') && isBlankString([]byte(text[at:end]))
	}
}

// isBlankString tells whether JSON text that begins with a quote is a blank string.
func isBlankString(text []byte) bool {
	d := Parse(text)
	if d == nil {
		return false
	}
	defer d.Free()
	return d.Kind(d.Root()) == String && isBlank(d.Text(d.Root()))
}
