package openapi_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"svc/internal/openapi"
)

// small is a description that uses every feature that package openapi supports.
const small = `
openapi: 3.0.3
info: { description: About **this**. }
servers: [{ url: /api }]
tags: [{ name: Big things, description: Of size. }, { name: Other }]
security: [{ key: [] }]
paths:
  /things/{id}:
    parameters: [{ $ref: "#/components/parameters/Id" }]
    get:
      operationId: getThing
      summary: Read a thing
      description: All of it.
      tags: [Big things]
      x-scope: things:read
      parameters: [{ name: full, in: query, schema: { type: boolean, default: false } }]
      responses:
        "200":
          description: It.
          headers: { X-Age: { description: Seconds., required: true, schema: { type: integer, minimum: 0 } } }
          content: { application/json: { schema: { $ref: "#/components/schemas/Thing" } } }
        "404": { $ref: "#/components/responses/None" }
    put:
      operationId: putThing
      summary: Write a thing
      tags: [Other]
      security: []
      requestBody:
        required: true
        content:
          application/json:
            schema: { allOf: [{ $ref: "#/components/schemas/Thing" }, { type: object, required: [name] }] }
            examples: { short: { summary: The shortest, value: { name: a, on: 2026-01-02 } } }
      responses: { default: { description: Anything. } }
  /up:
    servers: [{ url: / }]
    get: { operationId: up, summary: Say so, tags: [Other], security: [], responses: { default: { description: Up. } } }
components:
  securitySchemes: { key: { type: apiKey, in: header, name: X-Key, description: A key. } }
  parameters: { Id: { name: id, in: path, required: true, schema: { type: string, minLength: 1, maxLength: 9, example: a1 } } }
  responses: { None: { description: None. } }
  schemas:
    Thing:
      description: A thing.
      type: object
      properties:
        name: { type: string, pattern: "^a", description: What it is called. }
        size: { type: string, nullable: true, enum: [small, big, null] }
        made_at: { type: integer }
        any: { oneOf: [{ type: string }, { type: integer, maximum: 5 }] }
        parts: { type: array, minItems: 1, items: { $ref: "#/components/schemas/Thing" } }
`

func read(t *testing.T, text string) *openapi.Document {
	t.Helper()
	d, err := openapi.Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestRead(t *testing.T) {
	t.Parallel()
	d := read(t, small)
	get, put, up := d.Operation("getThing"), d.Operation("putThing"), d.Operation("up")
	if get == nil || put == nil || up == nil || d.Operation("none") != nil || d.Tag("big-things") != get.Tag || put.Tag.Operations[0] != put || d.Description != "About **this**." {
		t.Fatalf("got %+v", d)
	}
	if get.Method != "GET" || get.Path != "/api/things/{id}" || get.Scope != "things:read" || len(get.Schemes) != 1 || get.Schemes[0].Header != "X-Key: …" || up.Path != "/up" || up.Schemes != nil {
		t.Errorf("got %+v, %+v", get, up)
	}
	id, full := get.Parameters[0], get.Parameters[1]
	if id.In != "path" || !id.Required || id.Example != "a1" || id.Schema.Rules[0] != "1 to 9 characters" || full.Schema.Type != "boolean" || full.Schema.Rules[0] != "default false" {
		t.Errorf("parameters are %+v", get.Parameters)
	}
	if a := get.Answers[0]; a.Status != "200" || a.Headers[0].Name != "X-Age" || a.Headers[0].Schema.Rules[0] != "at least 0" || get.Answers[1].Description != "None." {
		t.Errorf("answers are %+v", get.Answers)
	}
	types := map[string]string{"name": "string", "size": "string or null", "made_at": "integer", "any": "one of several", "parts": "list of objects"}
	for _, f := range get.Answers[0].Media[0].Schema.Fields {
		if f.Schema.Type != types[f.Name] {
			t.Errorf("%s is %s, want %s", f.Name, f.Schema.Type, types[f.Name])
		}
		delete(types, f.Name)
		switch {
		case f.Name == "size" && !slices.Equal(f.Schema.Rules, []string{"one of small, big"}),
			f.Name == "any" && (len(f.Schema.Choices) != 2 || f.Schema.Choices[1].Rules[0] != "at most 5"),
			f.Name == "parts" && len(f.Schema.Fields) > 0:
			t.Errorf("%s is %+v", f.Name, f.Schema)
		}
	}
	if len(types) > 0 {
		t.Errorf("there is no %v", types)
	}
	body := put.Body[0]
	if !put.BodyRequired || body.Examples[0].Name != "The shortest" || body.Examples[0].Text != "{\n  \"name\": \"a\",\n  \"on\": \"2026-01-02\"\n}" || !body.Schema.Fields[0].Required || body.Schema.Fields[1].Required {
		t.Errorf("the body is %+v", body)
	}
	want := `{"name":"text","size":"small","made_at":1767225600,"any":"text","parts":[{`
	if got := strings.Join(strings.Fields(get.Answers[0].Media[0].Examples[0].Text), ""); !strings.HasPrefix(got, want) || !json.Valid([]byte(got)) {
		t.Errorf("the example is %s, want %s…", got, want)
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	d := read(t, small)
	for text, want := range map[string]string{
		"thing": "getThing putThing", "THING read": "getThing", "name": "putThing", "write things": "putThing", "": "", " ": "", "none": "", "things:read": "getThing", "put": "putThing",
	} {
		var ids []string
		for _, o := range d.Search(text) {
			ids = append(ids, o.ID)
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestOwnDescription checks that all of openapi.yaml is read, and that IDs of operations
// and slugs of tags are unique.
func TestOwnDescription(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	d := read(t, string(text))
	n := 0
	for _, tag := range d.Tags {
		if d.Operation(tag.Slug) != nil || len(tag.Operations) == 0 || strings.ContainsAny(tag.Slug, "/?# ") {
			t.Errorf("tag %q, %q has %d operations", tag.Name, tag.Slug, len(tag.Operations))
		}
		for _, o := range tag.Operations {
			n++
			for _, m := range o.Body {
				for _, e := range m.Examples {
					if !json.Valid([]byte(e.Text)) {
						t.Errorf("%s: the example is %s", o.ID, e.Text)
					}
				}
			}
			for _, p := range o.Parameters {
				if p.In == "path" && p.Example == "" {
					t.Logf("%s: %s has no example", o.ID, p.Name)
				}
			}
		}
	}
	if want := strings.Count(string(text), "operationId:"); n != want {
		t.Errorf("%d operations, want %d", n, want)
	}
	last := d.Tags[len(d.Tags)-1].Operations
	if answers := last[len(last)-1].Answers; len(answers[0].Media[0].Schema.Type) == 0 {
		t.Error("the description has more values than are described")
	}
	if !json.Valid(d.JSON) {
		t.Error("what is served is no JSON")
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(small))
	for _, text := range []string{
		"", "a", "[]", "openapi: 3", "openapi: 3\npaths: []", "openapi: 3\npaths: {/a: {get: {operationId: 1, tags: [a], parameters: [1, {$ref: '#/x'}]}}}\ntags: [{name: a}]",
		"openapi: 3\ntags: [{name: a}]\npaths: {/a: {get: {tags: [a], requestBody: {content: {application/json: {schema: {$ref: '#/s'}}}}}}}\ns: {type: array, items: {$ref: '#/s'}}",
		"openapi: 3\ns: &a [*a]\ninfo: {description: *a}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 4<<10 {
			t.Skip("long")
		}
		d, err := openapi.Read(text)
		if err == nil && !json.Valid(d.JSON) {
			t.Errorf("the JSON of %q is %.300s", text, d.JSON)
		}
	})
}
