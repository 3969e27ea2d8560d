package event_test

import (
	"context"
	"testing"

	"svc/internal/event"
	"svc/internal/event/query"
)

func (w *world) state(t *testing.T) event.State {
	t.Helper()
	s, err := w.State()
	check(t, err)
	return s
}

// TestState checks that State reflects the operations on an engine.
func TestState(t *testing.T) {
	t.Parallel()
	w := newWorld(t, event.Options{})
	w.send(t, "u", "s", "open", noon, "1", "2", "3")
	w.send(t, "u", "s", "open", noon, "3", "4")
	w.send(t, "u", "s", "open", noon, "4") // nothing new, nothing to write
	s := w.state(t)
	if s.Events != 4 || s.Batches != 3 || s.Commits != 2 || s.Failed != 0 || s.Group.Sum != 2 || s.PerSecond != 4./60 {
		t.Errorf("got %d events in %d batches and %d commits of %d, %d failed, %.2f a second; want 4, 3, 2 of 2, 0, 0.07", s.Events, s.Batches, s.Commits, s.Group.Sum, s.Failed, s.PerSecond)
	}
	if s.HeadEvents != 4 || s.HeadBytes == 0 || s.WALBytes == 0 || s.Blocks != 0 || s.Hours != 0 || s.FrozenHeads != 0 {
		t.Errorf("in memory: got %d events, %d bytes, log of %d bytes, %d blocks", s.HeadEvents, s.HeadBytes, s.WALBytes, s.Blocks)
	}
	wal := s.WALBytes

	w.reopen(t) // a stop writes the head
	if s := w.state(t); s.HeadEvents != 0 || s.WALBytes != 0 || s.Blocks != 1 || s.Hours != 1 || s.Events != 0 {
		t.Errorf("after a stop: got %+v, want one block", s)
	}
	w.send(t, "u", "s", "open", noon, "5")
	w.send(t, "u", "s", "open", noon+3600, "6")
	check(t, w.Flush())
	if s := w.state(t); s.Blocks != 3 || s.Hours != 2 {
		t.Errorf("a second time in one hour: got %d blocks of %d hours, want 3 of 2", s.Blocks, s.Hours)
	}
	for worked := true; worked; {
		var err error
		worked, err = w.Compact()
		check(t, err)
	}
	if s := w.state(t); s.Blocks != 2 || s.Hours != 2 {
		t.Errorf("merged: got %d blocks of %d hours, want 2 of 2", s.Blocks, s.Hours)
	}
	_, err := w.Overview(context.Background(), 1, query.Range{Start: noon, End: noon + 3600})
	check(t, err)
	if s := w.state(t); s.Queries.Total() != 1 || s.QueriesRunning != 0 || s.QueriesWaiting != 0 || s.Transactions != 0 || s.Oldest != 0 {
		t.Errorf("after a question: got %d, %d running, %d waiting, %d transactions", s.Queries.Total(), s.QueriesRunning, s.QueriesWaiting, s.Transactions)
	}
	if wal <= 0 {
		t.Errorf("got a WAL of %d bytes", wal)
	}
}
