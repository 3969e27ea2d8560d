package backup

import (
	"errors"
	"io/fs"
	"os"
	"regexp"
	"time"
)

// scheduledLayout begins the names of archives that a schedule makes, in UTC, so
// that names sort like times.
const scheduledLayout = "svc-20060102-150405"

var scheduledName = regexp.MustCompile(`^svc-[0-9]{8}-[0-9]{6}\.tar\.zst(\.age)?$`)

// Scheduled is an archive that a schedule has made.
type Scheduled struct {
	Name string
	At   time.Time
}

// ScheduledName is the name of the archive of a moment.
func ScheduledName(at time.Time, sealed bool) string {
	suffix := Suffix
	if sealed {
		suffix = SealedSuffix
	}
	return at.UTC().Format(scheduledLayout) + suffix
}

// ListScheduled lists the archives in a folder that have such a name, the oldest
// first. One of a time to come, of a clock that was wrong, is not among them:
// nobody knows how old it is. A folder that is not there has none.
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
