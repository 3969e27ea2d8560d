package block

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestPropertiesOfEveryShape checks property columns with every width of codes, for keys
// that occur in all rows, in many rows and in few rows.
func TestPropertiesOfEveryShape(t *testing.T) {
	t.Parallel()
	const n = 701
	for _, different := range []int{1, 2, 3, 4, 5, 15, 16, 17, 255, 256, 257, n} {
		for _, every := range []int{1, 2, 3, 50} {
			s := &source{Rand: rand.New(rand.NewPCG(1, 1)), names: 1, senders: 1}
			r := s.rows(n)
			for row := range r.Props {
				r.Props[row] = nil
				if row%every == 0 {
					r.Props[row] = Properties{{"key", fmt.Sprint(row / every % different)}}
				}
			}
			what := fmt.Sprintf("%d values, one row in %d", different, every)
			raw := mustEncode(t, r)
			back, err := Decode(testHour, raw)
			if err != nil {
				t.Fatal(what, err)
			}
			sameRows(t, what, back, writeOut(r))
			p, err := Open(testHour, raw)
			if err != nil {
				t.Fatal(what, err)
			}
			sameProperty(t, what, p, r, "key")
		}
	}
}

func TestOfAKeySentTwiceTheLastHolds(t *testing.T) {
	t.Parallel()
	s := &source{Rand: rand.New(rand.NewPCG(1, 1)), names: 1, senders: 1}
	r := s.rows(2)
	r.Props = []Properties{{{"key", "1"}, {"key", "2"}}, {{"key", "1"}}}
	back, err := Decode(testHour, mustEncode(t, r))
	if err != nil {
		t.Fatal(err)
	}
	r.Props[0] = Properties{{"key", "2"}}
	sameRows(t, "a key twice", back, writeOut(r))
}

// TestMoreKeysThanColumns checks that in a block with more keys than columns, the
// frequent keys get the columns, and that the values of all keys can be read.
func TestMoreKeysThanColumns(t *testing.T) {
	t.Parallel()
	s := &source{Rand: rand.New(rand.NewPCG(1, 1)), names: 1, senders: 1}
	const n = 400
	r := s.rows(n)
	for row := range r.Props {
		r.Props[row] = Properties{{"frequent", fmt.Sprint(row)}, {fmt.Sprintf("rare %d", row), "true"}}
	}
	raw := mustEncode(t, r)
	p, err := Open(testHour, raw)
	if err != nil {
		t.Fatal(err)
	}
	sameColumns(t, "many keys", p, r)
	back, err := Decode(testHour, raw)
	if err != nil {
		t.Fatal(err)
	}
	sameRows(t, "many keys", back, writeOut(r))
}

// TestKeys checks that the keys of rows are found in every form in which a block stores a key: in
// all rows, in many, in few, and outside of columns.
func TestKeys(t *testing.T) {
	t.Parallel()
	s := &source{Rand: rand.New(rand.NewPCG(1, 1)), names: 1, senders: 1}
	const n = 400
	r := s.rows(n)
	for row := range r.Props {
		r.Props[row] = Properties{{"all", "1"}}
		if row%2 == 0 {
			r.Props[row] = append(r.Props[row], Property{"even", "2"})
		}
		if row == 7 {
			r.Props[row] = append(r.Props[row], Property{"once", "3"}, Property{"long", `"` + strings.Repeat("x", 2000) + `"`})
		}
	}
	p, err := Open(testHour, mustEncode(t, r))
	if err != nil {
		t.Fatal(err)
	}
	inMemory := KeysOf(func(row uint32) string { return string(r.Props[row].JSON()) })
	for _, tc := range []struct {
		rows []uint32
		want string
	}{
		{nil, "[]"}, {[]uint32{1}, "[all]"}, {[]uint32{1, 4}, "[all even]"}, {[]uint32{5, 7}, "[all long once]"}, {[]uint32{6, 7, 8}, "[all even long once]"},
	} {
		for place, keys := range map[string]func([]uint32, func(string)) error{"block": p.Keys, "memory": inMemory} {
			var got []string
			if err := keys(tc.rows, func(key string) { got = append(got, key) }); err != nil {
				t.Fatal(err)
			}
			slices.Sort(got)
			if text := fmt.Sprint(slices.Compact(got)); text != tc.want {
				t.Errorf("%s, rows %v: got %s, want %s", place, tc.rows, text, tc.want)
			}
		}
	}
}
