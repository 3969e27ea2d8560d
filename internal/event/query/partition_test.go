package query

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestMergedEventsAreInOrderOfTimeAndReceipt(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	var room []matched
	for range 500 {
		var events, want []matched
		for range 1 + random.IntN(4) { // the number of parts of an hour
			from := len(events)
			for range random.IntN(20) {
				events = append(events, matched{when: uint32(random.IntN(30)) << 8})
			}
			slices.SortFunc(events[from:], func(a, b matched) int { return int(a.second()) - int(b.second()) })
			for i := from; i < len(events); i++ {
				events[i].slot = uint32(len(want)) // remember the order of receipt
				want = append(want, events[i])
			}
			room = mergeMatched(events, from, room)
		}
		slices.SortStableFunc(want, func(a, b matched) int { return int(a.second()) - int(b.second()) })
		if !slices.Equal(events, want) {
			t.Fatalf("seed %d: %v, want %v", seed, events, want)
		}
	}
}
