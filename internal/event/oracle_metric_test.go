package event_test

import (
	"cmp"
	"math"
	"slices"

	"svc/internal/event/query"
)

// operandSpec is an event of a metric in the form in which a client sends it.
type operandSpec struct {
	Name    string
	Alias   byte
	Measure query.Measure
	Filters []filterSpec
}

// metricSpec is a metric in the form in which a client sends it.
type metricSpec struct {
	query.Range
	Events   []operandSpec
	Filters  []filterSpec
	Formula  *term
	Hourly   bool
	GroupBy  query.Dimension
	Property string
	Limit    int
}

// matching returns the events of an operand in the range, in order.
func (p *project) matching(q metricSpec, o operandSpec) []*record {
	return slices.DeleteFunc(p.in(q.Range), func(r *record) bool {
		return o.Name != "" && r.Name != o.Name || !holdAll(o.Filters, r) || !holdAll(q.Filters, r)
	})
}

// measure computes a measure of records. For an average per user, it divides by users,
// the number of distinct users.
func measure(m query.Measure, records []*record, users int) float64 {
	switch {
	case m == query.MeasureCount:
		return float64(len(records))
	case m == query.MeasureUsers:
		return float64(len(by(records, subjectOf)))
	case users == 0:
		return 0
	}
	return float64(len(records)) / float64(users)
}

// value computes a metric of the type "value", as section 11.1 of the contract defines it.
func (p *project) value(q metricSpec) query.MetricValue {
	var v query.MetricValue
	values := map[byte]float64{}
	for _, o := range q.Events {
		records := p.matching(q, o)
		values[o.Alias] = measure(o.Measure, records, len(by(records, subjectOf)))
		v.Values = append(v.Values, values[o.Alias])
	}
	v.Result = v.Values[0]
	if q.Formula != nil {
		v.Result = q.Formula.result(values)
	}
	return v
}

// timeseries implements the type timeseries of 11.1.
func (p *project) timeseries(q metricSpec) query.MetricTimeseries {
	s := query.MetricTimeseries{Starts: buckets(q.Range, q.Hourly)}
	for _, o := range q.Events {
		records := p.matching(q, o)
		users := len(by(records, subjectOf))
		inBucket := by(records, func(r *record) int { return bucketOf(s.Starts, r.At) })
		line := query.MetricSeries{Key: string(o.Alias)}
		for i := range s.Starts {
			line.Values = append(line.Values, measure(o.Measure, inBucket[i], users))
		}
		s.Series = append(s.Series, line)
	}
	if q.Formula == nil {
		return s
	}
	result := query.MetricSeries{Key: "formula"}
	for i := range s.Starts {
		values := map[byte]float64{}
		for _, line := range s.Series {
			values[line.Key[0]] = line.Values[i]
		}
		result.Values = append(result.Values, q.Formula.result(values))
	}
	s.Series = []query.MetricSeries{result}
	return s
}

// grouped implements the type breakdown of 11.1. The sum is computed from the top of the
// list, so that it is reproducible.
func (p *project) grouped(q metricSpec) query.MetricBreakdown {
	all := []query.MetricGroup{}
	for g, value := range p.groupValues(q) {
		all = append(all, query.MetricGroup{Key: g.key, Missing: g.missing, Value: value})
	}
	slices.SortFunc(all, func(a, b query.MetricGroup) int {
		return cmp.Or(cmp.Compare(b.Value, a.Value), compareKeys(a.Key, b.Key, a.Missing))
	})
	b := query.MetricBreakdown{Groups: first(q.Limit, all)}
	for _, g := range all {
		b.Total += g.Value
	}
	return b
}

// groupValues returns the value of the metric for each group. It uses the hourly counters
// if they suffice.
func (p *project) groupValues(q metricSpec) map[group]float64 {
	o := q.Events[0]
	if q.GroupBy == query.ByEvent {
		o.Name, o.Filters = "", nil
	}
	values := map[group]float64{}
	if o.Measure == query.MeasureCount && len(o.Filters)+len(q.Filters) == 0 && q.GroupBy != query.ByProperty {
		for g, n := range p.counted(q.Range, q.GroupBy, o.Name) {
			values[g] = float64(n)
		}
		return values
	}
	records := slices.DeleteFunc(p.in(q.Range), func(r *record) bool {
		return o.Name != "" && r.Name != o.Name || !holdAll(o.Filters, r) || !holdAll(q.Filters, r)
	})
	for g, members := range by(records, func(r *record) group { return r.group(q.GroupBy, q.Property) }) {
		values[g] = measure(o.Measure, members, len(by(members, subjectOf)))
	}
	return values
}

// term is a formula as a tree: a number, an alias, or an operation on other terms.
type term struct {
	op          byte // + - * /, n for negation, 0 for a number, A for an alias
	left, right *term
	number      string
	alias       byte
}

// result returns the value of a formula: a finite number other than -0.
func (t *term) result(values map[byte]float64) float64 {
	v := t.eval(values)
	if math.IsNaN(v) || math.IsInf(v, 0) || v == 0 {
		return 0
	}
	return v
}

func (t *term) eval(values map[byte]float64) float64 {
	switch t.op {
	case '0':
		return number(t.number)
	case 'A':
		return values[t.alias]
	case 'n':
		return -t.left.eval(values)
	}
	a, b := t.left.eval(values), t.right.eval(values)
	switch {
	case t.op == '+':
		return a + b
	case t.op == '-':
		return a - b
	case t.op == '*':
		return a * b
	case b == 0:
		return 0
	}
	return a / b
}

// text formats the formula with the fewest brackets that are necessary in a context with
// the binding strength level: 1 for sums, 2 for products, 3 for factors.
func (t *term) text(level int) string {
	own, text := 3, ""
	switch t.op {
	case '0':
		return t.number
	case 'A':
		return string(t.alias)
	case 'n':
		text = "-" + t.left.text(3)
	case '+', '-':
		own, text = 1, t.left.text(1)+" "+string(t.op)+" "+t.right.text(2)
	default:
		own, text = 2, t.left.text(2)+string(t.op)+"\t"+t.right.text(3)
	}
	if own < level {
		return "(" + text + ")"
	}
	return text
}
