package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"svc/internal/transfer"
)

// TestPackingScript runs the script in docs/moving.md.
func TestPackingScript(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("needs Python: install the package python3")
	}
	page, err := os.ReadFile("docs/moving.md")
	if err != nil {
		t.Fatal(err)
	}
	script := regexp.MustCompile("(?s)```python\n(.*?)```").FindSubmatch(page)
	if script == nil {
		t.Fatal("the page has no script")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"project.json": `{"project_key":"app","name":"App"}`, "logs.jsonl": "{\"level\":1,\"content\":\"é\\u2028\"}\n{\"level\":1,\"content\":\"b\"}", "cards.jsonl": "",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const id = "00000000000a"
	if err := os.Mkdir(filepath.Join(dir, "files"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "files", id), []byte("content"), 0o600); err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(t.TempDir(), "app.zip")
	c := exec.CommandContext(t.Context(), python, "-c", string(script[1]), dir, target)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	f, err := os.Open(target)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	a, err := transfer.Open(f, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Verify(t.Context(), func(int64) {}); err != nil || len(a.Manifest.Files) != 3 || a.Manifest.ProjectKey != "app" {
		t.Errorf("got %+v, %v", a.Manifest, err)
	}
	if err := a.CheckContent(id, 7); err != nil {
		t.Error(err)
	}
}
