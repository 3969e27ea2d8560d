package svcsdk

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// vectors reads a section of the test vectors, which all client libraries share.
func vectors[T any](t testing.TB, section string) T {
	t.Helper()
	var out T
	data, ok := vectorSections(t)[section]
	if !ok {
		t.Fatalf("vectors have no section %s", section)
	}
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatalf("section %s: %v", section, err)
	}
	return out
}

var vectorFile = sync.OnceValues(func() (map[string]json.RawMessage, error) {
	text, err := os.ReadFile("../vectors/vectors.json")
	if err != nil {
		return nil, err
	}
	var sections map[string]json.RawMessage
	if err := json.Unmarshal(text, &sections); err != nil {
		return nil, err
	}
	if string(sections["format"]) != "1" {
		return nil, fmt.Errorf("format %s of the vectors is not 1", sections["format"])
	}
	return sections, nil
})

func vectorSections(t testing.TB) map[string]json.RawMessage {
	t.Helper()
	sections, err := vectorFile()
	if err != nil {
		t.Fatal(err)
	}
	return sections
}

// endpoint is an entry in the vectors' table of endpoints.
type endpoint struct{ namespace, method, verb, path string }

func (e *endpoint) UnmarshalJSON(data []byte) error {
	var row [4]string
	err := json.Unmarshal(data, &row)
	*e = endpoint{row[0], row[1], row[2], row[3]}
	return err
}

var initialisms = map[string]string{"id": "ID", "url": "URL", "api": "API", "cdn": "CDN"}

// goName returns the Go name of an operation.
func goName(snake string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(snake, "_") {
		if upper, ok := initialisms[word]; ok {
			b.WriteString(upper)
		} else {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// plainArguments lists, by method, the arguments that are neither in the path nor in a struct.
var plainArguments = map[string][]string{
	"preview_codehost_repo":                  {"repo_url"},
	"preview_codehost_release":               {"tag"},
	"get_codehost_integration_repo_template": {"refresh"},
	"get_about":                              {"refresh"},
	"export_my_data":                         {"distinct_id"},
	"delete_my_data":                         {"distinct_id"},
	"put_upload_chunk":                       {"chunk"},
	"put_asset_signature":                    {"chunk"},
}

// invoke calls a method by the name that it has in the contract, with arguments in wire form.
func invoke(ctx context.Context, c *Client, e endpoint, args map[string]json.RawMessage) error {
	receiver := map[string]any{"client": c, "public": c.Public, "admin": c.Admin}[e.namespace]
	method := reflect.ValueOf(receiver).MethodByName(goName(e.method))
	if !method.IsValid() {
		return fmt.Errorf("%s has no method %s", e.namespace, goName(e.method))
	}
	var names []string
	for _, m := range placeholder.FindAllStringSubmatch(e.path, -1) {
		switch m[1] {
		case "k":
		case "v":
			names = append(names, "version")
		default:
			names = append(names, m[1])
		}
	}
	names = append(names, plainArguments[e.method]...)
	left := maps.Clone(args)
	if left == nil {
		left = map[string]json.RawMessage{}
	}
	in := []reflect.Value{reflect.ValueOf(ctx)}
	for i := 1; i < method.Type().NumIn(); i++ {
		v := reflect.New(method.Type().In(i)).Elem()
		kind := v.Type()
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		if kind.Kind() != reflect.Struct {
			if value, ok := left[names[0]]; ok && string(value) != "null" {
				if err := json.Unmarshal(value, v.Addr().Interface()); err != nil {
					return fmt.Errorf("argument %s: %w", names[0], err)
				}
			}
			delete(left, names[0])
			names = names[1:]
		} else if err := fillStruct(v, e.method, left); err != nil {
			return err
		}
		in = append(in, v)
	}
	if len(left) > 0 {
		return fmt.Errorf("%s.%s does not know the arguments %v", e.namespace, e.method, left)
	}
	out := method.Call(in)
	err, _ := reflect.TypeAssert[error](out[len(out)-1])
	return err
}

// fillStruct sets the fields with tags that name an argument, and removes those arguments from
// args.
func fillStruct(v reflect.Value, method string, args map[string]json.RawMessage) error {
	if v.Kind() == reflect.Pointer {
		if len(args) == 0 {
			return nil
		}
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if query, ok := args["query"]; ok && method == "run_event_query" {
		delete(args, "query")
		if err := json.Unmarshal(query, &args); err != nil {
			return err
		}
	}
	for field, value := range v.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json")+field.Tag.Get("query"), ",")
		switch {
		case field.Name == "Extra":
			name = "extra"
		case method == "update_project" && name == "project_key", method == "update_project_locale" && name == "locale":
			name = "new_" + name
		}
		text, ok := args[name]
		if !ok {
			continue
		}
		delete(args, name)
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if err := d.Decode(value.Addr().Interface()); err != nil {
			return fmt.Errorf("argument %s: %w", name, err)
		}
	}
	return nil
}

// wantError fails the test unless err has type T.
func wantError[T error](t *testing.T, err error) {
	t.Helper()
	if _, ok := errors.AsType[T](err); !ok {
		var want T
		t.Fatalf("error is %T (%v), not %T", err, err, want)
	}
}
