package cmd

import (
	"os"
	"regexp"
	"strings"
)

// self is the command that runs this program: "go run ." if the program was started that way, and
// "svc" otherwise. The command lines in hints begin with it.
var self = invocation(os.Executable())

// runByGo matches the path of a program that "go run" has built, in its temporary folder or in the
// build cache. A hint to the user must not contain this path, because "go run" deletes the program
// afterwards or because the path contains a hash.
var runByGo = regexp.MustCompile(`[/\\](go-build\d+[/\\]b\d+[/\\]exe|[0-9a-f]{2}[/\\][0-9a-f]{64}-d)[/\\][^/\\]+$`)

// invocation returns the words that run the program again: "go run ." if the path of its executable
// matches runByGo, and "svc" otherwise.
func invocation(executable string, err error) string {
	if err == nil && runByGo.MatchString(executable) {
		return "go run ."
	}
	return "svc"
}

// runnable replaces "svc" at the beginning of a command line with self.
func runnable(line string) string {
	if words, ok := strings.CutPrefix(line, "svc "); ok {
		return self + " " + words
	}
	return line
}
