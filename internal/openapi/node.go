package openapi

import (
	"bytes"
	"encoding/json"
	"iter"
	"strings"

	"go.yaml.in/yaml/v3"
)

// reader reads the nodes of one OpenAPI file, and resolves the references in them.
type reader struct {
	root *yaml.Node
	left *int // number of values that may still be described
}

// maxValues limits the number of values that are described. Otherwise references could
// expand a short file to any size.
const maxValues = 1 << 18

// more reports whether another value may be described. It must be called once for each
// value.
func (r reader) more() bool {
	*r.left--
	return *r.left >= 0
}

// at returns the node below n at a path of keys, or nil if there is none.
func at(n *yaml.Node, keys ...string) *yaml.Node {
	for _, key := range keys {
		n = under(n, key)
	}
	return n
}

func under(n *yaml.Node, key string) *yaml.Node {
	for name, value := range pairs(n) {
		if name == key {
			return value
		}
	}
	return nil
}

// pairs returns an iterator over the entries of an object. For other nodes it yields
// nothing.
func pairs(n *yaml.Node) iter.Seq2[string, *yaml.Node] {
	return func(yield func(string, *yaml.Node) bool) {
		if n == nil || n.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i].Value, n.Content[i+1]) {
				return
			}
		}
	}
}

// items returns the elements of a list, or nil for other nodes.
func items(n *yaml.Node) []*yaml.Node {
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	return n.Content
}

func first(n *yaml.Node) *yaml.Node {
	if all := items(n); len(all) > 0 {
		return all[0]
	}
	return nil
}

// value returns the text of a scalar as the file contains it, or "" for other nodes.
func value(n *yaml.Node) string {
	if n == nil || n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return ""
	}
	return n.Value
}

func (r reader) text(keys ...string) string { return value(at(r.root, keys...)) }

// reference returns the path to which a node's $ref leads, without the leading "#/". It returns ""
// if the node has no $ref.
func reference(n *yaml.Node) string { return strings.TrimPrefix(value(at(n, "$ref")), "#/") }

// maxReferences limits the number of references that are followed one after the other.
const maxReferences = 8

// resolve returns the node to which a reference leads, or n itself if n is not a
// reference. It returns nil if the target does not exist, or if too many references would
// have to be followed.
func (r reader) resolve(n *yaml.Node) *yaml.Node {
	for range maxReferences {
		to := reference(n)
		if to == "" {
			return n
		}
		n = at(r.root, strings.Split(to, "/")...)
	}
	return nil
}

// appendJSON appends a node as JSON. The entries of an object keep their order.
func appendJSON(b []byte, n *yaml.Node) []byte {
	if n == nil {
		return append(b, "null"...)
	}
	switch n.Kind {
	case yaml.MappingNode:
		b = append(b, '{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendText(b, n.Content[i].Value), ':')
			b = appendJSON(b, n.Content[i+1])
		}
		return append(b, '}')
	case yaml.SequenceNode:
		b = append(b, '[')
		for i, item := range n.Content {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, item)
		}
		return append(b, ']')
	case yaml.AliasNode: // descriptions of this program have no aliases, and an alias may contain itself
		return append(b, "null"...)
	}
	switch n.Tag {
	case "!!null":
		return append(b, "null"...)
	case "!!bool", "!!int", "!!float":
		if json.Valid([]byte(n.Value)) {
			return append(b, n.Value...)
		}
	}
	return appendText(b, n.Value)
}

func appendText(b []byte, text string) []byte {
	var to bytes.Buffer
	e := json.NewEncoder(&to)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // never fails for a string
	return append(b, bytes.TrimSuffix(to.Bytes(), []byte("\n"))...)
}

// indentJSON returns a node as indented JSON.
func indentJSON(n *yaml.Node) []byte { return indented(appendJSON(nil, n)) }

func indented(text []byte) []byte {
	var to bytes.Buffer
	if err := json.Indent(&to, text, "", "  "); err != nil {
		return text
	}
	return to.Bytes()
}
