package today

import "time"

// InstanceFinding is a finding about one project, or about the whole instance.
type InstanceFinding struct {
	Finding
	ProjectKey *string `json:"project_key"` // nil if the finding is about the instance
}

// Instance collects the most urgent findings of all projects. The zero value is empty.
type Instance struct{ found []InstanceFinding }

// Add adds findings about the project with the given key, or about the instance if key is nil.
func (i *Instance) Add(key *string, found []Finding) {
	for _, f := range found {
		i.found = append(i.found, InstanceFinding{f, key})
	}
	i.found = mostUrgent(i.found, func(f InstanceFinding) int { return f.Weight })
}

// Full reports whether the list is complete, because no further finding can be more
// urgent than those in it.
func (i *Instance) Full() bool {
	return len(i.found) == MaxFindings && i.found[MaxFindings-1].Weight == maxWeight
}

// Findings returns at most MaxFindings findings, the most urgent first. The list is never nil.
func (i *Instance) Findings() []InstanceFinding { return append([]InstanceFinding{}, i.found...) }

// maxWeight is the weight of the most urgent findings.
const maxWeight = 100

// backupGrace is the time that a server has for its first backup before it is reported as
// missing.
const backupGrace = time.Hour

// Backup is the state of scheduled backups.
type Backup struct {
	Every   time.Duration // interval of the schedule; 0 means never
	Started time.Time     // time at which this server began to follow the schedule
	Last    time.Time     // time of the newest backup; zero if there is none
	Running bool          // whether a backup is in progress
}

// Findings returns a finding if a scheduled backup is missing. It returns none while a
// backup is in progress, or if the server has only just begun to follow the schedule,
// because it will then make the backup.
func (b Backup) Findings(now time.Time) []Finding {
	if b.Every <= 0 || b.Running || now.Sub(b.Started) < min(backupGrace, b.Every) {
		return nil
	}
	f := Finding{Kind: NoBackup, Weight: 90, Series: []int64{}, Link: "/admin/about"}
	if !b.Last.IsZero() {
		if now.Sub(b.Last) <= 2*b.Every {
			return nil
		}
		f.Values.Since = new(b.Last.Unix())
	}
	return []Finding{f}
}
