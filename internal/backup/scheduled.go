package backup

import (
	"errors"
	"io/fs"
	"os"
	"regexp"
	"time"
)

// scheduledLayout is the time layout with which the names of scheduled archives begin. Times are in
// UTC, so that the names sort by time.
const scheduledLayout = "svc-20060102-150405"

var scheduledName = regexp.MustCompile(`^svc-[0-9]{8}-[0-9]{6}\.tar\.zst(\.age)?$`)

// Scheduled is an archive made by the backup schedule.
type Scheduled struct {
	Name string
	At   time.Time
}

// ScheduledName returns the name of a scheduled archive made at the given time. sealed reports
// whether the archive is encrypted.
func ScheduledName(at time.Time, sealed bool) string {
	suffix := Suffix
	if sealed {
		suffix = SealedSuffix
	}
	return at.UTC().Format(scheduledLayout) + suffix
}

// ListScheduled returns the scheduled archives in a directory, the oldest one first. It ignores
// archives with a time after now: they were written when the clock was wrong, and their age is
// unknown. If the directory does not exist, it returns no archives.
func ListScheduled(dir string, now time.Time) (all []Scheduled, err error) {
	list, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, entry := range list { // in the order of names
		if !entry.Type().IsRegular() || !scheduledName.MatchString(entry.Name()) {
			continue
		}
		at, err := time.Parse(scheduledLayout, entry.Name()[:len(scheduledLayout)])
		if err == nil && !at.After(now) {
			all = append(all, Scheduled{entry.Name(), at})
		}
	}
	return all, err
}
