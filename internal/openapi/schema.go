package openapi

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Schema describes the values that are allowed for a field or a body.
type Schema struct {
	Type        string // type for display, such as "list of strings"
	Description string
	Rules       []string // limits and permitted values, for display
	Fields      []Field  // fields of an object, or of the objects in a list
	Choices     []*Schema
}

// maxDepth limits the number of levels of nested objects that are described.
const maxDepth = 5

// schema reads the schema at node n. The parameter within lists the names of the schemas that
// contain it. The fields of these schemas are not read again, because a schema can contain itself.
func (r reader) schema(n *yaml.Node, within []string) *Schema {
	name := reference(n)
	around := within
	if name != "" {
		around = append(slices.Clone(within), name)
	}
	n = r.resolve(n)
	s := &Schema{Description: value(at(n, "description"))}
	if n == nil || !r.more() {
		return s
	}
	again := slices.Contains(within, name) || len(around) > maxDepth
	for _, choice := range items(at(n, "oneOf")) {
		c := &Schema{Type: r.typeName(choice, 0)}
		if !again {
			c = r.schema(choice, around)
		}
		s.Choices = append(s.Choices, c)
	}
	s.Type = r.typeName(n, 0)
	if value(at(n, "nullable")) == "true" {
		s.Type += " or null"
	}
	s.Rules = rules(n)
	object := n
	for depth := 0; value(at(object, "type")) == "array" && depth < maxDepth; depth++ {
		item := at(object, "items")
		if to := reference(item); to != "" {
			again = again || slices.Contains(around, to)
			around = append(slices.Clone(around), to)
		}
		object = r.resolve(item)
		if object != nil && value(at(object, "type")) != "object" {
			s.Rules = append(s.Rules, rules(object)...)
		}
	}
	if !again {
		s.Fields = r.fields(object, around)
	}
	return s
}

// fields returns the properties of an object, including those of the schemas in its allOf.
func (r reader) fields(object *yaml.Node, within []string) (all []Field) {
	needed := map[string]bool{}
	var visit func(n *yaml.Node, depth int)
	visit = func(n *yaml.Node, depth int) {
		if depth > maxDepth {
			return
		}
		n = r.resolve(n)
		for _, part := range items(at(n, "allOf")) {
			visit(part, depth+1)
		}
		for _, name := range items(at(n, "required")) {
			needed[name.Value] = true
		}
		for name, property := range pairs(at(n, "properties")) {
			s := r.schema(property, within)
			all = append(all, Field{Name: name, Description: s.Description, Schema: s})
		}
	}
	visit(object, 0)
	for i := range all {
		all[i].Required = needed[all[i].Name]
	}
	return all
}

// plurals contains the plural of each type's name, for lists of that type.
var plurals = map[string]string{
	"string": "strings", "integer": "integers", "number": "numbers", "boolean": "truth values", "object": "objects",
}

// typeName returns the type of a value for display. depth is the number of lists that
// contain the value.
func (r reader) typeName(n *yaml.Node, depth int) string {
	n = r.resolve(n)
	name, format := value(at(n, "type")), value(at(n, "format"))
	switch {
	case name == "array" && depth == maxDepth:
		return "list"
	case name == "array":
		item := r.typeName(at(n, "items"), depth+1)
		if plural := plurals[item]; plural != "" {
			item = plural
		}
		return "list of " + item
	case len(items(at(n, "oneOf"))) > 0:
		return "one of several"
	case name == "" && (len(items(at(n, "allOf"))) > 0 || at(n, "properties") != nil):
		return "object"
	case name == "":
		return "any value"
	case name == "string" && format == "binary":
		return "bytes"
	case name == "string" && format != "":
		return "string (" + format + ")"
	}
	return name
}

// rules returns the limits that the schema at node n sets for a value, as texts for display.
func rules(n *yaml.Node) (all []string) {
	limit := func(low, high, of string) {
		least, most := value(at(n, low)), value(at(n, high))
		switch {
		case least != "" && least == most:
			all = append(all, fmt.Sprintf("exactly %s%s", least, of))
		case least != "" && most != "":
			all = append(all, fmt.Sprintf("%s to %s%s", least, most, of))
		case least != "":
			all = append(all, fmt.Sprintf("at least %s%s", least, of))
		case most != "":
			all = append(all, fmt.Sprintf("at most %s%s", most, of))
		}
	}
	limit("minimum", "maximum", "")
	limit("minLength", "maxLength", " characters")
	limit("minItems", "maxItems", " items")
	if pattern := value(at(n, "pattern")); pattern != "" {
		all = append(all, "like "+pattern)
	}
	if list := items(at(n, "enum")); len(list) > 0 {
		var values []string
		for _, v := range list {
			if v.Tag == "!!null" {
				continue
			}
			values = append(values, v.Value)
		}
		all = append(all, "one of "+strings.Join(values, ", "))
	}
	if usual := at(n, "default"); usual != nil {
		all = append(all, "default "+string(appendJSON(nil, usual)))
	}
	return all
}
