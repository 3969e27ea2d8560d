package clients

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"
)

// vectors holds the sections of clients/vectors/vectors.json that test the model.
type vectors struct {
	Scenarios      []scenario
	QueueScenarios []scenario `json:"queue_scenarios"`
	EventName      []struct {
		In  string
		Out *string
	} `json:"event_name"`
	PathSegment []struct {
		In  string
		Out *string
	} `json:"path_segment"`
	ErrorMessage []struct {
		Status int
		Body   any
		Out    string
	} `json:"error_message"`
	UpdateDue []struct {
		Remembered *struct {
			CheckedAt int64 `json:"checked_at"`
			NextAt    int64 `json:"next_at"`
		}
		IntervalSeconds int64 `json:"interval_seconds"`
		Now             int64
		Out             bool
	} `json:"update_due"`
	UpdateDecision []struct {
		In  map[string]any
		Out string
	} `json:"update_decision"`
	ErrorFingerprint []struct{ Type, Message, Frame, Out string } `json:"error_fingerprint"`
	HeaderValue      []struct{ In, Out *string }                  `json:"header_value"`
	Endpoints        [][4]string
}

// scenario is a test case for a single queue.
type scenario struct {
	Name    string
	Options struct {
		Enabled        *bool
		RequireConsent bool `json:"require_consent"`
		Persistence    string
		BatchSize      int    `json:"batch_size"`
		MaxQueueSize   int    `json:"max_queue_size"`
		FlushInterval  int64  `json:"flush_interval"`
		SessionTimeout int64  `json:"session_timeout"`
		AppVersion     string `json:"app_version"`
		DNT            bool
	}
	Steps [][]json.RawMessage
}

// beyond lists the steps of scenarios that the model does not support, because they do not occur in
// a story. A story has only one client at a time, and nothing happens during a request.
var beyond = []string{"send", "done", "client", "store", "bind", "check"}

func (s scenario) told() bool {
	return !s.Options.DNT && !slices.ContainsFunc(s.Steps, func(step []json.RawMessage) bool {
		return slices.ContainsFunc(beyond, func(name string) bool { return string(step[0]) == canonical(name) })
	})
}

func readVectors(t *testing.T) (v vectors) {
	t.Helper()
	text, err := os.ReadFile("../../clients/vectors/vectors.json")
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestModelKeepsTheScenarios runs every scenario in the vectors on the model.
func TestModelKeepsTheScenarios(t *testing.T) {
	t.Parallel()
	v := readVectors(t)
	for _, scenario := range slices.Concat(v.Scenarios, v.QueueScenarios) {
		if !scenario.told() {
			continue
		}
		t.Run(scenario.Name, func(t *testing.T) {
			t.Parallel()
			options := defaultCollecting
			options.consentMode = scenario.Options.RequireConsent
			if scenario.Options.Enabled != nil {
				options.enabled = *scenario.Options.Enabled
			}
			if scenario.Options.Persistence != "" {
				options.persistence = scenario.Options.Persistence
			}
			if scenario.Options.BatchSize > 0 {
				options.batchSize = min(scenario.Options.BatchSize, 50)
			}
			if scenario.Options.SessionTimeout > 0 {
				options.idle = scenario.Options.SessionTimeout
			}
			if options.persistence == "device" {
				options.persistence = "persistent"
			}
			if scenario.Options.FlushInterval > 0 {
				options.interval = scenario.Options.FlushInterval
			}
			if scenario.Options.MaxQueueSize > 0 {
				options.maxQueue = scenario.Options.MaxQueueSize
			}
			s := &scripted{status: 202, newID: counter(), appVersion: scenario.Options.AppVersion}
			s.collection = openCollection(options, kept{}, s.newID)
			for _, step := range scenario.Steps {
				s.step(t, step)
			}
		})
	}
}

// scripted runs a scenario on the model.
type scripted struct {
	*collection
	newID      func() string
	appVersion string
	status     int
	wait       int64
	rejected   []string
	now        int64
	sent       []string
	properties []any
	batches    int
	identities map[string]bool
	sessions   map[string]bool
}

func (s *scripted) send(batch []tracked) (status int, wait int64) {
	for _, e := range batch {
		if slices.Contains(s.rejected, e.name) {
			return 400, 0
		}
	}
	if s.status != 202 {
		return s.status, s.wait
	}
	s.batches++
	if s.identities == nil {
		s.identities, s.sessions = map[string]bool{}, map[string]bool{}
	}
	s.identities[batch[0].identity], s.sessions[batch[0].session] = true, true
	for _, e := range batch {
		s.sent, s.properties = append(s.sent, e.name), append(s.properties, e.wire()["properties"])
	}
	return 202, 0
}

func (s *scripted) step(t *testing.T, step []json.RawMessage) {
	t.Helper()
	read := func(into any) {
		if err := json.Unmarshal(step[1], into); err != nil {
			t.Fatal(err)
		}
	}
	var what, name string
	if err := json.Unmarshal(step[0], &what); err != nil {
		t.Fatal(err)
	}
	switch what {
	case "track":
		read(&name)
		var properties map[string]any
		if len(step) > 2 {
			if err := json.Unmarshal(step[2], &properties); err != nil {
				t.Fatal(err)
			}
		}
		all := versioned(properties, s.appVersion)
		if len(properties) == 0 && s.appVersion == "" {
			all = nil
		}
		s.track(name, all, s.now, s.now*1000, s.send)
	case "advance":
		var seconds int64
		read(&seconds)
		s.now += seconds
	case "answer":
		read(&s.status)
		if s.wait = 0; len(step) > 2 {
			if err := json.Unmarshal(step[2], &s.wait); err != nil {
				t.Fatal(err)
			}
		}
	case "reject":
		read(&s.rejected)
	case "flush":
		s.flush(s.now*1000, s.send)
	case "opt_out":
		s.optOut()
	case "opt_in":
		s.optIn()
	case "grant_consent":
		s.grant()
	case "revoke_consent":
		s.revoke()
	case "reset_identity":
		s.reset()
	case "restart":
		s.collection = openCollection(s.collecting, s.kept(), s.newID)
	case "expect":
		var want map[string]any
		read(&want)
		s.expect(t, want)
	default:
		t.Fatalf("unknown step %q", what)
	}
}

func (s *scripted) expect(t *testing.T, want map[string]any) {
	t.Helper()
	stored, pending := []string{}, []string{}
	on := s.kept()
	if on.identity != "" {
		stored = append(stored, "distinct_id")
	}
	if on.optedOut {
		stored = append(stored, "opt_out")
	}
	if len(on.queue) > 0 {
		stored = append(stored, "queue")
	}
	for _, e := range s.queue {
		pending = append(pending, e.name)
	}
	got := map[string]any{
		"active": s.active(), "opted_out": s.optedOut, "pending": pending, "stored": stored,
		"sent": append([]string{}, s.sent...), "dropped": append([]string{}, s.failed...),
		"identities": len(s.identities), "sessions": len(s.sessions), "batches": s.batches,
		"properties": append([]any{}, s.properties...),
	}
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if _, known := got[key]; known && canonical(got[key]) != canonical(want[key]) {
			t.Errorf("%s: got %s, want %s", key, canonical(got[key]), canonical(want[key]))
		}
	}
}

func TestModelKeepsTheNames(t *testing.T) {
	t.Parallel()
	for _, c := range readVectors(t).EventName {
		want := ""
		if c.Out != nil {
			want = *c.Out
		}
		if got := eventName(c.In); got != want {
			t.Errorf("%q: got %q, want %q", c.In, got, want)
		}
	}
}

// TestModelKeepsTheVectors runs the other vectors on the parts of the model other than the queue.
func TestModelKeepsTheVectors(t *testing.T) {
	t.Parallel()
	v := readVectors(t)
	for _, c := range v.PathSegment {
		want := ""
		if c.Out != nil {
			want = *c.Out
		}
		if got := segment(c.In); got != want {
			t.Errorf("segment %q: got %q, want %q", c.In, got, want)
		}
	}
	for _, c := range v.HeaderValue {
		if c.In == nil {
			continue
		}
		want := ""
		if c.Out != nil {
			want = *c.Out
		}
		if got := clean(*c.In); got != want {
			t.Errorf("header value %q: got %q, want %q", *c.In, got, want)
		}
	}
	for _, c := range v.ErrorMessage {
		if got := errorMessage(c.Status, c.Body); got != c.Out {
			t.Errorf("message of %v: got %q, want %q", c.Body, got, c.Out)
		}
	}
	for _, c := range v.UpdateDue {
		got := true
		if c.Remembered != nil {
			got = due(&remembered{checked: c.Remembered.CheckedAt, next: c.Remembered.NextAt}, c.IntervalSeconds, c.Now)
		}
		if got != c.Out {
			t.Errorf("due %+v: got %t", c, got)
		}
	}
	for _, c := range v.UpdateDecision {
		if got := decision(c.In); got != c.Out {
			t.Errorf("decision %v: got %q, want %q", c.In, got, c.Out)
		}
	}
	for _, c := range v.ErrorFingerprint {
		if got := fingerprint(c.Type, c.Message, c.Frame); got != c.Out {
			t.Errorf("fingerprint %+v: got %q", c, got)
		}
	}
}

// TestStoriesAreWhole checks that a seed always produces the same story, and that the default
// stories contain every kind of step and most methods.
func TestStoriesAreWhole(t *testing.T) {
	t.Parallel()
	if one, two := tell(t, 3, steps), tell(t, 3, steps); canonical(stepsOf(one)) != canonical(stepsOf(two)) {
		t.Error("the same seed told two stories")
	}
	kinds, methods, statuses := map[string]int{}, map[string]int{}, map[int]int{}
	for seed := range uint64(5) {
		for _, p := range tell(t, seed, steps) {
			kinds[p.step["do"].(string)]++
			if p.step["do"] == "call" {
				methods[p.step["namespace"].(string)+" "+p.step["method"].(string)]++
			}
			for _, a := range p.answers {
				statuses[a.Status]++
			}
		}
	}
	for _, kind := range []string{
		"open", "call", "set", "track", "flush", "opt_out", "opt_in", "grant_consent", "revoke_consent", "reset_identity",
		"has_opted_out", "clock", "save", "check_updates", "capture", "close", "exit",
	} {
		if kinds[kind] == 0 {
			t.Errorf("no story has a step %q", kind)
		}
	}
	if rows := len(readVectors(t).Endpoints); len(methods) < rows*8/10 {
		t.Errorf("the stories call %d of %d methods", len(methods), rows)
	}
	for _, status := range []int{0, 200, 201, 202, 400, 401, 403, 404, 413, 422, 429, 500, 503} {
		if statuses[status] == 0 {
			t.Errorf("no request of the stories is answered with %d", status)
		}
	}
}

func stepsOf(plan []planned) (out []any) {
	for _, p := range plan {
		out = append(out, p.step, p.answers, p.want, p.result)
	}
	return out
}
