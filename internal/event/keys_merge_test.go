package event

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"go.etcd.io/bbolt"
)

func TestHashIndexForgetsWhatIsNotAlive(t *testing.T) {
	t.Parallel()
	x := newTestIndex(t, 3, 1000, 100)
	entries := make([]hashEntry, 900)
	for i := range entries {
		entries[i] = hashEntry{rand.Uint64(), uint32(i)}
	}
	x.add(t, slices.Clone(entries))
	for round := range 40 { // 300 more each time, of which 900 are alive
		for i := range entries[:300] {
			entries[i] = hashEntry{rand.Uint64(), uint32(900 + 300*round + i)}
		}
		x.add(t, slices.Clone(entries[:300]))
		x.compact(t, func(payload uint32) bool { return int(payload) >= 300*round })
	}
	total := 0
	for _, p := range x.index.all() {
		total += hashEntries(p.runs)
	}
	if total > 4*1000 || len(x.index.partitions) > 4 {
		t.Errorf("%d entries in %d partitions, of which 900 are alive", total, len(x.index.partitions))
	}
	updateTestDB(t, x.db, func(b *bbolt.Bucket) error {
		pages := changing(b)
		for _, p := range x.index.all() { // as if everything were due
			if err := x.index.merge(pages, p, slices.Clone(p.runs), func(uint32) bool { return false }); err != nil {
				return err
			}
		}
		x.index.save(pages)
		if err := pages.write(b); err != nil {
			return err
		}
		if n := countKeys(t, b); x.index.pages != 0 || n != 1 {
			t.Errorf("%d pages in the directory and %d keys in the bucket without an entry that is alive", x.index.pages, n)
		}
		return nil
	})
}

// bigIndex fills an index with n entries, in loads as they come from a server,
// and returns some of the hashes.
func bigIndex(tb testing.TB, n, load int) (x *testIndex, hashes []uint64) {
	tb.Helper()
	x = newTestIndex(tb, 3, defaultHashPartition, defaultHashPage)
	entries := make([]hashEntry, load)
	for done := 0; done < n; done += load {
		for i := range entries {
			entries[i] = hashEntry{rand.Uint64(), uint32(done+i) % (1 << 24)}
		}
		hashes = append(hashes, entries[0].hash, entries[1].hash)
		updateTestDB(tb, x.db, func(b *bbolt.Bucket) (err error) {
			x.index, err = x.index.add(b, entries)
			return err
		})
		x.compact(tb, nil)
	}
	return x, hashes
}

// pageBytes are the bytes of all pages and the directory.
func (x *testIndex) pageBytes(tb testing.TB) (total int) {
	tb.Helper()
	viewTestDB(tb, x.db, func(b *bbolt.Bucket) error {
		return eachValue(b, func(key, value []byte) error {
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
	viewTestDB(b, x.db, func(bucket *bbolt.Bucket) error {
		runs := 0
		for _, p := range x.index.partitions {
			runs += len(p.runs)
		}
		b.Logf("%d partitions, %d runs, %d pages", len(x.index.partitions), runs, x.index.pages)
		r := x.index.reader(bucket)
		found := 0
		b.ResetTimer()
		for i := range b.N {
			hash := rand.Uint64()
			if i%16 == 0 {
				hash = hashes[i/16%len(hashes)]
			}
			if err := r.each(hash, func(uint32) bool { found++; return true }); err != nil {
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
	x := newTestIndex(b, 3, defaultHashPartition, defaultHashPage)
	total := 0
	for _, n := range []int{120000, 100000, 100000, 60000, 60000} {
		entries := make([]hashEntry, n)
		for i := range entries {
			entries[i] = hashEntry{rand.Uint64(), rand.Uint32() & (1<<24 - 1)}
		}
		updateTestDB(b, x.db, func(bucket *bbolt.Bucket) (err error) {
			x.index, err = x.index.add(bucket, entries)
			return err
		})
		total += n
	}
	viewTestDB(b, x.db, func(bucket *bbolt.Bucket) error {
		for b.Loop() {
			next := x.index.clone()
			p := &next.fresh
			if err := next.merge(changing(bucket), p, slices.Clone(p.runs), func(uint32) bool { return true }); err != nil {
				return err
			}
		}
		return nil
	})
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(total), "ns/entry")
}
