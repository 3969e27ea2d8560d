package event

import (
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
				value := damage(slices.Clone(b.Get(key)))
				if value == nil {
					if err := b.Delete(key); err != nil {
						return err
					}
				} else if err := b.Put(key, value); err != nil {
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

// FuzzHashPage reads pages as bytes may be and hashes as they may be asked for.
func FuzzHashPage(f *testing.F) {
	entries := []hashEntry{{1 << 24, 7}, {1 << 24, 8}, {1 << 50, 9}, {1 << 63, 10}}
	f.Add(encodeHashPage(entries, 0, 3), uint8(0), uint8(3), uint64(1<<50))
	f.Add(encodeHashPage(entries[:2], 12, 4), uint8(12), uint8(4), uint64(1<<24))
	f.Add(encodeHashPage(nil, 40, 1), uint8(40), uint8(1), uint64(0))
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
