package jobs

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"svc/internal/disk"
	"svc/internal/notify"
	"svc/store"
)

// measureEvery is the interval at which the free space of the disk is measured.
const measureEvery = time.Minute

// keepMeasuring measures the free space of the disk. If that keeps failing, it logs only the first
// failure.
func (j *Jobs) keepMeasuring(ctx context.Context) {
	for failing := false; ; {
		err := j.measure()
		if err != nil && !failing {
			j.Log.Error("free space of the disk not checked; retrying", "error", err)
		}
		failing = err != nil
		if pause(ctx, measureEvery) != nil {
			return
		}
	}
}

// measure writes an event for hooks if the disk has little free space. It does not write another
// one until there is clearly more space again, so that small changes do not repeat the event.
func (j *Jobs) measure() error {
	free, err := j.Free()
	if err != nil {
		return err
	}
	known, err := store.Read(j.DB, func(tx *store.Tx) (bool, error) { return tx.DiskLow(), nil })
	if low := free < disk.Low; err != nil || low == known || known && free < disk.Low+disk.Reserve {
		return err
	}
	return j.DB.Update(func(tx *store.Tx) error {
		if known {
			return tx.PutDiskLow(false)
		}
		const mib = 1 << 20
		message := fmt.Sprintf("%d MiB of the disk are free; below %d MiB, the server refuses uploads, feedback, logs and events",
			free/mib, disk.Reserve/mib)
		return errors.Join(
			tx.PutDiskLow(true),
			tx.Notify(store.Instance, notify.Event{Name: notify.DiskLowEvent, Data: notify.Notice{Message: message}}),
		)
	})
}

// freeSpace returns the free space, in bytes, of the disk with the database.
func (j *Jobs) freeSpace() (uint64, error) { return disk.Free(filepath.Dir(j.DB.Path())) }
