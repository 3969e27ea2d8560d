package event

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// source makes random rows.
type source struct {
	*rand.Rand
	keys, names, senders int  // how many different ones
	oddIDs               int  // one in so many is no UUID; 0 = none
	long                 int  // one value in so many is long; 0 = none
	uuids                byte // the version of all UUIDs; 0 = any bytes
}

func (s *source) text(most int) string {
	var b strings.Builder
	for range s.IntN(most + 1) {
		b.WriteRune([]rune("aZ0 \"\\\x00\n-.é漢😀\u2028\ufffd")[s.IntN(15)])
	}
	return b.String()
}

func (s *source) uuid() string {
	id := [16]byte{}
	for i := range id {
		id[i] = byte(s.Uint32())
	}
	if s.uuids > 0 {
		id[6], id[8] = s.uuids<<4|id[6]&15, 2<<6|id[8]&63
	}
	return unpackUUID(id)
}

func (s *source) id() string {
	if s.oddIDs == 0 || s.IntN(s.oddIDs) > 0 {
		return s.uuid()
	}
	switch s.IntN(4) {
	case 0:
		return strings.ToUpper(s.uuid())
	case 1:
		return strings.ReplaceAll(s.uuid(), "-", "")
	case 2:
		return strings.Repeat("x", 1+s.IntN(128))
	}
	return s.text(40)
}

func (s *source) value() string {
	switch {
	case s.long > 0 && s.IntN(s.long) == 0:
		return `"` + strings.Repeat(s.text(20), 1+s.IntN(2000)) + `"`
	case s.IntN(4) == 0:
		return fmt.Sprint(s.IntN(1_000_000))
	case s.IntN(3) == 0:
		return []string{"null", "true", `""`, "{}", `[1,{"a":null}]`, "1.0"}[s.IntN(6)]
	}
	return `"` + s.text(5) + `"`
}

func (s *source) properties() properties {
	switch s.IntN(6) {
	case 0:
		return nil
	case 1:
		return properties{}
	}
	var list properties
	for _, key := range s.Perm(s.keys)[:s.IntN(min(s.keys, 8)+1)] {
		name := fmt.Sprintf("k%d", key)
		if key == 0 {
			name = ""
		}
		list = append(list, property{name, s.value()})
	}
	if list == nil {
		return properties{}
	}
	return list
}

func (s *source) sender() sender {
	d := details{}
	if s.IntN(2) == 0 {
		d = details{
			platform: uint8(s.IntN(9)), region: uint16(s.IntN(300)), version: s.text(3), countryName: s.text(2),
			regionName: s.text(1), city: s.text(2), address: fmt.Sprint(s.IntN(9)), agent: s.text(200),
		}
	}
	return sender{1 + s.Uint32N(math.MaxUint32)>>s.IntN(32), s.Uint32() >> s.IntN(32), d}
}

func (s *source) rows(n int) *rows {
	r := &rows{}
	for range s.senders {
		r.senders = append(r.senders, s.sender())
	}
	busy := 1 + s.IntN(lastSecond+1)
	for range n {
		r.seconds = append(r.seconds, uint16(s.IntN(busy)))
	}
	slices.Sort(r.seconds)
	for _, second := range r.seconds {
		r.names = append(r.names, 1+s.Uint32N(uint32(s.names)))
		r.clients = append(r.clients, s.Uint32N(uint32(s.senders)))
		r.received = append(r.received, testHour+int64(second)+s.Int64N(5)*s.Int64N(100_000)-s.Int64N(3))
		r.ids = append(r.ids, s.id())
		r.props = append(r.props, s.properties())
	}
	return r
}

// newSource makes rows whose shape varies with the seed.
func newSource(seed uint64) *source {
	r := rand.New(rand.NewPCG(seed, 0))
	pick := func(list ...int) int { return list[r.IntN(len(list))] }
	return &source{
		Rand: r, keys: pick(0, 1, 5, 300), names: pick(1, 3, 300, 70_000), senders: pick(1, 2, 100, 1000),
		oddIDs: pick(0, 1, 3, 50), long: pick(0, 0, 10), uuids: byte(pick(0, 4, 7)),
	}
}
