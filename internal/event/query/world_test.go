package query

import (
	"cmp"
	"context"
	"slices"
	"testing"

	"svc/internal/event/block"
)

// monday is the start of the worked example, 2025-12-01 00:00 UTC.
const monday = 1764547200

// fact is an event in a test.
type fact struct {
	user, session, name string
	at                  int64
	props               block.Properties
	details             block.Details
}

// world holds events in parts, as queries read them. Numbers are assigned in the order of
// first use.
type world struct {
	hours    map[int64][]*block.Columns
	names    []string
	subjects map[string]uint32
	sessions map[string]uint32
}

// newWorld builds a world from facts, which must be in the order of receipt. share
// determines the part of each fact: the facts of an hour with the same number form one
// part. The numbers must not decrease.
func newWorld(tb testing.TB, facts []fact, share func(i int) int) *world {
	tb.Helper()
	w := &world{hours: map[int64][]*block.Columns{}, names: []string{""}, subjects: map[string]uint32{}, sessions: map[string]uint32{}}
	type place struct {
		hour  int64
		share int
	}
	byPlace := map[place][]fact{}
	var order []place
	for i, f := range facts {
		at := place{f.at - f.at%hourSeconds, share(i)}
		if byPlace[at] == nil {
			order = append(order, at)
		}
		byPlace[at] = append(byPlace[at], f)
	}
	slices.SortStableFunc(order, func(a, b place) int { return cmp.Compare(a.share, b.share) })
	for _, at := range order {
		w.hours[at.hour] = append(w.hours[at.hour], w.part(at.hour, byPlace[at]))
	}
	return w
}

func (w *world) part(hour int64, facts []fact) *block.Columns {
	slices.SortStableFunc(facts, func(a, b fact) int { return cmp.Compare(a.at, b.at) })
	var r block.Rows
	for _, f := range facts {
		s := block.Sender{Subject: number(w.subjects, f.user), Details: f.details}
		if f.session != "" {
			s.Session = number(w.sessions, f.session)
		}
		client := slices.Index(r.Senders, s)
		if client < 0 {
			client = len(r.Senders)
			r.Senders = append(r.Senders, s)
		}
		name := slices.Index(w.names, f.name)
		if name < 0 {
			name = len(w.names)
			w.names = append(w.names, f.name)
		}
		r.Seconds = append(r.Seconds, uint16(f.at-hour))
		r.Names = append(r.Names, uint32(name))
		r.SenderOf = append(r.SenderOf, uint32(client))
		r.Props = append(r.Props, f.props)
	}
	return columnsOf(hour, &r)
}

// number returns the number of a text. A new text gets the next number.
func number(numbers map[string]uint32, text string) uint32 {
	if numbers[text] == 0 {
		numbers[text] = uint32(len(numbers)) + 1
	}
	return numbers[text]
}

// query returns a query of a range.
func (w *world) query(ctx context.Context, r Range) *query {
	q := &query{
		ctx: ctx, Range: r, shift: workersShift(), names: len(w.names), memory: &budget{max: 64 << 20, what: "it", less: "ask for less"},
		text: func(n uint32) string { return w.names[n] },
		name: func(text string) (uint32, bool) {
			at := slices.Index(w.names[1:], text)
			return uint32(at + 1), at >= 0
		},
	}
	for start, parts := range w.hours {
		if start+hourSeconds > r.Start && start <= r.End {
			q.hours = append(q.hours, Hour{start, func(reuse []*block.Columns) ([]*block.Columns, error) { return append(reuse[:0], parts...), nil }})
		}
	}
	slices.SortFunc(q.hours, func(a, b Hour) int { return cmp.Compare(a.Start, b.Start) })
	return q
}

// columnsOf converts rows to columns, as a head does.
func columnsOf(hour int64, r *block.Rows) *block.Columns {
	return block.NewColumns(hour, r, func(key string) (*block.Column, error) {
		objects := make([]string, r.Len())
		for i, list := range r.Props {
			objects[i] = string(list.JSON())
		}
		return block.PropertyOf(objects, key), nil
	})
}
