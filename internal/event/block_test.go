package event

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

const testHour = 1_770_000_000 / 3600 * 3600

// testRow is an event with its sender, written out.
type testRow struct {
	second   int
	name     uint32
	received int64
	id       string
	sender   sender
	bare     bool // properties {}
	props    map[string]string
}

// writeOut are the rows, each by itself.
func writeOut(r *rows) []testRow {
	list := make([]testRow, r.len())
	for i := range list {
		list[i] = testRow{
			second: int(r.seconds[i]), name: r.names[i], received: r.received[i], id: r.ids[i],
			sender: r.senders[r.clients[i]], bare: r.props[i] != nil && len(r.props[i]) == 0,
		}
		for _, p := range r.props[i] {
			if list[i].props == nil {
				list[i].props = map[string]string{}
			}
			list[i].props[p.key] = p.value
		}
	}
	return list
}

// sameRows compares rows with those that are wanted.
func sameRows(t *testing.T, what string, got *rows, want []testRow) {
	t.Helper()
	list := writeOut(got)
	if len(list) != len(want) {
		t.Fatalf("%s: %d rows, want %d", what, len(list), len(want))
	}
	for i := range want {
		if !reflect.DeepEqual(list[i], want[i]) {
			t.Fatalf("%s: row %d is\n%+v, want\n%+v", what, i, list[i], want[i])
		}
	}
	used := map[sender]bool{}
	for _, client := range got.clients {
		used[got.senders[client]] = true
	}
	if len(used) != len(got.senders) {
		t.Errorf("%s: %d senders, of which %d are different and used", what, len(got.senders), len(used))
	}
}

func mustEncode(t testing.TB, r *rows) []byte {
	t.Helper()
	raw, err := encodeBlock(testHour, r)
	if err != nil {
		t.Fatal(err)
	}
	if err := checkBlock(raw); err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestBlockReturnsWhatItWasGiven(t *testing.T) {
	t.Parallel()
	for seed := range uint64(48) {
		s := newSource(seed)
		r := s.rows([]int{0, 1, 2, 9, 100, 1000}[seed%6])
		raw := mustEncode(t, r)
		what := fmt.Sprintf("seed %d, %d rows, %+v", seed, r.len(), *s)

		back, err := decodeBlock(testHour, raw)
		if err != nil {
			t.Fatal(what, err)
		}
		sameRows(t, what, back, writeOut(r))

		p, err := openBlock(testHour, raw)
		if err != nil {
			t.Fatal(what, err)
		}
		samePart(t, what, p, r)
	}
}

// samePart compares what a part says with the rows it was made from.
func samePart(t *testing.T, what string, p *part, r *rows) {
	t.Helper()
	if p.hour != testHour || p.n != r.len() {
		t.Fatalf("%s: hour %d, %d rows", what, p.hour, p.n)
	}
	keys := map[string]bool{"nobody has it": true}
	for row, want := range writeOut(r) {
		client := p.clients.at(row)
		got := sender{p.subjects[client], p.sessions[client], details{platform: p.platforms[client], region: p.regions[client]}}
		wanted := want.sender
		wanted.details = details{platform: wanted.platform, region: wanted.region}
		if p.second(row) != want.second || p.nameOf[p.names.at(row)] != want.name || got != wanted {
			t.Fatalf("%s: row %d is %d, %d, %+v, want %+v", what, row, p.second(row), p.nameOf[p.names.at(row)], got, want)
		}
		for _, property := range r.props[row] {
			keys[property.key] = true
		}
	}
	for key := range keys {
		sameProperty(t, what, p, r, key)
	}
}

func sameProperty(t *testing.T, what string, p *part, r *rows, key string) {
	t.Helper()
	column, err := p.property(key)
	if err != nil {
		t.Fatal(what, err)
	}
	some := false
	for row, list := range r.props {
		want, has := "", false
		for _, property := range list {
			if property.key == key {
				want, has, some = property.value, true, true
			}
		}
		if column == nil {
			if has {
				t.Fatalf("%s: nobody has %q, want %q in row %d", what, key, want, row)
			}
			continue
		}
		if code := column.codes[row]; (code != 0) != has || column.values[code] != want {
			t.Fatalf("%s: %q in row %d is %q (%d), want %q", what, key, row, column.values[code], code, want)
		}
	}
	if column == nil {
		return
	}
	if !some || column.values[0] != "" {
		t.Errorf("%s: nobody has %q, but it has a column with %q first", what, key, column.values[0])
	}
	if values := slices.Sorted(slices.Values(column.values[1:])); len(slices.Compact(values)) != len(column.values)-1 {
		t.Errorf("%s: a value of %q is there twice", what, key)
	}
}

// TestWideBlock has so much of everything that the widest forms are used.
func TestWideBlock(t *testing.T) {
	t.Parallel()
	s := &source{Rand: rand.New(rand.NewPCG(3, 3)), names: 1, senders: 1}
	const n = 1<<16 + 100
	r := &rows{}
	for row := range uint32(n) {
		r.seconds = append(r.seconds, uint16(row/20))
		r.names = append(r.names, row*1000)
		r.clients = append(r.clients, row)
		r.senders = append(r.senders, sender{subject: row + 1, session: math.MaxUint32 - row, details: details{city: s.text(9)}})
		r.received = append(r.received, s.Int64()-math.MaxInt64/2)
		r.ids = append(r.ids, []string{s.uuid(), fmt.Sprint("id-", row)}[row%2])
		r.props = append(r.props, properties{{"each its own", fmt.Sprint(row)}})
	}
	for row := range 600 {
		r.props[row*100] = append(r.props[row*100], property{"long", `"` + s.uuid() + strings.Repeat("x", 900) + `"`})
	}
	for row, length := range []int{600_000, 1, 300_000, 1024, 1025} {
		r.props[row] = append(r.props[row], property{"longer", `"` + strings.Repeat(s.uuid(), length/36) + `"`})
	}
	raw := mustEncode(t, r)
	back, err := decodeBlock(testHour, raw)
	if err != nil {
		t.Fatal(err)
	}
	sameRows(t, "wide block", back, writeOut(r))
	p, err := openBlock(testHour, raw)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"each its own", "long", "longer"} {
		sameProperty(t, "wide block", p, r, key)
	}
}

func TestSubjectRowsAreThoseOfTheSubject(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		s := newSource(seed)
		r := s.rows(500)
		raw := mustEncode(t, r)
		all := writeOut(r)
		for _, subject := range []uint32{all[0].sender.subject, all[499].sender.subject, 4_000_000_001} {
			var want []testRow
			for _, row := range all {
				if row.sender.subject == subject {
					want = append(want, row)
				}
			}
			got, err := subjectRows(testHour, raw, subject)
			if err != nil {
				t.Fatal(err)
			}
			sameRows(t, fmt.Sprintf("seed %d, subject %d", seed, subject), got, want)
		}
	}
}

func TestBlockIDsAreThoseOfTheSeconds(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		s := newSource(seed)
		r := s.rows(1500)
		raw := mustEncode(t, r)
		for range 20 {
			from := s.IntN(lastSecond + 1)
			to := from + s.IntN(60)
			last, most := -1, 1+s.IntN(500)
			want := most
			for row := range r.seconds {
				if int(r.seconds[row]) < from || int(r.seconds[row]) > to || want == 0 {
					continue
				}
				want--
			}
			err := blockIDs(raw, from, to, func(row int, id string) bool {
				if row <= last || id != r.ids[row] || int(r.seconds[row]) < from || int(r.seconds[row]) > to {
					t.Fatalf("seed %d: row %d has %q at second %d, want %q from %d to %d",
						seed, row, id, r.seconds[row], r.ids[row], from, to)
				}
				last = row
				most--
				return most > 0
			})
			if err != nil || most != want {
				t.Fatalf("seed %d: %d ids too few, %v", seed, most-want, err)
			}
		}
	}
}

func TestRowsAreMergedInOrder(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		s := newSource(seed)
		var list []*rows
		var want []testRow
		for range s.IntN(5) {
			r := s.rows(s.IntN(400))
			if len(list) > 0 && s.IntN(2) == 0 {
				copy(r.senders, list[0].senders) // equal senders in both
			}
			list = append(list, r)
			want = append(want, writeOut(r)...)
		}
		slices.SortStableFunc(want, func(a, b testRow) int { return cmp.Compare(a.second, b.second) })
		merged := mergeRows(list)
		sameRows(t, fmt.Sprintf("seed %d", seed), merged, want)
		mustEncode(t, merged)
	}
}

func TestRowsWithoutSome(t *testing.T) {
	t.Parallel()
	for seed := range uint64(30) {
		s := newSource(seed)
		r := s.rows(300)
		gone := r.senders[r.clients[0]].subject
		var want []testRow
		for _, row := range writeOut(r) {
			if row.sender.subject != gone {
				want = append(want, row)
			}
		}
		left := r.without(func(row int) bool { return r.senders[r.clients[row]].subject == gone })
		sameRows(t, fmt.Sprintf("seed %d", seed), left, want)
	}
}

func TestErasedSenderLeavesNoByte(t *testing.T) {
	t.Parallel()
	r := &rows{
		seconds: []uint16{1, 2}, names: []uint32{1, 1}, clients: []uint32{0, 1}, received: []int64{testHour, testHour},
		ids: []string{"first-of-all", "other"}, props: []properties{{{"secretkey", `"secretvalue"`}}, nil},
		senders: []sender{{1, 1, details{address: "203.0.113.7", agent: "Agent/1"}}, {2, 2, details{address: "198.51.100.1"}}},
	}
	if raw := string(mustEncode(t, r)); !strings.Contains(raw, "203.0.113.7") {
		t.Fatal("the test would not see the address")
	}
	raw := string(mustEncode(t, r.without(func(row int) bool { return row == 0 })))
	for _, text := range []string{"first-of-all", "secretkey", "secretvalue", "203.0.113.7", "Agent/1"} {
		if strings.Contains(raw, text) {
			t.Errorf("%q is still there", text)
		}
	}
}

func TestRowsOutOfOrderAreNoBlock(t *testing.T) {
	t.Parallel()
	for rule, spoil := range map[string]func(r *rows){
		"seconds ascend":             func(r *rows) { r.seconds[0] = 50 },
		"an hour has 3,600 seconds":  func(r *rows) { r.seconds[1] = 3600 },
		"each row has a sender":      func(r *rows) { r.clients[0] = 1 },
		"columns have the same rows": func(r *rows) { r.ids = r.ids[:1] },
	} {
		r := &rows{
			seconds: []uint16{1, 2}, names: []uint32{1, 1}, clients: []uint32{0, 0}, received: []int64{0, 0},
			ids: []string{"a", "b"}, props: []properties{nil, nil}, senders: []sender{{subject: 1}},
		}
		mustEncode(t, r)
		spoil(r)
		if _, err := encodeBlock(testHour, r); err == nil {
			t.Errorf("%s: it is taken", rule)
		}
	}
}

func TestBlockOfFewRowsIsSmall(t *testing.T) {
	t.Parallel()
	s := &source{Rand: rand.New(rand.NewPCG(1, 1)), names: 5, senders: 1}
	r := s.rows(1)
	r.props[0] = properties{{"plan", `"pro"`}, {"n", "17"}}
	r.senders[0] = sender{subject: 70_000, session: 90_000, details: details{platform: 3, region: 12}}
	raw := mustEncode(t, r)
	t.Logf("a block of one row: %d bytes", len(raw))
	if len(raw) > 120 {
		t.Errorf("a block of one row takes %d bytes", len(raw))
	}
}
