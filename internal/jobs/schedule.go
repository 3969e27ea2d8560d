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

// Schedule is the interval of backups and their destination. The zero value disables them.
type Schedule struct {
	Every      time.Duration // 0 = never
	Keep       int           // how many stay
	Dir        string        // the folder, see FolderProblem
	Recipients []string      // public keys of age; none = not encrypted
}

// BackupState is the state of the scheduled backups.
type BackupState struct {
	Last      time.Time     // of the newest one in the folder; zero = there is none
	Bytes     int64         // of that one
	LastError string        // why the last attempt failed; "" when it did not
	Every     time.Duration // of the schedule; 0 = never
}

// retryAtLeast and retryAtMost limit the pause after a failure.
const retryAtLeast, retryAtMost = time.Minute, time.Hour

// schedule returns the current schedule.
func (j *Jobs) schedule() Schedule {
	j.backups.Lock()
	defer j.backups.Unlock()
	return j.Schedule
}

// SetSchedule replaces the schedule. If a backup is due by the new one, it is made at once.
func (j *Jobs) SetSchedule(s Schedule) {
	j.backups.Lock()
	j.Schedule = s
	j.backups.Unlock()
	select {
	case j.rescheduled <- struct{}{}:
	default: // it is read anyway
	}
}

// Backups returns the state of the scheduled backups.
func (j *Jobs) Backups() BackupState {
	j.backups.Lock()
	defer j.backups.Unlock()
	state := j.state
	state.Every = max(j.Schedule.Every, 0)
	return state
}

// keepBackingUp makes a backup whenever one is due. The time of the last one is read from the
// archives, so a restart does not matter.
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
		// This bounds the delay after the machine slept or the clock was set.
		select {
		case <-j.rescheduled:
		case <-time.After(min(wait, checkEvery)):
		case <-ctx.Done():
			return
		}
	}
}

// backUpIfDue makes a backup if one is due, and otherwise retries a failed removal of old ones. If
// the directory cannot be listed, a run of the job fails, so that it is counted. wait is the time
// until the next backup is due.
func (j *Jobs) backUpIfDue(ctx context.Context, plan Schedule) (wait time.Duration, err error) {
	j.backup.busy.Lock() // one that somebody asked for may be in progress, and count
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

// refresh updates the state from the directory and returns the time of the newest archive, or zero
// if there is none. If the directory cannot be listed, the known archive is kept.
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

// attempt calls work, which is a backup or a part of one, and records its result.
func (j *Jobs) attempt(work func() error) error {
	j.failure = work()
	_, _ = j.refresh(j.schedule()) // what is wrong with the folder is kept, too
	return j.failure
}

// backUp makes a backup and records the result.
func (j *Jobs) backUp(ctx context.Context) error {
	return j.attempt(func() error { return j.makeBackup(ctx) })
}

// makeBackup makes one backup and removes surplus ones.
func (j *Jobs) makeBackup(ctx context.Context) error {
	plan := j.schedule()
	dir := plan.Dir
	missing, err := j.usable(dir)
	if err != nil {
		return err
	}
	if missing { // the folder itself, never its parent
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

// prune removes the oldest archives, except as many as are kept. It does not count archives with a
// future time, and never removes them: one may be the newest.
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

// removeTemporary removes the incomplete archives of killed processes.
func (s Schedule) removeTemporary() error {
	list, err := os.ReadDir(s.Dir)
	for _, entry := range list {
		if ours, _ := filepath.Match(durable.TempPattern("svc-*"+backup.Suffix+"*"), entry.Name()); ours {
			err = errors.Join(err, os.Remove(filepath.Join(s.Dir, entry.Name())))
		}
	}
	return err
}
