package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// rustType is a struct of the Rust library for received data, for the input of a request or for a
// query, or an enumeration. Macros declare inputs and queries.
type rustType struct {
	Name, Doc string
	Fields    []rustField
}

// rustField is a field. Kind is the word that precedes the name in the macros.
type rustField struct{ Kind, Name, Type, Doc string }

// rustMethod is an entry in the table of methods.
type rustMethod struct {
	*operation
	Doc           string
	Takes, Result string
	Item          string // type of the items if the result is a list, or ""; used only for paged lists
}

func rust(s *spec) []target {
	const folder = "clients/rust/src/"
	var methods struct {
		Public, Admin []*rustMethod
		Bodies        []string // types that are sent as they are
	}
	for _, o := range s.Operations {
		switch {
		case o.written("rust"):
		case o.Namespace == "public":
			methods.Public = append(methods.Public, s.rustMethod(o))
		default:
			methods.Admin = append(methods.Admin, s.rustMethod(o))
		}
	}
	for _, m := range slices.Concat(methods.Public, methods.Admin) {
		if m.Body != nil && m.Takes == s.Names.typeName("rust", m.Body.Name) && !m.Table.Fills && !slices.Contains(methods.Bodies, m.Takes) {
			methods.Bodies = append(methods.Bodies, m.Takes)
		}
	}
	return []target{
		{folder + "models/resources.rs", "rust/resources.rs.tmpl", rustTypes(s), nil},
		{folder + "api/queries.rs", "rust/queries.rs.tmpl", rustQueries(s), nil},
		{folder + "api/methods.rs", "rust/methods.rs.tmpl", methods, nil},
	}
}

var rustPlain = map[kind]string{
	textKind: "String", enumKind: "String", integerKind: "i64", numberKind: "f64", flagKind: "bool",
	objectKind: "Map<String, Value>", anyKind: "Value", unionKind: "Value",
}

// rustValue returns the Rust type of a value that is not null.
func (s *spec) rustValue(t typ) string {
	name := s.enumeration(t)
	switch kind := s.Names.Enumerations[name]; {
	case kind.Rust || kind.Integers:
		return s.Names.typeName("rust", name)
	case t.Kind == listKind && t.Items.Nullable:
		return "Vec<Option<" + s.rustValue(*t.Items) + ">>"
	case t.Kind == listKind:
		return "Vec<" + s.rustValue(*t.Items) + ">"
	case t.Kind == mapKind:
		return "BTreeMap<String, " + s.rustValue(*t.Items) + ">"
	case t.Kind == schemaKind:
		return s.Names.typeName("rust", t.Schema.Name)
	}
	return rustPlain[t.Kind]
}

// rustName returns the name of a field. It escapes keywords.
func rustName(name string) string { return cmp.Or(map[string]string{"ref": "r#ref"}[name], name) }

func rustDoc(text, indent string) string { return wrap(text, indent+"/// ", 100) }

// rustTypes returns the enumerations, the types of received data and the types of inputs.
func rustTypes(s *spec) any {
	var data struct {
		Enumerations, Received, Inputs []*rustType
	}
	merged := map[string][]*schema{}
	for _, v := range s.Schemas {
		name := s.Names.typeName("rust", v.Name)
		switch {
		case s.Names.Enumerations[v.Name].Rust:
			t := &rustType{Name: name, Doc: rustDoc(v.Doc, "")}
			for _, value := range v.Values {
				t.Fields = append(t.Fields, rustField{Name: pascal(value), Type: value})
			}
			data.Enumerations = append(data.Enumerations, t)
		case len(v.Fields) == 0 || v.items() != nil || slices.Contains(s.Names.Without["rust"], v.Name):
			continue
		case merged[name] != nil:
		case v.Sent:
			data.Inputs = append(data.Inputs, &rustType{Name: name})
		default:
			data.Received = append(data.Received, &rustType{Name: name})
		}
		merged[name] = append(merged[name], v)
	}
	for _, t := range slices.Concat(data.Received, data.Inputs) {
		t.Doc = rustDoc(mergedDoc(t.Name, merged[t.Name]), "")
		for _, f := range union(merged[t.Name]) {
			t.Fields = append(t.Fields, s.rustField(f))
		}
	}
	return data
}

// rustField returns a field. In answers, the type is an Option if the field may be missing or null.
// In inputs, every field is optional, and nullable ones can also be cleared.
func (s *spec) rustField(f mergedField) rustField {
	value := cmp.Or(s.Names.fieldType("rust", f.field), s.rustValue(f.Type))
	nullable := f.Type.Nullable
	if !f.Owner.Sent {
		if nullable || !f.Required {
			value = "Option<" + value + ">"
		}
		return rustField{Name: rustName(f.Name), Type: value, Doc: rustDoc(f.Doc, "    ")}
	}
	out := rustField{Kind: "optional", Name: rustName(f.Name), Type: value, Doc: rustDoc(f.Doc, "        ")}
	if nullable {
		out.Kind = "patch"
	}
	for _, o := range s.Operations {
		if other := o.Table.Rename[f.Name]; other != "" && o.Body == f.Owner {
			out.Name = other
		}
	}
	if out.Name != f.Name {
		out.Name += fmt.Sprintf(" as %q", f.Name)
	}
	return out
}

// rustQuery returns the name of the Rust type for the query parameters of an operation. It differs
// from the names of all schemas.
func (s *spec) rustQuery(o *operation) string {
	name := cmp.Or(o.Table.Query, strings.TrimPrefix(pascal(o.Name), "Get"))
	for _, v := range s.Schemas {
		if s.Names.typeName("rust", v.Name) == name {
			name += "Query"
			break
		}
	}
	return s.queryName("rust", o, name)
}

func rustQueries(s *spec) []*rustType {
	var types []*rustType
	for _, o := range s.queries("rust", s.rustQuery) {
		t := &rustType{Name: s.rustQuery(o), Doc: rustDoc(s.queryDoc(o, "`"+o.Name+"`"), "")}
		for _, f := range o.Query {
			kind := "optional"
			value := cmp.Or(s.Names.fieldType("rust", f), s.rustValue(f.Type))
			switch {
			case o.defaulted(f):
				kind = f.Name
			case slices.Contains(o.Table.OnlyTrue, f.Name):
				kind, value = "only_true", "bool"
			}
			t.Fields = append(t.Fields, rustField{kind, f.Name, value, rustDoc(f.Doc+o.defaultDoc(f), "        ")})
		}
		types = append(types, t)
	}
	return types
}

func (s *spec) rustMethod(o *operation) *rustMethod {
	m := &rustMethod{operation: o, Doc: rustDoc(thirdPerson(o.sentences()), "    ")}
	switch {
	case o.Table.Takes != "":
		m.Takes = strings.TrimPrefix(o.Table.Takes, "-")
	case len(s.query("rust", o)) > 0:
		m.Takes = s.rustQuery(o)
	case o.Body != nil:
		m.Takes = s.Names.typeName("rust", o.Body.Name)
	case o.Bytes:
		m.Takes = "Chunk"
	}
	m.Result = s.rustValue(o.Answer)
	if item := o.Item(); item != nil {
		kind := "Listing"
		if o.Answer.Schema.HasTotal() {
			kind = "Page"
		}
		m.Item = s.rustValue(*item)
		m.Result = kind + "<" + m.Item + ">"
	}
	if o.Answer.Nullable {
		m.Result = "Option<" + m.Result + ">"
	}
	return m
}
