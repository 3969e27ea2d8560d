// Package testutil has what tests of several packages need: they wait for what
// happens in the background, without guessing how long that takes, and try less
// with -short, and talk over a network without sockets. Nothing but tests imports it.
package testutil

import (
	"testing"
	"time"
)

// Until waits until ok holds, at most three minutes; then the test ends, and what says
// what has not come.
func Until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	late := time.After(3 * time.Minute)
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
