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
	if j.backup == nil {
		return
	}
	for {
		wait := j.Schedule.Every
		due, err := j.nextBackup()
		if now := j.Now(); err == nil && now.Before(due) {
			wait = due.Sub(now)
		} else if err == nil {
			wait = 0
			err = j.backup.do(ctx, j.Now, j.backup.work)
		}
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			wait = min(max(j.Schedule.Every/10, retryAtLeast), retryAtMost)
			j.Log.Error("the scheduled backup failed; it will be tried again", "error", err, "in", wait.String())
		}
		j.noteBackup(err)
		// A machine that slept, or whose clock was set, is noticed that late.
		if pause(ctx, min(wait, lookEvery)) != nil {
			return
		}
	}
}

// nextBackup is when the next backup is due: in time after the newest archive. One
// from a time to come, of a clock that was wrong, does not count.
func (j *Jobs) nextBackup() (time.Time, error) {
	list, err := j.archives()
	if err != nil {
		return time.Time{}, err
	}
	now := j.Now()
	for _, a := range slices.Backward(list) {
		if !a.at.After(now) {
			return a.at.Add(j.Schedule.Every), nil
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
func (j *Jobs) archives() (own []ownArchive, err error) {
	list, err := os.ReadDir(j.Schedule.Dir)
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
	dir := j.Schedule.Dir
	// Only the folder itself: were its parent made as well, a disk that is not
	// mounted would go unnoticed.
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := j.removeTemporary(); err != nil {
		return err
	}
	begun := j.Now()
	name := begun.UTC().Format(nameLayout) + backup.Suffix
	if len(j.Schedule.Recipients) > 0 {
		name = begun.UTC().Format(nameLayout) + backup.SealedSuffix
	}
	err := durable.Write(filepath.Join(dir, name), 0o600, func(w io.Writer) error {
		_, err := j.Archive.Write(ctx, w, backup.Options{Recipients: j.Schedule.Recipients, Files: true})
		return err
	})
	if err != nil {
		return err
	}
	j.Log.Info("backup made", "file", filepath.Join(dir, name), "seconds", j.Now().Sub(begun).Seconds())
	return j.prune(name)
}

// prune removes the oldest archives but for as many as are kept, of which made
// is one.
func (j *Jobs) prune(made string) error {
	list, err := j.archives()
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(a ownArchive) bool { return a.name == made })
	for len(list) > max(j.Schedule.Keep, 1)-1 {
		if err := os.Remove(filepath.Join(j.Schedule.Dir, list[0].name)); err != nil {
			return fmt.Errorf("remove an old backup: %w", err)
		}
		list = list[1:]
	}
	return nil
}

// removeTemporary removes archives that a killed process did not complete.
func (j *Jobs) removeTemporary() error {
	list, err := os.ReadDir(j.Schedule.Dir)
	for _, entry := range list {
		if ours, _ := filepath.Match(durable.TempPattern("svc-*"+backup.Suffix+"*"), entry.Name()); ours {
			err = errors.Join(err, os.Remove(filepath.Join(j.Schedule.Dir, entry.Name())))
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
	if list, err := j.archives(); err == nil && len(list) > 0 {
		newest := list[len(list)-1]
		state.Last = newest.at
		if info, err := os.Stat(filepath.Join(j.Schedule.Dir, newest.name)); err == nil {
			state.Bytes = info.Size()
		}
	}
	j.backups.Lock()
	defer j.backups.Unlock()
	j.state = state
}
