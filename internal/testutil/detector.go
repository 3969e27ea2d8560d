package testutil

import "testing"

// WithoutDetector skips a test under -short. The gate runs the tests with -short and the
// race detector first, and then runs the skipped tests without either. Use
// WithoutDetector in tests that count allocations, because the detector changes the
// count. Also use it in sequential tests with very many inputs, which the detector makes
// several times slower without finding anything.
func WithoutDetector(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a run without the race detector: leave out -short; the gate makes that run by itself")
	}
}
