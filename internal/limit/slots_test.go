package limit

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestSlotsTake(t *testing.T) {
	t.Parallel()
	s := NewSlots(8)
	for i, step := range []struct {
		key  string
		n    int64
		want bool
	}{{"a", 5, true}, {"a", 4, false}, {"b", 8, true}, {"a", 3, true}, {"a", 1, false}} {
		if got := s.Take(step.key, step.n); got != step.want {
			t.Errorf("step %d: got %v, want %v", i, got, step.want)
		}
	}
	s.Return("a", 8)
	s.Return("b", 8)
	if len(s.keys) != 0 || s.Refused() != 2 {
		t.Errorf("afterwards %d keys are kept and %d calls were refused, want 0 and 2", len(s.keys), s.Refused())
	}
}

func TestSlotsWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := NewSlots(8)
		if err := errors.Join(s.Wait(t.Context(), "a", 8), s.Wait(t.Context(), "b", 1)); err != nil {
			t.Fatal(err)
		}
		hasty, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.Wait(hasty, "a", 1); !errors.Is(err, context.DeadlineExceeded) || s.Refused() != 1 {
			t.Errorf("without room: got %v, %d refused", err, s.Refused())
		}
		free := make(chan error, 1)
		go func() { free <- s.Wait(t.Context(), "a", 2) }()
		synctest.Wait()
		if s.Waiting() != 1 {
			t.Errorf("%d calls wait, want 1", s.Waiting())
		}
		s.Return("a", 8)
		if err := <-free; err != nil || s.Waiting() != 0 {
			t.Errorf("with room: got %v, %d waiting", err, s.Waiting())
		}
		s.Return("a", 2)
		s.Return("b", 1)
		if len(s.keys) != 0 {
			t.Errorf("%d keys are kept that have nothing in progress", len(s.keys))
		}
	})
}
