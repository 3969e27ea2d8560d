package search

import (
	"strings"
	"testing"
)

// TestState checks that State reflects the progress of the index.
func TestState(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	if s := b.index.State(); s.Running || s.Ready || s.Batches != 0 {
		t.Errorf("at first: got %+v", s)
	}
	p := b.addProject("app")
	b.addLogs(p.ID, 600, numbered) // two complete blocks, and some logs of an incomplete one
	if s := b.index.State(); s.Lag() != s.Last || s.Last == 0 {
		t.Errorf("behind: got a lag of %d changes of %d, want all", s.Lag(), s.Last)
	}
	b.settle()
	s := b.index.State()
	if s.Lag() != 0 || !s.Ready || s.Batches == 0 || s.Documents != 3 || s.Failed != 0 || s.Failure != "" {
		t.Errorf("up to date: got %+v, want 3 documents, the project and two blocks", s)
	}
	check(t, b.index.Rebuild(t.Context(), nil))
	if again := b.index.State(); again.Documents != 6 || again.Batches <= s.Batches {
		t.Errorf("built anew: got %d documents in %d batches, want 6 in more than %d", again.Documents, again.Batches, s.Batches)
	}

	b.index.observed.caughtUp(errStale)
	if s := b.index.State(); s.Failed != 1 || !strings.Contains(s.Failure, errStale.Error()) {
		t.Errorf("after a failure: got %d, %q", s.Failed, s.Failure)
	}
	b.index.observed.caughtUp(nil)
	if s := b.index.State(); s.Failed != 1 || s.Failure != "" {
		t.Errorf("when it goes again: got %d, %q", s.Failed, s.Failure)
	}
}
