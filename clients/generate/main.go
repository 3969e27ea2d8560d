// Command generate generates the parts of the client libraries that are determined by openapi.yaml:
// resource types, enumerations, and a method for each operation. names.yaml contains the names of
// methods and other facts that openapi.yaml lacks.
//
// spec.go reads openapi.yaml, and names.go reads names.yaml. words.go converts names and sentences.
// golang.go, python.go, rust.go and typescript.go prepare the data for the templates of a language.
//
//	go run ./clients/generate
package main

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
)

//go:embed templates
var templates embed.FS

// target is a file to generate.
type target struct {
	file     string
	template string
	data     any
	finish   func([]byte) ([]byte, error) // formats the file; nil if the template formats it
}

func main() {
	files, err := generate(".")
	for name, text := range files {
		err = errors.Join(err, os.WriteFile(name, text, 0o644))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// generate returns the content of every generated file of the repository at root.
func generate(root string) (map[string][]byte, error) {
	names, err := readNames(filepath.Join(root, "clients/generate/names.yaml"))
	if err != nil {
		return nil, err
	}
	s, err := readSpec(filepath.Join(root, "openapi.yaml"), names)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, t := range slices.Concat(golang(s), python(s), rust(s), typescript(s)) {
		if files[t.file], err = t.text(); err != nil {
			return nil, fmt.Errorf("%s: %w", t.file, err)
		}
	}
	return files, nil
}

func (t target) text() ([]byte, error) {
	parsed, err := template.New(filepath.Base(t.template)).Funcs(functions).ParseFS(templates, "templates/"+t.template)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := parsed.Execute(&out, t.data); err != nil {
		return nil, err
	}
	if t.finish == nil {
		return append(bytes.TrimSpace(out.Bytes()), '\n'), nil
	}
	return t.finish(out.Bytes())
}

var functions = template.FuncMap{
	"wrap": wrap, "trim": strings.TrimSpace, "docstring": docstring, "ofAllPages": ofAllPages,
	"indent":  func(text string) string { return "    " + strings.ReplaceAll(text, "\n", "\n    ") },
	"entries": func(name string, entries []string) any { return map[string]any{"Name": name, "Entries": entries} },
}
