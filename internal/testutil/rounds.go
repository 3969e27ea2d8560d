package testutil

import "testing"

// Rounds is how often a test with random or many inputs tries: n times, and a
// fifth of that with -short, at least once. "make test" runs packages with
// goroutines twice: in full, and with -short under the race detector, which makes
// a test up to ten times slower and adds nothing to one that starts no goroutines.
func Rounds(n int) int {
	if testing.Short() {
		return max(1, n/5)
	}
	return n
}

// Tried reports whether case i of many is tried: all are, and every fifth of them with
// -short, for the reason that Rounds gives. Cases of two dimensions add their numbers,
// so that each row and each column still has some.
func Tried(i int) bool { return !testing.Short() || i%5 == 0 }
