package event

import (
	"cmp"
	"encoding/binary"
	"slices"

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
// they stay when events are erased or have become too old. They go as a whole, the
// oldest first; those of an hour before all that have counters are gone.
func (p *projectCheck) endHour() {
	if len(p.hour.counted) == 0 {
		return
	}
	b := p.bucket.Bucket(countersBucket)
	first, _ := b.Cursor().First()
	if len(first) != 4 || p.hour.number < binary.BigEndian.Uint32(first) {
		return
	}
	key := be32(p.hour.number)
	missing := p.hour.counted
	p.hour.counted = nil
	if raw := b.Get(key); raw != nil {
		err := readCounters(raw, func(what uint64, n int64) { missing[withoutOffset(what)] -= n })
		if err != nil {
			return // checkCounters reports it
		}
	}
	events := int64(0)
	for what, n := range missing {
		if n <= 0 {
			delete(missing, what)
			continue
		}
		events += n
	}
	if events == 0 {
		return
	}
	where := p.path + finding.Path(countersBucket, key)
	p.report.Add(finding.Undercount, where, "%d events of the hour are not counted", events)
	p.fix(where, func() error { return b.Put(key, raised(b.Get(key), missing)) })
}

// raised is the value of counters with more of some.
func raised(raw []byte, more map[uint64]int64) []byte {
	sum := map[uint64]int64{}
	_ = readCounters(raw, func(what uint64, n int64) { sum[what] += n }) // none where there is nothing
	for what, n := range more {
		sum[what] += n
	}
	list := make([]counted, 0, len(sum))
	for what, n := range sum {
		list = append(list, counted{what, n})
	}
	slices.SortFunc(list, func(a, b counted) int { return cmp.Compare(a.what, b.what) })
	value, last := []byte{counterForm}, uint64(0)
	for _, c := range list {
		value = binary.AppendUvarint(binary.AppendUvarint(value, c.what-last), uint64(c.n))
		last = c.what
	}
	return value
}
