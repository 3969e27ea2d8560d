// Package vectors has the file that the tests of the five client libraries and
// of the server read, so that all of them hold the same rules. Its section
// "about" says what each of the others means.
package vectors

import (
	_ "embed"
	"encoding/json"
	"testing"
)

//go:embed vectors.json
var file []byte

// Section returns a section of the file as a T.
func Section[T any](t testing.TB, name string) T {
	t.Helper()
	var sections map[string]json.RawMessage
	if err := json.Unmarshal(file, &sections); err != nil {
		t.Fatalf("vectors.json: %v", err)
	}
	if string(sections["format"]) != "1" {
		t.Fatalf("vectors.json has format %s, this reader knows 1", sections["format"])
	}
	var section T
	if err := json.Unmarshal(sections[name], &section); err != nil {
		t.Fatalf("vectors.json: section %s: %v", name, err)
	}
	return section
}
