package store

import (
	"svc/internal/loggroup"
	"svc/internal/notify"
)

// guardKey is the key of the loggroup.Guard in the bucket of the log groups.
var guardKey = []byte("guard")

// reportGroup queues the event with the given name about a group that a log has created or
// reopened. If there have been too many such events in this hour, the loggroup.Guard of the project
// suppresses it.
func (tx *Tx) reportGroup(p ProjectID, name string, g *LogGroup, s sighting) error {
	b := tx.contentBucket(p, logGroupsBucket)
	guard, err := get[loggroup.Guard](b, guardKey)
	if err != nil {
		return err
	}
	if guard == nil {
		guard = &loggroup.Guard{}
	}
	after, verdict := guard.Admit(s.at)
	if after != *guard {
		if err := put(b, guardKey, after); err != nil {
			return err
		}
	}
	switch verdict {
	case loggroup.Report:
		return tx.notifyGroup(p, name, g, s.version)
	case loggroup.Warn:
		return tx.Notify(p, notify.Event{Name: notify.LogGuardEvent, Data: notify.LogGuard{Limit: loggroup.MaxReports, Hour: s.at / 3600 * 3600}})
	}
	return nil
}

// notifyGroup queues the event with the given name about a group. version is the version of the log
// that caused the event, or "".
func (tx *Tx) notifyGroup(p ProjectID, name string, g *LogGroup, version string) error {
	return tx.notifyAbout(p, name, func(project *Project) notify.Data {
		id := g.ID.String()
		data := notify.LogGroup{
			ID: id, Title: g.Title, Level: g.Level, Source: g.Source, Count: g.Count,
			URL: tx.store.site.Console("logs/group", project.Key, id),
		}
		if version != "" {
			data.AppVersion = &version
		}
		return data
	})
}
