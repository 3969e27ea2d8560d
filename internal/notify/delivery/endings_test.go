package delivery_test

import (
	"net/http"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	gosmtp "github.com/emersion/go-smtp"

	"svc/internal/notify"
	"svc/internal/outbound"
	"svc/internal/testutil/mailsink"
	"svc/store"
)

// TestRetryAfter checks that Retry-After, in seconds or as a date, makes the first pause longer, up to
// 24 hours, and never shorter.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Retry-After", q.URL.Query().Get("after"))
		w.WriteHeader(http.StatusTooManyRequests)
	})
	f := newFixture(t)
	date := func(d time.Duration) string { return f.Now().Add(d).UTC().Format(http.TimeFormat) }
	for _, tc := range []struct {
		name, after string
		want        time.Duration // 0 means the pause of the contract
	}{
		{"seconds", "7200", 2 * time.Hour},
		{"date", date(3 * time.Hour), 3 * time.Hour},
		{"seconds, too many", "172800", 24 * time.Hour},
		{"seconds, more than 32 bits", "99999999999", 24 * time.Hour},
		{"seconds, more than 64 bits", "99999999999999999999", 24 * time.Hour},
		{"date, too late", date(72 * time.Hour), 24 * time.Hour},
		{"date, past", date(-time.Hour), 0},
		{"shorter", "1", 0},
		{"none", "0", 0},
		{"negative", "-60", 0},
		{"fraction", "60.5", 0},
		{"text", "soon", 0},
	} {
		h := f.hook(t, r.URL+"/?after="+url.QueryEscape(tc.after))
		f.notify(t, 1)
		f.run(t)
		list, _, _ := f.deliveries(t, h)
		low, high := tc.want, tc.want
		if tc.want == 0 {
			low, high = 4500*time.Millisecond, 5500*time.Millisecond
		}
		if wait := time.UnixMilli(list[0].NextAt).Sub(f.Now()); list[0].State != store.DeliveryRetrying || wait < low || wait > high {
			t.Errorf("%s: got %s with a pause of %v, want %v to %v", tc.name, list[0].State, wait, low, high)
		}
		f.update(t, func(tx *store.Tx) error { return tx.DeleteHook(f.p.ID, h.ID) })
	}
}

// TestDeadInRow checks that a mail server's 5xx makes a delivery dead at once and its 4xx does not, that
// 100 dead deliveries in a row disable the hook, and that what waits then stays.
func TestDeadInRow(t *testing.T) {
	t.Parallel()
	var code atomic.Int64
	mails := mailsink.New(t, mailsink.Config{Refuse: func(command, _ string) *gosmtp.SMTPError {
		if n := int(code.Load()); command == "DATA" && n > 0 {
			return &gosmtp.SMTPError{Code: n, EnhancedCode: gosmtp.NoEnhancedCode, Message: "because"}
		}
		return nil
	}})
	f := newFixture(t)
	f.through(t, outbound.Config{}, mails.Addr)
	h := f.hookOf(t, notify.Email, "")
	watch := &store.Hook{Name: "W", Kind: notify.Webhook, URL: "http://127.0.0.1:1/", Events: []string{"instance.*"}, Enabled: true}
	f.update(t, func(tx *store.Tx) error { return tx.PutHook(0, watch) })
	for _, step := range []struct {
		code, events, dead, waiting int
		enabled                     bool
	}{
		{451, 1, 0, 1, true},
		{554, 99, 99, 1, true}, // the first one has its next attempt later
		{0, 1, 0, 1, true},
		{554, 99, 99, 1, true},
		{554, 3, 100, 3, false},
	} {
		code.Store(int64(step.code))
		f.notify(t, step.events)
		f.run(t)
		list, now, state := f.deliveries(t, h)
		if now.Enabled != step.enabled || state.Dead != step.dead || state.Waiting != step.waiting {
			t.Fatalf("%d events with %d: got %+v and %+v", step.events, step.code, now, state)
		}
		for _, d := range list[:step.events] {
			if d.Attempts > 0 && (*d.LastStatus != max(step.code, 250) || d.Attempts != 1) {
				t.Errorf("%d: got %+v, status %d", step.code, d, *d.LastStatus)
			}
		}
	}
	_, now, _ := f.deliveries(t, h)
	told, _, _ := f.deliveries(t, watch)
	if now.DisabledReason != store.HookFailing || len(told) != 1 || told[0].Event != notify.HookDisabledEvent {
		t.Errorf("got %+v, and the instance was told %+v", now, told)
	}
}
