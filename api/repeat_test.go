package api_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"svc/api/apitest"
)

// TestIdempotencyKey checks that a change with an Idempotency-Key is only made once. Repeated
// requests with the same key must get the same response.
func TestIdempotencyKey(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	send := func(method, path, key, more, body string) (int, string, string) {
		t.Helper()
		headers := map[string]string{"Authorization": "Bearer " + s.Admin, "Idempotency-Key": key}
		if more != "" {
			headers["If-Match"] = more
		}
		status, answer, header := s.Send(t, method, "/api/v1"+path, headers, body)
		return status, answer, header.Get("Etag")
	}
	count := func(want int) {
		t.Helper()
		if got := apitest.Field[float64](t, s.Must(t, 200, "GET", "/admin/projects/app/announcements", ""), "total"); int(got) != want {
			t.Fatalf("%v announcements, want %d", got, want)
		}
	}
	const list = "/admin/projects/app/announcements"
	const body = `{"title":"Soon","content":"Text"}`

	status, first, _ := send("POST", list, "a", "", body)
	if again, second, _ := send("POST", list, "a", "", body); status != 201 || again != 201 || second != first {
		t.Errorf("sent twice: %d %s, then %d %s", status, first, again, second)
	}
	count(1)
	send("POST", list, "b", "", body)
	count(2)

	// A repeated change with an If-Match header is not refused because the first one has changed
	// the state.
	one := list + "/" + apitest.Field[string](t, first, "id")
	_, _, header := s.Do(t, "GET", one, s.Admin, "")
	status, changed, tag := send("PATCH", one, "a", header.Get("Etag"), `{"title":"Now"}`)
	if again, second, same := send("PATCH", one, "a", header.Get("Etag"), `{"title":"Now"}`); status != 200 || again != 200 || second != changed || same != tag || tag == "" {
		t.Errorf("changed twice: %d %s %s, then %d %s %s", status, changed, tag, again, second, same)
	}
	for range 2 {
		if status, answer, _ := send("DELETE", one, "c", "", ""); status != 200 {
			t.Errorf("deleted: %d %s", status, answer)
		}
	}
	count(1)

	// After a refusal, the client may retry the request.
	if status, answer, _ := send("POST", list, "d", "", `{}`); status != 400 {
		t.Errorf("refused: %d %s", status, answer)
	}
	if status, answer, _ := send("POST", list, "d", "", body); status != 201 {
		t.Errorf("after a refusal: %d %s", status, answer)
	}
	count(2)

	for _, key := range []string{"", strings.Repeat("k", 256)} {
		if status, answer, _ := send("POST", list, key, "", body); status != 400 || !strings.Contains(apitest.Message(t, answer), "Idempotency-Key must have 1 to 255 characters") {
			t.Errorf("a key of %d characters: %d %s", len(key), status, answer)
		}
	}
	// Another caller with the same key does not get the stored response. For a caller without a
	// credential, a key has no effect.
	if status, answer, _ := s.Send(t, "POST", "/api/v1"+list, map[string]string{"Idempotency-Key": "a"}, body); status != 401 {
		t.Errorf("without a credential: %d %s", status, answer)
	}
	count(2)
}

// TestIdempotencyKeyAtTheSameTime checks that concurrent requests with the same key wait for the
// first one and get its response.
func TestIdempotencyKeyAtTheSameTime(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	answers := make([]string, 8)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() {
			headers := map[string]string{"Authorization": "Bearer " + s.Admin, "Idempotency-Key": "one"}
			status, answer, _ := s.Send(t, "POST", "/api/v1/admin/projects/app/logs", headers, `{"level":1,"content":"once"}`)
			answers[i] = fmt.Sprint(status, answer)
		})
	}
	all.Wait()
	for i, answer := range answers {
		if !strings.HasPrefix(answer, "201") || answer != answers[0] {
			t.Errorf("answer %d is %s, the first %s", i, answer, answers[0])
		}
	}
	if total := apitest.Field[float64](t, s.Must(t, 200, "GET", "/admin/projects/app/logs", ""), "total"); total != 1 {
		t.Errorf("%v logs", total)
	}
}
