package history

import (
	"context"
	"errors"
	"io"

	"svc/internal/backup"
	"svc/internal/instance"
	"svc/internal/integrity"
	"svc/internal/replica/format"
	"svc/internal/replica/target"
	"svc/store"
)

// Verified is the result of a verification.
type Verified struct {
	instance.Digests        // of the newest state
	Epoch            uint32 `json:"epoch"`
	Time             int64  `json:"time"` // of the newest state; Unix seconds
	Snapshots        int    `json:"snapshots"`
	Segments         int    `json:"segments"`
	Gaps             int    `json:"gaps"`     // in the log, each with a snapshot after it, or at its end
	Contents         int    `json:"contents"` // of local files, at the target
	Missing          int    `json:"missing"`  // local files whose content is not at the target
}

// Verify reads everything at the target that counts, and verifies each checksum, and the log from the oldest snapshot
// to its end. It builds the newest state beside the folder data, which must be empty, and checks it like svc check, with
// the findings in report; it deletes that state before it returns. The error is ErrEmpty, an *Error with the first bad
// object, or one of the file system.
func (h *History) Verify(ctx context.Context, data string, report *integrity.Report) (v Verified, err error) {
	v.Epoch = h.Epoch
	if len(h.Problems) > 0 {
		return v, h.Problems[0]
	}
	if len(h.Snapshots) == 0 {
		return v, ErrEmpty
	}
	if err := h.verifyOlder(ctx, &v); err != nil {
		return v, err
	}
	names, err := h.verifyContents(ctx)
	if err != nil {
		return v, err
	}
	v.Contents = len(names)
	s, err := h.build(ctx, data, Until{})
	if err != nil {
		return v, err
	}
	defer func() { err = errors.Join(err, s.Discard()) }()
	v.Snapshots++
	v.note(s.End)
	v.Time = seconds(s.Time)
	if err := instance.CheckDatabases(ctx, s.Dir(), report); err != nil {
		return v, err
	}
	contents, err := h.eachContent(s.Dir(), func(f *store.File) error {
		if !names[format.ContentName(f.SHA256)] {
			return target.ErrMissing
		}
		return nil
	})
	if err != nil {
		return v, err
	}
	v.Missing = contents.Missing
	v.Digests, err = instance.Digest(s.Dir())
	return v, err
}

// VerifySealed verifies what can be read without an identity: each checksum, and the order of the log from the oldest
// snapshot to its end. Objects that are not encrypted are also decoded. VerifySealed builds no state, so the result has
// no digests. The error is as from Verify.
func (h *History) VerifySealed(ctx context.Context) (v Verified, err error) {
	sealed := *h
	sealed.sealed = true
	v.Epoch = h.Epoch
	if len(h.Problems) > 0 {
		return v, h.Problems[0]
	}
	if len(h.Snapshots) == 0 {
		return v, ErrEmpty
	}
	if err := sealed.verifyOlder(ctx, &v); err != nil {
		return v, err
	}
	newest := h.Snapshots[len(h.Snapshots)-1]
	if err := sealed.readArchive(ctx, newest); err != nil {
		return v, err
	}
	end, err := sealed.Walk(ctx, newest, func(Segment) error { return nil })
	if err != nil {
		return v, err
	}
	v.Snapshots++
	v.note(end)
	v.Time = seconds(end.Time)
	names, err := sealed.verifyContents(ctx)
	v.Contents = len(names)
	return v, err
}

// note adds the result of a walk.
func (v *Verified) note(end End) {
	v.Segments += end.Segments
	if end.Gap != nil {
		v.Gaps++
	}
}

// verifyOlder verifies all snapshots but the newest one, and the log between them.
func (h *History) verifyOlder(ctx context.Context, v *Verified) error {
	for i := range h.Snapshots[:len(h.Snapshots)-1] {
		if err := h.verifySnapshot(ctx, i, v); err != nil {
			return err
		}
	}
	return nil
}

// readArchive reads the archive of a snapshot. Of one that is sealed, it compares only the checksums of the parts.
func (h *History) readArchive(ctx context.Context, m format.Manifest) (err error) {
	a := h.openArchive(ctx, m)
	defer func() { err = errors.Join(err, a.Close()) }()
	if h.sealed && m.Encrypted {
		_, err = io.Copy(io.Discard, a)
		return err
	}
	_, err = backup.Read(a, h.identities, nil)
	return a.explain(err)
}

// verifySnapshot verifies a snapshot and the log up to the next one. It ignores errors if the primary has deleted the
// snapshot in the meantime.
func (h *History) verifySnapshot(ctx context.Context, i int, v *Verified) (err error) {
	m := h.Snapshots[i]
	if err = h.readArchive(ctx, m); err == nil {
		var end End
		end, err = h.walk(ctx, m, &h.Snapshots[i+1], func(Segment) error { return nil })
		v.note(end)
	}
	if err == nil {
		v.Snapshots++
		return nil
	}
	if _, gone := target.Read(ctx, h.target, format.ManifestName(m.Position), format.MaxJSON); errors.Is(gone, target.ErrMissing) {
		return nil
	}
	return err
}
