package event

import (
	"cmp"
	"slices"

	"svc/internal/boltfile"
	"svc/internal/event/encoding"
	"svc/internal/hourly"
	"svc/internal/stats"
)

// The counters of a project and hour are one value in the format of package hourly. The
// key of a counter is
//
//  	name << 20 | region << 10 | platform << 7 | offset

// counter identifies an hourly counter of a project by the dimensions: hour, name of the
// event, region, platform and time zone.
type counter struct {
	hour     uint32 // hours since 1970
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

// counted holds the key and the count of a counter.
type counted struct {
	what uint64
	n    int64
}

// addCounters adds the counters of a head to the counters that are stored in b.
func addCounters(b *boltfile.Bucket, counts map[counterGroup][]int64) error {
	byHour := map[uint32][]counted{}
	eachHeadCount(counts, func(c counter, n int64) { byHour[c.hour] = append(byHour[c.hour], counted{c.what(), n}) })
	return addToHours(b, byHour)
}

// addToHours adds counters to those that are stored in b. byHour groups the counters by
// hour, in hours since 1970; their order within an hour does not matter.
func addToHours(b *boltfile.Bucket, byHour map[uint32][]counted) error {
	for hour, list := range byHour {
		if raw := b.Get(encoding.Key32(hour)); raw != nil {
			if err := hourly.Each(raw, func(what uint64, n int64) { list = append(list, counted{what, n}) }); err != nil {
				return err
			}
		}
		slices.SortFunc(list, func(a, b counted) int { return cmp.Compare(a.what, b.what) })
		e := hourly.NewEncoder(4 * len(list))
		for i := 0; i < len(list); {
			what, n := list[i].what, int64(0)
			for ; i < len(list) && list[i].what == what; i++ {
				n += list[i].n
			}
			e.Add(what, uint64(n))
		}
		if err := b.Put(encoding.Key32(hour), e.Value()); err != nil {
			return err
		}
	}
	return nil
}
