package boltfile

import (
	"errors"
	"fmt"
	"time"

	"svc/internal/fault"
)

// Change is the change set of one transaction, encoded by package change, and the position that the
// transaction reached.
type Change struct {
	Position uint64
	Set      []byte
}

// ErrFollowing is returned for a transaction that would change a file that follows another one.
var ErrFollowing = fault.New(fault.Unavailable,
	"this server follows another one, so it only reads and nothing was stored; send changes to the primary").After(30 * time.Second)

// Following reports whether the file follows another one: Apply changes it, and every other
// transaction can change only the bucket node.
func (w *Writer) Following() bool { return w.db.following }

// Apply changes a file that follows another one, in one transaction. changes contains change sets of
// the other file, without a gap and in the order of their positions. Apply skips the change sets that
// the file already contains, and returns the remaining ones. It then stores the given position, which must
// be at least the position of the last change. If the file already has that position, Apply writes nothing.
//
// check is called before the transaction is committed, and can refuse it; it may be nil. Apply returns
// the errors of Update, Tx.Apply and check. As with Update, a Recorder receives the transaction.
// Its Append should return 0 while the file follows another one, so that the file keeps the given
// position. The caller must hold the lock of the writer.
func (w *Writer) Apply(changes []Change, position uint64, check func(*Tx) error) (applied []Change, err error) {
	err = w.write(w.db.apply, func(tx *Tx) error {
		at, _ := tx.Position()
		if position <= at {
			return ErrNothing
		}
		for len(changes) > 0 && changes[0].Position <= at {
			changes = changes[1:]
		}
		for _, c := range changes {
			if c.Position <= at || c.Position > position {
				return fmt.Errorf("change set %d follows %d in a group up to %d", c.Position, at, position)
			}
			if err := tx.Apply(c.Set); err != nil {
				return fmt.Errorf("apply change set %d: %w", c.Position, err)
			}
			at = c.Position
		}
		if check != nil {
			if err := check(tx); err != nil {
				return err
			}
		}
		applied = changes
		return tx.SetPosition(position)
	})
	if errors.Is(err, ErrNothing) {
		err = nil
	}
	if !Written(err) {
		applied = nil
	}
	return applied, err
}

// CheckFormat returns a *NewerError if a file that follows another one has been upgraded to a format
// that this program does not know.
func (l Layout) CheckFormat(tx *Tx) error {
	format, writer, err := formatOf(tx)
	if err == nil && format > l.Newest() {
		err = &NewerError{Path: tx.bolt().DB().Path(), Format: format, Oldest: l.Oldest, Newest: l.Newest(), Writer: writer}
	}
	return err
}
