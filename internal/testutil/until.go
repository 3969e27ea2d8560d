// Package testutil contains helpers for the tests of several packages. Only tests import it.
//
//	until.go        waiting for events in the background
//	detector.go     tests that run without the race detector
//	pipes.go        a network without sockets
//	certificate.go  certificates
//	disk_linux.go   small disks
package testutil

import (
	"testing"
	"time"
)

// Patience is the longest time for which a test waits for a condition. Even the slowest
// machine needs less, so that no test depends on the speed of a machine.
const Patience = 3 * time.Minute

// Until waits until ok returns true. After Patience, it fails the test. The parameter what names
// the expected event, for the message of the failure.
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
