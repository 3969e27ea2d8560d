package cmd

import (
	"errors"
	"strings"
	"testing"
)

func TestInvocation(t *testing.T) {
	t.Parallel()
	hash := strings.Repeat("0123456789abcdef", 4)
	for path, want := range map[string]string{
		"/usr/local/bin/svc":                                           "svc",
		"/home/me/svc/svc":                                             "svc",
		"/tmp/go-build1234567890/b001/exe/svc":                         "go run .",
		"/home/me/.cache/go-build/3f/" + hash + "-d/svc":               "go run .",
		`C:\Users\me\AppData\Local\go-build\3f\` + hash + `-d\svc.exe`: "go run .",
		`C:\Users\me\AppData\Local\Temp\go-build12\b001\exe\svc.exe`:   "go run .",
		"/tmp/go-build1234567890/b001/cmd.test":                        "svc", // built by go test
		"/home/me/go-build/svc":                                        "svc",
		"/home/me/3f/svc":                                              "svc",
	} {
		if got := invocation(path, nil); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
	if got := invocation("", errors.New("unknown")); got != "svc" {
		t.Errorf("without a path: got %q", got)
	}
}
