package today_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"svc/internal/release"
	"svc/internal/today"
	"svc/internal/usage"
)

const day = 24 * 3600

// facts returns the facts of a project with the given versions. In a description such as
// "2.0 milestone", the first word is both the version's text and its comparable version,
// and the others are its properties.
func facts(t *testing.T, versions ...string) *today.Facts {
	t.Helper()
	const now = 400 * day
	items := make([]release.Item, len(versions))
	for i, line := range versions {
		name, flags, _ := strings.Cut(line, " ")
		comparable, ok := release.Parse(name)
		if !ok {
			t.Fatalf("%q is no comparable version", name)
		}
		items[i] = release.Item{
			ID: uuid.UUID{15: byte(i + 1)}, Version: name, Comparable: comparable, PublishedAt: now - int64(len(versions)-i)*day,
			Latest: strings.Contains(flags, "latest"), Milestone: strings.Contains(flags, "milestone"), Deprecated: strings.Contains(flags, "deprecated"),
		}
	}
	return &today.Facts{Now: now, Published: len(versions) > 0, Policy: usage.Policy{Catalog: release.NewCatalog(items, nil), HasFile: func(int) bool { return true }}}
}

func TestFindings(t *testing.T) {
	t.Parallel()
	last, optional := today.AdoptionDays-1, optionalFrom(t, "1.5")
	errors := len(today.Facts{}.Errors)
	for _, tc := range []struct {
		name     string
		versions []string
		set      func(f *today.Facts)
		want     string // for each finding, its kind, weight and figures; joined by "; "
	}{
		{
			"a project without versions",
			nil,
			func(*today.Facts) {},
			"no_version 20",
		},
		{
			"nothing to say without update checks",
			[]string{"1.0 latest"},
			func(*today.Facts) {},
			"",
		},
		{
			"the share counts checks of the last day alone",
			[]string{"1.0", "2.0 latest"},
			func(f *today.Facts) {
				f.Policy.Optional = optional
				f.Checks[last] = map[string]int64{"2.0": 3, "1.6": 1}
				f.Checks[last-1] = map[string]int64{"1.6": 100}
			},
			"adoption 30 count=4 version=2.0 share=0.75 days=1",
		},
		{
			"adoption is old news after two weeks",
			[]string{"1.0 latest"},
			func(f *today.Facts) {
				f.Now += 20 * day
				f.Checks[last] = map[string]int64{"1.0": 1}
			},
			"adoption 10 count=1 version=1.0 share=1 days=21",
		},
		{
			"clients outside the optional range must update",
			[]string{"1.0", "2.0 latest"},
			func(f *today.Facts) {
				f.Policy.Optional = optional
				f.Checks[last-6] = map[string]int64{"1.4": 2, "1.5": 7}
				f.Checks[last-7] = map[string]int64{"1.4": 50}
			},
			"must_update 40 count=2 version=2.0",
		},
		{
			"clients of a deprecated version must update",
			[]string{"1.8 deprecated", "2.0 latest"},
			func(f *today.Facts) {
				f.Policy.Optional = optional
				f.Checks[last-1] = map[string]int64{"1.8": 5}
			},
			"must_update 40 count=5 version=2.0",
		},
		{
			"the version that most must update to is named",
			[]string{"1.0", "2.0 milestone", "3.0 latest"},
			func(f *today.Facts) {
				f.Policy.Optional = optionalFrom(t, "3.0")
				f.Checks[last-1] = map[string]int64{"1.0": 5, "2.0": 9}
			},
			"must_update 40 count=14 version=3.0",
		},
		{
			"an update without a file comes first",
			[]string{"1.0", "2.0 latest"},
			func(f *today.Facts) {
				f.Policy.Optional = optional
				f.Policy.HasFile = func(int) bool { return false }
				f.Waiting, f.OneStar = 4, 1
				f.Checks[last-1] = map[string]int64{"1.0": 5}
			},
			"no_file 100 count=5 version=2.0; feedback_waiting 70 count=4 one_star=1",
		},
		{
			"a version that cannot be compared is left out",
			[]string{"2.0 latest"},
			func(f *today.Facts) { f.Checks[last-1] = map[string]int64{"nightly": 5} },
			"",
		},
		{
			"feedback without the lowest rating is less urgent",
			[]string{"1.0"},
			func(f *today.Facts) { f.Waiting = 2 },
			"feedback_waiting 50 count=2 one_star=0",
		},
		{
			"few errors are no rise",
			[]string{"1.0"},
			func(f *today.Facts) { f.Errors[errors-1] = 9 },
			"",
		},
		{
			"less than twice the usual errors are no rise",
			[]string{"1.0"},
			func(f *today.Facts) {
				for i := range f.Errors {
					f.Errors[i] = 10
				}
				f.Errors[errors-1] = 249
			},
			"",
		},
		{
			"a rise is dated from its first hour",
			[]string{"1.0"},
			func(f *today.Facts) {
				for i := range f.Errors {
					f.Errors[i] = 1
				}
				f.Errors[errors-3], f.Errors[errors-2] = 20, 40
			},
			fmt.Sprintf("errors 80 count=82 usual=24 since=%d", 400*day-3*3600),
		},
		{
			"a busy hour of every day is no part of the rise",
			[]string{"1.0"},
			func(f *today.Facts) {
				for i := range f.Errors {
					f.Errors[i] = 1
					if i%24 == 9 {
						f.Errors[i] = 6
					}
				}
				f.Errors[errors-3] = 70
			},
			fmt.Sprintf("errors 80 count=98 usual=29 since=%d", 400*day-3*3600),
		},
		{
			"one bad day in the week before is not usual",
			[]string{"1.0"},
			func(f *today.Facts) { f.Errors[30], f.Errors[errors-1] = 900, 12 },
			fmt.Sprintf("errors 80 count=12 usual=0 since=%d", 400*day-3600),
		},
		{
			"new groups of errors, with the title of the one with the most logs",
			[]string{"1.0"},
			func(f *today.Facts) {
				f.NewGroups.Add("a", "rare", [24]int64{23: 1})
				f.NewGroups.Add("b", "often", [24]int64{0: 2, 23: 3})
				f.NewGroups.Add("c", "once", [24]int64{22: 4})
			},
			"new_errors 60 count=3 title=often",
		},
		{
			"a group that is open again comes before a new one",
			[]string{"1.0"},
			func(f *today.Facts) {
				f.NewGroups.Add("a", "new", [24]int64{23: 9})
				f.RegressedGroups.Add("b", "back", [24]int64{23: 1})
			},
			"regressed_errors 85 count=1 title=back; new_errors 60 count=1 title=new",
		},
		{
			"an announcement that ends within a week",
			[]string{"1.0"},
			func(f *today.Facts) {
				f.Ending = &today.Ending{Title: "x", Until: f.Now + 7*day, Versions: optionalFrom(t, "4.0")}
			},
			"announcement_ends 35 version=≥ 4.0 title=x until=" + fmt.Sprint(407*day),
		},
		{
			"an announcement that ends later",
			[]string{"1.0"},
			func(f *today.Facts) { f.Ending = &today.Ending{Title: "x", Until: f.Now + 7*day + 1} },
			"",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := facts(t, tc.versions...)
			tc.set(f)
			var got []string
			for _, found := range today.Findings(f) {
				got = append(got, describe(found))
			}
			if line := strings.Join(got, "; "); line != tc.want {
				t.Errorf("got  %s\nwant %s", line, tc.want)
			}
		})
	}
}

func optionalFrom(t *testing.T, least string) release.Range {
	t.Helper()
	from, ok := release.Parse(least)
	if !ok {
		t.Fatalf("%q is no comparable version", least)
	}
	return release.Range{Min: from}
}

func describe(f today.Finding) string {
	words := []string{string(f.Kind), fmt.Sprint(f.Weight)}
	v := f.Values
	for _, one := range []struct {
		name  string
		value *int64
	}{{"count", v.Count}, {"usual", v.Usual}, {"since", v.Since}, {"one_star", v.OneStar}} {
		if one.value != nil {
			words = append(words, fmt.Sprintf("%s=%d", one.name, *one.value))
		}
	}
	if v.Version != nil {
		words = append(words, "version="+*v.Version)
	}
	if v.Title != nil {
		words = append(words, "title="+*v.Title)
	}
	if v.Until != nil {
		words = append(words, fmt.Sprintf("until=%d", *v.Until))
	}
	if v.Share != nil {
		words = append(words, fmt.Sprintf("share=%v", *v.Share))
	}
	if v.Days != nil {
		words = append(words, fmt.Sprintf("days=%d", *v.Days))
	}
	return strings.Join(words, " ")
}

// TestSeries checks that a series ends at the present time and has one value for each day
// or hour.
func TestSeries(t *testing.T) {
	t.Parallel()
	f := facts(t, "1.0", "2.0 latest")
	f.Policy.Optional = optionalFrom(t, "2.0")
	f.Checks[today.AdoptionDays-1] = map[string]int64{"2.0": 6, "1.0": 1}
	f.Checks[0] = map[string]int64{"2.0": 2}
	f.Errors[len(f.Errors)-1], f.Errors[len(f.Errors)-24] = 30, 5
	f.Waiting, f.Feedback[today.AdoptionDays-1] = 1, 3
	want := map[today.Kind][]int64{
		today.Adoption:        append(append([]int64{2}, make([]int64, today.AdoptionDays-2)...), 6),
		today.Errors:          append(append([]int64{5}, make([]int64, 22)...), 30),
		today.FeedbackWaiting: append(make([]int64, today.AdoptionDays-1), 3),
		today.MustUpdate:      append(make([]int64, today.AdoptionDays-1), 1),
	}
	for _, found := range today.Findings(f) {
		if !slices.Equal(found.Series, want[found.Kind]) || found.Series == nil {
			t.Errorf("%s: got %v, want %v", found.Kind, found.Series, want[found.Kind])
		}
		delete(want, found.Kind)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}
