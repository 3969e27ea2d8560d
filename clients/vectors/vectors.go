// Package vectors contains the test vectors that are shared by the five client libraries and the
// server. They ensure that all of them follow the same rules. The section "about" describes the
// other sections.
package vectors

import (
	_ "embed"
	"encoding/json"
	"testing"
)

//go:embed vectors.json
var file []byte

// Section decodes a section of the test vectors.
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
