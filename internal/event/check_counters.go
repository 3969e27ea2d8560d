package event

import (
	"encoding/binary"
	"math"

	"svc/internal/finding"
)

// hourCheck counts the events of an hour as its counters do, but for what blocks
// do not have: the offset of the sender's clock.
type hourCheck struct {
	number  uint32 // since 1970
	counted map[uint64]int64
}

func newHourCheck(number uint32) hourCheck {
	return hourCheck{number: number, counted: map[uint64]int64{}}
}

// withoutOffset is what a counter counts, all offsets together.
func withoutOffset(what uint64) uint64 { return what >> 7 << 7 }

func (h *hourCheck) add(name uint32, region uint16, platform uint8) {
	h.counted[counter{name: name, region: region, platform: platform}.what()]++
}

// checkCounters decodes the counters of all hours.
func (p *projectCheck) checkCounters() error {
	return p.bucket.Bucket(countersBucket).ForEach(func(key, value []byte) error {
		where := p.path + finding.Path(countersBucket, key)
		greatest := uint32(0)
		err := readCounters(value, func(what uint64, _ int64) { greatest = max(greatest, uint32(what>>20)) })
		switch {
		case err != nil || len(key) != 4:
			p.report.Add(finding.Counters, where, "%d bytes under a key of %d bytes are no counters", len(value), len(key))
		case greatest >= p.names && greatest > 0:
			p.report.Add(finding.Counters, where, "there is a counter of name %d of %d", greatest, p.names)
		}
		return p.read(len(value))
	})
}

// endHour compares the events of an hour with its counters. These may be more:
// they stay when events are erased or have become too old. They are not fewer, but
// in the hours of which counters were removed: there may be some for events that
// came later.
func (p *projectCheck) endHour() {
	if len(p.hour.counted) == 0 || p.hour.number < p.countersFrom() {
		return
	}
	hour, missing := p.hour.number, p.hour.counted
	p.hour.counted = nil
	b := p.bucket.Bucket(countersBucket)
	if raw := b.Get(be32(hour)); raw != nil {
		err := readCounters(raw, func(what uint64, n int64) { missing[withoutOffset(what)] -= n })
		if err != nil {
			return // checkCounters reports it
		}
	}
	events, list := int64(0), []counted(nil)
	for what, n := range missing {
		if n > 0 {
			events += n
			list = append(list, counted{what, n})
		}
	}
	if events == 0 {
		return
	}
	where := p.path + finding.Path(countersBucket, be32(hour))
	p.report.Add(finding.Undercount, where, "%d events of the hour are not counted", events)
	p.fix(where, func() error { return addToHours(b, map[uint32][]counted{hour: list}) })
}

// countersFrom is the hour from which on no counters were removed. Where the file
// does not say, it is the first that has any: they go as a whole, the oldest first.
func (p *projectCheck) countersFrom() uint32 {
	if raw := p.bucket.Get(countersFromKey); len(raw) == 4 {
		return binary.BigEndian.Uint32(raw)
	}
	if first, _ := p.bucket.Bucket(countersBucket).Cursor().First(); len(first) == 4 {
		return binary.BigEndian.Uint32(first)
	}
	return math.MaxUint32
}
