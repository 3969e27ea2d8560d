package boltfile_test

import (
	"fmt"
	"os"
	"testing"
)

// childFile tells a process of this binary to write to a file, and childWork what it does
// beside that: compact or zero.
const (
	childFile = "BOLTFILE_TEST_FILE"
	childWork = "BOLTFILE_TEST_WORK"
)

// TestMain lets the test binary be a process that is killed, or whose disk fails.
func TestMain(m *testing.M) {
	if path := os.Getenv(childFile); path != "" {
		work := map[string]func(string) error{"compact": writeAndCompact, "zero": writeAndZero}[os.Getenv(childWork)]
		fmt.Fprintln(os.Stderr, work(path))
		os.Exit(3)
	}
	writeWhileFailing()
	os.Exit(m.Run())
}
