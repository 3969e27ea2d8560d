package testutil

import "testing"

// WithoutDetector skips a test under -short. The checks of a change run the tests first
// with -short and the race detector, and then run the skipped tests without either.
//
// Tests that count allocations use WithoutDetector, because the detector changes the
// count. So do sequential tests with very many inputs, which the detector makes several
// times slower without finding anything.
func WithoutDetector(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a run without the race detector: leave out -short; the gate makes that run by itself")
	}
}
