package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// kind is the JSON form of a value.
type kind int

const (
	textKind kind = iota
	integerKind
	numberKind
	flagKind
	listKind   // elements have type typ.Items
	mapKind    // keys are texts, values have type typ.Items
	objectKind // may have any fields
	anyKind
	schemaKind // typ.Schema, an object with known fields
	enumKind   // typ.Schema, one of several texts or numbers
	unionKind  // typ.Schema, one of several objects
)

// kinds maps the type names of OpenAPI to kinds.
var kinds = map[string]kind{
	"string": textKind, "integer": integerKind, "number": numberKind, "boolean": flagKind, "array": listKind, "object": objectKind,
}

// typ is the type of a field, a parameter or an answer.
type typ struct {
	Kind     kind
	Schema   *schema
	Items    *typ
	Nullable bool
	Values   []string // values of an enumeration without a name
}

// field is a field of an object, or a parameter of an operation.
type field struct {
	Name, Doc string
	Type      typ
	Required  bool
	Owner     *schema // nil for a parameter
}

// schema is a named schema of openapi.yaml.
type schema struct {
	Name, Doc string
	Fields    []*field
	Values    []string  // values of an enumeration
	Of        []*schema // alternatives of a union
	Sent      bool      // part of a request
	Received  bool      // part of an answer
	Body      bool      // is the body of a request
	Part      bool      // is the type of a field
}

// operation is a method of the libraries.
type operation struct {
	ID, Name, Namespace string
	Verb, Path          string // HTTP method and path
	Summary, Detail     string
	Args                []*field // path arguments, without the project
	Query               []*field
	Body                *schema
	Bytes               bool // the body of the request is not JSON
	Answer              typ
	Table               entry // from names.yaml
	line                int   // in openapi.yaml
}

// spec is the model of openapi.yaml for all libraries.
type spec struct {
	Schemas    []*schema
	Operations []*operation
	Names      *names
	byName     map[string]*schema
}

// readSpec reads openapi.yaml. It omits operations and schemas that the libraries do not have.
func readSpec(file string, n *names) (*spec, error) {
	loader := openapi3.NewLoader()
	loader.IncludeOrigin = true
	doc, err := loader.LoadFromFile(file)
	if err != nil {
		return nil, err
	}
	s := &spec{Names: n, byName: map[string]*schema{}}
	all := doc.Components.Schemas
	for name, ref := range all {
		s.byName[name] = &schema{Name: name, Doc: oneLine(ref.Value.Description)}
	}
	for name, ref := range all {
		s.fill(s.byName[name], ref.Value)
	}
	for _, v := range s.byName {
		for _, f := range v.Fields {
			t := f.Type
			for t.Items != nil {
				t = *t.Items
			}
			if t.Schema != nil {
				t.Schema.Part = true
			}
		}
	}
	if err := s.readOperations(doc); err != nil {
		return nil, err
	}
	for _, name := range inOrder(all) {
		if v := s.byName[name]; v.Sent || v.Received {
			s.Schemas = append(s.Schemas, v)
		}
	}
	return s, n.check(s)
}

// inOrder returns the names of the schemas in their order in openapi.yaml.
func inOrder(schemas openapi3.Schemas) []string {
	line := func(name string) int { return cmp.Or(schemas[name].Origin, schemas[name].Value.Origin).Key.Line }
	return slices.SortedFunc(maps.Keys(schemas), func(a, b string) int { return cmp.Or(line(a)-line(b), strings.Compare(a, b)) })
}

// fill sets the fields of its first parameter to those of an OpenAPI schema and of the schemas that
// it extends.
func (s *spec) fill(to *schema, from *openapi3.Schema) {
	to.Values = s.typeOf(&openapi3.SchemaRef{Value: from}).Values
	var required []string
	var add func(*openapi3.Schema)
	add = func(of *openapi3.Schema) {
		for _, part := range of.AllOf {
			add(part.Value)
		}
		for _, name := range inOrder(of.Properties) {
			to.Fields = slices.DeleteFunc(to.Fields, func(f *field) bool { return f.Name == name })
			p := of.Properties[name]
			to.Fields = append(to.Fields, &field{Name: name, Doc: describe(p), Type: s.typeOf(p), Owner: to})
		}
		required = append(required, of.Required...)
	}
	add(from)
	for _, f := range to.Fields {
		f.Required = slices.Contains(required, f.Name)
	}
	for _, part := range from.OneOf {
		if part.Ref != "" {
			to.Of = append(to.Of, s.byName[path.Base(part.Ref)])
		}
	}
}

// describe returns the description of a field or, if it has none, the description of its schema.
func describe(ref *openapi3.SchemaRef) string {
	if text := ref.Value.Description; text != "" || len(ref.Value.AllOf) == 0 {
		return oneLine(text)
	}
	return describe(ref.Value.AllOf[0])
}

func (s *spec) typeOf(ref *openapi3.SchemaRef) typ {
	v := ref.Value
	if ref.Ref != "" {
		return s.named(path.Base(ref.Ref), v)
	}
	if len(v.AllOf) == 1 {
		t := s.typeOf(v.AllOf[0])
		t.Nullable = t.Nullable || v.Nullable
		return t
	}
	t := typ{Kind: anyKind, Nullable: v.Nullable}
	for _, value := range v.Enum {
		if text, ok := value.(string); ok {
			t.Values = append(t.Values, text)
		}
	}
	if types := v.Type.Slice(); len(types) == 1 {
		t.Kind = kinds[types[0]]
	}
	switch more := v.AdditionalProperties.Schema; {
	case t.Kind == listKind:
		items := s.typeOf(v.Items)
		t.Items = &items
	case t.Kind == objectKind && more != nil && len(v.Properties) == 0:
		items := s.typeOf(more)
		t.Kind, t.Items = mapKind, &items
	}
	return t
}

// named returns the type of a reference to the schema with the given name. If the libraries have no
// named type for the schema, it returns the type of the schema's content.
func (s *spec) named(name string, v *openapi3.Schema) typ {
	t := s.typeOf(&openapi3.SchemaRef{Value: v})
	switch {
	case name == "Flag":
		return typ{Kind: flagKind}
	case strings.HasPrefix(name, "Loose"): // an integer, or a text that is one
		return typ{Kind: integerKind}
	case len(v.Properties) > 0 || len(v.AllOf) > 0:
		return typ{Kind: schemaKind, Schema: s.byName[name], Nullable: v.Nullable}
	case len(v.OneOf) > 0:
		return typ{Kind: unionKind, Schema: s.byName[name]}
	case len(t.Values) > 0 || s.Names.Enumerations[name].Integers:
		return typ{Kind: enumKind, Schema: s.byName[name], Nullable: v.Nullable, Values: t.Values}
	}
	return t
}

func (s *spec) readOperations(doc *openapi3.T) error {
	for p, item := range doc.Paths.Map() {
		for verb, op := range item.Operations() {
			if slices.Contains(s.Names.Omit, op.OperationID) {
				continue
			}
			o := &operation{
				ID: op.OperationID, Verb: verb, Path: p, Summary: oneLine(op.Summary), Detail: oneLine(op.Description),
				Table: s.Names.Operations[op.OperationID], Namespace: "admin", line: op.Origin.Key.Line,
			}
			o.Name = cmp.Or(s.Names.Methods[o.ID], strings.ReplaceAll(snake(o.ID), "_public", ""))
			if strings.HasPrefix(p, "/public/") {
				o.Namespace = "public"
			} else if o.ID == "getHealth" || o.ID == "login" {
				o.Namespace = "client"
			}
			s.readArguments(o, slices.Concat(item.Parameters, op.Parameters))
			if err := s.readBodies(o, op); err != nil {
				return fmt.Errorf("%s: %w", o.ID, err)
			}
			s.Operations = append(s.Operations, o)
		}
	}
	slices.SortFunc(s.Operations, func(a, b *operation) int { return a.line - b.line })
	return nil
}

var placeholder = regexp.MustCompile(`{(\w+)}`)

func (s *spec) readArguments(o *operation, parameters openapi3.Parameters) {
	byName := map[string]*field{}
	for _, ref := range parameters {
		p := ref.Value
		f := &field{Name: p.Name, Doc: oneLine(p.Description), Type: s.typeOf(p.Schema), Required: p.Required}
		if p.In == "query" {
			o.Query = append(o.Query, f)
		}
		byName[p.In+p.Name] = f
	}
	for _, m := range placeholder.FindAllStringSubmatch(o.Path, -1) {
		if m[1] != "k" {
			o.Args = append(o.Args, byName["path"+m[1]])
		}
	}
}

func (s *spec) readBodies(o *operation, op *openapi3.Operation) error {
	if op.RequestBody != nil {
		body := op.RequestBody.Value
		if content := body.Content.Get("application/json"); content != nil {
			o.Body = s.typeOf(content.Schema).Schema
			o.Body.Body = true
			s.mark(typ{Kind: schemaKind, Schema: o.Body}, func(v *schema) *bool { return &v.Sent })
		} else {
			o.Bytes = true
		}
	}
	answer := cmp.Or(op.Responses.Value("200"), op.Responses.Value("201"), op.Responses.Value("202"))
	if answer == nil || answer.Value.Content.Get("application/json") == nil {
		return errors.New("there is no answer in JSON")
	}
	o.Answer = s.typeOf(answer.Value.Content.Get("application/json").Schema)
	s.mark(o.Answer, func(v *schema) *bool { return &v.Received })
	return nil
}

// mark sets a flag of all schemas that a type contains, directly or within other schemas. The
// function flag returns the address of the flag.
func (s *spec) mark(t typ, flag func(*schema) *bool) {
	if t.Items != nil {
		s.mark(*t.Items, flag)
	}
	if t.Schema == nil || *flag(t.Schema) {
		return
	}
	*flag(t.Schema) = true
	for _, f := range t.Schema.Fields {
		s.mark(f.Type, flag)
	}
	for _, of := range t.Schema.Of {
		s.mark(typ{Kind: schemaKind, Schema: of}, flag)
	}
}

// find returns the field with the given name, or nil.
func (s *schema) find(name string) *field {
	for _, f := range s.Fields {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// items returns the type of the entries if the schema is a list or a page. Otherwise, it returns
// nil.
func (s *schema) items() *typ {
	data := s.find("data")
	if data == nil || data.Type.Kind != listKind {
		return nil
	}
	for _, f := range s.Fields {
		if !slices.Contains([]string{"data", "total", "total_is_estimate"}, f.Name) {
			return nil
		}
	}
	return data.Type.Items
}

// Item returns the type of the entries of the list in the answer, or nil if there is no list.
func (o *operation) Item() *typ {
	if o.Answer.Schema == nil {
		return nil
	}
	return o.Answer.Schema.items()
}

// HasTotal reports whether the schema is a list that has pages, or may have them in the future.
func (s *schema) HasTotal() bool { return s.find("total") != nil }

// Pages reports whether the operation lists records of the project or the instance in pages. If so,
// the libraries have a method that iterates over all pages. They have no such method for a list
// that belongs to a single record.
func (o *operation) Pages() bool {
	return len(o.Args) == 0 && slices.ContainsFunc(o.Query, func(f *field) bool { return f.Name == "offset" })
}

// Iter returns the name of the method that iterates over all pages.
func (o *operation) Iter() string { return strings.Replace(o.Name, "list_", "iter_", 1) }

// Argument returns the name of a path argument in the libraries.
func (f *field) Argument() string { return cmp.Or(map[string]string{"v": "version"}[f.Name], f.Name) }

// enumeration returns the name of the enumeration type for t, or "" if the libraries have none.
func (s *spec) enumeration(t typ) string {
	if t.Kind == enumKind {
		name := t.Schema.Name
		if _, ok := s.Names.Enumerations[name]; ok || s.Names.Types["go"][name] != "" {
			return name
		}
	}
	if t.Kind == textKind && len(t.Values) > 0 {
		for name := range s.Names.Enumerations {
			if slices.Equal(s.byName[name].Values, t.Values) {
				return name
			}
		}
	}
	return ""
}

// literal returns the i-th value of an enumeration as a literal. It is the same in all languages.
func (s *schema) literal(i int) string {
	if len(s.Values) == 0 {
		return strconv.Itoa(i)
	}
	return strconv.Quote(s.Values[i])
}

// mergedField is a field of a type that is generated from several schemas.
type mergedField struct {
	*field
	Required bool // required in all schemas
}

// union returns the fields of a type that is generated from several schemas.
func union(schemas []*schema) []mergedField {
	var fields []mergedField
	for _, v := range schemas {
		for _, f := range v.Fields {
			if slices.ContainsFunc(fields, func(m mergedField) bool { return m.Name == f.Name }) {
				continue
			}
			optional := slices.ContainsFunc(schemas, func(other *schema) bool { g := other.find(f.Name); return g == nil || !g.Required })
			fields = append(fields, mergedField{f, !optional})
		}
	}
	return fields
}

// mergedDoc returns the description of a type that is generated from several schemas. It prefers
// the description of the schema with the same name. If there is none, it takes that of the last
// schema if that schema is part of a request, because it then describes changes. Otherwise, it
// takes that of the first schema.
func mergedDoc(name string, schemas []*schema) string {
	for _, v := range schemas {
		if v.Name == name {
			return v.Doc
		}
	}
	if last := schemas[len(schemas)-1]; last.Sent {
		return last.Doc
	}
	return schemas[0].Doc
}

// sharedQuery returns the query type that the operation shares with others. The map contains the
// name of the type by language, and its description under "doc". It is nil if the operation shares
// no type.
func (s *spec) sharedQuery(o *operation) map[string]string {
	for _, q := range s.Names.Queries {
		if slices.EqualFunc(o.Query, q.Parameters, func(f *field, name string) bool { return f.Name == name }) {
			return q.Type
		}
	}
	return nil
}

// queryName returns the name of an operation's query type. If no other operation shares the type,
// the name is derived from the parameter own.
func (s *spec) queryName(language string, o *operation, own string) string {
	if o.Namespace == "public" && o.Pages() {
		own = strings.Replace(own, "List", "ListPublic", 1)
	}
	return cmp.Or(s.sharedQuery(o)[language], own)
}

func (s *spec) queryDoc(o *operation, method string) string {
	return cmp.Or(s.sharedQuery(o)["doc"], "The query of "+method+".")
}

// queries returns one operation for each query type of a library. The function name returns the
// name of an operation's query type.
func (s *spec) queries(language string, name func(*operation) string) []*operation {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(s.Operations), func(o *operation) bool {
		skip := len(s.query(language, o)) == 0 || o.Table.Direct && language == "go" || o.written(language) || seen[name(o)]
		seen[name(o)] = seen[name(o)] || !skip
		return skip
	})
}

// defaulted reports whether the client sends a default value for an omitted parameter.
func (o *operation) defaulted(f *field) bool {
	return o.Namespace == "public" && (f.Name == "locale" || f.Name == "version")
}

func (o *operation) defaultDoc(f *field) string {
	if o.defaulted(f) {
		return " If it is left out, the client's own is sent; null sends none."
	}
	return ""
}
