package backup

import (
	"errors"
	"io/fs"
	"os"
	"regexp"
	"time"
)

// scheduledLayout is the format of the start of the names of scheduled archives, in UTC,
// so that names sort in order of time.
const scheduledLayout = "svc-20060102-150405"

var scheduledName = regexp.MustCompile(`^svc-[0-9]{8}-[0-9]{6}\.tar\.zst(\.age)?$`)

// Scheduled is an archive made by a schedule.
type Scheduled struct {
	Name string
	At   time.Time
}

// ScheduledName returns the name of the archive made at a time.
func ScheduledName(at time.Time, sealed bool) string {
	suffix := Suffix
	if sealed {
		suffix = SealedSuffix
	}
	return at.UTC().Format(scheduledLayout) + suffix
}

// ListScheduled returns the archives in a directory that have such a name, the oldest
// first. It ignores an archive with a time in the future, written when the clock was
// wrong, because its age is unknown. For a missing directory it returns none.
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
