package block

import (
	"fmt"
	"testing"
)

func TestColumnsAreTheirRows(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		s := newSource(seed)
		r := s.rows([]int{0, 1, 2, 9, 300, 2000}[seed%6])
		sameColumns(t, fmt.Sprintf("seed %d", seed), columnsOf(testHour, r), r)
	}
}

func TestColumnsStayWhenRowsAreAppended(t *testing.T) {
	t.Parallel()
	s := newSource(7)
	r := s.rows(100)
	p := columnsOf(testHour, r)
	before := &Rows{}
	*before = *r
	r.Seconds = append(r.Seconds, 3599)
	r.Names = append(r.Names, 70_001)
	r.Props = append(r.Props, Properties{{"later", "1"}})
	sameColumns(t, "after the append", p, before)
	if column, err := p.Property("later"); column != nil || err != nil {
		t.Error("the part has a property of a later row")
	}
}

func BenchmarkNewColumns(b *testing.B) {
	r := realisticRows(14_000)
	for b.Loop() {
		columnsOf(testHour, r)
	}
	perRow(b, r.Len())
}

// columnsOf returns the columns of rows.
func columnsOf(hour int64, r *Rows) *Columns {
	n := r.Len()
	props := r.Props[:min(n, len(r.Props))]
	return NewColumns(hour, r, func(key string) (*Column, error) { return collectProperty(props, key, n), nil })
}

// collectProperty builds the column of a property by searching the properties of all n
// rows.
func collectProperty(props []Properties, key string, n int) *Column {
	built := newColumnBuilder(n)
	for row, list := range props {
		for i := range list {
			if list[i].Key == key {
				built.set(row, list[i].Value)
				break
			}
		}
	}
	return built.column()
}
