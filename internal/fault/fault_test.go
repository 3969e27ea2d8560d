package fault_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"svc/internal/fault"
)

func TestFault(t *testing.T) {
	t.Parallel()
	t.Run("is found by kind through wrapping", func(t *testing.T) {
		t.Parallel()
		err := fmt.Errorf("read project: %w", fault.New(fault.NotFound, "project %q not found", "demo"))
		if !fault.Is(err, fault.NotFound) || fault.Is(err, fault.Conflict) {
			t.Errorf("kind of %v is not NotFound alone", err)
		}
	})
	t.Run("other errors have no kind", func(t *testing.T) {
		t.Parallel()
		if err := errors.New("disk on fire"); fault.Is(err, fault.Invalid) || fault.Is(nil, fault.Invalid) {
			t.Errorf("%v has kind Invalid", err)
		}
	})
	t.Run("broken rules are joined as clients join them", func(t *testing.T) {
		t.Parallel()
		err := fault.Validation("name is required", "rating must be an integer from 1 to 5")
		want := "name is required; rating must be an integer from 1 to 5"
		if err.Error() != want || !err.Validation || err.Kind != fault.Invalid {
			t.Errorf("got %q, validation %v, kind %d; want %q, true, Invalid", err.Error(), err.Validation, err.Kind, want)
		}
	})
	t.Run("says how long to wait", func(t *testing.T) {
		t.Parallel()
		if err := fault.New(fault.TooMany, "slowly").After(3 * time.Second); err.RetryAfter != 3*time.Second {
			t.Errorf("wait %v, want 3s", err.RetryAfter)
		}
	})
	t.Run("says whether data has changed", func(t *testing.T) {
		t.Parallel()
		err := fault.New(fault.Unavailable, "later").Outcome(fault.OutcomeUnknown).After(time.Second)
		if err.Changed != "unknown" || fault.New(fault.Unavailable, "later").Changed != "" {
			t.Errorf("outcome %q, want unknown; and none by default", err.Changed)
		}
	})
}
