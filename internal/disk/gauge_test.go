package disk

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestGauge checks that callers share a measurement while it is recent, even if it
// failed.
func TestGauge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var measured atomic.Int64
		var failure error
		g := &Gauge{measure: func() (uint64, error) { return uint64(measured.Add(1)), failure }}
		expect := func(free uint64, err error) {
			t.Helper()
			var all sync.WaitGroup
			for range 10 {
				all.Go(func() {
					if got, failed := g.Free(); got != free || !errors.Is(failed, err) {
						t.Errorf("got %d, %v; want %d, %v", got, failed, free, err)
					}
				})
			}
			all.Wait()
		}
		if got, err := g.Free(); got != 1 || err != nil {
			t.Errorf("the first measurement: got %d, %v", got, err)
		}
		expect(1, nil)
		<-time.After(fresh - 1)
		expect(1, nil)
		<-time.After(1)
		if got, err := g.Free(); got != 2 || err != nil {
			t.Errorf("after a while: got %d, %v", got, err)
		}
		failure = errors.New("broken")
		<-time.After(fresh)
		if _, err := g.Free(); !errors.Is(err, failure) {
			t.Errorf("got %v, want the error of the file system", err)
		}
		expect(3, failure)
	})
}

func TestGaugeOfAFolder(t *testing.T) {
	t.Parallel()
	if n, err := NewGauge(t.TempDir()).Free(); err != nil || n == 0 {
		t.Errorf("got %d bytes, %v", n, err)
	}
}
