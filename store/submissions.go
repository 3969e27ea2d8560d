package store

import (
	"encoding/json"
	"errors"
	"math"
	"slices"

	"svc/internal/boltfile"
	"svc/internal/fault"
	"svc/internal/limit"
	"svc/internal/loggroup"
	"svc/internal/platform"
	"svc/internal/searchtext"
	"svc/store/column"
	"svc/store/series"
)

// submissions is the series of feedback or of logs. In addition to the series, it contains the kind
// of the changes to it in the change feed, and the name of the count that holds its size in bytes.
type submissions[R any, T series.Record[R]] struct {
	series.Series[R, T]
	kind  Kind
	bytes countName
}

var (
	feedbackSeries = submissions[Feedback, *Feedback]{
		series.Series[Feedback, *Feedback]{
			Records: []byte("feedback"), Words: []byte("feedback_words"), Texts: []byte("feedback_texts"), What: "feedback",
		},
		KindFeedback, "feedback.bytes",
	}
	logSeries = submissions[Log, *Log]{
		series.Series[Log, *Log]{
			Records: []byte("logs"), Words: []byte("log_words"), Texts: []byte("log_texts"), Labels: []byte("log_labels"), What: "log",
		},
		KindLog, "logs.bytes",
	}
)

// of returns the list of a project's submissions. If the project has been deleted, the list's
// Missing method returns true.
func (s submissions[R, T]) of(tx *Tx, p ProjectID) series.List[R, T] {
	return s.In(tx.content(p), series.Changes{
		Owner: uint32(p), Heads: tx.heads,
		Stored: func(bytes int64) { tx.count(p, s.bytes, bytes) },
		Packed: func(block uint32, text int64) error {
			tx.changedText += text
			return tx.record(Change{Kind: s.kind, Project: p, Block: block})
		},
	})
}

// Encoded is the stored form of a submission, except for its id.
type Encoded = series.Encoded

// The filter bits that feedback and logs share. Bits 2 to 4 contain the position of the
// platform in platform.All plus 1, or 0 if there is no platform. The bits from ownShift
// on have a different meaning for each kind.
const (
	hidden        column.Word = 1 << 0
	platformShift             = 2
	platformMask  column.Word = 7 << platformShift
	ownShift                  = 5
)

// commonWord returns the filter bits that feedback and logs share: visibility and
// platform.
func commonWord(isHidden bool, p *platform.Platform) (w column.Word) {
	if isHidden {
		w = hidden
	}
	if p != nil {
		w |= column.Word(slices.Index(platform.All[:], *p)+1) << platformShift
	}
	return w
}

// Sender describes the client that sent a submission. All fields are nil if an
// administrator created the submission.
type Sender struct {
	IP          *string `json:"ip,omitempty"`
	UserAgent   *string `json:"user_agent,omitempty"`
	CountryCode *string `json:"country_code,omitempty"`
	CountryName *string `json:"country_name,omitempty"`
	RegionName  *string `json:"region_name,omitempty"`
	City        *string `json:"city,omitempty"`
}

// Feedback is a message of a user. Its id contains its creation time.
type Feedback struct {
	ID              ID                 `json:"-"`
	UserID          *string            `json:"user_id,omitempty"`
	Rating          *int               `json:"rating,omitempty"` // 1 to 5
	Content         string             `json:"content"`
	Contact         *string            `json:"contact,omitempty"`
	Hidden          bool               `json:"hidden,omitempty"`
	Status          FeedbackStatus     `json:"status"`
	Result          *string            `json:"result,omitempty"`
	Reply           *string            `json:"reply,omitempty"`      // shown to the sender, unlike Result
	RepliedAt       *int64             `json:"replied_at,omitempty"` // time of the last change of Reply, in Unix seconds; nil without a Reply
	Platform        *platform.Platform `json:"platform,omitempty"`
	PlatformVersion *string            `json:"platform_version,omitempty"`
	CustomData      json.RawMessage    `json:"custom_data,omitempty"` // a JSON object
	Forwarded       bool               `json:"forwarded,omitempty"`   // Forwarded means that the feedback has become an issue, see Forward
	IssueNumber     *int64             `json:"issue_number,omitempty"`
	IssueURL        *string            `json:"issue_url,omitempty"`
	Sender
}

// Identify sets the feedback's id.
func (f *Feedback) Identify(id ID) { f.ID = id }

// FeedbackStatus is the state of the work on feedback.
type FeedbackStatus uint8

// The states of feedback. Each state can follow any other.
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

// Word returns the filter bits of the feedback.
func (f *Feedback) Word() column.Word {
	return commonWord(f.Hidden, f.Platform) | column.Word(f.rating())<<ratingShift | column.Word(f.Status)<<statusShift
}

// SetReply sets the reply to the sender, or removes it if reply is nil. If the text of the reply
// changes, SetReply sets its time to the parameter now, in Unix seconds.
func (f *Feedback) SetReply(reply *string, now int64) {
	if reply == nil {
		f.Reply, f.RepliedAt = nil, nil
		return
	}
	if f.Reply == nil || *f.Reply != *reply {
		f.Reply, f.RepliedAt = reply, &now
	}
}

func (f *Feedback) rating() int {
	if f.Rating == nil {
		return 0
	}
	return *f.Rating
}

// SearchText returns the folded text that the parameter search= is matched against.
func (f *Feedback) SearchText() string {
	return searchtext.Fields(&f.Content, f.UserID, f.Contact, f.IP, f.City, f.CountryName, f.RegionName, f.PlatformVersion)
}

// Log is a log entry that a client uploaded. Its id contains its creation time.
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

	Group loggroup.ID `json:"-"` // zero if the log belongs to no group
	Muted bool        `json:"-"` // the group is muted; set only by AddEncodedLog and LogWithGroup

	subject *subject `json:"-"` // the cached result of the method about
}

// Identify sets the log's id.
func (l *Log) Identify(id ID) { l.ID = id }

const levelShift = ownShift

// Word returns the filter bits of the log.
func (l *Log) Word() column.Word {
	return commonWord(l.Hidden, l.Platform) | column.Word(l.Level)<<levelShift
}

// SearchText returns the folded text that the parameter search= is matched against.
func (l *Log) SearchText() string {
	return searchtext.Fields(&l.Content, l.Source, l.IP, l.City, l.CountryName, l.RegionName, l.PlatformVersion)
}

// Encode returns the encoded feedback, for ReceiveFeedback.
func (f *Feedback) Encode() (Encoded, error) { return series.Encode[Feedback](f) }

// AddFeedback stores new feedback and gives it its id. If the project is gone, the error
// is NotFound and nothing is written.
func (tx *Tx) AddFeedback(p ProjectID, f *Feedback) error {
	e, err := f.Encode()
	if err != nil {
		return err
	}
	return tx.addFeedback(p, f, e)
}

// ReceiveFeedback is like AddFeedback, but for feedback from a client, and it also sends an event.
// e is the encoded form of f. f must not have changed since it was encoded, and e can be added only
// once.
func (tx *Tx) ReceiveFeedback(p ProjectID, f *Feedback, e Encoded) error {
	if err := tx.addFeedback(p, f, e); err != nil {
		return err
	}
	return tx.notifyFeedback(p, f)
}

func (tx *Tx) addFeedback(p ProjectID, f *Feedback, e Encoded) error {
	if tx.content(p) == nil {
		return notFound("project")
	}
	f.ID = tx.newID()
	if err := ownFeedback(tx, p, f); err != nil {
		return err
	}
	return feedbackSeries.of(tx, p).Add(f.ID, e)
}

// ownFeedback stores the project as the owner of new feedback, and counts the feedback.
func ownFeedback(tx *Tx, p ProjectID, f *Feedback) error {
	tx.newFeedback++
	countRating(tx, p, f.rating(), 1)
	return tx.bolt.Bucket(ownersBucket).Put(f.ID[:], p.key())
}

// countRating adds n feedback records with the given rating to the counts of a project. n is
// negative for records that are removed. A rating of 0 means that the records have none.
func countRating(tx *Tx, p ProjectID, rating int, n int64) {
	tx.count(p, countFeedback, n)
	if rating != 0 {
		tx.count(p, countRated, n)
		tx.count(p, countRatings, n*int64(rating))
	}
}

// Feedback reads the feedback with the given id from a project.
func (tx *Tx) Feedback(p ProjectID, id ID) (*Feedback, error) {
	return feedbackSeries.of(tx, p).Find(id)
}

// OwnedFeedback reads feedback and its project, given only the id of the feedback.
func (tx *Tx) OwnedFeedback(id ID) (*Project, *Feedback, error) {
	return owned(tx, id, "feedback", tx.Feedback)
}

// PutFeedback stores changed feedback.
func (tx *Tx) PutFeedback(p ProjectID, f *Feedback) error {
	before, err := tx.Feedback(p, f.ID)
	if err != nil {
		return err
	}
	countRating(tx, p, before.rating(), -1)
	countRating(tx, p, f.rating(), 1)
	return feedbackSeries.of(tx, p).Replace(f.ID, f)
}

// MarkFeedback sets the status and the visibility of several feedback records. If status or hidden
// is nil, it is left unchanged. ids must not contain an id twice. The error is NotFound if a record
// is missing; the caller must then return it from the transaction, because other records may
// already have been changed.
func (tx *Tx) MarkFeedback(p ProjectID, ids []ID, status *FeedbackStatus, hidden *bool) error {
	return feedbackSeries.of(tx, p).Mark(ids, func(f *Feedback) bool {
		before := f.Word()
		if status != nil {
			f.Status = *status
		}
		if hidden != nil {
			f.Hidden = *hidden
		}
		return f.Word() != before
	})
}

// DeleteFeedback removes feedback.
func (tx *Tx) DeleteFeedback(p ProjectID, f *Feedback) error {
	if err := forgetFeedback(tx, p, f.ID, f.rating()); err != nil {
		return err
	}
	return errors.Join(tx.noteErasure(), feedbackSeries.of(tx, p).Replace(f.ID, nil))
}

// forgetFeedback removes everything that is stored about feedback outside its record: its part in
// the counts, its owner, and its Forward. A rating of 0 means that the feedback has no rating.
func forgetFeedback(tx *Tx, p ProjectID, id ID, rating int) error {
	countRating(tx, p, rating, -1)
	if b := tx.contentBucket(p, forwardsBucket); b != nil {
		key := StoredKey(id)
		if err := b.Delete(key[:]); err != nil {
			return err
		}
	}
	return tx.bolt.Bucket(ownersBucket).Delete(id[:])
}

// Encode returns the encoded log, for AddEncodedLog.
func (l *Log) Encode() (Encoded, error) { return series.Encode[Log](l) }

// AddLog stores a new log and gives it its id. If the project is gone, the error is
// NotFound and nothing is written.
func (tx *Tx) AddLog(p ProjectID, l *Log) error {
	e, err := l.Encode()
	if err != nil {
		return err
	}
	return tx.AddEncodedLog(p, l, e)
}

// AddEncodedLog is like AddLog, but for a log that has already been encoded as e. The log must not
// have changed since then, and e can be added only once.
func (tx *Tx) AddEncodedLog(p ProjectID, l *Log, e Encoded) error {
	if tx.content(p) == nil {
		return notFound("project")
	}
	l.ID = tx.newID()
	tx.newLogs++
	tx.count(p, countLevel(l.Level), 1)
	if err := tx.groupLog(p, l); err != nil {
		return err
	}
	return logSeries.of(tx, p).Add(l.ID, e)
}

// Log reads one log of a project.
func (tx *Tx) Log(p ProjectID, id ID) (*Log, error) {
	l, err := logSeries.of(tx, p).Find(id)
	if err != nil {
		return nil, err
	}
	return l, tx.findGroup(p, l)
}

// PutLog stores a changed log. Only its field Hidden may have changed.
func (tx *Tx) PutLog(p ProjectID, l *Log) error { return logSeries.of(tx, p).Replace(l.ID, l) }

// HideLogs sets the visibility of several logs. As in MarkFeedback, ids must not contain an id
// twice, and the caller must return a NotFound error from the transaction.
func (tx *Tx) HideLogs(p ProjectID, ids []ID, hidden bool) error {
	return logSeries.of(tx, p).Mark(ids, func(l *Log) bool {
		changed := l.Hidden != hidden
		l.Hidden = hidden
		return changed
	})
}

// Direction is the direction in which a list is ordered by a field.
type Direction int8

// The directions. Records with the same value are ordered by age, the newest first unless
// Selection.Oldest is set.
const (
	Unordered Direction = iota
	Ascending
	Descending
)

// Selection selects a part of a list. The newest record comes first unless a field says
// otherwise.
type Selection struct {
	Hidden        bool // include hidden records
	Platform      *platform.Platform
	Find          *Find
	Oldest        bool // the oldest record comes first
	Offset, Limit int
	// MaxBytes limits the total stored size of the page's records. If they exceed the limit, none of
	// them is read, and Found.Unread lists them. 0 means no limit.
	MaxBytes int
}

// shown returns the filter that excludes only the records that the list must not show:
// removed records and, unless q.Hidden is set, hidden ones.
func (q Selection) shown() column.Filter {
	f := column.Filter{Mask: series.Gone}
	if !q.Hidden {
		f = f.And(hidden, 0)
	}
	return f
}

func (q Selection) filter() column.Filter {
	f := q.shown()
	if q.Platform != nil {
		f = f.And(platformMask, commonWord(false, q.Platform))
	}
	return f
}

// FeedbackSelection selects a part of a list of feedback. A field that is nil does not
// restrict the list.
type FeedbackSelection struct {
	Selection
	Rating   *int
	Status   *FeedbackStatus
	ByRating Direction // feedback without a rating comes last
}

// LogSelection selects a part of a list of logs. It is restricted to logs that were created between
// From and To, in Unix seconds, both inclusive. 0 and math.MaxInt64 set no bound. A field that is
// nil does not restrict the list.
type LogSelection struct {
	Selection
	Level    *int
	From, To int64
	ByLevel  Direction
	Group    *loggroup.ID
	Version  *string // the result of Log.AppVersion; must not be empty
}

type (
	// Found describes the result of a list: the total number of records, and the records of
	// the page that were not read.
	Found = series.Found
	// Unread identifies a record of a page that was not read because of MaxBytes.
	Unread = series.Unread
)

// query returns the series query for a selection of records of one kind in a project.
func (q Selection) query(tx *Tx, p ProjectID, kind Kind) (series.Query, error) {
	query := series.Query{
		Shown: q.shown(), Filter: q.filter(), Oldest: q.Oldest, To: math.MaxInt64, Offset: q.Offset, Limit: q.Limit, MaxBytes: q.MaxBytes,
	}
	if q.Find == nil {
		return query, nil
	}
	candidates, err := tx.WithChanges(q.Find.Candidates)
	query.Search = &series.Search{
		Terms: q.Find.Terms, Blocks: candidates.blocks(kind, p), All: candidates.All, ExactBytes: tx.store.exactBytes,
	}
	return query, err
}

// ListFeedback returns a part of the feedback of a project.
func (tx *Tx) ListFeedback(p ProjectID, q FeedbackSelection) ([]*Feedback, Found, error) {
	query, err := q.feedbackQuery(tx, p)
	if err != nil {
		return nil, Found{}, err
	}
	return feedbackSeries.of(tx, p).Page(query)
}

func (q FeedbackSelection) feedbackQuery(tx *Tx, p ProjectID) (series.Query, error) {
	query, err := q.query(tx, p, KindFeedback)
	if q.Rating != nil {
		query.Filter = query.Filter.And(7<<ratingShift, column.Word(*q.Rating)<<ratingShift)
	}
	if q.Status != nil {
		query.Filter = query.Filter.And(3<<statusShift, column.Word(*q.Status)<<statusShift)
	}
	if q.ByRating != Unordered && q.Rating == nil {
		query.Groups = append(groups(query.Filter, 7, ratingShift, 1, 5, q.ByRating), query.Filter.And(7<<ratingShift, 0))
	}
	return query, err
}

// ListLogs returns a part of the logs of a project.
func (tx *Tx) ListLogs(p ProjectID, q LogSelection) ([]*Log, Found, error) {
	query, err := q.logQuery(tx, p)
	if err != nil {
		return nil, Found{}, err
	}
	logs, found, err := logSeries.of(tx, p).Page(query)
	for _, l := range logs {
		err = errors.Join(err, tx.findGroup(p, l))
	}
	return logs, found, err
}

func (q LogSelection) logQuery(tx *Tx, p ProjectID) (series.Query, error) {
	query, err := q.query(tx, p, KindLog)
	if q.Level != nil {
		query.Filter = query.Filter.And(3<<levelShift, column.Word(*q.Level)<<levelShift)
	}
	if q.ByLevel != Unordered && q.Level == nil {
		query.Groups = groups(query.Filter, 3, levelShift, 0, 3, q.ByLevel)
	}
	query.From, query.To = q.From, q.To
	query.Label = q.label(tx, p)
	return query, err
}

// label returns the condition for the labels of the selected logs, or nil if there is none. The
// label of a log is derived from its group and the version of its app, see logLabel.
func (q LogSelection) label(tx *Tx, p ProjectID) func(column.Label) bool {
	if q.Group == nil && q.Version == nil {
		return nil
	}
	inGroup := func(loggroup.ID) bool { return true }
	if q.Group != nil {
		b := tx.contentBucket(p, logGroupsBucket)
		inGroup = func(id loggroup.ID) bool { return id == *q.Group }
		switch {
		case b == nil || b.Get(q.Group[:]) == nil:
			inGroup = func(loggroup.ID) bool { return false }
		case *q.Group == loggroup.Overflow:
			inGroup = func(id loggroup.ID) bool { return id != loggroup.ID{} && b.Get(id[:]) == nil }
		}
	}
	version := column.Label{}
	if q.Version != nil {
		version = logLabel(loggroup.ID{}, *q.Version)
	}
	return func(l column.Label) bool {
		return (q.Version == nil || [8]byte(l[8:]) == [8]byte(version[8:])) && inGroup(loggroup.ID(l[:8]))
	}
}

// groups returns a filter for each value in the range [least, most], in the order given by the
// parameter by. Each filter selects the records that pass f and have that value. mask and shift
// select the bits of the filter word that contain the value.
func groups(f column.Filter, mask, shift, least, most int, by Direction) (parts []column.Filter) {
	for n := least; n <= most; n++ {
		parts = append(parts, f.And(column.Word(mask)<<shift, column.Word(n)<<shift))
	}
	if by == Descending {
		slices.Reverse(parts)
	}
	return parts
}

// UnreadFeedback reads feedback that ListFeedback left unread. It returns nil if the
// feedback has been deleted since.
func (tx *Tx) UnreadFeedback(p ProjectID, u Unread) (*Feedback, error) {
	return feedbackSeries.of(tx, p).Read(u)
}

// UnreadLog reads a log that ListLogs left unread. It returns nil if the log has been
// deleted since.
func (tx *Tx) UnreadLog(p ProjectID, u Unread) (*Log, error) {
	l, err := logSeries.of(tx, p).Read(u)
	if l == nil || err != nil {
		return l, err
	}
	return l, tx.findGroup(p, l)
}

// EachFeedback visits the feedback of a project, the oldest first. visit must not
// write.
func (tx *Tx) EachFeedback(p ProjectID, visit func(*Feedback) error) error {
	return feedbackSeries.of(tx, p).Each(visit)
}

// EachLog visits the logs of a project, the oldest first. visit must not write.
func (tx *Tx) EachLog(p ProjectID, visit func(*Log) error) error {
	return logSeries.of(tx, p).Each(func(l *Log) error {
		if err := tx.findGroup(p, l); err != nil {
			return err
		}
		return visit(l)
	})
}

// LogLevels counts, by level, the logs of a project that were created in the range [from, to], in
// Unix seconds.
func (tx *Tx) LogLevels(p ProjectID, from, to int64) (byLevel [4]int, err error) {
	err = logSeries.of(tx, p).EachWord(from, to, func(w column.Word) { byLevel[w>>levelShift&3]++ })
	return byLevel, err
}

// FeedbackRatings counts, by rating, the feedback of a project that was created in the range
// [from, to], in Unix seconds. Index 0 is feedback without a rating.
func (tx *Tx) FeedbackRatings(p ProjectID, from, to int64) (byRating [6]int, err error) {
	err = feedbackSeries.of(tx, p).EachWord(from, to, func(w column.Word) { byRating[w>>ratingShift&7]++ })
	return byRating, err
}

// LogSeries counts the selected logs by interval of time and by level. It counts the logs on all
// pages. starts holds the Unix seconds at which the intervals begin; the last interval ends with
// q.To. If a search has too many matches, only the newest are counted, and found.Total is greater
// than the sum of the counts.
func (tx *Tx) LogSeries(p ProjectID, q LogSelection, starts []int64) (counts [][4]int, found Found, err error) {
	query, err := q.logQuery(tx, p)
	if err != nil {
		return nil, found, err
	}
	counts = make([][4]int, len(starts))
	found, err = logSeries.of(tx, p).Histogram(query, starts, func(bucket int, w column.Word) { counts[bucket][w>>levelShift&3]++ })
	return counts, found, err
}

// FeedbackSeries is like LogSeries, but counts feedback by interval of time and by rating. The
// feedback was created in the range [from, to], in Unix seconds. Rating 0 means feedback without a
// rating.
func (tx *Tx) FeedbackSeries(p ProjectID, q FeedbackSelection, from, to int64, starts []int64) (counts [][6]int, found Found, err error) {
	query, err := q.feedbackQuery(tx, p)
	if err != nil {
		return nil, found, err
	}
	query.From, query.To = from, to
	counts = make([][6]int, len(starts))
	found, err = feedbackSeries.of(tx, p).Histogram(query, starts, func(bucket int, w column.Word) { counts[bucket][w>>ratingShift&7]++ })
	return counts, found, err
}

// FeedbackOverview returns two statistics of a project's feedback. created counts the feedback by
// the interval in which it was created; starts holds the Unix seconds at which the intervals begin.
// open counts, by rating, the open feedback of any age that is not hidden. FeedbackOverview reads
// the columns only once.
func (tx *Tx) FeedbackOverview(p ProjectID, starts []int64) (created []int, open [6]int, err error) {
	created = make([]int, len(starts))
	query := series.Query{Filter: column.Filter{Mask: series.Gone}, To: math.MaxInt64}
	_, err = feedbackSeries.of(tx, p).Histogram(query, append([]int64{0}, starts...), func(bucket int, w column.Word) {
		if bucket > 0 {
			created[bucket-1]++
		}
		if w&hidden == 0 && FeedbackStatus(w>>statusShift&3) == StatusOpen {
			open[w>>ratingShift&7]++
		}
	})
	return created, open, err
}

// groupLimits limits the submissions that wait for the disk. All of them may share one
// commit, because each is one small record.
var groupLimits = boltfile.Limits{Waiting: 4096, Together: 4096}

// Submit runs fn in a write transaction that it shares with other submissions that arrive at about
// the same time, so that they need only one sync. A single submission is not delayed. Submit
// returns when the transaction is on disk.
//
// fn must only fail on I/O errors, because an error also rolls back the other submissions. If there
// is nothing to do, fn should write nothing and return nil. If the queue is full, the error is
// Unavailable. For a short time after a shared transaction has failed, no other one starts, and
// Submit returns the error of the failed one; see Update for the possible errors.
func (s *Store) Submit(fn func(*Tx) error) error { return s.submissions.Submit(fn, 0) }

// commitGroup runs the functions of a group of submissions in one transaction. The caller must hold
// the lock of s.file.
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

// maxDuplicates is the maximum number of submissions that are remembered to recognize duplicates.
// They use about 60 MiB of memory.
const maxDuplicates = 250_000

// SubmitOnce uses Submit to store one record, which add creates. If compare is true and a
// submission with the same key was stored within Options.DedupWindow, SubmitOnce stores nothing and
// returns the earlier record, which it reads with load. If that record has been deleted since, the
// submission counts as a new one.
func SubmitOnce[R any](s *Store, key limit.Key, compare bool, load func(*Tx, ID) (R, error), add func(*Tx) (R, ID, error)) (R, error) {
	var answer R
	var refused error // return NotFound separately, because an error of fn would fail all submissions of the transaction
	added := false
	err := s.Submit(func(tx *Tx) error {
		if id, ok := s.duplicates.Find(key, tx.Now()); ok && compare {
			var err error
			if answer, err = load(tx, id); !fault.Is(err, fault.NotFound) {
				return err
			}
		}
		record, id, err := add(tx)
		if fault.Is(err, fault.NotFound) {
			refused = err // the project has been deleted in the meantime
			return nil
		}
		if err != nil {
			return err
		}
		answer = record
		if compare {
			s.duplicates.Add(key, id, tx.Now())
			added = true
		}
		return nil
	})
	if err != nil {
		if added {
			s.duplicates.Forget(key)
		}
		return answer, err
	}
	return answer, refused
}
