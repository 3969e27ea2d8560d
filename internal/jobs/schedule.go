package jobs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"svc/internal/backup"
	"svc/internal/durable"
)

// Schedule says when backups are made and where they go. The zero value makes
// none.
type Schedule struct {
	Every      time.Duration // 0 = never
	Keep       int           // how many stay
	Dir        string        // the folder, whose own parent must be there
	Recipients []string      // public keys of age; none = not encrypted
}

// BackupState is how the scheduled backups stand.
type BackupState struct {
	Last      time.Time // of the newest one in the folder; zero = there is none
	Bytes     int64     // of that one
	LastError string    // why the last attempt failed; "" when it did not
}

const (
	nameLayout = "svc-20060102-150405" // in UTC, so that names sort like times
	// retryAtLeast and retryAtMost are how long after a failure it is tried again.
	retryAtLeast, retryAtMost = time.Minute, time.Hour
)

// ownName is the name of an archive of ours. No other file is ever removed.
var ownName = regexp.MustCompile(`^svc-[0-9]{8}-[0-9]{6}\.tar\.zst(\.age)?$`)

// schedule is the one that counts now.
func (j *Jobs) schedule() Schedule {
	j.backups.Lock()
	defer j.backups.Unlock()
	return j.Schedule
}

// SetSchedule lets another schedule count from now on. What is due by it is made
// at once.
func (j *Jobs) SetSchedule(s Schedule) {
	j.backups.Lock()
	j.Schedule = s
	j.backups.Unlock()
	select {
	case j.rescheduled <- struct{}{}:
	default: // it will look anyway
	}
}

// Backups is how the scheduled backups stand.
func (j *Jobs) Backups() BackupState {
	j.backups.Lock()
	defer j.backups.Unlock()
	return j.state
}

// keepBackingUp makes a backup whenever one is due. What is due is seen from the
// archives themselves, so a restart changes nothing.
func (j *Jobs) keepBackingUp(ctx context.Context) {
	if err := j.Archive.removeLeftOvers(); err != nil {
		j.Log.Error("copies of a backup that was interrupted were not removed", "error", err)
	}
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
		wait := plan.Every
		due, err := j.nextBackup(plan)
		if now := j.Now(); err == nil && now.Before(due) {
			wait = due.Sub(now)
		} else if err == nil {
			wait = 0
			err = j.backup.do(ctx, j.Now, j.backUp)
		}
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			wait = min(max(plan.Every/10, retryAtLeast), retryAtMost)
			j.Log.Error("the scheduled backup failed; it will be tried again", "error", err, "in", wait.String())
		}
		j.noteBackup(err)
		// A machine that slept, or whose clock was set, is noticed that late.
		select {
		case <-j.rescheduled:
		case <-time.After(min(wait, lookEvery)):
		case <-ctx.Done():
			return
		}
	}
}

// nextBackup is when the next backup is due: in time after the newest archive. One
// from a time to come, of a clock that was wrong, does not count.
func (j *Jobs) nextBackup(plan Schedule) (time.Time, error) {
	list, err := plan.archives()
	if err != nil {
		return time.Time{}, err
	}
	now := j.Now()
	for _, a := range slices.Backward(list) {
		if !a.at.After(now) {
			return a.at.Add(plan.Every), nil
		}
	}
	return time.Time{}, nil
}

// ownArchive is an archive in the folder of the schedule.
type ownArchive struct {
	name string
	at   time.Time
}

// archives lists our archives, the oldest first.
func (s Schedule) archives() (own []ownArchive, err error) {
	list, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, entry := range list { // in the order of names
		if !entry.Type().IsRegular() || !ownName.MatchString(entry.Name()) {
			continue
		}
		if at, err := time.Parse(nameLayout, entry.Name()[:len(nameLayout)]); err == nil {
			own = append(own, ownArchive{entry.Name(), at})
		}
	}
	return own, err
}

// backUp makes one backup and removes those that are too many.
func (j *Jobs) backUp(ctx context.Context) error {
	plan := j.schedule()
	dir := plan.Dir
	// Only the folder itself: were its parent made as well, a disk that is not
	// mounted would go unnoticed.
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := plan.removeTemporary(); err != nil {
		return err
	}
	begun := j.Now()
	name := begun.UTC().Format(nameLayout) + backup.Suffix
	if len(plan.Recipients) > 0 {
		name = begun.UTC().Format(nameLayout) + backup.SealedSuffix
	}
	err := durable.Write(filepath.Join(dir, name), 0o600, func(w io.Writer) error {
		_, err := j.Archive.Write(ctx, w, backup.Options{Recipients: plan.Recipients, Files: true})
		return err
	})
	if err != nil {
		return err
	}
	j.Log.Info("backup made", "file", filepath.Join(dir, name), "seconds", j.Now().Sub(begun).Seconds())
	return plan.prune(name)
}

// backUpNow is backUp when somebody asks for it.
func (j *Jobs) backUpNow(ctx context.Context) error {
	err := j.backUp(ctx)
	j.noteBackup(err)
	return err
}

// prune removes the oldest archives but for as many as are kept, of which made
// is one.
func (s Schedule) prune(made string) error {
	list, err := s.archives()
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(a ownArchive) bool { return a.name == made })
	for len(list) > max(s.Keep, 1)-1 {
		if err := os.Remove(filepath.Join(s.Dir, list[0].name)); err != nil {
			return fmt.Errorf("remove an old backup: %w", err)
		}
		list = list[1:]
	}
	return nil
}

// removeTemporary removes archives that a killed process did not complete.
func (s Schedule) removeTemporary() error {
	list, err := os.ReadDir(s.Dir)
	for _, entry := range list {
		if ours, _ := filepath.Match(durable.TempPattern("svc-*"+backup.Suffix+"*"), entry.Name()); ours {
			err = errors.Join(err, os.Remove(filepath.Join(s.Dir, entry.Name())))
		}
	}
	return err
}

// noteBackup keeps how it stands.
func (j *Jobs) noteBackup(failure error) {
	var state BackupState
	if failure != nil {
		state.LastError = failure.Error()
	}
	plan := j.schedule()
	if list, err := plan.archives(); err == nil && len(list) > 0 {
		newest := list[len(list)-1]
		state.Last = newest.at
		if info, err := os.Stat(filepath.Join(plan.Dir, newest.name)); err == nil {
			state.Bytes = info.Size()
		}
	}
	j.backups.Lock()
	defer j.backups.Unlock()
	j.state = state
}
