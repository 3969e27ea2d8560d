package history

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"

	"svc/internal/backup"
	"svc/internal/replica/format"
	"svc/internal/replica/target"
)

// archive reads the parts of a snapshot one after the other. After each part it compares the checksum, so its user
// must discard what it has read if there is an error.
type archive struct {
	ctx   context.Context
	h     *History
	m     format.Manifest
	part  int           // number of the part that is being read, from 1
	from  io.ReadCloser // nil between parts
	sum   hash.Hash
	bytes int64 // of the part that were read
	err   error // the first error, an *Error
}

func (h *History) openArchive(ctx context.Context, m format.Manifest) *archive {
	return &archive{ctx: ctx, h: h, m: m}
}

// Read reads from the current part, and continues with the next one at its end.
func (a *archive) Read(b []byte) (n int, err error) {
	for {
		if a.err != nil {
			return 0, a.err
		}
		if a.from == nil {
			if a.part == len(a.m.Parts) {
				return 0, io.EOF
			}
			if err := a.open(); err != nil {
				return 0, a.fail(err)
			}
		}
		n, err := a.from.Read(b)
		a.sum.Write(b[:n])
		a.bytes += int64(n)
		if errors.Is(err, io.EOF) {
			err = a.finish()
		}
		if err != nil {
			return n, a.fail(err)
		}
		if n > 0 {
			return n, nil
		}
	}
}

func (a *archive) open() (err error) {
	a.part++
	a.bytes, a.sum = 0, sha256.New()
	var size int64
	if a.from, size, err = a.h.target.Open(a.ctx, a.name()); err != nil {
		a.from = nil
		if errors.Is(err, target.ErrMissing) {
			err = target.ErrMissing
		}
		return err
	}
	return a.checkSize(size)
}

// finish verifies and closes the part.
func (a *archive) finish() error {
	if err := a.checkSize(a.bytes); err != nil {
		return err
	}
	if hex.EncodeToString(a.sum.Sum(nil)) != a.m.Parts[a.part-1].SHA256 {
		return fmt.Errorf("%w: it differs from its checksum in the manifest", format.ErrInvalid)
	}
	err := a.from.Close()
	a.from = nil
	return err
}

func (a *archive) checkSize(size int64) error {
	if want := a.m.Parts[a.part-1].Size; size != want {
		return fmt.Errorf("%w: it has %d bytes, in the manifest %d", format.ErrInvalid, size, want)
	}
	return nil
}

func (a *archive) name() string { return format.PartName(a.m.Position, a.part) }

func (a *archive) fail(err error) error {
	a.err = &Error{a.name(), err}
	return a.err
}

// Close ends the reading.
func (a *archive) Close() error {
	if a.from == nil {
		return nil
	}
	return a.from.Close()
}

// explain returns the error of an operation that reads the archive: the one of a part if that was the cause, and
// otherwise an *Error of the manifest.
func (a *archive) explain(err error) error {
	switch {
	case err == nil:
		return nil
	case a.err != nil:
		return a.err
	case errors.Is(err, backup.ErrSealed):
		return &Error{format.ManifestName(a.m.Position), format.ErrIdentity}
	case errors.Is(err, backup.ErrDamaged), errors.Is(err, backup.ErrNoArchive):
		return &Error{format.ManifestName(a.m.Position), fmt.Errorf("%w: %w", format.ErrInvalid, err)}
	}
	return err
}
