package svcsdk

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// scenario is a sequence of steps for event queues, from the vectors.
type scenario struct {
	Name    string
	Options struct {
		Enabled        *bool
		RequireConsent bool `json:"require_consent"`
		Persistence    Persistence
		BatchSize      int     `json:"batch_size"`
		MaxQueueSize   int     `json:"max_queue_size"`
		FlushInterval  float64 `json:"flush_interval"`
		SessionTimeout float64 `json:"session_timeout"`
		Namespace      string
		AppVersion     string `json:"app_version"`
		RolloutKey     string `json:"rollout_key"`
		DNT            bool
	}
	Steps [][]json.RawMessage
}

func TestEventScenarios(t *testing.T) {
	t.Parallel()
	for _, section := range []string{"scenarios", "queue_scenarios"} {
		for _, s := range vectors[[]scenario](t, section) {
			t.Run(s.Name, func(t *testing.T) {
				t.Parallel()
				if s.Options.DNT {
					t.Skip("privacy signals: only browsers have them, see clients/browser")
				}
				synctest.Test(t, func(t *testing.T) { newScenarioRun(s).play(t) })
			})
		}
	}
}

// scenarioRun runs a scenario. It also plays the role of the server.
type scenarioRun struct {
	scenario
	clock   *fakeClock
	storage *memoryStorage
	clients map[string]*Client
	current string
	flushed FlushResult
	flushes chan FlushResult
	held    chan int

	mu         sync.Mutex
	status     int
	retryAfter string
	reject     []string
	hold       chan int // the next request takes its status from this channel
	requests   [][3]any
	sent       []string
	sentBy     map[string][]string
	unique     []string
	seen       map[string]bool
	dropped    []string
	properties []json.RawMessage
	keys       []string // rollout keys of all update checks
	identities map[string]bool
	sessions   map[string]bool
	batches    int
	distinctID string
}

func newScenarioRun(s scenario) *scenarioRun {
	return &scenarioRun{
		scenario: s, clock: newFakeClock(time.Unix(0, 0)), storage: &memoryStorage{}, clients: map[string]*Client{},
		current: "one", status: http.StatusAccepted, requests: [][3]any{}, sent: []string{}, sentBy: map[string][]string{},
		properties: []json.RawMessage{}, unique: []string{}, seen: map[string]bool{}, dropped: []string{}, identities: map[string]bool{}, sessions: map[string]bool{},
	}
}

// client returns the current client, and creates it on the first call.
func (s *scenarioRun) client(t *testing.T) *Client {
	t.Helper()
	if c := s.clients[s.current]; c != nil {
		return c
	}
	c, err := New(testBase, WithProject("alpha"), WithAppVersion(s.Options.AppVersion), WithRolloutKey(s.Options.RolloutKey), withClock(s.clock.clock()), WithHTTPClient(&http.Client{Transport: s}),
		WithAnalytics(AnalyticsOptions{
			Disabled:       s.Options.Enabled != nil && !*s.Options.Enabled,
			RequireConsent: s.Options.RequireConsent,
			Persistence:    s.Options.Persistence,
			BatchSize:      s.Options.BatchSize,
			MaxQueueSize:   s.Options.MaxQueueSize,
			FlushInterval:  time.Duration(s.Options.FlushInterval * float64(time.Second)),
			SessionTimeout: time.Duration(s.Options.SessionTimeout * float64(time.Second)),
			Namespace:      s.Options.Namespace,
			Storage:        s.storage,
			OnDrop: func(name, _ string) {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.dropped = append(s.dropped, name)
			},
		}))
	if err != nil {
		t.Fatal(err)
	}
	s.clients[s.current] = c
	return c
}

// RoundTrip acts as the server.
func (s *scenarioRun) RoundTrip(h *http.Request) (*http.Response, error) {
	text, err := io.ReadAll(h.Body)
	if err != nil {
		return nil, err
	}
	var batch struct {
		DistinctID string `json:"distinct_id"`
		SessionID  string `json:"session_id"`
		Events     []struct {
			ID         string `json:"event_id"`
			Name       string
			Properties json.RawMessage
		}
		RolloutKey string `json:"rollout_key"`
	}
	if err := json.Unmarshal(text, &batch); err != nil {
		return nil, err
	}
	s.mu.Lock()
	if strings.HasSuffix(h.URL.Path, "/check-update") {
		defer s.mu.Unlock()
		s.keys = append(s.keys, batch.RolloutKey)
		return answerOf(h, http.StatusOK, "{}"), nil
	}
	status, header := s.status, http.Header{}
	if s.retryAfter != "" {
		header.Set("Retry-After", s.retryAfter)
	}
	names := []string{}
	for _, e := range batch.Events {
		names = append(names, e.Name)
		if slices.Contains(s.reject, e.Name) {
			status = http.StatusBadRequest
		}
	}
	hold := s.hold
	s.hold = nil
	s.mu.Unlock()
	if hold != nil {
		select {
		case status = <-hold:
		case <-h.Context().Done():
			return nil, h.Context().Err()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	project, _, _ := strings.Cut(strings.TrimPrefix(h.URL.Path, "/api/v1/public/"), "/")
	s.requests = append(s.requests, [3]any{project, names, status})
	switch {
	case status == 0:
		return nil, errors.New("no answer")
	case status/100 == 2:
		s.batches++
		s.distinctID = batch.DistinctID
		s.identities[batch.DistinctID], s.sessions[batch.SessionID] = true, true
		s.sent = append(s.sent, names...)
		s.sentBy[project] = append(s.sentBy[project], names...)
		for _, e := range batch.Events {
			if !s.seen[e.ID] {
				s.unique = append(s.unique, e.Name)
			}
			s.seen[e.ID] = true
			if e.Properties == nil {
				e.Properties = json.RawMessage("null")
			}
			s.properties = append(s.properties, e.Properties)
		}
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader("{}")), Request: h}, nil
}

func (s *scenarioRun) play(t *testing.T) {
	t.Helper()
	for _, step := range s.Steps {
		s.step(t, step)
		synctest.Wait() // let a full batch be sent before the next step
	}
	s.restart()
}

// restart ends all clients as if their processes had ended after the last write.
func (s *scenarioRun) restart() {
	for _, c := range s.clients {
		for _, q := range c.events.queues {
			q.end()
		}
	}
	clear(s.clients)
}

func (s *scenarioRun) step(t *testing.T, step []json.RawMessage) {
	t.Helper()
	read := func(i int, into any) {
		if err := json.Unmarshal(step[i], into); err != nil {
			t.Fatal(err)
		}
	}
	var what, text string
	var number int
	read(0, &what)
	switch what {
	case "track", "bind", "client", "store":
		read(1, &text)
	case "advance", "answer", "done":
		read(1, &number)
	}
	switch what {
	case "track":
		var properties map[string]any
		if len(step) > 2 {
			read(2, &properties)
		}
		s.client(t).Public.Track(text, properties)
	case "check":
		if _, err := s.client(t).Public.CheckUpdate(t.Context(), UpdateCheckInput{CurrentVersion: Set("1")}); err != nil {
			t.Fatal(err)
		}
	case "flush":
		s.flushed = s.client(t).Public.Flush(t.Context())
	case "send":
		s.held = make(chan int, 1)
		s.mu.Lock()
		s.hold = s.held
		s.mu.Unlock()
		s.flushes = make(chan FlushResult, 1)
		c, results := s.client(t), s.flushes
		go func() { results <- c.Public.Flush(t.Context()) }()
	case "done":
		s.held <- number
		s.flushed = <-s.flushes
	case "opt_out":
		s.client(t).Public.OptOut()
	case "opt_in":
		s.client(t).Public.OptIn()
	case "grant_consent":
		s.client(t).Public.GrantConsent()
	case "revoke_consent":
		s.client(t).Public.RevokeConsent()
	case "reset_identity":
		s.client(t).Public.ResetIdentity()
	case "advance":
		d := time.Duration(number) * time.Second
		s.clock.advance(d, d)
	case "answer":
		s.mu.Lock()
		s.status, s.retryAfter = number, ""
		if len(step) > 2 {
			s.retryAfter = string(step[2])
		}
		s.mu.Unlock()
	case "reject":
		s.mu.Lock()
		read(1, &s.reject)
		s.mu.Unlock()
	case "restart":
		s.restart()
	case "bind":
		s.client(t).SetProjectKey(text)
	case "client":
		s.current = text
		s.client(t)
	case "store":
		var value string
		read(2, &value)
		if err := s.storage.Write("svc.analytics.454ea31f-alpha."+text, value); err != nil {
			t.Fatal(err)
		}
	case "expect":
		var want map[string]json.RawMessage
		read(1, &want)
		s.expect(t, want)
	default:
		t.Fatalf("unknown step %q", what)
	}
}

var uuidForm = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

func (s *scenarioRun) expect(t *testing.T, want map[string]json.RawMessage) {
	t.Helper()
	c := s.client(t)
	q := c.events.queue()
	q.ready()
	q.save()
	q.mu.Lock()
	pending := []string{}
	for _, e := range q.entries {
		pending = append(pending, e.name)
	}
	active, optedOut := q.active(), q.optedOut
	q.mu.Unlock()
	s.storage.mu.Lock()
	stored, storedQueue := []string{}, []string{}
	keys := slices.Sorted(maps.Keys(s.storage.texts))
	for _, key := range keys {
		if suffix, ok := strings.CutPrefix(key, q.prefix()); ok {
			stored = append(stored, suffix)
		}
	}
	for _, e := range parseQueue(s.storage.texts[q.prefix()+queueSuffix]) {
		storedQueue = append(storedQueue, e.name)
	}
	slices.Sort(storedQueue)
	s.storage.mu.Unlock()
	if keys == nil {
		keys = []string{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	got := map[string]any{
		"active": active, "opted_out": optedOut, "pending": pending, "stored": stored, "stored_queue": storedQueue,
		"storage_keys": keys, "sent": s.sent, "sent_by": s.sentBy, "unique_sent": s.unique, "dropped": s.dropped,
		"identities": len(s.identities), "sessions": len(s.sessions), "batches": s.batches, "requests": s.requests,
		"flush":       map[string]int{"sent": s.flushed.Sent, "dropped": s.flushed.Dropped, "pending": s.flushed.Pending},
		"distinct_id": s.distinctID, "distinct_id_is_uuid": uuidForm.MatchString(s.distinctID),
		"properties": s.properties, "rollout_keys": len(slices.Compact(slices.Sorted(slices.Values(s.keys)))),
	}
	if len(s.keys) > 0 {
		last := s.keys[len(s.keys)-1]
		got["rollout_key"], got["rollout_key_is_number"] = last, validRolloutKey(last)
	}
	for name, value := range want {
		actual, known := got[name]
		if !known {
			t.Fatalf("unknown expectation %q", name)
		}
		if text := canonical(t, actual); text != canonical(t, value) {
			t.Errorf("%s: got %s, want %s", name, text, value)
		}
	}
}

// canonical returns v as JSON in a canonical form.
func canonical(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var any any
	if err := json.Unmarshal(text, &any); err != nil {
		t.Fatal(err)
	}
	if text, err = json.Marshal(any); err != nil {
		t.Fatal(err)
	}
	return string(text)
}
