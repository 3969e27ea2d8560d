package testutil

import "testing"

// WithoutDetector skips a test under -short. The gate combines -short with the race detector, and
// afterwards runs the skipped tests without both. Use it in tests that count allocations, which the
// detector changes, and in sequential tests with very many inputs, which the detector slows down
// several times without finding anything.
func WithoutDetector(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a run without the race detector: leave out -short; the gate makes that run by itself")
	}
}
