package vectors

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// TestScenarios runs the scenarios of both sections on a model that is independent of the
// libraries. If the vectors and the model agree, they most likely follow the contract.
func TestScenarios(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, section := range []string{"scenarios", "queue_scenarios"} {
		for _, s := range Section[[]scenario](t, section) {
			if names[s.Name] {
				t.Errorf("two scenarios are called %q", s.Name)
			}
			names[s.Name] = true
			t.Run(s.Name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(s.Options)
				for i, step := range s.Steps {
					t.Run(fmt.Sprintf("step %d %.40s", i+1, step), func(t *testing.T) { w.step(t, step) })
				}
			})
		}
	}
}

// TestAbout checks that each section is described and tested, and contains no case twice.
func TestAbout(t *testing.T) {
	t.Parallel()
	var sections map[string]json.RawMessage
	if err := json.Unmarshal(file, &sections); err != nil {
		t.Fatal(err)
	}
	about := Section[map[string]string](t, "about")
	elsewhere := map[string]string{
		"about": "this test", "format": "Section", "defaults": "TestDefaults",
		"scenarios": "TestScenarios", "queue_scenarios": "TestScenarios",
		"error_content": "TestErrorContent", "error_limits": "TestErrorLimits", "architecture": "TestArchitectures",
		"os_version": "the libraries", "endpoints": "api",
		"client_time_parse": "internal/event/submission", "version": "internal/release",
		"language_key": "internal/locale", "language_match": "internal/locale and api",
	}
	for name, raw := range sections {
		if about[name] == "" && name != "format" {
			t.Errorf("about does not say what %s is", name)
		}
		if _, here := rules[name]; !here && elsewhere[name] == "" {
			t.Errorf("nobody tries section %s", name)
		}
		var cases []json.RawMessage
		if json.Unmarshal(raw, &cases) != nil {
			continue
		}
		seen := map[string]bool{}
		for _, c := range cases {
			if seen[string(c)] {
				t.Errorf("%s has a case twice: %s", name, c)
			}
			seen[string(c)] = true
		}
	}
	for name := range about {
		if sections[name] == nil {
			t.Errorf("about explains %s, which is not there", name)
		}
	}
}

// unread lists, by library, the sections that the library's tests do not read yet. The library has
// its own tests for them, and the stories of tests/clients cover them as well.
var unread = map[string][]string{}

// TestEveryLibraryReadsEverySection checks that the tests of each library read each section, except
// for rules that only concern the server.
func TestEveryLibraryReadsEverySection(t *testing.T) {
	t.Parallel()
	var sections map[string]json.RawMessage
	if err := json.Unmarshal(file, &sections); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"about", "format", "client_time_parse", "language_key", "language_match"} {
		delete(sections, name)
	}
	tests := map[string]string{"go": ".", "python": "tests", "typescript": "test", "rust": "src"}
	words := regexp.MustCompile(`\w+`)
	for library, dir := range tests {
		named := map[string]bool{}
		err := filepath.WalkDir(filepath.Join("..", library, dir), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !slices.Contains([]string{".go", ".py", ".mjs", ".rs"}, filepath.Ext(name)) {
				return err
			}
			source, err := os.ReadFile(name)
			for _, word := range words.FindAll(source, -1) {
				named[string(word)] = true
			}
			return err
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		for name := range sections {
			if err == nil && !named[name] && !slices.Contains(unread[library], name) {
				t.Errorf("the tests of clients/%s do not read section %s", library, name)
			}
		}
	}
}
