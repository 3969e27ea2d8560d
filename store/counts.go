package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"svc/internal/boltfile"
)

// countName names a number that is kept for each project.
type countName string

// The numbers kept for each project.
const (
	countVersions      countName = "versions"
	countAnnouncements countName = "announcements"
	countPinned        countName = "announcements.pinned"
	countFeedback      countName = "feedback"
	countRated         countName = "feedback.rated"
	countRatings       countName = "feedback.ratings" // sum of all ratings
)

// countLevel is the number of logs of a level.
func countLevel(level int) countName { return countName(fmt.Sprintf("logs.%d", level)) }

// count adds delta to a number of a project. The numbers are written once, at
// the end of the transaction.
func (tx *Tx) count(p ProjectID, name countName, delta int64) {
	if delta == 0 {
		return
	}
	if tx.deltas == nil {
		tx.deltas = map[ProjectID]map[countName]int64{}
	}
	if tx.deltas[p] == nil {
		tx.deltas[p] = map[countName]int64{}
	}
	tx.deltas[p][name] += delta
}

// SubmissionBytes returns the size of the stored feedback and logs of a project, in bytes.
// The file takes more, for what lists and searches read.
func (tx *Tx) SubmissionBytes(p ProjectID) (feedback, logs int64, err error) {
	b := tx.contentBucket(p, countsBucket)
	if b == nil {
		return 0, 0, nil
	}
	if feedback, err = counted(b, feedbackSeries.bytes); err == nil {
		logs, err = counted(b, logSeries.bytes)
	}
	return feedback, logs, err
}

// writeCounts writes the numbers that changed.
func (tx *Tx) writeCounts() error {
	for p, deltas := range tx.deltas {
		content := tx.content(p)
		if content == nil {
			continue // deleted in the same transaction
		}
		b := content.Bucket(countsBucket)
		for name, delta := range deltas {
			if err := addTo(b, name, delta); err != nil {
				return err
			}
		}
	}
	return nil
}

// addTo adds to a number in a bucket.
func addTo(b *boltfile.Bucket, name countName, delta int64) error {
	n, err := counted(b, name)
	if err != nil {
		return err
	}
	return b.Put([]byte(name), binary.BigEndian.AppendUint64(nil, uint64(n+delta)))
}

// counted reads a number, which is 0 if it is missing.
func counted(b *boltfile.Bucket, name countName) (int64, error) {
	raw := b.Get([]byte(name))
	if raw == nil {
		return 0, nil
	}
	n, err := numberOf(raw, 8)
	return int64(n), err
}

// sums adds up numbers over all projects.
func (tx *Tx) sums(names ...countName) ([]int64, error) {
	totals := make([]int64, len(names))
	all := tx.bolt.Bucket(contentBucket)
	return totals, all.ForEachBucket(func(key []byte) error {
		if !tx.alive(key) {
			return nil
		}
		counts := all.Bucket(key).Bucket(countsBucket)
		for i, name := range names {
			n, err := counted(counts, name)
			if err != nil {
				return err
			}
			totals[i] += n
		}
		return nil
	})
}

// AnnouncementStatistics counts the announcements of all projects, hidden ones
// included.
func (tx *Tx) AnnouncementStatistics() (all, pinned int64, err error) {
	n, err := tx.sums(countAnnouncements, countPinned)
	return n[0], n[1], err
}

// FeedbackStatistics are numbers about the feedback of all projects, hidden
// ones included.
type FeedbackStatistics struct{ Count, Rated, Ratings int64 }

// FeedbackStatistics counts the feedback of all projects.
func (tx *Tx) FeedbackStatistics() (FeedbackStatistics, error) {
	n, err := tx.sums(countFeedback, countRated, countRatings)
	return FeedbackStatistics{n[0], n[1], n[2]}, err
}

// LogStatistics counts the logs of all projects by level, hidden ones
// included.
func (tx *Tx) LogStatistics() (byLevel [4]int64, err error) {
	n, err := tx.sums(countLevel(0), countLevel(1), countLevel(2), countLevel(3))
	return [4]int64(n), err
}

// FileCount counts the files of all projects.
func (tx *Tx) FileCount() (total int64, err error) {
	names := make([]countName, len(FileStatuses))
	for i, status := range FileStatuses {
		names[i] = countFiles(status)
	}
	counts, err := tx.sums(names...)
	for _, n := range counts {
		total += n
	}
	return total, err
}

// Contents is how much belongs to a project.
type Contents struct {
	Versions, Announcements, Feedback, Logs int64
	Files, FileBytes                        int64
	Cards                                   int
	Keys                                    int // that are limited to listed projects, this one among them, and not revoked
}

// Contents counts what belongs to a project. It reads the record of each file.
func (tx *Tx) Contents(p ProjectID) (c Contents, err error) {
	counts := tx.content(p).Bucket(countsBucket)
	number := func(name countName) int64 {
		n, damaged := counted(counts, name)
		err = errors.Join(err, damaged)
		return n
	}
	c.Versions, c.Announcements, c.Feedback = number(countVersions), number(countAnnouncements), number(countFeedback)
	for level := range 4 {
		c.Logs += number(countLevel(level))
	}
	err = errors.Join(err, tx.EachFile(p, func(f *File) error {
		c.Files++
		c.FileBytes += f.Size
		return nil
	}))
	if err != nil {
		return c, err
	}
	if err := tx.EachCard(p, func(*Card) error { c.Cards++; return nil }); err != nil {
		return c, err
	}
	return c, eachRecord(tx.bolt.Bucket(keysBucket), func(k *APIKey) error {
		if k.RevokedAt == nil && slices.Contains(k.Projects, p) {
			c.Keys++
		}
		return nil
	})
}
