package column

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// samples returns the samples from which the rare bytes are chosen. They may differ from
// the searched text.
func samples(body []byte) map[string][]byte {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	return map[string][]byte{
		"no sample":  nil,
		"the body":   body,
		"words":      []byte("the quick brown fox jumps over the lazy dog, error 1234567890"),
		"one byte":   bytes.Repeat([]byte("a"), 300), // all other bytes are rare
		"every byte": append(all, all...),            // no byte is rare
	}
}

func checkIndex(t *testing.T, text string, body []byte) {
	t.Helper()
	want := bytes.Index(body, []byte(text))
	for name, sample := range samples(body) {
		if got := indexOf(text, body, sample); got != want {
			t.Errorf("%.80q in %d bytes, with %s as sample: got %d, want %d", text, len(body), name, got, want)
		}
	}
}

// TestNeedle searches for texts at every offset in bodies of every length near the number
// of bytes that one step compares.
func TestNeedle(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, text, around string }{
		{"one byte", "q", "a"},
		{"one byte, its neighbours around", "q", "pr"},
		{"two bytes", "qz", "a"},
		{"two bytes, each of them around", "qz", "qazaqq"},
		{"the same byte twice", "qq", "qa"},
		{"one byte again and again", "qqqqqqqqq", "qqqqqqqqa"},
		{"almost the same around", "checksum mismatch", "checksum mismatcx"},
		{"a beginning around", "abcdefgh", "abcdefg"},
		{"longer than eight bytes", "0123456789", "012345678"},
		{"longer than a group of places", strings.Repeat("long ", 20), "long lone "},
		{"digits and dots", "10.17.", "10.71.1"},
		{"runes of three bytes", "超时", "超连时"},
		{"bytes that differ in the highest bit", "\x80\x01", "\x00\x81\x01"},
		{"bytes that differ by one", "\x01\x02\x03", "\x00\x01\x02\x02\x03"},
		{"highest bytes", "\xff\xfe", "\xff\x7f\xfe"},
		{"zero bytes", "\x00\x00", "\x01\x00"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for length := range 100 {
				around := []byte(strings.Repeat(tc.around, 100))[:length]
				checkIndex(t, tc.text, around)
				for at := 0; at <= length; at++ {
					body := append(append(bytes.Clone(around[:at]), tc.text...), around[at:]...)
					checkIndex(t, tc.text, body)
					checkIndex(t, tc.text, body[:len(body)-1])
				}
			}
		})
	}
}

// TestNeedleInRandomText searches text in which both bytes match at many positions where
// the needle does not.
func TestNeedleInRandomText(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		letters := 1 + r.IntN(5)
		body := make([]byte, r.IntN(1000))
		for i := range body {
			body[i] = byte('a' + r.IntN(letters))
		}
		text := make([]byte, 1+r.IntN(12))
		for i := range text {
			text[i] = byte('a' + r.IntN(letters))
		}
		checkIndex(t, string(text), body)
	}
}

func FuzzNeedle(f *testing.F) {
	f.Add("超时", []byte("连接超时"), []byte("连接"))
	f.Add("ab", []byte("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"), []byte("ab"))
	f.Add("\x80\x01", []byte("\x00\x81\x01\x80\x01\x00\x81\x01\x80\x01"), []byte{})
	f.Fuzz(func(t *testing.T, text string, body, sample []byte) {
		if text == "" {
			return // no caller searches for an empty text
		}
		if got, want := indexOf(text, body, sample), bytes.Index(body, []byte(text)); got != want {
			t.Errorf("%q in %q: got %d, want %d", text, body, got, want)
		}
	})
}

// indexOf returns the offset of the first occurrence of text in body, or -1. It uses a
// needle that was built with the given sample.
func indexOf(text string, body, sample []byte) int {
	return NewNeedles([]string{text}, sample, 0)[0].index(body)
}
