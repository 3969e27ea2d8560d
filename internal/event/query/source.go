package query

import (
	"context"

	"svc/internal/event/block"
)

// Source gives queries access to a snapshot of a project. All data from a Source is valid
// until the snapshot ends.
type Source struct {
	// Names are the names of events by number.
	Names []string
	// Number returns the number of a name. ok is false if the project has no such name.
	Number func(name string) (number uint32, ok bool)
	// Hours returns the hours with events that overlap a range, ascending. Both ends are
	// Unix seconds and inclusive.
	Hours func(from, to int64) []Hour
	// Counts visits the hourly counters of the hours that overlap a range. The whole
	// first hour is included, even if the range begins within it. A counter may be
	// visited more than once, each time with a part of its count.
	Counts func(from, to int64, visit func(c Counter)) error
	// Budget is the memory that a query may use, in bytes.
	Budget int64
}

// Hour is an hour that has events.
type Hour struct {
	Start int64 // Unix second
	// Open returns the parts of the hour in the order of receipt. It is safe for
	// concurrent use. reuse is nil or the result of an earlier call by the same
	// goroutine. That result becomes invalid.
	Open func(reuse []*block.Columns) ([]*block.Columns, error)
}

// Counter holds the number of an hour's events that share all dimensions.
type Counter struct {
	Hour     int64 // Unix second at which it begins
	Name     uint32
	Platform uint8 // stats.PlatformNumber
	Region   uint16
	Offset   uint8 // stats.Offset
	N        int64
}

// name returns the text of a name's number, or "" if there is none.
func (s *Source) name(number uint32) string {
	if int(number) >= len(s.Names) {
		return ""
	}
	return s.Names[number]
}

// query returns a query of the events of a range. The error for a query that takes too
// much memory contains two texts: the name of the analysis (what) and advice for reducing
// the query (less).
func (s *Source) query(ctx context.Context, r Range, what, less string) *query {
	return &query{
		ctx: ctx, Range: r, hours: s.Hours(r.Start, r.End), shift: workersShift(),
		name: s.Number, names: len(s.Names), text: s.name, memory: &budget{max: s.Budget, what: what, less: less},
	}
}
