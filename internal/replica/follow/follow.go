// Package follow keeps a copy of the data of a primary by reading its replica, and turns the copy into the
// next primary.
//
//	follow.go     Follower: the loop, its state
//	state.go      standby.json, the marker and the state of a standby
//	segments.go   reading segments, and which of them count
//	timeline.go   epochs and their cuts
//	bootstrap.go  beginning with a snapshot
//	promote.go    becoming the primary
//	contents.go   contents of local files
//	files.go      applying changes to databases that no server has open
package follow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"svc/internal/backup"
	"svc/internal/datadir"
	"svc/internal/replica"
	"svc/internal/replica/format"
	"svc/internal/replica/history"
	"svc/internal/replica/target"
)

// Config is the configuration of a Follower.
type Config struct {
	Target     *target.Counted
	Address    string // of the target, without credentials
	Data       string // the data directory; the caller holds its lock
	Identities []backup.Identity
	Every      time.Duration // how often Run looks for changes
	Host       string        // name of this machine, for messages on other ones
	Log        *slog.Logger
	Now        func() time.Time // nil = time.Now
}

// Apply applies changes to the databases. Afterwards, both have the given position, even if they have no
// change. Changes that a database already has are skipped.
type Apply func(changes []format.Change, position uint64) error

// ErrNeedsSnapshot reports that the log does not continue where the copy ends, so that the copy must begin
// again with a newer snapshot.
var ErrNeedsSnapshot = errors.New("the log at the target does not continue where this copy ends; a newer snapshot is needed")

// errGap is an ErrNeedsSnapshot because changes are missing at the target. The copy itself is of the history.
var errGap = fmt.Errorf("%w: changes are missing there", ErrNeedsSnapshot)

// ErrPromoted is returned by Run after the standby has become the primary.
var ErrPromoted = errors.New("this copy is the primary now")

// Follower follows the primary of a replica. It is safe for concurrent use.
type Follower struct {
	config Config
	apply  Apply

	// work has a value while segments are applied, and during a promotion. It is a channel and no mutex, because these
	// wait for the target, and a caller that waits for them may have less time.
	work chan struct{}
	at   state // guarded by work
	// asked is when the last contact of the primary was read; guarded by work.
	asked time.Time

	mu      sync.Mutex // guards the fields below
	shown   state      // a copy of at
	current time.Time  // when the copy had everything that was at the target
	failing time.Time  // since when requests fail; zero if the last one succeeded
	failure string
	ended   bool // by a promotion
}

// Open prepares a data directory to follow a replica. A directory that is missing or empty begins with the newest
// snapshot. A copy that follows the same replica is continued. Every other directory is refused with an
// error that wraps ErrOther.
func Open(ctx context.Context, c Config) (*Follower, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	f := &Follower{config: c, work: make(chan struct{}, 1)}
	if err := f.open(ctx); err != nil {
		return nil, err
	}
	// How long the copy was stopped is not known. The first round replaces this time.
	f.current = time.UnixMilli(min(f.at.Time, c.Now().UnixMilli()))
	f.show()
	f.ended = f.at.promoted()
	return f, nil
}

func (f *Follower) open(ctx context.Context) error {
	at, err := readState(f.config.Data)
	if err != nil {
		return err
	}
	identity, err := f.identity(ctx)
	if err != nil && (at == nil || !at.Complete) {
		return err
	}
	if err == nil && at != nil && at.Replica != identity.ID {
		return fmt.Errorf("%s is a copy of another replica than the one at %s: %w", f.config.Data, f.config.Address, ErrOther)
	}
	if at != nil && at.Complete {
		f.at = *at
		return nil
	}
	return f.bootstrap(ctx, identity, at != nil)
}

// Probe returns an error if there is no replica at the target, or it cannot be read.
func Probe(ctx context.Context, c Config) error {
	_, err := (&Follower{config: c}).identity(ctx)
	if errors.Is(err, target.ErrMissing) {
		return fmt.Errorf("%s: %w", c.Address, history.ErrNoReplica)
	}
	return err
}

// identity reads the identity of the replica.
func (f *Follower) identity(ctx context.Context) (format.Identity, error) {
	return readObject[format.Identity](ctx, f.config.Target, format.IdentityName)
}

func readObject[T format.Identity | format.Epoch | format.Cut | format.Contact | format.Manifest](
	ctx context.Context, t target.Target, name string) (object T, err error) {
	b, err := target.Read(ctx, t, name, format.MaxJSON)
	if err != nil {
		return object, err
	}
	if object, err = format.Decode[T](b); err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return object, err
}

// Use sets the function that applies changes. It must be called before Run and Promote.
func (f *Follower) Use(apply Apply) {
	f.work <- struct{}{}
	defer f.release()
	f.apply = apply
}

// acquire waits until it may change the copy, or until ctx ends.
func (f *Follower) acquire(ctx context.Context) error {
	select {
	case f.work <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// release ends what acquire began.
func (f *Follower) release() { <-f.work }

// Run follows the primary until ctx ends. The error is ErrPromoted after a promotion, ErrNeedsSnapshot, or
// one of applying changes. It repeats requests to the target that fail.
func (f *Follower) Run(ctx context.Context) error {
	for wait := time.Duration(0); ; wait = f.config.Every {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
		err := f.catchUp(ctx)
		if errors.Is(err, ErrNeedsSnapshot) {
			err = f.needSnapshot(ctx, err)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case fatal(err):
			return err
		}
		f.note(err)
	}
}

// fatal reports whether repeating a round cannot help.
func fatal(err error) bool {
	if errors.Is(err, ErrPromoted) || errors.Is(err, ErrNeedsSnapshot) || errors.Is(err, format.ErrIdentity) {
		return true
	}
	_, local := errors.AsType[*applyError](err)
	return local
}

// needSnapshot returns reason if there is a snapshot that is newer than the copy, or of another history. Until then it
// returns an error with which Run goes on.
func (f *Follower) needSnapshot(ctx context.Context, reason error) error {
	h, err := history.Read(ctx, f.config.Target, f.config.Identities...)
	if err != nil {
		return err
	}
	if err := f.acquire(ctx); err != nil {
		return err
	}
	defer f.release()
	if n := len(h.Snapshots); n > 0 && (!errors.Is(reason, errGap) || h.Snapshots[n-1].Position > f.at.Position) {
		return reason
	}
	return errors.New(reason.Error()) // not an ErrNeedsSnapshot
}

// applyError is an error of this machine and not of the target.
type applyError struct{ err error }

func (e *applyError) Error() string { return "apply changes: " + e.err.Error() }
func (e *applyError) Unwrap() error { return e.err }

// note stores the result of a round, and logs when the target fails and when it works again.
func (f *Follower) note(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case err == nil && !f.failing.IsZero():
		f.config.Log.Info("following the primary again", "target", f.config.Address)
	case err != nil && f.failing.IsZero():
		f.config.Log.Warn("cannot follow the primary; trying again", "target", f.config.Address, "error", err)
	}
	if err == nil {
		f.failing, f.failure = time.Time{}, ""
		return
	}
	if f.failing.IsZero() {
		f.failing = f.config.Now()
	}
	f.failure = err.Error()
}

// show makes the state visible to Status.
func (f *Follower) show() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.shown = f.at
}

// reached notes the time at which the copy had everything at the target.
func (f *Follower) reached(at time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.current = at
}

// Lag returns how far the copy is behind the target: the time since it had everything that was there.
func (f *Follower) Lag() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return max(0, f.config.Now().Sub(f.current))
}

// Status describes the standby.
func (f *Follower) Status() replica.Status {
	lag := f.Lag()
	f.mu.Lock()
	defer f.mu.Unlock()
	s := replica.Status{
		Role: replica.RoleStandby, Target: f.config.Address, Epoch: f.shown.Epoch, Position: f.shown.Position,
		Shipped: max(f.shown.Position, f.shown.Seen), LagSeconds: lag.Seconds(), Failure: f.failure,
	}
	day := f.config.Target.Day()
	s.RequestsDay, s.BytesDay = day.Requests, day.Received
	if !f.failing.IsZero() {
		s.FailingSince = f.failing.Unix()
	}
	return s
}

// Counters returns what the requests to the target have been since the start.
func (f *Follower) Counters() target.Counters { return f.config.Target.Counters() }

func (f *Follower) path(name string) string { return filepath.Join(f.config.Data, name) }

// spoolFolder is the folder of a primary's replication in a data directory.
func spoolFolder(data string) string { return filepath.Join(data, datadir.Replicate) }
