package api

import (
	"log/slog"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

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
	readiness readinessView
}

func (s *Server) figures() (f figures, err error) {
	if f.store, err = s.db.State(); err != nil {
		return f, err
	}
	if s.config.Events != nil {
		if f.events, err = s.config.Events.State(); err != nil {
			return f, err
		}
	}
	if s.config.Search != nil {
		f.search = s.config.Search.State()
	}
	if s.config.Jobs != nil {
		f.jobs, f.backups = s.config.Jobs.List(), s.config.Jobs.Backups()
	}
	f.readiness = s.readiness(true)
	return f, nil
}

// Metrics answers with all metrics in the text format of Prometheus. It asks for
// no credential: whoever serves it decides who reaches it.
func (s *Server) Metrics() http.Handler { return s.exposition }

// newExposition makes the handler of the metrics.
func (s *Server) newExposition() http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collector{s},
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		// What can be read is worth more than an error.
		ErrorHandling: promhttp.ContinueOnError,
		ErrorLog:      slog.NewLogLogger(s.log.Handler(), slog.LevelError),
	})
}

func (s *Server) showMetrics(w http.ResponseWriter, r *request) error {
	s.exposition.ServeHTTP(w, r.Request)
	return nil
}

// kind is what a metric does over time.
type kind string

const (
	counter   kind = "counter"
	gauge     kind = "gauge"
	histogram kind = "histogram"
)

// family is one metric: what it is called, and how it is read.
type family struct {
	name, help string
	kind       kind
	labels     []string
	read       func(s *Server, f *figures, to samples)
}

func (f *family) desc() *prometheus.Desc {
	return prometheus.NewDesc(f.name, f.help, f.labels, nil)
}

// collector reads the families when somebody asks.
type collector struct{ server *Server }

// Describe lists the families.
func (c collector) Describe(to chan<- *prometheus.Desc) {
	for i := range families {
		to <- families[i].desc()
	}
}

// Collect reads them all from one state.
func (c collector) Collect(to chan<- prometheus.Metric) {
	f, err := c.server.figures()
	if err != nil {
		to <- prometheus.NewInvalidMetric(families[0].desc(), err)
		return
	}
	for i := range families {
		families[i].read(c.server, &f, samples{to, families[i].desc(), families[i].kind})
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
	if s.kind == counter {
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
