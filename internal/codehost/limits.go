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
	spareTime   = 2 * time.Second // minimum time that must be left for the call after the wait
	unknownWait = time.Minute     // assumed duration of a limit if the response does not state its end
	maxLimited  = 24 * time.Hour  // maximum duration of a limit that a response can set
)

// limits records which identities have exceeded their rate limit, and when each may make
// calls again. The client makes no calls with such an identity before that time, because
// they would extend the limit or lead to a ban.
type limits struct {
	mu    sync.Mutex
	until map[string]time.Time // end of the limit, by identity; guarded by mu
}

func (l *limits) get(identity string) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.until[identity]
}

// note records when the rate limit of an identity ends. It also removes limits that have
// ended.
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

// resetOf returns the time at which the rate limit that a response reports ends. It returns the
// zero time if no limit refused the call and further calls are allowed. Because the clocks may
// differ, it computes the remaining time from the response's Date header and adds that time to the
// parameter now.
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

// refused reports whether a status can mean that a rate limit was exceeded.
func refused(status int) bool {
	return status == http.StatusForbidden || status == http.StatusTooManyRequests
}

// await waits for the end of a rate limit, and reports whether the call can be made. It
// returns false immediately if the limit lasts longer than maxWait, or if the context
// would leave too little time for the call.
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
