package event_test

import (
	"encoding/json"
	"strings"

	"svc/internal/event"
	"svc/internal/event/query"
)

// questions returns generators of all kinds of queries.
func (g *generator) questions() []func() operation {
	return []func() operation{
		func() operation { return overview(g.project(), g.span()) },
		func() operation { return series(g.project(), g.seriesQuery()) },
		func() operation { return breakdown(g.project(), g.breakdownQuery()) },
		func() operation { return heatmap(g.project(), g.span(), g.nameOrAll()) },
		func() operation { return funnel(g.project(), g.funnelSpec()) },
		func() operation { return cohorts(g.project(), g.cohortQuery()) },
		func() operation { return paths(g.project(), g.pathsQuery()) },
		func() operation { return metricValue(g.project(), g.metricSpec()) },
		func() operation { return metricTimeseries(g.project(), g.metricSpec()) },
		func() operation { return metricBreakdown(g.project(), g.metricSpec()) },
		func() operation { return export(g.project(), pick(g, g.subjects...)) },
		func() operation { return definitions(g.project(), g.definitionsQuery()) },
	}
}

// question returns a query of a random kind.
func (g *generator) question() operation { return pick(g, g.questions()...)() }

// span returns a random range, which often contains much of the data.
func (g *generator) span() query.Range {
	r := query.Range{Start: g.moment(), End: g.moment(), OffsetMinutes: pick(g, someOffsets...)}
	switch g.IntN(8) {
	case 0, 1, 2, 3:
		r.Start, r.End = g.start-3*day, g.start+12*day
	case 4:
		r.Start = max(0, g.start-50*day)
	case 5:
		r.End = r.Start
	}
	if g.IntN(4) == 0 {
		r.Start = floor(pick(g, g.moments...), day, 60*int64(r.OffsetMinutes))
	}
	r.Start = max(0, r.Start)
	return query.Range{Start: min(r.Start, r.End), End: max(r.Start, r.End), OffsetMinutes: r.OffsetMinutes}
}

// name returns a stored name, or rarely one that is not stored.
func (g *generator) name() string {
	if g.IntN(20) == 0 {
		return "nothing"
	}
	return pick(g, g.names...)
}

func (g *generator) nameOrAll() string { return pick(g, "", g.name()) }

// property returns a key that is used, or rarely one that is not used.
func (g *generator) property() string {
	if g.IntN(20) == 0 {
		return "nothing"
	}
	return pick(g, g.keys...)
}

func (g *generator) seriesQuery() query.SeriesQuery {
	return query.SeriesQuery{
		Range: g.span(), Hourly: g.IntN(2) == 0, Event: g.nameOrAll(),
		GroupBy: pick(g, "", query.ByEvent, query.ByPlatform, query.ByRegion), Limit: pick(g, 1, 2, 8, 20),
	}
}

func (g *generator) breakdownQuery() query.BreakdownQuery {
	return query.BreakdownQuery{
		Range: g.span(), Dimension: pick(g, query.ByEvent, query.ByPlatform, query.ByRegion, query.ByProperty, query.ByProperty),
		Property: g.property(), Event: g.nameOrAll(), Limit: pick(g, 1, 2, 5, 20, 200),
	}
}

func (g *generator) funnelSpec() funnelSpec {
	q := funnelSpec{
		Range: g.span(), AnyEntry: g.IntN(2) == 0,
		Window: pick(g, int64(60), 61, 3600, 86400, 604800, 2592000),
	}
	for range 2 + g.IntN(pick(g, 1, 3, 7)) {
		q.Steps = append(q.Steps, stepSpec{Event: g.name(), Filters: g.filters(1)})
	}
	return q
}

func (g *generator) cohortQuery() query.CohortQuery {
	return query.CohortQuery{
		Range: g.span(), StartEvent: g.name(), ReturnEvent: g.nameOrAll(), Weekly: g.IntN(3) == 0,
		Periods: pick(g, 2, 3, 7, 30), Now: pick(g, g.now, g.moment()),
	}
}

func (g *generator) pathsQuery() query.PathsQuery {
	return query.PathsQuery{
		Range: g.span(), StartEvent: g.nameOrAll(), Depth: 2 + g.IntN(5),
		Branches: pick(g, 1, 2, 3, 5, 20), Users: g.IntN(2) == 0,
	}
}

func (g *generator) definitionsQuery() event.DefinitionsQuery {
	return event.DefinitionsQuery{
		Range: g.span(), Search: pick(g, "", "", "e", "OPEN", "käu", "A.b", "nothing"), Archived: g.IntN(2) == 0,
		Limit: pick(g, 1, 3, 50, 200), Offset: pick(g, 0, 0, 0, 1, 10),
	}
}

func (g *generator) metricSpec() metricSpec {
	q := metricSpec{
		Range: g.span(), Filters: g.filters(2), Hourly: g.IntN(3) == 0,
		GroupBy:  pick(g, query.ByProperty, query.ByPlatform, query.ByRegion, query.ByEvent),
		Property: g.property(), Limit: pick(g, 1, 2, 20, 50),
	}
	var aliases []byte
	for _, i := range g.Perm(26)[:1+g.IntN(6)] {
		alias := byte('A' + i)
		aliases = append(aliases, alias)
		q.Events = append(q.Events, operandSpec{
			Name: pick(g, g.name(), ""), Alias: alias, Filters: g.filters(2),
			Measure: pick(g, query.MeasureCount, query.MeasureUsers, query.MeasurePerUser),
		})
	}
	if g.IntN(2) == 0 {
		if f := g.term(aliases, 4); len(f.text(1)) <= 256 {
			q.Formula = f
		}
	}
	return q
}

// term returns a formula that is at most depth operations deep.
func (g *generator) term(aliases []byte, depth int) *term {
	switch op := pick[byte](g, '+', '-', '*', '/', 'n', '0', 'A', 'A'); {
	case op == '0':
		return &term{op: op, number: pick(g, "0", "1", "100", "0.5", "3.10", "007", "1"+strings.Repeat("0", 40))}
	case op == 'A' || depth == 0:
		return &term{op: 'A', alias: pick(g, aliases...)}
	case op == 'n':
		return &term{op: op, left: g.term(aliases, depth-1)}
	default:
		return &term{op: op, left: g.term(aliases, depth-1), right: g.term(aliases, depth-1)}
	}
}

// filters returns mostly no filters, and rarely as many as possible.
func (g *generator) filters(most int) []filterSpec {
	if g.IntN(5) < 3 {
		return nil
	}
	if g.IntN(20) == 0 {
		most = 10
	}
	var list []filterSpec
	for range 1 + g.IntN(most) {
		list = append(list, filterSpec{
			Property: g.property(),
			Op:       pick(g, "eq", "neq", "in", "not_in", "contains", "gt", "gte", "lt", "lte", "exists", "not_exists"),
			Value:    g.filterValue(),
		})
	}
	return list
}

// filterValue returns no value, a single one, or an array.
func (g *generator) filterValue() json.RawMessage {
	scalar := func() string {
		for {
			if v := pick(g, someValues...); strings.IndexByte("{[n", v[0]) < 0 && !unclear[v] {
				return v
			}
		}
	}
	switch g.IntN(8) {
	case 0:
		return nil
	case 1:
		return json.RawMessage("null")
	case 2, 3:
		values := make([]string, g.IntN(4))
		if g.IntN(10) == 0 {
			values = make([]string, 60)
		}
		for i := range values {
			values[i] = scalar()
		}
		return json.RawMessage("[" + strings.Join(values, ",") + "]")
	case 4:
		return json.RawMessage(pick(g, `"a,b,free"`, `"free, pro"`, `",1"`, `"1,,1000,true"`, `"`+strings.Repeat("x,", 49)+`free,pro"`, `"`+strings.Repeat("x,", 50)+`free,1000"`))
	}
	return json.RawMessage(scalar())
}

// unclear lists texts for which the contract does not define whether they are numbers.
var unclear = map[string]bool{`"1e3"`: true, `" 30"`: true, `"1."`: true, `".5"`: true, `"+1"`: true}
