// Package vectors has the file that the tests of the five client libraries and
// of the server read, so that all of them hold the same rules. Its section
// "about" says what each of the others means.
package vectors

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:embed vectors.json
var file []byte

// Section returns a section of the file as a T. It panics when the file has no
// such section or one of another shape: only tests call it.
func Section[T any](name string) T {
	var sections map[string]json.RawMessage
	if err := json.Unmarshal(file, &sections); err != nil {
		panic(fmt.Sprintf("vectors.json: %v", err))
	}
	if string(sections["format"]) != "1" {
		panic(fmt.Sprintf("vectors.json: format %s, this reader knows 1", sections["format"]))
	}
	var section T
	if err := json.Unmarshal(sections[name], &section); err != nil {
		panic(fmt.Sprintf("vectors.json: section %s: %v", name, err))
	}
	return section
}
