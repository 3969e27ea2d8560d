package codehost_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/api"
	"svc/api/apitest"
	"svc/internal/codehost/codehosttest"
	"svc/internal/testutil"
)

// TestSizeOfDeliveries checks that a delivery of 25 MiB is accepted, that a larger one is rejected,
// and that an unsigned delivery is rejected before its body is read.
func TestSizeOfDeliveries(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	s := hooked(t)
	const limit = 25 << 20
	begin, end := []byte(`{"action":"published","release":{"tag_name":"1.0","body":"`), []byte(`"}}`)
	whole := append(append(begin, bytes.Repeat([]byte("x"), limit-len(begin)-len(end))...), end...)
	status, answer := deliver(t, s, releases, "release", whole, nil)
	expect(t, "25 MiB", status, answer, 200, `{"status":"synced"}`)
	more := append(whole, ' ')
	status, answer = deliver(t, s, releases, "release", more, nil)
	expect(t, "a byte more than 25 MiB", status, answer, 413, `{"message":"the request body must have at most 26214400 bytes"}`)

	if got := announce(t, s, releases, "", limit); got != 401 {
		t.Errorf("without a signature: got %d, want 401", got)
	}
}

// announce sends only the headers of a delivery and returns the status of the response. The server
// must respond without asking for the body.
func announce(t *testing.T, s *apitest.Server, path, signature string, length int) int {
	t.Helper()
	unsent := &unread{}
	r, err := http.NewRequestWithContext(t.Context(), "POST", s.URL+path, unsent)
	if err != nil {
		t.Fatal(err)
	}
	r.ContentLength = int64(length)
	r.Header.Set("Expect", "100-continue")
	r.Header.Set("X-Hub-Signature-256", signature)
	client := &http.Client{Transport: &http.Transport{ExpectContinueTimeout: time.Minute, DisableKeepAlives: true}}
	refused, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer refused.Body.Close()
	answer, err := io.ReadAll(refused.Body)
	if err != nil {
		t.Fatal(err)
	}
	apitest.LoadContract(t).Check(t, r, refused.StatusCode, refused.Header, answer)
	if unsent.read {
		t.Errorf("the body was asked for before the answer %d", refused.StatusCode)
	}
	return refused.StatusCode
}

// TestLargeDeliveriesAreFew checks that unsigned deliveries do not block other deliveries. A
// delivery does not occupy a slot until its body arrives. Each client address has two slots for
// deliveries larger than 1 MiB. Smaller deliveries need no slot.
func TestLargeDeliveriesAreFew(t *testing.T) {
	t.Parallel()
	s := hooked(t)
	large := release(t, map[string]any{"release.body": strings.Repeat("x", 2<<20)})
	end := make(chan struct{})
	var held sync.WaitGroup
	hold := func(address string, bytes int) {
		t.Helper()
		body := &heldBody{sent: large[:bytes], begun: make(chan struct{}), end: end}
		body.send(t, s, large, address, &held)
		<-body.begun
	}
	from := func(address string) map[string]string { return map[string]string{"X-Forwarded-For": address} }
	for i := range 16 {
		hold(fmt.Sprintf("198.51.100.%d", i%3), 0)
	}
	status, answer := deliver(t, s, releases, "release", large, from("198.51.100.1"))
	expect(t, "while others were announced and do not come", status, answer, 200, `{"status":"synced"}`)

	hold("203.0.113.1", 3<<19)
	hold("203.0.113.1", 3<<19)
	for s.Metric(t, "svc_public_body_bytes") < 4<<20 { // wait until the server has read both bodies
	}
	status, answer = deliver(t, s, releases, "release", large, from("203.0.113.1"))
	expect(t, "a third large one", status, answer, 503, `{"message":"at most 2 request bodies above 1048576 bytes of one address are received at a time; try again in a second"}`)
	s.Must(t, 200, "PUT", "/admin/codehost-app", `{"webhook_secret":"a secret of the app"}`)
	if status, answer = deliver(t, s, appHook, "issue_comment", large, from("203.0.113.1")); status != 503 {
		t.Errorf("a third one, for the app: got %d %s, want 503", status, answer)
	}
	status, answer = deliver(t, s, releases, "release", release(t, nil), from("203.0.113.1"))
	expect(t, "a small one of the same address", status, answer, 200, `{"status":"synced"}`)
	status, answer = deliver(t, s, releases, "release", large, from("203.0.113.2"))
	expect(t, "a large one of another address", status, answer, 200, `{"status":"synced"}`)
	close(end)
	held.Wait()
	for s.Metric(t, "svc_public_body_bytes") > 0 { // the response can arrive before the memory is released
	}
	status, answer = deliver(t, s, releases, "release", large, from("203.0.113.1"))
	expect(t, "when there is room", status, answer, 200, `{"status":"synced"}`)
}

// heldBody is a request body that sends its first bytes, signals that it has done so, and later
// ends before its declared length.
type heldBody struct {
	sent       []byte
	begun, end chan struct{}
	once       sync.Once
}

func (b *heldBody) Read(p []byte) (int, error) {
	if len(b.sent) > 0 {
		n := copy(p, b.sent)
		b.sent = b.sent[n:]
		return n, nil
	}
	b.once.Do(func() { close(b.begun) })
	<-b.end
	return 0, io.ErrUnexpectedEOF
}

// send starts a delivery of the payload large, with b as the request body, and returns immediately.
// The caller waits on held for the response.
func (b *heldBody) send(t *testing.T, s *apitest.Server, large []byte, address string, held *sync.WaitGroup) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", s.URL+releases, b)
	if err != nil {
		t.Fatal(err)
	}
	r.ContentLength = int64(len(large))
	r.Header.Set("Expect", "100-continue")
	r.Header.Set("X-Hub-Signature-256", codehosttest.Sign(large, hookSecret))
	r.Header.Set("X-Forwarded-For", address)
	held.Go(func() {
		client := &http.Client{Transport: &http.Transport{ExpectContinueTimeout: time.Minute, DisableKeepAlives: true}}
		if answer, err := client.Do(r); err == nil {
			_ = answer.Body.Close() // the server responds although the body was incomplete
		}
	})
}

// TestLargeDeliveriesOfAnAddress checks that the unsigned deliveries of one address leave enough
// memory for a large delivery from another address.
func TestLargeDeliveriesOfAnAddress(t *testing.T) {
	t.Parallel()
	s := hooked(t, apitest.WithConfig(func(c *api.Config) { c.BodyBudget = 16 << 20 }))
	large := release(t, map[string]any{"release.body": strings.Repeat("x", 5<<20)})
	end := make(chan struct{})
	var held sync.WaitGroup
	for range 2 {
		body := &heldBody{sent: large[:5<<19], begun: make(chan struct{}), end: end}
		body.send(t, s, large, "203.0.113.1", &held)
	}
	for s.Metric(t, "svc_public_body_bytes") < 8<<20 && s.Metric(t, `svc_public_bodies_refused_total{reason="address"}`) == 0 {
	} // wait until the server has read everything that it accepts
	status, answer := deliver(t, s, releases, "release", large, map[string]string{"X-Forwarded-For": "203.0.113.2"})
	expect(t, "another address", status, answer, 200, `{"status":"synced"}`)
	close(end)
	held.Wait()
}
