package store

import (
	"errors"
	"time"

	"svc/internal/fault"
)

// mostWaiting bounds the submissions that wait for the disk.
const mostWaiting = 4096

// errNotFinished is for those who share a transaction that somebody's bug ended.
var errNotFinished = errors.New("the shared transaction did not finish")

// waiter is a submission in the queue.
type waiter struct {
	fn   func(*Tx) error
	err  error
	done chan struct{}
}

// Submit runs fn in a write transaction that it shares with the submissions
// that arrive meanwhile: one sync for all of them. Alone it adds no delay. It
// returns when everything is on disk.
//
// fn has been checked beforehand and must not fail but for the file itself,
// because an error undoes its neighbours too; a submission that turns out to
// be without object writes nothing and returns nil. When the queue is full the
// error is Unavailable. For a moment after the disk has not taken a transaction
// nothing is tried and the error is that of the disk, see Update.
//
// Whoever finds the queue empty leads: it waits for the transaction before,
// then commits for all who have come by then.
func (s *Store) Submit(fn func(*Tx) error) error {
	w := &waiter{fn: fn, done: make(chan struct{})}
	s.queue.Lock()
	if len(s.waiting) >= mostWaiting {
		s.queue.Unlock()
		return fault.New(fault.Unavailable, "too many writes are waiting; try again in a second").After(time.Second)
	}
	s.waiting = append(s.waiting, w)
	leads := len(s.waiting) == 1
	s.queue.Unlock()
	if leads {
		s.lead()
	}
	<-w.done
	return w.err
}

// lead commits everything that waits.
func (s *Store) lead() {
	s.writing.Lock()
	defer s.writing.Unlock()
	defer s.watch()()
	s.queue.Lock()
	group := s.waiting
	s.waiting = nil
	s.queue.Unlock()
	err := errNotFinished
	defer func() { // also when one of them panics: the others must not wait for ever
		for _, w := range group {
			w.err = err
			close(w.done)
		}
	}()
	if refused := s.file.Refused(); refused != nil {
		err = refused
		return
	}
	err = s.commit(func(tx *Tx) error {
		for _, w := range group {
			if err := w.fn(tx); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		s.observed.group.Observe(int64(len(group)))
	}
}
