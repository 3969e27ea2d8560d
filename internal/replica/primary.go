package replica

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"svc/internal/backup"
	"svc/internal/fault"
	"svc/internal/replica/format"
	"svc/internal/replica/spool"
	"svc/internal/replica/target"
)

// Config configures a Primary.
type Config struct {
	Dir      string // directory of the spool and the state
	Data     string // ID of the data; see store.Store.ID
	Host     string // name of this machine, for messages of other servers
	Target   target.Target
	Location string // of the target, without credentials
	Spool    *spool.Spool
	// Sync makes writes wait until they are at the target, for at most SyncTimeout.
	Sync        bool
	SyncTimeout time.Duration
	// Lease is the time for which writes are accepted without having read the epoch; 0 = no limit.
	Lease time.Duration
	// Archive copies both databases and writes a backup archive of the copies, without local files.
	// It calls imaged while writes to both databases are blocked, exactly when it takes the images.
	// It returns the error of imaged and of the stream.
	Archive func(ctx context.Context, to io.Writer, recipients []string, imaged func() error) error
	// Contents are the contents of local files that are copied; nil means none.
	Contents *Contents
	Log      *slog.Logger
	// Now returns the time by the wall clock. nil means time.Now.
	Now func() time.Time
	// PartSize is the size of the parts of a snapshot in bytes; 64 MiB if 0.
	PartSize int64
	Tunable
}

// epochInterval returns the interval at which an idle primary reads the next epoch. With a lease, it leaves time for
// another attempt before writes are refused.
func (c *Config) epochInterval() time.Duration {
	if c.Lease == 0 {
		return epochEvery
	}
	return min(epochEvery, c.Lease/3)
}

// Tunable contains the settings that Reload can change.
type Tunable struct {
	Every         time.Duration // interval of segments
	SnapshotEvery time.Duration
	Retain        time.Duration // how far back a restore can go
	Recipients    []string      // age public keys; none = not encrypted
}

const (
	// epochEvery is the longest interval at which an idle primary reads the next epoch.
	epochEvery = 10 * time.Second
	// contactEvery is the interval of the object with the last contact.
	contactEvery = time.Minute
	// createOnlyEvery is the interval of the test whether the target replaces objects.
	createOnlyEvery = 24 * time.Hour
	// startWait limits how long Start waits for the target.
	startWait = 5 * time.Second
	// retryAfter is the Retry-After of refused writes.
	retryAfter = 5 * time.Second
	// maxPause is the longest pause between two attempts, unless the target asks for more.
	maxPause = 10 * time.Second
)

// ErrCreateOnly is returned by Start in the mode sync if the target replaces objects that exist, so that
// two primaries could both acknowledge writes.
var ErrCreateOnly = errors.New("the target replaces objects that exist (it ignores If-None-Match), which the mode sync does not allow")

// Primary ships the changes of a data directory. Its methods are safe for concurrent use.
type Primary struct {
	config  Config
	log     *slog.Logger
	target  limited
	cancel  context.CancelFunc
	done    chan struct{} // closed when the loop has ended
	first   chan struct{} // closed after the first attempt to reach the target
	demand  chan struct{} // receives a value if the loop must not wait
	closing chan struct{} // closed by Stop
	begun   time.Time     // when the primary was started
	stop    sync.Once
	work    sync.WaitGroup // the goroutines for snapshots and contents

	// spooling is held while the spool is read or resumed. It is locked before mu.
	spooling sync.Mutex

	mu      sync.Mutex // guards everything below
	changed chan struct{}
	tunable Tunable
	state   State
	// latched is set if writes are refused until the target has everything.
	latched bool
	// refused is why replication does not take place until the next start; "" if it does.
	refused      string
	createOnly   bool
	tested       time.Time // when createOnly was tested
	epochRead    reading   // when the last successful read of the next epoch began
	failure      string
	failingSince time.Time
	asked        uint64             // number of calls of Snapshot
	snapshotEnd  context.CancelFunc // of the running snapshot; nil if there is none
	imaged       bool               // the running snapshot has its images
	made         made
	resting      time.Time // no snapshot begins before, because the last one failed

	// manifests are those at the target, by position. Only the loop uses them before the first contact, and only
	// the goroutine of the snapshot afterwards.
	manifests map[uint64]format.Manifest

	// Only the loop uses these.
	contacted bool
	pending   []byte // the segment that is being sent
	stored    bool   // pending is at the target
	contact   time.Time
	shipped   time.Time
	pause     time.Duration
}

// reading is a reading of both clocks.
type reading struct {
	monotonic time.Time
	wall      time.Time // without the monotonic clock
}

func (p *Primary) readClocks() reading { return reading{time.Now(), p.config.Now().Round(0)} }

// since returns the time since a reading by the clock that has advanced more. The monotonic clock stands still while the
// machine is suspended, and the wall clock may be set back.
func (p *Primary) since(r reading) time.Duration {
	return max(time.Since(r.monotonic), p.config.Now().Sub(r.wall))
}

// made is the result of the last snapshot.
type made struct {
	asked uint64 // it began after that many calls of Snapshot
	err   error
}

// Start starts the replication and waits until the target has said which epoch it has, but for at most
// 5 seconds. A target that cannot be reached is not an error. The error is ErrCreateOnly or one of the
// directory.
func Start(c Config) (*Primary, error) {
	if c.PartSize == 0 {
		c.PartSize = 64 << 20
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	p := &Primary{
		config: c, log: c.Log, target: limited{target.Count(c.Target)}, tunable: c.Tunable, latched: c.Sync, createOnly: true,
		changed: make(chan struct{}), done: make(chan struct{}), first: make(chan struct{}),
		demand: make(chan struct{}, 1), closing: make(chan struct{}), begun: time.Now(),
	}
	if err := p.load(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	if f := p.state.Fenced; f != nil {
		p.log.Error("this server is not the primary any more; writes are refused", "epoch", f.Number, "primary", f.Name)
		close(p.done)
		p.work.Go(func() { p.compare(ctx) })
		return p, nil
	}
	go p.run(ctx)
	select {
	case <-p.first:
	case <-p.done:
	case <-time.After(startWait):
	}
	p.mu.Lock()
	unsafe := c.Sync && !p.createOnly
	p.mu.Unlock()
	if unsafe {
		cancel()
		<-p.done
		p.work.Wait()
		return nil, ErrCreateOnly
	}
	return p, nil
}

// load reads the state and the segment that was being sent.
func (p *Primary) load() (err error) {
	found := false
	if p.state, found, err = ReadState(p.config.Dir); err != nil || !found {
		return err
	}
	b, err := os.ReadFile(filepath.Join(p.config.Dir, pendingFile))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if h, err := format.ReadHeader(b); err == nil && h.Epoch == p.state.Epoch && h.Number == p.state.Next {
		p.pending = b
	}
	return nil
}

// Admit returns nil if a write is allowed now, and otherwise the fault with which it must be refused.
func (p *Primary) Admit() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f := p.state.Fenced; f != nil {
		return fencedFault(f).Outcome(fault.OutcomeNone)
	}
	if p.config.Sync && !p.createOnly {
		return fault.New(fault.Unavailable, "%v", ErrCreateOnly).After(retryAfter).Outcome(fault.OutcomeNone)
	}
	if p.latched && p.refused != "" {
		return fault.New(fault.Unavailable, "%s", p.refused).After(retryAfter).Outcome(fault.OutcomeNone)
	}
	if p.latched {
		return fault.New(fault.Unavailable, "the target of the replication does not have all changes yet; nothing was changed").
			After(retryAfter).Outcome(fault.OutcomeNone)
	}
	// The margin is for requests in progress and for clocks that run at different speeds.
	if lease := p.config.Lease; lease > 0 && p.since(p.epochRead) > lease-lease/10 {
		return fault.New(fault.Unavailable, "this server cannot tell whether another one has become the primary; nothing was changed").
			After(retryAfter).Outcome(fault.OutcomeNone)
	}
	return nil
}

func fencedFault(by *format.Epoch) *fault.Error {
	if by.Name == "" {
		return fault.New(fault.Unavailable, "this server is not the primary any more: another one writes to its replica")
	}
	return fault.New(fault.Unavailable, "this server is not the primary any more: it is %s since epoch %d", by.Name, by.Number)
}

// Confirm waits, in the mode sync, until everything that has been committed so far is at the target. The
// error is a fault with the outcome unknown. In the mode async it does nothing.
func (p *Primary) Confirm(ctx context.Context) error {
	if !p.config.Sync {
		return nil
	}
	at := p.config.Spool.Position()
	timeout := time.NewTimer(p.config.SyncTimeout)
	defer timeout.Stop()
	for {
		p.mu.Lock()
		there, fenced, changed := p.state.Position >= at && !p.state.Gap, p.state.Fenced, p.changed
		p.mu.Unlock()
		switch {
		case there:
			return nil
		case fenced != nil:
			return fencedFault(fenced).Outcome(fault.OutcomeUnknown)
		}
		p.wake()
		select {
		case <-changed:
			continue
		case <-ctx.Done():
		case <-p.done: // the server stops, or replication does not take place
			p.mu.Lock()
			there, fenced = p.state.Position >= at && !p.state.Gap, p.state.Fenced
			p.mu.Unlock()
			if there {
				return nil
			}
			if fenced != nil {
				return fencedFault(fenced).Outcome(fault.OutcomeUnknown)
			}
		case <-timeout.C:
			p.mu.Lock()
			// The target may have got everything while this goroutine was not running.
			if p.state.Position < p.config.Spool.Position() || p.state.Gap {
				p.latched = true
			}
			p.mu.Unlock()
		}
		return fault.New(fault.Unavailable, "the change is stored here, but the target of the replication has not confirmed it").
			After(retryAfter).Outcome(fault.OutcomeUnknown)
	}
}

// wake makes the loop ship at once.
func (p *Primary) wake() {
	select {
	case p.demand <- struct{}{}:
	default:
	}
}

// notify wakes the goroutines that wait for a change of the fields that mu guards. The caller must hold mu.
func (p *Primary) notify() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// Status describes the current state of the replication.
func (p *Primary) Status() Status {
	position, bytes, oldest := p.config.Spool.Position(), p.config.Spool.Size(), p.config.Spool.Oldest()
	day := p.target.Day()
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.state.Status()
	s.Target, s.Mode, s.Position, s.LagBytes = p.config.Location, "async", position, bytes
	s.Failure, s.CreateOnly, s.RequestsDay, s.BytesDay = p.failure, p.createOnly, day.Requests, day.Sent
	if p.config.Sync {
		s.Mode = "sync"
	}
	if p.state.Gap { // later segments are of no use before the snapshot is complete
		s.Shipped = p.state.Reached
	}
	if !oldest.IsZero() {
		s.LagSeconds = max(0, time.Since(oldest).Seconds())
	}
	if !p.failingSince.IsZero() {
		s.FailingSince = p.failingSince.Unix()
	}
	last := p.begun
	if p.state.Snapshot.Time > 0 {
		last = time.UnixMilli(p.state.Snapshot.Time)
	}
	if p.state.Snapshot.Time == 0 || position > p.state.Snapshot.Position {
		s.SnapshotAge = max(0, float64(time.Since(last))/float64(p.tunable.SnapshotEvery))
	}
	return s
}

// Counters returns what the requests to the target have been since the start.
func (p *Primary) Counters() target.Counters { return p.target.Counters() }

// Reload changes the settings that can change.
func (p *Primary) Reload(t Tunable) {
	p.mu.Lock()
	p.tunable = t
	p.mu.Unlock()
	p.wake()
}

func (p *Primary) settings() Tunable {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tunable
}

// Stop ships the remaining changes, until the context ends, and stops the replication. It returns an error if
// changes remain, which are shipped after the next start. The databases must not change during or after Stop.
func (p *Primary) Stop(ctx context.Context) error {
	p.stop.Do(func() { close(p.closing) })
	select {
	case <-p.done:
	case <-ctx.Done():
	}
	p.cancel()
	<-p.done
	p.work.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state.Fenced == nil && p.refused == "" && (p.state.Gap || p.state.Position < p.config.Spool.Position()) {
		return errors.New("the target of the replication does not have the last changes; they are shipped after the next start")
	}
	return nil
}

// update changes the state and writes it to disk.
func (p *Primary) update(change func(s *State)) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(&p.state)
	p.notify()
	return p.state.Write(p.config.Dir)
}

// fence stops the replication for ever, because another server is the primary.
func (p *Primary) fence(by format.Epoch) {
	p.log.Error("another server has become the primary; writes are refused from now on", "epoch", by.Number, "primary", by.Name)
	if err := p.update(func(s *State) { s.Fenced = &by }); err != nil { // the next start reads the epoch again
		p.log.Error("cannot store that another server is the primary", "error", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.snapshotEnd != nil {
		p.snapshotEnd()
	}
}

func (p *Primary) isFenced() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state.Fenced != nil
}

// seal returns a segment. It is encrypted if the settings name recipients.
func (p *Primary) seal(h format.Header, changes []byte) ([]byte, error) {
	recipients, err := backup.ParseRecipients(p.settings().Recipients)
	if err != nil {
		return nil, err
	}
	return format.Seal(h, changes, recipients...)
}

// newOwner returns a random ID.
func newOwner() string { return rand.Text() }
