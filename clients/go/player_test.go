package svcsdk

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestPlayer executes the steps that it receives from a program of tests/clients. It is not a test
// of the library. The script named "player" runs it.
//
//nolint:paralleltest // It has the process for itself.
func TestPlayer(t *testing.T) {
	control := os.Getenv("SVC_PLAYER_CONTROL")
	if control == "" {
		t.Skip("plays for tests/clients, which sets SVC_PLAYER_CONTROL: make test-clients")
	}
	p := &player{t: t}
	for result := any(map[string]any{"ready": true}); result != nil; {
		step := exchangeStep(t, control, result)
		if step == nil {
			break
		}
		result = p.do(step)
		if p.client != nil {
			settle(p.client)
		}
	}
}

// exchangeStep sends a result and returns the next step, or nil at the end.
func exchangeStep(t *testing.T, control string, result any) map[string]json.RawMessage {
	t.Helper()
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.Post(control, "application/json", bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusNoContent {
		return nil
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	var step map[string]json.RawMessage
	if err := json.Unmarshal(body, &step); err != nil {
		t.Fatalf("step %s: %v", body, err)
	}
	return step
}

// settle waits until no send is running and no full batch is due.
func settle(c *Client) {
	c.events.partings.Wait()
	c.events.mu.Lock()
	q := c.events.bound
	c.events.mu.Unlock()
	if q == nil {
		return
	}
	for {
		q.slot <- struct{}{}
		<-q.slot
		q.mu.Lock()
		due := q.full && q.fullBatch() && q.running
		q.mu.Unlock()
		if !due {
			return
		}
		q.wake()
		runtime.Gosched()
	}
}

type player struct {
	t      *testing.T
	client *Client
	clock  *fakeClock
}

// read decodes a field of a step and reports whether it is present and not null.
func read[T any](p *player, step map[string]json.RawMessage, name string) (v T, ok bool) {
	p.t.Helper()
	data := step[name]
	if len(data) == 0 || string(data) == "null" {
		return v, false
	}
	if err := json.Unmarshal(data, &v); err != nil {
		p.t.Fatalf("field %s of the step: %v", name, err)
	}
	return v, true
}

// must decodes a field like read, and returns the zero value if the field is missing.
func must[T any](p *player, step map[string]json.RawMessage, name string) T {
	p.t.Helper()
	v, _ := read[T](p, step, name)
	return v
}

// do executes a step and returns its result, or nil at the end.
func (p *player) do(step map[string]json.RawMessage) any {
	ctx, nothing := context.Background(), map[string]any{}
	switch what := must[string](p, step, "do"); what {
	case "open":
		return p.open(step)
	case "call":
		return p.call(ctx, step)
	case "set":
		p.set(step)
		return nothing
	case "track":
		p.client.Public.Track(must[string](p, step, "name"), must[map[string]any](p, step, "properties"))
		return nothing
	case "flush":
		r := p.client.Public.Flush(ctx)
		return map[string]int{"sent": r.Sent, "dropped": r.Dropped, "pending": r.Pending}
	case "feedback_replies":
		replies, err := p.client.Public.FeedbackReplies(ctx)
		if err != nil {
			return failed(err)
		}
		return map[string][]FeedbackReply{"replies": append([]FeedbackReply{}, replies...)}
	case "has_opted_out":
		return map[string]bool{"value": p.client.Public.HasOptedOut()}
	case "opt_out", "opt_in", "grant_consent", "revoke_consent", "reset_identity":
		public := p.client.Public
		map[string]func(){
			"opt_out": public.OptOut, "opt_in": public.OptIn, "grant_consent": public.GrantConsent,
			"revoke_consent": public.RevokeConsent, "reset_identity": public.ResetIdentity,
		}[what]()
		return nothing
	case "clock":
		second := float64(time.Second)
		p.clock.advance(time.Duration(must[float64](p, step, "wall_seconds")*second), time.Duration(must[float64](p, step, "monotonic_seconds")*second))
		return nothing
	case "save":
		for _, q := range p.client.events.queues {
			q.save()
		}
		return nothing
	case "check_updates":
		return p.checkUpdates(ctx, must[map[string]json.RawMessage](p, step, "args"))
	case "capture":
		p.capture(ctx, must[map[string]json.RawMessage](p, step, "args"))
		return nothing
	case "close":
		if err := p.client.Close(ctx); err != nil {
			return failed(err)
		}
		return nothing
	case "exit":
		if must[bool](p, step, "hard") {
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = self.Kill()
			}
			p.t.Fatal("the process survives its end: ", err)
		}
		return nil
	case "spin":
		p.spin(must[float64](p, step, "seconds"), must[string](p, step, "file"))
		return nil
	case "bench":
		return p.bench(ctx, must[string](p, step, "name"), must[int](p, step, "count"))
	default:
		p.t.Fatalf("unknown step %q", what)
		return nil
	}
}

func (p *player) open(step map[string]json.RawMessage) any {
	o := must[map[string]json.RawMessage](p, step, "options")
	p.clock = newFakeClock(time.UnixMilli(1800000000000))
	var opts []Option
	if !must[bool](p, step, "real_clock") {
		opts = append(opts, withClock(p.clock.clock()))
	}
	for name, option := range map[string]func(string) Option{
		"project_key": WithProject, "token": WithToken, "locale": WithLocale, "app_version": WithAppVersion, "rollout_key": WithRolloutKey,
		"app_identifier": WithAppIdentifier, "platform_version": WithPlatformVersion,
		"platform": func(text string) Option { return WithPlatform(Platform(text)) },
	} {
		if text, ok := read[string](p, o, name); ok {
			opts = append(opts, option(text))
		} else if _, null := o[name]; null && (name == "platform" || name == "platform_version") {
			opts = append(opts, option(""))
		}
	}
	if n, ok := read[int](p, o, "retries"); ok {
		opts = append(opts, WithRetries(n))
	}
	for name, value := range must[map[string]string](p, o, "headers") {
		opts = append(opts, WithHeader(name, value))
	}
	if dir, ok := read[string](p, o, "state_dir"); ok {
		p.t.Setenv("XDG_STATE_HOME", dir)
	}
	a := must[map[string]json.RawMessage](p, o, "analytics")
	enabled, ok := read[bool](p, a, "enabled")
	opts = append(opts, WithAnalytics(AnalyticsOptions{
		Disabled:       ok && !enabled,
		RequireConsent: must[bool](p, a, "require_consent"),
		Persistence:    Persistence(must[string](p, a, "persistence")),
		FlushInterval:  time.Duration(must[float64](p, a, "flush_interval") * float64(time.Second)),
		BatchSize:      must[int](p, a, "batch_size"),
		MaxQueueSize:   must[int](p, a, "max_queue_size"),
		SessionTimeout: time.Duration(must[float64](p, a, "session_timeout") * float64(time.Second)),
		Namespace:      must[string](p, a, "namespace"),
	}))
	c, err := New(must[string](p, step, "base_url"), opts...)
	if err != nil {
		return failed(err)
	}
	p.client = c
	return map[string]any{}
}

// failed returns the result of a step that failed.
func failed(err error) map[string]any {
	fields := map[string]any{"kind": "base", "message": err.Error()}
	if _, ok := errors.AsType[*AuthError](err); ok {
		fields["kind"] = "auth"
	}
	if _, ok := errors.AsType[*ConnectionError](err); ok {
		fields["kind"] = "connection"
	}
	if e, ok := errors.AsType[*APIError](err); ok {
		fields = map[string]any{"kind": "api", "status": e.Status, "message": e.Message, "method": e.Method, "path": e.Path}
	}
	return map[string]any{"error": fields}
}

func (p *player) call(ctx context.Context, step map[string]json.RawMessage) any {
	p.t.Helper()
	namespace, method := must[string](p, step, "namespace"), must[string](p, step, "method")
	for _, e := range vectors[[]endpoint](p.t, "endpoints") {
		if e.namespace != namespace || e.method != method {
			continue
		}
		err := invoke(ctx, p.client, e, must[map[string]json.RawMessage](p, step, "args"))
		if err == nil {
			return map[string]bool{"ok": true}
		}
		if _, ours := errors.AsType[Error](err); !ours {
			p.t.Fatal(err)
		}
		return failed(err)
	}
	p.t.Fatalf("unknown method %s.%s", namespace, method)
	return nil
}

func (p *player) set(step map[string]json.RawMessage) {
	value := must[string](p, step, "value")
	switch name := must[string](p, step, "name"); name {
	case "token":
		p.client.SetToken(value)
	case "project_key":
		p.client.SetProjectKey(value)
	case "platform":
		p.client.SetPlatform(Platform(value))
	case "platform_version":
		p.client.SetPlatformVersion(value)
	case "locale":
		p.client.SetLocale(value)
	default:
		p.t.Fatalf("unknown setting %q", name)
	}
}

func (p *player) checkUpdates(ctx context.Context, args map[string]json.RawMessage) any {
	u, err := p.client.Updates.Check(ctx, &CheckOptions{
		Force: must[bool](p, args, "force"), IncludePreview: must[bool](p, args, "include_preview"),
	})
	if err != nil {
		return failed(err)
	}
	return map[string]any{"decision": u.Decision, "remembered": u.Remembered}
}

func (p *player) capture(ctx context.Context, args map[string]json.RawMessage) {
	l := p.client.Logs
	l.mu.Lock()
	l.redact = func(r Report) (Report, bool) {
		r.DeviceInfo = map[string]any{}
		return r, true
	}
	l.mu.Unlock()
	function, file, _ := strings.Cut(strings.TrimSuffix(must[string](p, args, "frame"), ")"), " (")
	f := fault{kind: must[string](p, args, "type"), message: must[string](p, args, "message"), frames: []frame{{function: function, file: file}}}
	level := must[LogLevel](p, args, "level")
	l.capture(f, &CaptureOptions{Level: &level})
	l.Flush(ctx)
}

// spin tracks one event per millisecond until the process is killed or the given number of seconds
// has passed. It records the tracked events in a file.
func (p *player) spin(seconds float64, name string) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		p.t.Fatal(err)
	}
	defer file.Close()
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	end := time.After(time.Duration(seconds * float64(time.Second)))
	for i := 0; ; i++ {
		p.client.Public.Track("tick", map[string]any{"i": i})
		if _, err := fmt.Fprintf(file, "%d %d\n", i, time.Now().UnixMilli()); err != nil {
			p.t.Fatal(err)
		}
		select {
		case <-ticker.C:
		case <-end:
			return
		}
	}
}

// bench measures the named call. It makes 2,000 calls to Track per second, and other calls as fast
// as possible.
func (p *player) bench(ctx context.Context, name string, count int) any {
	latest := p.client.base + "/public/" + p.client.ProjectKey() + "/versions/latest"
	run := map[string]func() error{
		"track": func() error {
			p.client.Public.Track("bench", map[string]any{"n": 1, "name": "value"})
			return nil
		},
		"call": func() error {
			_, err := p.client.Public.GetLatestVersion(ctx, nil)
			return err
		},
		"bare": func() error {
			response, err := p.client.http.Get(latest)
			if err != nil {
				return err
			}
			defer response.Body.Close()
			_, err = io.Copy(io.Discard, response.Body)
			return err
		},
	}[name]
	if run == nil {
		p.t.Fatalf("unknown measurement %q", name)
	}
	took := make([]time.Duration, count)
	ticker := time.NewTicker(time.Second / 2000)
	defer ticker.Stop()
	for i := range took {
		if name == "track" {
			<-ticker.C
		}
		start := time.Now()
		if err := run(); err != nil {
			return failed(err)
		}
		took[i] = time.Since(start)
	}
	slices.Sort(took)
	micros := func(part float64) float64 {
		return float64(took[min(count-1, int(part*float64(count)))]) / float64(time.Microsecond)
	}
	return map[string]float64{"p50_us": micros(0.5), "p99_us": micros(0.99), "max_us": micros(1)}
}
