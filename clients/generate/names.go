package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"

	"go.yaml.in/yaml/v3"
)

// names is the content of names.yaml. That file documents the fields.
type names struct {
	Omit       []string
	Methods    map[string]string
	Positional map[string][]string
	NoQuery    []string `yaml:"no_query"`
	Operations map[string]entry
	Queries    []struct {
		Parameters []string
		Type       map[string]string `yaml:",inline"`
	}
	Types        map[string]map[string]string
	Without      map[string][]string
	Fields       map[string]map[string]string
	Enumerations map[string]struct {
		Go       []string
		Integers bool
		Rust     bool
	}
	Parameters map[string]map[string]string
}

// entry is the entry of an operation in names.yaml.
type entry struct {
	Check, Query, Takes string
	Hand                []string
	OnlyTrue            []string `yaml:"only_true"`
	OptionalBody        bool     `yaml:"optional_body"`
	Rename              map[string]string
	Defaults            map[string]string
	Direct, Fills       bool
	Whole               string
}

func readNames(file string) (*names, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	n := &names{}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	return n, decoder.Decode(n)
}

// check returns an error if n contains an operation or a schema that openapi.yaml does not have.
func (n *names) check(s *spec) error {
	known := map[string]bool{}
	for _, o := range s.Operations {
		known[o.ID] = true
	}
	for _, id := range slices.Concat(slices.Collect(maps.Keys(n.Methods)), slices.Collect(maps.Keys(n.Operations)), n.NoQuery) {
		if !known[id] {
			return fmt.Errorf("names.yaml: there is no operation %s", id)
		}
	}
	for name := range n.Enumerations {
		if s.byName[name] == nil {
			return fmt.Errorf("names.yaml: there is no schema %s", name)
		}
	}
	return nil
}

// typeName returns the name of a schema in a library.
func (n *names) typeName(language, schema string) string {
	if name := n.Types[language][schema]; name != "" {
		return name
	}
	return schema
}

// fieldType returns the type that names.yaml specifies for a field in the given language, or "" if
// it specifies none.
func (n *names) fieldType(language string, f *field) string {
	if f.Owner == nil {
		return n.Parameters[f.Name][language]
	}
	return n.Fields[f.Owner.Name+"."+f.Name][language]
}

// written reports whether the method is handwritten in the library of the given language.
func (o *operation) written(language string) bool { return slices.Contains(o.Table.Hand, language) }

// query returns the query parameters that a library supports.
func (s *spec) query(language string, o *operation) []*field {
	if language != "python" && slices.Contains(s.Names.NoQuery, o.ID) {
		return nil
	}
	return o.Query
}
