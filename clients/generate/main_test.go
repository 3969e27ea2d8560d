package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestFilesAreThoseOfTheDescription(t *testing.T) {
	t.Parallel()
	const root = "../.."
	files, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		present, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(present, text) {
			t.Errorf("%s is not what openapi.yaml, names.yaml and the templates give: run make clients-generate", name)
		}
	}
}
