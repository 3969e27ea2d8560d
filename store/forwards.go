package store

import (
	"bytes"
	"crypto/sha256"
	"time"

	"svc/internal/boltfile"
	"svc/internal/fault"
	"svc/internal/limit"
)

// Forward is feedback that is being forwarded to the code host, where it becomes an
// issue. Its id and its number in the series of feedback are reserved before the issue is
// requested, because the issue contains the id. The feedback is not visible until the
// Forward is complete. If a Forward still exists after its request has ended, it is
// unknown whether the issue was created.
//
// Feedback that is already stored can be forwarded, too. Its Forward has the time of the
// first request, but no copy of the feedback, because the feedback may change before the
// issue exists.
type Forward struct {
	Project ProjectID `json:"-"`
	// Key identifies the content of the submission and its caller, so that an identical
	// submission finds this Forward. It is nil if the caller has no address; such
	// submissions are never treated as duplicates.
	Key *limit.Key `json:"-"`

	ID      ID     `json:"id"`
	Number  uint64 `json:"number"`            // number of the feedback in the series
	Repo    string `json:"repo"`              // repository of the issue, owner/name
	Tried   int64  `json:"tried"`             // time of the latest request for the issue, Unix seconds
	Settled bool   `json:"settled,omitempty"` // the feedback was stored late, after its request had failed
	// Since is the time of the first request for an issue of stored feedback, in Unix
	// seconds. It is 0 if the feedback is not stored yet.
	Since    int64     `json:"since,omitempty"`
	Feedback *Feedback `json:"feedback,omitempty"` // nil if Settled or Stored
}

// StoredKey returns the key of the Forward of stored feedback. It depends only on the id,
// so that each feedback has at most one Forward.
func StoredKey(id ID) limit.Key {
	return sha256.Sum256(append([]byte("stored feedback"), id[:]...)) // differs from the keys of all submissions
}

// Stored reports whether the feedback was already stored when its issue was requested.
func (w *Forward) Stored() bool { return w.Since != 0 }

// Begun returns the time of the first request for the issue, in Unix seconds.
func (w *Forward) Begun() int64 {
	if w.Stored() {
		return w.Since
	}
	return CreatedAt(w.ID)
}

// key returns the key under which the Forward is stored.
func (w *Forward) key() []byte {
	if w.Key == nil {
		return w.ID[:]
	}
	return w.Key[:]
}

// readForward decodes the value that is stored at key. It returns nil if the value is
// nil.
func readForward(p ProjectID, key, raw []byte) (*Forward, error) {
	if raw == nil {
		return nil, nil
	}
	w, err := decode[Forward](key, raw)
	if err != nil {
		return nil, err
	}
	w.Project = p
	if len(key) == len(limit.Key{}) {
		w.Key = (*limit.Key)(bytes.Clone(key))
	}
	if w.Feedback != nil {
		w.Feedback.ID = w.ID
	}
	return w, nil
}

// EarlierForward finds an earlier submission with the given key. It returns its feedback
// as f if f was stored within Options.DedupWindow, or was stored after the request for
// its issue had failed. It returns its Forward as w if the outcome of the request is
// unknown. Both are nil if there is no earlier submission.
func (s *Store) EarlierForward(p ProjectID, key limit.Key) (f *Feedback, w *Forward, err error) {
	err = s.View(func(tx *Tx) (err error) {
		if id, ok := s.duplicates.Find(key, tx.now); ok {
			if f, err = tx.Feedback(p, id); !fault.Is(err, fault.NotFound) {
				return err
			}
		}
		b := tx.contentBucket(p, forwardsBucket)
		if b == nil {
			return nil
		}
		w, err = readForward(p, key[:], b.Get(key[:]))
		if err != nil || w == nil || !w.Settled {
			return err
		}
		f, err = tx.Feedback(p, w.ID)
		w = nil
		if fault.Is(err, fault.NotFound) {
			return nil // the earlier feedback has been deleted, so this submission is a new one
		}
		return err
	})
	return f, w, err
}

// maxForwards limits the Forwards that a project can have at a time. Each Forward is
// stored in full and looked up on its own.
const maxForwards = 1000

// TryForward stores that an issue is about to be requested. If the feedback is not stored
// yet and the Forward is new, TryForward gives it an id and a number. The error is
// NotFound if the project is gone. It is Unavailable if the project already has too many
// Forwards, which happens when the code host has not answered for a long time.
func (s *Store) TryForward(w *Forward) error {
	if w.ID == (ID{}) {
		// Check the limit in a separate transaction, because a refusal then costs no commit. A
		// few more Forwards that arrive at the same moment do no harm.
		err := s.View(func(tx *Tx) error {
			if b := tx.contentBucket(w.Project, forwardsBucket); b != nil && hasKeys(b, maxForwards) {
				return fault.New(fault.Unavailable,
					"feedback cannot be forwarded at the moment; try again tomorrow, or send it without forwarding").After(time.Hour)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return s.submitOne(func(tx *Tx) (err error) {
		b := tx.contentBucket(w.Project, forwardsBucket)
		if b == nil {
			return notFound("project")
		}
		if w.ID == (ID{}) {
			w.ID = tx.newID()
			w.Feedback.ID = w.ID
			if w.Number, err = feedbackSeries.of(tx, w.Project).Reserve(); err != nil {
				return err
			}
		}
		w.Tried = tx.now.Unix()
		there := *w
		if w.Stored() {
			there.Feedback = nil
		}
		return put(b, w.key(), there)
	})
}

// hasKeys reports whether a bucket has at least n keys, without counting the others.
func hasKeys(b *boltfile.Bucket, n int) bool {
	cursor := b.Cursor()
	for key, _ := cursor.First(); key != nil; key, _ = cursor.Next() {
		if n--; n == 0 {
			return true
		}
	}
	return false
}

// CompleteForward stores the feedback of a Forward together with the issue's number and
// address, either of which may be nil. It returns the feedback, which is ordinary
// feedback from then on. The key of the Forward is remembered for Options.DedupWindow. If
// late is true, the request had already been reported as failed, and the key is
// remembered until ForgetForwards deletes the Forward. A Forward that is already complete
// is left unchanged. The error is NotFound if the project is gone, or if feedback that
// was already stored has been deleted.
func (s *Store) CompleteForward(w *Forward, number *int64, address *string, late bool) (f *Feedback, err error) {
	remembered := false
	err = s.submitOne(func(tx *Tx) (err error) {
		content := tx.content(w.Project)
		if content == nil {
			return notFound("project")
		}
		if w.Stored() {
			f, err = completeStored(tx, w, number, address)
			return err
		}
		if feedbackSeries.of(tx, w.Project).Has(w.Number) {
			f, err = tx.Feedback(w.Project, w.ID)
			return err
		}
		f = new(*w.Feedback)
		f.Forwarded, f.IssueNumber, f.IssueURL = true, number, address
		if err := ownFeedback(tx, w.Project, f); err != nil {
			return err
		}
		if err := feedbackSeries.of(tx, w.Project).Write(w.Number, w.ID, f); err != nil {
			return err
		}
		if err := tx.notifyFeedback(w.Project, f); err != nil {
			return err
		}
		if late {
			settled := *w
			settled.Settled, settled.Feedback = true, nil
			return put(content.Bucket(forwardsBucket), w.key(), settled)
		}
		if w.Key != nil {
			s.duplicates.Add(*w.Key, w.ID, tx.now)
			remembered = true
		}
		return forgetForward(tx, w)
	})
	if err != nil && remembered {
		s.duplicates.Forget(*w.Key)
	}
	return f, err
}

// completeStored adds the issue to feedback that is already stored. It leaves all other
// fields unchanged.
func completeStored(tx *Tx, w *Forward, number *int64, address *string) (*Feedback, error) {
	if err := forgetForward(tx, w); err != nil {
		return nil, err
	}
	f, err := tx.Feedback(w.Project, w.ID)
	if err != nil || f.Forwarded {
		return f, err
	}
	f.Forwarded, f.IssueNumber, f.IssueURL = true, number, address
	return f, tx.PutFeedback(w.Project, f)
}

// firstReserved returns the least number that a Forward has reserved for a record that is not
// stored yet, or the parameter most if there is no such number below it.
func firstReserved(tx *Tx, p ProjectID, most uint64) (uint64, error) {
	b := tx.contentBucket(p, forwardsBucket)
	if b == nil {
		return most, nil
	}
	err := b.ForEach(func(key, raw []byte) error {
		w, err := readForward(p, key, raw)
		if err == nil && !w.Stored() && !w.Settled {
			most = min(most, w.Number)
		}
		return err
	})
	return most, err
}

// AbandonForward deletes a Forward that did not become an issue. Its number is never
// used.
func (s *Store) AbandonForward(w *Forward) error {
	return s.submitOne(func(tx *Tx) error { return forgetForward(tx, w) })
}

// forgetForward deletes a Forward, unless a different Forward is now stored under the same key.
func forgetForward(tx *Tx, w *Forward) error {
	b := tx.contentBucket(w.Project, forwardsBucket)
	if b == nil {
		return nil // it was deleted with its project
	}
	there, err := readForward(w.Project, w.key(), b.Get(w.key()))
	if err != nil || there == nil || there.ID != w.ID {
		return err
	}
	return b.Delete(w.key())
}

// Forwards returns the Forwards with an unknown outcome. Requests in progress are
// included.
func (s *Store) Forwards() ([]*Forward, error) {
	return s.forwardsThat(func(w *Forward) bool { return !w.Settled })
}

// ForgetForwards deletes all Forwards that were begun before the given time, settled or
// not, except those of stored feedback. An issue for stored feedback can be requested
// again at any time, and must not be created twice.
func (s *Store) ForgetForwards(before time.Time) error {
	old, err := s.forwardsThat(func(w *Forward) bool { return !w.Stored() && w.Begun() < before.Unix() })
	if err != nil || len(old) == 0 { // nearly always there is nothing to delete, and nothing is written
		return err
	}
	return s.Update(func(tx *Tx) error {
		for _, w := range old {
			if err := forgetForward(tx, w); err != nil {
				return err
			}
		}
		return nil
	})
}

// forwardsThat returns the Forwards of all projects for which wanted returns true.
func (s *Store) forwardsThat(wanted func(*Forward) bool) (all []*Forward, err error) {
	err = s.View(func(tx *Tx) error {
		return tx.eachProject(func(p ProjectID) error {
			b := tx.contentBucket(p, forwardsBucket)
			if b == nil {
				return nil
			}
			return b.ForEach(func(key, raw []byte) error {
				w, err := readForward(p, key, raw)
				if err == nil && wanted(w) {
					all = append(all, w)
				}
				return err
			})
		})
	})
	return all, err
}

// submitOne is like Submit, for a function that can return NotFound because a project or record has
// been deleted. That error rolls back neither the other submissions nor the earlier writes of fn.
func (s *Store) submitOne(fn func(*Tx) error) error {
	var refused error
	err := s.Submit(func(tx *Tx) error {
		err := fn(tx)
		if fault.Is(err, fault.NotFound) {
			refused = err
			return nil
		}
		return err
	})
	if err == nil {
		err = refused
	}
	return err
}
