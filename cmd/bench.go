package cmd

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"svc/internal/sample"
	"svc/internal/setting"
)

// eventsBench is what "svc bench events" measures.
type eventsBench struct {
	plan        sample.Plan
	connections int
	rounds      int
	keep        string // the data directory; "" = a temporary one
}

func (p *program) benchCommand() *cobra.Command {
	return group("bench", "Measure this machine", p.benchEventsCommand())
}

func (p *program) benchEventsCommand() *cobra.Command {
	b := eventsBench{plan: sample.Plan{Start: sampleStart}}
	var asJSON bool
	c := &cobra.Command{
		Use:   "events",
		Short: "Measure how fast events come in and questions are answered",
		Long: `Make up events, send them to a server on this machine as apps do, in batches of
20 over HTTP, each on disk before its answer, and ask the server every kind of
question about them. The generator runs on the same cores as the server.

Everything is in a temporary directory and is removed afterwards. The directory
of --keep stays, and the next run with it asks without sending again.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
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
	flags.Uint64Var(&b.plan.Seed, "seed", 1, "other events for another number")
	flags.IntVar(&b.plan.Users, "users", 100_000, "users they come from")
	flags.IntVar(&b.plan.Names, "names", 50, "names of events")
	flags.IntVar(&b.plan.Days, "days", 30, "days they are spread over")
	flags.IntVar(&b.connections, "connections", 128, "keep-alive connections")
	flags.IntVar(&b.rounds, "rounds", 5, "how often each question is asked")
	flags.StringVar(&b.keep, "keep", "", "data directory to use and to keep")
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
	_, _ = fmt.Fprintf(out, "%d events of %d users over %d days, %d connections, %d cores, %s\n\n", r.Events, r.Users, r.Days, r.Connections, r.Cores, r.Platform)
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
	dir := b.keep
	if dir == "" {
		if dir, err = os.MkdirTemp("", "svc-bench-"); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	s, err := setting.Load(setting.Sources{Flag: benchSettings(dir), Env: noVariables, ReadFile: os.ReadFile})
	if err != nil {
		return nil, err
	}
	if _, err := makeFolder(s.Data); err != nil {
		return nil, err
	}
	i, err := takeOver(c.Context(), s, nil, commandLog(progress))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, i.close()) }()
	var config net.ListenConfig
	listener, err := config.Listen(c.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	server := newHTTP(i.handler, commandLog(progress), newConnections(mostConnections(openFiles()), commandLog(progress)))
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	defer func() {
		_ = server.Close()
		if failed := <-ended; !errors.Is(failed, http.ErrServerClosed) {
			err = errors.Join(err, failed)
		}
	}()
	r = &eventsReport{
		Events: b.plan.Count, Users: b.plan.Users, Days: b.plan.Days, Connections: b.connections,
		Cores: runtime.GOMAXPROCS(0), Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	return r, b.measure(c.Context(), i, listener.Addr().String(), r, progress)
}

// benchSettings are those of a server for measuring: it believes old events and
// lets one address send all day.
func benchSettings(dir string) func(string) (string, bool) {
	flags := map[string]string{
		"data": dir, "public-rate-limit": "0", "event-clock-skew-seconds": fmt.Sprint(int(time.Since(time.Unix(sampleStart, 0))/time.Second) + 86400),
	}
	return func(name string) (string, bool) {
		value, ok := flags[name]
		return value, ok
	}
}

func noVariables(string) (string, bool) { return "", false }
