package store

import (
	"errors"
	"slices"

	"svc/internal/notify"
	"svc/internal/rollout"
)

// Instance takes the place of a project for hooks and events of the instance.
const Instance ProjectID = 0

// Notifies reports whether a hook selects an event of a project or of the instance. The data of an event
// that no hook selects need not be collected.
func (tx *Tx) Notifies(p ProjectID, event string) bool {
	hooks, err := tx.selecting(p, event)
	return err != nil || len(hooks) > 0 // Notify returns the error
}

// notifyAbout passes an event of a project to Notify. It calls the function data only if a hook
// selects the event.
func (tx *Tx) notifyAbout(p ProjectID, name string, data func(*Project) notify.Data) error {
	if !tx.Notifies(p, name) {
		return nil
	}
	project, err := tx.projectByID(p)
	if err != nil {
		return err
	}
	return tx.Notify(p, notify.Event{Name: name, Data: data(project)})
}

// notifyVersion calls Notify for each event that a change to a version causes. The parameter before
// is the version before the change, or nil for a new version.
func (tx *Tx) notifyVersion(p ProjectID, before, v *Version) error {
	if before == nil {
		before = &Version{Rollout: &rollout.Rollout{}} // not published
	}
	var err error
	if v.Published() && !before.Published() {
		err = tx.notifyAbout(p, notify.VersionPublishedEvent, func(project *Project) notify.Data {
			percent := rollout.Whole
			if v.Rollout != nil {
				percent = v.Rollout.Percent
			}
			return notify.VersionPublished{
				Version: v.Version, ComparableVersion: v.Comparable.String(), Channel: v.OnChannel(), Title: v.Title, Notes: v.Content,
				URL: tx.store.site.Version(project.Key, v.Version), Percent: percent,
			}
		})
	}
	if v.Yank != nil && before.Yank == nil {
		err = errors.Join(err, tx.notifyYank(p, v))
	}
	return errors.Join(err, tx.notifyRollout(p, before.Rollout, v))
}

func (tx *Tx) notifyYank(p ProjectID, v *Version) error {
	if !tx.Notifies(p, notify.VersionYankedEvent) {
		return nil
	}
	var downgrade *string
	if id := v.Yank.DowngradeTo; id != nil {
		to, err := tx.Version(p, *id)
		if err != nil {
			return err
		}
		downgrade = &to.Version
	}
	return tx.Notify(p, notify.Event{
		Name: notify.VersionYankedEvent,
		Data: notify.VersionYanked{Version: v.Version, Reason: v.Yank.Reason, DowngradeTo: downgrade},
	})
}

// stateEvents maps actions that change the state of a rollout to names of events. The event of a
// rollout that is held is missing, because HoldRollout itself calls Notify for it.
var stateEvents = map[rollout.Action]string{
	rollout.ActionPaused:    notify.RolloutPausedEvent,
	rollout.ActionResumed:   notify.RolloutResumedEvent,
	rollout.ActionCompleted: notify.RolloutCompletedEvent,
	rollout.ActionAborted:   notify.RolloutAbortedEvent,
}

// notifyRollout calls Notify for each change to the rollout of the version v. The parameter before
// is the rollout before these changes.
func (tx *Tx) notifyRollout(p ProjectID, before *rollout.Rollout, v *Version) error {
	for i, e := range slices.Backward(v.Rollout.Since(before)) {
		name := stateEvents[e.Action]
		data := func(*Project) notify.Data {
			return notify.RolloutChanged{Version: v.Version, Percent: e.Percent, By: e.By, Reason: e.Reason}
		}
		history := v.Rollout.History[i:]
		changed := e.Action == rollout.ActionChanged && len(history) > 1 && e.Percent != history[1].Percent
		if changed || e.Action == rollout.ActionAdvanced {
			name = notify.RolloutAdvancedEvent
			data = func(*Project) notify.Data {
				return notify.RolloutAdvanced{Version: v.Version, Percent: e.Percent, Step: v.Rollout.Step, By: e.By}
			}
		}
		if name == "" {
			continue
		}
		if err := tx.notifyAbout(p, name, data); err != nil {
			return err
		}
	}
	return nil
}

// notifyHealth calls Notify for an event about a health rule of the rollout of a version. It sets
// the version and the percentage in h.
func (tx *Tx) notifyHealth(p ProjectID, name string, v *Version, h notify.Health) error {
	return tx.notifyAbout(p, name, func(*Project) notify.Data {
		h.Version, h.Percent = v.Version, v.Rollout.Percent
		return h
	})
}

func (tx *Tx) notifyAnnouncement(p ProjectID, a *Announcement) error {
	return tx.notifyAbout(p, notify.AnnouncementPublishedEvent, func(*Project) notify.Data {
		return notify.AnnouncementPublished{ID: a.ID.String(), Title: a.Title, Content: a.Content}
	})
}

func (tx *Tx) notifyFeedback(p ProjectID, f *Feedback) error {
	return tx.notifyAbout(p, notify.FeedbackCreatedEvent, func(project *Project) notify.Data {
		id := f.ID.String()
		return notify.FeedbackCreated{
			ID: id, Rating: f.Rating, Content: f.Content, Platform: (*string)(f.Platform),
			URL: tx.store.site.Console("feedbacks", project.Key, id),
		}
	})
}

func (tx *Tx) notifyFile(f *File) error {
	return tx.notifyAbout(f.Project, notify.FileFailedEvent, func(*Project) notify.Data {
		return notify.FileFailed{ID: string(f.ID), Filename: f.Filename, Error: f.Error}
	})
}
