// Package jobs does background work. A job looks for work, does a part of it and records
// the result. It can therefore be interrupted at any time and repeated.
//
//	jobs.go          Jobs: start, stop, request statistics
//	named.go         jobs by name: run, state, last run
//	schedule.go      when backups are due
//	archive.go       making a backup
//	folder.go        the folder of scheduled backups
//	pace.go          limits the speed of a backup during other work
//	verification.go  verifies the replica once a week
//	clock.go         detects a wall clock that is too far ahead
//	cleanup.go       removes expired data and deleted projects at night
//	erase.go         erases deleted data from the files at night
//	files.go         transfers, deletions, refreshes and clean-up of files
//	rollouts.go      takes rollouts to their next step
//	groups.go        groups logs that were stored without a group
//	health.go        observes rollouts, and holds those with too many failures
//	disk.go          notifies the administrator of low disk space
//	hooks.go         sends events to hooks
//	forwards.go      submissions for which it is unknown whether an issue exists
package jobs

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"svc/internal/event"
	"svc/internal/files/engine"
	"svc/internal/forward"
	"svc/internal/health"
	"svc/internal/notify"
	"svc/internal/notify/delivery"
	"svc/search"
	"svc/store"
)

// flushEvery is the interval at which request statistics are stored. If the server is
// killed, at most the statistics of one interval are lost.
const flushEvery = 5 * time.Second

// Config contains the settings and dependencies of the jobs.
type Config struct {
	DB     *store.Store
	Events *event.Engine // nil if the server has no events
	Search *search.Index // nil if the server has no search index
	Log    *slog.Logger
	Now    func() time.Time // the clock; nil means time.Now; its location determines when it is night
	// Flush stores the request statistics. After an error it is called again.
	Flush func() error
	// Forward creates issues from feedback. It is nil if no code host is configured.
	Forward *forward.Engine
	// Health observes rollouts.
	Health *health.Engine
	// Hooks sends events to hooks. It is nil if the server has no hooks.
	Hooks *delivery.Engine
	// Files does the work of the jobs that process files. It is nil if the server has no files.
	Files *engine.Engine
	// LogRetentionDays and FeedbackRetentionDays apply to projects that do not configure their own
	// retention. 0 means forever.
	LogRetentionDays, FeedbackRetentionDays int
	// Archive makes the scheduled backups. It is nil if there are none.
	Archive  *Archiver
	Schedule Schedule
	// VerifyReplica verifies everything at the target of the replication, as far as the server can read it.
	// It is nil if there is no target.
	VerifyReplica func(ctx context.Context) error
	// Free returns the free space of a disk, in bytes. nil means the disk with the database.
	Free func() (uint64, error)
}

// Jobs manages the background jobs of a server.
type Jobs struct {
	Config
	stop context.CancelFunc
	done sync.WaitGroup

	named                     []*job
	flush, deleted, retention *job
	erased, rollouts, groups  *job
	health                    *job // nil without Health
	deliveries                *job // nil without Hooks
	clock                     clockGuard
	backup                    *job // nil without an archiver
	verification              *job // nil without VerifyReplica
	forwards                  *job // nil without a code host

	deletions, fileCleanup     *job // nil without files
	cdnRefreshes, fileContents *job // nil without files
	signatures                 *job // nil without files

	failure  error // error of the last backup; guarded by backup.busy
	unpruned bool  // whether the last removal of surplus archives failed; guarded by backup.busy

	backups     sync.Mutex // guards Config.Schedule, scheduled and state
	scheduled   time.Time  // time at which the server began to follow the current schedule
	state       BackupState
	rescheduled chan struct{} // receives a value when the schedule is replaced
}

// New returns the jobs of a server. They run on request and, after Start, by schedule.
func New(c Config) *Jobs {
	if c.Now == nil {
		c.Now = time.Now
	}
	j := &Jobs{Config: c, scheduled: c.Now(), rescheduled: make(chan struct{}, 1)}
	if j.Free == nil {
		j.Free = j.freeSpace
	}
	if last, err := store.Read(j.DB, func(tx *store.Tx) (time.Time, error) { return tx.CleanedAt(), nil }); err != nil {
		j.Log.Warn("cannot read the time of the last clean-up", "error", err)
	} else {
		j.clock.trust(last)
	}
	j.flush = j.define("request-statistics", "stores the request counters", func(context.Context) error { return j.Flush() })
	j.deleted = j.define("deleted-projects", "deletes the remaining data of deleted projects", j.purge)
	j.retention = j.define("retention", "deletes feedback, logs, events and statistics that are older than their retention",
		func(ctx context.Context) error { return j.clean(ctx, j.Now()) })
	j.erased = j.define("erased-data", "erases deleted data from the files of the databases and the search index", j.erase)
	j.rollouts = j.define("rollouts", "takes rollouts to their next step when it is due", j.advanceRollouts)
	j.groups = j.define("log-groups", "groups logs that were stored without a group, by an earlier version or an import", j.groupLogs)
	if j.Health != nil {
		j.health = j.define("rollout-health", "counts failures of versions in a rollout, and holds those that fail too often", j.Health.Run)
	}
	if j.Hooks != nil {
		j.deliveries = j.define("hooks", "sends events to the receivers of hooks", j.Hooks.Run)
	}
	if j.Files != nil {
		j.deletions = j.define("file-deletions", "removes the objects of deleted files", j.Files.DeleteAll)
		j.cdnRefreshes = j.define("cdn-refreshes", "refreshes links of deleted files in the CDN", j.Files.RefreshAll)
		j.fileCleanup = j.define("file-cleanup", "removes expired uploads and files without a record", j.Files.CleanUp)
		j.fileContents = j.define("file-contents", "reads checksums and facts of files that an earlier version has stored", j.Files.ReadContents)
		j.signatures = j.define("signatures", "verifies signatures for which the signed file must be read", j.Files.VerifyAll)
	}
	if j.Forward != nil {
		j.forwards = j.define("forwarded-feedback", "looks for issues whose creation the code host has not confirmed", j.Forward.Settle)
	}
	if j.Archive != nil {
		j.backup = j.define("backup", "makes a backup in the directory of the scheduled ones", j.backUp)
		j.backup.failed = notify.BackupFailedEvent
	}
	if j.VerifyReplica != nil {
		j.verification = j.define("replica-verification",
			"verifies everything at the target of the replication; of what is encrypted, only checksums and order", j.VerifyReplica)
	}
	return j
}

// Start runs the jobs by schedule until Stop is called. Jobs that became due while the
// server was not running begin immediately.
func (j *Jobs) Start() {
	ctx, stop := context.WithCancel(context.Background())
	j.stop = stop
	j.done.Go(func() { j.keepFlushing(ctx) })
	j.done.Go(func() { j.keepPurging(ctx) })
	j.done.Go(func() { j.keepClean(ctx) })
	j.done.Go(func() { j.keepAdvancing(ctx) })
	j.done.Go(func() { j.keepGrouping(ctx) })
	j.done.Go(func() { j.keepMeasuring(ctx) })
	if j.Health != nil {
		j.done.Go(func() { j.keepObserving(ctx) })
	}
	if j.Hooks != nil {
		j.done.Go(func() { j.keepDelivering(ctx) })
	}
	if j.Files != nil {
		j.done.Go(func() { j.keepFiles(ctx) })
	}
	if j.Forward != nil {
		j.done.Go(func() { j.keepSettling(ctx) })
	}
	if j.Archive != nil {
		j.done.Go(func() { j.keepBackingUp(ctx) })
	}
	if j.VerifyReplica != nil {
		j.done.Go(func() { j.keepVerifyingReplica(ctx) })
	}
}

// StartBackups only makes the scheduled backups, until stop is called. Nothing else runs on a standby.
func (j *Jobs) StartBackups() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	j.done.Go(func() { j.keepBackingUp(ctx) })
	return func() {
		cancel()
		j.done.Wait()
	}
}

// Stop ends all started jobs and waits for their current steps. Then it flushes the request
// statistics and stores the last run of each job. The caller must call Stop after the last request
// and before closing the store.
func (j *Jobs) Stop() error {
	j.stop()
	j.done.Wait()
	err := j.Flush()
	for _, one := range j.named {
		j.save(one, 0)
	}
	return err
}

// keepFlushing stores the request statistics every few seconds. If that keeps failing, for example
// because the disk is full, it logs only the first failure.
func (j *Jobs) keepFlushing(ctx context.Context) {
	failing := false
	for pause(ctx, flushEvery) == nil {
		err := j.do(ctx, j.flush, j.flush.work)
		switch {
		case err != nil && !failing:
			j.Log.Error("cannot write request statistics; keeping them in memory", "error", err)
		case err == nil && failing:
			j.Log.Info("request statistics written again")
		}
		failing = err != nil
	}
}

// pause waits for the given duration. If ctx ends first, it returns the error of ctx.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
