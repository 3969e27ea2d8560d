package store

import (
	"encoding/json"
	"errors"

	"svc/internal/boltfile"
	"svc/internal/platform"
	"svc/internal/searchtext"
	"svc/store/column"
)

// Sender is what is known of the client that sent a submission; all of it nil
// for what an administrator added.
type Sender struct {
	IP          *string `json:"ip,omitempty"`
	UserAgent   *string `json:"user_agent,omitempty"`
	CountryCode *string `json:"country_code,omitempty"`
	CountryName *string `json:"country_name,omitempty"`
	RegionName  *string `json:"region_name,omitempty"`
	City        *string `json:"city,omitempty"`
}

// Feedback is what a user has to say. Its creation time is that of its id.
type Feedback struct {
	ID              ID                 `json:"-"`
	UserID          *string            `json:"user_id,omitempty"`
	Rating          *int               `json:"rating,omitempty"` // 1 to 5
	Content         string             `json:"content"`
	Contact         *string            `json:"contact,omitempty"`
	Hidden          bool               `json:"hidden,omitempty"`
	Status          FeedbackStatus     `json:"status"`
	Result          *string            `json:"result,omitempty"`
	Platform        *platform.Platform `json:"platform,omitempty"`
	PlatformVersion *string            `json:"platform_version,omitempty"`
	CustomData      json.RawMessage    `json:"custom_data,omitempty"` // a JSON object
	Forwarded       bool               `json:"forwarded,omitempty"`   // to the code host, see Forward
	IssueNumber     *int64             `json:"issue_number,omitempty"`
	IssueURL        *string            `json:"issue_url,omitempty"`
	Sender
}

func (f *Feedback) identify(id ID) { f.ID = id }

// FeedbackStatus is how far feedback has been dealt with.
type FeedbackStatus uint8

// The states of feedback; any may follow any other.
const (
	StatusOpen FeedbackStatus = iota
	StatusInProgress
	StatusResolved
	StatusClosed
)

const (
	ratingShift = ownShift
	statusShift = ownShift + 3
)

func (f *Feedback) word() column.Word {
	return flagWord(f.Hidden, hidden) | platformWord(f.Platform) | column.Word(f.rating())<<ratingShift | column.Word(f.Status)<<statusShift
}

func (f *Feedback) rating() int {
	if f.Rating == nil {
		return 0
	}
	return *f.Rating
}

func (f *Feedback) searchText() string {
	return searchtext.Fields(&f.Content, f.UserID, f.Contact, f.IP, f.City, f.CountryName, f.RegionName, f.PlatformVersion)
}

// Log is a line that a client uploaded. Its creation time is that of its id.
type Log struct {
	ID              ID                 `json:"-"`
	Level           int                `json:"level"` // 0 debug, 1 info, 2 warning, 3 error
	Content         string             `json:"content"`
	Source          *string            `json:"source,omitempty"`
	DeviceInfo      json.RawMessage    `json:"device_info,omitempty"` // a JSON object
	CustomData      json.RawMessage    `json:"custom_data,omitempty"` // a JSON object
	Hidden          bool               `json:"hidden,omitempty"`
	Platform        *platform.Platform `json:"platform,omitempty"`
	PlatformVersion *string            `json:"platform_version,omitempty"`
	Sender
}

func (l *Log) identify(id ID) { l.ID = id }

const levelShift = ownShift

func (l *Log) word() column.Word {
	return flagWord(l.Hidden, hidden) | platformWord(l.Platform) | column.Word(l.Level)<<levelShift
}

func (l *Log) searchText() string {
	return searchtext.Fields(&l.Content, l.Source, l.IP, l.City, l.CountryName, l.RegionName, l.PlatformVersion)
}

// Encode makes what AddEncodedFeedback stores.
func (f *Feedback) Encode() (Encoded, error) { return newEncoded(f) }

// AddFeedback stores new feedback and gives it its id. A project that is gone
// is NotFound and nothing is written.
func (tx *Tx) AddFeedback(p ProjectID, f *Feedback) error {
	e, err := f.Encode()
	if err != nil {
		return err
	}
	return tx.AddEncodedFeedback(p, f, e)
}

// AddEncodedFeedback is AddFeedback for feedback that has not changed since it was
// encoded. It can be added once.
func (tx *Tx) AddEncodedFeedback(p ProjectID, f *Feedback, e Encoded) error {
	if tx.content(p) == nil {
		return notFound("project")
	}
	f.ID = tx.newID()
	if err := tx.ownFeedback(p, f); err != nil {
		return err
	}
	return feedbackSeries.addEncoded(tx, p, f.ID, e)
}

// ownFeedback notes that a project has new feedback.
func (tx *Tx) ownFeedback(p ProjectID, f *Feedback) error {
	tx.newFeedback++
	tx.countFeedback(p, f.rating(), 1)
	return tx.bolt.Bucket(ownersBucket).Put(f.ID[:], p.key())
}

// countFeedback counts feedback with a rating, which is 0 for none.
func (tx *Tx) countFeedback(p ProjectID, rating int, n int64) {
	tx.count(p, countFeedback, n)
	if rating != 0 {
		tx.count(p, countRated, n)
		tx.count(p, countRatings, n*int64(rating))
	}
}

// Feedback reads one feedback of a project.
func (tx *Tx) Feedback(p ProjectID, id ID) (*Feedback, error) {
	_, f, err := feedbackSeries.find(tx.content(p), id)
	return f, err
}

// OwnedFeedback reads feedback and its project by its id alone.
func (tx *Tx) OwnedFeedback(id ID) (*Project, *Feedback, error) {
	return owned(tx, id, "feedback", tx.Feedback)
}

// PutFeedback stores changed feedback.
func (tx *Tx) PutFeedback(p ProjectID, f *Feedback) error {
	before, err := tx.Feedback(p, f.ID)
	if err != nil {
		return err
	}
	tx.countFeedback(p, before.rating(), -1)
	tx.countFeedback(p, f.rating(), 1)
	return feedbackSeries.replace(tx, p, f.ID, f)
}

// DeleteFeedback removes feedback.
func (tx *Tx) DeleteFeedback(p ProjectID, f *Feedback) error {
	if err := tx.forgetFeedback(p, f.ID, f.rating()); err != nil {
		return err
	}
	return errors.Join(tx.noteErasure(), feedbackSeries.replace(tx, p, f.ID, nil))
}

// forgetFeedback removes what is kept of feedback beside its record: numbers, its owner,
// and that it is becoming an issue. Its rating is 0 for none.
func (tx *Tx) forgetFeedback(p ProjectID, id ID, rating int) error {
	tx.countFeedback(p, rating, -1)
	if b := tx.contentBucket(p, forwardsBucket); b != nil {
		key := StoredKey(id)
		if err := b.Delete(key[:]); err != nil {
			return err
		}
	}
	return tx.bolt.Bucket(ownersBucket).Delete(id[:])
}

// Encode makes what AddEncodedLog stores.
func (l *Log) Encode() (Encoded, error) { return newEncoded(l) }

// AddLog stores a new log and gives it its id. A project that is gone is
// NotFound and nothing is written.
func (tx *Tx) AddLog(p ProjectID, l *Log) error {
	e, err := l.Encode()
	if err != nil {
		return err
	}
	return tx.AddEncodedLog(p, l, e)
}

// AddEncodedLog is AddLog for a log that has not changed since it was encoded. It
// can be added once.
func (tx *Tx) AddEncodedLog(p ProjectID, l *Log, e Encoded) error {
	if tx.content(p) == nil {
		return notFound("project")
	}
	l.ID = tx.newID()
	tx.newLogs++
	tx.count(p, countLevel(l.Level), 1)
	return logSeries.addEncoded(tx, p, l.ID, e)
}

// Log reads one log of a project.
func (tx *Tx) Log(p ProjectID, id ID) (*Log, error) {
	_, l, err := logSeries.find(tx.content(p), id)
	return l, err
}

// PutLog stores a log of which only Hidden may have changed.
func (tx *Tx) PutLog(p ProjectID, l *Log) error { return logSeries.replace(tx, p, l.ID, l) }

// groupLimits bound the submissions that wait for the disk. All of them may share a
// commit, as each is one small record.
var groupLimits = boltfile.Limits{Waiting: 4096, Together: 4096}

// Submit runs fn in a write transaction that it shares with the submissions that arrive
// meanwhile: one sync for all of them. A submission that is alone is not delayed.
// Submit returns when the transaction is on disk.
//
// fn must fail only on I/O errors, because an error rolls back the other submissions
// too; a submission with nothing to do writes nothing and returns nil. When the queue
// is full, the error is Unavailable. For a moment after a transaction has failed, no
// other is tried and the error is that of the disk, see Update.
func (s *Store) Submit(fn func(*Tx) error) error { return s.submissions.Submit(fn, 0) }

// commitGroup commits submissions. The caller must hold the lock of s.file.
func (s *Store) commitGroup(group []func(*Tx) error) error {
	return s.commit(func(tx *Tx) error {
		for _, fn := range group {
			if err := fn(tx); err != nil {
				return err
			}
		}
		return nil
	})
}
