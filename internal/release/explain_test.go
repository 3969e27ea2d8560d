package release_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"svc/internal/fault"
	"svc/internal/release"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		versions []string
		ask      ask
		optional [2]string
		want     string // the codes, each with its version or range
	}{
		{"up to date", []string{"1.0", "2.0"}, ask{version: "2.0"}, [2]string{}, "current_version_registered=2.0 latest_version_installed=2.0"},
		{"newer than all", []string{"1.0"}, ask{comparable: "3"}, [2]string{}, "current_version_not_registered above_latest_version=1.0"},
		{"an update", []string{"1.0", "2.0"}, ask{version: "1.0"}, [2]string{}, "current_version_registered=1.0 newer_version_available=2.0"},
		{
			"deprecated, with a milestone between", []string{"1.0 deprecated", "2.0 milestone", "3.0"}, ask{version: "1.0"}, [2]string{},
			"current_version_registered=1.0 newer_version_available=3.0 current_version_deprecated=1.0 milestone_guard=2.0",
		},
		{
			"outside the range", []string{"1.0", "2.0"}, ask{version: "1.0"}, [2]string{"1.5", ""},
			"current_version_registered=1.0 newer_version_available=2.0 outside_optional_update_range=1.5..",
		},
		{
			"inside the range", []string{"1.0", "2.0"}, ask{version: "1.0"}, [2]string{"", "1.5"},
			"current_version_registered=1.0 newer_version_available=2.0 inside_optional_update_range=..1.5",
		},
		{"a range without an update", []string{"1.0"}, ask{version: "1.0"}, [2]string{"1.5", ""}, "current_version_registered=1.0 latest_version_installed=1.0"},
		{
			"a withdrawn version", []string{"1.0", "2.0", "3.0 deprecated"}, ask{version: "1.0"}, [2]string{},
			"deprecated_version_passed_over=3.0 current_version_registered=1.0 newer_version_available=2.0",
		},
		{
			"on the withdrawn version", []string{"2.0", "3.0 deprecated"}, ask{version: "3.0"}, [2]string{},
			"deprecated_version_passed_over=3.0 current_version_registered=3.0 above_latest_version=2.0 current_version_deprecated=3.0",
		},
		{"a withdrawn one below", []string{"2.0", "1.5 deprecated"}, ask{version: "2.0"}, [2]string{}, "current_version_registered=2.0 latest_version_installed=2.0"},
		{
			"all withdrawn", []string{"1.0 deprecated"}, ask{comparable: "0.9"}, [2]string{},
			"latest_version_deprecated=1.0 current_version_not_registered newer_version_available=1.0",
		},
		{
			"a preview that is not welcome", []string{"1.0", "2.0-rc preview"}, ask{version: "1.0"}, [2]string{},
			"previews_not_included=2.0-rc current_version_registered=1.0 latest_version_installed=1.0",
		},
		{"a lesser preview", []string{"2.0", "2.0-rc preview"}, ask{version: "2.0"}, [2]string{}, "current_version_registered=2.0 latest_version_installed=2.0"},
		{
			"a withdrawn preview", []string{"1.0", "3.0-rc preview deprecated", "2.0-rc preview"}, ask{version: "1.0", preview: true}, [2]string{},
			"deprecated_version_passed_over=3.0-rc current_version_registered=1.0 newer_version_available=2.0-rc",
		},
		{
			"rollouts that have not reached the client", []string{"1.0", "2.0 aborted", "3.0 running=25", "4.0 held=50", "4.1 paused=10"}, ask{version: "1.0", key: "4711"}, [2]string{},
			"rollout_held=4.0 rollout_aborted=2.0 current_version_registered=1.0 latest_version_installed=1.0 rollout_not_reached=4.1",
		},
		{
			"a milestone that has not been reached", []string{"1.0", "2.0 milestone running=25", "3.0"}, ask{version: "1.0"}, [2]string{},
			"current_version_registered=1.0 latest_version_installed=1.0 rollout_not_reached=2.0",
		},
		{
			"a yanked version", []string{"1.0", "2.0 yanked"}, ask{version: "2.0"}, [2]string{},
			"current_version_registered=2.0 above_latest_version=1.0 current_version_yanked=2.0 downgrade_offered=1.0",
		},
		{
			"a yanked version, with a downgrade accepted", []string{"1.0", "2.0 yanked"}, ask{version: "2.0", downgrade: true}, [2]string{"", "3"},
			"current_version_registered=2.0 above_latest_version=1.0 current_version_yanked=2.0 downgrade_offered=1.0",
		},
		{"only a rollout", []string{"1.0 running=25"}, ask{comparable: "0.9"}, [2]string{}, "nothing_published rollout_not_reached=1.0"},
		{
			"a preview on a channel that is not included", []string{"1.0", "2.0-rc preview", "1.1-rc preview channel=beta"}, ask{version: "1.0", channel: "beta"}, [2]string{},
			"previews_not_included=2.0-rc current_version_registered=1.0 newer_version_available=1.1-rc",
		},
		{"a channel that does not exist", []string{"1.0"}, ask{version: "1.0", channel: "nightly"}, [2]string{}, ""},
		{"previews only", []string{"1.0-rc preview"}, ask{comparable: "1"}, [2]string{}, "nothing_published previews_not_included=1.0-rc"},
		{"nothing", nil, ask{version: "1.0"}, [2]string{}, "nothing_published"},
		{"an unknown text", []string{"1.0"}, ask{version: "mine"}, [2]string{}, "current_version_unknown"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := catalog(t, tc.versions...)
			_, found, _ := c.Explain(tc.ask.query(t), span(t, tc.optional[0], tc.optional[1]))
			var got []string
			for _, f := range found {
				about := name(c, f.Version)
				if f.Range != (release.Range{}) {
					about = f.Range.Min.String() + ".." + f.Range.Max.String()
				}
				got = append(got, strings.TrimSuffix(f.Code+"="+about, "="))
			}
			if strings.Join(got, " ") != tc.want {
				t.Errorf("%+v of %q: got %q, want %q", tc.ask, tc.versions, got, tc.want)
			}
		})
	}
}

// TestExplainIsCheck checks that Explain and Check always return the same decision, and
// that the findings contain its reasons in the same order.
func TestExplainIsCheck(t *testing.T) {
	t.Parallel()
	flags := []string{"", "", "", " preview", " milestone", " deprecated", " preview deprecated", " milestone deprecated"}
	for round := range 2000 {
		random := rand.New(rand.NewPCG(1, uint64(round)))
		var lines []string
		for n := range random.IntN(6) {
			lines = append(lines, fmt.Sprintf("v%d.%d.%d%s", random.IntN(2), random.IntN(3), n, flags[random.IntN(len(flags))]))
		}
		c := catalog(t, lines...)
		a := ask{version: fmt.Sprintf("v%d.%d.%d", random.IntN(2), random.IntN(3), random.IntN(6)), preview: random.IntN(2) == 0}
		if random.IntN(2) == 0 {
			a.comparable = fmt.Sprintf("%d.%d", random.IntN(2), random.IntN(3))
		}
		optional := span(t, []string{"", "0.2"}[random.IntN(2)], []string{"", "1.0"}[random.IntN(2)])
		want, wantErr := c.Check(a.query(t), optional)
		got, found, err := c.Explain(a.query(t), optional)
		if fmt.Sprint(got, err) != fmt.Sprint(want, wantErr) {
			t.Fatalf("%+v of %q: got %+v %v, want %+v %v", a, lines, got, err, want, wantErr)
		}
		reasons := []string{}
		for _, f := range found {
			if slices.Contains([]string{newer, deprecated, outside, guard}, f.Code) {
				reasons = append(reasons, f.Code)
			}
			if f.Version >= c.Len() {
				t.Fatalf("%+v of %q: %+v names no version", a, lines, f)
			}
		}
		if err == nil && !slices.Equal(reasons, got.Reasons) {
			t.Fatalf("%+v of %q: findings %+v, want reasons %q", a, lines, found, got.Reasons)
		}
		if none := fault.Is(err, fault.NotFound); none != slices.ContainsFunc(found, func(f release.Finding) bool { return f.Code == release.NothingPublished }) {
			t.Fatalf("%+v of %q: got %v and findings %+v", a, lines, err, found)
		}
	}
}
