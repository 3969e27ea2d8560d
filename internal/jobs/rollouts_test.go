package jobs

import (
	"testing"
	"testing/synctest"
	"time"

	"svc/internal/rollout"
	"svc/store"
)

// rollingOut stores a version whose rollout waits a minute on each of its steps.
func rollingOut(t *testing.T, db *store.Store) (store.ProjectID, store.ID) {
	t.Helper()
	p := &store.Project{Key: "beacon"}
	v := &store.Version{Version: "1.0"}
	steps := []rollout.Step{{Percent: 10_00, HoldSeconds: 60}, {Percent: 50_00, HoldSeconds: 60}, {Percent: rollout.Whole}}
	err := db.Update(func(tx *store.Tx) error {
		if err := tx.CreateProject(p); err != nil {
			return err
		}
		v.Rollout = tx.NewRollout(rollout.Change{Steps: steps}.Plan(), false, "ada")
		return tx.CreateVersion(p.ID, v, nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	return p.ID, v.ID
}

// after checks how far a rollout is after the given time.
func after(t *testing.T, db *store.Store, d time.Duration, p store.ProjectID, id store.ID, want rollout.Percent, state rollout.State) {
	t.Helper()
	<-time.After(d)
	synctest.Wait()
	v, err := store.Read(db, func(tx *store.Tx) (*store.Version, error) { return tx.Version(p, id) })
	if err != nil || v.Rollout.Percent != want || v.Rollout.State != state || v.Latest != (state == rollout.Completed) {
		t.Errorf("%s: got %+v (%v), want %s percent and state %s", time.Now().UTC().Format(time.TimeOnly), v, err, want, state)
	}
}

// TestAdvancing checks that each step is taken within five seconds after it is due.
func TestAdvancing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db := openStore(t)
		j := quiet(db)
		j.Start()
		<-time.After(time.Minute) // the job has nothing to do
		p, id := rollingOut(t, db)
		after(t, db, 59*time.Second, p, id, 10_00, rollout.Running)
		after(t, db, 6*time.Second, p, id, 50_00, rollout.Running)
		after(t, db, 65*time.Second, p, id, rollout.Whole, rollout.Completed)
		if err := j.Stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestAdvancingAfterAPause checks that a server that was not running for several steps takes one
// step, and waits for the next one.
func TestAdvancingAfterAPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db := openStore(t)
		p, id := rollingOut(t, db)
		<-time.After(24 * time.Hour)
		j := quiet(db)
		j.Start()
		after(t, db, 5*time.Second, p, id, 50_00, rollout.Running)
		after(t, db, 50*time.Second, p, id, 50_00, rollout.Running)
		after(t, db, 15*time.Second, p, id, rollout.Whole, rollout.Completed)
		if err := j.Stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestNotAdvancing checks that a rollout that was paused or aborted stays as it is.
func TestNotAdvancing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db := openStore(t)
		p, id := rollingOut(t, db)
		err := db.Update(func(tx *store.Tx) error {
			v, err := tx.Version(p, id)
			if err != nil {
				return err
			}
			if err := v.Rollout.Pause(rollout.Author{Now: tx.Now().Unix(), By: "ada"}); err != nil {
				return err
			}
			return tx.UpdateVersion(p, v, nil, false)
		})
		if err != nil {
			t.Fatal(err)
		}
		j := quiet(db)
		j.Start()
		after(t, db, time.Hour, p, id, 10_00, rollout.Paused)
		if err := j.Stop(); err != nil {
			t.Error(err)
		}
	})
}
