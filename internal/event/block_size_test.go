package event

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// realisticRows are an hour of a busy project: UUIDs as ids, one session for ten
// events, three properties with few values, one number, one with many values.
func realisticRows(n int) *rows {
	s := &source{Rand: rand.New(rand.NewPCG(1, 2)), senders: n/10 + 1, names: 20, uuids: 4}
	r := &rows{}
	for i := range s.senders {
		r.senders = append(r.senders, sender{1 + s.Uint32N(100_000), 5_000_000 + uint32(i), details{
			platform: uint8(1 + s.IntN(6)), region: uint16(1 + s.IntN(60)), version: fmt.Sprintf("1%d.%d", s.IntN(8), s.IntN(4)),
			countryName: fmt.Sprintf("Country %d", s.IntN(60)), city: fmt.Sprintf("City %d", s.IntN(400)),
			address: fmt.Sprintf("%d.%d.%d.0", s.IntN(256), s.IntN(256), s.IntN(256)), agent: fmt.Sprintf("Client/1.%d (device %d)", s.IntN(9), s.IntN(80)),
		}})
	}
	for range n {
		r.seconds = append(r.seconds, uint16(s.IntN(3600)))
	}
	slices.Sort(r.seconds)
	for i, second := range r.seconds {
		r.names = append(r.names, 1+s.Uint32N(20))
		r.clients = append(r.clients, uint32(min(max(0, i/10+s.IntN(60)-30), s.senders-1)))
		r.received = append(r.received, testHour+int64(second)+min(s.Int64N(10), s.Int64N(10), s.Int64N(10)))
		r.ids = append(r.ids, s.uuid())
		r.props = append(r.props, properties{
			{"plan", fmt.Sprintf(`"plan-%d"`, s.IntN(4))}, {"screen", fmt.Sprintf(`"screen-%d"`, s.IntN(15))},
			{"locale", fmt.Sprintf(`"loc-%d"`, s.IntN(12))}, {"count", fmt.Sprint(s.IntN(1000))},
			{"product", fmt.Sprintf(`"product-%d"`, s.IntN(2000))},
		})
	}
	return r
}

func TestEventsTakeFewBytes(t *testing.T) {
	t.Parallel()
	const n, most = 14_000, 30
	raw := mustEncode(t, realisticRows(n))
	b, err := parseBlock(raw)
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
	if each > most {
		t.Errorf("%.2f bytes an event, want at most %d", each, most)
	}
}

func BenchmarkEncodeBlock(b *testing.B) {
	r := realisticRows(14_000)
	for b.Loop() {
		if _, err := encodeBlock(testHour, r); err != nil {
			b.Fatal(err)
		}
	}
	perRow(b, r.len())
}

func BenchmarkDecodeBlock(b *testing.B) {
	r := realisticRows(14_000)
	raw := mustEncode(b, r)
	for b.Loop() {
		if _, err := decodeBlock(testHour, raw); err != nil {
			b.Fatal(err)
		}
	}
	perRow(b, r.len())
}

func BenchmarkSubjectRows(b *testing.B) {
	r := realisticRows(14_000)
	raw := mustEncode(b, r)
	for b.Loop() {
		if _, err := subjectRows(testHour, raw, r.senders[0].subject); err != nil {
			b.Fatal(err)
		}
	}
	perRow(b, r.len())
}

// BenchmarkScanNames opens a block and counts the rows of one name.
func BenchmarkScanNames(b *testing.B) {
	r := realisticRows(14_000)
	raw := mustEncode(b, r)
	found := 0
	for b.Loop() {
		p, err := openBlock(testHour, raw)
		if err != nil {
			b.Fatal(err)
		}
		found += countName(p, 7)
	}
	if found == 0 {
		b.Fatal("no row")
	}
	perRow(b, r.len())
}

func countName(p *part, name uint32) (found int) {
	wanted := [256]uint8{}
	wanted[slices.Index(p.nameOf, name)] = 1
	for _, code := range p.names.raw {
		found += int(wanted[code])
	}
	return found
}

func BenchmarkOpenBlock(b *testing.B) {
	raw := mustEncode(b, realisticRows(14_000))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := openBlock(testHour, raw); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkProperty(b *testing.B) {
	r := realisticRows(14_000)
	p, err := openBlock(testHour, mustEncode(b, r))
	if err != nil {
		b.Fatal(err)
	}
	for _, key := range []string{"plan", "count", "product"} {
		b.Run(key, func(b *testing.B) {
			for b.Loop() {
				if _, err := p.property(key); err != nil {
					b.Fatal(err)
				}
			}
			perRow(b, r.len())
		})
	}
}

func perRow(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/row")
}
