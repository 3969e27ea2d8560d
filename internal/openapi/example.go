package openapi

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// example returns an indented JSON value that matches a schema. Its objects contain all
// fields of the schema.
func (r reader) example(n *yaml.Node) []byte { return indented(r.appendExample(nil, "", n, 0)) }

func (r reader) appendExample(b []byte, name string, n *yaml.Node, depth int) []byte {
	if depth > maxDepth || !r.more() {
		return append(b, "null"...)
	}
	n = r.resolve(n)
	for _, key := range []string{"example", "default"} {
		if given := at(n, key); given != nil && given.Tag != "!!null" {
			return appendJSON(b, given)
		}
	}
	if list := items(at(n, "enum")); len(list) > 0 {
		return appendJSON(b, list[0])
	}
	if choice := first(at(n, "oneOf")); choice != nil {
		return r.appendExample(b, name, choice, depth+1)
	}
	switch kind := value(at(n, "type")); {
	case kind == "array":
		b = append(b, '[')
		b = r.appendExample(b, name, at(n, "items"), depth+1)
		return append(b, ']')
	case kind == "object" || kind == "" && (at(n, "allOf") != nil || at(n, "properties") != nil):
		b = append(b, '{')
		b = r.appendFields(b, n, depth)
		return append(b, '}')
	case kind == "boolean":
		return append(b, "false"...)
	case kind == "integer" || kind == "number":
		return append(b, exampleNumber(name, value(at(n, "minimum")))...)
	case kind == "string":
		return appendText(b, exampleText(name, value(at(n, "format"))))
	}
	return append(b, "null"...)
}

// appendFields appends an example of each property of an object schema, including the properties in
// the parts of its allOf.
func (r reader) appendFields(b []byte, n *yaml.Node, depth int) []byte {
	if depth > maxDepth {
		return b
	}
	for _, part := range items(at(n, "allOf")) {
		b = r.appendFields(b, r.resolve(part), depth+1)
	}
	for name, property := range pairs(at(n, "properties")) {
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = append(appendText(b, name), ':')
		b = r.appendExample(b, name, property, depth+1)
	}
	return b
}

func exampleNumber(name, least string) string {
	switch {
	case strings.HasSuffix(name, "_at") || strings.HasSuffix(name, "_time"):
		return "1767225600"
	case least != "":
		return least
	}
	return "0"
}

func exampleText(name, format string) string {
	switch {
	case format == "date-time":
		return "2026-01-01T00:00:00Z"
	case name == "id" || strings.HasSuffix(name, "_id"):
		return "01977c2e-6b40-7cc0-98a4-3f0d5a1e2b3c"
	case strings.HasSuffix(name, "url"):
		return "https://example.com"
	case strings.HasSuffix(name, "version"):
		return "1.5.0"
	}
	return "text"
}
