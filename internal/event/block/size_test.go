package block

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// realisticRows returns the rows of one hour of a busy project. The IDs are UUIDs, and
// there is one session per ten events. Of the five properties, three have few values, one
// is a number, and one has many values.
func realisticRows(n int) *Rows {
	s := &source{Rand: rand.New(rand.NewPCG(1, 2)), senders: n/10 + 1, names: 20, uuids: 4}
	r := &Rows{}
	for i := range s.senders {
		r.Senders = append(r.Senders, Sender{1 + s.Uint32N(100_000), 5_000_000 + uint32(i), Details{
			Platform: uint8(1 + s.IntN(6)), Region: uint16(1 + s.IntN(60)), Version: fmt.Sprintf("1%d.%d", s.IntN(8), s.IntN(4)),
			CountryName: fmt.Sprintf("Country %d", s.IntN(60)), City: fmt.Sprintf("City %d", s.IntN(400)),
			Address: fmt.Sprintf("%d.%d.%d.0", s.IntN(256), s.IntN(256), s.IntN(256)), Agent: fmt.Sprintf("Client/1.%d (device %d)", s.IntN(9), s.IntN(80)),
		}})
	}
	for range n {
		r.Seconds = append(r.Seconds, uint16(s.IntN(3600)))
	}
	slices.Sort(r.Seconds)
	for i, second := range r.Seconds {
		r.Names = append(r.Names, 1+s.Uint32N(20))
		r.SenderOf = append(r.SenderOf, uint32(min(max(0, i/10+s.IntN(60)-30), s.senders-1)))
		r.Received = append(r.Received, testHour+int64(second)+min(s.Int64N(10), s.Int64N(10), s.Int64N(10)))
		r.IDs = append(r.IDs, s.uuid())
		r.Props = append(r.Props, Properties{
			{"plan", fmt.Sprintf(`"plan-%d"`, s.IntN(4))}, {"screen", fmt.Sprintf(`"screen-%d"`, s.IntN(15))},
			{"locale", fmt.Sprintf(`"loc-%d"`, s.IntN(12))}, {"count", fmt.Sprint(s.IntN(1000))},
			{"product", fmt.Sprintf(`"product-%d"`, s.IntN(2000))},
		})
	}
	return r
}

// visits returns rows like those of realisticRows, but grouped into visits. A visit
// consists of eight events that are a few seconds apart, and is sent in one request at
// its end.
func visits(n int) *Rows {
	r := realisticRows(n)
	random := rand.New(rand.NewPCG(3, 4))
	type row struct{ second, visit int }
	var rows []row
	r.Senders = nil
	for visit := range n / 8 {
		r.Senders = append(r.Senders, Sender{1 + random.Uint32N(100_000), 5_000_000 + uint32(visit), Details{Platform: 1, Region: 1, Agent: "Client/1.0"}})
		second := visit * 3400 / (n / 8)
		for range 8 {
			rows = append(rows, row{second, visit})
			second += random.IntN(15)
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return a.second - b.second })
	for i, row := range rows {
		r.Seconds[i], r.SenderOf[i] = uint16(row.second), uint32(row.visit)
		r.Received[i] = testHour + int64(row.visit*3400/(n/8)+100)
	}
	return r
}

func TestEventsTakeFewBytes(t *testing.T) {
	t.Parallel()
	const n = 14_000
	for _, tc := range []struct {
		name string
		rows *Rows
		most float64
	}{
		{"requests of one event", realisticRows(n), 28},
		{"visits", visits(n), 26},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			raw := mustEncode(t, tc.rows)
			b, err := parse(raw)
			if err != nil {
				t.Fatal(err)
			}
			for number, column := range b.columns {
				if len(column) > 0 {
					t.Logf("column %2d: %5.2f bytes an event", number, float64(len(column))/n)
				}
			}
			each := float64(len(raw)) / n
			t.Logf("all: %.2f", each)
			if each > tc.most {
				t.Errorf("%.2f bytes an event, want at most %g", each, tc.most)
			}
		})
	}
}

func BenchmarkEncodeBlock(b *testing.B) {
	r := realisticRows(14_000)
	for b.Loop() {
		if _, err := Encode(testHour, r); err != nil {
			b.Fatal(err)
		}
	}
	perRow(b, r.Len())
}

func BenchmarkDecodeBlock(b *testing.B) {
	r := realisticRows(14_000)
	raw := mustEncode(b, r)
	for b.Loop() {
		if _, err := Decode(testHour, raw); err != nil {
			b.Fatal(err)
		}
	}
	perRow(b, r.Len())
}

func BenchmarkSubjectRows(b *testing.B) {
	r := realisticRows(14_000)
	raw := mustEncode(b, r)
	for b.Loop() {
		if _, err := DecodeSubject(testHour, raw, r.Senders[0].Subject); err != nil {
			b.Fatal(err)
		}
	}
	perRow(b, r.Len())
}

// BenchmarkScanNames opens a block and counts the rows of one name.
func BenchmarkScanNames(b *testing.B) {
	r := realisticRows(14_000)
	raw := mustEncode(b, r)
	found := 0
	for b.Loop() {
		p, err := Open(testHour, raw)
		if err != nil {
			b.Fatal(err)
		}
		found += countName(p, 7)
	}
	if found == 0 {
		b.Fatal("no row")
	}
	perRow(b, r.Len())
}

func countName(p *Columns, name uint32) (found int) {
	wanted := [256]uint8{}
	wanted[slices.Index(p.NameOf, name)] = 1
	for _, code := range p.Names.Raw {
		found += int(wanted[code])
	}
	return found
}

func BenchmarkOpenBlock(b *testing.B) {
	raw := mustEncode(b, realisticRows(14_000))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Open(testHour, raw); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkProperty(b *testing.B) {
	r := realisticRows(14_000)
	p, err := Open(testHour, mustEncode(b, r))
	if err != nil {
		b.Fatal(err)
	}
	for _, key := range []string{"plan", "count", "product"} {
		b.Run(key, func(b *testing.B) {
			for b.Loop() {
				if _, err := p.Property(key); err != nil {
					b.Fatal(err)
				}
			}
			perRow(b, r.Len())
		})
	}
}

func perRow(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/row")
}
