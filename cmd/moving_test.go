package cmd

import (
	"archive/zip"
	"bytes"
	"net/http"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// post implements the script command "post STATUS URL BODY". It sends JSON over TCP with the API
// key $TOKEN and compares the status.
func post(ts *testscript.TestScript, _ bool, args []string) {
	if status, body := exchange(ts, http.MethodPost, args[1], strings.NewReader(args[2])); status != args[0] {
		ts.Fatalf("%s: got status %s, want %s: %s", args[1], status, args[0], body)
	}
}

// zipped implements the script command "zipped ARCHIVE FILE…". It creates a zip archive of the
// files.
func zipped(ts *testscript.TestScript, _ bool, args []string) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range args[1:] {
		w, err := z.Create(name)
		ts.Check(err)
		_, err = w.Write([]byte(ts.ReadFile(name)))
		ts.Check(err)
	}
	ts.Check(z.Close())
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b.Bytes(), 0o600))
}
