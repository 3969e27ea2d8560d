package query

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"svc/internal/event/block"
	"svc/internal/stats"
)

// The benchmarks use the data of one month of a project with 100,000 users.
const (
	benchHours    = 30 * 24
	benchEvents   = 13_900 // events per hour
	benchSubjects = 100_000
	benchNames    = 20
)

// benchWorld builds the benchmark's events once. A session has about ten events within an
// hour.
var benchWorld = sync.OnceValue(func() *world {
	random := rand.New(rand.NewPCG(1, 2))
	w := &world{hours: map[int64][]*block.Columns{}, names: []string{""}}
	for i := range benchNames {
		w.names = append(w.names, fmt.Sprintf("event_%d", i))
	}
	plans := []string{`"free"`, `"pro"`, `"team"`, `1`, `null`}
	session := uint32(0)
	for hour := range int64(benchHours) {
		var r block.Rows
		for len(r.Senders) < benchEvents/10 {
			session++
			subject := uint32(random.Float64()*random.Float64()*benchSubjects) + 1
			r.Senders = append(r.Senders, block.Sender{Subject: subject, Session: session, Details: block.Details{Platform: uint8(random.IntN(8)), Region: uint16(random.IntN(stats.Regions))}})
		}
		for range benchEvents {
			r.Seconds = append(r.Seconds, uint16(random.IntN(hourSeconds)))
			r.Names = append(r.Names, uint32(random.Float64()*random.Float64()*benchNames)+1)
			r.SenderOf = append(r.SenderOf, uint32(random.IntN(len(r.Senders))))
		}
		slices.Sort(r.Seconds)
		r.Props = make([]block.Properties, benchEvents)
		p := columnsOf(monday+hour*hourSeconds, &r)
		codes := make([]uint32, benchEvents)
		for row := range codes {
			codes[row] = uint32(random.IntN(len(plans) + 1))
		}
		c := block.NewColumn(codes, append([]string{""}, plans...))
		p.Property = func(string) (*block.Column, error) { return c, nil }
		w.hours[p.Hour] = []*block.Columns{p}
	}
	return w
})

func benchQuery(b *testing.B, run func(q *query) error) {
	b.Helper()
	w := benchWorld()
	r := Range{Start: monday, End: monday + benchHours*hourSeconds - 1}
	for b.Loop() {
		q := w.query(context.Background(), r)
		q.memory.max = 192 << 20
		if err := run(q); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(q.memory.used.Load()>>20), "MiB")
	}
}

func BenchmarkFunnel(b *testing.B) {
	for _, anyEntry := range []bool{false, true} {
		b.Run(fmt.Sprintf("any=%v", anyEntry), func(b *testing.B) {
			benchQuery(b, func(q *query) error {
				_, err := q.funnel(FunnelQuery{Range: q.Range, Window: 7 * day, AnyEntry: anyEntry, Steps: []Step{{Event: "event_1"}, {Event: "event_3"}, {Event: "event_6"}}})
				return err
			})
		})
	}
}

func BenchmarkCohorts(b *testing.B) {
	for _, back := range []string{"", "event_2"} {
		b.Run("return="+back, func(b *testing.B) {
			benchQuery(b, func(q *query) error {
				_, err := q.cohorts(CohortQuery{Range: q.Range, StartEvent: "event_1", ReturnEvent: back, Weekly: true, Periods: 5, Now: q.End})
				return err
			})
		})
	}
}

func BenchmarkPaths(b *testing.B) {
	for _, users := range []bool{false, true} {
		b.Run(fmt.Sprintf("users=%v", users), func(b *testing.B) {
			benchQuery(b, func(q *query) error {
				_, err := q.paths(PathsQuery{Range: q.Range, Depth: 4, Branches: 5, Users: users})
				return err
			})
		})
	}
}

func BenchmarkUniques(b *testing.B) {
	benchQuery(b, func(q *query) error {
		_, _, err := q.uniques()
		return err
	})
}

func BenchmarkPropertyBreakdown(b *testing.B) {
	for _, only := range []string{"", "event_1"} {
		b.Run("event="+only, func(b *testing.B) {
			benchQuery(b, func(q *query) error {
				_, err := q.propertyBreakdown(BreakdownQuery{Range: q.Range, Property: "plan", Event: only, Limit: 20})
				return err
			})
		})
	}
}

func BenchmarkMetric(b *testing.B) {
	m := MetricQuery{Events: []MetricEvent{{Name: "event_1", Measure: MeasureUsers}, {Name: "event_3", Measure: MeasurePerUser}}, Limit: 20}
	b.Run("timeseries", func(b *testing.B) {
		benchQuery(b, func(q *query) error {
			buckets, err := q.buckets(false)
			if err != nil {
				return err
			}
			_, err = q.totals(m, buckets)
			return err
		})
	})
	for _, by := range []Dimension{ByEvent, ByRegion, ByProperty} {
		b.Run(string(by), func(b *testing.B) {
			m.GroupBy = by
			benchQuery(b, func(q *query) error {
				_, err := q.metricBreakdown(m)
				return err
			})
		})
	}
}
