package store

import (
	"encoding/json"

	"svc/internal/fault"
	"svc/internal/fold"
	"svc/internal/platform"
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
	Sender
}

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

func (f *Feedback) word() word {
	return flagWord(f.Hidden, hidden) | platformWord(f.Platform) | word(f.rating())<<ratingShift | word(f.Status)<<statusShift
}

func (f *Feedback) rating() int {
	if f.Rating == nil {
		return 0
	}
	return *f.Rating
}

func (f *Feedback) searchText() string {
	return fold.Fields(&f.Content, f.UserID, f.Contact, f.IP, f.City, f.CountryName, f.RegionName, f.PlatformVersion)
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

const levelShift = ownShift

func (l *Log) word() word {
	return flagWord(l.Hidden, hidden) | platformWord(l.Platform) | word(l.Level)<<levelShift
}

func (l *Log) searchText() string {
	return fold.Fields(&l.Content, l.Source, l.IP, l.City, l.CountryName, l.RegionName, l.PlatformVersion)
}

// AddFeedback stores new feedback and gives it its id. A project that is gone
// is NotFound and nothing is written.
func (tx *Tx) AddFeedback(p ProjectID, f *Feedback) error {
	if tx.content(p) == nil {
		return fault.New(fault.NotFound, "project not found")
	}
	f.ID = tx.newID()
	tx.newFeedback++
	tx.countFeedback(p, f, 1)
	if err := tx.bolt.Bucket(ownersBucket).Put(f.ID[:], p.key()); err != nil {
		return err
	}
	return add(tx, p, feedbackSeries, f.ID, f)
}

func (tx *Tx) countFeedback(p ProjectID, f *Feedback, n int64) {
	tx.count(p, countFeedback, n)
	if f.Rating != nil {
		tx.count(p, countRated, n)
		tx.count(p, countRatings, n*int64(*f.Rating))
	}
}

// Feedback reads one feedback of a project.
func (tx *Tx) Feedback(p ProjectID, id ID) (*Feedback, error) {
	_, f, err := find[Feedback](tx.content(p), feedbackSeries, id)
	if err != nil {
		return nil, err
	}
	f.ID = id
	return f, nil
}

// OwnedFeedback reads feedback and its project by its id alone.
func (tx *Tx) OwnedFeedback(id ID) (*Project, *Feedback, error) {
	owner, ok := tx.owner(id)
	if !ok {
		return nil, nil, fault.New(fault.NotFound, "feedback not found")
	}
	p, err := tx.projectByID(owner)
	if err != nil {
		return nil, nil, err
	}
	f, err := tx.Feedback(owner, id)
	return p, f, err
}

// PutFeedback stores changed feedback.
func (tx *Tx) PutFeedback(p ProjectID, f *Feedback) error {
	before, err := tx.Feedback(p, f.ID)
	if err != nil {
		return err
	}
	tx.countFeedback(p, before, -1)
	tx.countFeedback(p, f, 1)
	return replace(tx, p, feedbackSeries, f.ID, f)
}

// DeleteFeedback removes feedback.
func (tx *Tx) DeleteFeedback(p ProjectID, f *Feedback) error {
	tx.countFeedback(p, f, -1)
	if err := tx.bolt.Bucket(ownersBucket).Delete(f.ID[:]); err != nil {
		return err
	}
	return replace[Feedback](tx, p, feedbackSeries, f.ID, nil)
}

// AddLog stores a new log and gives it its id. A project that is gone is
// NotFound and nothing is written.
func (tx *Tx) AddLog(p ProjectID, l *Log) error {
	if tx.content(p) == nil {
		return fault.New(fault.NotFound, "project not found")
	}
	l.ID = tx.newID()
	tx.newLogs++
	tx.count(p, countLevel(l.Level), 1)
	return add(tx, p, logSeries, l.ID, l)
}

// Log reads one log of a project.
func (tx *Tx) Log(p ProjectID, id ID) (*Log, error) {
	_, l, err := find[Log](tx.content(p), logSeries, id)
	if err != nil {
		return nil, err
	}
	l.ID = id
	return l, nil
}

// PutLog stores a log of which only Hidden may have changed.
func (tx *Tx) PutLog(p ProjectID, l *Log) error { return replace(tx, p, logSeries, l.ID, l) }
