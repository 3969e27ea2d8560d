package control

import (
	"errors"
	"log/slog"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"svc/api/web"
	"svc/internal/boltfile"
	"svc/internal/event"
	"svc/internal/jobs"
	"svc/internal/meter"
	"svc/internal/replica"
	index "svc/search"
	"svc/store"
)

// figures is a snapshot of the state from which the metrics and the status are computed.
type figures struct {
	store     store.State
	events    event.State
	search    index.State
	jobs      []jobs.State
	backups   jobs.BackupState
	readiness Readiness
	// replication is nil without replication.
	replication *replica.Status
}

// figures takes a snapshot. A value that cannot be read stays 0 instead of failing the snapshot,
// because the status and alerts also depend on the other values. The error is logged, except for
// damage, which was already logged when it was found.
func (h *Handlers) figures() (f figures) {
	var err, unread error
	f.store, err = h.DB.State()
	if h.Events != nil {
		f.events, unread = h.Events.State()
	}
	for _, err := range []error{err, unread} {
		if err != nil && !errors.Is(err, boltfile.ErrDamaged) {
			h.Log.Error("cannot read some figures", "error", err)
		}
	}
	if h.Search != nil {
		f.search = h.Search.State()
	}
	if h.Jobs != nil {
		f.jobs, f.backups = h.Jobs.List(), h.Jobs.Backups()
	}
	f.readiness = h.readiness(true, false)
	if h.Replication != nil {
		f.replication = new(h.Replication.Status())
	}
	return f
}

// Metrics returns a handler that serves all metrics in the text format of Prometheus. It requires
// no credential: the listener controls access.
func (h *Handlers) Metrics() http.Handler { return h.exposition }

// newExposition returns the handler that serves the metrics.
func (h *Handlers) newExposition() http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collector{h},
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	all := promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		// Export the readable metrics even if some cannot be read.
		ErrorHandling: promhttp.ContinueOnError,
		ErrorLog:      slog.NewLogLogger(h.Log.Handler(), slog.LevelError),
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { all.ServeHTTP(&untilGone{ResponseWriter: w}, r) })
}

// untilGone discards writes after the client has disconnected. Without it, promhttp would log an
// error for each remaining metric.
type untilGone struct {
	http.ResponseWriter
	gone bool
}

// Write never returns an error.
func (w *untilGone) Write(b []byte) (int, error) {
	if !w.gone {
		_, err := w.ResponseWriter.Write(b)
		w.gone = err != nil
	}
	return len(b), nil
}

func (h *Handlers) showMetrics(w http.ResponseWriter, r *web.Request) error {
	h.exposition.ServeHTTP(w, r.Request)
	return nil
}

// kind is the type of a metric.
type kind string

const (
	counterKind kind = "counter"
	gauge       kind = "gauge"
	histogram   kind = "histogram"
)

// family defines a metric by its name, help text and labels, and by a function that reads its
// samples.
type family struct {
	name, help string
	kind       kind
	labels     []string
	read       func(h *Handlers, f *figures, to samples)
}

func (f *family) desc() *prometheus.Desc {
	return prometheus.NewDesc(f.name, f.help, f.labels, nil)
}

// collector reads all families at each scrape.
type collector struct{ handlers *Handlers }

// Describe sends the descriptions of all families.
func (c collector) Describe(to chan<- *prometheus.Desc) {
	for i := range families {
		to <- families[i].desc()
	}
}

// Collect sends the samples of all families. It reads them from one snapshot.
func (c collector) Collect(to chan<- prometheus.Metric) {
	f := c.handlers.figures()
	for i := range families {
		families[i].read(c.handlers, &f, samples{to, families[i].desc(), families[i].kind})
	}
}

// samples sends the samples of a family to the registry.
type samples struct {
	to   chan<- prometheus.Metric
	desc *prometheus.Desc
	kind kind
}

func (s samples) add(value float64, labels ...string) {
	of := prometheus.GaugeValue
	if s.kind == counterKind {
		of = prometheus.CounterValue
	}
	s.to <- prometheus.MustNewConstMetric(s.desc, of, value, labels...)
}

// addDistribution adds a histogram. perUnit is the raw value that is exported as 1.
func (s samples) addDistribution(d meter.Distribution, perUnit float64, labels ...string) {
	buckets := make(map[float64]uint64, len(d.Bounds))
	var below uint64
	for i, bound := range d.Bounds {
		below += d.Counts[i]
		buckets[float64(bound)/perUnit] = below
	}
	s.to <- prometheus.MustNewConstHistogram(s.desc, d.Total(), float64(d.Sum)/perUnit, buckets, labels...)
}
