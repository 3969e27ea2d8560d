// Package history reads the replica at a target: which of its segments and snapshots count, whether all of it is
// intact, and the state of the data at a point in time.
//
//	history.go   History and its errors: epochs, cuts and snapshots
//	walk.go      the segments in order
//	snapshot.go  the archive of a snapshot
//	restore.go   building the state at a point in time
//	contents.go  contents of local files
//	points.go    the points in time that can be restored
//	verify.go    verification of everything
package history

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"svc/internal/backup"
	"svc/internal/replica/format"
	"svc/internal/replica/target"
)

// History describes the part of a replica that counts, as of when it was read.
type History struct {
	Identity  format.Identity
	Epoch     uint32            // the newest epoch that counts; 0 if there is none yet
	Snapshots []format.Manifest // the usable ones, by position
	// Problems contains an *Error for each damaged manifest. The other snapshots remain usable.
	Problems []error

	target     target.Target
	identities []backup.Identity
	epochs     []epoch // in order
	sealed     bool    // encrypted objects are read without decrypting them
}

// epoch is an epoch that counts.
type epoch struct {
	number uint32
	cut    *format.Cut // the cut that ended it; nil for the newest one
}

// Error reports that an object cannot be read, or is not what the other objects say.
type Error struct {
	Object string // the name of the object
	Err    error
}

// Error returns the name of the object and the reason.
func (e *Error) Error() string { return e.Object + ": " + e.Err.Error() }

// Unwrap returns the reason. It wraps target.ErrMissing, format.ErrInvalid, ErrForked, format.ErrIdentity,
// or is an error of the target.
func (e *Error) Unwrap() error { return e.Err }

var (
	// ErrNoReplica reports that there is no replica at a target.
	ErrNoReplica = errors.New("there is no replica of svc at the target")
	// ErrEmpty reports that a replica has no snapshot yet.
	ErrEmpty = errors.New("the replica has no complete snapshot yet")
	// ErrForked reports that an intact object belongs to another history.
	ErrForked = errors.New("it does not continue the history")
)

// Read reads which segments and snapshots of the replica at a target count. The identities decrypt an encrypted
// replica. The error is ErrNoReplica, an *Error, or an error of the target.
func Read(ctx context.Context, t target.Target, identities ...backup.Identity) (*History, error) {
	h := &History{target: t, identities: identities}
	var err error
	if h.Identity, err = read[format.Identity](ctx, t, format.IdentityName); err != nil {
		if errors.Is(err, target.ErrMissing) {
			return nil, ErrNoReplica
		}
		return nil, err
	}
	if err := h.readEpochs(ctx); err != nil {
		return nil, err
	}
	return h, h.readSnapshots(ctx)
}

// readEpochs follows the cuts from the newest one to the first epoch. Epochs that no cut names do not count.
func (h *History) readEpochs(ctx context.Context) error {
	begun, err := h.numbers(ctx, format.Epochs, format.EpochName)
	if err != nil || len(begun) == 0 { // the primary has not begun yet
		return err
	}
	cuts, err := h.numbers(ctx, format.Cuts, format.CutName)
	if err != nil {
		return err
	}
	at := epoch{number: 1}
	if len(cuts) > 0 {
		at.number = slices.Max(cuts)
	}
	for h.Epoch = at.number; ; {
		if e, err := read[format.Epoch](ctx, h.target, format.EpochName(at.number)); err != nil {
			return err
		} else if e.Number != at.number {
			return &Error{format.EpochName(at.number), fmt.Errorf("%w: it is epoch %d", format.ErrInvalid, e.Number)}
		}
		h.epochs = append(h.epochs, at)
		if at.number == 1 {
			slices.Reverse(h.epochs)
			return nil
		}
		name := format.CutName(at.number)
		cut, err := read[format.Cut](ctx, h.target, name)
		if err != nil {
			return err
		}
		if cut.Epoch == 0 || cut.Epoch >= at.number {
			return &Error{name, fmt.Errorf("%w: it continues epoch %d", format.ErrInvalid, cut.Epoch)}
		}
		at = epoch{cut.Epoch, &cut}
	}
}

// numbers returns the numbers in the names of the objects in a folder. It ignores objects with other names.
func (h *History) numbers(ctx context.Context, folder string, name func(uint32) string) (numbers []uint32, err error) {
	err = h.target.List(ctx, folder, func(o target.Object) error {
		n, err := strconv.ParseUint(strings.TrimPrefix(o.Name, folder+"/"), 10, 32)
		if err == nil && o.Name == name(uint32(n)) {
			numbers = append(numbers, uint32(n))
		}
		return nil
	})
	return numbers, err
}

func (h *History) readSnapshots(ctx context.Context) error {
	var positions []uint64
	err := h.target.List(ctx, format.Snapshots, func(o target.Object) error {
		folder, isManifest := strings.CutSuffix(strings.TrimPrefix(o.Name, format.Snapshots+"/"), "/manifest")
		position, err := strconv.ParseUint(folder, 10, 64)
		if isManifest && err == nil && o.Name == format.ManifestName(position) {
			positions = append(positions, position)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, position := range positions {
		name := format.ManifestName(position)
		m, err := read[format.Manifest](ctx, h.target, name)
		switch {
		case errors.Is(err, target.ErrMissing): // it was deleted meanwhile
		case errors.Is(err, format.ErrInvalid):
			h.Problems = append(h.Problems, err)
		case err != nil:
			return err
		case m.Position != position || m.Next == 0 || len(m.Parts) == 0 || !isSum(m.Before):
			h.Problems = append(h.Problems, &Error{name, fmt.Errorf("%w: it is not a manifest of position %d", format.ErrInvalid, position)})
		case h.counts(m):
			h.Snapshots = append(h.Snapshots, m)
		}
	}
	slices.SortFunc(h.Snapshots, func(a, b format.Manifest) int { return cmp.Compare(a.Position, b.Position) })
	return nil
}

// counts reports whether a snapshot is of a state that the history has had.
func (h *History) counts(m format.Manifest) bool {
	i := h.index(m.Epoch)
	if i < 0 {
		return false
	}
	cut := h.epochs[i].cut
	return cut == nil || m.Next <= cut.Segment+1 && m.Position <= cut.Position
}

// index returns the index of an epoch in h.epochs, or -1 if the epoch does not count.
func (h *History) index(number uint32) int {
	return slices.IndexFunc(h.epochs, func(e epoch) bool { return e.number == number })
}

// read reads an object in JSON.
func read[T format.Identity | format.Epoch | format.Cut | format.Contact | format.Manifest](
	ctx context.Context, t target.Target, name string,
) (object T, err error) {
	b, err := readObject(ctx, t, name, format.MaxJSON)
	if err != nil {
		return object, err
	}
	if object, err = format.Decode[T](b); err != nil {
		return object, &Error{name, err}
	}
	return object, nil
}

// attempts is the number of times that an object is requested before its error counts, because a restore can need
// many thousand requests.
const attempts = 3

// readObject reads an object of at most limit bytes. The error is an *Error.
func readObject(ctx context.Context, t target.Target, name string, limit int64) (b []byte, err error) {
	for attempt := range attempts {
		if attempt > 0 {
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(time.Duration(attempt) * time.Second):
			}
		}
		if b, err = target.Read(ctx, t, name, limit); err == nil {
			return b, nil
		}
		if errors.Is(err, target.ErrMissing) || ctx.Err() != nil {
			break
		}
	}
	if errors.Is(err, target.ErrMissing) {
		return nil, missing(name)
	}
	return nil, &Error{name, err}
}

func missing(name string) error { return &Error{name, target.ErrMissing} }

// isSum reports whether a text is a SHA-256 in hexadecimal, or empty.
func isSum(text string) bool {
	_, err := parseSum(text)
	return err == nil
}

// parseSum decodes a SHA-256 in hexadecimal. For an empty text it returns the zero Sum, which means "no segment".
func parseSum(text string) (sum format.Sum, err error) {
	b, err := hex.DecodeString(text)
	if err == nil && len(b) != 0 && len(b) != len(sum) {
		err = errors.New("not a SHA-256")
	}
	copy(sum[:], b)
	return sum, err
}
