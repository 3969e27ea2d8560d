package store

import (
	"crypto/rand"
	"encoding/hex"

	"svc/internal/fault"
	"svc/internal/notify"
	"svc/internal/rollout"
)

// seedBytes is the number of random bytes in the seed of a rollout, which is written in hex.
const seedBytes = 16

// Published reports whether the public can see the version: it is complete, or its rollout has
// been above 0 % at some time.
func (v *Version) Published() bool { return v.Rollout.Published() }

// Listed reports whether lists for the public contain the version: it is published, and its rollout
// has not been aborted. Most lists leave out yanked versions, too.
func (v *Version) Listed() bool { return v.Published() && !v.Rollout.IsAborted() }

// ListedVersions returns the entries of the listed versions, in list order: the yanked ones if
// yanked is true, and otherwise the others.
func (s *Snapshot) ListedVersions(yanked bool) []*VersionEntry {
	return s.Versions(func(e *VersionEntry) bool { return e.Record.Listed() && yanked == (e.Record.Yank != nil) })
}

// openRollouts returns 1 if the version has a rollout that is not final, and otherwise 0.
func (v *Version) openRollouts() int64 {
	if v.Rollout == nil || v.Rollout.State.Final() {
		return 0
	}
	return 1
}

// NewRollout returns a rollout that begins now. visible reports whether the public can already see
// the version that is rolled out. The parameter by names the author in the history of the rollout.
// The caller must store the rollout with the version.
func (tx *Tx) NewRollout(plan rollout.Plan, visible bool, by string) *rollout.Rollout {
	random := make([]byte, seedBytes)
	rand.Read(random) // never fails, see crypto/rand
	return rollout.New(plan, hex.EncodeToString(random), visible, rollout.Author{Now: tx.now.Unix(), By: by})
}

// DefaultRollout returns the rollout with which a new version begins, according to the settings of
// the project. It returns nil if new versions are complete at once.
func (tx *Tx) DefaultRollout(p ProjectID, by string) (*rollout.Rollout, error) {
	d, err := tx.Distribution(p)
	if err != nil || d.RolloutDefault == nil {
		return nil, err
	}
	return tx.NewRollout(*d.RolloutDefault, false, by), nil
}

// chooseBaseline chooses the baseline of the rollout of v, if the rollout has started and has no
// baseline yet. The baseline is the version with which health rules compare v.
func (w *work) chooseBaseline(v *Version) {
	r := v.Rollout
	if r == nil || r.StartedAt == nil || r.Baseline != nil {
		return
	}
	r.Baseline = new(string)
	if at := w.catalog().Baseline(v.item()); at >= 0 {
		*r.Baseline = w.catalog().Item(at).Version
	}
}

// renameBaseline must be called when the display text of a version changes. It updates the rollouts
// that have this version as their baseline, except final ones. The parameters before and after are
// the old and the new text.
func (tx *Tx) renameBaseline(p ProjectID, w *work, before, after string) error {
	if before == after {
		return nil
	}
	for id, e := range w.entries {
		if r := e.Record.Rollout; r == nil || r.State.Final() || r.Baseline == nil || *r.Baseline != before {
			continue
		}
		v, err := tx.Version(p, id)
		if err != nil {
			return err
		}
		v.Rollout.Baseline = &after
		if err := tx.putVersion(p, v); err != nil {
			return err
		}
	}
	return nil
}

// HoldRollout holds a running or paused rollout because a health rule has failed, and sends an
// event. The caller need not set the version and the percentage in the parameter why.
func (tx *Tx) HoldRollout(p ProjectID, v *Version, why notify.Health) error {
	if err := v.Rollout.Hold(rollout.Author{Now: tx.now.Unix(), By: "rule " + why.Rule, Reason: &why.Reason}); err != nil {
		return err
	}
	if err := tx.UpdateVersion(p, v, nil, false); err != nil {
		return err
	}
	return tx.notifyHealth(p, notify.RolloutHeldEvent, v, why)
}

// NoteHealth records that a health rule of a rollout is suspect or failing, and sends an event. It
// does nothing if the rule has been in the same or a worse state before. The caller need not set
// the version and the percentage in the parameter why.
func (tx *Tx) NoteHealth(p ProjectID, v *Version, state rollout.HealthState, why notify.Health) error {
	if !v.Rollout.IsNews(why.Rule, state) {
		return nil
	}
	v.Rollout.Note(why.Rule, state)
	if err := tx.putVersion(p, v); err != nil {
		return err
	}
	name := notify.HealthSuspectEvent
	if state == rollout.Failing {
		name = notify.HealthFailingEvent
	}
	return tx.notifyHealth(p, name, v, why)
}

// AdvanceRollout takes the rollout of a version to its next step if the rollout advances
// automatically and the step is due. exposure is the number of users that were seen on the version
// since the current step started. suspect reports whether a health rule is suspect or failing. If
// the version has been deleted, AdvanceRollout does nothing.
func (tx *Tx) AdvanceRollout(p ProjectID, id ID, exposure int64, suspect bool) (advanced bool, err error) {
	v, err := tx.Version(p, id)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	if err != nil || v.Rollout == nil || !v.Rollout.Advances(tx.now.Unix(), exposure, suspect) {
		return false, err
	}
	if err := v.Rollout.Advance(rollout.Author{Now: tx.now.Unix(), By: rollout.Schedule}); err != nil {
		return false, err
	}
	return true, tx.UpdateVersion(p, v, nil, false)
}

// OpenRollout is a version with a rollout that is not final.
type OpenRollout struct {
	Project ProjectID
	Version *Version // belongs to a snapshot, so the caller must not change it; lacks its texts if they are large
}

// OpenRollouts returns the rollouts of all projects that are not final. It reads one counter of
// each project, and the versions of those projects that have open rollouts.
func (s *Store) OpenRollouts() ([]OpenRollout, error) {
	var projects []*Project
	err := s.View(func(tx *Tx) error {
		for _, slot := range s.projects.Load().byID {
			content := tx.content(slot.id)
			if content == nil {
				continue // deleted since the directory was read
			}
			n, err := counted(content.Bucket(countsBucket), countRollouts)
			if err != nil {
				return err
			}
			if n > 0 {
				projects = append(projects, slot.project.Load())
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var open []OpenRollout
	for _, p := range projects {
		snap, err := s.Snapshot(p.Key)
		if fault.Is(err, fault.NotFound) {
			continue // deleted or renamed meanwhile
		}
		if err != nil {
			return nil, err
		}
		for _, e := range snap.entries {
			if e.Record.openRollouts() > 0 {
				open = append(open, OpenRollout{snap.Project.ID, e.Record})
			}
		}
	}
	return open, nil
}
