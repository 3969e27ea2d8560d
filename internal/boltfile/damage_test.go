package boltfile_test

import (
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"svc/internal/boltfile"
	"svc/internal/fault"
)

// TestDamageIsAFault checks that a read or write transaction that reaches a damaged page
// returns a fault of kind Damaged instead of panicking. Other pages must stay usable, and
// the damage must be logged once.
func TestDamageIsAFault(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	f := writerOf(t, filepath.Join(t.TempDir(), "x.db"), slog.NewTextHandler(&log, nil))
	damageLeaf(t, f, func(page []byte, _ uint64) { clear(page) })
	if err := f.Damage(); err != nil {
		t.Fatalf("before it was met: %v", err)
	}
	everything := func(tx *boltfile.Tx) error {
		return tx.Bucket(bucket).ForEach(func(_, _ []byte) error { return nil })
	}
	update := func(fn func(*boltfile.Tx) error) error {
		f.Lock()
		defer f.Unlock()
		return f.Update(fn)
	}
	for range 2 {
		for name, err := range map[string]error{"reading": f.View(everything), "writing": update(everything)} {
			if !fault.Is(err, fault.Damaged) || !errors.Is(err, boltfile.ErrDamaged) {
				t.Errorf("%s: got %v, want a fault of kind Damaged", name, err)
			}
		}
	}
	if f.Damage() == nil || !errors.Is(f.DamageCause(), boltfile.ErrDamaged) {
		t.Errorf("the damage is not known: %v, %v", f.Damage(), f.DamageCause())
	}
	if err := update(func(tx *boltfile.Tx) error { return tx.Bucket([]byte("other")).Put([]byte("k"), []byte("v")) }); err != nil {
		t.Errorf("another bucket: %v", err)
	}
	if n := strings.Count(log.String(), "damaged"); n == 0 || strings.Count(log.String(), "level=ERROR") != 1 {
		t.Errorf("the log has:\n%s", log.String())
	}
}

// TestPanicsOfOthersGoOn checks that a panic in a transaction of a sound file is not
// recovered.
func TestPanicsOfOthersGoOn(t *testing.T) {
	t.Parallel()
	f := writerOf(t, filepath.Join(t.TempDir(), "x.db"), slog.DiscardHandler)
	for name, bug := range map[string]func(){
		"a runtime error": func() { var list []int; _ = list[len(t.Name())] },
		"a text":          func() { panic("a bug") },
		"another value":   func() { panic(errors.New("a bug")) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: the panic was lost", name)
				}
			}()
			err := f.View(func(*boltfile.Tx) error { bug(); return nil })
			t.Errorf("%s: got %v", name, err)
		}()
	}
	if err := f.Damage(); err != nil {
		t.Errorf("the file is said to be damaged: %v", err)
	}
}
