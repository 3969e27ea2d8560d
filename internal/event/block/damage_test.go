package block

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// readAll reads everything in a block. It must not panic, whatever the bytes are.
func readAll(raw []byte) error {
	_ = IDs(raw, 0, lastSecond, func(int, string) bool { return true })
	p, err := Open(testHour, raw)
	if err != nil {
		return err
	}
	for _, key := range []string{"k1", "k2", "k200", ""} {
		if _, err := p.Property(key); err != nil {
			return err
		}
	}
	if p.N > 0 && p.Senders > 0 {
		if _, err := DecodeSubject(testHour, raw, p.Subjects()[0]); err != nil {
			return err
		}
	}
	_, err = Decode(testHour, raw)
	return err
}

// sealIfWhole corrects the checksum of a damaged block, so that readers do not refuse the
// block because of it. A block that is too short for a checksum is left unchanged.
func sealIfWhole(raw []byte) []byte {
	if len(raw) >= sumEnd {
		Seal(raw)
	}
	return raw
}

func TestDamagedBlocksAreFound(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		s := newSource(seed)
		s.senders = min(s.senders, 50)
		raw := mustEncode(t, s.rows(40))
		r := rand.New(rand.NewPCG(seed, 1))
		for range 40 {
			damaged := append([]byte(nil), raw...)
			damaged[r.IntN(len(damaged))] ^= 1 << r.IntN(8)
			if _, err := Decode(testHour, damaged); err == nil {
				t.Fatalf("seed %d: a flipped bit is not found", seed)
			}
			_ = readAll(sealIfWhole(damaged))
			if _, err := Decode(testHour, raw[:r.IntN(len(raw))]); err == nil {
				t.Fatalf("seed %d: a missing end is not found", seed)
			}
			_ = readAll(sealIfWhole(append([]byte(nil), raw[:r.IntN(len(raw))]...)))
		}
	}
}

func FuzzReadBlock(f *testing.F) {
	for seed := range uint64(8) {
		s := newSource(seed)
		s.senders, s.names = min(s.senders, 5), min(s.names, 5)
		f.Add(mustEncode(f, s.rows(int(seed*3))))
	}
	f.Add(mustEncode(f, realisticRows(700)))
	f.Fuzz(func(t *testing.T, input []byte) {
		raw := sealIfWhole(slices.Clone(input))
		if err := readAll(raw); err != nil {
			return
		}
		// if a block can be read, encoding it again must not change its rows
		r, err := Decode(testHour, raw)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Decode(testHour, mustEncode(t, r))
		if err != nil {
			t.Fatal(err)
		}
		sameRows(t, "again", back, writeOut(r))
	})
}
