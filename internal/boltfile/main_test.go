package boltfile_test

import (
	"fmt"
	"os"
	"testing"
)

// The environment variable childFile makes a process of this binary write to the file
// that the variable names. The variable childWork selects the second activity of the
// process: compact or zero.
const (
	childFile = "BOLTFILE_TEST_FILE"
	childWork = "BOLTFILE_TEST_WORK"
)

// TestMain lets the test binary act as a process that is killed or has a failing disk.
func TestMain(m *testing.M) {
	if path := os.Getenv(childFile); path != "" {
		work := map[string]func(string) error{"compact": writeAndCompact, "zero": writeAndZero}[os.Getenv(childWork)]
		fmt.Fprintln(os.Stderr, work(path))
		os.Exit(3)
	}
	writeWhileFailing()
	os.Exit(m.Run())
}
