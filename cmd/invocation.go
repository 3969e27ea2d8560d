package cmd

import (
	"os"
	"regexp"
	"strings"
)

// self is how users run this program: "svc", or "go run ." if they did so. Hints begin with it.
var self = invocation(os.Executable())

// runByGo matches the path of a program that "go run" has built, in its temporary folder or in the
// build cache. The program is deleted at the end, or its name contains a hash.
var runByGo = regexp.MustCompile(`[/\\](go-build\d+[/\\]b\d+[/\\]exe|[0-9a-f]{2}[/\\][0-9a-f]{64}-d)[/\\][^/\\]+$`)

// invocation returns the command that runs the program with the given path.
func invocation(executable string, err error) string {
	if err == nil && runByGo.MatchString(executable) {
		return "go run ."
	}
	return "svc"
}

// runnable replaces the name of the program in a command line of a help text.
func runnable(line string) string {
	if words, ok := strings.CutPrefix(line, "svc "); ok {
		return self + " " + words
	}
	return line
}
