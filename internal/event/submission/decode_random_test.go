package submission

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestDecodeRandomSubmissions compares the decoder with encoding/json, like
// FuzzDecodeSubmission, on bodies that are mostly valid.
func TestDecodeRandomSubmissions(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	w := bodyWriter{random: rand.New(rand.NewPCG(seed, 1))}
	var got Request
	sound := 0
	for range 5_000 {
		body := w.body()
		var want Request
		problems, wantProblems := Decode(body, 3, &got), naiveDecode(body, 3, &want)
		if !slices.Equal(problems, wantProblems) {
			t.Fatalf("%s: problems %q, want %q", body, problems, wantProblems)
		}
		if problems == nil {
			equalSubmissions(t, &got, &want)
			sound++
		}
		if t.Failed() {
			t.Fatalf("the body was %s", body)
		}
	}
	if sound < 500 {
		t.Errorf("only %d bodies were sound", sound)
	}
}

// bodyWriter writes random bodies from words that have a meaning for the decoder.
type bodyWriter struct {
	random *rand.Rand
	out    []byte
}

// body returns a submission. In every tenth, one byte is changed.
func (w *bodyWriter) body() []byte {
	w.out = w.out[:0]
	w.object(4, []string{"distinct_id", "events", "session_id", "platform", "client_time", "x"}, func(key string) {
		if key == "events" {
			w.repeat(4, '[', ']', w.item)
		} else {
			w.mostly(`"u\u00e9"`)
		}
	})
	if w.random.IntN(10) == 0 {
		w.out[w.random.IntN(len(w.out))] = ` "\{}[],:0-eEu`[w.random.IntN(14)]
	}
	return w.out
}

func (w *bodyWriter) item() {
	w.object(2, []string{"event_id", "name", "occurred_at", "properties", "y"}, func(key string) {
		switch key {
		case "occurred_at":
			w.write("0", "17", "5.0", "5.5", "-1", "1e3", "null", `"5"`, "9223372036854775808", "-0", "9007199254740993.0", "9007199254740994.0")
		case "properties":
			w.object(0, []string{"a", `\u0061`, "b", "c d", strings.Repeat("k", w.random.IntN(20))}, func(string) { w.value(3) })
		default:
			w.mostly(`" Buy "`)
		}
	})
}

// mostly writes the given text, or occasionally an arbitrary value instead.
func (w *bodyWriter) mostly(text string) {
	if w.random.IntN(20) > 0 {
		w.write(text)
		return
	}
	w.value(2)
}

// object writes an object with a random number of members. The first members have the
// first keys of the list, in order. The others have random keys of the list.
func (w *bodyWriter) object(first int, keys []string, value func(key string)) {
	n := -1
	w.repeat(first+24/len(keys), '{', '}', func() {
		key := keys[w.random.IntN(len(keys))]
		if n++; n < first {
			key = keys[n]
		}
		w.write(`"` + key + `"`)
		w.write(":")
		value(key)
	})
}

// repeat writes a random number of members, from 0 to most, between brackets.
func (w *bodyWriter) repeat(most int, opening, closing byte, member func()) {
	w.write(string(opening))
	for i := range w.random.IntN(most + 1) {
		if i > 0 {
			w.write(",")
		}
		member()
	}
	w.write(string(closing))
}

func (w *bodyWriter) value(levels int) {
	switch n := w.random.IntN(8); {
	case n == 0 && levels > 0:
		w.repeat(3, '[', ']', func() { w.value(levels - 1) })
	case n == 1 && levels > 0:
		w.object(0, []string{"a", "a", "b"}, func(string) { w.value(levels - 1) })
	default:
		w.write("null", "true", "false", "1.50", "-2e5", `""`, `"x y"`, `"\"\\ \ud83d\ude00"`, `"\ud800"`, `"`+strings.Repeat("é", 128)+`"`, `"`+strings.Repeat("n", 129)+`"`)
	}
}

// write writes one of the words, occasionally with white space around it.
func (w *bodyWriter) write(words ...string) {
	blank := func() {
		if w.random.IntN(30) == 0 {
			w.out = append(w.out, " \n\t\r"[w.random.IntN(4)])
		}
	}
	blank()
	w.out = append(w.out, words[w.random.IntN(len(words))]...)
	blank()
}
