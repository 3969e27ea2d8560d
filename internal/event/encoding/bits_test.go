package encoding

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// numbersOf returns n random numbers, at least one of which needs the full width.
func numbersOf(r *rand.Rand, n, width int) []uint32 {
	numbers := make([]uint32, n)
	for i := range numbers {
		numbers[i] = r.Uint32() & (1<<width - 1)
	}
	if n > 0 {
		numbers[n-1] = 1<<width - 1
	}
	return numbers
}

func TestBitsAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for width := range MaxBitWidth + 1 {
		for _, n := range []int{0, 1, 2, 7, 8, 9, 63, 64, 65, 1000} {
			numbers := numbersOf(r, n, width)
			if n > 0 && BitWidth(slices.Max(numbers)) != width {
				t.Fatalf("width of %d bits: got %d", width, BitWidth(slices.Max(numbers)))
			}
			raw := AppendBits([]byte("before"), numbers, width)[len("before"):]
			if len(raw) != BitBytes(n, width) {
				t.Fatalf("%d numbers of %d bits: got %d bytes, want %d", n, width, len(raw), BitBytes(n, width))
			}
			b := Bits{width, slices.Clip(raw)}
			for i, number := range numbers {
				if got := b.At(i); got != number {
					t.Fatalf("%d numbers of %d bits: At(%d): got %d, want %d", n, width, i, got, number)
				}
			}
			indexes := make([]uint32, n)
			for i := range indexes {
				indexes[i] = uint32(n - 1 - i)
			}
			gathered := make([]uint32, n)
			b.Gather(indexes, gathered)
			if slices.Reverse(gathered); !slices.Equal(gathered, numbers) {
				t.Fatalf("%d numbers of %d bits: gathered are others", n, width)
			}
			if width == MaxBitWidth {
				continue // the greatest number plus one would overflow
			}
			into := make([]uint32, n)
			most := b.Unpack(into, 1)
			for i := range into {
				if into[i] != numbers[i]+1 {
					t.Fatalf("%d numbers of %d bits: Unpack of %d: got %d, want %d", n, width, i, into[i], numbers[i]+1)
				}
			}
			if n > 0 && most != 1<<width {
				t.Fatalf("%d numbers of %d bits: greatest: got %d, want %d", n, width, most, 1<<width)
			}
		}
	}
}

func TestBitsAreCounted(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for width := range MaxCountWidth + 1 {
		for range 20 {
			numbers := numbersOf(r, r.IntN(5000), width)
			low := r.IntN(len(numbers) + 1)
			high := low + r.IntN(len(numbers)-low+1)
			want := make([]uint32, 1<<width)
			for i := range want {
				want[i] = uint32(i)
			}
			got := slices.Clone(want)
			for _, number := range numbers[low:high] {
				want[number]++
			}
			Bits{width, AppendBits(nil, numbers, width)}.Count(low, high, got)
			if !slices.Equal(got, want) {
				t.Fatalf("%d bits, %d to %d of %d: counts differ", width, low, high, len(numbers))
			}
		}
	}
}

func BenchmarkBits(b *testing.B) {
	const n = 14_000
	for _, width := range []int{1, 3, 5, 8, 11} {
		numbers := numbersOf(rand.New(rand.NewPCG(5, 6)), n, width)
		bits := Bits{width, AppendBits(nil, numbers, width)}
		b.Run(fmt.Sprintf("Count/%d", width), func(b *testing.B) {
			counts := make([]uint32, 1<<width)
			for b.Loop() {
				bits.Count(0, n, counts)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/number")
		})
		b.Run(fmt.Sprintf("Unpack/%d", width), func(b *testing.B) {
			into := make([]uint32, n)
			for b.Loop() {
				bits.Unpack(into, 1)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/number")
		})
	}
}
