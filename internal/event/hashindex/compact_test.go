package hashindex

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"svc/internal/boltfile"
	"svc/internal/boltfile/bolttest"
)

func TestHashIndexForgetsWhatIsNotAlive(t *testing.T) {
	t.Parallel()
	x := newTestIndex(t, 3, 1000, 100)
	entries := make([]Entry, 900)
	for i := range entries {
		entries[i] = Entry{rand.Uint64(), uint32(i)}
	}
	x.add(t, slices.Clone(entries))
	for round := range 40 { // each round adds 300 entries; only the last 900 stay alive
		for i := range entries[:300] {
			entries[i] = Entry{rand.Uint64(), uint32(900 + 300*round + i)}
		}
		x.add(t, slices.Clone(entries[:300]))
		x.compact(t, func(payload uint32) bool { return int(payload) >= 300*round })
	}
	total := 0
	for _, p := range x.index.parts() {
		total += countEntries(p.runs)
	}
	if total > 4*1000 || len(x.index.partitions) > 4 {
		t.Errorf("%d entries in %d partitions, of which 900 are alive", total, len(x.index.partitions))
	}
	bolttest.UpdateBucket(t, x.db, func(b *boltfile.Bucket) error {
		pages := NewPages(b)
		for _, p := range x.index.parts() { // merge all runs at once
			if err := x.index.merge(pages, p, slices.Clone(p.runs), func(uint32) bool { return false }); err != nil {
				return err
			}
		}
		x.index.save(pages)
		if err := pages.Write(b); err != nil {
			return err
		}
		if n := countKeys(t, b); x.index.pages != 0 || n != 1 {
			t.Errorf("%d pages in the directory and %d keys in the bucket without an entry that is alive", x.index.pages, n)
		}
		return nil
	})
}

// bigIndex fills an index with n entries and returns some of their hashes. It adds load
// entries at a time and compacts in between, as a server would.
func bigIndex(tb testing.TB, n, load int) (x *testIndex, hashes []uint64) {
	tb.Helper()
	x = newTestIndex(tb, 3, defaultPartition, defaultPage)
	entries := make([]Entry, load)
	for done := 0; done < n; done += load {
		for i := range entries {
			entries[i] = Entry{rand.Uint64(), uint32(done+i) % (1 << 24)}
		}
		hashes = append(hashes, entries[0].Hash, entries[1].Hash)
		bolttest.UpdateBucket(tb, x.db, func(b *boltfile.Bucket) (err error) {
			x.index, err = x.index.Add(b, entries)
			return err
		})
		x.compact(tb, nil)
	}
	return x, hashes
}

// pageBytes returns the size of all pages and the directory.
func (x *testIndex) pageBytes(tb testing.TB) (total int) {
	tb.Helper()
	bolttest.ViewBucket(tb, x.db, func(b *boltfile.Bucket) error {
		return b.EachValue(func(key, value []byte) error {
			total += len(key) + len(value)
			return nil
		})
	})
	return total
}

func TestHashIndexIsSmall(t *testing.T) {
	t.Parallel()
	const n = 1 << 20
	x, _ := bigIndex(t, n, 1<<17)
	got := float64(x.pageBytes(t)) / n
	t.Logf("%.2f bytes an entry with a million of them", got)
	if got > 6 {
		t.Errorf("%.2f bytes an entry, want 6 at most", got)
	}
}

func BenchmarkHashIndexFind(b *testing.B) {
	const n = 5_000_000
	x, hashes := bigIndex(b, n, 1<<17)
	known := map[uint64]bool{}
	for _, hash := range hashes {
		known[hash] = true
	}
	hashes = slices.Collect(maps.Keys(known))
	bolttest.ViewBucket(b, x.db, func(bucket *boltfile.Bucket) error {
		runs := 0
		for _, p := range x.index.partitions {
			runs += len(p.runs)
		}
		b.Logf("%d partitions, %d runs, %d pages", len(x.index.partitions), runs, x.index.pages)
		r := x.index.Reader(bucket)
		found := 0
		b.ResetTimer()
		for i := range b.N {
			hash := rand.Uint64()
			if i%16 == 0 {
				hash = hashes[i/16%len(hashes)]
			}
			if err := r.Each(hash, func(uint32) bool { found++; return true }); err != nil {
				return err
			}
		}
		b.StopTimer()
		if found < b.N/16 {
			b.Errorf("found %d of %d", found, b.N/16)
		}
		return nil
	})
	b.ReportMetric(float64(x.pageBytes(b))/n, "bytes/entry")
}

func BenchmarkHashIndexMerge(b *testing.B) {
	x := newTestIndex(b, 3, defaultPartition, defaultPage)
	total := 0
	for _, n := range []int{120000, 100000, 100000, 60000, 60000} {
		entries := make([]Entry, n)
		for i := range entries {
			entries[i] = Entry{rand.Uint64(), rand.Uint32() & (1<<24 - 1)}
		}
		bolttest.UpdateBucket(b, x.db, func(bucket *boltfile.Bucket) (err error) {
			x.index, err = x.index.Add(bucket, entries)
			return err
		})
		total += n
	}
	bolttest.ViewBucket(b, x.db, func(bucket *boltfile.Bucket) error {
		for b.Loop() {
			next := x.index.clone()
			p := &next.fresh
			if err := next.merge(NewPages(bucket), p, slices.Clone(p.runs), func(uint32) bool { return true }); err != nil {
				return err
			}
		}
		return nil
	})
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(total), "ns/entry")
}
