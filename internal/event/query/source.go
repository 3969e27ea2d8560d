package query

import (
	"context"

	"svc/internal/event/block"
)

// Source is the snapshot of a project that queries read. What it gives out is valid
// as long as the snapshot.
type Source struct {
	// Names are the names of events by number.
	Names []string
	// Number finds the number of a name.
	Number func(name string) (number uint32, ok bool)
	// Hours lists the hours with events that touch a range, ascending. Both ends are
	// Unix seconds and belong to it.
	Hours func(from, to int64) []Hour
	// Counts visits the hourly counters of the hours that start in a range, the first
	// hour whole. A counter may be visited more than once, each time with a share of
	// its number.
	Counts func(from, to int64, visit func(c Counter)) error
	// Budget is how many bytes of memory a query may hold.
	Budget int64
}

// Hour is an hour that has events.
type Hour struct {
	Start int64 // Unix second
	// Open returns the columns of the hour in the order of receipt. It may be called
	// from several goroutines, each with columns of its own to use again.
	Open func(reuse []*block.Columns) ([]*block.Columns, error)
}

// Counter is how many events of an hour have these things in common.
type Counter struct {
	Hour     int64 // Unix second at which it begins
	Name     uint32
	Platform uint8 // stats.PlatformNumber
	Region   uint16
	Offset   uint8 // stats.Offset
	N        int64
}

// name is the text of a number, "" when there is none.
func (s *Source) name(number uint32) string {
	if int(number) >= len(s.Names) {
		return ""
	}
	return s.Names[number]
}

// query begins to read the events of a range. what is the analysis and less how to
// ask for less, for the error when it takes too much memory.
func (s *Source) query(ctx context.Context, r Range, what, less string) *query {
	return &query{
		ctx: ctx, Range: r, hours: s.Hours(r.Start, r.End), shift: workersShift(),
		name: s.Number, names: len(s.Names), text: s.name, memory: &budget{max: s.Budget, what: what, less: less},
	}
}
