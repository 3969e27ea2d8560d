// Package testutil has what tests of several packages need. Nothing but tests imports
// it.
//
//	until.go        waiting for what happens in the background, however long that takes
//	detector.go     tests that run without the race detector
//	pipes.go        a network without sockets
//	certificate.go  certificates
//	disk_linux.go   small disks
package testutil

import (
	"testing"
	"time"
)

// Patience is how long a test waits for what happens unless something is wrong: longer
// than any machine takes, so that nothing depends on how fast one is.
const Patience = 3 * time.Minute

// Until waits until ok holds, at most for Patience; then the test ends, and what says
// what has not come.
func Until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	late := time.After(Patience)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("still not: %s", what)
		}
	}
}
