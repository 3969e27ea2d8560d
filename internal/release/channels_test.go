package release_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"svc/internal/release"
)

func channel(name string, includes ...string) release.Channel {
	return release.Channel{Name: name, Includes: includes}
}

func TestChannelsAreChecked(t *testing.T) {
	t.Parallel()
	var eight, nine release.Channels
	for n := range 9 {
		nine = append(nine, channel(fmt.Sprint("c", n)))
	}
	eight = nine[:8]
	for _, tc := range []struct {
		name     string
		channels release.Channels
		want     string // "" = valid
	}{
		{"none", nil, ""},
		{"eight", eight, ""},
		{"nine", nine, "channels must have at most 8 entries"},
		{"16 characters", release.Channels{channel("a234567890123456")}, ""},
		{"17 characters", release.Channels{channel("a2345678901234567")}, "channels[0].name must be a lower-case letter"},
		{"upper case", release.Channels{channel("Beta")}, "channels[0].name must be a lower-case letter"},
		{"a digit first", release.Channels{channel("1beta")}, "channels[0].name must be a lower-case letter"},
		{"empty", release.Channels{channel("")}, "channels[0].name must be a lower-case letter"},
		{"reserved", release.Channels{channel("latest")}, "channels[0].name must not be one of"},
		{"built in", release.Channels{channel("stable")}, "channels[0].name must not be one of"},
		{"twice", release.Channels{channel("beta"), channel("beta")}, `channels[1].name: channel "beta" is listed twice`},
		{"includes others", release.Channels{channel("beta", "stable"), channel("nightly", "beta", "preview")}, ""},
		{"includes a later one", release.Channels{channel("nightly", "beta"), channel("beta")}, ""},
		{"includes itself", release.Channels{channel("beta", "beta")}, "channels[0].includes[0] must be the name of another channel"},
		{"includes an unknown one", release.Channels{channel("beta", "stable", "x")}, "channels[0].includes[1] must be the name of another channel"},
		{"includes eight", append(slices.Clone(eight[:7]), channel("z", "c0", "c1", "c2", "c3", "c4", "c5", "c6", "stable")), ""},
		{"includes nine", release.Channels{channel("z", strings.Split("stable stable stable stable stable stable stable stable stable", " ")...)},
			"channels[0].includes must have at most 8 entries"},
		{"a cycle", release.Channels{channel("a", "b"), channel("b", "c"), channel("c", "a")}, `"a" includes itself`},
		{"a cycle that is included", release.Channels{channel("x", "a"), channel("a", "b"), channel("b", "a")}, `"a" includes itself`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := strings.Join(tc.channels.Problems(), "; ")
			if tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestSeenChannels(t *testing.T) {
	t.Parallel()
	own := release.Channels{channel("nightly", "beta", "preview"), channel("beta", "stable"), channel("alone")}
	for _, tc := range []struct {
		name string
		own  release.Channels
		want string
	}{
		{"stable", nil, "stable"},
		{"preview", nil, "preview stable"},
		{"beta", nil, ""},
		{"beta", own, "beta stable"},
		{"nightly", own, "nightly beta preview stable"},
		{"alone", own, "alone"},
		{"", own, ""},
		{"Beta", own, ""},
	} {
		if got := strings.Join(tc.own.Seen(tc.name), " "); got != tc.want {
			t.Errorf("%q among %v: got %q, want %q", tc.name, tc.own, got, tc.want)
		}
		if got := tc.own.Has(tc.name); got != (tc.want != "") {
			t.Errorf("%q among %v: Has is %v", tc.name, tc.own, got)
		}
	}
	if got := strings.Join(own.Names(), " "); got != "stable preview nightly beta alone" {
		t.Errorf("names: got %q", got)
	}
}

func TestDefaultChannel(t *testing.T) {
	t.Parallel()
	own := release.Channels{channel("beta", "stable"), channel("rc")}
	for _, tc := range []struct {
		own     release.Channels
		preview bool
		version string
		want    string
	}{
		{nil, false, "1.0", "stable"},
		{nil, true, "1.0", "preview"},
		{nil, true, "1.0-beta.1", "preview"},
		{own, true, "1.0-beta.1", "beta"},
		{own, true, "1.0-rc", "rc"},
		{own, true, "1.0-alpha", "preview"},
		{own, true, "1.0", "preview"},
		{own, false, "1.0-beta.1", "stable"},
	} {
		if got := tc.own.Default(tc.preview, parse(t, tc.version)); got != tc.want {
			t.Errorf("%s, preview %v, %v: got %q, want %q", tc.version, tc.preview, tc.own, got, tc.want)
		}
	}
}
