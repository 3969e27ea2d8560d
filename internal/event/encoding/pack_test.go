package encoding

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

func TestAnyStretchOfPackedBytesCanBeRead(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 5))
	for what, plain := range map[string][]byte{
		"nothing":              {},
		"too little to pack":   []byte("abc"),
		"one chunk":            bytes.Repeat([]byte("abcdefgh"), 1000),
		"several chunks":       bytes.Repeat([]byte("0123456789"), 3*packedChunk/10),
		"what does not shrink": noise(r, packedChunk+5000),
		// the first chunk can be compressed, the second cannot
		"both": append(bytes.Repeat([]byte("x"), packedChunk), noise(r, 5000)...),
	} {
		packed := Pack([]byte("before"), plain)[len("before"):]
		if len(packed) > len(plain)+1 {
			t.Errorf("%s: %d bytes are packed as %d", what, len(plain), len(packed))
		}
		all, err := Unpack(packed)
		if err != nil || !bytes.Equal(all, plain) {
			t.Fatalf("%s: %d bytes come back as %d, %v", what, len(plain), len(all), err)
		}
		for range 50 {
			from := r.IntN(len(plain) + 1)
			length := r.IntN(len(plain) - from + 1)
			got, err := UnpackFrom(packed, from, length)
			if err != nil || !bytes.Equal(got, plain[from:from+length]) {
				t.Fatalf("%s: %d bytes from %d on are %d others, %v", what, length, from, len(got), err)
			}
		}
		if _, err := UnpackFrom(packed, len(plain), 1); err == nil {
			t.Errorf("%s: there is a byte behind the end", what)
		}
	}
}

func noise(r *rand.Rand, n int) []byte {
	list := make([]byte, n)
	for i := range list {
		list[i] = byte(r.Uint32())
	}
	return list
}
