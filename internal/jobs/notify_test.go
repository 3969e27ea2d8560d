package jobs

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/internal/disk"
	"svc/internal/notify"
	"svc/store"
)

// hear adds a hook of the instance that selects all events. It returns a function that returns the
// events, the oldest first, as their name and message.
func hear(t *testing.T, db *store.Store) (events func() []string) {
	t.Helper()
	h := &store.Hook{Name: "all", Kind: notify.Webhook, Enabled: true, URL: "https://receiver.example/", Events: []string{notify.All}}
	if err := db.Update(func(tx *store.Tx) error { return tx.PutHook(store.Instance, h) }); err != nil {
		t.Fatal(err)
	}
	return func() (list []string) {
		t.Helper()
		err := db.View(func(tx *store.Tx) error {
			all, _, err := tx.HookDeliveries(h.ID, store.DeliveryFilter{}, 0, 100)
			for _, d := range slices.Backward(all) {
				raw, err := tx.HookBody(d)
				var body struct{ Data map[string]string }
				if err = errors.Join(err, json.Unmarshal(raw, &body)); err != nil {
					return err
				}
				if len(body.Data) != 1 {
					t.Errorf("%s: got %s, want only a message", d.Event, raw)
				}
				list = append(list, d.Event+" "+body.Data["message"])
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
}

// TestFailedBackupIsToldOnce checks that of several failures in a row the first is told, also after a
// restart.
func TestFailedBackupIsToldOnce(t *testing.T) {
	t.Parallel()
	a := openArchiver(t)
	parent := filepath.Join(t.TempDir(), "disk")
	schedule := Schedule{Every: time.Hour, Keep: 2, Dir: filepath.Join(parent, "backups")}
	events := hear(t, a.DB)
	fails := true
	run := func(j *Jobs, want int) {
		t.Helper()
		if _, err := j.Run(t.Context(), "backup"); (err != nil) != fails {
			t.Errorf("the backup: got %v, want a failure: %v", err, fails)
		}
		got := events()
		if len(got) != want || !strings.HasPrefix(got[want-1], "instance.backup_failed ") || !strings.Contains(got[want-1], parent) {
			t.Errorf("got %q, want %d failures of a backup that name %s", got, want, parent)
		}
	}
	j := scheduled(a, schedule)
	run(j, 1)
	run(j, 1)
	j = scheduled(a, schedule)
	run(j, 1)
	if err := os.MkdirAll(schedule.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	fails = false
	run(j, 1)
	if err := os.RemoveAll(parent); err != nil {
		t.Fatal(err)
	}
	fails = true
	run(j, 2)
	if _, err := j.Run(t.Context(), "request-statistics"); err == nil {
		t.Error("a job without a function did not fail")
	}
	run(j, 2)
}

// TestLowDiskIsToldOnce checks that low disk space is told again only after there was clearly more, also
// after a restart.
func TestLowDiskIsToldOnce(t *testing.T) {
	t.Parallel()
	db := openStore(t)
	events := hear(t, db)
	var free uint64
	var failure error
	start := func() *Jobs {
		j := quiet(db)
		j.Free = func() (uint64, error) { return free, failure }
		return j
	}
	j := start()
	for _, step := range []struct {
		free uint64
		told int
	}{
		{disk.Low, 0}, {disk.Low - 1, 1}, {disk.Low / 2, 1}, {disk.Low, 1}, {disk.Low - 1, 1}, {disk.Low + disk.Reserve, 1}, {100 << 20, 2},
	} {
		for range 2 {
			free = step.free
			if err := j.measure(); err != nil {
				t.Fatal(err)
			}
			if got := events(); len(got) != step.told {
				t.Fatalf("with %d bytes free: got %q, want %d events", free, got, step.told)
			}
			j = start()
		}
	}
	const want = "instance.disk_low 100 MiB of the disk are free; below 128 MiB, the server refuses uploads, feedback, logs and events"
	if got := events()[1]; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	failure = errors.New("broken")
	if err := j.measure(); !errors.Is(err, failure) {
		t.Errorf("a disk that cannot be measured: got %v", err)
	}
}
