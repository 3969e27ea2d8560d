package svcsdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// roundTripper is a function that implements http.RoundTripper.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(h *http.Request) (*http.Response, error) { return f(h) }

func answerOf(h *http.Request, status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: h}
}

// sentBatch is a batch as received by the server.
type sentBatch struct {
	DistinctID string `json:"distinct_id"`
	Events     []struct {
		ID         string `json:"event_id"`
		Name       string
		Properties json.RawMessage
	}
}

func readBatch(t *testing.T, h *http.Request) (b sentBatch) {
	t.Helper()
	text, err := io.ReadAll(h.Body)
	if err == nil {
		err = json.Unmarshal(text, &b)
	}
	if err != nil {
		t.Error(err)
	}
	if len(text) > 64<<10 {
		t.Errorf("a batch has %d bytes", len(text))
	}
	return b
}

// collecting creates a client that sends events to the given transport.
func collecting(t *testing.T, transport roundTripper, o AnalyticsOptions) *Client {
	t.Helper()
	c, err := New(testBase, WithProject("acme"), WithHTTPClient(&http.Client{Transport: transport}), WithAnalytics(o))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestEveryEventIsDeliveredOnceOrReported checks that each event is either delivered once or
// reported as dropped, no matter how requests fail.
func TestEveryEventIsDeliveredOnceOrReported(t *testing.T) {
	t.Parallel()
	const workers, each = 8, 500
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	var mu sync.Mutex
	delivered, dropped := map[string]int{}, 0
	names := map[string]int{}
	c := collecting(t, func(h *http.Request) (*http.Response, error) {
		b := readBatch(t, h)
		mu.Lock()
		defer mu.Unlock()
		switch n := random.IntN(10); {
		case n < 2:
			return nil, errors.New("no connection")
		case n < 3:
			return answerOf(h, http.StatusServiceUnavailable, ""), nil
		}
		for _, e := range b.Events {
			delivered[e.ID]++
			names[e.Name]++
		}
		return answerOf(h, http.StatusAccepted, `{"accepted":1}`), nil
	}, AnalyticsOptions{Persistence: PersistNone, MaxQueueSize: 300, FlushInterval: time.Millisecond, OnDrop: func(string, string) {
		mu.Lock()
		defer mu.Unlock()
		dropped++
	}})
	var tracking sync.WaitGroup
	for w := range workers {
		tracking.Go(func() {
			for i := range each {
				c.Public.Track(fmt.Sprintf("e%d.%d", w, i), nil)
				if i%100 == 0 {
					c.Public.Flush(t.Context())
				}
			}
		})
	}
	tracking.Wait()
	for c.Public.Flush(t.Context()).Pending > 0 {
		runtime.Gosched()
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(delivered)+dropped != workers*each || len(names) != len(delivered) {
		t.Errorf("seed %d: %d delivered as %d names, %d dropped, of %d", seed, len(delivered), len(names), dropped, workers*each)
	}
	for id, n := range delivered {
		if n != 1 {
			t.Errorf("seed %d: %s was delivered %d times", seed, id, n)
		}
	}
}

// TestTrackDoesNotWaitForTheSender checks that Track returns while the sender is waiting for a
// response.
func TestTrackDoesNotWaitForTheSender(t *testing.T) {
	t.Parallel()
	blocked := make(chan struct{})
	c := collecting(t, func(h *http.Request) (*http.Response, error) {
		select {
		case <-blocked:
			return answerOf(h, http.StatusAccepted, "{}"), nil
		case <-h.Context().Done():
			return nil, h.Context().Err()
		}
	}, AnalyticsOptions{Persistence: PersistNone, BatchSize: 1, MaxQueueSize: 1000})
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			for i := range 500 {
				c.Public.Track("tick", map[string]any{"i": i})
			}
		})
	}
	workers.Wait() // ends while the first request is still waiting
	close(blocked)
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestTimersSendAndSave(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var sent atomic.Int32
		storage := &memoryStorage{}
		c := collecting(t, func(h *http.Request) (*http.Response, error) {
			sent.Add(int32(len(readBatch(t, h).Events)))
			return answerOf(h, http.StatusAccepted, "{}"), nil
		}, AnalyticsOptions{Storage: storage})
		stored := func() int {
			text, _, _ := storage.Read("svc.analytics.454ea31f-acme.queue")
			return len(parseQueue(text))
		}
		expect := func(when string, wantSent, wantStored int) {
			t.Helper()
			synctest.Wait()
			if int(sent.Load()) != wantSent || stored() != wantStored {
				t.Errorf("%s: %d sent, %d stored; want %d, %d", when, sent.Load(), stored(), wantSent, wantStored)
			}
		}
		pass := func(d time.Duration) { <-time.After(d) }
		c.Public.Track("a", nil)
		expect("the first event is written at once", 0, 1)
		c.Public.Track("b", nil)
		expect("the second is not", 0, 1)
		pass(time.Second + time.Millisecond)
		expect("but at the end of the second", 0, 2)
		pass(4 * time.Second)
		synctest.Wait()
		if sent.Load() != 2 {
			t.Errorf("after the flush interval %d are sent", sent.Load())
		}
		pass(2 * time.Second)
		expect("what was sent is not kept", 2, 0)
		if err := c.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
	})
}

func TestBatchesHaveAtMost64KiB(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	batches, events := 0, 0
	c := collecting(t, func(h *http.Request) (*http.Response, error) {
		b := readBatch(t, h)
		mu.Lock()
		defer mu.Unlock()
		batches++
		events += len(b.Events)
		return answerOf(h, http.StatusAccepted, "{}"), nil
	}, AnalyticsOptions{Persistence: PersistNone, BatchSize: 50, FlushInterval: time.Hour})
	for range 20 {
		c.Public.Track("large", map[string]any{"text": strings.Repeat("x", 16000)})
	}
	if r := c.Public.Flush(t.Context()); r.Sent != 20 {
		t.Errorf("got %+v", r)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if events != 20 || batches != 5 {
		t.Errorf("%d events in %d batches", events, batches)
	}
}

type panicking1 struct{}

func (panicking1) MarshalJSON() ([]byte, error) { panic("no") }

func TestProperties(t *testing.T) {
	t.Parallel()
	text := func(v map[string]any) string {
		encoded, err := encodeProperties(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(encoded)
	}
	for want, v := range map[string]map[string]any{
		"":                                      {},
		`{"a":null,"b":[null,1],"c":{"1":"x"}}`: {"a": math.NaN(), "b": []any{math.Inf(1), 1}, "c": map[int]string{1: "x"}},
		`{"a":"(1+2i)"}`:                        {"a": complex(1, 2)},
		`{"<":"&"}`:                             {"<": "&"},
	} {
		if got := text(v); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	cycle := map[string]any{}
	cycle["self"] = cycle
	if got := text(cycle); !strings.HasPrefix(got, `{"self":{`) {
		t.Errorf("got %s", got)
	}
	if _, err := encodeProperties(map[string]any{"a": panicking1{}}); err == nil {
		t.Error("a panic has no error")
	}
}

func TestWhatIsDroppedIsReported(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	reasons := map[string]string{}
	c := collecting(t, func(h *http.Request) (*http.Response, error) {
		return answerOf(h, http.StatusAccepted, `{"accepted":1,"skipped":1,"rejected":[{"index":1,"message":"too old"}]}`), nil
	}, AnalyticsOptions{Persistence: PersistNone, MaxQueueSize: 2, OnDrop: func(name, reason string) {
		mu.Lock()
		defer mu.Unlock()
		reasons[name] = reason
		panic("a hook may be wrong")
	}})
	c.Public.Track("two words", nil)
	c.Public.Track("large", map[string]any{"text": strings.Repeat("x", 16<<10)})
	for _, name := range []string{"a", "b", "c"} {
		c.Public.Track(name, nil)
	}
	r := c.Public.Flush(t.Context())
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"two words": "name is not valid", "large": "properties have more than 16 KiB", "a": "queue is full", "c": "too old"}
	if fmt.Sprint(reasons) != fmt.Sprint(want) || r.Sent != 2 {
		t.Errorf("got %v, %+v", reasons, r)
	}
}

func TestDeleteMyDataDropsWhatWaits(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var asked []string
	c := collecting(t, func(h *http.Request) (*http.Response, error) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, h.Method+" "+h.URL.RawQuery)
		return answerOf(h, http.StatusOK, `{"success":true,"deleted":2}`), nil
	}, AnalyticsOptions{Storage: &memoryStorage{}, FlushInterval: time.Hour})
	c.Public.Track("a", nil)
	id := c.Public.DistinctID()
	erased, err := c.Public.DeleteMyData(t.Context(), "")
	if err != nil || erased.Deleted != 2 {
		t.Errorf("got %+v, %v", erased, err)
	}
	if r := c.Public.Flush(t.Context()); r.Sent != 0 || r.Pending != 0 {
		t.Errorf("got %+v", r)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := []string{"DELETE distinct_id=" + id}; !slices.Equal(asked, want) {
		t.Errorf("got %v, want %v", asked, want)
	}
}

// stateIn makes the clients of a test store their state in a temporary folder. It returns the
// folder and the path of the state file.
func stateIn(t *testing.T) (dir, file string) {
	t.Helper()
	root := t.TempDir()
	for _, name := range []string{"XDG_STATE_HOME", "LOCALAPPDATA", "HOME"} {
		t.Setenv(name, root)
	}
	dir = stateDir()
	return dir, filepath.Join(dir, "454ea31f-acme.json")
}

func refuse(*http.Request) (*http.Response, error) { return nil, errors.New("no connection") }

//nolint:paralleltest // stateIn
func TestTheStateFileIsPrivate(t *testing.T) {
	dir, file := stateIn(t)
	c := collecting(t, refuse, AnalyticsOptions{})
	if _, err := os.Stat(dir); err == nil {
		t.Error("there is a folder before the first event")
	}
	c.Public.Track("a", nil)
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "windows" {
		return // Windows has no such modes
	}
	for path, want := range map[string]os.FileMode{dir: 0o700 | os.ModeDir, file: 0o600} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("%s has mode %s, want %s", path, info.Mode(), want)
		}
	}
}

//nolint:paralleltest // stateIn
func TestTwoClientsShareAFile(t *testing.T) {
	_, file := stateIn(t)
	one, two := collecting(t, refuse, AnalyticsOptions{}), collecting(t, refuse, AnalyticsOptions{})
	one.Public.Track("a", nil)
	one.Public.Flush(t.Context())
	two.Public.Track("b", nil)
	one.Public.Track("c", nil)
	for _, c := range []*Client{one, two} {
		if err := c.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	state := parseState(text)
	var names []string
	for _, e := range parseQueue(state["svc.analytics.454ea31f-acme.queue"]) {
		names = append(names, e.name)
		if e.distinctID != state["svc.analytics.454ea31f-acme.distinct_id"] {
			t.Error("the clients have two identifiers")
		}
	}
	if slices.Sort(names); strings.Join(names, "") != "abc" {
		t.Errorf("the file has %v", names)
	}
}

//nolint:paralleltest // stateIn
func TestGarbageInTheStateFileIsReplaced(t *testing.T) {
	dir, file := stateIn(t)
	const prefix = "svc.analytics.454ea31f-acme."
	good := `{"distinct_id":"d","event_id":"1","name":"kept","occurred_at":1}`
	for name, text := range map[string]string{
		"no JSON":        "\x00\x01",
		"no object":      `[1]`,
		"not only texts": `{"a":1}`,
		"parts":          canonical(t, map[string]string{prefix + "distinct_id": "\n", prefix + "queue": "[1," + good + `,{"name":"no id"}]`, "other": "stays"}),
	} {
		if err := writeFile(file, []byte(text)); err != nil {
			t.Fatal(err)
		}
		c := collecting(t, refuse, AnalyticsOptions{})
		c.Public.Track("new", nil)
		if err := c.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		state := parseState(text)
		var names []string
		for _, e := range parseQueue(state[prefix+"queue"]) {
			names = append(names, e.name)
		}
		want := "new"
		if name == "parts" {
			want = "kept new"
		}
		if strings.Join(names, " ") != want || !uuidForm.MatchString(state[prefix+"distinct_id"]) || name == "parts" && state["other"] != "stays" {
			t.Errorf("%s: the file has %s", name, text)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAKilledWriteLeavesTheOldContent checks that a process that is killed before it renames its
// temporary file leaves the state file unchanged.
//
//nolint:paralleltest // stateIn
func TestAKilledWriteLeavesTheOldContent(t *testing.T) {
	_, file := stateIn(t)
	c := collecting(t, refuse, AnalyticsOptions{})
	c.Public.Track("a", nil)
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file+".123.tmp", []byte(`{"half":`), 0o600); err != nil {
		t.Fatal(err)
	}
	c = collecting(t, func(h *http.Request) (*http.Response, error) { return answerOf(h, http.StatusAccepted, "{}"), nil }, AnalyticsOptions{})
	if r := c.Public.Flush(t.Context()); r.Sent != 1 {
		t.Errorf("got %+v", r)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

//nolint:paralleltest // stateIn
func TestStateThatCannotBeWrittenStaysInMemory(t *testing.T) {
	dir, _ := stateIn(t)
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, []byte("a file is where the folder should be"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := collecting(t, func(h *http.Request) (*http.Response, error) { return answerOf(h, http.StatusAccepted, "{}"), nil }, AnalyticsOptions{})
	c.Public.Track("a", nil)
	c.Public.OptOut()
	if !c.Public.HasOptedOut() {
		t.Error("the opt-out is forgotten")
	}
	c.Public.OptIn()
	c.Public.Track("b", nil)
	if r := c.Public.Flush(t.Context()); r.Sent != 1 {
		t.Errorf("got %+v", r)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestEventsOfAnotherProjectAreNotSent checks that projects with the same namespace do not share
// events.
func TestEventsOfAnotherProjectAreNotSent(t *testing.T) {
	t.Parallel()
	storage := &memoryStorage{}
	o := AnalyticsOptions{Storage: storage, Namespace: "tool"}
	c := collecting(t, refuse, o)
	c.Public.Track("a", nil)
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	var sent []string
	c = collecting(t, func(h *http.Request) (*http.Response, error) {
		for _, e := range readBatch(t, h).Events {
			sent = append(sent, h.URL.Path+" "+e.Name)
		}
		return answerOf(h, http.StatusAccepted, "{}"), nil
	}, o)
	c.SetProjectKey("beta")
	c.Public.Track("b", nil)
	c.Public.Flush(t.Context())
	c.SetProjectKey("ACME") // this is the same project as acme
	c.Public.Flush(t.Context())
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []string{"/api/v1/public/beta/events b", "/api/v1/public/ACME/events a"}
	if !slices.Equal(sent, want) {
		t.Errorf("got %v, want %v", sent, want)
	}
}

// TestConcurrentUse calls setters, Track and Close at the same time, for the race detector.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	c := collecting(t, func(h *http.Request) (*http.Response, error) { return answerOf(h, http.StatusOK, "{}"), nil },
		AnalyticsOptions{Storage: &memoryStorage{}, BatchSize: 3, FlushInterval: time.Millisecond})
	var workers sync.WaitGroup
	for i, f := range []func(int){
		func(i int) { c.Public.Track("a", map[string]any{"i": i}) },
		func(i int) { c.SetProjectKey([]string{"acme", "beta", ""}[i%3]) },
		func(int) { c.Public.Flush(t.Context()) },
		func(i int) {
			if i%2 == 0 {
				c.Public.OptOut()
			} else {
				c.Public.OptIn()
			}
		},
		func(int) { c.Public.ResetIdentity(); c.Public.DistinctID() },
		func(i int) { c.SetLocale(fmt.Sprint(i)); c.SetToken("t"); c.SetPlatform("linux") },
		func(int) { _, _ = c.Public.ListVersions(t.Context(), nil) },
		func(i int) { c.Logs.Capture(fmt.Errorf("error %d", i), nil) },
		func(int) { c.Public.RevokeConsent(); c.Public.GrantConsent() },
	} {
		workers.Go(func() {
			for n := range 200 {
				f(n)
			}
			if i == 0 {
				_ = c.Close(t.Context())
			}
		})
	}
	workers.Wait()
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func FuzzParseState(f *testing.F) {
	f.Add([]byte(`{"svc.analytics.n.queue":"[]"}`))
	f.Add([]byte(`{"svc.analytics.n.queue":"[{\"distinct_id\":\"d\",\"event_id\":\"1\",\"name\":\"a\",\"occurred_at\":1,\"properties\":{}}]","svc.analytics.n.distinct_id":"d","svc.analytics.n.opt_out":"1"}`))
	f.Add([]byte(`{"svc.analytics.n.queue":"[{\"distinct_id\":\"d\",\"event_id\":\"1\",\"name\":\"a\",\"occurred_at\":1,\"properties\":{\"a\":[1,{}]}},null,3]"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		state := parseState(text)
		change := stateChange{prefix: "svc.analytics.n.", events: true, limit: 10, id: "d", removed: func(*entry) bool { return false }}
		next, out := change.apply(state)
		kept := parseQueue(next["svc.analytics.n.queue"])
		if out && len(kept) > 0 {
			t.Error("events are kept after an opt-out")
		}
		if queue, ok := next["svc.analytics.n.queue"]; ok && (len(kept) == 0 || len(kept) > 10) {
			t.Errorf("the queue %q has %d valid entries", queue, len(kept))
		}
		for _, e := range kept {
			if !json.Valid(e.wire) || !validIdentifier(e.distinctID) {
				t.Errorf("%+v cannot be sent", e)
			}
		}
		again, _ := change.apply(next)
		if !equalTexts(next, again) {
			t.Errorf("a second write changes %v to %v", next, again)
		}
	})
}
