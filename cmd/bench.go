package cmd

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	apicontrol "svc/api/control"
	"svc/internal/control"
	"svc/internal/loadgen"
	measured "svc/internal/loadgen/server"
	"svc/internal/workload"
)

// eventsBench is what "svc bench events" measures.
type eventsBench struct {
	plan        workload.Plan
	connections int
	rounds      int
	shape       string
	keep        string // the data directory; "" = a temporary one
}

// The shapes of events.
const (
	shapeSessions = "sessions"
	shapeVisits   = "visits"
)

func (p *program) benchCommand() *cobra.Command {
	return group("bench", "Run benchmarks on this machine", p.benchEventsCommand())
}

func (p *program) benchEventsCommand() *cobra.Command {
	b := eventsBench{plan: workload.Plan{Start: sampleStart}}
	var asJSON bool
	c := &cobra.Command{
		Use:   "events",
		Short: "Measure ingest and query speed",
		Long: `Generate events, start a server on this machine, send them to it over HTTP as apps
do, each batch synced to disk before its response, and then run every kind of query.
The server is a process of its own that runs "svc serve" with default settings,
except that there is no rate limit and old events keep their timestamps. The load
generator shares the cores with the server.

With --shape sessions a batch is a session of 20 events, and a third of the users
causes most events. With --shape visits a batch is a visit of 8 events, and the
number of visits per user follows Zipf's law.

The data goes to a temporary directory, which is deleted afterwards. With --keep it
stays in the directory that you name, and the next run only runs the queries.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if b.shape != shapeSessions && b.shape != shapeVisits {
				return withCode(exitUsage, fmt.Errorf("--shape must be %s or %s", shapeSessions, shapeVisits))
			}
			r, err := b.run(c, p.stderr)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(p.stdout, r)
			}
			return r.print(p.stdout)
		},
	}
	flags := c.Flags()
	flags.IntVar(&b.plan.Count, "events", 1_000_000, "number of events")
	flags.Uint64Var(&b.plan.Seed, "seed", 1, "seed of the generated events")
	flags.IntVar(&b.plan.Users, "users", 100_000, "number of users")
	flags.IntVar(&b.plan.Names, "names", 50, "number of event names")
	flags.IntVar(&b.plan.Days, "days", 30, "number of days the events span")
	flags.IntVar(&b.connections, "connections", 128, "keep-alive connections")
	flags.IntVar(&b.rounds, "rounds", 5, "runs of each query")
	flags.StringVar(&b.shape, "shape", shapeSessions, "shape of the data: sessions or visits")
	flags.StringVar(&b.keep, "keep", "", "data directory to use and keep")
	addJSON(c, &asJSON)
	return c
}

// sampleStart is 2026-01-01 00:00 UTC, a fixed day so that two runs ask the same.
const sampleStart = 1_767_225_600

// eventsReport is the result, for programs and for people.
type eventsReport struct {
	Events        int           `json:"events"`
	Users         int           `json:"users"`
	Days          int           `json:"days"`
	Shape         string        `json:"shape"`
	Connections   int           `json:"connections"`
	Cores         int           `json:"cores"`
	Platform      string        `json:"platform"`
	EventsPerSec  float64       `json:"events_per_second,omitempty"`    // 0 when they were there already
	Saving        float64       `json:"console_write_p99_ms,omitempty"` // while events come in
	BytesPerEvent float64       `json:"bytes_per_event"`
	Questions     []benchAnswer `json:"questions"`
	PeakMiB       int64         `json:"peak_resident_mib,omitempty"` // beyond mapped files; 0 where the system does not tell
}

type benchAnswer struct {
	Question string  `json:"question"`
	Median   float64 `json:"median_ms"`
	Slowest  float64 `json:"slowest_ms"`
}

func (r *eventsReport) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(out, "%d events of %d users over %d days in %s, %d connections, %d cores, %s\n\n", r.Events, r.Users, r.Days, r.Shape, r.Connections, r.Cores, r.Platform)
	if r.EventsPerSec > 0 {
		_, _ = fmt.Fprintf(w, "%.0f\tevents a second\t\n", r.EventsPerSec)
	}
	if r.Saving > 0 {
		_, _ = fmt.Fprintf(w, "%.1f\tms at most, 99 of 100 times, to save something meanwhile\t\n", r.Saving)
	}
	_, _ = fmt.Fprintf(w, "%.1f\tbytes on disk for each\t\n", r.BytesPerEvent)
	if r.PeakMiB > 0 {
		_, _ = fmt.Fprintf(w, "%d\tMiB of memory at most, without mapped files\t\n", r.PeakMiB)
	}
	_, _ = fmt.Fprintf(w, "\t\t\nms\tslowest\tquestion\t\n")
	for _, q := range r.Questions {
		_, _ = fmt.Fprintf(w, "%.1f\t%.1f\t%s\t\n", q.Median, q.Slowest, q.Question)
	}
	return w.Flush()
}

// run starts a server on the directory, fills it, and asks.
func (b *eventsBench) run(c *cobra.Command, progress io.Writer) (r *eventsReport, err error) {
	temporary, err := os.MkdirTemp("", "svc-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temporary)) }()
	if b.shape == shapeVisits {
		b.plan.SessionEvents, b.plan.Zipf = 8, true
	}
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	r = &eventsReport{
		Events: b.plan.Count, Users: b.plan.Users, Days: b.plan.Days, Shape: b.shape, Connections: b.connections,
		Cores: runtime.GOMAXPROCS(0), Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	program := measured.Program{Path: path, Name: os.Args[0], Logs: temporary}
	return r, b.measure(c.Context(), program, cmp.Or(b.keep, filepath.Join(temporary, "data")), r, progress)
}

const (
	benchProject = "bench"
	// benchChunk is the number of events that are made up beforehand, so that the
	// clock only runs while they are sent.
	benchChunk = 200_000
)

// measure fills a server and asks it.
func (b *eventsBench) measure(ctx context.Context, program measured.Program, dir string, r *eventsReport, progress io.Writer) (err error) {
	s, err := b.serve(ctx, program, dir)
	if err != nil {
		return err
	}
	defer func() {
		if s.Server != nil {
			err = errors.Join(err, s.Stop())
		}
	}()
	there, err := b.prepare(ctx, s)
	if err != nil {
		return err
	}
	var filling int64
	switch {
	case there == 0:
		peak := s.WatchMemory()
		if err := b.send(ctx, s, r, progress); err != nil {
			return err
		}
		filling = peak().Own
		// A stop writes what is in memory only.
		if err := s.Stop(); err != nil {
			return err
		}
		if s, err = b.serve(ctx, program, dir); err != nil {
			return err
		}
	case there != b.plan.Count:
		return fmt.Errorf("%s holds %d events, not %d: use another directory", b.keep, there, b.plan.Count)
	}
	state, err := s.settle(ctx)
	if err != nil {
		return err
	}
	r.BytesPerEvent = float64(state.Events.FileBytes-state.Events.FreeBytes) / float64(b.plan.Count)
	peak := s.WatchMemory()
	defer func() { r.PeakMiB = max(filling, peak().Own) >> 20 }()
	for _, q := range b.questions() {
		answer, err := b.time(ctx, s, q)
		if err != nil {
			return err
		}
		r.Questions = append(r.Questions, answer)
	}
	return nil
}

// prepare makes the project, if it is not there, and says how many events it has.
func (b *eventsBench) prepare(ctx context.Context, s benchServer) (events int, err error) {
	var list json.RawMessage
	if err := s.Call(ctx, http.MethodGet, "/admin/projects", nil, &list); err != nil {
		return 0, err
	}
	if !bytes.Contains(list, []byte(`"project_key":"`+benchProject+`"`)) {
		return 0, s.CreateProject(ctx, benchProject)
	}
	var o struct {
		Total int `json:"total"`
	}
	query := fmt.Sprintf("?start_time=%d&end_time=%d", b.plan.Start, b.plan.Start+int64(b.plan.Days+1)*86400)
	err = s.ask(ctx, question{"overview", "GET", "/events/stats/overview" + query, ""}, &o)
	return o.Total, err
}

// send makes events up and sends them. Meanwhile somebody saves something in the
// console now and then.
func (b *eventsBench) send(ctx context.Context, s benchServer, r *eventsReport, progress io.Writer) error {
	source := workload.New(b.plan)
	var batch workload.Batch
	var took time.Duration
	var saved []float64
	batches := 0
	for sent := 0; sent < b.plan.Count; {
		before := sent
		var requests [][]byte
		for sent-before < benchChunk && source.Next(&batch) {
			requests = append(requests, batch.Request(benchProject))
			batches++
			sent += len(batch.Events)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		stop := keepSaving(ctx, s)
		result, err := loadgen.Target{Name: "svc", Addr: s.Addr, Requests: requests}.Send(b.connections)
		times, failed := stop()
		if err := errors.Join(err, failed); err != nil {
			return err
		}
		saved = append(saved, times...)
		took += result.Took
		say(progress, "%d of %d events, %.0f a second", sent, b.plan.Count, float64(sent-before)/result.Took.Seconds())
	}
	if err := agree(ctx, s, b.plan.Count, batches); err != nil {
		return err
	}
	slices.Sort(saved)
	r.EventsPerSec = float64(b.plan.Count) / took.Seconds()
	r.Saving = saved[len(saved)*99/100]
	return nil
}

// agree compares what was sent with what the server has counted of it.
func agree(ctx context.Context, s benchServer, events, batches int) error {
	state, err := s.status(ctx)
	if err != nil {
		return err
	}
	if state.Events.Stored != uint64(events) || state.Events.Batches != uint64(batches) {
		return fmt.Errorf("the server counted %d events in %d batches, want %d in %d", state.Events.Stored, state.Events.Batches, events, batches)
	}
	return nil
}

// keepSaving changes the project every few milliseconds until the returned
// function is called, which tells how many milliseconds each change took.
func keepSaving(ctx context.Context, s benchServer) (stop func() (times []float64, err error)) {
	var times []float64
	var failed error
	end := background(ctx, func(ctx context.Context) {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for n := 0; failed == nil; n++ {
			begun := time.Now()
			failed = s.ask(context.WithoutCancel(ctx), question{"change of the project", "PATCH", "", fmt.Sprintf(`{"name":"Bench %d"}`, n)}, nil)
			times = append(times, float64(time.Since(begun).Microseconds())/1000)
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	})
	return func() ([]float64, error) {
		end()
		return times, failed
	}
}

// question is one that the console asks.
type question struct {
	name, method, path, body string
}

// questions are all kinds there are, over all days.
func (b *eventsBench) questions() []question {
	end := b.plan.Start + int64(b.plan.Days)*86400 - 1
	span := fmt.Sprintf(`"start_time":%d,"end_time":%d`, b.plan.Start, end)
	query := fmt.Sprintf("?start_time=%d&end_time=%d", b.plan.Start, end)
	const steps = `"steps":[{"event_name":"open"},{"event_name":"view"},{"event_name":"buy"}]`
	return []question{
		{"overview", "GET", "/events/stats/overview" + query, ""},
		{"time series by event, days", "GET", "/events/stats/timeseries" + query + "&group_by=event", ""},
		{"breakdown by platform", "GET", "/events/stats/breakdown" + query + "&dimension=platform", ""},
		{"breakdown by a property of 5 values", "GET", "/events/stats/breakdown" + query + "&dimension=property&property_key=format", ""},
		{"breakdown by a property of 2,000 values", "GET", "/events/stats/breakdown" + query + "&dimension=property&property_key=item", ""},
		{"heat map", "GET", "/events/stats/heatmap" + query, ""},
		{"funnel of 3 steps in 7 days", "POST", "/events/analysis/funnel", `{` + span + `,` + steps + `}`},
		{"the same, any entry", "POST", "/events/analysis/funnel", `{` + span + `,"entry":"any",` + steps + `}`},
		{"funnel with a filter", "POST", "/events/analysis/funnel", `{` + span + `,"steps":[{"event_name":"open"},{"event_name":"buy","filters":[{"property":"plan","op":"eq","value":"pro"}]}]}`},
		{"retention by week", "POST", "/events/analysis/retention", `{` + span + `,"start_event":"open","period":"week","periods":5}`},
		{"retention by day", "POST", "/events/analysis/retention", `{` + span + `,"start_event":"open","period":"day","periods":14}`},
		{"paths of sessions, depth 4", "POST", "/events/analysis/paths", `{` + span + `,"depth":4}`},
		{"paths of users, depth 4", "POST", "/events/analysis/paths", `{` + span + `,"depth":4,"scope":"user"}`},
		{"unique users of an event, days", "POST", "/events/analysis/query", `{` + span + `,"type":"timeseries","events":[{"name":"open","alias":"A","measure":"unique_users"}]}`},
		{"formula of two events", "POST", "/events/analysis/query", `{` + span + `,"type":"value","formula":"A / B * 100","events":[{"name":"buy","alias":"A","measure":"unique_users"},{"name":"open","alias":"B","measure":"unique_users"}]}`},
	}
}

// ask asks a question about the project and decodes the answer unless it is nil.
func (s benchServer) ask(ctx context.Context, q question, answer any) error {
	return s.Call(ctx, q.method, "/admin/projects/"+benchProject+q.path, json.RawMessage(cmp.Or(q.body, "null")), answer)
}

// time asks a question some times; the first time, which finds the file cold, is
// left out.
func (b *eventsBench) time(ctx context.Context, s benchServer, q question) (benchAnswer, error) {
	var all []float64
	for round := range b.rounds + 1 {
		begun := time.Now()
		if err := s.ask(ctx, q, nil); err != nil {
			return benchAnswer{}, err
		}
		if round > 0 {
			all = append(all, float64(time.Since(begun).Microseconds())/1000)
		}
	}
	slices.Sort(all)
	return benchAnswer{Question: q.name, Median: all[len(all)/2], Slowest: all[len(all)-1]}, nil
}

// benchServer is a server that is measured.
type benchServer struct{ *measured.Server }

const (
	// benchSettle is how long is waited for the work of a server in the background.
	benchSettle = 15 * time.Minute
	benchPoll   = 50 * time.Millisecond
	// benchQuiet is how long nothing changes when that is done for now; it begins a
	// minute after a start.
	benchQuiet = 70 * time.Second
)

// serve starts a server on a data directory. It believes old events and lets one
// address send all day.
func (b *eventsBench) serve(ctx context.Context, program measured.Program, dir string) (benchServer, error) {
	skew := time.Since(time.Unix(sampleStart, 0))/time.Second + 86400
	s, err := program.Serve(ctx, dir, "--event-clock-skew-seconds", fmt.Sprint(int(skew)))
	return benchServer{s}, err
}

// settle waits until the server has done its work in the background: all events
// are in blocks, one for each hour, or nothing is done any more.
func (s benchServer) settle(ctx context.Context) (state apicontrol.Status, err error) {
	ctx, cancel := context.WithTimeout(ctx, benchSettle)
	defer cancel()
	blocks, since := 0, time.Now()
	err = s.Await(ctx, benchPoll, func() (done bool, err error) {
		state, err = s.status(ctx)
		if state.Events.Blocks != blocks {
			blocks, since = state.Events.Blocks, time.Now()
		}
		done = blocks == state.Events.Hours || time.Since(since) > benchQuiet
		return done && state.Events.HeadEvents == 0, err
	})
	return state, err
}

func (s benchServer) status(ctx context.Context) (state apicontrol.Status, err error) {
	client := control.Client(s.Data)
	defer client.CloseIdleConnections()
	err = connection{client: client}.call(ctx, http.MethodGet, "/control/status", nil, &state)
	return state, err
}
