package block

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"svc/internal/event/encoding"
)

// source generates random rows.
type source struct {
	*rand.Rand
	keys, names, senders int  // numbers of distinct keys, names and senders
	oddIDs               int  // one ID in this many is not a UUID; 0 = none
	long                 int  // one value in this many is long; 0 = none
	uuids                byte // the version of all UUIDs; 0 = any bytes
	requests             int  // number of requests per sender, each with many events; 0 = one event per request
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
	return encoding.UnpackUUID(id)
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

func (s *source) properties() Properties {
	switch s.IntN(6) {
	case 0:
		return nil
	case 1:
		return Properties{}
	}
	var list Properties
	for _, key := range s.Perm(s.keys)[:s.IntN(min(s.keys, 8)+1)] {
		name := fmt.Sprintf("k%d", key)
		if key == 0 {
			name = ""
		}
		list = append(list, Property{name, s.value()})
	}
	if list == nil {
		return Properties{}
	}
	return list
}

func (s *source) sender() Sender {
	d := Details{}
	if s.IntN(2) == 0 {
		d = Details{
			Platform: uint8(s.IntN(9)), Region: uint16(s.IntN(300)), Version: s.text(3), CountryName: s.text(2),
			RegionName: s.text(1), City: s.text(2), Address: fmt.Sprint(s.IntN(9)), Agent: s.text(200),
		}
	}
	return Sender{1 + s.Uint32N(math.MaxUint32)>>s.IntN(32), s.Uint32() >> s.IntN(32), d}
}

func (s *source) rows(n int) *Rows {
	r := &Rows{}
	for range s.senders {
		r.Senders = append(r.Senders, s.sender())
	}
	busy := 1 + s.IntN(lastSecond+1)
	for range n {
		r.Seconds = append(r.Seconds, uint16(s.IntN(busy)))
	}
	slices.Sort(r.Seconds)
	for _, second := range r.Seconds {
		r.Names = append(r.Names, 1+s.Uint32N(uint32(s.names)))
		r.SenderOf = append(r.SenderOf, s.Uint32N(uint32(s.senders)))
		received := testHour + int64(second) + s.Int64N(5)*s.Int64N(100_000) - s.Int64N(3)
		if s.requests > 0 { // at the time of one of the sender's requests
			received = testHour + int64(r.SenderOf[len(r.SenderOf)-1])*7 + s.Int64N(int64(s.requests))*1000
		}
		r.Received = append(r.Received, received)
		r.IDs = append(r.IDs, s.id())
		r.Props = append(r.Props, s.properties())
	}
	return r
}

// newSource returns a source of rows. The seed determines the characteristics of the
// rows.
func newSource(seed uint64) *source {
	r := rand.New(rand.NewPCG(seed, 0))
	pick := func(list ...int) int { return list[r.IntN(len(list))] }
	return &source{
		Rand: r, keys: pick(0, 1, 5, 300), names: pick(1, 3, 300, 70_000), senders: pick(1, 2, 100, 1000),
		oddIDs: pick(0, 1, 3, 50), long: pick(0, 0, 10), uuids: byte(pick(0, 4, 7)), requests: pick(0, 0, 1, 3),
	}
}
