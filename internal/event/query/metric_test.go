package query

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"svc/internal/event/block"
	"svc/internal/formula"
	"svc/internal/stats"
)

// randomFacts returns events of a few users with properties of all kinds.
func randomFacts(random *rand.Rand, n int) []fact {
	values := []string{`"x"`, `1`, `1.0`, `"1"`, `null`, `""`, `true`, `[1]`, `"ü"`}
	facts := make([]fact, n)
	for i := range facts {
		facts[i] = fact{
			user: fmt.Sprint(random.IntN(12)), name: fmt.Sprintf("n%d", random.IntN(3)), at: monday - day + random.Int64N(4*day),
			details: block.Details{Platform: uint8(random.IntN(4)), Region: uint16(random.IntN(5))},
		}
		if random.IntN(3) > 0 {
			facts[i].props = block.Properties{{Key: "p", Value: values[random.IntN(len(values))]}}
		}
	}
	return facts
}

// has reports whether a fact has the given name and matches all filters of the lists.
func (f *fact) has(name string, lists ...[]Filter) bool {
	m := funnelModel{steps: []Step{{Event: name, Filters: slices.Concat(lists...)}}}
	return m.matches(*f, 0)
}

func (f *fact) value() value {
	for _, p := range f.props {
		if p.Key == "p" {
			return textValue(p.Value)
		}
	}
	return value{missing: true}
}

// modelMeasure computes a measure of the facts in list. ever holds all facts of the
// range.
func modelMeasure(m Measure, list, ever []fact) float64 {
	users := func(list []fact) float64 {
		set := map[string]bool{}
		for _, f := range list {
			set[f.user] = true
		}
		return float64(len(set))
	}
	switch {
	case m == MeasureUsers:
		return users(list)
	case m == MeasureCount:
		return float64(len(list))
	case len(ever) == 0:
		return 0
	}
	return float64(len(list)) / users(ever)
}

// TestMetricAgainstModel checks that values and series agree with a model that filters
// and counts events one by one.
func TestMetricAgainstModel(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 4))
		facts := randomFacts(random, random.IntN(300))
		m := MetricQuery{Hourly: random.IntN(2) == 0, Range: Range{Start: monday + random.Int64N(day), End: monday + day + random.Int64N(day), OffsetMinutes: []int{0, 330, -210, 480, 7}[random.IntN(5)]}}
		for i := range 1 + random.IntN(4) {
			e := MetricEvent{Name: fmt.Sprintf("n%d", random.IntN(4)), Alias: byte('A' + i), Measure: []Measure{MeasureCount, MeasureUsers, MeasurePerUser}[random.IntN(3)]}
			if random.IntN(2) == 0 {
				e.Filters = filters(t, "p", []string{"eq", "neq", "exists", "gte", "in"}[random.IntN(5)], `"1"`)
			}
			m.Events = append(m.Events, e)
		}
		if random.IntN(2) == 0 {
			m.Filters = filters(t, "p", "neq", `"x"`)
		}
		if random.IntN(2) == 0 {
			m.Formula, _ = formula.Parse("A * 2 + 1", func(byte) bool { return true })
		}
		parts := 1 + random.IntN(3)
		w := newWorld(t, facts, func(i int) int { return i * parts / len(facts) })
		buckets, err := m.buckets(m.Hourly)
		if err != nil {
			t.Fatal(err)
		}
		tally, err := w.query(t.Context(), m.Range).totals(m, buckets)
		if err != nil {
			t.Fatal(err)
		}
		total, err := w.query(t.Context(), m.Range).totals(m, stats.Whole(m.Start, m.End))
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(tally.series(m, buckets), total.values(m, 0))
		if want := modelMetric(facts, m); got != want {
			t.Fatalf("seed %d:\ngot  %s\nwant %s", seed, got, want)
		}
	}
}

func modelMetric(facts []fact, m MetricQuery) string {
	b := stats.Days(m.Start, m.End, m.OffsetMinutes)
	if m.Hourly {
		b = stats.Hours(m.Start, m.End)
	}
	var s MetricTimeseries
	var values []float64
	for i := range b.Len() {
		s.Starts = append(s.Starts, b.Start(i))
	}
	for _, e := range m.Events {
		byBucket := make([][]fact, b.Len())
		var ever []fact
		for _, f := range facts {
			if f.at >= m.Start && f.at <= m.End && f.has(e.Name, e.Filters, m.Filters) {
				at, _ := b.At(f.at)
				byBucket[at], ever = append(byBucket[at], f), append(ever, f)
			}
		}
		line := MetricSeries{Key: string(e.Alias)}
		for _, list := range byBucket {
			line.Values = append(line.Values, modelMeasure(e.Measure, list, ever))
		}
		s.Series = append(s.Series, line)
		values = append(values, modelMeasure(e.Measure, ever, ever))
	}
	if m.Formula != nil { // the formula is always A * 2 + 1
		s.Series = s.Series[:1]
		s.Series[0].Key = "formula"
		for i, v := range s.Series[0].Values {
			s.Series[0].Values[i] = v*2 + 1
		}
	}
	return fmt.Sprint(s, values)
}

// TestMetricBreakdownAgainstModel checks that breakdowns agree with a model that sorts
// events into groups one by one.
func TestMetricBreakdownAgainstModel(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 5))
		facts := randomFacts(random, random.IntN(200))
		m := MetricQuery{
			Range: Range{Start: monday + random.Int64N(day), End: monday + day + random.Int64N(day)},
			Limit: 1 + random.IntN(6), Property: "p",
			GroupBy: []Dimension{ByEvent, ByPlatform, ByRegion, ByProperty}[random.IntN(4)],
			Events:  []MetricEvent{{Name: "n1", Measure: []Measure{MeasureCount, MeasureUsers, MeasurePerUser}[random.IntN(3)]}},
		}
		if random.IntN(2) == 0 {
			m.Filters = filters(t, "p", "neq", `"x"`)
		}
		if random.IntN(2) == 0 {
			m.Events[0].Filters = filters(t, "p", "exists", `null`)
		}
		parts := 1 + random.IntN(3)
		w := newWorld(t, facts, func(i int) int { return i * parts / len(facts) })
		got, err := w.query(t.Context(), m.Range).metricBreakdown(m)
		if err != nil {
			t.Fatal(err)
		}
		if want := modelMetricBreakdown(facts, m); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("seed %d, %+v:\ngot  %v\nwant %v", seed, m, got, want)
		}
		in := BreakdownQuery{Range: m.Range, Property: "p", Limit: 3}
		m.Filters, m.Events[0].Filters, m.Events[0].Measure, m.GroupBy, m.Limit = nil, nil, MeasureCount, ByProperty, 3
		if random.IntN(2) == 0 {
			in.Event = "n1"
		} else {
			m.Events[0].Name = ""
		}
		counted, err := w.query(t.Context(), m.Range).propertyBreakdown(in)
		if err != nil {
			t.Fatal(err)
		}
		if want := modelMetricBreakdown(facts, m); fmt.Sprint(counted) != fmt.Sprint(want) {
			t.Fatalf("seed %d, %+v:\ngot  %v\nwant %v", seed, in, counted, want)
		}
	}
}

// modelMetricBreakdown computes a breakdown from facts. It includes events of all names
// if the query has none.
func modelMetricBreakdown(facts []fact, m MetricQuery) (b MetricBreakdown) {
	groups := map[value][]fact{}
	for _, f := range facts {
		name, own := m.Events[0].Name, m.Events[0].Filters
		if m.GroupBy == ByEvent || name == "" {
			name, own = f.name, nil
		}
		if f.at < m.Start || f.at > m.End || !f.has(name, own, m.Filters) {
			continue
		}
		key := f.value()
		switch m.GroupBy {
		case ByEvent:
			key = value{text: f.name}
		case ByPlatform:
			key = value{text: []string{"others", "others", "windows", "linux"}[f.details.Platform]}
		case ByRegion:
			key = value{text: []string{"UNKNOWN", "LOCAL", "AA", "AB", "AC"}[f.details.Region]}
		case ByProperty:
		}
		groups[key] = append(groups[key], f)
	}
	for key, list := range groups {
		b.Groups = append(b.Groups, MetricGroup{key.text, key.missing, modelMeasure(m.Events[0].Measure, list, list)})
	}
	slices.SortFunc(b.Groups, func(x, y MetricGroup) int {
		return cmp.Or(cmp.Compare(y.Value, x.Value), cmp.Compare(x.Key, y.Key), cmp.Compare(fmt.Sprint(y.Missing), fmt.Sprint(x.Missing)))
	})
	for _, g := range b.Groups {
		b.Total += g.Value
	}
	b.Groups = b.Groups[:min(len(b.Groups), m.Limit)]
	return b
}

// TestCountsOnly checks which breakdowns are computed from the hourly counters alone.
func TestCountsOnly(t *testing.T) {
	t.Parallel()
	some := filters(t, "p", "exists", `null`)
	for _, tc := range []struct {
		by      Dimension
		measure Measure
		own     []Filter
		all     []Filter
		want    bool
	}{
		{ByPlatform, MeasureCount, nil, nil, true},
		{ByRegion, MeasureCount, nil, nil, true},
		{ByEvent, MeasureCount, nil, nil, true},
		{ByEvent, MeasureCount, some, nil, true}, // the filters have no effect
		{ByEvent, MeasureCount, nil, some, false},
		{ByRegion, MeasureCount, some, nil, false},
		{ByRegion, MeasureCount, nil, some, false},
		{ByPlatform, MeasureUsers, nil, nil, false},
		{ByProperty, MeasureCount, nil, nil, false},
	} {
		m := MetricQuery{GroupBy: tc.by, Filters: tc.all, Events: []MetricEvent{{Measure: tc.measure, Filters: tc.own}}}
		if got := m.countsOnly(); got != tc.want {
			t.Errorf("%+v: got %v", tc, got)
		}
	}
}
