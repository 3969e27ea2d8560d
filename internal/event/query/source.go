package query

import (
	"context"

	"svc/internal/event/block"
)

// Source gives queries access to a snapshot of a project. All data from a Source is valid
// until the snapshot is closed.
type Source struct {
	// Names contains the names of events, indexed by their number.
	Names []string
	// Number returns the number of a name. ok is false if the project has no such name.
	Number func(name string) (number uint32, ok bool)
	// Hours returns the hours with events that overlap a range, ascending. Both ends are
	// Unix seconds and inclusive.
	Hours func(from, to int64) []Hour
	// Counts calls visit for the hourly counters of the hours that overlap a range. It
	// includes all of the first hour, even if the range begins within it. It may visit a
	// counter more than once, each time with a part of the count.
	Counts func(from, to int64, visit func(c Counter)) error
	// Budget is the amount of memory that a query may use, in bytes.
	Budget int64
}

// Hour is an hour that has events.
type Hour struct {
	Start int64 // Unix second
	// Open returns the parts of the hour in the order of receipt. reuse is nil or the result
	// of an earlier call by the same goroutine, which becomes invalid. Open is safe for
	// concurrent use.
	Open func(reuse []*block.Columns) ([]*block.Columns, error)
}

// Counter is an hourly counter: the number of events of an hour that have the same values in all
// dimensions.
type Counter struct {
	Hour     int64  // Unix second at which the hour begins
	Name     uint32 // number of the event's name
	Platform uint8  // stats.PlatformNumber
	Region   uint16
	Offset   uint8 // stats.Offset
	N        int64
}

// name returns the name that has the given number, or "" if there is none.
func (s *Source) name(number uint32) string {
	if int(number) >= len(s.Names) {
		return ""
	}
	return s.Names[number]
}

// query returns a query of the events in a range. The parameter what is the name of the analysis,
// and the parameter less tells the client how to reduce the query. Both are parts of the error for
// a query that takes too much memory.
func (s *Source) query(ctx context.Context, r Range, what, less string) *query {
	return &query{
		ctx: ctx, Range: r, hours: s.Hours(r.Start, r.End), shift: workersShift(),
		name: s.Number, names: len(s.Names), text: s.name, memory: &budget{max: s.Budget, what: what, less: less},
	}
}
