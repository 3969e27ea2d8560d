package boltfile_test

import (
	"fmt"
	"os"
	"testing"
)

// childFile tells a process of this binary that it is to write and compact.
const childFile = "BOLTFILE_TEST_FILE"

// TestMain lets the test binary be a process that is killed, or whose disk fails.
func TestMain(m *testing.M) {
	if path := os.Getenv(childFile); path != "" {
		fmt.Fprintln(os.Stderr, writeAndCompact(path))
		os.Exit(3)
	}
	writeWhileFailing()
	os.Exit(m.Run())
}
