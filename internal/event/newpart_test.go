package event

import (
	"fmt"
	"testing"
)

func TestNewPartIsItsRows(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		s := newSource(seed)
		r := s.rows([]int{0, 1, 2, 9, 300, 2000}[seed%6])
		samePart(t, fmt.Sprintf("seed %d", seed), partOf(testHour, r), r)
	}
}

func TestNewPartStaysWhenRowsAreAppended(t *testing.T) {
	t.Parallel()
	s := newSource(7)
	r := s.rows(100)
	p := partOf(testHour, r)
	before := &rows{}
	*before = *r
	r.seconds = append(r.seconds, 3599)
	r.names = append(r.names, 70_001)
	r.props = append(r.props, properties{{"later", "1"}})
	samePart(t, "after the append", p, before)
	if column, err := p.property("later"); column != nil || err != nil {
		t.Error("the part has a property of a later row")
	}
}

func BenchmarkNewPart(b *testing.B) {
	r := realisticRows(14_000)
	for b.Loop() {
		partOf(testHour, r)
	}
	perRow(b, r.len())
}
