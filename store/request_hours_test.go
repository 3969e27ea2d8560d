package store

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"svc/internal/platform"
	"svc/internal/stats"
)

func countedTotal(counts map[RequestCounter]uint64, kind counterKind) (n uint64) {
	for c, one := range counts {
		if c.kind() == kind {
			n += one
		}
	}
	return n
}

// TestAnHourIsBounded checks that a client that reports invented versions cannot fill the
// disk, and that the versions in real use are still counted.
func TestAnHourIsBounded(t *testing.T) {
	t.Parallel()
	s, projects := countingStore(t, 1)
	p := projects[0]
	popular := CountClient(p, 7, platform.Windows, "1.2.3")
	const flushes, each = 4, 3000
	for i := range flushes {
		batch := map[RequestCounter]uint64{popular: 2}
		for k := range each {
			batch[CountClient(p, 7, platform.Android, fmt.Sprintf("made-up-%d-%d", i, k))] = 1
		}
		addCounts(t, s, batch)
	}
	got := readCounts(t, s, p, 7, 7)
	if len(got) > maxVersions {
		t.Errorf("got %d counters, want at most %d", len(got), maxVersions)
	}
	if n := countedTotal(got, clientCounts); n != flushes*(each+2) {
		t.Errorf("got a total of %d, want %d", n, flushes*(each+2))
	}
	if got[popular] != 2*flushes {
		t.Errorf("got %d for the version in use, want %d", got[popular], 2*flushes)
	}
	other := got[CountClient(p, 7, platform.Android, "(other)")]
	if other < flushes*each-maxVersions || other > flushes*each {
		t.Errorf("got %d for (other), want what there was no room for", other)
	}
}

// TestRequestsFoldToTheirCountry checks that requests that exceed the limit lose only
// their province, city and offset.
func TestRequestsFoldToTheirCountry(t *testing.T) {
	t.Parallel()
	s, projects := countingStore(t, 1)
	p := projects[0]
	batch := map[RequestCounter]uint64{}
	for i := range 2 * maxRequests {
		region := []string{"CN", "DE"}[i%2]
		place := NewPlace(region, "440000", fmt.Sprint(440000+i/2))
		batch[CountRequest(p, 7, NewRequest(2, platform.IOS, place, stats.OffsetOf(480)))] = 1
	}
	addCounts(t, s, batch)
	got := readCounts(t, s, p, 7, 7)
	if len(got) > maxRequests {
		t.Errorf("got %d counters, want at most %d", len(got), maxRequests)
	}
	byRegion := map[string]uint64{}
	for c, n := range got {
		r := Request(c.what)
		if r.Endpoint() != 2 || stats.PlatformOf(r.PlatformNumber()) != platform.IOS {
			t.Fatalf("%s on %s was never counted", r.Endpoint(), stats.PlatformOf(r.PlatformNumber()))
		}
		byRegion[r.Place().Region().String()] += n
	}
	if want := map[string]uint64{"CN": maxRequests, "DE": maxRequests}; !maps.Equal(byRegion, want) {
		t.Errorf("got %v, want %v", byRegion, want)
	}
	folded := CountRequest(p, 7, NewRequest(2, platform.IOS, NewPlace("CN", "", ""), 0))
	if got[folded] == 0 {
		t.Error("nothing is counted without province, city and offset")
	}
	if folded.Folded() != folded {
		t.Error("what is folded must be its own fold")
	}
}

func TestDropRequestsByHour(t *testing.T) {
	t.Parallel()
	s, projects := countingStore(t, 2)
	counts := map[RequestCounter]uint64{}
	for h := Hour(100); h < 120; h++ {
		for _, p := range projects {
			counts[CountRequest(p, h, 1)] = 1
			counts[CountSystem(p, h, platform.Web, "")] = 1
			counts[CountClient(p, h, platform.Web, "1")] = 1
		}
	}
	addCounts(t, s, counts)
	var steps []int
	for more := true; more; {
		err := s.Update(func(tx *Tx) error {
			n, err := tx.DropRequests(projects[0], 110, 12)
			steps = append(steps, n)
			more = n > 0
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if fmt.Sprint(steps) != "[12 12 6 0]" {
		t.Errorf("got steps %v, want 30 values in steps of at most 12", steps)
	}
	err := s.View(func(tx *Tx) error {
		for _, tc := range []struct {
			project ProjectID
			before  Hour
			want    bool
		}{{projects[0], 110, false}, {projects[0], 111, true}, {projects[1], 100, false}, {projects[1], 101, true}, {99, 200, false}} {
			if got := tx.HasRequestsBefore(tc.project, tc.before); got != tc.want {
				t.Errorf("project %d before %d: got %v, want %v", tc.project, tc.before, got, tc.want)
			}
		}
		if last, ok := tx.LastRequest(projects[0]); last != 119 || !ok {
			t.Errorf("last request: got %d %v, want hour 119", last, ok)
		}
		if last, ok := tx.LastRequest(99); ok {
			t.Errorf("last request of no project: got %d", last)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := readCounts(t, s, projects[0], 0, 1000); len(got) != 30 {
		t.Errorf("got %d counters left, want those of the last 10 hours", len(got))
	}
	if got := readCounts(t, s, projects[1], 0, 1000); len(got) != 60 {
		t.Errorf("got %d counters of the other project, want all 60", len(got))
	}
}

func FuzzDecodeHour(f *testing.F) {
	f.Add([]byte{}, false)
	f.Add([]byte{1}, true)
	f.Add([]byte("\x01\x04\x0417.5\xac\x02\x02\x00\x01"), true)
	f.Add([]byte("\x01\x05\x07\x03\x01"), false)
	f.Add([]byte("\x01\x04\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), true)
	f.Fuzz(func(t *testing.T, raw []byte, versions bool) {
		kind := requestCounts
		if versions {
			kind = systemCounts
		}
		var all []hourCounter
		err := decodeHour(raw, kind, func(what uint64, text []byte, n int64) {
			all = append(all, hourCounter{RequestCounter{what: what | uint64(kind)<<kindAt, text: string(text)}, uint64(n)})
		})
		if err != nil {
			return
		}
		if len(all) > 0 && slices.IsSortedFunc(all, byCounter) && all[len(all)-1].kind() == kind {
			again := 0
			err := decodeHour(encodeHour(all), kind, func(what uint64, text []byte, n int64) {
				if c := all[again]; what != c.what&^(3<<kindAt) || string(text) != c.text || uint64(n) != c.n {
					t.Errorf("counter %d: wrote %+v, read %x %q %d", again, c, what, text, n)
				}
				again++
			})
			if err != nil || again != len(all) {
				t.Errorf("read %d of %d counters: %v", again, len(all), err)
			}
		}
		for _, c := range all {
			r := Request(c.what) // none of these may exceed the bounds of an array
			if r.Endpoint() >= Endpoints || r.PlatformNumber() >= stats.Platforms || r.Place().Region() >= stats.Regions || r.Place().Province() >= Provinces {
				t.Errorf("%x has dimensions beyond their bounds", c.what)
			}
		}
	})
}
