package api_test

import (
	"strings"
	"testing"

	"svc/api"
	"svc/api/apitest"
)

// TestHeadersNeverFail checks that no value of the headers for platform, version and time makes a
// request fail.
func TestHeadersNeverFail(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithRateLimit(0))
	s.Project(t, "app")
	s.Publish(t, "app", "1.0")
	s.Announce(t, "app", apitest.Titled("t", ""))
	feedback := s.Must(t, 201, "POST", "/public/app/feedbacks", `{"content":"c"}`)
	id, token := apitest.Field[string](t, feedback, "id"), apitest.Field[string](t, feedback, "reply_token")
	bodies := map[string]string{
		"/public/:k/feedbacks": `{"content":"c"}`, "/public/:k/logs": `{"level":0,"content":"c"}`,
		"/public/:k/versions/check-update": `{"current_version":"1.0"}`, "/public/:k/events": `{"distinct_id":"u","events":[{"event_id":"1","name":"a"}]}`,
	}
	for _, e := range api.Routes() {
		path := strings.TrimPrefix(e.Path, "/api/v1")
		if !strings.HasPrefix(path, "/public/:k") {
			continue
		}
		to := strings.NewReplacer(":k", "app", ":v", "1.0", ":id", id, "/me", "/me?distinct_id=u").Replace(path)
		for _, value := range []string{"", " ", "windows", "\xff\xfe", "🍎 17", strings.Repeat("9", 5000), "2026-02-30T99:99:99Z", "2026-09-24T10:00:00+15:00", "%s%n", "\"}{", "-1", "1e99"} {
			headers := map[string]string{"X-Reply-Token": token, "X-Svc-Platform": value, "X-Svc-Platform-Version": value, "X-Svc-Client-Time": value, "X-Svc-Do-Not-Track": value, "X-Forwarded-For": apitest.Stranger()}
			status, answer, _ := s.Send(t, e.Method, "/api/v1"+to, headers, bodies[path])
			if status < 200 || status > 202 {
				t.Errorf("%s %s with %.20q in the headers: got %d %s", e.Method, to, value, status, answer)
			}
		}
	}
	total := apitest.Field[int](t, s.Must(t, 200, "GET", apitest.LogsOf("app"), ""), "total")
	if total != 12 {
		t.Errorf("logs stored: got %d, want 12", total)
	}
}
