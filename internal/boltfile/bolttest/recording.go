package bolttest

import (
	"bytes"
	"slices"
	"sync"

	"svc/internal/boltfile"
)

// Recording is a boltfile.Recorder that keeps the change sets of all transactions that readers saw.
// Changes is safe for concurrent use.
type Recording struct {
	Position uint64 // the position of the last change set

	mu   sync.Mutex
	sets []boltfile.Change // guarded by mu
	next boltfile.Change
}

// Append assigns the next position.
func (r *Recording) Append(set []byte) (position uint64, err error) {
	r.Position++
	r.next = boltfile.Change{Position: r.Position, Set: bytes.Clone(set)}
	return r.Position, nil
}

// Settle keeps the last change set if it is visible.
func (r *Recording) Settle(visible bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if visible {
		r.sets = append(r.sets, r.next)
	}
}

// Changes returns the recorded change sets after a position.
func (r *Recording) Changes(after uint64) []boltfile.Change {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, _ := slices.BinarySearchFunc(r.sets, after+1, func(c boltfile.Change, position uint64) int {
		return int(int64(c.Position) - int64(position))
	})
	return slices.Clone(r.sets[at:])
}

// ApplyTo applies the change sets to a file that is not open, which must be a copy of the recorded
// one from before the first of them.
func (r *Recording) ApplyTo(path string) error {
	for _, c := range r.Changes(0) {
		err := Change(path, func(tx *boltfile.Tx) error {
			if err := tx.Apply(c.Set); err != nil {
				return err
			}
			return tx.SetPosition(c.Position)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
