package codehost

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	maxWait     = 5 * time.Second // maximum wait for the end of a rate limit
	spareTime   = 2 * time.Second // minimum time left for the call after a wait
	unknownWait = time.Minute     // if an answer gives no time
	maxLimited  = 24 * time.Hour  // upper limit for the time in an answer
)

// limits records until when the code host refuses an identity. Calls during that time would extend
// the limit or lead to a ban.
type limits struct {
	mu    sync.Mutex
	until map[string]time.Time // by identity; guarded by mu
}

func (l *limits) get(identity string) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.until[identity]
}

// note records a limit and removes expired ones.
func (l *limits) note(identity string, until, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.until == nil {
		l.until = map[string]time.Time{}
	}
	for who, end := range l.until {
		if !end.After(now) {
			delete(l.until, who)
		}
	}
	l.until[identity] = until
}

// resetOf returns the end of the rate limit in an answer, by our clock: it adds the wait relative
// to the answer's Date header to now. It returns zero if the call was not refused by a limit and
// calls remain.
func resetOf(status int, h http.Header, message string, now time.Time) time.Time {
	made := now
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		made = date
	}
	var wait time.Duration
	reset, err := strconv.ParseInt(h.Get("X-Ratelimit-Reset"), 10, 64)
	seconds, secondsErr := strconv.ParseInt(h.Get("Retry-After"), 10, 32)
	switch {
	case refused(status) && secondsErr == nil && seconds >= 0:
		wait = time.Duration(seconds) * time.Second
	case h.Get("X-Ratelimit-Remaining") == "0" && err == nil:
		wait = time.Unix(reset, 0).Sub(made)
	case status == http.StatusTooManyRequests, refused(status) && strings.Contains(strings.ToLower(message), "rate limit"):
		wait = unknownWait
	default:
		return time.Time{}
	}
	return now.Add(min(max(wait, 0), maxLimited))
}

// refused reports whether a status may mean a rate limit.
func refused(status int) bool {
	return status == http.StatusForbidden || status == http.StatusTooManyRequests
}

// await waits until a limit ends, and reports whether it has. It returns false at once if that
// takes longer than maxWait, or if the context leaves no time for the call that follows.
func (c *Client) await(ctx context.Context, until time.Time) bool {
	wait := until.Sub(c.Now())
	if deadline, ok := ctx.Deadline(); wait > maxWait || ok && time.Until(deadline) < wait+spareTime {
		return false
	}
	timer := time.NewTimer(max(wait, 0))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
