package release_test

import (
	"strings"
	"testing"

	"svc/internal/release"
)

func TestSince(t *testing.T) {
	t.Parallel()
	c := catalog(t, "1.0", "1.1", "1.2 yanked", "1.3 deprecated", "2.0-beta channel=beta preview", "2.0-rc preview", "2.0 milestone",
		"2.1 running=50", "2.2 held=10", "2.3 aborted=10", "2.4 completed", "zwei=2.4 @-1", "x=none")
	for _, tc := range []struct{ name, channel, from, to, want string }{
		{"complete ones up to the version", "stable", "1.0", "2.0", "2.0 1.3 1.1"},
		{"from a version that is not published", "stable", "1.0.5", "2.0", "2.0 1.3 1.1"},
		{"no rollouts on the way", "stable", "1.3", "2.4", "2.4 zwei 2.0"},
		{"up to a rollout", "stable", "1.3", "2.1", "2.1 2.0"},
		{"up to one that was held", "stable", "1.3", "2.2", "2.2 2.0"},
		{"up to one that was aborted", "stable", "2.0", "2.3", "2.3"},
		{"up to one that is yanked", "stable", "1.0", "1.2", "1.1"},
		{"with previews", "preview", "1.3", "2.0", "2.0 2.0-rc"},
		{"on a channel of the project", "beta", "1.3", "2.0", "2.0 2.0-beta"},
		{"up to a version of another channel", "stable", "1.1", "2.0-rc", "1.3"},
		{"of equal versions", "stable", "2.0", "zwei", "2.4 zwei"},
		{"nothing between equal ones", "stable", "2.0", "2.0", ""},
		{"nothing down to an older one", "stable", "2.0", "1.0", ""},
		{"only the version", "stable", "", "2.0", "2.0"},
		{"only the version, without a comparable version", "stable", "", "x", "x"},
		{"only the version, of another channel", "stable", "", "2.0-rc", ""},
		{"no channel", "nightly", "1.0", "2.0", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var from release.Comparable
			if tc.from != "" {
				from = parse(t, tc.from)
			}
			var got []string
			for _, at := range c.Since(tc.channel, from, c.Named(tc.to)) {
				got = append(got, name(c, at))
			}
			if strings.Join(got, " ") != tc.want {
				t.Errorf("from %q to %q on %s: got %q, want %q", tc.from, tc.to, tc.channel, got, tc.want)
			}
		})
	}
}
