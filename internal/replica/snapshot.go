package replica

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"time"

	"svc/internal/fault"
	"svc/internal/replica/format"
	"svc/internal/replica/target"
)

const (
	// minLog is the size of the log, in bytes, below which it never causes a snapshot.
	minLog = 8 << 20
	// snapshotPause is the time after a failed snapshot before the next one.
	snapshotPause = time.Minute
	// retryFor limits the time for which the upload of an object of a snapshot is retried.
	retryFor = 10 * time.Minute
)

// Snapshot makes a snapshot and waits until it is complete.
func (p *Primary) Snapshot(ctx context.Context) error {
	p.mu.Lock()
	p.asked++
	number := p.asked
	p.mu.Unlock()
	p.wake()
	for {
		p.mu.Lock()
		last, changed, refused := p.made, p.changed, p.refused
		p.mu.Unlock()
		if last.asked >= number {
			return last.err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		case <-p.done:
			if refused != "" {
				return errors.New(refused)
			}
			return errors.New("the replication has ended")
		}
	}
}

// startSnapshot starts a snapshot if one is due and none is being made.
func (p *Primary) startSnapshot(ctx context.Context) {
	changed := p.config.Spool.Position()
	p.mu.Lock()
	defer p.mu.Unlock()
	last, age := p.state.Snapshot, time.Since(time.UnixMilli(p.state.Snapshot.Time))
	due := p.asked > p.made.asked || time.Now().After(p.resting) && (p.state.Gap ||
		age >= p.tunable.SnapshotEvery && changed > last.Position ||
		last.Log > max(last.Bytes/2, minLog))
	if !due || p.snapshotEnd != nil {
		return
	}
	ctx, end := context.WithCancel(ctx)
	p.snapshotEnd, p.imaged = end, false
	asked := p.asked
	p.work.Go(func() {
		defer end()
		err := fault.Catch(func() error { return p.snapshot(ctx) })
		p.mu.Lock()
		defer p.mu.Unlock()
		if err != nil && ctx.Err() == nil { // otherwise a gap has ended it, and the next one begins at once
			p.resting = time.Now().Add(snapshotPause)
			if p.made.err == nil && p.failure == "" {
				p.log.Error("the snapshot for the replica failed; it is tried again", "error", err)
			}
		}
		p.snapshotEnd, p.made = nil, made{asked, err}
		p.notify()
		p.wake()
	})
}

// errUnchanged ends a snapshot if the last one has the same content.
var errUnchanged = errors.New("nothing has changed since the last snapshot")

// snapshot makes a snapshot and deletes the objects that no restore needs.
func (p *Primary) snapshot(ctx context.Context) error {
	var m format.Manifest
	recipients := p.settings().Recipients
	parts := &partWriter{p: p, ctx: ctx, manifest: &m}
	defer parts.remove()
	err := p.config.Archive(ctx, parts, recipients, func() error {
		err := p.image(&m, len(recipients) > 0)
		parts.unchanged = errors.Is(err, errUnchanged)
		return err
	})
	if parts.unchanged {
		return nil
	}
	if err == nil {
		err = parts.finish()
	}
	if err == nil {
		err = p.reached(ctx, m.Position)
	}
	if err != nil {
		return err
	}
	b := format.Encode(m)
	if err := p.retry(ctx, func() error {
		if err := p.checkEpoch(ctx); err != nil {
			return err
		}
		err := p.createSame(ctx, format.ManifestName(m.Position), bytes.NewReader(b), int64(len(b)), sha256.Sum256(b))
		if err != nil {
			return err
		}
		return p.checkEpoch(ctx) // after a gap, writes are confirmed with the snapshot
	}); err != nil {
		return err
	}
	if err := p.update(func(s *State) {
		log := s.Snapshot.Log - parts.log
		s.Gap, s.Snapshot = false, SnapshotState{Position: m.Position, Time: m.Time, Bytes: parts.total, Log: max(0, log)}
	}); err != nil {
		return err
	}
	if err := p.confirm(m.Position); err != nil {
		return err
	}
	p.wake() // writes that were refused because of a gap need not wait until old objects have been deleted
	p.log.Info("a snapshot for the replica is complete", "position", m.Position, "bytes", parts.total)
	if err := p.retain(ctx); err != nil {
		p.log.Warn("old objects of the replica were not deleted", "error", err)
	}
	return nil
}

// image notes at which position the images of both databases are taken. The caller holds the locks of both.
func (p *Primary) image(m *format.Manifest, encrypted bool) error {
	p.spooling.Lock()
	defer p.spooling.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	position, err := p.config.Spool.Resume(max(time.Now().UnixMilli(), p.state.End))
	if err != nil {
		return err
	}
	if position == p.state.Snapshot.Position && !p.state.Gap {
		return errUnchanged
	}
	s := &p.state
	*m = format.Manifest{
		Format: format.Version, Position: position, Time: p.config.Spool.Time(), Epoch: s.Epoch,
		Next: s.Next, Before: s.Before, Encrypted: encrypted,
	}
	p.imaged = true
	if s.Gap {
		// The changes before were dropped, or they are in the spool and of no use without the snapshot.
		s.Position = max(s.Position, position)
	}
	p.notify()
	return s.Write(p.config.Dir)
}

// reached waits until the target has all changes up to a position.
func (p *Primary) reached(ctx context.Context, position uint64) error {
	for {
		p.mu.Lock()
		there, changed := p.state.Position >= position, p.changed
		p.mu.Unlock()
		if there {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// retry calls a function until it succeeds, or until another attempt is of no use.
func (p *Primary) retry(ctx context.Context, work func() error) error {
	begun := time.Now()
	for pause := time.Second; ; pause = min(pause+time.Second, maxPause) {
		err := work()
		switch {
		case err == nil, ctx.Err() != nil, time.Since(begun) > retryFor,
			errors.Is(err, errFenced), errors.Is(err, target.ErrExists), errors.Is(err, errUnchanged):
			return errors.Join(err, ctx.Err())
		}
		timer := time.NewTimer(max(pause, target.RetryAfter(err)))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}

// createSame creates an object. An object with the same content may exist. The error for another content
// wraps target.ErrExists.
func (p *Primary) createSame(ctx context.Context, name string, content io.ReaderAt, size int64, sum [sha256.Size]byte) error {
	err := p.target.Create(ctx, name, content, size)
	if !errors.Is(err, target.ErrExists) {
		return err
	}
	found, _, openErr := p.target.Open(ctx, name)
	if openErr != nil {
		return openErr
	}
	defer found.Close()
	digest := sha256.New()
	if _, err := io.Copy(digest, found); err != nil {
		return err
	}
	if bytes.Equal(digest.Sum(nil), sum[:]) {
		return nil
	}
	return err
}

// partWriter cuts an archive into parts and stores them at the target. Each part is first written to a file.
type partWriter struct {
	p        *Primary
	ctx      context.Context
	manifest *format.Manifest
	file     *os.File // the current part; nil before the first byte
	sum      hash.Hash
	size     int64 // of the current part
	total    int64 // of all complete parts
	log      int64 // bytes of segments since the last snapshot, at the start of this one
	// unchanged is set if there is a snapshot with the same content, so that the archive was not written.
	unchanged bool
}

// Write adds to the current part, and stores it when it is complete.
func (w *partWriter) Write(b []byte) (n int, err error) {
	if w.file == nil {
		if err := w.begin(); err != nil {
			return 0, err
		}
	}
	for n < len(b) {
		piece := b[n:min(len(b), n+int(w.p.config.PartSize-w.size))]
		if _, err := w.file.Write(piece); err != nil {
			return n, err
		}
		w.sum.Write(piece)
		n, w.size = n+len(piece), w.size+int64(len(piece))
		if w.size == w.p.config.PartSize {
			if err := w.store(); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// begin prepares the first part.
func (w *partWriter) begin() (err error) {
	w.sum = sha256.New()
	w.p.mu.Lock()
	w.log = w.p.state.Snapshot.Log
	w.p.mu.Unlock()
	if w.file, err = os.OpenFile(filepath.Join(w.p.config.Dir, partFile), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600); err != nil {
		return err
	}
	err = w.p.retry(w.ctx, func() error { return w.p.clear(w.ctx, w.manifest.Position) })
	w.unchanged = errors.Is(err, errUnchanged)
	return err
}

// clear deletes the remains of a snapshot at a position, which can have another content. The epoch is read before,
// because a newer primary may be storing it. If there is a complete snapshot of the same history, clear
// returns errUnchanged.
func (p *Primary) clear(ctx context.Context, position uint64) error {
	if err := p.checkEpoch(ctx); err != nil {
		return err
	}
	m, err := p.manifest(ctx, position)
	switch {
	case errors.Is(err, target.ErrMissing), errors.Is(err, format.ErrInvalid):
	case err != nil:
		return err
	default:
		h, err := p.history(ctx)
		if err != nil {
			return err
		}
		p.mu.Lock()
		usable := h.has(m) && !p.state.Gap
		p.mu.Unlock()
		if !usable {
			break
		}
		var bytes int64
		for _, part := range m.Parts {
			bytes += part.Size
		}
		return errors.Join(errUnchanged, p.update(func(s *State) {
			s.Snapshot = SnapshotState{Position: m.Position, Time: m.Time, Bytes: bytes}
		}))
	}
	return p.deleteSnapshot(ctx, position)
}

// manifest returns the manifest of the snapshot at a position.
func (p *Primary) manifest(ctx context.Context, position uint64) (m format.Manifest, err error) {
	b, err := target.Read(ctx, p.target, format.ManifestName(position), format.MaxJSON)
	if err != nil {
		return m, err
	}
	return format.Decode[format.Manifest](b)
}

// deleteSnapshot deletes a snapshot, its manifest first, so that no incomplete one is visible.
func (p *Primary) deleteSnapshot(ctx context.Context, position uint64) error {
	var names []string
	manifest := format.ManifestName(position)
	err := p.target.List(ctx, format.SnapshotFolder(position), func(o target.Object) error {
		if o.Name == manifest {
			names = append([]string{o.Name}, names...)
		} else {
			names = append(names, o.Name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return p.target.delete(ctx, names)
}

// store stores the current part and begins the next one.
func (w *partWriter) store() error {
	part := format.Part{Size: w.size, SHA256: hex.EncodeToString(w.sum.Sum(nil))}
	name := format.PartName(w.manifest.Position, len(w.manifest.Parts)+1)
	err := w.p.retry(w.ctx, func() error {
		return w.p.createSame(w.ctx, name, w.file, w.size, [sha256.Size]byte(w.sum.Sum(nil)))
	})
	if err != nil {
		return fmt.Errorf("store %s: %w", name, err)
	}
	w.manifest.Parts = append(w.manifest.Parts, part)
	w.total += w.size
	w.size = 0
	w.sum.Reset()
	_, err = w.file.Seek(0, io.SeekStart)
	return errors.Join(err, w.file.Truncate(0))
}

// finish stores the last part.
func (w *partWriter) finish() error {
	if w.size == 0 {
		return nil
	}
	return w.store()
}

// remove deletes the file of the parts.
func (w *partWriter) remove() {
	if w.file != nil {
		_ = w.file.Close()
		_ = os.Remove(w.file.Name())
	}
}
