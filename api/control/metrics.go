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
	index "svc/search"
	"svc/store"
)

// figures are what metrics and the status are made of, at one moment.
type figures struct {
	store     store.State
	events    event.State
	search    index.State
	jobs      []jobs.State
	backups   jobs.BackupState
	readiness Readiness
}

// figures reads all figures. One that cannot be read stays 0, because a status and alerts
// depend on the others. The cause is logged, except for damage, which was logged when it was
// found.
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
	f.readiness = h.readiness(true)
	return f
}

// Metrics answers with all metrics in the text format of Prometheus. It asks for
// no credential: the listener that serves it decides who reaches it.
func (h *Handlers) Metrics() http.Handler { return h.exposition }

// newExposition makes the handler of the metrics.
func (h *Handlers) newExposition() http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collector{h},
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	all := promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		// What can be read is worth more than an error.
		ErrorHandling: promhttp.ContinueOnError,
		ErrorLog:      slog.NewLogLogger(h.Log.Handler(), slog.LevelError),
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { all.ServeHTTP(&untilGone{ResponseWriter: w}, r) })
}

// untilGone is an answer to a client that may hang up, which is no error: nothing is
// sent after that. promhttp would log one for each metric that is left.
type untilGone struct {
	http.ResponseWriter
	gone bool
}

// Write never fails.
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

// kind is what a metric does over time.
type kind string

const (
	counterKind kind = "counter"
	gauge       kind = "gauge"
	histogram   kind = "histogram"
)

// family is one metric: what it is called, and how it is read.
type family struct {
	name, help string
	kind       kind
	labels     []string
	read       func(h *Handlers, f *figures, to samples)
}

func (f *family) desc() *prometheus.Desc {
	return prometheus.NewDesc(f.name, f.help, f.labels, nil)
}

// collector reads the families at each scrape.
type collector struct{ handlers *Handlers }

// Describe lists the families.
func (c collector) Describe(to chan<- *prometheus.Desc) {
	for i := range families {
		to <- families[i].desc()
	}
}

// Collect reads them all from one state.
func (c collector) Collect(to chan<- prometheus.Metric) {
	f := c.handlers.figures()
	for i := range families {
		families[i].read(c.handlers, &f, samples{to, families[i].desc(), families[i].kind})
	}
}

// samples takes the values of a family.
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

// spread adds a distribution whose values are so many to the unit.
func (s samples) spread(d meter.Distribution, perUnit float64, labels ...string) {
	buckets := make(map[float64]uint64, len(d.Bounds))
	var below uint64
	for i, bound := range d.Bounds {
		below += d.Counts[i]
		buckets[float64(bound)/perUnit] = below
	}
	s.to <- prometheus.MustNewConstHistogram(s.desc, d.Total(), float64(d.Sum)/perUnit, buckets, labels...)
}
