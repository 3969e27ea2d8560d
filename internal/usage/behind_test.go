package usage_test

import (
	"testing"

	"svc/internal/usage"
)

func TestBehind(t *testing.T) {
	t.Parallel()
	p := policy(t, "1.5", "1.0", "1.6", "2.0 milestone", "2.5 deprecated", "2.6 yanked", "2.7 aborted", "3.0 latest", "4.0-rc.1 preview")
	for _, tc := range []struct {
		version, client string
		runs            bool
		want            usage.Reason // "" = the clients are not behind
	}{
		{"3.0", "3.0", true, ""},
		{"3.0", "3.1", true, ""},
		{"3.0", "2.0", true, usage.BehindOptional},
		{"3.0", "2.0", false, usage.BehindPlatform},
		{"3.0", "1.0", true, usage.BehindMilestone},
		{"2.0", "1.0", true, usage.BehindRequired},
		{"2.0", "1.6", true, usage.BehindOptional},
		{"4.0-rc.1", "3.0", true, usage.BehindPreview},
		{"3.0", "nightly", true, usage.BehindUnknown},
		{"2.5", "2.0", true, usage.NotOffered},
		{"2.6", "2.0", true, usage.NotOffered},
		{"2.7", "2.0", false, usage.NotOffered},
		{"2.5", "2.6", true, ""},
		{"3.0", "nightly", false, usage.BehindUnknown},
	} {
		got, ok := p.Behind(p.Catalog.Named(tc.version), tc.client, tc.runs)
		if got != tc.want || ok != (tc.want != "") {
			t.Errorf("%s behind %s: got %q %v, want %q", tc.client, tc.version, got, ok, tc.want)
		}
	}
}

// TestBehindDeprecated checks that a deprecated version counts as offered while it is the only one.
func TestBehindDeprecated(t *testing.T) {
	t.Parallel()
	p := policy(t, "1.0", "1.0 deprecated", "2.0 latest deprecated")
	if got, ok := p.Behind(p.Catalog.Named("2.0"), "1.0", true); got != usage.BehindRequired || !ok {
		t.Errorf("got %q %v, want %q", got, ok, usage.BehindRequired)
	}
}

func TestPredecessor(t *testing.T) {
	t.Parallel()
	p := policy(t, "1.0", "1.0", "3.0", "2.0-rc.1 preview", "2.0", "1.0.1")
	for version, want := range map[string]string{"1.0": "", "3.0": "1.0", "2.0": "3.0", "1.0.1": "2.0", "2.0-rc.1": "3.0"} {
		got := ""
		if at := p.Predecessor(p.Catalog.Named(version)); at >= 0 {
			got = p.Catalog.Item(at).Version
		}
		if got != want {
			t.Errorf("before %s: got %q, want %q", version, got, want)
		}
	}
}
