package cmd

import (
	"context"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// aged implements the script command "aged FILE DURATION". It sets the modification time of a file
// to the given time ago. A negative duration sets it to a time in the future.
func aged(ts *testscript.TestScript, _ bool, args []string) {
	age, err := time.ParseDuration(args[1])
	ts.Check(err)
	when := time.Now().Add(-age)
	ts.Check(os.Chtimes(ts.MkAbs(args[0]), when, when))
}

// ask implements the script command "ask STATUS URL HEADER…". It makes a request over TCP with
// header lines such as "X-Real-IP: ::1" and compares the status.
func ask(ts *testscript.TestScript, _ bool, args []string) {
	ctx, cancel := context.WithTimeout(context.Background(), giveUp)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, args[1], nil)
	ts.Check(err)
	for _, line := range args[2:] {
		name, value, _ := strings.Cut(line, ": ")
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	ts.Check(err)
	ts.Check(response.Body.Close())
	if !strings.HasPrefix(response.Status, args[0]) {
		ts.Fatalf("%s: got %s, want %s", args[1], response.Status, args[0])
	}
}
