package store_test

import (
	"bytes"
	"math/big"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"svc/store"
)

func TestIDFormat(t *testing.T) {
	t.Parallel()
	issue := store.NewIDs(store.ID{})
	for _, at := range []time.Time{time.UnixMilli(1), time.Unix(1_700_000_000, 987_654_321), time.UnixMilli(1<<48 - 1)} {
		id := issue(at)
		if id.Version() != 7 || id.Variant() != uuid.RFC4122 {
			t.Errorf("%v: got version %d, variant %v, want 7, RFC 4122", id, id.Version(), id.Variant())
		}
		if got, want := store.CreatedAt(id), at.Unix(); got != want {
			t.Errorf("%v: got created at %d, want %d", id, got, want)
		}
	}
}

// TestIDsAscend checks that each id is greater than the previous one and has the right
// form, whatever the clock does.
func TestIDsAscend(t *testing.T) {
	t.Parallel()
	start := time.Unix(1_700_000_000, 0)
	for _, tc := range []struct {
		name string
		step func(n int) time.Time
	}{
		{"the clock goes on", func(n int) time.Time { return start.Add(time.Duration(n) * time.Millisecond) }},
		{"the clock stands still", func(int) time.Time { return start }},
		{"the clock goes back", func(n int) time.Time { return start.Add(-time.Duration(n) * time.Hour) }},
		{"the clock jumps to and fro", func(n int) time.Time { return start.AddDate(n%7*(1-n%2*2), 0, 0) }},
		{"the clock is before 1970", func(n int) time.Time { return time.Unix(-int64(n), 0) }},
		{"the clock is at the end of what fits", func(n int) time.Time { return time.UnixMilli(1<<48 - 3 + int64(n)) }},
		{"the clock is far behind what fits", func(n int) time.Time { return time.UnixMilli(1 << 48 << n % 3) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			issue := store.NewIDs(store.ID{})
			last := store.ID{}
			for n := range 2000 {
				id := issue(tc.step(n))
				if bytes.Compare(id[:], last[:]) <= 0 {
					t.Fatalf("id %d: got %v after %v", n, id, last)
				}
				if id.Version() != 7 || id.Variant() != uuid.RFC4122 {
					t.Fatalf("id %d: got %v, which is no UUIDv7", n, id)
				}
				last = id
			}
		})
	}
}

// TestIDsAscendAcrossOpening checks that ids also ascend if the clock is set back while
// the store is closed. The store reads the last id from the file.
func TestIDsAscendAcrossOpening(t *testing.T) {
	t.Parallel()
	path, clock := filepath.Join(t.TempDir(), "svc.db"), newClock()
	var ids []store.ID
	for n := range 5 {
		db := openStore(t, path, store.Options{Now: clock.now})
		if n == 0 {
			addProject(t, db, "app")
		}
		for range 3 {
			update(t, db, func(tx *store.Tx) error {
				k := &store.APIKey{Name: "CI"}
				err := tx.PutAPIKey(k)
				ids = append(ids, k.ID)
				return err
			})
		}
		if n%2 == 0 {
			closeStore(t, db)
		} else if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		clock.advance(-24 * time.Hour)
	}
	if !slices.IsSortedFunc(ids, func(a, b store.ID) int { return bytes.Compare(a[:], b[:]) }) {
		t.Errorf("got %v, want ascending ids", ids)
	}
	if seen := slices.Compact(slices.Clone(ids)); len(seen) != len(ids) {
		t.Errorf("got %v, want different ids", ids)
	}
}

// TestIDsOfFailedTransactions checks the ids that are issued after a failed transaction.
// They may repeat the ids of that transaction, which were not stored, but must be greater
// than all stored ids.
func TestIDsOfFailedTransactions(t *testing.T) {
	t.Parallel()
	clock := newClock()
	db := openStore(t, filepath.Join(t.TempDir(), "svc.db"), store.Options{Now: clock.now})
	p := addProject(t, db, "app")
	first := addVersion(t, db, p.ID, "1.0")
	if err := db.Update(func(tx *store.Tx) error {
		if err := tx.CreateVersion(p.ID, newVersion(t, "2.0"), nil); err != nil {
			t.Error(err)
		}
		return tx.CreateVersion(p.ID, newVersion(t, "2.0"), nil)
	}); err == nil {
		t.Fatal("the same version twice: got no error")
	}
	clock.advance(-time.Hour)
	if next := addVersion(t, db, p.ID, "2.0"); bytes.Compare(next.ID[:], first.ID[:]) <= 0 {
		t.Errorf("got %v after %v", next.ID, first.ID)
	}
}

func TestParseID(t *testing.T) {
	t.Parallel()
	const id = "01890a5d-ac96-774b-bcce-b302099a8057"
	for _, tc := range []struct {
		name, text string
		ok         bool
	}{
		{"as it is written", id, true},
		{"upper case", strings.ToUpper(id), true},
		{"empty", "", false},
		{"without hyphens", strings.ReplaceAll(id, "-", ""), false},
		{"with a hyphen elsewhere", "01890a5da-c96-774b-bcce-b302099a8057", false},
		{"in braces", "{" + id + "}", false},
		{"as a URN", "urn:uuid:" + id, false},
		{"with a blank", id + " ", false},
		{"another letter", strings.Replace(id, "a", "g", 1), false},
		{"36 other bytes", strings.Repeat("é", 18), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, ok := store.ParseID(tc.text)
			if ok != tc.ok || ok && got.String() != id {
				t.Errorf("ParseID(%q): got %v, %v, want %v", tc.text, got, ok, tc.ok)
			}
		})
	}
}

// counter returns an id as a number of its 122 variable bits: 48 bits of time, then 12
// and 62 random bits.
func counter(id store.ID) *big.Int {
	n := new(big.Int).SetBytes(id[:6])
	n.Lsh(n, 12).Or(n, big.NewInt(int64(id[6]&0x0f)<<8|int64(id[7])))
	low := new(big.Int).SetBytes(append([]byte{id[8] & 0x3f}, id[9:]...))
	return n.Lsh(n, 62).Or(n, low)
}

// FuzzPlus compares the addition of a number to an id with the addition of big integers.
func FuzzPlus(f *testing.F) {
	f.Fuzz(func(t *testing.T, raw []byte, n uint64) {
		if len(raw) != 16 {
			return
		}
		n = n%(1<<32) + 1 // the source never adds more than this
		id := store.ID(raw)
		got := store.Plus(id, n)
		if got.Version() != 7 || got.Variant() != uuid.RFC4122 {
			t.Errorf("%v + %d: got %v, which is no UUIDv7", id, n, got)
		}
		want := new(big.Int).Add(counter(id), new(big.Int).SetUint64(n))
		want.Mod(want, new(big.Int).Lsh(big.NewInt(1), 122))
		if counter(got).Cmp(want) != 0 {
			t.Errorf("%v + %d: got %x, want %x", id, n, counter(got), want)
		}
	})
}
