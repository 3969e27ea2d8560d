package web_test

import (
	"bytes"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"svc/api/web"
)

// TestAccessLogForPeople checks which requests are logged, at which level, for a person and for
// programs.
func TestAccessLogForPeople(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name             string
		status           int
		took             time.Duration
		people, programs string // level of the line that is written; "" = none
	}{
		{"success", 200, time.Millisecond, "", "INFO"},
		{"long download", 200, time.Hour, "", "INFO"},
		{"part of a download", 206, time.Hour, "", "INFO"},
		{"mistake of a client", 404, time.Millisecond, "", "INFO"},
		{"failure", 500, time.Millisecond, "WARN", "INFO"},
		{"overload", 503, time.Second, "WARN", "INFO"},
	} {
		for _, people := range []bool{true, false} {
			var out bytes.Buffer
			log := web.AccessLog{Log: slog.New(slog.NewTextHandler(&out, nil))}
			log.FailuresOnly.Store(people)
			r := &web.Request{Request: httptest.NewRequest("GET", "/app.dmg", nil), ID: "1", Received: time.Unix(0, 0)}
			log.Write(r, &web.Recorder{Status: tc.status}, r.Received.Add(tc.took))
			want := tc.programs
			if people {
				want = tc.people
			}
			if got := out.String(); want == "" && got != "" || want != "" && !strings.Contains(got, "level="+want+" msg=request method=GET") {
				t.Errorf("%s, for people %t: want level %q, got %q", tc.name, people, want, got)
			}
		}
	}
}
