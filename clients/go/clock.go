package svcsdk

import (
	"context"
	"math/rand/v2"
	"time"
)

// clock provides the time and random numbers. Tests replace it.
type clock struct {
	now func() time.Time // wall time
	// monotonic returns the time since an arbitrary but fixed moment. It never goes back.
	monotonic func() time.Duration
	// wait waits for the given time. If the context ends first, wait returns the error of the
	// context.
	wait   func(context.Context, time.Duration) error
	random func() float64 // 0 to 1, excluding 1
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

// clientTime formats t for the header x-svc-client-time: local wall time with milliseconds and
// offset. It returns "" for a time that this format cannot express.
func clientTime(t time.Time) string {
	_, offset := t.Zone()
	if offset%60 != 0 || t.Year() < 0 || t.Year() > 9999 {
		return ""
	}
	return t.Format("2006-01-02T15:04:05.000-07:00")
}
