package hashindex

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"svc/internal/boltfile"
	"svc/internal/boltfile/bolttest"
	"svc/internal/event/encoding"
	"svc/internal/integrity"
)

func TestDamageInAHashIndexIsAnError(t *testing.T) {
	t.Parallel()
	x := newTestIndex(t, 3, 1000, 100)
	for range 4 {
		entries := make([]Entry, 300)
		for i := range entries {
			entries[i] = Entry{rand.Uint64(), uint32(i)}
		}
		x.add(t, entries)
	}
	undo := errors.New("undo")
	for name, damage := range map[string]func(value []byte) []byte{
		"cut off":  func(value []byte) []byte { return value[:len(value)/2] },
		"empty":    func([]byte) []byte { return []byte{} },
		"lost":     func([]byte) []byte { return nil },
		"one bit":  func(value []byte) []byte { value[len(value)*2/3] ^= 4; return value },
		"too long": func(value []byte) []byte { return append(value, 0) },
	} {
		var keys [][]byte
		bolttest.ViewBucket(t, x.db, func(b *boltfile.Bucket) error {
			return b.ForEach(func(key, _ []byte) error {
				keys = append(keys, slices.Clone(key))
				return nil
			})
		})
		for _, key := range keys {
			err := x.db.Update(func(tx *boltfile.Tx) error {
				b := tx.Bucket(bolttest.BucketName)
				value := damage(slices.Clone(b.Value(key)))
				if value == nil {
					if err := b.DeleteValue(key); err != nil {
						return err
					}
				} else if err := b.PutValue(key, value); err != nil {
					return err
				}
				if len(key) == 1 {
					if _, err := Load(b, 3); value != nil && !errors.Is(err, integrity.ErrDamaged) {
						t.Errorf("%s: directory: %v", name, err)
					}
					return undo
				}
				if err := x.index.Check(b, func(uint32) bool { return true }); !errors.Is(err, integrity.ErrDamaged) {
					t.Errorf("%s: check of page %x: %v", name, key, err)
				}
				if _, _, err := x.index.Compact(NewPages(b), nil); !errors.Is(err, integrity.ErrDamaged) {
					t.Errorf("%s: compaction of page %x: %v", name, key, err)
				}
				return undo
			})
			if !errors.Is(err, undo) {
				t.Fatal(err)
			}
		}
	}
}

// findAll looks up every entry of a page.
func findAll(t *testing.T, p page, entries []Entry) {
	t.Helper()
	for _, e := range entries {
		probe := p.probe(e.Hash)
		if err := probe.locate(); err != nil {
			t.Fatal(err)
		}
		found := false
		probe.each(func(payload uint32) bool { found = found || payload == e.Payload; return true })
		if !found {
			t.Fatalf("%d entries of %d bits: %x with %d is not found", len(entries), p.width, e.Hash, e.Payload)
		}
	}
}

// FuzzHashPage reads pages of arbitrary bytes and looks up arbitrary hashes in them.
func FuzzHashPage(f *testing.F) {
	entries := []Entry{{1 << 24, 7}, {1 << 24, 8}, {1 << 50, 9}, {1 << 63, 10}}
	f.Add(encodePage(entries, 0), uint8(0), uint8(3), uint64(1<<50))
	f.Add(encodePage(entries[:2], 12), uint8(12), uint8(4), uint64(1<<24))
	f.Add(encodePage(nil, hashBits), uint8(hashBits), uint8(1), uint64(0))
	f.Fuzz(func(t *testing.T, raw []byte, skip, payloadBytes uint8, hash uint64) {
		skip, payloadBytes = skip%(hashBits+1), payloadBytes%4+1
		p, err := openPage(raw, int(skip), int(payloadBytes))
		if err != nil {
			return
		}
		visits := 0
		probe := p.probe(hash)
		if err := probe.locate(); err == nil {
			probe.each(func(uint32) bool { visits++; return true })
		}
		if visits > len(raw) {
			t.Errorf("%d visits in %d bytes", visits, len(raw))
		}
		for place := range uint64(1) << p.places {
			if _, _, err := p.bounds(place); err != nil && !errors.Is(err, integrity.ErrDamaged) {
				t.Error(err)
			}
		}
	})
}

// FuzzHashDirectory reads a directory of arbitrary bytes with a valid checksum.
func FuzzHashDirectory(f *testing.F) {
	f.Add([]byte{1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0})
	f.Add([]byte{1, 3, 0, 0, 0, 0, 0, 0, 0, 9,
		0, 1, 0, 0, 0, 0, 0, 0, 0, 7, 1, 0, 0, 0, 0, 3,
		0, 0, 0, 2,
		1, 0, 0, 0, 0, 0, 0,
		1, 128, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 8, 1, 0, 0, 0, 0, 5})
	f.Fuzz(func(t *testing.T, rest []byte) {
		x := New(3)
		if err := x.parse(withSum(rest)); err != nil {
			return
		}
		for _, hash := range []uint64{0, 1 << 31, 1 << 63, ^uint64(0)} {
			p := x.partitions[x.partition(hash)]
			if hash>>32<<32 < uint64(p.prefix)<<32 {
				t.Errorf("hash %x is in the partition that begins with %x", hash, p.prefix)
			}
		}
	})
}

// withSum returns rest with its checksum before it.
func withSum(rest []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, encoding.Checksum(rest)), rest...)
}

// TestPagesOfAllWidths checks that entries of every possible width are read correctly,
// both by lookup and in order.
func TestPagesOfAllWidths(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	widths := map[uint8]bool{}
	for range 20_000 {
		skip, payloadBits := random.IntN(hashBits+1), random.IntN(33)
		entries := make([]Entry, random.IntN(1+random.IntN(100)))
		for i := range entries {
			entries[i] = Entry{random.Uint64() >> skip >> 24 << 24, uint32(random.Uint64() >> (64 - payloadBits))}
		}
		slices.SortFunc(entries, Entry.Compare)
		entries = slices.Compact(entries)
		p, err := openPage(encodePage(entries, skip), skip, 4)
		if err == nil {
			err = p.verify()
		}
		if err != nil {
			t.Fatal(err)
		}
		widths[p.width] = true
		findAll(t, p, entries)
	}
	for width := range uint8(maxEntryWidth + 1) {
		if !widths[width] {
			t.Errorf("there was no page with entries of %d bits", width)
		}
	}
	if !widths[64] {
		t.Error("there was no page with entries of 64 bits")
	}
}
