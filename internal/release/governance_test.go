package release_test

import (
	"slices"
	"strings"
	"testing"

	"svc/internal/fault"
	"svc/internal/release"
)

// The values of is_latest that a client can send; nil means that it sends none.
var yes, no = new(true), new(false)

// after returns the display texts of the versions that have the latest flag once a plan
// has been carried out. at is the position of the written version, or -1 for a new
// version.
func after(t *testing.T, c *release.Catalog, at int, written string, plan release.Plan) string {
	t.Helper()
	if at >= 0 && (plan.Elect == at || slices.Contains(plan.Clear, at)) {
		t.Errorf("got %+v, want only other versions than %d cleared or elected", plan, at)
	}
	flags := map[int]bool{}
	for i := range c.Len() {
		flags[i] = c.Item(i).Latest
	}
	for _, i := range plan.Clear {
		flags[i] = false
	}
	if plan.Elect >= 0 {
		flags[plan.Elect] = true
	}
	var holders []string
	for i := range c.Len() {
		if i != at && flags[i] {
			holders = append(holders, name(c, i))
		}
	}
	if plan.Latest {
		holders = append(holders, written)
	}
	return strings.Join(holders, " ")
}

// outcome returns the result of a write: the holder of the flag after the write, or "400:
// " and the text of the error if the write was refused.
func outcome(t *testing.T, c *release.Catalog, at int, written string, plan release.Plan, err error) string {
	t.Helper()
	switch {
	case err == nil:
		return after(t, c, at, written, plan)
	case fault.Is(err, fault.Invalid):
		return "400: " + err.Error()
	}
	return err.Error()
}

const (
	exclude  = "400: is_latest and is_deprecated exclude each other; send is_latest false to deprecate the latest version"
	another  = "a version may be deprecated only while another one is official, not deprecated and greater than "
	isYanked = "400: is_latest: a yanked version cannot be the latest"
	notYet   = "400: is_latest: the version cannot be the latest before its rollout is completed"
	noOther  = "400: is_deprecated: " + another
	notMoved = "400: comparable_version: " + another
)

func TestPlanCreate(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		before []string
		next   string
		latest *bool
		want   string
	}{
		{"default: the first version", nil, "1", nil, "1"},
		{"default: a greater version", []string{"1 latest"}, "2", nil, "2"},
		{"default: an equal value", []string{"1.0 latest"}, "1", nil, "1"},
		{"default: a patch of an older line does not take it away", []string{"1", "2 latest"}, "1.0.1", nil, "2"},
		{"default: a preview", []string{"1 latest"}, "2 preview", nil, "1"},
		{"default: the first version, a preview", nil, "1 preview", nil, ""},
		{"default: a deprecated version", []string{"3 latest"}, "2 deprecated", nil, "3"},
		{"default: nobody has the flag, greater versions or not", []string{"5", "6-rc preview"}, "2", nil, "2"},
		{"default: a greater preview has the flag", []string{"3-rc preview latest"}, "2", nil, "3-rc"},
		{"default: of several flags the newest published counts", []string{"9 @1 latest", "1 @2 latest"}, "2", nil, "2"},
		{"true: an older line", []string{"1", "2 latest"}, "1.0.1", yes, "1.0.1"},
		{"true: a preview", []string{"1 latest"}, "2 preview", yes, "2"},
		{"true clears every other", []string{"1 latest", "2 latest", "3 latest"}, "0.1", yes, "0.1"},
		{"false: a greater version", []string{"1 latest"}, "2", no, "1"},
		{"false: the first version", nil, "1", no, ""},
		{"true and deprecated", []string{"1", "9 latest"}, "2 deprecated", yes, exclude},
		{"false and deprecated", []string{"9 latest"}, "2 deprecated", no, "9"},
		{"deprecated: nothing else", nil, "1 deprecated", nil, noOther + "1"},
		{"deprecated: nothing greater", []string{"1 latest"}, "2 deprecated", nil, noOther + "2"},
		{"deprecated: an equal value is not greater", []string{"2.0 latest"}, "2 deprecated", nil, noOther + "2"},
		{"deprecated: greater, but a preview", []string{"1 latest", "3 preview"}, "2 deprecated", nil, noOther + "2"},
		{"deprecated: greater, but deprecated", []string{"1 latest", "3 deprecated"}, "2 deprecated", nil, noOther + "2"},
		{"deprecated: greater behind a preview and a deprecated one", []string{"3 latest", "4 preview", "5 deprecated"}, "2 deprecated", nil, "3"},
		{"deprecated: previews may be", []string{"3 latest"}, "2 preview deprecated", nil, "3"},
		{"default: a version that is being rolled out", []string{"1 latest"}, "2 running=25", nil, "1"},
		{"default: a completed rollout", []string{"1 latest"}, "2 completed", nil, "2"},
		{"true: a version that is being rolled out", []string{"1 latest"}, "2 running", yes, notYet},
		{"true: an aborted rollout", []string{"1 latest"}, "2 aborted", yes, notYet},
		{"true: a yanked version", []string{"1 latest"}, "2 yanked", yes, isYanked},
		{"deprecated: a yanked version is greater", []string{"1 latest", "3 yanked"}, "2 deprecated", nil, "1"},
		{"deprecated: previews need a greater one too", []string{"1 latest"}, "2 preview deprecated", nil, noOther + "2"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := catalog(t, tc.before...)
			next := describe(t, tc.next)
			next.ID = id(c.Len())
			plan, err := c.PlanCreate(next, tc.latest)
			if got := outcome(t, c, -1, next.Version, plan, err); got != tc.want {
				t.Errorf("create %q among %q: got %q, want %q", tc.next, tc.before, got, tc.want)
			}
		})
	}
}

func TestPlanUpdate(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name        string
		before      []string
		edit        string // display text of the version that is edited
		next        string
		latest      *bool
		previewSent bool
		want        string
	}{
		{"nothing said: it keeps the flag", []string{"1", "2 latest"}, "2", "2 milestone", nil, false, "2"},
		{"nothing said: it does not get the flag", []string{"1 latest", "2"}, "2", "2 milestone", nil, false, "1"},
		{"nothing said: no flag, none elected", []string{"1", "2"}, "2", "2 milestone", nil, false, ""},
		{"nothing said: below another it keeps the flag", []string{"1", "2 latest"}, "2", "2=0.5", nil, false, "2"},
		{"true: takes it from the other", []string{"1", "2 latest"}, "1", "1", yes, false, "1"},
		{"true clears every other", []string{"1", "2 latest", "3 latest"}, "1", "1", yes, false, "1"},
		{"true again", []string{"1", "2 latest"}, "2", "2", yes, false, "2"},
		{"true: a preview", []string{"1 latest", "2"}, "2", "2 preview", yes, true, "2"},
		{"false: without the flag nothing happens", []string{"1", "2 latest"}, "1", "1", no, false, "2"},
		{"false: the greatest other one follows", []string{"1", "3", "2", "4 latest"}, "4", "4", no, false, "3"},
		{"false: a greater other one follows", []string{"1 latest", "2"}, "1", "1", no, false, "2"},
		{"false: equal values, the newest published follows", []string{"a=1 @2", "b=1.0 @1", "4 latest"}, "4", "4", no, false, "a"},
		{"false: equal values and times, the newest created follows", []string{"a=1", "b=1.0", "4 latest"}, "4", "4", no, false, "b"},
		{"false: a preview does not follow", []string{"1", "3 preview", "4 latest"}, "4", "4", no, false, "1"},
		{"false: a deprecated version does not follow", []string{"1", "3 deprecated", "4 latest"}, "4", "4", no, false, "1"},
		{"false: nobody can follow", []string{"3 preview", "2 deprecated", "4 latest"}, "4", "4", no, false, ""},
		{"false: several flags end in one", []string{"1", "2 latest", "3", "4 latest"}, "4", "4", no, false, "3"},
		{"false: the follower has the flag already", []string{"1 latest", "3 latest", "4 latest"}, "4", "4", no, false, "3"},
		{"preview sent: loses the flag, the next follows", []string{"1", "2 latest"}, "2", "2 preview", nil, true, "1"},
		{"preview sent: again on a preview that has the flag", []string{"1", "2 preview latest"}, "2", "2 preview", nil, true, "1"},
		{"preview sent as false: keeps the flag", []string{"1", "2 preview latest"}, "2", "2", nil, true, "2"},
		{"preview not sent: a preview keeps the flag", []string{"1", "2 preview latest"}, "2", "2 preview milestone", nil, false, "2"},
		{"preview sent: without the flag nothing happens", []string{"1 latest", "2"}, "2", "2 preview", nil, true, "1"},
		{"its rollout is completed", []string{"1 latest", "2 running"}, "2", "2 completed", nil, false, "2"},
		{"its rollout is completed, a greater version is the latest", []string{"3 latest", "2 running"}, "2", "2 completed", nil, false, "3"},
		{"its rollout is completed, a preview", []string{"1 latest", "2 preview running"}, "2", "2 preview completed", nil, false, "1"},
		{"its rollout is completed, false", []string{"1 latest", "2 running"}, "2", "2 completed", no, false, "1"},
		{"its rollout goes on", []string{"1 latest", "2 running=25"}, "2", "2 running=50", nil, false, "1"},
		{"its rollout was completed before", []string{"1 latest", "2 completed"}, "2", "2 completed milestone", nil, false, "1"},
		{"the latest gets a rollout", []string{"1", "2 latest"}, "2", "2 running=0", nil, false, "1"},
		{"the latest gets a rollout, true", []string{"1", "2 latest"}, "2", "2 running=0", yes, false, notYet},
		{"the latest is yanked", []string{"1", "2 latest"}, "2", "2 yanked", nil, false, "1"},
		{"the latest is yanked, true", []string{"1", "2 latest"}, "2", "2 yanked", yes, false, isYanked},
		{"no longer yanked: it does not get the flag", []string{"1 latest", "2 yanked"}, "2", "2", nil, false, "1"},
		{"false: neither a yanked version nor a rollout follows", []string{"1", "2 yanked", "3 running", "4 latest"}, "4", "4", no, false, "1"},
		{"deprecate the latest", []string{"1", "2 latest", "3"}, "2", "2 deprecated", nil, false, exclude},
		{"deprecate and true", []string{"1", "2", "3 latest"}, "2", "2 deprecated", yes, false, exclude},
		{"true on a deprecated version", []string{"2 deprecated", "3 latest"}, "2", "2 deprecated", yes, false, exclude},
		{"true, and no longer deprecated", []string{"2 deprecated", "3 latest"}, "2", "2", yes, false, "2"},
		{"deprecate the latest with false", []string{"1", "2 latest", "3"}, "2", "2 deprecated", no, false, "3"},
		{"deprecate the latest and make it a preview", []string{"1", "2 latest", "3"}, "2", "2 deprecated preview", nil, true, "3"},
		{"deprecate: nothing greater", []string{"1 latest", "2"}, "2", "2 deprecated", nil, false, noOther + "2"},
		{"deprecate: it is not its own replacement", []string{"2"}, "2", "2=1 deprecated", nil, false, noOther + "1"},
		{"deprecate: an equal value is not greater", []string{"a=2 latest", "2"}, "2", "2 deprecated", nil, false, noOther + "2"},
		{"deprecate: greater, but a preview", []string{"2", "3 preview"}, "2", "2 deprecated", nil, false, noOther + "2"},
		{"deprecate: greater, but deprecated", []string{"2", "3 deprecated"}, "2", "2 deprecated", nil, false, noOther + "2"},
		{"deprecate: greater", []string{"2", "3 latest"}, "2", "2 deprecated", nil, false, "3"},
		{"deprecate and move: the new value counts", []string{"2", "3 latest"}, "2", "2=4 deprecated", nil, false, noOther + "4"},
		{"deprecated, moved below another", []string{"2 deprecated", "3 latest"}, "2", "2=2.9 deprecated", nil, false, "3"},
		{"deprecated, moved above all others", []string{"2 deprecated", "3 latest"}, "2", "2=3.1 deprecated", nil, false, notMoved + "3.1"},
		{"deprecated, moved down with nothing greater", []string{"2 deprecated", "1 latest"}, "2", "2=1.5 deprecated", nil, false, notMoved + "1.5"},
		{"deprecated, written in another way: not checked again", []string{"2 deprecated", "1 latest"}, "2", "2=2.0 deprecated", nil, false, "1"},
		{"deprecated, other edits: not checked again", []string{"2 deprecated", "1 latest"}, "2", "2 deprecated milestone", nil, false, "1"},
		{"no longer deprecated, moved above all others", []string{"2 deprecated", "3 latest"}, "2", "2=9", nil, false, "3"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := catalog(t, tc.before...)
			at := c.Named(tc.edit)
			next := describe(t, tc.next)
			next.ID = c.Item(at).ID
			plan, err := c.PlanUpdate(at, next, tc.latest, tc.previewSent)
			if got := outcome(t, c, at, next.Version, plan, err); got != tc.want {
				t.Errorf("change to %q among %q: got %q, want %q", tc.next, tc.before, got, tc.want)
			}
		})
	}
}

// TestTakesLatest checks rule W1, which applies to releases of the code host.
func TestTakesLatest(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		before []string
		next   string
		want   bool
	}{
		{"a preview", nil, "1 preview", false},
		{"a deprecated version", []string{"1 deprecated"}, "1 deprecated", false},
		{"a version that is being rolled out", nil, "1 running", false},
		{"a yanked version", nil, "1 yanked", false},
		{"no version at all", nil, "1", true},
		{"no current latest", []string{"2"}, "1", true},
		{"the current latest", []string{"1 latest", "2"}, "1", true},
		{"higher than the current latest", []string{"1 latest"}, "2", true},
		{"equal to the current latest", []string{"1.0 latest"}, "1", true},
		{"lower than the current latest", []string{"2 latest"}, "1", false},
		{"a release after its candidate", []string{"2-rc.1 latest"}, "2", true},
		{"the current latest cannot be compared", []string{"1=none latest"}, "2", false},
		{"the current latest could not be compared", []string{"1=none latest"}, "1", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := catalog(t, tc.before...)
			next := describe(t, tc.next)
			if got := c.TakesLatest(c.Named(next.Version), next); got != tc.want {
				t.Errorf("%q and %q: got %v, want %v", tc.before, tc.next, got, tc.want)
			}
		})
	}
}

func TestPlanDelete(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		before []string
		remove string
		want   string
	}{
		{"without the flag nothing happens", []string{"1", "2 latest"}, "1", "2"},
		{"the greatest other one follows", []string{"1", "3", "2", "4 latest"}, "4", "3"},
		{"equal values: the newest published follows", []string{"a=1 @2", "b=1.0 @1", "4 latest"}, "4", "a"},
		{"equal values and times: the newest created follows", []string{"a=1", "b=1.0", "4 latest"}, "4", "b"},
		{"neither a preview nor a deprecated version follows", []string{"1", "2 preview", "3 deprecated", "4 latest"}, "4", "1"},
		{"nobody can follow", []string{"2 preview", "3 deprecated", "4 latest"}, "4", ""},
		{"the only one", []string{"1 latest"}, "1", ""},
		{"several flags end in one", []string{"1 latest", "2", "3 latest"}, "3", "2"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := catalog(t, tc.before...)
			at := c.Named(tc.remove)
			plan := c.PlanDelete(at)
			if plan.Latest {
				t.Error("a removed version: got the flag, want none")
			}
			if got := after(t, c, at, tc.remove, plan); got != tc.want {
				t.Errorf("remove %q from %q: got %q, want %q", tc.remove, tc.before, got, tc.want)
			}
		})
	}
}
