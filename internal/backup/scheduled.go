package backup

import (
	"errors"
	"io/fs"
	"os"
	"regexp"
	"time"
)

// scheduledLayout is the layout of the time with which the names of scheduled archives
// begin. The time is in UTC, so that sorting the names sorts the archives by time.
const scheduledLayout = "svc-20060102-150405"

var scheduledName = regexp.MustCompile(`^svc-[0-9]{8}-[0-9]{6}\.tar\.zst(\.age)?$`)

// Scheduled describes an archive that was made by the backup schedule.
type Scheduled struct {
	Name string
	At   time.Time
}

// ScheduledName returns the name for a scheduled archive that is made at the given time.
// sealed reports whether the archive is encrypted.
func ScheduledName(at time.Time, sealed bool) string {
	suffix := Suffix
	if sealed {
		suffix = SealedSuffix
	}
	return at.UTC().Format(scheduledLayout) + suffix
}

// ListScheduled returns the scheduled archives in a directory, the oldest first. It ignores
// archives with a time after the parameter now: they were written while the clock was wrong, so
// their age is unknown. If the directory does not exist, it returns no archives.
func ListScheduled(dir string, now time.Time) (all []Scheduled, err error) {
	list, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, entry := range list { // sorted by name
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
