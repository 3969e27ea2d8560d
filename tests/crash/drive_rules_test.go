package crash

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDrive checks which operations a power failure may undo on a drive, and which it may not.
func TestDrive(t *testing.T) {
	t.Parallel()
	const file, folder = 1, 2
	page := bytes.Repeat([]byte("x"), 4096)
	made := operation{action: link, dir: rootNode, name: "file", node: file, mode: 0o600}
	folderMade := operation{action: link, dir: rootNode, name: "folder", node: folder, mode: os.ModeDir | 0o700}
	moved := operation{action: rename, dir: rootNode, name: "file", toDir: folder, toName: "moved", node: file, mode: 0o600}
	written := operation{action: write, node: file, data: page}
	over := operation{action: write, node: file, offset: 100, data: bytes.Repeat([]byte("y"), 1000)}
	fileSafe, rootSafe, folderSafe := operation{action: syncFile, node: file}, operation{action: syncDir, node: rootNode}, operation{action: syncDir, node: folder}
	for _, tc := range []struct {
		rule string
		done []operation
		want [fates]string // listing of the root for each fate; "?" means that it may vary
	}{
		{"a name that was not synced may be lost with a file that was", []operation{made, written, fileSafe}, [fates]string{"", "file:4096x", "?", "?", "?"}},
		{"data that was not synced may be lost behind a name that was", []operation{made, rootSafe, written}, [fates]string{"file:", "file:4096x", "?", "?", "?"}},
		{
			"what was synced stays",
			[]operation{made, written, fileSafe, rootSafe},
			[fates]string{"file:4096x", "file:4096x", "file:4096x", "file:4096x", "file:4096x"},
		},
		{
			"a sync of the file does not cover what comes after",
			[]operation{made, rootSafe, written, fileSafe, over},
			[fates]string{"file:4096x", "file:100x1000y2996x", "?", "?", "?"},
		},
		{
			"a cut file may come back",
			[]operation{made, rootSafe, written, fileSafe, {action: truncate, node: file, offset: 10}},
			[fates]string{"file:4096x", "file:10x", "?", "?", "?"},
		},
		{
			"what was cut off comes back as zeros",
			[]operation{made, rootSafe, written, {action: truncate, node: file, offset: 10}, {action: truncate, node: file, offset: 12}, fileSafe},
			[fates]string{"file:10x2\x00", "file:10x2\x00", "file:10x2\x00", "file:10x2\x00", "file:10x2\x00"},
		},
		{"a rename is done or not", []operation{made, folderMade, rootSafe, moved}, [fates]string{"file:folder/", "folder/moved:", "?", "?", "?"}},
		{
			"a sync of where it goes to covers where it comes from",
			[]operation{made, folderMade, rootSafe, moved, folderSafe},
			[fates]string{"folder/moved:", "folder/moved:", "folder/moved:", "folder/moved:", "folder/moved:"},
		},
		{"a removed file may come back", []operation{made, rootSafe, {action: unlink, dir: rootNode, name: "file"}}, [fates]string{"file:", "", "?", "?", "?"}},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			t.Parallel()
			d := newDrive()
			for _, o := range tc.done {
				d.do(o)
			}
			for how, want := range tc.want {
				seen := map[string]bool{}
				for seed := range uint64(20) {
					dir := t.TempDir()
					d.cut(rand.New(rand.NewPCG(seed, 0)), fate(how), fate(how), false).build(t, rootNode, dir)
					seen[listing(t, dir)] = true
				}
				if want != "?" && (len(seen) != 1 || !seen[want]) {
					t.Errorf("fate %d: got %v, want %q", how, seen, want)
				}
				if want == "?" && len(seen) < 2 {
					t.Errorf("fate %d: got %v each time, want it to vary", how, seen)
				}
			}
		})
	}
}

// listing returns the content of a directory as one line. A run of equal bytes is shortened.
func listing(t *testing.T, dir string) (line string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	check(t, err)
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.IsDir() {
			line += e.Name() + "/" + listing(t, path)
			continue
		}
		content, err := os.ReadFile(path)
		check(t, err)
		line += e.Name() + ":" + runs(content)
	}
	return line
}

// TestTornWrite checks that an unsynced write is torn only at sector boundaries.
func TestTornWrite(t *testing.T) {
	t.Parallel()
	d := newDrive()
	d.do(operation{action: link, dir: rootNode, name: "file", node: 1, mode: 0o600})
	d.do(operation{action: write, node: 1, data: make([]byte, 4*sector)})
	d.do(operation{action: syncFile, node: 1})
	d.do(operation{action: write, node: 1, offset: 100, data: bytes.Repeat([]byte("y"), 2*sector)})
	want := map[string]bool{}
	for part := range 8 { // tests which of the three affected sectors have been written
		file := make([]byte, 4*sector)
		for at := 100; at < 100+2*sector; at++ {
			if part>>(at/sector)&1 == 1 {
				file[at] = 'y'
			}
		}
		want[runs(file)] = true
	}
	seen := map[string]bool{}
	for seed := range uint64(500) {
		got := runs(d.cut(rand.New(rand.NewPCG(seed, 0)), kept, kept, true).files[1])
		if seen[got] = true; !want[got] {
			t.Fatalf("got %q, which is torn inside a sector", got)
		}
	}
	if len(seen) != len(want) {
		t.Errorf("got %d different files, want %d", len(seen), len(want))
	}
}

// runs formats content in a readable form. It is meant for content with few different bytes.
func runs(content []byte) string {
	var b strings.Builder
	for i := 0; i < len(content); {
		n := i
		for n < len(content) && content[n] == content[i] {
			n++
		}
		fmt.Fprintf(&b, "%d%c", n-i, content[i])
		i = n
	}
	return b.String()
}
