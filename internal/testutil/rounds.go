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
