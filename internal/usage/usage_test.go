package usage_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"svc/internal/release"
	"svc/internal/rollout"
	"svc/internal/usage"
)

// policy returns a policy with the given versions, such as "1.0" or "2.0 deprecated", and
// the optional range from least on. It has no HasFile, because the tests do not need it.
func policy(t *testing.T, least string, versions ...string) usage.Policy {
	t.Helper()
	items := make([]release.Item, len(versions))
	for i, line := range versions {
		name, flags, _ := strings.Cut(line, " ")
		items[i] = release.Item{
			ID: uuid.UUID{15: byte(i + 1)}, Version: name, Comparable: parse(t, name), PublishedAt: int64(i),
			Latest: strings.Contains(flags, "latest"), Milestone: strings.Contains(flags, "milestone"),
			Deprecated: strings.Contains(flags, "deprecated"), Preview: strings.Contains(flags, "preview"),
		}
		if strings.Contains(flags, "yanked") {
			items[i].Yank = &release.Yank{}
		}
		if strings.Contains(flags, "aborted") {
			items[i].Rollout = &rollout.Rollout{State: rollout.Aborted}
		}
	}
	return usage.Policy{Catalog: release.NewCatalog(items, nil), Optional: release.Range{Min: parse(t, least)}}
}

func parse(t *testing.T, text string) release.Comparable {
	t.Helper()
	c, ok := release.Parse(strings.TrimPrefix(text, "v"))
	if !ok {
		t.Fatalf("%q is no comparable version", text)
	}
	return c
}

// describe returns the totals and the lines of a report as text.
func describe(p usage.Policy, r *usage.Report) string {
	lines := []string{fmt.Sprintf("%d=%d+%d+%d+%d", r.Total.Checks, r.Total.Required, r.Total.Optional, r.Total.Current, r.Total.Unknown)}
	for _, l := range r.Lines {
		target := "-"
		if l.Target >= 0 {
			target = p.Catalog.Item(l.Target).Version
		}
		lines = append(lines, fmt.Sprintf("%s %d %s %s", l.Version, l.Checks, l.Outcome, target))
	}
	return strings.Join(lines, "; ")
}

func TestReport(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		policy usage.Policy
		checks map[string]int64
		want   string
	}{
		{"no checks", policy(t, "1.0", "1.0"), nil, "0=0+0+0+0"},
		{
			"nothing is published",
			policy(t, "1.0"), map[string]int64{"1.0": 2, "nightly": 1},
			"3=0+0+0+3; 1.0 2 unknown -; nightly 1 unknown -",
		},
		{
			"each outcome",
			policy(t, "1.5", "1.0", "1.8", "2.0 latest"), map[string]int64{"1.0": 4, "1.8": 3, "2.0": 2, "nightly": 1},
			"10=4+3+2+1; 1.0 4 required 2.0; 1.8 3 optional 2.0; 2.0 2 current -; nightly 1 unknown -",
		},
		{
			"spellings of a registered version share a line",
			policy(t, "1.0", "v1.0", "v2.0"), map[string]int64{"v1.0": 2, "1.0": 3, "1.0.0": 1, "0.9": 1},
			"7=1+6+0+0; v1.0 6 optional v2.0; 0.9 1 required v2.0",
		},
		{
			"a milestone is the target",
			policy(t, "3.0", "1.0", "2.0 milestone", "3.0"), map[string]int64{"1.0": 2, "2.0": 1},
			"3=3+0+0+0; 1.0 2 required 2.0; 2.0 1 required 3.0",
		},
		{
			"only a preview is newer",
			policy(t, "1.0", "1.0", "2.0-rc.1 preview"), map[string]int64{"1.0": 2, "2.0-rc.1": 1},
			"3=0+0+3+0; 1.0 2 current -; 2.0-rc.1 1 current -",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := describe(tc.policy, tc.policy.Report(tc.checks)); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

func TestReportOfAVersion(t *testing.T) {
	t.Parallel()
	p := policy(t, "1.0", "1.0", "2.0 latest")
	r := p.Report(map[string]int64{"v2.0": 2, "2.0": 1, "1.0": 5})
	if got := r.Of(p.Catalog.Latest()); got != 3 {
		t.Errorf("got %d checks of the latest version, want 3", got)
	}
	if got := p.Report(nil).Of(p.Catalog.Latest()); got != 0 {
		t.Errorf("got %d checks without any, want 0", got)
	}
}

// TestCurrentShare checks that the share counts all spellings of the version, and all clients.
func TestCurrentShare(t *testing.T) {
	t.Parallel()
	p := policy(t, "1.0", "1.0", "2.0 latest")
	share, checks := p.CurrentShare(p.Catalog.Latest(), map[string]int64{"v2.0": 2, "2.0": 1, "1.0": 5, "nightly": 4})
	if share != 0.25 || checks != 12 {
		t.Errorf("got %v of %d checks, want 0.25 of 12", share, checks)
	}
	if share, checks := p.CurrentShare(p.Catalog.Latest(), nil); share != 0 || checks != 0 {
		t.Errorf("without checks: got %v of %d, want none", share, checks)
	}
}

// TestDeprecate checks the effect of a deprecation, and that the policy itself does not change.
func TestDeprecate(t *testing.T) {
	t.Parallel()
	p := policy(t, "1.0", "1.0", "1.8", "2.0 latest")
	checks := map[string]int64{"1.8": 3}
	changed, err := p.Deprecate(p.Catalog.Named("1.8"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := describe(changed, changed.Report(checks)), "3=3+0+0+0; 1.8 3 required 2.0"; got != want {
		t.Errorf("after: got %s, want %s", got, want)
	}
	if got, want := describe(p, p.Report(checks)), "3=0+3+0+0; 1.8 3 optional 2.0"; got != want {
		t.Errorf("before: got %s, want %s", got, want)
	}
	if _, err := p.Deprecate(p.Catalog.Named("2.0")); err == nil || !strings.Contains(err.Error(), "is_latest") {
		t.Errorf("the latest version: got %v, want a refusal", err)
	}
}

func TestShare(t *testing.T) {
	t.Parallel()
	if got := usage.Share(0, 0); got != 0 {
		t.Errorf("of nothing: got %v, want 0", got)
	}
	if got := usage.Share(1, 4); got != 0.25 {
		t.Errorf("got %v, want 0.25", got)
	}
}
