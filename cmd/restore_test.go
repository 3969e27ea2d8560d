package cmd

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestKilledRestore kills "svc restore" at random times. It checks that the next command finds
// either the complete old content or the complete new content, and that a later restore succeeds.
func TestKilledRestore(t *testing.T) {
	t.Parallel()
	rounds := 8
	if os.Getenv("SVC_LONG") != "" {
		rounds = 200
	}
	dir := t.TempDir()
	data, archive := filepath.Join(dir, "data"), filepath.Join(dir, "new.tar.zst")
	makeKey := func(name string) { svc(t, "apikey", "create", "--data", data, "--name", name) }
	i := openData(t, data)
	if err := i.Close(); err != nil {
		t.Fatal(err)
	}
	makeKey("first")
	svc(t, "backup", archive, "--data", data)
	makeKey("second")
	old, restored := []string{"first", "second"}, []string{"first"}
	path, err := exec.LookPath("svc")
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	svc(t, "restore", archive, "--data", filepath.Join(dir, "elsewhere"))
	took := time.Since(begun)
	for round := range rounds {
		c := exec.Command(path, "restore", archive, "--data", data, "--force")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		after := time.Duration(rand.Int64N(int64(took)))
		timer := time.AfterFunc(after, func() { _ = c.Process.Kill() })
		complete := c.Wait() == nil
		timer.Stop()
		switch got := keyNames(t, path, data); {
		case complete && !slices.Equal(got, restored), !slices.Equal(got, restored) && !slices.Equal(got, old):
			t.Fatalf("round %d, killed after %v: there are keys %v; want %v or %v", round, after, got, old, restored)
		case slices.Equal(got, restored):
			old = []string{"first", fmt.Sprint("second ", round)}
			makeKey(old[1])
		}
	}
	svc(t, "restore", archive, "--data", data, "--force")
	if got := keyNames(t, path, data); !slices.Equal(got, restored) {
		t.Errorf("in the end there are keys %v, want %v", got, restored)
	}
	left, err := filepath.Glob(data + ".restore-*")
	if err != nil || len(left) > 0 {
		t.Errorf("%v are left, %v", left, err)
	}
}

// keyNames returns the names of the API keys in a data directory.
func keyNames(t *testing.T, path, data string) (names []string) {
	t.Helper()
	c := exec.Command(path, "apikey", "list", "--data", data)
	out, err := c.Output()
	if err != nil {
		t.Fatalf("svc apikey list: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		if _, after, ok := strings.Cut(line, " first "); ok && after != "" {
			names = append(names, "first")
		}
		if at := strings.Index(line, " second"); at >= 0 {
			name, _, _ := strings.Cut(line[at+1:], "  ")
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
