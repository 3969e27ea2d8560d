package query

import "math/bits"

// durations is a histogram of durations in whole seconds. Each duration below
// exactDurations has its own counter. Longer durations share a counter if their 12 leading
// bits are equal, so that a median can be too short by less than 1/2048. The size of the
// memory depends on the longest duration, not on the number of durations: 76 KiB if the
// longest is a week, 92 KiB if it is 30 days.
type durations struct {
	counts []uint32
	memory *budget
}

const exactDurations = 1 << 12

// durationIndex returns the index of the counter for a duration.
func durationIndex(seconds uint32) int {
	shift := bits.Len32(seconds / exactDurations)
	return shift*exactDurations/2 + int(seconds>>shift)
}

// durationOf returns the shortest of the durations that share the counter at an index.
func durationOf(index int) int64 {
	shift := max(index/(exactDurations/2)-1, 0)
	return int64(index-shift*exactDurations/2) << shift
}

// add counts a duration.
func (d *durations) add(seconds uint32) {
	at := durationIndex(seconds)
	d.grow(at + 1)
	d.counts[at]++
}

// grow makes room for n counters.
func (d *durations) grow(n int) {
	if n > len(d.counts) {
		more := (n - len(d.counts) + pageLength - 1) / pageLength * pageLength
		d.memory.take(4 * more)
		d.counts = append(d.counts, make([]uint32, more)...)
	}
}

// merge adds the counts of another histogram to d.
func (d *durations) merge(other durations) {
	if len(d.counts) < len(other.counts) {
		d.counts = append(d.counts, make([]uint32, len(other.counts)-len(d.counts))...)
	}
	for i, n := range other.counts {
		d.counts[i] += n
	}
}

// median returns the shortest duration that at least half of the durations do not exceed,
// or 0 if there are none.
func (d *durations) median() int64 {
	var n int64
	for _, count := range d.counts {
		n += int64(count)
	}
	below := int64(0)
	for i, count := range d.counts {
		if below += int64(count); 2*below >= n {
			return durationOf(i)
		}
	}
	return 0
}
