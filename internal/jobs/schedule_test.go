package jobs

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"svc/internal/backup"
	"svc/store"
)

// scheduled returns Jobs that do nothing but make backups according to s.
func scheduled(a *Archiver, s Schedule) *Jobs {
	return New(Config{DB: a.DB, Events: a.Events, Log: slog.New(slog.DiscardHandler), Now: time.Now, Archive: a, Schedule: s})
}

// TestSchedule checks which archives exist as the days pass. The fake clock starts on 2000-01-01 at
// midnight UTC.
func TestSchedule(t *testing.T) {
	t.Parallel()
	a := openArchiver(t) // created outside of the bubble, because its goroutines must not belong to the bubble
	dir := filepath.Join(a.Data, "backups")
	for _, name := range []string{"mine.tar.zst", "svc-19990101-000000.tar.zst.part", ".svc-19990101-000000.tar.zst.123", "svc-19990101-000000.tar.zst", "svc-20990101-000000.tar.zst", "svc-20990102-000000.tar.zst"} {
		put(t, filepath.Join(dir, name), "x")
	}
	synctest.Test(t, func(t *testing.T) {
		j := scheduled(a, Schedule{Every: 24 * time.Hour, Keep: 2, Dir: dir})
		run := func(long time.Duration) {
			ctx, stop := context.WithTimeout(t.Context(), long)
			defer stop()
			j.keepBackingUp(ctx)
		}
		run(time.Minute) // a backup is due, because the last one is a year old
		run(12 * time.Hour)
		run(13 * time.Hour) // due again after a day in spite of the restart
		run(24 * time.Hour)
		if s, want := j.Backups(), time.Date(2000, 1, 3, 0, 0, 0, 0, time.UTC); !s.Last.Equal(want) || s.Bytes < 100 {
			t.Errorf("got %+v, want that the last one is of %s", s, want)
		}
	})
	// Archives with a time in the future are neither counted nor removed.
	want := []string{"mine.tar.zst", "svc-19990101-000000.tar.zst.part", "svc-20000102-000000.tar.zst", "svc-20000103-000000.tar.zst", "svc-20990101-000000.tar.zst", "svc-20990102-000000.tar.zst"}
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	content, err := os.ReadFile(filepath.Join(dir, "svc-20000103-000000.tar.zst"))
	if err != nil {
		t.Fatal(err)
	}
	if all := members(t, content); len(all) != 4 {
		t.Errorf("%d members, want 4: the backups themselves are not in it", len(all))
	}
}

// TestBackingUp checks the time since which the server follows a schedule. A new interval
// makes a new schedule, but a new number of archives to keep does not.
func TestBackingUp(t *testing.T) {
	t.Parallel()
	a := openArchiver(t)
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		plan := Schedule{Every: 24 * time.Hour, Keep: 2, Dir: t.TempDir()}
		j := scheduled(a, plan)
		<-time.After(time.Hour)
		plan.Keep = 3
		j.SetSchedule(plan)
		if since, running := j.BackingUp(); !since.Equal(begun) || running {
			t.Errorf("got %s (running %v), want %s", since, running, begun)
		}
		plan.Every = time.Hour
		j.SetSchedule(plan)
		if since, _ := j.BackingUp(); !since.Equal(time.Now()) {
			t.Errorf("another interval: got %s, want now", since)
		}
	})
}

// TestScheduleThatFails checks that a failed backup is retried and reported, and that earlier
// archives are kept.
func TestScheduleThatFails(t *testing.T) {
	t.Parallel()
	a := openArchiver(t)
	parent := filepath.Join(t.TempDir(), "disk") // represents a disk that is not mounted
	synctest.Test(t, func(t *testing.T) {
		j := scheduled(a, Schedule{Every: time.Hour, Keep: 2, Dir: filepath.Join(parent, "backups")})
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			j.keepBackingUp(ctx)
		}()
		<-time.After(3 * time.Minute)
		synctest.Wait()
		if s := j.Backups(); !strings.Contains(s.LastError, "disk") || !s.Last.IsZero() {
			t.Errorf("while it fails: got %+v", s)
		}
		if err := os.Mkdir(parent, 0o700); err != nil {
			t.Fatal(err)
		}
		<-time.After(30 * time.Minute)
		synctest.Wait()
		if s := j.Backups(); !strings.Contains(s.LastError, "its disk may not be mounted") || len(names(t, parent)) != 0 {
			t.Errorf("while nobody has said that it is the disk: got %+v, and %v", s, names(t, parent))
		}
		put(t, filepath.Join(parent, backup.FolderMark), "")
		<-time.After(30 * time.Minute)
		synctest.Wait()
		if s := j.Backups(); s.LastError != "" || s.Last.IsZero() || s.Bytes == 0 {
			t.Errorf("when it works again: got %+v", s)
		}
		stop()
		<-done
	})
}

// TestFailureIsKept checks that the failure of a backup is reported until the next attempt, even
// while no backup is due.
func TestFailureIsKept(t *testing.T) {
	t.Parallel()
	a := openArchiver(t)
	dir, staging := t.TempDir(), filepath.Join(a.Data, "files", "staging")
	put(t, filepath.Join(dir, "svc-19991231-220000.tar.zst"), "two hours old")
	if err := os.RemoveAll(staging); err != nil {
		t.Fatal(err)
	}
	put(t, staging, "a file in the place of a folder")
	synctest.Test(t, func(t *testing.T) {
		j := scheduled(a, Schedule{Every: time.Hour, Keep: 2, Dir: dir})
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			j.keepBackingUp(ctx)
		}()
		state := func(when string, fails bool, bytes int64) {
			t.Helper()
			<-time.After(time.Minute)
			synctest.Wait()
			if s := j.Backups(); strings.Contains(s.LastError, "files/staging") != fails || s.Bytes < bytes {
				t.Errorf("%s: got %+v", when, s)
			}
		}
		state("it fails", true, 13)
		j.SetSchedule(Schedule{Every: 24 * time.Hour, Keep: 2, Dir: dir})
		state("nothing is due", true, 13)
		put(t, filepath.Join(dir, "svc-19991231-230000.tar.zst"), "one hour old, put there by somebody")
		<-time.After(checkEvery)
		state("another archive is seen", true, 30)
		if err := os.Remove(staging); err != nil {
			t.Fatal(err)
		}
		if _, err := j.Run(ctx, "backup"); err != nil {
			t.Error(err)
		}
		state("it went well", false, 100)
		stop()
		<-done
	})
}

// TestBackupInBetween checks that the scheduled backup is skipped if another backup was
// made while the job was waiting.
func TestBackupInBetween(t *testing.T) {
	t.Parallel()
	plan := Schedule{Every: time.Hour, Keep: 2, Dir: t.TempDir()}
	j := scheduled(openArchiver(t), plan)
	j.backup.busy.Lock()
	type outcome struct {
		wait time.Duration
		err  error
	}
	done := make(chan outcome, 1)
	go func() {
		wait, err := j.backUpIfDue(context.Background(), plan)
		done <- outcome{wait, err}
	}()
	put(t, filepath.Join(plan.Dir, backup.ScheduledName(time.Now(), false)), "x")
	j.backup.busy.Unlock()
	if o := <-done; o.err != nil || o.wait < 59*time.Minute || len(names(t, plan.Dir)) != 1 {
		t.Errorf("got %+v and %v, want that the next one is due in an hour", o, names(t, plan.Dir))
	}
}

// TestScheduleSeals checks that archives for a recipient can be read only by the recipient, and
// that they are pruned like other archives.
func TestScheduleSeals(t *testing.T) {
	t.Parallel()
	a := openArchiver(t)
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		j := scheduled(a, Schedule{Every: time.Minute, Keep: 2, Dir: dir, Recipients: []string{"age167sudspk33qavakf5duw7sxkrjkc3xcvge9fp83jaj8dkcmuwexslh7za7"}})
		ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute+time.Second)
		defer stop()
		j.keepBackingUp(ctx)
	})
	got := names(t, dir)
	if want := []string{"svc-20000101-000400.tar.zst.age", "svc-20000101-000500.tar.zst.age"}; !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	f, err := os.Open(filepath.Join(dir, got[0]))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := backup.Read(f, nil, nil); !errors.Is(err, backup.ErrSealed) {
		t.Errorf("got %v, want %v", err, backup.ErrSealed)
	}
}

// TestFolderThatCannotBeListed checks that the job counts as failed while the directory cannot be
// listed, and recovers when the directory can be listed again. The state of the last backup must be
// preserved.
func TestFolderThatCannotBeListed(t *testing.T) {
	t.Parallel()
	a := openArchiver(t)
	dir := filepath.Join(t.TempDir(), "backups")
	put(t, filepath.Join(dir, "svc-19991231-230000.tar.zst"), "an hour old")
	synctest.Test(t, func(t *testing.T) {
		j := scheduled(a, Schedule{Every: 24 * time.Hour, Keep: 2, Dir: dir})
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			j.keepBackingUp(ctx)
		}()
		<-time.After(time.Minute)
		if err := errors.Join(os.Rename(dir, dir+"-away"), os.WriteFile(dir, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		<-time.After(2 * time.Hour)
		synctest.Wait()
		last := time.Date(1999, 12, 31, 23, 0, 0, 0, time.UTC)
		if s := named(t, j, "backup"); s.Failed == 0 || s.Failed != s.Runs || !strings.Contains(s.Failure, dir) {
			t.Errorf("while it cannot be listed: got %+v, want failures that name the folder", s)
		}
		if s := j.Backups(); !strings.Contains(s.LastError, dir) || !s.Last.Equal(last) || s.Bytes != 11 {
			t.Errorf("while it cannot be listed: got %+v, want the backup of %s", s, last)
		}
		if err := errors.Join(os.Remove(dir), os.Rename(dir+"-away", dir)); err != nil {
			t.Fatal(err)
		}
		<-time.After(2 * time.Hour)
		synctest.Wait()
		if s := named(t, j, "backup"); s.Failure != "" {
			t.Errorf("when it can be listed again: got %+v, want no failure although nothing is due", s)
		}
		if s := j.Backups(); s.LastError != "" || !s.Last.Equal(last) {
			t.Errorf("when it can be listed again: got %+v", s)
		}
		stop()
		<-done
	})
}

// TestFolderOfABackup checks that the destination directory is created only if its disk is known to
// be mounted.
func TestFolderOfABackup(t *testing.T) {
	t.Parallel()
	a := openArchiver(t)
	disk := t.TempDir()
	dir := filepath.Join(disk, "svc")
	j := scheduled(a, Schedule{Every: time.Hour, Keep: 2, Dir: dir})
	run := func(when, problem string) {
		t.Helper()
		told := j.FolderProblem()
		_, err := j.Run(t.Context(), "backup")
		if problem == "" {
			if told != nil || err != nil {
				t.Errorf("%s: got %v and %v, want a backup", when, told, err)
			}
			return
		}
		if told == nil || err == nil || !strings.Contains(err.Error(), problem) || told.Error() != err.Error() {
			t.Errorf("%s: got %v and %v, want %q", when, told, err, problem)
		}
	}
	empty := func() {
		t.Helper()
		for _, name := range names(t, dir) {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	elsewhere := func() { // simulates a change of the device number
		t.Helper()
		err := a.DB.Update(func(tx *store.Tx) error {
			f, err := tx.BackupFolder()
			if err != nil {
				return err
			}
			f.Device++
			return tx.PutBackupFolder(*f)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	run("the first time", "svc does not exist, and its disk may not be mounted")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	run("in a folder that somebody has made", "")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	run("when it is gone, on the same disk", "")
	elsewhere()
	run("with backups in it, on another disk", "")
	elsewhere()
	empty()
	run("empty, on another disk", "is on another disk than the last backup")
	put(t, filepath.Join(dir, backup.FolderMark), "")
	run("empty and marked, on another disk", "")
	elsewhere()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	run("gone, on another disk", "its disk may not be mounted")
	put(t, filepath.Join(disk, backup.FolderMark), "")
	run("gone, with a mark beside it", "")
	if err := os.RemoveAll(disk); err != nil {
		t.Fatal(err)
	}
	run("without the folder above", disk)
}
