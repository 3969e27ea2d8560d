package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"time"

	"svc/bench/internal/loadgen"
	"svc/bench/internal/workload"
	"svc/internal/testutil/server"
)

const (
	eventBytesBar  = 34  // stored bytes per event
	queryMemoryBar = 256 // in MiB
)

// barEvents is the number of events for which eventBytesBar and questionBars are defined.
const barEvents = 10_000_000

// questionBars holds the maximum durations of queries, in milliseconds.
var questionBars = map[string]float64{
	"overview":                            40,
	"breakdown by a property of 5 values": 40,
	"funnel of 3 steps in 7 days":         50,
	"retention by week":                   60,
	"paths of sessions, depth 4":          140,
}

// barOf returns the given bar if the run has barEvents events. Otherwise the bar does not apply,
// and barOf returns 0.
func (s *suite) barOf(bar float64) float64 {
	if s.events != barEvents {
		return 0
	}
	return bar
}

// The shapes of the generated events. In shapeSessions, a session has 20 events, and a third of the
// users causes most of the events. In shapeVisits, a visit has 8 events, and the number of visits
// per user follows Zipf's law.
const (
	shapeSessions = "sessions"
	shapeVisits   = "visits"
)

const (
	eventUsers = 100_000
	eventDays  = 30
	// eventStart is 2026-01-01 00:00 UTC. It is a fixed day so that all runs query the same range.
	eventStart = 1_767_225_600
	// eventChunk is the number of events that are generated in advance, so that generating events
	// is not part of the measured time.
	eventChunk = 200_000
)

// eventPlan returns a plan of s.events events in the given shape.
func (s *suite) eventPlan(shape string) workload.Plan {
	p := workload.Plan{Seed: 1, Users: eventUsers, Names: 50, Days: eventDays, Start: eventStart, Count: s.events}
	if shape == shapeVisits {
		p.SessionEvents, p.Zipf = 8, true
	}
	return p
}

// serveEvents starts a server on the data directory of a shape. The server accepts the plan's event
// times.
func (s *suite) serveEvents(shape string) (*server.Server, error) {
	skew := time.Since(time.Unix(eventStart, 0)) + 24*time.Hour
	return s.program.Serve(s.ctx, s.folder(shape), "--event-clock-skew-seconds", fmt.Sprint(int(skew.Seconds())))
}

// filling holds the results of ingestion.
type filling struct {
	perSecond float64
	saveP99   float64 // 99th percentile of the duration of a change in the console during ingestion, in milliseconds
	peak      int64   // peak memory in bytes, without mapped files
}

// fill sends the events of the plan to a server with the data directory of a shape. It then stops
// the server, so that everything is written to disk.
func (s *suite) fill(shape string) (f filling, err error) {
	svc, err := s.serveEvents(shape)
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, svc.Stop()) }()
	if err := svc.CreateProject(s.ctx, benchProject); err != nil {
		return f, err
	}
	peak := svc.WatchMemory()
	source := workload.New(s.eventPlan(shape))
	var took time.Duration
	var saves []float64
	for made := 0; made < s.events; made += eventChunk { // chunks are a multiple of the batches of both shapes
		requests := batches(source, eventChunk)
		stop := s.keepSaving(svc)
		result, err := loadgen.Target{Name: "svc", Addr: svc.Addr, Requests: requests}.Send(ingestConnections)
		times, failed := stop()
		if err := errors.Join(err, failed, s.ctx.Err()); err != nil {
			return f, err
		}
		saves, took = append(saves, times...), took+result.Took
	}
	stored, err := svc.Metric(s.ctx, "svc_events_stored_total")
	if err != nil {
		return f, err
	}
	if int(stored) != s.events {
		return f, fmt.Errorf("the server has stored %.0f events, want %d", stored, s.events)
	}
	slices.Sort(saves)
	return filling{perSecond: stored / took.Seconds(), saveP99: saves[len(saves)*99/100], peak: peak().Own}, nil
}

// fillOnce fills the data directory of a shape if no earlier benchmark has done so.
func (s *suite) fillOnce(shape string) error {
	_, err := os.Stat(s.folder(shape))
	if errors.Is(err, fs.ErrNotExist) {
		_, err = s.fill(shape)
	}
	return err
}

// keepSaving changes the project every 20 milliseconds until stop is called. stop returns the
// duration of each change in milliseconds.
func (s *suite) keepSaving(svc *server.Server) (stop func() (times []float64, err error)) {
	ctx, cancel := context.WithCancel(s.ctx)
	done := make(chan struct{})
	var times []float64
	var failed error
	go func() {
		defer close(done)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for n := 0; failed == nil; n++ {
			begun := time.Now()
			failed = ask(s.ctx, svc, question{"change of the project", http.MethodPatch, "", fmt.Sprintf(`{"name":"Bench %d"}`, n)})
			times = append(times, float64(time.Since(begun).Microseconds())/1000)
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}()
	return func() ([]float64, error) {
		cancel()
		<-done
		return times, failed
	}
}

// questions fills a data directory with the events of a shape and measures every kind of query.
func (s *suite) questions(shape string) (err error) {
	f, err := s.fill(shape)
	if err != nil {
		return err
	}
	svc, err := s.serveEvents(shape)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, svc.Stop()) }()
	bytes, err := settle(s.ctx, svc)
	if err != nil {
		return err
	}
	perEvent := bytes / float64(s.events)
	peak := svc.WatchMemory()
	var asked []row
	for _, q := range everyQuestion {
		median, slowest, err := s.time(svc, q)
		if err != nil {
			return err
		}
		asked = append(asked, row{
			what: q.name, figure: median, bar: s.barOf(questionBars[q.name]), atMost: true, unit: "ms",
			ours: fmt.Sprintf("%.1f ms, %.1f ms at most", median, slowest),
		})
	}
	mib := max(f.peak, peak().Own) >> 20
	rows := []row{
		{what: "taken in", ours: number(f.perSecond) + " events/s"},
		{what: "saving something meanwhile, 99 of 100 times", ours: fmt.Sprintf("%.1f ms", f.saveP99)},
		{
			what: "bytes of an event on disk", figure: perEvent, bar: s.barOf(eventBytesBar), atMost: true,
			ours: fmt.Sprintf("%.1f", perEvent),
		},
		{
			what: "memory at most, without mapped files", figure: float64(mib), bar: queryMemoryBar, atMost: true, unit: "MiB",
			ours: fmt.Sprintf("%d MiB", mib),
		},
	}
	title := fmt.Sprintf("%s events of %s users over %d days in %s; go run ./bench/duckdb has the reference",
		number(float64(s.events)), number(eventUsers), eventDays, shape)
	return s.print(title, append(rows, asked...))
}

const (
	settleTime = 15 * time.Minute
	settlePoll = 50 * time.Millisecond
	// settleQuiet is how long no block may change before the server is assumed to have finished
	// merging. It must be more than a minute, because the server starts merging a minute after its
	// start.
	settleQuiet = 70 * time.Second
)

// settle waits until the server has merged the blocks of events. It returns the number of bytes
// that the blocks use in the server's file.
func settle(ctx context.Context, svc *server.Server) (used float64, err error) {
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	var last float64
	since := time.Now()
	err = svc.Await(ctx, settlePoll, func() (bool, error) {
		var head, blocks, unmerged, file, free float64
		for name, value := range map[string]*float64{
			"svc_events_head_events": &head, "svc_events_blocks": &blocks, "svc_events_unmerged_blocks": &unmerged,
			"svc_events_file_bytes": &file, "svc_events_free_bytes": &free,
		} {
			var err error
			if *value, err = svc.Metric(ctx, name); err != nil {
				return false, err
			}
		}
		if blocks != last {
			last, since = blocks, time.Now()
		}
		used = file - free
		return head == 0 && (unmerged == 0 || time.Since(since) > settleQuiet), nil
	})
	return used, err
}

// question is a query that the console sends.
type question struct {
	name, method, path, body string
}

// everyQuestion holds one query of each kind. The queries cover all days.
var everyQuestion = func() []question {
	const end = eventStart + eventDays*86400 - 1
	span := fmt.Sprintf(`"start_time":%d,"end_time":%d`, eventStart, end)
	query := fmt.Sprintf("?start_time=%d&end_time=%d", eventStart, end)
	const steps = `"steps":[{"event_name":"open"},{"event_name":"view"},{"event_name":"buy"}]`
	const filtered = `"steps":[{"event_name":"open"},{"event_name":"buy","filters":[{"property":"plan","op":"eq","value":"pro"}]}]`
	const buyers, openers = `{"name":"buy","alias":"A","measure":"unique_users"}`, `{"name":"open","alias":"B","measure":"unique_users"}`
	get := func(name, path string) question { return question{name, http.MethodGet, "/events/stats/" + path, ""} }
	post := func(name, path, rest string) question {
		return question{name, http.MethodPost, "/events/analysis/" + path, `{` + span + `,` + rest + `}`}
	}
	return []question{
		get("overview", "overview"+query),
		get("time series by event, days", "timeseries"+query+"&group_by=event"),
		get("breakdown by platform", "breakdown"+query+"&dimension=platform"),
		get("breakdown by a property of 5 values", "breakdown"+query+"&dimension=property&property_key=format"),
		get("breakdown by a property of 2,000 values", "breakdown"+query+"&dimension=property&property_key=item"),
		get("heat map", "heatmap"+query),
		post("funnel of 3 steps in 7 days", "funnel", steps),
		post("the same, any entry", "funnel", `"entry":"any",`+steps),
		post("funnel with a filter", "funnel", filtered),
		post("retention by week", "retention", `"start_event":"open","period":"week","periods":5`),
		post("retention by day", "retention", `"start_event":"open","period":"day","periods":14`),
		post("paths of sessions, depth 4", "paths", `"depth":4`),
		post("paths of users, depth 4", "paths", `"depth":4,"scope":"user"`),
		post("unique users of an event, days", "query", `"type":"timeseries","events":[{"name":"open","alias":"A","measure":"unique_users"}]`),
		post("formula of two events", "query", `"type":"value","formula":"A / B * 100","events":[`+buyers+`,`+openers+`]`),
	}
}()

// ask sends a query about the project's events.
func ask(ctx context.Context, svc *server.Server, q question) error {
	var body any
	if q.body != "" {
		body = json.RawMessage(q.body)
	}
	return svc.Call(ctx, q.method, "/admin/projects/"+benchProject+q.path, body, nil)
}

// time sends a query once per round and returns the median and the longest duration in
// milliseconds. It ignores the first duration, because the file is not cached yet.
func (s *suite) time(svc *server.Server, q question) (middle, slowest float64, err error) {
	var all []float64
	for round := range s.rounds + 1 {
		begun := time.Now()
		if err := ask(s.ctx, svc, q); err != nil {
			return 0, 0, err
		}
		if round > 0 {
			all = append(all, float64(time.Since(begun).Microseconds())/1000)
		}
	}
	return median(all), slices.Max(all), nil
}
