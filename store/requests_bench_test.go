package store

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"svc/internal/platform"
	"svc/internal/stats"
)

// busyHour returns the counters of an hour of a project with clients in many countries:
// about 300 different requests, 40 system versions and 30 app versions, a few of which
// are frequent.
func busyHour(random *rand.Rand, p ProjectID, h Hour) map[RequestCounter]uint64 {
	counts := map[RequestCounter]uint64{}
	for range 1500 {
		skewed := func(n int) int { return int(float64(n) * random.Float64() * random.Float64() * random.Float64()) }
		on := platform.All[1+skewed(6)]
		region := stats.Region(2 + 37*skewed(60)).String()
		city := ""
		if random.IntN(8) == 0 {
			region, city = "CN", fmt.Sprint(440000+100*skewed(21))
		}
		r := NewRequest(Endpoint(1+skewed(11)), on, NewPlace(region, "", city), stats.OffsetOf(15*skewed(40)))
		counts[CountRequest(p, h, r)] += 3
		counts[CountSystem(p, h, on, fmt.Sprintf("%d.%d", 10+skewed(8), skewed(5)))] += 3
		counts[CountClient(p, h, on, fmt.Sprintf("2.%d.%d", skewed(12), skewed(3)))] += 2
	}
	return counts
}

func benchStore(b *testing.B) *Store {
	b.Helper()
	s, err := Open(filepath.Join(b.TempDir(), "svc.db"), Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	return s
}

func benchProjects(b *testing.B, s *Store, n int) (ids []ProjectID) {
	b.Helper()
	for i := range n {
		p := &Project{Key: fmt.Sprint("p", i)}
		if err := s.Update(func(tx *Tx) error { return tx.CreateProject(p) }); err != nil {
			b.Fatal(err)
		}
		ids = append(ids, p.ID)
	}
	return ids
}

// BenchmarkFlush adds the requests of a few seconds to the current hour of several
// projects, in one transaction on disk.
func BenchmarkFlush(b *testing.B) {
	for _, projects := range []int{1, 100} {
		b.Run(fmt.Sprint("projects=", projects), func(b *testing.B) {
			s := benchStore(b)
			random := rand.New(rand.NewPCG(1, 1))
			batch := map[RequestCounter]uint64{}
			for _, p := range benchProjects(b, s, projects) {
				maps.Copy(batch, busyHour(random, p, 490_000))
			}
			b.ResetTimer()
			for range b.N {
				if err := s.Update(func(tx *Tx) error { return tx.AddRequests(batch) }); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(batch)), "counters")
		})
	}
}

// BenchmarkRequestYear reads all requests of a year. It also reports their size on disk.
func BenchmarkRequestYear(b *testing.B) {
	s := benchStore(b)
	p := benchProjects(b, s, 1)[0]
	random := rand.New(rand.NewPCG(1, 1))
	const first, hours = Hour(480_000), 365 * 24
	for h := Hour(0); h < hours; h += 24 {
		err := s.Update(func(tx *Tx) error {
			for within := range Hour(24) {
				if err := tx.AddRequests(busyHour(random, p, first+h+within)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	read := func() (counters int, bytes int) {
		err := s.View(func(tx *Tx) error {
			for kind := range counterBuckets {
				stats := tx.counters(p, counterKind(kind)).Stats()
				bytes += stats.LeafAlloc + stats.BranchAlloc
			}
			err := tx.EachSystemVersion(p, 0, first+hours, func(Hour, platform.Platform, []byte, int64) { counters++ })
			if err != nil {
				return err
			}
			err = tx.EachClientVersion(p, 0, first+hours, func(Hour, platform.Platform, []byte, int64) { counters++ })
			if err != nil {
				return err
			}
			return tx.EachRequest(p, 0, first+hours, func(Hour, Request, int64) { counters++ })
		})
		if err != nil {
			b.Fatal(err)
		}
		return counters, bytes
	}
	start := time.Now()
	counters, bytes := read()
	b.Logf("%d counters of %d hours read in %s", counters, hours, time.Since(start))
	b.ResetTimer()
	for range b.N {
		var total int64
		err := s.View(func(tx *Tx) error {
			return tx.EachRequest(p, 0, first+hours, func(_ Hour, _ Request, n int64) { total += n })
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(counters), "counters")
	b.ReportMetric(float64(bytes)/float64(counters), "bytes/counter")
	b.ReportMetric(float64(bytes)/hours, "bytes/hour")
}
