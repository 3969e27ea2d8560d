package main

import (
	"cmp"
	"go/format"
	"slices"
	"strings"
)

// goType is a struct or an enumeration of the Go library.
type goType struct {
	Name, Doc, Base string // Base is the underlying type of an enumeration
	Values          []goField
	Fields          []goField
	Extra           bool // the struct is the body of a request, so it gets a field Extra
	Paged           bool // the struct holds the query of a paged list
}

// goField is a field of a struct, or a value of an enumeration, which is stored in Tag.
type goField struct{ Name, Type, Tag, Doc string }

// goMethod is a method of the Go library.
type goMethod struct {
	Name, Verb, Path, Doc string
	Receiver, Type        string // as in "a *Admin"
	Params, Args          string // Params are in the signature; Args are appended to the path
	Chain                 string // passes the other arguments to the request
	Answer                string // "" if there is nothing to return
	Iter, Options, Item   string // for paged lists
}

func golang(s *spec) []target {
	return []target{
		{"clients/go/resources.go", "go/types.go.tmpl", goTypes(s), format.Source},
		{"clients/go/queries.go", "go/types.go.tmpl", goQueries(s), format.Source},
		{"clients/go/methods.go", "go/methods.go.tmpl", goMethods(s), format.Source},
	}
}

// initialisms maps words to their capitalized form in Go names.
var initialisms = map[string]string{
	"id": "ID", "ids": "IDs", "url": "URL", "urls": "URLs", "ip": "IP", "cdn": "CDN", "html": "HTML", "api": "API",
	"sha256": "SHA256", "tz": "TZ", "ms": "MS", "kb": "KB",
}

// goName converts a name in openapi.yaml to an exported Go name.
func goName(text string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(snake(text), "_") {
		b.WriteString(cmp.Or(initialisms[word], pascal(word)))
	}
	return b.String()
}

// goArgument converts a name in openapi.yaml to the name of a Go parameter.
func goArgument(text string) string {
	first, rest, _ := strings.Cut(text, "_")
	return first + goName(rest)
}

func (s *spec) goTypeName(schema string) string { return goName(s.Names.typeName("go", schema)) }

// goDoc returns a doc comment that begins with the given name.
func goDoc(name, text string) string {
	verb := "holds"
	if first, _, _ := strings.Cut(text, " "); first == "A" || first == "An" {
		verb = "is"
	}
	return wrap(name+" "+verb+" "+lowerFirst(text), "// ", 100)
}

var goPlain = map[kind]string{
	textKind: "string", enumKind: "string", integerKind: "int64", numberKind: "float64", flagKind: "bool",
	objectKind: "map[string]any", anyKind: "any",
}

// goValue returns the Go type of a value that is not null.
func (s *spec) goValue(t typ) string {
	if name := s.enumeration(t); name != "" {
		return s.goTypeName(name)
	}
	switch t.Kind {
	case listKind:
		return "[]" + s.goValue(*t.Items)
	case mapKind:
		return "map[string]" + s.goValue(*t.Items)
	case schemaKind, unionKind:
		return s.goTypeName(t.Schema.Name)
	}
	return goPlain[t.Kind]
}

// goField returns a field of a struct. In answers, a pointer type means that the value can be null
// or, if it is a struct, that it can be missing. In requests, a pointer type means that the field
// is optional. An optional field of type Opt can also be null.
func (s *spec) goField(f *field, required bool) goField {
	value := s.goValue(f.Type)
	reference := strings.HasPrefix(value, "[]") || strings.HasPrefix(value, "map[") || value == "any"
	tag := ""
	switch {
	case !f.Owner.Sent && !required && f.Type.Kind == schemaKind:
		value = "*" + value
	case f.Owner.Sent && required, !f.Owner.Sent && (reference || !f.Type.Nullable):
	case !f.Owner.Sent:
		value = "*" + value
	case f.Type.Nullable:
		value, tag = "Opt["+value+"]", ",omitzero"
	case reference:
		tag = ",omitzero"
	default:
		value, tag = "*"+value, ",omitempty"
	}
	if tag == "" && !required {
		tag = ",omitempty"
	}
	if own := s.Names.fieldType("go", f); own != "" {
		value = own
		if !required && !strings.HasPrefix(own, "Opt[") {
			tag = ",omitempty"
		}
	}
	return goField{goName(f.Name), value, `json:"` + f.Name + tag + `"`, wrap(f.Doc, "// ", 100)}
}

func goTypes(s *spec) []*goType {
	var types []*goType
	merged := map[string][]*schema{}
	for _, v := range s.Schemas {
		name := s.goTypeName(v.Name)
		kind, named := s.Names.Enumerations[v.Name]
		switch {
		case named:
			t := &goType{Name: name, Doc: goDoc(name, v.Doc), Base: "string"}
			if kind.Integers {
				t.Base = "int"
			}
			for i, value := range kind.Go {
				t.Values = append(t.Values, goField{Name: value, Type: name, Tag: v.literal(i)})
			}
			types = append(types, t)
		case len(v.Fields) > 0 && v.items() == nil && v.Name != "Done":
			if merged[name] == nil {
				types = append(types, &goType{Name: name, Extra: v.Body})
			}
			merged[name] = append(merged[name], v)
		}
	}
	for _, t := range types {
		if t.Base == "" {
			t.Doc = goDoc(t.Name, mergedDoc(t.Name, merged[t.Name]))
		}
		for _, f := range union(merged[t.Name]) {
			t.Fields = append(t.Fields, s.goField(f.field, f.Required))
		}
	}
	return types
}

// goQuery returns the name of the Go type for the query parameters of an operation.
func (s *spec) goQuery(o *operation) string {
	return s.queryName("go", o, strings.TrimPrefix(goName(o.Name), "Get")+"Options")
}

func goQueries(s *spec) []*goType {
	var types []*goType
	for _, o := range s.queries("go", s.goQuery) {
		name := s.goQuery(o)
		t := &goType{Name: name, Doc: goDoc(name, s.queryDoc(o, goName(o.Name))), Paged: o.Pages()}
		for _, f := range o.Query {
			value := s.goValue(f.Type)
			switch {
			case o.defaulted(f):
				value = "Opt[string]"
			case f.Type.Kind == flagKind:
				value = "*bool"
			case f.Type.Kind == integerKind:
				value = cmp.Or(s.Names.fieldType("go", f), "int")
			}
			t.Fields = append(t.Fields, goField{goName(f.Name), value, `query:"` + f.Name + `"`, wrap(f.Doc+o.defaultDoc(f), "// ", 100)})
		}
		types = append(types, t)
	}
	return types
}

func goMethods(s *spec) []*goMethod {
	var methods []*goMethod
	for _, o := range s.Operations {
		if o.written("go") {
			continue
		}
		name := goName(o.Name)
		m := &goMethod{Name: name, Verb: pascal(strings.ToLower(o.Verb)), Path: o.Path, Receiver: o.Namespace[:1], Type: pascal(o.Namespace)}
		m.Doc = wrap(name+" "+lowerFirst(thirdPerson(o.sentences())), "// ", 100)
		for _, f := range o.Args {
			argument := goArgument(f.Argument())
			if f.Type.Kind == integerKind {
				m.Params += ", " + argument + " int"
				m.Args += ", strconv.Itoa(" + argument + ")"
			} else {
				m.Params += ", " + argument + " string"
				m.Args += ", " + argument
			}
		}
		switch {
		case o.Table.Direct:
			for _, f := range o.Query {
				kind := "string"
				if slices.Contains(o.Table.OnlyTrue, f.Name) {
					kind = "bool"
				}
				m.Params += ", " + goArgument(f.Name) + " " + kind
				m.Chain += `.param("` + f.Name + `", ` + goArgument(f.Name) + ")"
			}
		case len(s.query("go", o)) > 0:
			m.Options = s.goQuery(o)
			m.Params += ", opts *" + m.Options
			m.Chain = ".where(opts)"
		case o.Body != nil:
			m.Params += ", in " + s.goTypeName(o.Body.Name)
			m.Chain = ".body(in)"
			if o.Table.OptionalBody {
				m.Chain = ".optionalBody(in)"
			}
		case o.Bytes:
			m.Params += ", chunk []byte"
			m.Chain = ".raw(chunk)"
		}
		switch item := o.Item(); {
		case item != nil && o.Answer.Schema.HasTotal():
			m.Item = s.goValue(*item)
			m.Answer = "Page[" + m.Item + "]"
		case item != nil:
			m.Answer = "List[" + s.goValue(*item) + "]"
		case o.Answer.Schema.Name != "Done":
			m.Answer = s.goValue(o.Answer)
		}
		if o.Pages() {
			m.Iter = goName(o.Iter())
		}
		methods = append(methods, m)
	}
	return methods
}
