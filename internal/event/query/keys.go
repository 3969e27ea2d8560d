package query

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"svc/internal/event/block"
)

// maxKeyHours is the maximum number of hours that PropertyKeys reads.
const maxKeyHours = 1000

// KeysQuery requests the keys of the properties that events have.
type KeysQuery struct {
	Range
	Event string // restricts events to this name; "" = all
}

// Key is the key of a property, with the hours in which it occurs.
type Key struct {
	Text  string
	Hours int   // number of hours in which an event had the property
	Seen  int64 // start of the newest of these hours, in Unix seconds
}

// PropertyKeys returns the keys of the properties that the events in a range have. Keys that occur
// in the most hours come first. PropertyKeys reads only the newest maxKeyHours hours with matching
// events, and no values of properties. The error is Invalid if the keys take too much memory.
func (s *Source) PropertyKeys(ctx context.Context, in KeysQuery) ([]Key, error) {
	q := s.query(ctx, in.Range, "the list of keys", lessRange)
	run := keyRun{query: q, event: q.named(in.Event), keys: map[string]*Key{}}
	if run.event.none {
		return nil, nil
	}
	var parts []*block.Columns
	for i := len(q.hours) - 1; i >= 0 && run.hours < maxKeyHours; i-- {
		var err error
		if parts, err = q.visit(i, parts, run.hour); err != nil {
			return nil, err
		}
	}
	keys := make([]Key, 0, len(run.keys))
	for _, key := range run.keys {
		keys = append(keys, *key)
	}
	slices.SortFunc(keys, func(a, b Key) int { return cmp.Or(cmp.Compare(b.Hours, a.Hours), strings.Compare(a.Text, b.Text)) })
	return keys, nil
}

// keyRun collects the keys for PropertyKeys. It visits the newest hour first.
type keyRun struct {
	query *query
	event operand
	keys  map[string]*Key
	hours int // number of hours in which the event occurs

	rows []uint32 // selected rows of the part that is being read
}

func (r *keyRun) hour(start int64, parts []*block.Columns) error {
	here := map[string]bool{}
	occurs := false
	for _, p := range parts {
		if r.choose(p); len(r.rows) == 0 {
			continue
		}
		occurs = true
		if err := p.Keys(r.rows, func(key string) { here[key] = true }); err != nil {
			return err
		}
	}
	if occurs {
		r.hours++
	}
	for key := range here {
		known := r.keys[key]
		if known == nil {
			known = &Key{Text: strings.Clone(key), Seen: start}
			r.keys[known.Text] = known
			r.query.memory.take(len(key) + 128)
		}
		known.Hours++
	}
	return nil
}

// choose sets r.rows to the rows of a part that are in the range and have the name of the event.
func (r *keyRun) choose(p *block.Columns) {
	r.rows = r.rows[:0]
	name := slices.Index(p.NameOf, r.event.name)
	if name < 0 && !r.event.any {
		return
	}
	low, high := p.Between(r.query.Start, r.query.End)
	for row := low; row < high; row++ {
		if r.event.any || p.Names.At(row) == uint32(name) {
			r.rows = append(r.rows, uint32(row))
		}
	}
}
