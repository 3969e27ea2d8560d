package store

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"svc/internal/boltfile"
	"svc/internal/platform"
	"svc/internal/stats"
)

// countingStore returns a store with a fixed clock and the given number of projects.
func countingStore(t *testing.T, projects int) (*Store, []ProjectID) {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "svc.db"), Options{Now: func() time.Time { return time.Unix(1_764_604_800, 0) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(s.Close(), boltfile.Verify(s.path)); err != nil {
			t.Error(err)
		}
	})
	var ids []ProjectID
	for i := range projects {
		p := &Project{Key: fmt.Sprintf("p%d", i)}
		if err := s.Update(func(tx *Tx) error { return tx.CreateProject(p) }); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, p.ID)
	}
	return s, ids
}

func addCounts(t *testing.T, s *Store, counts map[RequestCounter]uint64) {
	t.Helper()
	if err := s.Update(func(tx *Tx) error { return tx.AddRequests(counts) }); err != nil {
		t.Fatal(err)
	}
}

// readCounts returns the counters of a project in a range of hours.
func readCounts(t *testing.T, s *Store, p ProjectID, from, to Hour) map[RequestCounter]uint64 {
	t.Helper()
	got := map[RequestCounter]uint64{}
	note := func(c RequestCounter, n int64) {
		if got[c] != 0 {
			t.Errorf("%+v comes twice", c)
		}
		got[c] = uint64(n)
	}
	last := Hour(0)
	inOrder := func(h Hour) {
		if h < last {
			t.Errorf("hour %d comes after %d", h, last)
		}
		last = h
	}
	err := s.View(func(tx *Tx) error {
		err := tx.EachRequest(p, from, to, func(h Hour, r Request, n int64) {
			inOrder(h)
			note(CountRequest(p, h, r), n)
		})
		if err != nil {
			return err
		}
		last = 0
		err = tx.EachSystemVersion(p, from, to, func(h Hour, on platform.Platform, version []byte, n int64) {
			inOrder(h)
			note(CountSystem(p, h, on, string(version)), n)
		})
		if err != nil {
			return err
		}
		last = 0
		return tx.EachClientVersion(p, from, to, func(h Hour, on platform.Platform, version []byte, n int64) {
			inOrder(h)
			note(CountClient(p, h, on, string(version)), n)
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestDimensionsComeBack(t *testing.T) {
	t.Parallel()
	places := []struct {
		region, province, city string
		wantRegion             string
		wantProvince           int
	}{
		{"UNKNOWN", "", "", "UNKNOWN", 0},
		{"", "", "", "UNKNOWN", 0},
		{"LOCAL", "", "", "LOCAL", 0},
		{"AA", "", "", "AA", 0},
		{"ZZ", "", "", "ZZ", 0},
		{"de", "", "", "UNKNOWN", 0},
		{"DEU", "", "", "UNKNOWN", 0},
		{"CN", "440000", "", "CN", 44},
		{"CN", "440000", "440300", "CN", 44},
		{"CN", "", "440300", "CN", 44},
		{"CN", "820000", "659999", "CN", 82},
		{"CN", "44000", "no", "CN", 0},
	}
	for e := Endpoint(1); e.String() != ""; e++ {
		if again, ok := ParseEndpoint(e.String()); !ok || again != e {
			t.Errorf("endpoint %d is %s, which is %d", e, e, again)
		}
		for i, on := range platform.All {
			for offset := -720; offset <= 840; offset += 15 {
				place := places[(int(e)+i+offset/15+720)%len(places)]
				r := NewRequest(e, on, NewPlace(place.region, place.province, place.city), stats.OffsetOf(offset))
				minutes, said := r.Offset().Minutes()
				if r.Endpoint() != e || stats.PlatformOf(r.PlatformNumber()) != on || minutes != offset || !said ||
					r.Place().Region().String() != place.wantRegion || r.Place().Province() != place.wantProvince {
					t.Fatalf("%s %s %v %d came back as %s %s %s %d %d", e, on, place, offset,
						r.Endpoint(), stats.PlatformOf(r.PlatformNumber()), r.Place().Region(), r.Place().Province(), minutes)
				}
				if r>>kindAt != 0 {
					t.Fatalf("%x has bits where the kind is", uint64(r))
				}
			}
		}
	}
	for _, offset := range []int{-735, 855, 7, 481, -1} {
		if _, said := stats.OffsetOf(offset).Minutes(); said {
			t.Errorf("offset %d must count as not said", offset)
		}
	}
	if _, said := stats.OffsetOf(0).Minutes(); !said {
		t.Error("offset 0 must count as said")
	}
}

// TestNumbersOfDimensions checks that the numbers that are stored in the file keep their
// meaning.
func TestNumbersOfDimensions(t *testing.T) {
	t.Parallel()
	var got []string
	for e := Endpoint(1); e.String() != ""; e++ {
		got = append(got, e.String())
	}
	for i := range platform.All {
		got = append(got, string(stats.PlatformOf(i)))
	}
	const want = "[PROJECT_DETAIL VERSION_LIST VERSION_LATEST VERSION_LATEST_PREVIEW VERSION_BY_VERSION VERSION_CHECK_UPDATE " +
		"ANNOUNCEMENT_LIST ANNOUNCEMENT_LATEST FEEDBACK_SUBMIT LOG_UPLOAD EVENT_INGEST VERSION_ASSETS VERSION_NOTES FEED others windows linux macos ios android web]"
	if fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
	r := NewRequest(6, platform.Android, NewPlace("CN", "440000", "440300"), stats.OffsetOf(480))
	if want := Request(0x86b1adfb28d6); r != want {
		t.Errorf("got %x, want %x", uint64(r), uint64(want))
	}
	value := encodeHour([]hourCounter{{CountSystem(1, 2, platform.IOS, "17.5"), 300}, {CountSystem(1, 2, platform.Web, ""), 1}})
	if want := []byte("\x01\x04\x0417.5\xac\x02\x02\x00\x01"); !bytes.Equal(value, want) {
		t.Errorf("got %q, want %q", value, want)
	}
}

// TestRequestsAreAMap adds the same counts to a store and to a map, and compares the
// results.
func TestRequestsAreAMap(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	s, projects := countingStore(t, 3)
	want := map[RequestCounter]uint64{}
	const hours = 40
	counter := func() RequestCounter {
		p, h := projects[random.IntN(3)], Hour(1000+random.IntN(hours))
		on := platform.All[random.IntN(len(platform.All))]
		text := fmt.Sprint(random.IntN(12))
		switch random.IntN(3) {
		case 0:
			return CountSystem(p, h, on, text[:random.IntN(len(text)+1)])
		case 1:
			return CountClient(p, h, on, text)
		}
		place := NewPlace([]string{"CN", "DE", "LOCAL", "UNKNOWN"}[random.IntN(4)], "", fmt.Sprint(110000+random.IntN(5)))
		return CountRequest(p, h, NewRequest(Endpoint(1+random.IntN(11)), on, place, stats.OffsetOf(15*random.IntN(4))))
	}
	for range 60 {
		batch := map[RequestCounter]uint64{}
		for range random.IntN(200) {
			c, n := counter(), 1+random.Uint64N(1000)
			batch[c] += n
			want[c] += n
		}
		addCounts(t, s, batch)
		p := projects[random.IntN(3)]
		from, to := Hour(995+random.IntN(50)), Hour(995+random.IntN(50))
		in := map[RequestCounter]uint64{}
		for c, n := range want {
			if c.project == p && from <= c.hour && c.hour <= to {
				in[c] = n
			}
		}
		if got := readCounts(t, s, p, from, to); !maps.Equal(got, in) {
			t.Fatalf("seed %d: project %d, hours %d..%d: got %d counters, want %d", seed, p, from, to, len(got), len(in))
		}
	}
}

func TestCountersFollowTheProject(t *testing.T) {
	t.Parallel()
	s, projects := countingStore(t, 2)
	counts := map[RequestCounter]uint64{}
	for _, p := range projects {
		counts[CountRequest(p, 7, 1)] = 3
		counts[CountSystem(p, 7, platform.Web, "")] = 3
		counts[CountClient(p, 7, platform.Web, "1.0")] = 2
	}
	addCounts(t, s, counts)
	err := s.Update(func(tx *Tx) error {
		p, err := tx.Project("p0")
		if err != nil {
			return err
		}
		return tx.RenameProject(p, "renamed")
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := readCounts(t, s, projects[0], 7, 7); len(got) != 3 {
		t.Errorf("after the rename: got %v, want 3 counters", got)
	}
	err = s.Update(func(tx *Tx) error {
		p, err := tx.Project("p1")
		if err != nil {
			return err
		}
		return tx.DeleteProject(p)
	})
	if err != nil {
		t.Fatal(err)
	}
	addCounts(t, s, counts) // requests that arrived before the deletion
	if err := s.Purge(); err != nil {
		t.Fatal(err)
	}
	if got := readCounts(t, s, projects[1], 7, 7); len(got) != 0 {
		t.Errorf("after the deletion: got %v, want nothing", got)
	}
	if got := readCounts(t, s, projects[0], 7, 7)[CountRequest(projects[0], 7, 1)]; got != 6 {
		t.Errorf("the other project: got %d, want 6", got)
	}
}
