package bolttest

import (
	"bytes"

	"svc/internal/boltfile"
)

// Recording is a boltfile.Recorder that keeps the change sets of all transactions that readers saw.
type Recording struct {
	Position uint64 // the position of the last change set
	sets     []change
	next     change
}

type change struct {
	position uint64
	set      []byte
}

// Append assigns the next position.
func (r *Recording) Append(set []byte) (position uint64, err error) {
	r.Position++
	r.next = change{r.Position, bytes.Clone(set)}
	return r.Position, nil
}

// Settle keeps the last change set if it is visible.
func (r *Recording) Settle(visible bool) {
	if visible {
		r.sets = append(r.sets, r.next)
	}
}

// ApplyTo applies the change sets to a file that is not open, which must be a copy of the recorded
// one from before the first of them.
func (r *Recording) ApplyTo(path string) error {
	for _, c := range r.sets {
		err := Change(path, func(tx *boltfile.Tx) error {
			if err := tx.Apply(c.set); err != nil {
				return err
			}
			return tx.SetPosition(c.position)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
