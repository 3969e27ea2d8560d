package digest_test

import (
	"bytes"
	"testing"

	"svc/internal/files/digest"
)

// abc contains the checksums of "abc", the example of FIPS 180-4 and RFC 7693.
var abc = digest.Sums{
	SHA256:  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
	SHA1:    "a9993e364706816aba3e25717850c26c9cd0d89d",
	SHA512:  "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
	BLAKE2b: "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923",
}

func TestSumsOfKnownText(t *testing.T) {
	t.Parallel()
	h := digest.New()
	h.Begin([]byte("abc"))()
	if got := h.Sums(); got != abc {
		t.Errorf("sums are %+v, want %+v", got, abc)
	}
	h.Reset()
	h.Begin([]byte("a"))()
	clone, err := h.Clone()
	if err != nil {
		t.Fatal(err)
	}
	h.Begin([]byte("x"))()
	clone.Begin([]byte("bc"))()
	if got := clone.Sums(); got != abc {
		t.Errorf("sums of the clone are %+v, want %+v", got, abc)
	}
}

func TestSumsDoNotDependOnPieces(t *testing.T) {
	t.Parallel()
	content := bytes.Repeat([]byte("0123456789abcdef!"), 10_000)
	whole := digest.New()
	whole.Begin(content)()
	for _, size := range []int{1, 1000, 8 << 10, 32 << 10} {
		h := digest.New()
		for rest := content; len(rest) > 0; {
			n := min(size, len(rest))
			h.Begin(rest[:n])()
			rest = rest[n:]
		}
		if got, want := h.Sums(), whole.Sums(); got != want {
			t.Errorf("in pieces of %d: %+v, want %+v", size, got, want)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	h, piece := digest.New(), make([]byte, 32<<10)
	b.SetBytes(int64(len(piece)))
	for b.Loop() {
		h.Begin(piece)()
	}
}
