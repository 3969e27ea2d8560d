package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOneVersion checks that the server and the libraries of this tree have the same version.
func TestOneVersion(t *testing.T) {
	t.Parallel()
	version, err := check("../..", true)
	if err != nil {
		t.Error(err)
	}
	if version == "" {
		t.Error("the tree has no version")
	}
}

func TestWriteAndCheck(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, p := range places {
		text, err := p.read("../..")
		if err != nil {
			t.Fatal(err)
		}
		if text == nil {
			continue
		}
		name := filepath.Join(root, filepath.FromSlash(p.file))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, version := range []string{"12.0.3", "1.0.0-rc.1", "0.2.0"} {
		if err := write(root, version); err != nil {
			t.Fatal(err)
		}
		if got, err := check(root, false); err != nil || got != version {
			t.Errorf("after writing %s: %s, %v", version, got, err)
		}
	}
	if _, err := check(root, true); err == nil || !strings.Contains(err.Error(), "svc-sdk.js has version") {
		t.Errorf("files that were not generated again: %v", err)
	}
	for _, wrong := range []string{"", "1", "v1.0.0", "1.0.0 ", "1.0.0\n", "../1.0.0"} {
		if err := write(root, wrong); err == nil {
			t.Errorf("%q was written", wrong)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "clients/go/doc.go"), []byte("package svcsdk\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := check(root, false); err == nil || !strings.Contains(err.Error(), "clients/go/doc.go has its version 0 times") {
		t.Errorf("a library without a version: %v", err)
	}
	if err := os.Remove(filepath.Join(root, "clients/go/doc.go")); err != nil {
		t.Fatal(err)
	}
	if _, err := check(root, false); err == nil {
		t.Error("a library without its file passes")
	}
	if err := os.Remove(filepath.Join(root, "clients/go")); err != nil {
		t.Fatal(err)
	}
	if _, err := check(root, false); err != nil {
		t.Errorf("a library that is not there: %v", err)
	}
}
