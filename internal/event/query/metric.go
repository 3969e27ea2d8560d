package query

import (
	"context"
	"slices"

	"svc/internal/event/block"
	"svc/internal/stats"
)

// MetricValue computes the numbers of a query for its whole range. The error is Invalid if the
// query needs too much memory.
func (s *Source) MetricValue(ctx context.Context, m MetricQuery) (value MetricValue, err error) {
	t, err := s.query(ctx, m.Range, "the query", lessRange).totals(m, stats.Whole(m.Start, m.End))
	if err != nil {
		return value, err
	}
	value.Values = t.values(m, 0)
	value.Result = m.result(value.Values)
	return value, nil
}

// MetricTimeseries computes the numbers of a query for each bucket of its range. The error is
// Invalid if there are too many buckets or the query needs too much memory.
func (s *Source) MetricTimeseries(ctx context.Context, m MetricQuery) (series MetricTimeseries, err error) {
	buckets, err := m.buckets(m.Hourly)
	if err != nil {
		return series, err
	}
	t, err := s.query(ctx, m.Range, "the query", lessRange).totals(m, buckets)
	if err != nil {
		return series, err
	}
	return t.series(m, buckets), nil
}

// series returns the result bucket by bucket.
func (t *totals) series(m MetricQuery, buckets stats.Buckets) MetricTimeseries {
	var s MetricTimeseries
	if m.Formula != nil {
		s.Series = []MetricSeries{{Key: "formula"}}
	} else {
		for i := range m.Events {
			s.Series = append(s.Series, MetricSeries{Key: string(m.Events[i].Alias)})
		}
	}
	for bucket := range buckets.Len() {
		s.Starts = append(s.Starts, buckets.Start(bucket))
		values := t.values(m, bucket)
		if m.Formula != nil {
			values = []float64{m.result(values)}
		}
		for i := range s.Series {
			s.Series[i].Values = append(s.Series[i].Values, values[i])
		}
	}
	return s
}

// result returns the value of the formula, or the first value if the query has no formula. values
// contains the value of each event of the query.
func (m *MetricQuery) result(values []float64) float64 {
	if m.Formula == nil {
		return values[0]
	}
	return m.Formula.Eval(func(alias byte) float64 {
		i := slices.IndexFunc(m.Events, func(e MetricEvent) bool { return e.Alias == alias })
		if i < 0 {
			return 0
		}
		return values[i]
	})
}

// value computes a measure from the numbers of events and users. perUser is the number of
// users by which the measure "count_per_user" divides the number of events.
func (m Measure) value(events, users, perUser int64) float64 {
	switch {
	case m == MeasureUsers:
		return float64(users)
	case m != MeasurePerUser:
		return float64(events)
	case perUser == 0:
		return 0
	}
	return float64(events) / float64(perUser)
}

// totals holds the numbers of events and users that match each operand, for each bucket.
type totals struct {
	buckets  []bucketTotals
	everUser [maxEvents]int64 // distinct users with a matching event in the whole range, for each operand
}

// bucketTotals holds, for each operand, the number of matching events in one bucket, and
// the number of distinct users that sent them.
type bucketTotals struct{ events, users [maxEvents]int64 }

// maxEvents is the maximum number of operands of a query. It equals the number of bits in
// a mask.
const maxEvents = 8

// values returns the value of each event of the query for one bucket.
func (t *totals) values(m MetricQuery, bucket int) []float64 {
	list := make([]float64, len(m.Events))
	b := &t.buckets[bucket]
	for i := range m.Events {
		list[i] = m.Events[i].Measure.value(b.events[i], b.users[i], t.everUser[i])
	}
	return list
}

func (t *totals) add(other *totals) {
	for bucket := range t.buckets {
		b, o := &t.buckets[bucket], &other.buckets[bucket]
		for i := range b.events {
			b.events[i] += o.events[i]
			b.users[i] += o.users[i]
		}
	}
	for i := range t.everUser {
		t.everUser[i] += other.everUser[i]
	}
}

func (q *query) totals(m MetricQuery, buckets stats.Buckets) (*totals, error) {
	var operands []operand
	for i := range m.Events {
		operands = append(operands, q.operand(m.Events[i].Name, m.Events[i].Filters, m.Filters))
	}
	each, err := spread(q, func(q *query, w worker) (*totals, error) {
		r := &totalsRun{worker: w, query: q, operands: operands, all: buckets}
		r.states.memory = q.memory
		for i := range m.Events {
			r.users = r.users || m.Events[i].Measure != MeasureCount
		}
		r.totals.buckets = make([]bucketTotals, buckets.Len())
		return &r.totals, q.each(r.hour)
	})
	if err != nil {
		return nil, err
	}
	for _, other := range each[1:] {
		each[0].add(other)
	}
	return each[0], nil
}

// totalsRun is the state of one worker in a metric query. The worker counts the events of its
// subjects.
type totalsRun struct {
	worker
	query    *query
	operands []operand
	all      stats.Buckets
	users    bool // whether users must be counted
	matchers []matcher
	pieces   []piece
	selected selection
	states   table[totalsState]
	totals   totals
}

// totalsState records the operands for which a subject has already been counted as a
// user.
type totalsState struct {
	bucket uint32 // the last bucket in which the subject had an event, plus 1
	now    mask   // operands counted in that bucket
	ever   mask   // operands counted in any bucket
}

func (r *totalsRun) hour(start int64, parts []*block.Columns) error {
	r.matchers = matchers(r.matchers, parts)
	r.pieces = piecesOf(r.all, r.pieces, start, r.query.Range)
	for i := range r.matchers {
		if err := r.matchers[i].match(r.operands); err != nil {
			return err
		}
		r.matchers[i].assign(r.worker)
	}
	for _, piece := range r.pieces { // buckets must be processed in order of time
		for i := range r.matchers {
			if r.matchers[i].matching {
				r.piece(&r.matchers[i], piece)
			}
		}
	}
	return nil
}

// piece counts the events of a part that are within the given piece, which belongs to one bucket.
func (r *totalsRun) piece(l *matcher, piece piece) {
	b := &r.totals.buckets[piece.period]
	var events [256]int64 // number of events by mask
	low, high := l.Between(piece.from, piece.to)
	for ; low < high; low += batchLength {
		r.selected.pick(l, low, min(high, low+batchLength), true)
		for _, m := range r.selected.masks[:r.selected.n] {
			events[m]++
		}
		if r.users {
			r.countUsers(b, uint32(piece.period)+1)
		}
	}
	for m, n := range events {
		if n > 0 {
			addByMask(&b.events, mask(m), n)
		}
	}
}

// countUsers counts the subjects of the selected events as users, unless they have already been
// counted in the bucket or in the range. The parameter bucket is the index of the bucket, plus 1.
func (r *totalsRun) countUsers(b *bucketTotals, bucket uint32) {
	for k := range r.selected.n {
		s, m := r.states.at(r.selected.slots[k]), r.selected.masks[k]
		if s.bucket != bucket {
			s.bucket, s.now = bucket, 0
		}
		fresh := m &^ s.now
		if fresh == 0 {
			continue
		}
		s.now |= m
		addByMask(&b.users, fresh, 1)
		if m&^s.ever != 0 {
			addByMask(&r.totals.everUser, m&^s.ever, 1)
			s.ever |= m
		}
	}
}

// addByMask adds n to the count of each operand that the mask contains.
func addByMask(to *[maxEvents]int64, m mask, n int64) {
	for i := range to {
		if m>>i&1 != 0 {
			to[i] += n
		}
	}
}
