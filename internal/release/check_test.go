package release_test

import (
	"slices"
	"strings"
	"testing"

	"svc/internal/fault"
	"svc/internal/release"
)

// Short names of the reasons, for the tables of tests.
const (
	newer      = release.NewerVersionAvailable
	deprecated = release.CurrentVersionDeprecated
	outside    = release.OutsideOptionalUpdateRange
	guard      = release.MilestoneGuard
)

// ask is a query in a test. A text that is empty is not sent.
type ask struct {
	version, comparable string
	preview             bool
	channel, key        string
	downgrade           bool // accept one
}

func (a ask) query(t testing.TB) release.Query {
	t.Helper()
	q := release.Query{Version: a.version, Channel: a.channel, Key: a.key, AcceptDowngrade: a.downgrade}
	if a.preview {
		q.Channel = release.Preview
	}
	if a.comparable != "" {
		q.Comparable = parse(t, a.comparable)
	}
	return q
}

// answer is a decision with display texts instead of positions; "" means none.
type answer struct {
	latest, preview, target, current string
	by                               string // the comparable version with which the client was compared
	required                         bool
	reasons                          []string // the reasons; they also tell whether there is an update, and a guard
}

type checkRow struct {
	name     string
	versions []string
	ask      ask
	optional [2]string
	want     answer
}

func (tc checkRow) run(t *testing.T) {
	t.Parallel()
	c := catalog(t, tc.versions...)
	d, err := c.Check(tc.ask.query(t), span(t, tc.optional[0], tc.optional[1]))
	if err != nil {
		t.Fatalf("%+v of %q: got %v, want a decision", tc.ask, tc.versions, err)
	}
	got := answer{name(c, d.Latest), name(c, d.Preview), name(c, d.Target), name(c, d.Current), d.Comparable.String(), d.Required, d.Reasons}
	if w := tc.want; got.latest != w.latest || got.preview != w.preview || got.target != w.target || got.current != w.current ||
		got.by != w.by || got.required != w.required || !slices.Equal(got.reasons, w.reasons) {
		t.Errorf("%+v of %q within %q:\n got %+v\nwant %+v", tc.ask, tc.versions, tc.optional, got, w)
	}
	if want := slices.Contains(tc.want.reasons, newer); d.ShouldUpdate != want {
		t.Errorf("should update: got %v, want %v", d.ShouldUpdate, want)
	}
	if want := slices.Contains(tc.want.reasons, guard); d.Guarded != want {
		t.Errorf("guarded: got %v, want %v", d.Guarded, want)
	}
	if d.Reasons == nil {
		t.Error("reasons: got nil, want a list")
	}
}

func TestCheckCandidate(t *testing.T) {
	t.Parallel()
	current := ask{comparable: "1"}
	daring := ask{comparable: "1", preview: true}
	update := []string{newer}
	for _, tc := range []checkRow{
		{"the greatest official version", []string{"1.9", "1.10", "2-rc preview"}, current, [2]string{},
			answer{"1.10", "2-rc", "1.10", "", "1", false, update}},
		{"the latest flag plays no role", []string{"1.9 latest", "1.10"}, current, [2]string{},
			answer{"1.10", "", "1.10", "", "1", false, update}},
		{"the time of publication plays no role", []string{"1.9 @9", "1.10 @1"}, current, [2]string{},
			answer{"1.10", "", "1.10", "", "1", false, update}},
		{"equal values: newest published", []string{"a=2 @2", "b=2.0 @1"}, current, [2]string{},
			answer{"a", "", "a", "", "1", false, update}},
		{"equal values and times: newest created", []string{"a=2", "b=2.0"}, current, [2]string{},
			answer{"b", "", "b", "", "1", false, update}},
		{"official: one that is not deprecated before a greater one that is", []string{"2", "3 deprecated"}, current, [2]string{},
			answer{"2", "", "2", "", "1", false, update}},
		{"official: equal values, one that is not deprecated before a newer one that is", []string{"a=2 @1", "b=2 @2 deprecated"}, current, [2]string{},
			answer{"a", "", "a", "", "1", false, update}},
		{"official: all deprecated, the greatest", []string{"2 deprecated", "3 deprecated"}, current, [2]string{},
			answer{"3", "", "3", "", "1", false, update}},
		{"preview: one that is not deprecated before a greater one that is", []string{"2 preview", "3 preview deprecated"}, daring, [2]string{},
			answer{"2", "3", "2", "", "1", false, update}},
		{"preview: all deprecated, the greatest", []string{"2 preview deprecated", "3 preview deprecated"}, daring, [2]string{},
			answer{"3", "3", "3", "", "1", false, update}},
		{"previews not welcome: shown but not offered", []string{"2", "3 preview"}, current, [2]string{},
			answer{"2", "3", "2", "", "1", false, update}},
		{"previews welcome: a greater preview", []string{"2", "3 preview"}, daring, [2]string{},
			answer{"3", "3", "3", "", "1", false, update}},
		{"previews welcome: a greater official version", []string{"3", "2 preview"}, daring, [2]string{},
			answer{"3", "2", "3", "", "1", false, update}},
		{"previews welcome: on equality the preview", []string{"a=3 @9", "b=3.0 @1 preview"}, daring, [2]string{},
			answer{"b", "b", "b", "", "1", false, update}},
		{"previews welcome: no official version", []string{"2 preview"}, daring, [2]string{},
			answer{"2", "2", "2", "", "1", false, update}},
		{"previews welcome: no preview", []string{"2"}, daring, [2]string{},
			answer{"2", "", "2", "", "1", false, update}},
		{"previews welcome: each kind has its own candidate", []string{"2", "3 preview deprecated"}, daring, [2]string{},
			answer{"3", "3", "3", "", "1", false, update}},
		{"the greatest preview is shown though it is deprecated", []string{"2", "3 preview", "4 preview deprecated"}, daring, [2]string{},
			answer{"3", "4", "3", "", "1", false, update}},
		{"without a usable comparable version a version takes no part", []string{"x=none @9", "0.5"}, current, [2]string{},
			answer{"0.5", "", "", "", "1", false, nil}},
	} {
		t.Run(tc.name, tc.run)
	}
}

func TestCheckCurrent(t *testing.T) {
	t.Parallel()
	versions := []string{"v1=1.0 @5", "one=1 @9 preview", "uno=1.0.0 @7", "eins=1.0.0.0 @7 preview", "2=1.5", "beta=2-rc preview", "b2=2.0-rc @4 preview", "c2=2.0.0-rc @4 preview", "lost=none", "9"}
	update := []string{newer}
	for _, tc := range []checkRow{
		{"by the display text", versions, ask{version: "v1"}, [2]string{},
			answer{"9", "c2", "9", "v1", "1.0", false, update}},
		{"the display text says nothing about the value", versions, ask{version: "2"}, [2]string{},
			answer{"9", "c2", "9", "2", "1.5", false, update}},
		{"by a comparable version equal in value", versions, ask{comparable: "1.5.0"}, [2]string{},
			answer{"9", "c2", "9", "2", "1.5.0", false, update}},
		{"the comparable version wins over the display text", versions, ask{version: "v1", comparable: "1.5"}, [2]string{},
			answer{"9", "c2", "9", "2", "1.5", false, update}},
		{"several equal ones: the one with the display text", versions, ask{version: "eins", comparable: "1"}, [2]string{},
			answer{"9", "c2", "9", "eins", "1", false, update}},
		{"several equal ones: official before preview, then newest published", versions, ask{comparable: "1"}, [2]string{},
			answer{"9", "c2", "9", "uno", "1", false, update}},
		{"several equal ones: an unknown display text does not choose", versions, ask{version: "other", comparable: "1"}, [2]string{},
			answer{"9", "c2", "9", "uno", "1", false, update}},
		{"several equal ones: the display text of another value does not choose", versions, ask{version: "2", comparable: "1"}, [2]string{},
			answer{"9", "c2", "9", "uno", "1", false, update}},
		{"several equal previews: newest published, then newest created", versions, ask{comparable: "2-rc"}, [2]string{},
			answer{"9", "c2", "9", "c2", "2-rc", false, update}},
		{"a comparable version that is not registered", versions, ask{comparable: "1.7"}, [2]string{},
			answer{"9", "c2", "9", "", "1.7", false, update}},
		{"a display text with a comparable version that is not registered", versions, ask{version: "v1", comparable: "1.7"}, [2]string{},
			answer{"9", "c2", "9", "", "1.7", false, update}},
		{"a display text without comparable version of its own, and one sent", versions, ask{version: "lost", comparable: "1.7"}, [2]string{},
			answer{"9", "c2", "9", "", "1.7", false, update}},
		{"greater than all that is published", versions, ask{comparable: "10"}, [2]string{},
			answer{"9", "c2", "", "", "10", false, nil}},
		{"equal to the greatest", versions, ask{comparable: "9.0"}, [2]string{},
			answer{"9", "c2", "", "9", "9.0", false, nil}},
		{"a preview that is greater than every official version", []string{"1", "2-rc preview"}, ask{version: "2-rc"}, [2]string{},
			answer{"1", "2-rc", "", "2-rc", "2-rc", false, nil}},
	} {
		t.Run(tc.name, tc.run)
	}
}

func TestCheckRequired(t *testing.T) {
	t.Parallel()
	versions := []string{"1", "2 deprecated", "3", "4 deprecated"}
	for _, tc := range []checkRow{
		{"no range: every update is optional", versions, ask{version: "1"}, [2]string{},
			answer{"3", "", "3", "1", "1", false, []string{newer}}},
		{"within the range", versions, ask{version: "1"}, [2]string{"0.5", "1.5"},
			answer{"3", "", "3", "1", "1", false, []string{newer}}},
		{"the lower end is within", versions, ask{version: "1"}, [2]string{"1.0", "2"},
			answer{"3", "", "3", "1", "1", false, []string{newer}}},
		{"the upper end is within", versions, ask{version: "1"}, [2]string{"0", "1.0.0"},
			answer{"3", "", "3", "1", "1", false, []string{newer}}},
		{"below the range", versions, ask{version: "1"}, [2]string{"1.1", ""},
			answer{"3", "", "3", "1", "1", true, []string{newer, outside}}},
		{"above the range", versions, ask{version: "1"}, [2]string{"", "0.9"},
			answer{"3", "", "3", "1", "1", true, []string{newer, outside}}},
		{"no lower end", versions, ask{version: "1"}, [2]string{"", "2"},
			answer{"3", "", "3", "1", "1", false, []string{newer}}},
		{"no upper end", versions, ask{version: "1"}, [2]string{"1", ""},
			answer{"3", "", "3", "1", "1", false, []string{newer}}},
		{"the range counts for versions that are not registered", versions, ask{comparable: "1.2"}, [2]string{"2", ""},
			answer{"3", "", "3", "", "1.2", true, []string{newer, outside}}},
		{"a deprecated version must go", versions, ask{version: "2"}, [2]string{"1", "3"},
			answer{"3", "", "3", "2", "2", true, []string{newer, deprecated}}},
		{"deprecated and outside", versions, ask{version: "2"}, [2]string{"3", ""},
			answer{"3", "", "3", "2", "2", true, []string{newer, deprecated, outside}}},
		{"deprecated with nothing newer", versions, ask{version: "4"}, [2]string{},
			answer{"3", "", "", "4", "4", false, []string{deprecated}}},
		{"deprecated with nothing newer, outside does not count", versions, ask{version: "4"}, [2]string{"", "1"},
			answer{"3", "", "", "4", "4", false, []string{deprecated}}},
		{"outside with nothing newer", versions, ask{version: "3"}, [2]string{"", "1"},
			answer{"3", "", "", "3", "3", false, nil}},
		{"deprecation of another version of the same value does not count", []string{"a=1 deprecated", "b=1.0", "2"}, ask{version: "b"}, [2]string{},
			answer{"2", "", "2", "b", "1.0", false, []string{newer}}},
	} {
		t.Run(tc.name, tc.run)
	}
}

func TestCheckGuard(t *testing.T) {
	t.Parallel()
	update, guarded := []string{newer}, []string{newer, guard}
	for _, tc := range []checkRow{
		{"the lowest milestone above", []string{"1", "2 milestone", "3 milestone", "4"}, ask{version: "1"}, [2]string{},
			answer{"4", "", "2", "1", "1", false, guarded}},
		{"a milestone below does not count", []string{"1 milestone", "2", "3"}, ask{version: "2"}, [2]string{},
			answer{"3", "", "3", "2", "2", false, update}},
		{"the own version does not count", []string{"a=2 milestone", "b=2.0 milestone", "3"}, ask{version: "a"}, [2]string{},
			answer{"3", "", "3", "a", "2", false, update}},
		{"the next milestone after one is passed", []string{"1", "2 milestone", "3 milestone", "4"}, ask{comparable: "2.0"}, [2]string{},
			answer{"4", "", "3", "2", "2.0", false, guarded}},
		{"the newest version itself", []string{"1", "2 milestone"}, ask{version: "1"}, [2]string{},
			answer{"2", "", "2", "1", "1", false, guarded}},
		{"a milestone equal in value to the newest version", []string{"1", "a=2 @1 milestone", "b=2.0 @2"}, ask{version: "1"}, [2]string{},
			answer{"b", "", "a", "1", "1", false, guarded}},
		{"equal milestones: newest published", []string{"1", "a=2 @2 milestone", "b=2.0 @1 milestone", "3"}, ask{version: "1"}, [2]string{},
			answer{"3", "", "a", "1", "1", false, guarded}},
		{"equal milestones and times: newest created", []string{"1", "a=2 milestone", "b=2.0 milestone", "3"}, ask{version: "1"}, [2]string{},
			answer{"3", "", "b", "1", "1", false, guarded}},
		{"a deprecated milestone does not count", []string{"1", "2 milestone deprecated", "3"}, ask{version: "1"}, [2]string{},
			answer{"3", "", "3", "1", "1", false, update}},
		{"a preview is never a milestone", []string{"1", "2 milestone preview", "3"}, ask{version: "1", preview: true}, [2]string{},
			answer{"3", "2", "3", "1", "1", false, update}},
		{"a deprecated or preview milestone does not hide an equal one", []string{"1", "a=2 @1 milestone", "b=2 @2 milestone deprecated", "c=2 @3 milestone preview", "3"}, ask{version: "1"}, [2]string{},
			answer{"3", "c", "a", "1", "1", false, guarded}},
		{"on the way to a preview", []string{"1", "2 milestone", "3 preview"}, ask{version: "1", preview: true}, [2]string{},
			answer{"3", "3", "2", "1", "1", false, guarded}},
		{"beyond the newest good version there is none", []string{"1", "2", "3 milestone deprecated", "4 milestone preview"}, ask{version: "1"}, [2]string{},
			answer{"2", "4", "2", "1", "1", false, update}},
		{"nothing newer, no guard", []string{"1 milestone", "2 milestone"}, ask{comparable: "2"}, [2]string{},
			answer{"2", "", "", "2", "2", false, nil}},
		{"all four reasons in their order", []string{"1 deprecated", "2 milestone", "3"}, ask{version: "1"}, [2]string{"2", ""},
			answer{"3", "", "2", "1", "1", true, []string{newer, deprecated, outside, guard}}},
	} {
		t.Run(tc.name, tc.run)
	}
}

func TestCheckRefused(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		versions []string
		ask      ask
		kind     fault.Kind
		text     string
	}{
		{"nothing published", nil, ask{comparable: "1"}, fault.NotFound, "no official version has been published yet"},
		{"previews only, not welcome", []string{"1 preview"}, ask{comparable: "1"}, fault.NotFound, "no official version has been published yet"},
		{"nothing published, previews welcome", nil, ask{comparable: "1", preview: true}, fault.NotFound, "no version has been published yet"},
		{"nothing with a usable comparable version", []string{"x=none"}, ask{comparable: "1"}, fault.NotFound, "no official version has been published yet"},
		{"an unknown display text alone", []string{"1"}, ask{version: "v1"}, fault.Invalid, `no comparable version is known for current_version "v1"; send current_comparable_version`},
		{"a registered version without comparable version", []string{"1", "x=none"}, ask{version: "x"}, fault.Invalid, `no comparable version is known for current_version "x"`},
		{"nothing to offer comes before nothing to compare", nil, ask{version: "v1"}, fault.NotFound, "no official version has been published yet"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			d, err := catalog(t, tc.versions...).Check(tc.ask.query(t), release.Range{})
			if !fault.Is(err, tc.kind) || !strings.Contains(err.Error(), tc.text) {
				t.Errorf("%+v of %q: got %+v, %v, want an error of kind %d with %q", tc.ask, tc.versions, d, err, tc.kind, tc.text)
			}
		})
	}
}
