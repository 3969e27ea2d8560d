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
	maxWait     = 5 * time.Second // for the end of a rate limit
	spareTime   = 2 * time.Second // that a wait leaves to the call behind it
	unknownWait = time.Minute     // where an answer does not say how long
	maxLimited  = 24 * time.Hour  // what an answer can say
)

// limits knows until when the code host answers nobody of an identity. To ask
// nevertheless would prolong it, or end in a ban.
type limits struct {
	mu    sync.Mutex
	until map[string]time.Time // by identity, guarded by mu
}

func (l *limits) get(identity string) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.until[identity]
}

// note remembers a limit, and forgets those that are over.
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

// resetOf is when the code host answers again according to an answer, by our clock:
// what counts is the distance to the time at which the answer was made. It is zero
// where nothing was refused and the last call is not used up.
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

// refused reports whether a status is one of rate limits, among others.
func refused(status int) bool {
	return status == http.StatusForbidden || status == http.StatusTooManyRequests
}

// await waits until a limit ends, where that is soon and the context leaves time for
// the call behind it. It reports whether it did.
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
