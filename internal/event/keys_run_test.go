package event

import (
	"cmp"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"testing"

	"go.etcd.io/bbolt"
)

func TestDamageInAHashIndexIsAnError(t *testing.T) {
	t.Parallel()
	x := newTestIndex(t, 3, 1000, 100)
	for range 4 {
		entries := make([]hashEntry, 300)
		for i := range entries {
			entries[i] = hashEntry{rand.Uint64(), uint32(i)}
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
		viewTestDB(t, x.db, func(b *bbolt.Bucket) error {
			return b.ForEach(func(key, _ []byte) error {
				keys = append(keys, slices.Clone(key))
				return nil
			})
		})
		for _, key := range keys {
			err := x.db.Update(func(tx *bbolt.Tx) error {
				b := tx.Bucket(testBucket)
				value := damage(slices.Clone(getValue(b, key)))
				if value == nil {
					if err := deleteValue(b, key); err != nil {
						return err
					}
				} else if err := putValue(b, key, value); err != nil {
					return err
				}
				if len(key) == 1 {
					if _, err := loadHashIndex(b, 3); value != nil && !errors.Is(err, ErrDamaged) {
						t.Errorf("%s: directory: %v", name, err)
					}
					return undo
				}
				if err := x.index.check(b, func(uint32) bool { return true }); !errors.Is(err, ErrDamaged) {
					t.Errorf("%s: check of page %x: %v", name, key, err)
				}
				if _, _, err := x.index.compact(changing(b), nil); !errors.Is(err, ErrDamaged) {
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

// TestPagesOfVersion1 holds that pages whose entries have whole bytes are read, too,
// as files of format 1 have them.
func TestPagesOfVersion1(t *testing.T) {
	t.Parallel()
	for _, payloadBytes := range []int{1, 3, 4} {
		var entries []hashEntry
		for i := range 1000 {
			entries = append(entries, hashEntry{rand.Uint64() >> 24 << 24, uint32(i % 200)})
		}
		slices.SortFunc(entries, hashEntry.compare)
		p, err := openHashPage(pageOfVersion1(entries, payloadBytes), 0, payloadBytes)
		if err == nil {
			err = p.verify()
		}
		if err != nil {
			t.Fatal(err)
		}
		findAll(t, p, entries)
	}
}

// findAll looks up every entry of a page.
func findAll(t *testing.T, p hashPage, entries []hashEntry) {
	t.Helper()
	for _, e := range entries {
		probe := p.probe(e.hash)
		if err := probe.narrow(); err != nil {
			t.Fatal(err)
		}
		found := false
		probe.each(func(payload uint32) bool { found = found || payload == e.payload; return true })
		if !found {
			t.Fatalf("%d entries of %d bits: %x with %d is not found", len(entries), p.width, e.hash, e.payload)
		}
	}
}

// pageOfVersion1 is a page of up to 65,535 entries with a table of 2^8 places.
func pageOfVersion1(entries []hashEntry, payloadBytes int) []byte {
	const places = 8
	raw := append(make([]byte, 4), 1, places)
	raw = binary.LittleEndian.AppendUint32(raw, uint32(len(entries)))
	for place := range uint64(1) << places {
		n, _ := slices.BinarySearchFunc(entries, place+1, func(e hashEntry, next uint64) int { return cmp.Compare(e.hash>>(64-places), next) })
		raw = binary.LittleEndian.AppendUint16(raw, uint16(n))
	}
	width := (hashBits - places + 8*payloadBytes + 7) / 8
	for _, e := range entries {
		entry := binary.LittleEndian.AppendUint64(nil, e.hash<<places>>(64-hashBits+places)<<(8*payloadBytes)|uint64(e.payload))
		raw = append(raw, entry[:width]...)
	}
	raw = append(raw, make([]byte, 8-width)...)
	binary.LittleEndian.PutUint32(raw, crc32.Checksum(raw[4:], castagnoli))
	return raw
}

// FuzzHashPage reads pages as bytes may be and hashes as they may be asked for.
func FuzzHashPage(f *testing.F) {
	entries := []hashEntry{{1 << 24, 7}, {1 << 24, 8}, {1 << 50, 9}, {1 << 63, 10}}
	f.Add(encodeHashPage(entries, 0), uint8(0), uint8(3), uint64(1<<50))
	f.Add(encodeHashPage(entries[:2], 12), uint8(12), uint8(4), uint64(1<<24))
	f.Add(encodeHashPage(nil, 40), uint8(40), uint8(1), uint64(0))
	f.Add(pageOfVersion1(entries, 3), uint8(0), uint8(3), uint64(1<<63))
	f.Fuzz(func(t *testing.T, raw []byte, skip, payloadBytes uint8, hash uint64) {
		skip, payloadBytes = skip%(hashBits+1), payloadBytes%4+1
		p, err := openHashPage(raw, int(skip), int(payloadBytes))
		if err != nil {
			return
		}
		visits := 0
		probe := p.probe(hash)
		if err := probe.narrow(); err == nil {
			probe.each(func(uint32) bool { visits++; return true })
		}
		if visits > len(raw) {
			t.Errorf("%d visits in %d bytes", visits, len(raw))
		}
		for place := range uint64(1) << p.places {
			if _, _, err := p.bounds(place); err != nil && !errors.Is(err, ErrDamaged) {
				t.Error(err)
			}
		}
	})
}

// FuzzHashDirectory reads a directory with the right checksum and the rest as it
// may be.
func FuzzHashDirectory(f *testing.F) {
	f.Add([]byte{1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0})
	f.Add([]byte{1, 3, 0, 0, 0, 0, 0, 0, 0, 9,
		0, 1, 0, 0, 0, 0, 0, 0, 0, 7, 1, 0, 0, 0, 0, 3,
		0, 0, 0, 2,
		1, 0, 0, 0, 0, 0, 0,
		1, 128, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 8, 1, 0, 0, 0, 0, 5})
	f.Fuzz(func(t *testing.T, rest []byte) {
		x := emptyHashIndex(3)
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

// withSum puts a checksum in front.
func withSum(rest []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, crc32.Checksum(rest, castagnoli)), rest...)
}

// TestPagesOfAllWidths makes pages whose entries have every number of bits there
// can be, and reads them in both ways.
func TestPagesOfAllWidths(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	widths := map[uint8]bool{}
	for range 20_000 {
		skip, payloadBits := random.IntN(hashBits+1), random.IntN(33)
		entries := make([]hashEntry, random.IntN(1+random.IntN(100)))
		for i := range entries {
			entries[i] = hashEntry{random.Uint64() >> skip >> 24 << 24, uint32(random.Uint64() >> (64 - payloadBits))}
		}
		slices.SortFunc(entries, hashEntry.compare)
		entries = slices.Compact(entries)
		p, err := openHashPage(encodeHashPage(entries, skip), skip, 4)
		if err == nil {
			err = p.verify()
		}
		if err != nil {
			t.Fatal(err)
		}
		widths[p.width] = true
		findAll(t, p, entries)
	}
	for width := range uint8(widestEntry + 1) {
		if !widths[width] {
			t.Errorf("there was no page with entries of %d bits", width)
		}
	}
	if !widths[64] {
		t.Error("there was no page with entries of 64 bits")
	}
}

// TestMergeWithPagesOfVersion1 merges a run of each version, as happens in a file
// of format 1.
func TestMergeWithPagesOfVersion1(t *testing.T) {
	t.Parallel()
	x := newTestIndex(t, 3, 5000, 5000)
	for range 4 {
		entries := make([]hashEntry, 600)
		for i := range entries {
			entries[i] = hashEntry{rand.Uint64() >> 24 << 24, rand.Uint32() >> 8}
		}
		x.add(t, entries)
		if x.index.nextRun > 2 {
			continue
		}
		slices.SortFunc(entries, hashEntry.compare)
		updateTestDB(t, x.db, func(b *bbolt.Bucket) error {
			run := &x.index.fresh.runs[len(x.index.fresh.runs)-1]
			return putValue(b, x.index.fresh.key(run, 0, nil), pageOfVersion1(entries, 3))
		})
	}
	x.verify(t)
	x.compact(t, nil)
	x.verify(t)
	if n := len(x.index.fresh.runs); n > 1 {
		t.Errorf("%d runs after merging, want one", n)
	}
}
