package boltfile_test

import (
	"errors"
	"path/filepath"
	"testing"

	"svc/internal/boltfile"
	"svc/internal/boltfile/bolttest"
	"svc/internal/fault"
)

var followed = boltfile.Layout{Buckets: [][]byte{[]byte("meta"), []byte("first")}, Oldest: 1}

// recordedPuts returns the change sets of transactions that each set the key k to its position.
func recordedPuts(t *testing.T, n int) []boltfile.Change {
	t.Helper()
	recording := &bolttest.Recording{}
	reopened(t, newFollowed(t), recording, func(w *boltfile.Writer) {
		for i := range n {
			err := w.Update(func(tx *boltfile.Tx) error { return tx.Bucket([]byte("first")).Put([]byte("k"), []byte{byte(i + 1)}) })
			if err != nil {
				t.Fatal(err)
			}
		}
	})
	return recording.Changes(0)
}

func newFollowed(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "test.db")
	err := boltfile.Create(path, func(tx *boltfile.Tx) error {
		_, err := followed.Make(tx)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func openFollower(t *testing.T, path string) *boltfile.Writer {
	t.Helper()
	return openWith(t, path, boltfile.Options{NoSync: true, Follow: true})
}

// TestApplyGroups applies groups of change sets. Sets that the file contains already are skipped, and
// a group with an error changes nothing.
func TestApplyGroups(t *testing.T) {
	t.Parallel()
	sets := recordedPuts(t, 6)
	w := openFollower(t, newFollowed(t))
	refusal := errors.New("refused")
	broken := []boltfile.Change{sets[4], {Position: 6, Set: []byte{0xff}}}
	for _, step := range []struct {
		name     string
		group    []boltfile.Change
		position uint64
		check    func(*boltfile.Tx) error
		applied  int
		value    byte
		reached  uint64
		fails    bool
	}{
		{"two", sets[:2], 2, nil, 2, 2, 2, false},
		{"again with one more", sets[:3], 3, nil, 1, 3, 3, false},
		{"nothing new", sets[:3], 3, nil, 0, 3, 3, false},
		{"out of order", []boltfile.Change{sets[4], sets[3]}, 5, nil, 0, 3, 3, true},
		{"behind its position", sets[3:5], 4, nil, 0, 3, 3, true},
		{"not a change set", broken, 6, nil, 0, 3, 3, true},
		{"refused", sets[3:4], 4, func(*boltfile.Tx) error { return refusal }, 0, 3, 3, true},
		{"a position of the other file", nil, 4, nil, 0, 3, 4, false},
		{"a later position", sets[4:5], 9, nil, 1, 5, 9, false},
	} {
		w.Lock()
		applied, err := w.Apply(step.group, step.position, step.check)
		w.Unlock()
		var value byte
		var reached uint64
		_ = w.View(func(tx *boltfile.Tx) error {
			value = tx.Bucket([]byte("first")).Get([]byte("k"))[0]
			reached, _ = tx.Position()
			return nil
		})
		if (err != nil) != step.fails || len(applied) != step.applied || value != step.value || reached != step.reached {
			t.Errorf("%s: applied %d, value %d at %d, error %v", step.name, len(applied), value, reached, err)
		}
	}
}

// TestFollowerIsNotChanged checks that transactions of a file that follows another one can change
// only the bucket node, and that a newer format is refused.
func TestFollowerIsNotChanged(t *testing.T) {
	t.Parallel()
	w := openFollower(t, newFollowed(t))
	put := func(tx *boltfile.Tx) error { return tx.Bucket([]byte("first")).Put([]byte("k"), nil) }
	note := func(tx *boltfile.Tx) error { return tx.Node().Put([]byte("k"), nil) }
	for _, step := range []struct {
		name    string
		change  func(*boltfile.Tx) error
		refused bool
	}{
		{"a key", put, true}, {"a key of the bucket node", note, false}, {"nothing", func(*boltfile.Tx) error { return nil }, false},
	} {
		w.Lock()
		err := w.Update(step.change)
		w.Unlock()
		if fault.Is(err, fault.Unavailable) != step.refused || (err != nil) != step.refused || w.Writable() != nil {
			t.Errorf("%s: error %v, writable %v", step.name, err, w.Writable())
		}
	}

	newer := &bolttest.Recording{}
	reopened(t, newFollowed(t), newer, func(w *boltfile.Writer) {
		err := w.Update(func(tx *boltfile.Tx) error {
			return tx.Bucket([]byte("meta")).Put([]byte("format"), []byte{0, 0, 0, 2})
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	w.Lock()
	defer w.Unlock()
	if _, err := w.Apply(newer.Changes(0), 1, followed.CheckFormat); !errors.Is(err, boltfile.ErrNewer) {
		t.Errorf("a newer format: got %v", err)
	}
}
