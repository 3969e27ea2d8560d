package testutil

import "testing"

// WithoutDetector skips a test under -short, which the gate sets together with the race
// detector; the gate runs the test afterwards, without both. It is for tests whose
// measurements the detector changes, such as counts of allocations, and for tests that try
// very many inputs one after the other, which the detector makes several times slower and
// in which it finds nothing.
func WithoutDetector(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs without -short")
	}
}
