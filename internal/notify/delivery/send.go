package delivery

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"svc/internal/notify"
	"svc/internal/outbound"
	"svc/internal/seal"
	"svc/store"
)

const (
	attemptTime = 20 * time.Second
	maxAnswer   = 64 << 10 // bytes of an answer that are read
	maxResponse = 1 << 10  // bytes of an answer that are kept
	maxWait     = 24 * time.Hour
)

// Result is the outcome of a request to a receiver.
type Result struct {
	OK       bool
	Status   int // 0 = no answer
	Took     time.Duration
	Response *string // the start of the answer; nil = no answer
	Error    string  // "" if it succeeded; contains neither an address nor a secret

	Gone       bool      // the receiver wants no more events
	Final      bool      // repeating the request is useless
	RetryAfter time.Time // the receiver wants no request before this time; zero = it named no time
}

// send makes one attempt to send an event to the receiver of a hook.
func (e *Engine) send(ctx context.Context, h *store.Hook, id string, body []byte) Result {
	ctx, stop := context.WithTimeout(ctx, attemptTime)
	defer stop()
	begun := time.Now()
	way := e.post
	if h.Kind == notify.Email {
		way = e.mail
	}
	r := way(ctx, h, id, body)
	r.Took = time.Since(begun)
	return r
}

// post makes one attempt to send an event in an HTTP request.
func (e *Engine) post(ctx context.Context, h *store.Hook, id string, body []byte) Result {
	target, err := e.target(h)
	if err != nil {
		return Result{Error: err.Error()}
	}
	request, err := target.Request(ctx, id, body, e.Now())
	if err != nil {
		return Result{Error: "the request cannot be made"}
	}
	answer, err := e.Client.Do(request)
	if err != nil {
		return Result{Error: outbound.Explain(err).Error()}
	}
	defer answer.Body.Close()
	r := Result{Status: answer.StatusCode, RetryAfter: retryAfter(answer.Header.Get("Retry-After"), e.Now())}
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if len(text) > 0 || err == nil {
		r.Response = new(notify.Cut(string(text), maxResponse))
	}
	switch {
	case r.Status >= 200 && r.Status <= 299:
		r.OK = true // also if the rest of the answer is missing
	case r.Status >= 300 && r.Status <= 399:
		r.Error = "the receiver answered " + strconv.Itoa(r.Status) + ", a redirect, which is not followed"
	default:
		r.Error, r.Gone = "the receiver answered "+strconv.Itoa(r.Status), r.Status == http.StatusGone
	}
	return r
}

// target returns the target of a hook with its secrets decrypted.
func (e *Engine) target(h *store.Hook) (t notify.Target, err error) {
	t.Kind, t.URL = h.Kind, h.URL
	open := func(p seal.Purpose, sealed string) string {
		text, wrong := e.Keys.Open(p, sealed)
		err = errors.Join(err, wrong)
		return text
	}
	if h.Kind.SecretURL() {
		t.URL = open(seal.HookAddress, h.URL)
	}
	t.Authorization = open(seal.HookAuthorization, h.Authorization)
	for _, secret := range h.Secrets(e.Now()) {
		t.Secrets = append(t.Secrets, open(seal.HookSecret, secret))
	}
	return t, err
}

// retryAfter returns the time that the header Retry-After names, at most 24 hours ahead. It returns
// the zero time if the header names no future time.
func retryAfter(value string, now time.Time) time.Time {
	at, err := http.ParseTime(value)
	if seconds, wrong := strconv.ParseUint(value, 10, 64); wrong == nil || errors.Is(wrong, strconv.ErrRange) {
		at, err = now.Add(time.Duration(min(seconds, uint64(maxWait/time.Second)))*time.Second), nil
	}
	if err != nil || !at.After(now) {
		return time.Time{}
	}
	if latest := now.Add(maxWait); at.After(latest) {
		return latest
	}
	return at
}
