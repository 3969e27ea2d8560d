package block

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

// testRow is an event together with its sender.
type testRow struct {
	second   int
	name     uint32
	received int64
	id       string
	sender   Sender
	bare     bool // sent with properties {}
	props    map[string]string
}

// writeOut returns the rows as testRows, each with its sender.
func writeOut(r *Rows) []testRow {
	list := make([]testRow, r.Len())
	for i := range list {
		list[i] = testRow{
			second: int(r.Seconds[i]), name: r.Names[i], received: r.Received[i], id: r.IDs[i],
			sender: r.Senders[r.SenderOf[i]], bare: r.Props[i] != nil && len(r.Props[i]) == 0,
		}
		for _, p := range r.Props[i] {
			if list[i].props == nil {
				list[i].props = map[string]string{}
			}
			list[i].props[p.Key] = p.Value
		}
	}
	return list
}

// sameRows compares rows with the expected ones.
func sameRows(t *testing.T, what string, got *Rows, want []testRow) {
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
	used := map[Sender]bool{}
	for _, client := range got.SenderOf {
		used[got.Senders[client]] = true
	}
	if len(used) != len(got.Senders) {
		t.Errorf("%s: %d senders, of which %d are different and used", what, len(got.Senders), len(used))
	}
}

func mustEncode(t testing.TB, r *Rows) []byte {
	t.Helper()
	raw, err := Encode(testHour, r)
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(raw); err != nil {
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
		what := fmt.Sprintf("seed %d, %d rows, %+v", seed, r.Len(), *s)

		back, err := Decode(testHour, raw)
		if err != nil {
			t.Fatal(what, err)
		}
		sameRows(t, what, back, writeOut(r))

		p, err := Open(testHour, raw)
		if err != nil {
			t.Fatal(what, err)
		}
		sameColumns(t, what, p, r)
	}
}

// sameColumns checks that columns contain the rows from which they were made.
func sameColumns(t *testing.T, what string, p *Columns, r *Rows) {
	t.Helper()
	if p.Hour != testHour || p.N != r.Len() {
		t.Fatalf("%s: hour %d, %d rows", what, p.Hour, p.N)
	}
	keys := map[string]bool{"nobody has it": true}
	for row, want := range writeOut(r) {
		client := p.SenderOf.At(row)
		got := Sender{p.Subjects()[client], p.Sessions()[client], Details{Platform: p.Platforms()[client], Region: p.Regions()[client]}}
		wanted := want.sender
		wanted.Details = Details{Platform: wanted.Platform, Region: wanted.Region}
		if p.Second(row) != want.second || p.NameOf[p.Names.At(row)] != want.name || got != wanted {
			t.Fatalf("%s: row %d is %d, %d, %+v, want %+v", what, row, p.Second(row), p.NameOf[p.Names.At(row)], got, want)
		}
		for _, property := range r.Props[row] {
			keys[property.Key] = true
		}
	}
	for key := range keys {
		sameProperty(t, what, p, r, key)
	}
}

func sameProperty(t *testing.T, what string, p *Columns, r *Rows, key string) {
	t.Helper()
	column, err := p.Property(key)
	if err != nil {
		t.Fatal(what, err)
	}
	some := false
	for row, list := range r.Props {
		want, has := "", false
		for _, property := range list {
			if property.Key == key {
				want, has, some = property.Value, true, true
			}
		}
		if column == nil {
			if has {
				t.Fatalf("%s: nobody has %q, want %q in row %d", what, key, want, row)
			}
			continue
		}
		var code [1]uint32
		column.Codes([]uint32{uint32(row)}, code[:])
		if code := code[0]; (code != 0) != has || column.Values[code] != want {
			t.Fatalf("%s: %q in row %d is %q (%d), want %q", what, key, row, column.Values[code], code, want)
		}
	}
	if column == nil {
		return
	}
	if !some || column.Values[0] != "" {
		t.Errorf("%s: nobody has %q, but it has a column with %q first", what, key, column.Values[0])
	}
	if values := slices.Sorted(slices.Values(column.Values[1:])); len(slices.Compact(values)) != len(column.Values)-1 {
		t.Errorf("%s: a value of %q is there twice", what, key)
	}
}

// TestWideBlock checks a block that needs the widest encodings, because it has more than
// 65,536 distinct names, senders and values.
func TestWideBlock(t *testing.T) {
	t.Parallel()
	s := &source{Rand: rand.New(rand.NewPCG(3, 3)), names: 1, senders: 1}
	const n = 1<<16 + 100
	r := &Rows{}
	for row := range uint32(n) {
		r.Seconds = append(r.Seconds, uint16(row/20))
		r.Names = append(r.Names, row*1000)
		r.SenderOf = append(r.SenderOf, row)
		r.Senders = append(r.Senders, Sender{Subject: row + 1, Session: math.MaxUint32 - row, Details: Details{City: s.text(9)}})
		r.Received = append(r.Received, s.Int64()-math.MaxInt64/2)
		r.IDs = append(r.IDs, []string{s.uuid(), fmt.Sprint("id-", row)}[row%2])
		r.Props = append(r.Props, Properties{{"each its own", fmt.Sprint(row)}})
	}
	for row := range 600 {
		r.Props[row*100] = append(r.Props[row*100], Property{"long", `"` + s.uuid() + strings.Repeat("x", 900) + `"`})
	}
	for row, length := range []int{600_000, 1, 300_000, 1024, 1025} {
		r.Props[row] = append(r.Props[row], Property{"longer", `"` + strings.Repeat(s.uuid(), length/36) + `"`})
	}
	raw := mustEncode(t, r)
	back, err := Decode(testHour, raw)
	if err != nil {
		t.Fatal(err)
	}
	sameRows(t, "wide block", back, writeOut(r))
	p, err := Open(testHour, raw)
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
		for _, subject := range []uint32{all[0].sender.Subject, all[499].sender.Subject, 4_000_000_001} {
			var want []testRow
			for _, row := range all {
				if row.sender.Subject == subject {
					want = append(want, row)
				}
			}
			got, err := DecodeSubject(testHour, raw, subject)
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
			for row := range r.Seconds {
				if int(r.Seconds[row]) < from || int(r.Seconds[row]) > to || want == 0 {
					continue
				}
				want--
			}
			err := IDs(raw, from, to, func(row int, id string) bool {
				if row <= last || id != r.IDs[row] || int(r.Seconds[row]) < from || int(r.Seconds[row]) > to {
					t.Fatalf("seed %d: row %d has %q at second %d, want %q from %d to %d",
						seed, row, id, r.Seconds[row], r.IDs[row], from, to)
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
		var list []*Rows
		var want []testRow
		for range s.IntN(5) {
			r := s.rows(s.IntN(400))
			if len(list) > 0 && s.IntN(2) == 0 {
				copy(r.Senders, list[0].Senders) // both have equal senders
			}
			list = append(list, r)
			want = append(want, writeOut(r)...)
		}
		slices.SortStableFunc(want, func(a, b testRow) int { return cmp.Compare(a.second, b.second) })
		merged := Merge(list)
		sameRows(t, fmt.Sprintf("seed %d", seed), merged, want)
		mustEncode(t, merged)
	}
}

func TestRowsWithoutSome(t *testing.T) {
	t.Parallel()
	for seed := range uint64(30) {
		s := newSource(seed)
		r := s.rows(300)
		gone := r.Senders[r.SenderOf[0]].Subject
		var want []testRow
		for _, row := range writeOut(r) {
			if row.sender.Subject != gone {
				want = append(want, row)
			}
		}
		left := r.Without(func(row int) bool { return r.Senders[r.SenderOf[row]].Subject == gone })
		sameRows(t, fmt.Sprintf("seed %d", seed), left, want)
	}
}

func TestErasedSenderLeavesNoByte(t *testing.T) {
	t.Parallel()
	r := &Rows{
		Seconds: []uint16{1, 2}, Names: []uint32{1, 1}, SenderOf: []uint32{0, 1}, Received: []int64{testHour, testHour},
		IDs: []string{"first-of-all", "other"}, Props: []Properties{{{"secretkey", `"secretvalue"`}}, nil},
		Senders: []Sender{{1, 1, Details{Address: "203.0.113.7", Agent: "Agent/1"}}, {2, 2, Details{Address: "198.51.100.1"}}},
	}
	if raw := string(mustEncode(t, r)); !strings.Contains(raw, "203.0.113.7") {
		t.Fatal("the test would not see the address")
	}
	raw := string(mustEncode(t, r.Without(func(row int) bool { return row == 0 })))
	for _, text := range []string{"first-of-all", "secretkey", "secretvalue", "203.0.113.7", "Agent/1"} {
		if strings.Contains(raw, text) {
			t.Errorf("%q is still there", text)
		}
	}
}

func TestRowsOutOfOrderAreNoBlock(t *testing.T) {
	t.Parallel()
	for rule, spoil := range map[string]func(r *Rows){
		"seconds ascend":             func(r *Rows) { r.Seconds[0] = 50 },
		"an hour has 3,600 seconds":  func(r *Rows) { r.Seconds[1] = 3600 },
		"each row has a sender":      func(r *Rows) { r.SenderOf[0] = 1 },
		"columns have the same rows": func(r *Rows) { r.IDs = r.IDs[:1] },
	} {
		r := &Rows{
			Seconds: []uint16{1, 2}, Names: []uint32{1, 1}, SenderOf: []uint32{0, 0}, Received: []int64{0, 0},
			IDs: []string{"a", "b"}, Props: []Properties{nil, nil}, Senders: []Sender{{Subject: 1}},
		}
		mustEncode(t, r)
		spoil(r)
		if _, err := Encode(testHour, r); err == nil {
			t.Errorf("%s: it is taken", rule)
		}
	}
}

func TestBlockOfFewRowsIsSmall(t *testing.T) {
	t.Parallel()
	s := &source{Rand: rand.New(rand.NewPCG(1, 1)), names: 5, senders: 1}
	r := s.rows(1)
	r.Props[0] = Properties{{"plan", `"pro"`}, {"n", "17"}}
	r.Senders[0] = Sender{Subject: 70_000, Session: 90_000, Details: Details{Platform: 3, Region: 12}}
	raw := mustEncode(t, r)
	t.Logf("a block of one row: %d bytes", len(raw))
	if len(raw) > 120 {
		t.Errorf("a block of one row takes %d bytes", len(raw))
	}
}
