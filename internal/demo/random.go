package demo

import (
	"encoding/binary"
	"encoding/hex"
	"hash/fnv"
	"math"
	"math/rand/v2"
)

// chance is a reproducible source of random numbers.
type chance struct {
	*rand.Rand
	last uint64 // time in the previous ID, in milliseconds
}

// chance returns a source of random numbers for a purpose. Each purpose has its own source, so that
// a change to one does not affect the others. The numbers depend on the seed and the project, but
// not on the current day.
func (w *world) chance(purpose string) *chance {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(w.key + "\x00" + purpose)) // writing to a hash never fails
	return &chance{Rand: rand.New(rand.NewPCG(w.Seed, sum.Sum64()))}
}

// happens returns true with probability p.
func (c *chance) happens(p float64) bool { return c.Float64() < p }

// between returns a number from a to b, inclusive.
func (c *chance) between(a, b int) int { return a + c.IntN(b-a+1) }

// wait returns a random waiting time with an exponential distribution and the given mean.
func (c *chance) wait(mean float64) float64 { return c.ExpFloat64() * mean }

// around returns a random number of at least 1. The distribution has a long tail and the
// given median.
func (c *chance) around(middle float64) int {
	return max(1, int(middle*math.Exp(0.5*c.NormFloat64())))
}

// one returns a random element of a list.
func one[T any](c *chance, list []T) T { return list[c.IntN(len(list))] }

// share is a value with its weight.
type share[T any] struct {
	weight float64
	value  T
}

// pick returns a random value of a list. The weights determine the probabilities.
func pick[T any](c *chance, list []share[T]) T {
	sum := 0.0
	for _, s := range list {
		sum += s.weight
	}
	at := c.Float64() * sum
	for _, s := range list {
		if at -= s.weight; at < 0 {
			return s.value
		}
	}
	return list[len(list)-1].value
}

// uuid7 returns a UUIDv7 with the given Unix time, in seconds. It is greater than all IDs that c
// has returned before for the same second.
func (c *chance) uuid7(at int64) string {
	milli := uint64(at)*1000 + uint64(c.IntN(500))
	if before := c.last; before/1000 == uint64(at) {
		milli = before + 1
	}
	c.last = milli
	id := c.bytes()
	for i := range 6 {
		id[i] = byte(milli >> (40 - 8*i))
	}
	id[6], id[8] = id[6]&0x0f|0x70, id[8]&0x3f|0x80
	return dashed(id)
}

// bytes returns random bytes.
func (c *chance) bytes() (b [16]byte) {
	binary.BigEndian.PutUint64(b[:8], c.Uint64())
	binary.BigEndian.PutUint64(b[8:], c.Uint64())
	return b
}

// uuid4 returns a random UUIDv4.
func (c *chance) uuid4() string {
	id := c.bytes()
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return dashed(id)
}

func dashed(id [16]byte) string {
	var text [36]byte
	hex.Encode(text[:8], id[:4])
	hex.Encode(text[9:13], id[4:6])
	hex.Encode(text[14:18], id[6:8])
	hex.Encode(text[19:23], id[8:10])
	hex.Encode(text[24:], id[10:])
	text[8], text[13], text[18], text[23] = '-', '-', '-', '-'
	return string(text[:])
}

// fileID returns a random file ID.
func (c *chance) fileID() string {
	const signs = "0123456789abcdefghijklmnopqrstuvwxyz"
	id := make([]byte, 12)
	for i := range id {
		id[i] = signs[c.IntN(len(signs))]
	}
	return string(id)
}
