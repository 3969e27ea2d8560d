package event

import (
	"context"
	"slices"
)

const lessMetric = "narrow the range"

// MetricValue computes one number for a whole range. An error for the client says
// that it takes too much memory.
func (e *Engine) MetricValue(ctx context.Context, p Project, m MetricQuery) (value MetricValue, err error) {
	err = e.view(ctx, p, func(v *view) error {
		t, err := v.query(m.Range, "the query", lessMetric).tally(m, whole(m.Range))
		if err != nil {
			return err
		}
		value.Values = t.values(m, 0)
		value.Result = m.result(value.Values)
		return nil
	})
	return value, err
}

// MetricTimeseries computes a number for each bucket of a range. An error for
// the client says that there are too many buckets, or that it takes too much
// memory.
func (e *Engine) MetricTimeseries(ctx context.Context, p Project, m MetricQuery) (series MetricTimeseries, err error) {
	buckets, err := hoursOrDays(m.Range, m.Hourly)
	if err != nil {
		return series, err
	}
	err = e.view(ctx, p, func(v *view) error {
		t, err := v.query(m.Range, "the query", lessMetric).tally(m, buckets)
		if err != nil {
			return err
		}
		series = t.series(m, buckets)
		return nil
	})
	return series, err
}

// series is the result bucket by bucket.
func (t *tally) series(m MetricQuery, buckets periods) MetricTimeseries {
	var s MetricTimeseries
	if m.Formula != nil {
		s.Series = []MetricSeries{{Key: "formula"}}
	} else {
		for i := range m.Events {
			s.Series = append(s.Series, MetricSeries{Key: string(m.Events[i].Alias)})
		}
	}
	for bucket := range buckets.count {
		s.Starts = append(s.Starts, buckets.start(bucket))
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

// result is the formula, or without one the first value.
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

// value is a measure, given the number of events and of users; perUser is the
// number of users by which the events are divided.
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

// tally is how many events match each operand.
type tally struct {
	buckets  []bucketTally
	everUser [mostOperandEvents]int64 // different users of the whole range
}

// bucketTally is the events of a bucket and their different users, by operand.
type bucketTally struct{ events, users [mostOperandEvents]int64 }

// mostOperandEvents is the greatest number of events in a query; a mask has no
// room for more.
const mostOperandEvents = 8

// values are the values of the events of a query in a bucket.
func (t *tally) values(m MetricQuery, bucket int) []float64 {
	list := make([]float64, len(m.Events))
	b := &t.buckets[bucket]
	for i := range m.Events {
		list[i] = m.Events[i].Measure.value(b.events[i], b.users[i], t.everUser[i])
	}
	return list
}

func (t *tally) add(other *tally) {
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

func (q *query) tally(m MetricQuery, buckets periods) (*tally, error) {
	var operands []operand
	for i := range m.Events {
		operands = append(operands, q.operand(m.Events[i].Name, m.Events[i].Filters, m.Filters))
	}
	each, err := spread(q, func(q *query, w worker) (*tally, error) {
		r := &tallyRun{worker: w, query: q, operands: operands, all: buckets}
		r.states.memory = q.memory
		for i := range m.Events {
			r.users = r.users || m.Events[i].Measure != MeasureCount
		}
		r.tally.buckets = make([]bucketTally, buckets.count)
		return &r.tally, q.each(r.hour)
	})
	if err != nil {
		return nil, err
	}
	for _, other := range each[1:] {
		each[0].add(other)
	}
	return each[0], nil
}

// tallyRun counts the events of the subjects of one worker.
type tallyRun struct {
	worker
	query    *query
	operands []operand
	all      periods
	users    bool // users are asked for
	lanes    []lane
	pieces   []piece
	picks    picks
	states   table[tallyState]
	tally    tally
}

// tallyState is with which operands a subject was counted.
type tallyState struct {
	bucket uint32 // the last one with an event, + 1
	now    mask   // in this bucket
	ever   mask
}

func (r *tallyRun) hour(start int64, parts []*part) error {
	r.lanes = lanes(r.lanes, parts)
	r.pieces = r.all.pieces(r.pieces, start, r.query.Range)
	for i := range r.lanes {
		if err := r.lanes[i].match(r.operands); err != nil {
			return err
		}
		r.lanes[i].assign(r.worker)
	}
	for _, piece := range r.pieces { // buckets must come in the order of time
		for i := range r.lanes {
			if r.lanes[i].matching {
				r.piece(&r.lanes[i], piece)
			}
		}
	}
	return nil
}

// piece takes the events that a part has in a bucket.
func (r *tallyRun) piece(l *lane, piece piece) {
	b := &r.tally.buckets[piece.period]
	var events [256]int64 // by mask
	low, high := l.between(piece.from, piece.to)
	for ; low < high; low += batchLength {
		r.picks.pick(l, low, min(high, low+batchLength), true)
		for _, m := range r.picks.masks[:r.picks.n] {
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

// countUsers counts the subjects of the picked events that are new to the bucket
// or to the range.
func (r *tallyRun) countUsers(b *bucketTally, bucket uint32) {
	for k := range r.picks.n {
		s, m := r.states.at(r.picks.slots[k]), r.picks.masks[k]
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
			addByMask(&r.tally.everUser, m&^s.ever, 1)
			s.ever |= m
		}
	}
}

// addByMask adds n to the numbers of the operands in a mask.
func addByMask(to *[mostOperandEvents]int64, m mask, n int64) {
	for i := range to {
		if m>>i&1 != 0 {
			to[i] += n
		}
	}
}
