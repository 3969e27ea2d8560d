package testutil

import "testing"

// WithoutDetector skips a test under -short. The gate sets -short together with the race
// detector, and afterwards runs the skipped tests without both. Call it in a test that counts
// allocations, which the detector changes, and in a test that tries very many inputs one
// after the other, which the detector makes several times slower and in which it finds
// nothing.
func WithoutDetector(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a run without the race detector: leave out -short; the gate makes that run by itself")
	}
}
