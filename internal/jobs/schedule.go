package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"svc/internal/backup"
	"svc/internal/durable"
)

// Schedule configures the scheduled backups. The zero value disables them.
type Schedule struct {
	Every      time.Duration // interval; 0 means never
	Keep       int           // number of archives to keep
	Dir        string        // destination directory; see FolderProblem
	Recipients []string      // public keys of age; if empty, archives are not encrypted
}

// BackupState is the state of the scheduled backups.
type BackupState struct {
	Last      time.Time     // time of the newest archive in the directory; zero if there is none
	Bytes     int64         // size of the newest archive
	LastError string        // error of the last attempt; "" if it succeeded
	Every     time.Duration // interval of the schedule; 0 means never
}

// retryAtLeast and retryAtMost are the minimum and the maximum of the pause after a failed backup.
const retryAtLeast, retryAtMost = time.Minute, time.Hour

// schedule returns the current schedule.
func (j *Jobs) schedule() Schedule {
	j.backups.Lock()
	defer j.backups.Unlock()
	return j.Schedule
}

// SetSchedule replaces the schedule. If a backup is due according to the new schedule, it is made
// immediately.
func (j *Jobs) SetSchedule(s Schedule) {
	j.backups.Lock()
	if s.Every != j.Schedule.Every || s.Dir != j.Schedule.Dir {
		j.scheduled = j.Now()
	}
	j.Schedule = s
	j.backups.Unlock()
	signal(j.rescheduled)
}

// Backups returns the state of the scheduled backups.
func (j *Jobs) Backups() BackupState {
	j.backups.Lock()
	defer j.backups.Unlock()
	state := j.state
	state.Every = max(j.Schedule.Every, 0)
	return state
}

// BackingUp returns the time at which the server began to follow the current schedule of
// backups, and reports whether a backup is in progress.
func (j *Jobs) BackingUp() (since time.Time, running bool) {
	if j.backup != nil {
		j.backup.mu.Lock()
		running = j.backup.state.Running
		j.backup.mu.Unlock()
	}
	j.backups.Lock()
	defer j.backups.Unlock()
	return j.scheduled, running
}

// keepBackingUp makes a backup whenever one is due. It reads the time of the last backup from the
// archives, so that a restart does not affect the schedule.
func (j *Jobs) keepBackingUp(ctx context.Context) {
	for {
		plan := j.schedule()
		if plan.Every <= 0 {
			select {
			case <-j.rescheduled:
				continue
			case <-ctx.Done():
				return
			}
		}
		wait, err := j.backUpIfDue(ctx, plan)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			wait = min(max(plan.Every/10, retryAtLeast), retryAtMost)
			j.Log.Error("scheduled backup failed; retrying later", "error", err, "in", wait.String())
		}
		// checkEvery limits the delay after the machine has slept or the clock has been set.
		select {
		case <-j.rescheduled:
		case <-time.After(min(wait, checkEvery)):
		case <-ctx.Done():
			return
		}
	}
}

// backUpIfDue makes a backup if one is due. If none is due, but the last removal of old
// archives failed, it retries the removal. If the directory cannot be listed, it records
// a failed run of the job. wait is the time until the next backup is due.
func (j *Jobs) backUpIfDue(ctx context.Context, plan Schedule) (wait time.Duration, err error) {
	j.backup.busy.Lock() // a requested backup may be in progress, after which no other one is due
	defer j.backup.busy.Unlock()
	newest, err := j.refresh(plan)
	if err == nil {
		if wait = newest.Add(plan.Every).Sub(j.Now()); wait <= 0 {
			return 0, j.run(ctx, j.backup, j.backUp)
		}
	}
	if err != nil || j.unpruned {
		return wait, j.run(ctx, j.backup, func(context.Context) error {
			return j.attempt(func() error { return j.prune(plan) })
		})
	}
	return wait, nil
}

// refresh updates the state of the backups from the archives in the directory of the schedule. It
// returns the time of the newest archive, or the zero time if there is none. If the directory
// cannot be listed, the state still shows the archive that was known before.
func (j *Jobs) refresh(plan Schedule) (newest time.Time, err error) {
	var state BackupState
	list, err := backup.ListScheduled(plan.Dir, j.Now())
	if err != nil {
		state = j.Backups()
		state.LastError = ""
	} else if len(list) > 0 {
		last := list[len(list)-1]
		state.Last = last.At
		if info, err := os.Stat(filepath.Join(plan.Dir, last.Name)); err == nil {
			state.Bytes = info.Size()
		}
	}
	if failure := cmp.Or(err, j.failure); failure != nil {
		state.LastError = failure.Error()
	}
	j.backups.Lock()
	defer j.backups.Unlock()
	j.state = state
	return state.Last, err
}

// attempt calls the function work, which makes a backup or only prunes archives, and records the
// result.
func (j *Jobs) attempt(work func() error) error {
	j.failure = work()
	_, _ = j.refresh(j.schedule()) // also records whether there is a problem with the directory
	return j.failure
}

// backUp makes a backup and records the result.
func (j *Jobs) backUp(ctx context.Context) error {
	return j.attempt(func() error { return j.makeBackup(ctx) })
}

// makeBackup makes a backup and then removes surplus archives.
func (j *Jobs) makeBackup(ctx context.Context) error {
	plan := j.schedule()
	dir := plan.Dir
	missing, err := j.usable(dir)
	if err != nil {
		return err
	}
	if missing { // create only the directory itself, not its parent
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	if err := plan.removeTemporary(); err != nil {
		return err
	}
	begun := j.Now()
	path := filepath.Join(dir, backup.ScheduledName(begun, len(plan.Recipients) > 0))
	err = durable.Write(path, 0o600, func(w io.Writer) error {
		_, err := j.Archive.Write(ctx, w, backup.Options{Recipients: plan.Recipients, Files: true})
		return err
	})
	if err != nil {
		return err
	}
	if err := j.noteFolder(dir); err != nil {
		return fmt.Errorf("note the folder of the backups: %w", err)
	}
	j.Log.Info("backup created", "file", path, "seconds", j.Now().Sub(begun).Seconds())
	return j.prune(plan)
}

// prune removes the oldest archives, so that as many remain as the schedule specifies. It
// neither counts nor removes archives with a time in the future, because one of them may
// be the newest.
func (j *Jobs) prune(plan Schedule) error {
	list, err := backup.ListScheduled(plan.Dir, j.Now())
	if err != nil {
		err = fmt.Errorf("list the backups: %w", err)
	}
	for ; err == nil && len(list) > max(plan.Keep, 1); list = list[1:] {
		if err = os.Remove(filepath.Join(plan.Dir, list[0].Name)); err != nil {
			err = fmt.Errorf("remove an old backup: %w", err)
		}
	}
	j.unpruned = err != nil
	return err
}

// removeTemporary removes incomplete archives, which killed processes have left behind.
func (s Schedule) removeTemporary() error {
	list, err := os.ReadDir(s.Dir)
	for _, entry := range list {
		if ours, _ := filepath.Match(durable.TempPattern("svc-*"+backup.Suffix+"*"), entry.Name()); ours {
			err = errors.Join(err, os.Remove(filepath.Join(s.Dir, entry.Name())))
		}
	}
	return err
}
