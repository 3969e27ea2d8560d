package limit

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestBudgetTake(t *testing.T) {
	t.Parallel()
	b := NewBudget(10)
	for _, step := range []struct {
		take int64
		want bool
		used int64
	}{{7, true, 7}, {4, false, 7}, {3, true, 10}, {1, false, 10}} {
		if got := b.Take(step.take); got != step.want || b.Used() != step.used {
			t.Errorf("take %d: got %v with %d used, want %v with %d", step.take, got, b.Used(), step.want, step.used)
		}
	}
	b.Return(10)
	if !b.Take(10) || b.Refused() != 2 || b.Size() != 10 {
		t.Errorf("after a return: %d of %d used, %d refused, want all of 10 and 2", b.Used(), b.Size(), b.Refused())
	}
}

func TestBudgetWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(10)
		all, err := b.Wait(t.Context(), 99)
		if all != 10 || err != nil {
			t.Errorf("more than there is: got %d, %v, want all of it", all, err)
		}
		hasty, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := b.Wait(hasty, 1); !errors.Is(err, context.DeadlineExceeded) || b.Refused() != 1 {
			t.Errorf("without room: got %v, %d refused", err, b.Refused())
		}
		got := make(chan int64)
		go func() {
			n, _ := b.Wait(t.Context(), 4)
			got <- n
		}()
		synctest.Wait()
		if b.Waiting() != 1 {
			t.Errorf("%d wait, want 1", b.Waiting())
		}
		b.Return(all)
		if n := <-got; n != 4 || b.Used() != 4 || b.Waiting() != 0 {
			t.Errorf("got %d, used %d, waiting %d, want 4, 4, 0", n, b.Used(), b.Waiting())
		}
	})
}
