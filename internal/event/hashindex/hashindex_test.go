package hashindex

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"svc/internal/boltfile"
	"svc/internal/boltfile/bolttest"
	"svc/internal/testutil"
)

// testIndex is an index in a file, with its expected contents.
type testIndex struct {
	db    *boltfile.Writer
	index *Index
	model map[uint64]map[uint32]bool // payloads by the first 36 bits of the hash; false = dead

	payloadBytes, partition, page int
}

func newTestIndex(tb testing.TB, payloadBytes, partition, page int) *testIndex {
	tb.Helper()
	x := &testIndex{
		db: bolttest.OpenBucket(tb), model: map[uint64]map[uint32]bool{},
		payloadBytes: payloadBytes, partition: partition, page: page,
	}
	x.reload(tb)
	return x
}

func (x *testIndex) reload(tb testing.TB) {
	tb.Helper()
	bolttest.ViewBucket(tb, x.db, func(b *boltfile.Bucket) (err error) {
		x.index, err = Load(b, x.payloadBytes)
		return err
	})
	x.index.MaxPartition, x.index.MaxPage = x.partition, x.page
}

func (x *testIndex) add(tb testing.TB, entries []Entry) {
	tb.Helper()
	for _, e := range entries {
		of := x.model[e.Hash>>(64-hashBits)]
		if of == nil {
			of = map[uint32]bool{}
			x.model[e.Hash>>(64-hashBits)] = of
		}
		of[e.Payload] = true
	}
	bolttest.UpdateBucket(tb, x.db, func(b *boltfile.Bucket) (err error) {
		x.index, err = x.index.Add(b, entries)
		return err
	})
}

// compact does all pending work.
func (x *testIndex) compact(tb testing.TB, alive func(uint32) bool) (steps int) {
	tb.Helper()
	for worked := true; worked; steps++ {
		bolttest.UpdateBucket(tb, x.db, func(b *boltfile.Bucket) (err error) {
			pages := NewPages(b)
			if x.index, worked, err = x.index.Compact(pages, alive); err != nil {
				return err
			}
			return pages.Write(b)
		})
	}
	for _, p := range x.index.parts() {
		if n := countEntries(p.runs); len(p.runs) > 8 || p.depth < maxDepth && n > x.partition {
			tb.Fatalf("after compaction partition %x has %d runs and %d entries", p.prefix, len(p.runs), n)
		}
	}
	return steps - 1
}

// verify checks that the index contains all live entries of the model. It may also
// contain dead ones.
func (x *testIndex) verify(tb testing.TB) {
	tb.Helper()
	bolttest.ViewBucket(tb, x.db, func(b *boltfile.Bucket) error {
		r := x.index.Reader(b)
		for hash, want := range x.model {
			got := map[uint32]bool{}
			err := r.Each(hash<<(64-hashBits)|rand.Uint64N(1<<(64-hashBits)), func(payload uint32) bool {
				if _, ok := want[payload]; !ok {
					tb.Fatalf("hash %x leads to %d, which was never added with it", hash, payload)
				}
				got[payload] = true
				return true
			})
			if err != nil {
				return err
			}
			for payload, alive := range want {
				if alive && !got[payload] {
					tb.Fatalf("hash %x does not lead to %d", hash, payload)
				}
			}
		}
		return x.index.Check(b, func(uint32) bool { return true })
	})
}

// countKeys returns the number of keys in a bucket.
func countKeys(tb testing.TB, b *boltfile.Bucket) (n int) {
	tb.Helper()
	if err := b.ForEach(func(_, _ []byte) error { n++; return nil }); err != nil {
		tb.Fatal(err)
	}
	return n
}

func TestHashIndexIsAMap(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		payloadBytes, partition, page int
		spread                        uint64 // all hashes are multiples of this number
	}{
		{3, 1000, 200, 1 << 24},
		{4, 1000, 200, 1 << 24},
		{4, 5000, 700, 1},
		{3, 500, 100, 1 << 54}, // a thousand distinct hashes that are far apart
		{1, 300, 50, 1 << 24},
		{3, 100_000, 100_000, 1 << 24}, // few but large pages
		{3, 10, 10, 1 << 24},           // small pages, and therefore a large directory
	} {
		t.Run(fmt.Sprintf("%d bytes, %d in a partition, %d on a page", tc.payloadBytes, tc.partition, tc.page), func(t *testing.T) {
			t.Parallel()
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			random := rand.New(rand.NewPCG(seed, 1))
			x := newTestIndex(t, tc.payloadBytes, tc.partition, tc.page)
			for range 150 {
				entries := make([]Entry, random.IntN(1+random.IntN(400)))
				for i := range entries {
					entries[i] = Entry{
						Hash:    random.Uint64() / tc.spread * tc.spread,
						Payload: uint32(random.Uint64() >> (64 - 8*tc.payloadBytes)),
					}
				}
				x.add(t, entries)
				switch random.IntN(6) {
				case 0:
					x.reload(t)
				case 1, 2:
					x.compact(t, nil)
				case 3:
					x.kill(t, random)
				}
			}
			x.compact(t, nil)
			x.reload(t)
			x.verify(t)
			if n := countEntries(x.index.partitions[0].runs); len(x.index.partitions) < 2 && n > tc.partition {
				t.Errorf("no partition was divided: %d entries", n)
			}
			bolttest.ViewBucket(t, x.db, func(b *boltfile.Bucket) error {
				if got, want := countKeys(t, b), x.index.pages+1; got != want {
					t.Errorf("%d keys in the bucket, want %d: pages of merged runs are left", got, want)
				}
				return nil
			})
		})
	}
}

// kill marks a quarter of the payloads as dead and compacts.
func (x *testIndex) kill(tb testing.TB, random *rand.Rand) {
	tb.Helper()
	quarter := uint32(random.IntN(4))
	dead := func(payload uint32) bool { return payload*2654435761>>30 == quarter }
	for _, of := range x.model {
		for payload := range of {
			of[payload] = of[payload] && !dead(payload)
		}
	}
	x.compact(tb, func(payload uint32) bool { return !dead(payload) })
}

func TestHashIndexOfAnAbortedTransactionIsTheOldOne(t *testing.T) {
	t.Parallel()
	x := newTestIndex(t, 4, 1000, 100)
	for i := range uint32(20) {
		x.add(t, []Entry{{rand.Uint64(), i}, {rand.Uint64(), i}})
	}
	undo := errors.New("undo")
	err := x.db.Update(func(tx *boltfile.Tx) error {
		b := tx.Bucket(bolttest.BucketName)
		next, err := x.index.Add(b, []Entry{{1, 1}})
		if err != nil {
			return err
		}
		pages := NewPages(b)
		if next, _, err = next.Compact(pages, nil); err != nil {
			return err
		}
		if err := pages.Write(b); err != nil {
			return err
		}
		if next.pages >= x.index.pages {
			t.Errorf("%d pages after compaction, %d before", next.pages, x.index.pages)
		}
		return undo
	})
	if !errors.Is(err, undo) {
		t.Fatal(err)
	}
	x.verify(t)
	x.compact(t, nil)
	x.verify(t)
}

func TestHashIndexHasFewFalseCandidates(t *testing.T) {
	t.Parallel()
	x := newTestIndex(t, 3, defaultPartition, defaultPage)
	entries := make([]Entry, 200_000)
	for i := range entries {
		entries[i] = Entry{rand.Uint64(), uint32(i)}
	}
	x.add(t, entries)
	bolttest.ViewBucket(t, x.db, func(b *boltfile.Bucket) error {
		r := x.index.Reader(b)
		found := 0
		for range 500_000 { // about 1.5 false matches are expected: 200,000 × 500,000 / 2^36
			if err := r.Each(rand.Uint64(), func(uint32) bool { found++; return true }); err != nil {
				return err
			}
		}
		if found > 15 {
			t.Errorf("%d of 500,000 other hashes lead to something", found)
		}
		visits := 0
		if err := r.Each(entries[0].Hash, func(uint32) bool { visits++; return false }); err != nil || visits != 1 {
			t.Errorf("visited %d times, %v; want once", visits, err)
		}
		return nil
	})
}

//nolint:paralleltest // allocations are counted for the whole process
func TestLookupsDoNotAllocate(t *testing.T) {
	testutil.WithoutDetector(t)
	x := newTestIndex(t, 3, 1000, 100)
	entries := make([]Entry, 5000)
	for i := range entries {
		entries[i] = Entry{rand.Uint64(), uint32(i)}
	}
	x.add(t, entries)
	bolttest.ViewBucket(t, x.db, func(b *boltfile.Bucket) error {
		r := x.index.Reader(b)
		found := 0
		look := func() {
			for i := range entries {
				if err := r.Each(entries[i].Hash, func(uint32) bool { found++; return true }); err != nil {
					t.Error(err)
				}
			}
		}
		look() // the first lookup opens the pages
		if n := testing.AllocsPerRun(10, look); n != 0 || found < len(entries) {
			t.Errorf("%d lookups allocate %v times and find %d", len(entries), n, found)
		}
		return nil
	})
}
