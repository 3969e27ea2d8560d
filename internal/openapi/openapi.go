// Package openapi reads an OpenAPI 3.0 description of an API for the pages that document
// the API. It resolves references and keeps the order of the file.
//
//	openapi.go  Document and its parts
//	schema.go   descriptions of values
//	example.go  example values and requests
//	node.go     YAML nodes
package openapi

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Document describes an API. It is immutable. All descriptions in it are Markdown.
type Document struct {
	Description string
	Schemes     []Scheme
	Tags        []*Tag
	JSON        []byte // the whole description as JSON

	operations map[string]*Operation // by ID
	tags       map[string]*Tag       // by slug
}

// Scheme is a way to authenticate.
type Scheme struct{ Name, Header, Description string }

// Tag is a group of operations.
type Tag struct {
	Slug, Name, Description string
	Operations              []*Operation
}

// Operation is an operation of the API.
type Operation struct {
	ID, Method, Path     string // Path is the path of requests, with {parameters}
	Summary, Description string
	Tag                  *Tag
	Schemes              []Scheme // any one of them suffices; empty if the operation is public
	Scope                string   // scope that an API key must have; "" if it needs none or keys are not accepted
	Parameters           []Field
	Body                 []Media // the media types that the body can have
	BodyRequired         bool
	Answers              []Answer

	words string // the text in which Search looks, in lower case
}

// Field is a parameter, a header or a property of an object.
type Field struct {
	Name, In, Description string // In is the place of a parameter, such as "query"; "" for others
	Required              bool
	Example               string // example of a value; "" = none
	Schema                *Schema
}

// Media describes a body of one media type.
type Media struct {
	Type     string
	Schema   *Schema
	Examples []Example
}

// Example is an example of a request or response.
type Example struct{ Name, Text string }

// Answer describes one of the possible responses to a request.
type Answer struct {
	Status, Description string // Status "default" means all statuses that are not listed
	Headers             []Field
	Media               []Media
}

// Operation returns the operation with the given ID, or nil if there is none.
func (d *Document) Operation(id string) *Operation { return d.operations[id] }

// Tag returns the tag with the given slug, or nil if there is none.
func (d *Document) Tag(slug string) *Tag { return d.tags[slug] }

// Search returns the operations that contain all words of text, ignoring case. They are
// sorted by the number of words that their ID, method, path and summary do not contain, the
// smallest number first. Apart from that, operations are in the order of the document. If
// text contains no words, Search returns nil.
func (d *Document) Search(text string) (found []*Operation) {
	words := strings.Fields(strings.ToLower(text))
	if len(words) == 0 {
		return nil
	}
	missing := map[*Operation]int{}
	for _, tag := range d.Tags {
		for _, o := range tag.Operations {
			if slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(o.words, word) }) {
				continue
			}
			title := strings.ToLower(o.ID + " " + o.Method + " " + o.Path + " " + o.Summary)
			for _, word := range words {
				if !strings.Contains(title, word) {
					missing[o]++
				}
			}
			found = append(found, o)
		}
	}
	slices.SortStableFunc(found, func(a, b *Operation) int { return cmp.Compare(missing[a], missing[b]) })
	return found
}

// methods lists the methods of operations in the order in which they are displayed.
var methods = []string{"get", "post", "put", "patch", "delete"}

// Read parses an OpenAPI description. It returns an error if text is not YAML or does not
// describe an API.
func Read(text []byte) (*Document, error) {
	var file yaml.Node
	if err := yaml.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("read the description of the interface: %w", err)
	}
	if len(file.Content) != 1 || at(file.Content[0], "openapi") == nil {
		return nil, errors.New("the description of the interface does not begin with openapi")
	}
	left := maxValues
	r := reader{file.Content[0], &left}
	d := &Document{
		Description: r.text("info", "description"), JSON: appendJSON(nil, r.root),
		operations: map[string]*Operation{}, tags: map[string]*Tag{},
	}
	for _, tag := range items(at(r.root, "tags")) {
		t := &Tag{Name: value(at(tag, "name")), Description: value(at(tag, "description"))}
		t.Slug = strings.ReplaceAll(strings.ToLower(t.Name), " ", "-")
		d.Tags, d.tags[t.Slug] = append(d.Tags, t), t
	}
	schemes := map[string]Scheme{}
	for name, s := range pairs(at(r.root, "components", "securitySchemes")) {
		scheme := Scheme{Name: name, Header: "Authorization: Bearer …", Description: value(at(s, "description"))}
		if header := value(at(s, "name")); header != "" {
			scheme.Header = header + ": …"
		}
		schemes[name], d.Schemes = scheme, append(d.Schemes, scheme)
	}
	base := value(at(first(at(r.root, "servers")), "url"))
	for path, item := range pairs(at(r.root, "paths")) {
		server := base
		if own := first(at(item, "servers")); own != nil {
			server = value(at(own, "url"))
		}
		for _, method := range methods {
			if n := at(item, method); n != nil {
				d.add(r.operation(n, item, strings.ToUpper(method), strings.TrimSuffix(server, "/")+path, schemes))
			}
		}
	}
	return d, nil
}

// add adds an operation to the tag with the given name. If the document has no such tag,
// the operation is left out.
func (d *Document) add(o *Operation, tag string) {
	for _, t := range d.Tags {
		if t.Name == tag {
			o.Tag = t
			t.Operations = append(t.Operations, o)
			d.operations[o.ID] = o
		}
	}
}

// operation reads the operation at node n, which belongs to the path item at node item. It
// returns the operation and the name of its tag.
func (r reader) operation(n, item *yaml.Node, method, path string, schemes map[string]Scheme) (*Operation, string) {
	tag := value(first(at(n, "tags")))
	o := &Operation{
		ID: value(at(n, "operationId")), Method: method, Path: path, Summary: value(at(n, "summary")), Description: value(at(n, "description")),
		Scope: value(at(n, "x-scope")),
	}
	security := at(n, "security")
	if security == nil {
		security = at(r.root, "security")
	}
	for _, s := range items(security) {
		for name := range pairs(s) {
			o.Schemes = append(o.Schemes, schemes[name])
		}
	}
	for _, from := range []*yaml.Node{item, n} {
		for _, p := range items(at(from, "parameters")) {
			o.Parameters = append(o.Parameters, r.field("", p))
		}
	}
	body := r.resolve(at(n, "requestBody"))
	o.BodyRequired = value(at(body, "required")) == "true"
	o.Body = r.media(body)
	for status, answer := range pairs(at(n, "responses")) {
		answer = r.resolve(answer)
		a := Answer{Status: status, Description: value(at(answer, "description")), Media: r.media(answer)}
		for name, header := range pairs(at(answer, "headers")) {
			a.Headers = append(a.Headers, r.field(name, header))
		}
		o.Answers = append(o.Answers, a)
	}
	words := []string{o.ID, o.Method, o.Path, o.Summary, o.Description, o.Scope, tag}
	for _, p := range o.Parameters {
		words = append(words, p.Name)
	}
	for _, m := range o.Body {
		for _, f := range m.Schema.Fields {
			words = append(words, f.Name)
		}
	}
	o.words = strings.ToLower(strings.Join(words, " "))
	return o, tag
}

// field reads the parameter or header at node n, which may be a reference to it. name is the
// name of a header. For a parameter it is "", because the node contains the name.
func (r reader) field(name string, n *yaml.Node) Field {
	n = r.resolve(n)
	f := Field{
		Name: cmp.Or(name, value(at(n, "name"))), In: value(at(n, "in")), Description: value(at(n, "description")),
		Required: value(at(n, "required")) == "true", Example: value(at(n, "example")), Schema: r.schema(at(n, "schema"), nil),
	}
	if f.Example == "" {
		f.Example = value(at(n, "schema", "example"))
	}
	return f
}

func (r reader) media(n *yaml.Node) (all []Media) {
	for kind, content := range pairs(at(n, "content")) {
		m := Media{Type: kind, Schema: r.schema(at(content, "schema"), nil)}
		if one := at(content, "example"); one != nil {
			m.Examples = append(m.Examples, Example{Text: string(indentJSON(one))})
		}
		for name, example := range pairs(at(content, "examples")) {
			example = r.resolve(example)
			m.Examples = append(m.Examples,
				Example{Name: cmp.Or(value(at(example, "summary")), name), Text: string(indentJSON(at(example, "value")))})
		}
		if len(m.Examples) == 0 && strings.Contains(kind, "json") {
			m.Examples = []Example{{Text: string(r.example(at(content, "schema")))}}
		}
		all = append(all, m)
	}
	return all
}
