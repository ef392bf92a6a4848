package wire

// Tool is what is told of an entry of tools/list. Empty members are left out.
type Tool struct {
	Name            string `json:"name"`
	SchemaBytes     int    `json:"schema_bytes"`
	SchemaHash      string `json:"schema_hash,omitempty"`
	DescriptionHash string `json:"description_hash,omitempty"`
	DescriptionNorm string `json:"description_norm,omitempty"`
	Policy          string `json:"policy,omitempty"`
}

// DescribeTool describes an entry as the client receives it, given as JSON text. A policy that is declared goes before
// the tool's own. False when the text is no object.
func DescribeTool(entry []byte, declared string) (Tool, bool) {
	d := Parse(entry)
	if d == nil {
		return Tool{}, false
	}
	defer d.Free()
	if d.Kind(d.Root()) != Object {
		return Tool{}, false
	}
	units, ok := d.Units(d.Root())
	if !ok {
		units = 0
	}
	tool := Tool{Name: FitName("", MaxToolName), SchemaBytes: min(units, MaxUnits), SchemaHash: d.schemaHash(), Policy: declared}
	if name := d.Member(d.Root(), "name"); d.Kind(name) == String {
		tool.Name = FitName(string(d.Text(name)), MaxToolName)
	}
	if description := d.Member(d.Root(), "description"); d.Kind(description) == String {
		text := string(d.Text(description))
		tool.DescriptionHash, tool.DescriptionNorm = DescriptionHash(text), DescriptionNorm(text)
	}
	if declared == "" {
		tool.Policy = d.policy()
	}
	return tool, true
}

// schemaHash is the hash of the object of the entry's schemas; empty when it has no canonical form.
func (d *Doc) schemaHash() string {
	canonical := []byte{'{'}
	for _, name := range []string{"inputSchema", "outputSchema"} {
		schema := d.Member(d.Root(), name)
		if d.Kind(schema) == Null {
			continue
		}
		if len(canonical) > 1 {
			canonical = append(canonical, ',')
		}
		canonical = append(append(append(canonical, '"'), name...), `":`...)
		var ok bool
		if canonical, ok = d.AppendCanonical(canonical, schema); !ok {
			return ""
		}
	}
	return Hash12(append(canonical, '}'))
}

// policy is what a tool declares of itself, by securitySchemes in the entry or in its _meta.
func (d *Doc) policy() string {
	schemes := d.Member(d.Root(), "securitySchemes")
	if d.Kind(schemes) == Null {
		schemes = d.Member(d.Member(d.Root(), "_meta"), "securitySchemes")
	}
	if d.Kind(schemes) != Array || d.Len(schemes) == 0 {
		return ""
	}
	policy := "authorization"
	for scheme := range d.Items(schemes) {
		kind := d.Member(scheme, "type")
		switch {
		case d.Kind(kind) != String:
			policy = ""
		case string(d.Text(kind)) == "noauth":
			return "none"
		case string(d.Text(kind)) != "oauth2":
			policy = ""
		}
	}
	return policy
}
