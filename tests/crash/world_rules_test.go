package crash

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"
)

// TestHangIsNoticed checks that the clients wait for a slow server, and detect one that hangs.
func TestHangIsNoticed(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		steps int // number of steps that get a response
		hangs bool
	}{{"from the beginning", 0, true}, {"after some steps", 3, true}, {"slow", 5, false}} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := &process{exited: make(chan struct{})}
				l := &load{goal: 5, enough: make(chan struct{})}
				gone := make(chan struct{})
				done := 0
				l.run(func() error {
					if done++; done > tc.steps {
						<-gone
						return errGone
					}
					<-time.After(patience * 2 / 3)
					return nil
				}, 0)
				if err := l.work(p, rand.New(rand.NewPCG(1, 1))); (err != nil) != tc.hangs {
					t.Errorf("got %v", err)
				}
				close(gone)
				l.running.Wait()
			})
		})
	}
}
