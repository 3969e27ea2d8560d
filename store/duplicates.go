package store

import (
	"svc/internal/fault"
	"svc/internal/limit"
)

// maxDuplicates bounds the memory for duplicates: about 60 MiB when full.
const maxDuplicates = 250_000

// SubmitOnce is Submit for one record, which add stores. If compare is true and
// the same submission, by its key, was stored within Options.DedupWindow, nothing
// is stored, and the result is that record, as load reads it. If it was deleted
// since, the submission is a new one.
func SubmitOnce[R any](s *Store, key limit.Key, compare bool, load func(*Tx, ID) (R, error), add func(*Tx) (R, ID, error)) (R, error) {
	var answer R
	var refused error // what does not fail the others in the transaction
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
			refused = err // the project was deleted meanwhile
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
