package limit_test

import (
	"testing"
	"time"

	"svc/internal/limit"
)

func TestDuplicates(t *testing.T) {
	t.Parallel()
	start := time.Unix(1_000_000, 0)
	first, second := limit.Key{1}, limit.Key{2}
	one, two := [16]byte{1}, [16]byte{2}

	t.Run("the same within the window is found", func(t *testing.T) {
		t.Parallel()
		d := limit.NewDuplicates(time.Minute, 10)
		d.Add(first, one, start)
		assertFound(t, d, first, start.Add(59*time.Second), one, true)
		assertFound(t, d, second, start, one, false)
	})
	t.Run("the window runs from the record, not from the last repetition", func(t *testing.T) {
		t.Parallel()
		d := limit.NewDuplicates(time.Minute, 10)
		d.Add(first, one, start)
		assertFound(t, d, first, start.Add(50*time.Second), one, true)
		assertFound(t, d, first, start.Add(60*time.Second), one, false)
		d.Add(first, two, start.Add(60*time.Second))
		assertFound(t, d, first, start.Add(70*time.Second), two, true)
	})
	t.Run("a full table forgets the oldest", func(t *testing.T) {
		t.Parallel()
		d := limit.NewDuplicates(time.Hour, 100)
		for i := range 1000 {
			d.Add(limit.Key{byte(i), byte(i >> 8), 9}, [16]byte{byte(i)}, start)
		}
		assertFound(t, d, limit.Key{0x83, 3, 9}, start, [16]byte{0x83}, false) // the submission with number 899
		assertFound(t, d, limit.Key{0x84, 3, 9}, start, [16]byte{0x84}, true)  // the submission with number 900
	})
	t.Run("what was not stored is forgotten", func(t *testing.T) {
		t.Parallel()
		d := limit.NewDuplicates(time.Minute, 10)
		d.Add(first, one, start)
		d.Forget(first)
		assertFound(t, d, first, start, one, false)
	})
	t.Run("a window of zero remembers nothing", func(t *testing.T) {
		t.Parallel()
		d := limit.NewDuplicates(0, 10)
		d.Add(first, one, start)
		assertFound(t, d, first, start, one, false)
	})
}

func assertFound(t *testing.T, d *limit.Duplicates, key limit.Key, now time.Time, want [16]byte, found bool) {
	t.Helper()
	id, ok := d.Find(key, now)
	if ok != found || found && id != want {
		t.Errorf("Find(%x) = %x, %v; want %x, %v", key[:3], id, ok, want, found)
	}
}
