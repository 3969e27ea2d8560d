package cmd

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"

	"svc/internal/boltfile"
	"svc/internal/boltfile/bolttest"
)

// damage implements the script command "damage FILE". It overwrites the first pages of a file.
func damage(ts *testscript.TestScript, _ bool, args []string) {
	f, err := os.OpenFile(filepath.Clean(ts.MkAbs(args[0])), os.O_WRONLY, 0)
	ts.Check(err)
	_, err = f.WriteAt(bytes.Repeat([]byte("x"), 16<<10), 0)
	ts.Check(errors.Join(err, f.Close()))
}

// falsify implements the script command "falsify FILE OLD NEW". It replaces every occurrence of a
// text with another text of the same length.
func falsify(ts *testscript.TestScript, _ bool, args []string) {
	old, better := []byte(args[1]), []byte(args[2])
	content := []byte(ts.ReadFile(args[0]))
	if len(old) != len(better) || !bytes.Contains(content, old) {
		ts.Fatalf("%q cannot take the place of %q in %s", better, old, args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), bytes.ReplaceAll(content, old, better), 0o600))
}

// empty implements the script command "empty FOLDER". It fails if the folder or any folder below it
// contains a file.
func empty(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			ts.Fatalf("%s has %s", args[0], path)
		}
		return err
	}))
}

// flip implements the script command "flip FILE BYTE". It flips a bit of the byte at the given
// offset of a file.
func flip(ts *testscript.TestScript, _ bool, args []string) {
	at, err := strconv.Atoi(args[1])
	ts.Check(err)
	content := []byte(ts.ReadFile(args[0]))
	content[at] ^= 1
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), content, 0o600))
}

// newer implements the script command "newer FILE VERSION". It changes a database as if the given
// later version had written it.
func newer(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(bolttest.Change(ts.MkAbs(args[0]), func(tx *boltfile.Tx) error {
		return errors.Join(tx.Bucket([]byte("meta")).Put([]byte("format"), []byte{0, 0, 0, 99}), tx.Node().Put([]byte("writer"), []byte(args[1])))
	}))
}
