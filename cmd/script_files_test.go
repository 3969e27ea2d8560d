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

// damage FILE overwrites the first pages of a file.
func damage(ts *testscript.TestScript, _ bool, args []string) {
	f, err := os.OpenFile(filepath.Clean(ts.MkAbs(args[0])), os.O_WRONLY, 0)
	ts.Check(err)
	_, err = f.WriteAt(bytes.Repeat([]byte("x"), 16<<10), 0)
	ts.Check(errors.Join(err, f.Close()))
}

// falsify FILE OLD NEW replaces every occurrence of a text with another one of the same length.
func falsify(ts *testscript.TestScript, _ bool, args []string) {
	old, better := []byte(args[1]), []byte(args[2])
	content := []byte(ts.ReadFile(args[0]))
	if len(old) != len(better) || !bytes.Contains(content, old) {
		ts.Fatalf("%q cannot take the place of %q in %s", better, old, args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), bytes.ReplaceAll(content, old, better), 0o600))
}

// empty FOLDER fails unless the folder contains no files, at any depth.
func empty(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			ts.Fatalf("%s has %s", args[0], path)
		}
		return err
	}))
}

// flip FILE BYTE flips a bit of one byte of a file.
func flip(ts *testscript.TestScript, _ bool, args []string) {
	at, err := strconv.Atoi(args[1])
	ts.Check(err)
	content := []byte(ts.ReadFile(args[0]))
	content[at] ^= 1
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), content, 0o600))
}

// newer FILE VERSION changes a database to one written by a later version.
func newer(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(bolttest.Change(ts.MkAbs(args[0]), func(tx *boltfile.Tx) error {
		meta := tx.Bucket([]byte("meta"))
		return errors.Join(meta.Put([]byte("format"), []byte{0, 0, 0, 99}), meta.Put([]byte("writer"), []byte(args[1])))
	}))
}
