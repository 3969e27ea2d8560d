package event

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"go.etcd.io/bbolt"

	"svc/internal/stats"
)

// The counters of a project and hour are one value, so that adding to an hour
// rewrites a value of a few kilobytes, and dropping it is the deletion of one
// key.
//
//	value   = form (1 byte) { counter }
//	counter = what, less that of the counter before (uvarint), number (uvarint)
//	what    = name << 20 | region << 10 | platform << 7 | offset

const counterForm = 1

var errCounters = fmt.Errorf("%w: counters", ErrDamaged)

// counter is everything by which the events of a project are counted.
type counter struct {
	hour     uint32 // since 1970
	name     uint32
	region   uint16 // stats.Region
	platform uint8  // stats.PlatformNumber
	offset   stats.Offset
}

func (c counter) what() uint64 {
	return uint64(c.name)<<20 | uint64(c.region)<<10 | uint64(c.platform)<<7 | uint64(c.offset)
}

func counterFrom(hour uint32, what uint64) counter {
	return counter{
		hour: hour, name: uint32(what >> 20), region: uint16(what >> 10 & 0x3ff),
		platform: uint8(what >> 7 & 7), offset: stats.Offset(what & 0x7f),
	}
}

// counted is one counter and its number.
type counted struct {
	what uint64
	n    int64
}

// readCounters visits the counters of an hour in the order of what they count.
func readCounters(raw []byte, visit func(what uint64, n int64)) error {
	if len(raw) == 0 || raw[0] != counterForm {
		return errCounters
	}
	what := uint64(0)
	for raw = raw[1:]; len(raw) > 0; {
		delta, size := binary.Uvarint(raw)
		if size <= 0 {
			return errCounters
		}
		n, more := binary.Uvarint(raw[size:])
		if more <= 0 {
			return errCounters
		}
		raw = raw[size+more:]
		what += delta
		visit(what, int64(n))
	}
	return nil
}

// addCounters adds to the counters of hours.
func addCounters(b *bbolt.Bucket, counts map[counterGroup][]int64) error {
	byHour := map[uint32][]counted{}
	eachHeadCount(counts, func(c counter, n int64) { byHour[c.hour] = append(byHour[c.hour], counted{c.what(), n}) })
	return addToHours(b, byHour)
}

// addToHours adds counters, by hour and in any order, to those that are there.
func addToHours(b *bbolt.Bucket, byHour map[uint32][]counted) error {
	for hour, list := range byHour {
		if raw := b.Get(be32(hour)); raw != nil {
			if err := readCounters(raw, func(what uint64, n int64) { list = append(list, counted{what, n}) }); err != nil {
				return err
			}
		}
		slices.SortFunc(list, func(a, b counted) int { return cmp.Compare(a.what, b.what) })
		raw, last := []byte{counterForm}, uint64(0)
		for i := 0; i < len(list); {
			what, n := list[i].what, int64(0)
			for ; i < len(list) && list[i].what == what; i++ {
				n += list[i].n
			}
			raw = binary.AppendUvarint(binary.AppendUvarint(raw, what-last), uint64(n))
			last = what
		}
		if err := b.Put(be32(hour), raw); err != nil {
			return err
		}
	}
	return nil
}
