package svcsdk

import (
	"context"
	"math/rand/v2"
	"time"
)

// clock is where a client gets the time and chance from. Tests replace it.
type clock struct {
	now func() time.Time // wall time
	// monotonic is the time since some moment; it never goes back.
	monotonic func() time.Duration
	// wait returns early with the error of a context that ends.
	wait   func(context.Context, time.Duration) error
	random func() float64 // 0 to 1, without 1
}

func realClock() *clock {
	start := time.Now()
	return &clock{
		now:       time.Now,
		monotonic: func() time.Duration { return time.Since(start) },
		wait: func(ctx context.Context, d time.Duration) error {
			timer := time.NewTimer(d)
			defer timer.Stop()
			select {
			case <-timer.C:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		},
		random: rand.Float64,
	}
}

// clientTime is the form of the header x-svc-client-time: local wall time with milliseconds and
// offset. It is "" for a time that the form cannot express.
func clientTime(t time.Time) string {
	_, offset := t.Zone()
	if offset%60 != 0 || t.Year() < 0 || t.Year() > 9999 {
		return ""
	}
	return t.Format("2006-01-02T15:04:05.000-07:00")
}
