package dictionary

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"svc/internal/boltfile"
	"svc/internal/boltfile/bolttest"
	"svc/internal/event/encoding"
	"svc/internal/event/hashindex"
	"svc/internal/integrity"
)

var testSecret = hashindex.Secret{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}

// testDictionary is a dictionary in a file, with its expected contents.
type testDictionary struct {
	db      *boltfile.Writer
	d       *Dictionary
	texts   map[uint32]string
	numbers map[string]uint32
	gone    []uint32
	next    uint32
}

func newTestDictionary(tb testing.TB) *testDictionary {
	tb.Helper()
	x := &testDictionary{db: bolttest.OpenBucket(tb), texts: map[uint32]string{}, numbers: map[string]uint32{}, next: 1}
	x.reload(tb)
	return x
}

func (x *testDictionary) reload(tb testing.TB) {
	tb.Helper()
	bolttest.ViewBucket(tb, x.db, func(b *boltfile.Bucket) (err error) {
		x.d, err = Load(b, testSecret)
		return err
	})
	x.d.index.MaxPartition, x.d.index.MaxPage = 5000, 500
}

func (x *testDictionary) update(tb testing.TB, change func(b *boltfile.Bucket, d *Dictionary) (*Dictionary, error)) {
	tb.Helper()
	bolttest.UpdateBucket(tb, x.db, func(b *boltfile.Bucket) (err error) {
		x.d, err = change(b, x.d)
		return err
	})
}

func (x *testDictionary) add(tb testing.TB, texts ...string) {
	tb.Helper()
	if got := x.d.Next(); got != x.next {
		tb.Fatalf("the next number is %d, want %d", got, x.next)
	}
	for _, text := range texts {
		x.texts[x.next], x.numbers[text] = text, x.next
		x.next++
	}
	x.update(tb, func(b *boltfile.Bucket, d *Dictionary) (*Dictionary, error) { return d.Add(b, texts) })
}

func (x *testDictionary) remove(tb testing.TB, numbers ...uint32) {
	tb.Helper()
	for _, number := range numbers {
		if text, ok := x.texts[number]; ok {
			delete(x.numbers, text)
			delete(x.texts, number)
			x.gone = append(x.gone, number)
		}
	}
	x.update(tb, func(b *boltfile.Bucket, d *Dictionary) (*Dictionary, error) { return d.Remove(b, numbers) })
}

func (x *testDictionary) compact(tb testing.TB) {
	tb.Helper()
	for worked := true; worked; {
		x.update(tb, func(b *boltfile.Bucket, d *Dictionary) (next *Dictionary, err error) {
			var changes *hashindex.Pages
			if next, changes, worked, err = d.Compact(b); err != nil || !worked {
				return next, err
			}
			return next, changes.Write(b.Bucket(IndexBucket))
		})
	}
}

// verify compares the dictionary with the model.
func (x *testDictionary) verify(tb testing.TB) {
	tb.Helper()
	bolttest.ViewBucket(tb, x.db, func(b *boltfile.Bucket) error {
		r := x.d.Reader(b)
		for number, text := range x.texts {
			if got, ok, err := r.Find(text); err != nil || !ok || got != number {
				tb.Fatalf("find(%q) = %d, %v, %v; want %d", text, got, ok, err, number)
			}
			if got, ok, err := r.Text(number); err != nil || !ok || got != text {
				tb.Fatalf("text(%d) = %q, %v, %v; want %q", number, got, ok, err, text)
			}
			if other := text + "."; x.numbers[other] == 0 {
				if got, ok, err := r.Find(other); err != nil || ok {
					tb.Fatalf("find(%q) = %d, %v, %v; want nothing", other, got, ok, err)
				}
			}
		}
		for _, number := range append(x.gone, 0, x.next, 1<<32-1) {
			if got, ok, err := r.Text(number); err != nil || ok {
				tb.Fatalf("text(%d) = %q, %v, %v; want nothing", number, got, ok, err)
			}
		}
		return x.d.check(b)
	})
}

// oddTexts are unusual texts that must be read back unchanged.
var oddTexts = []string{
	"", " ", "a", "0", "\x00", "\xff\xfe", "é", strings.Repeat("x", 128), strings.Repeat("漢", 128), strings.Repeat("😀", 128),
	"6ba7b810-9dad-11d1-80b4-00c04fd430c8", "6BA7B810-9DAD-11D1-80B4-00C04FD430C8", "6ba7b810-9dad-11d1-80b4-00c04fd430C8",
	"6ba7b8109dad11d180b400c04fd430c8", "{6ba7b810-9dad-11d1-80b4-00c04fd430c8}", "6ba7b810-9dad-11d1-80b4-00c04fd430c",
	"6ba7b810-9dad-11d1-80b4_00c04fd430c8", "6ba7b810-9dad-11d1-80b4-00c04fd430cg", "00000000-0000-0000-0000-000000000000",
}

func TestDictionaryKeepsTextsExactly(t *testing.T) {
	t.Parallel()
	x := newTestDictionary(t)
	x.verify(t)
	x.add(t, oddTexts...)
	x.verify(t)
	x.reload(t)
	x.verify(t)
}

func TestDictionaryIsAMap(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	x := newTestDictionary(t)
	for round := range 60 {
		texts := make([]string, random.IntN(1+random.IntN(1500)))
		for i := range texts {
			if texts[i] = uuid.NewString(); random.IntN(3) == 0 {
				texts[i] = fmt.Sprint("user-", round, "-", i)
			}
		}
		x.add(t, texts...)
		switch random.IntN(5) {
		case 0:
			x.reload(t)
		case 1:
			x.compact(t)
		case 2:
			numbers := []uint32{0, x.next, x.next + 5, 1<<32 - 1}
			first := random.Uint32N(x.next)
			for range random.IntN(3000) { // remove a range of numbers, so that whole chunks disappear, and some numbers more than once
				numbers = append(numbers, first, random.Uint32N(x.next))
				first++
			}
			x.remove(t, numbers...)
		case 3:
			x.verify(t)
		}
	}
	x.compact(t)
	x.reload(t)
	x.verify(t)
}

func TestRemovedTextsLeaveNothing(t *testing.T) {
	t.Parallel()
	x := newTestDictionary(t)
	all := make([]uint32, 2500)
	texts := make([]string, len(all))
	for i := range texts {
		all[i], texts[i] = uint32(i+1), fmt.Sprint("subject-", i)
	}
	x.add(t, texts...)
	x.remove(t, all[:1100]...)
	holds := func(text string) (found bool) {
		bolttest.ViewBucket(t, x.db, func(b *boltfile.Bucket) error {
			return b.Bucket(textsBucket).ForEach(func(_, value []byte) error {
				found = found || strings.Contains(string(value), text)
				return nil
			})
		})
		return found
	}
	for i, text := range texts[:1100] {
		// A removed text that is part of a remaining one, as subject-1 is of subject-1100,
		// still occurs in the file.
		if holds(text) && !slices.ContainsFunc(texts[1100:], func(other string) bool { return strings.Contains(other, text) }) {
			t.Fatalf("number %d was removed, its text is still in the file", i+1)
		}
	}
	if !holds(texts[1100]) {
		t.Error("a text that was not removed is gone")
	}
	x.verify(t)

	x.remove(t, all...)
	x.reload(t) // the next number must be kept even though its chunk does not exist
	bolttest.ViewBucket(t, x.db, func(b *boltfile.Bucket) error {
		if n := b.Bucket(textsBucket).Len(); n != 0 {
			t.Errorf("%d chunks are left without a text", n)
		}
		return nil
	})
	x.add(t, texts[5], texts[7]) // add removed texts again, with new numbers, in the middle of a chunk
	x.add(t, texts[6])
	x.reload(t)
	x.verify(t)
}

func TestDictionaryOf200000(t *testing.T) {
	t.Parallel()
	x := newTestDictionary(t)
	const n = 200_000
	for range n / 20_000 {
		texts := make([]string, 20_000)
		for i := range texts {
			texts[i] = uuid.NewString()
		}
		x.add(t, texts...)
		ordinary := hashindex.New(payloadBytes)
		x.d.index.MaxPartition, x.d.index.MaxPage = ordinary.MaxPartition, ordinary.MaxPage
		x.compact(t)
	}
	x.verify(t)
	total, index := 0, 0
	bolttest.ViewBucket(t, x.db, func(b *boltfile.Bucket) error {
		count := func(sum *int) func(key, value []byte) error {
			return func(key, value []byte) error { *sum += len(key) + len(value); return nil }
		}
		return errors.Join(b.Bucket(textsBucket).EachValue(count(&total)), b.Bucket(IndexBucket).EachValue(count(&index)))
	})
	if most := 1.2 * (16*n + float64(index)); float64(total+index) > most {
		t.Errorf("%d bytes of texts and %d of index for %d UUIDs, want %.0f in all", total, index, n, most)
	}
	t.Logf("%.2f bytes a text, %.2f of the index", float64(total)/n, float64(index)/n)
}

func TestDamageInADictionaryIsAnError(t *testing.T) {
	t.Parallel()
	x := newTestDictionary(t)
	x.add(t, oddTexts[10], "plain", "another")
	undo := errors.New("undo")
	for name, damage := range map[string]func(b *boltfile.Bucket) error{
		"state cut off": func(b *boltfile.Bucket) error { return b.Put(stateKey, []byte{0, 0, 0, 9}) },
		"state is zero": func(b *boltfile.Bucket) error { return b.Put(stateKey, make([]byte, 8)) },
		"no texts":      func(b *boltfile.Bucket) error { return b.DeleteBucket(textsBucket) },
		"no index":      func(b *boltfile.Bucket) error { return b.DeleteBucket(IndexBucket) },
		"chunk is lost": func(b *boltfile.Bucket) error { return b.Bucket(textsBucket).Delete(encoding.Key32(0)) },
		"chunk cut off": func(b *boltfile.Bucket) error {
			return b.Bucket(textsBucket).Put(encoding.Key32(0), []byte("damaged"))
		},
		"chunk is empty": func(b *boltfile.Bucket) error { return b.Bucket(textsBucket).Put(encoding.Key32(0), []byte{}) },
		"chunk with another text": func(b *boltfile.Bucket) error {
			raw := slices.Clone(b.Bucket(textsBucket).Get(encoding.Key32(0)))
			raw[len(raw)-1] ^= 1
			return b.Bucket(textsBucket).Put(encoding.Key32(0), raw)
		},
	} {
		err := x.db.Update(func(tx *boltfile.Tx) error {
			b := tx.Bucket(bolttest.BucketName)
			if err := damage(b); err != nil {
				return err
			}
			d, err := Load(b, testSecret)
			if err == nil {
				err = d.check(b)
				if _, err := d.Add(b, []string{"third"}); name != "chunk is lost" && !errors.Is(err, integrity.ErrDamaged) {
					t.Errorf("%s: add: %v", name, err)
				}
			}
			if !errors.Is(err, integrity.ErrDamaged) {
				t.Errorf("%s: load or check: %v", name, err)
			}
			return undo
		})
		if !errors.Is(err, undo) {
			t.Fatal(err)
		}
	}
}

// FuzzTextChunk reads chunks of arbitrary bytes.
func FuzzTextChunk(f *testing.F) {
	var none textChunk
	for _, texts := range [][]string{oddTexts, {"a"}, {oddTexts[10]}, nil} {
		chunk := none.with(2, texts)
		f.Add(chunk.encode())
		chunk, _ = chunk.without([]int{3})
		f.Add(chunk.encode())
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		chunk, err := openChunk(raw)
		if err != nil {
			return
		}
		for slot := range len(chunk.kinds) + 2 {
			text, ok := chunk.text(slot)
			if ok != chunk.has(slot) {
				t.Errorf("slot %d: text %v, has %v", slot, ok, chunk.has(slot))
			}
			wanted := packText(text)
			if ok && chunk.kinds[slot] == wanted.kind && !chunk.is(slot, &wanted) {
				t.Errorf("slot %d is not its own text %q", slot, text)
			}
		}
		if left, _ := chunk.without([]int{0}); left.has(0) {
			t.Error("slot 0 has a text without slot 0")
		}
	})
}

func BenchmarkDictionaryFind(b *testing.B) {
	x := newTestDictionary(b)
	texts := make([]string, 200_000)
	for i := range texts {
		texts[i] = uuid.NewString()
	}
	x.add(b, texts...)
	bolttest.ViewBucket(b, x.db, func(bucket *boltfile.Bucket) error {
		r := x.d.Reader(bucket)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if _, ok, err := r.Find(texts[i*7919%len(texts)]); err != nil || !ok {
				return fmt.Errorf("find: %v, %w", ok, err)
			}
		}
		return nil
	})
}

// check checks a dictionary and returns the findings as one error.
func (d *Dictionary) check(b *boltfile.Bucket) error {
	report := integrity.NewReport(nil)
	c := Checker{Report: report, Secret: d.secret, Read: func(int) error { return nil }, Fix: func(string, func() error) {}}
	_, err := c.Check(b, "")
	for _, f := range report.Listed() {
		err = errors.Join(err, fmt.Errorf("%w: %s %s: %s", integrity.ErrDamaged, f.Kind, f.Where, f.What))
	}
	return err
}
