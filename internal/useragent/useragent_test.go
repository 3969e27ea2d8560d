package useragent

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"svc/internal/platform"
)

// said returns a Text that was sent or, for "-", one that was not sent.
func said(text string) Text {
	if text == "-" {
		return Text{}
	}
	return Text{text, true}
}

const (
	onWindows = "Mozilla/5.0 (Windows NT 10.0)"
	onMac     = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)"
)

// TestDetectExamples checks the examples in the API documentation, which declare the
// platform only in a header.
func TestDetectExamples(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		platform, version, agent string
		want                     System
	}{
		{"Windows 11", "-", "", System{platform.Windows, "11"}},
		{"MacOS26", "-", "", System{platform.MacOS, "26"}},
		{"ubuntu 24.04", "-", "", System{platform.Linux, "ubuntu 24.04"}},
		{"iPhone 15", "-", "", System{platform.IOS, "iphone 15"}},
		{"windows 10", "11", "", System{platform.Windows, "11"}},
		{"android", "-", onWindows, System{platform.Android, ""}},
		{"playstation", "-", onMac, System{platform.MacOS, "10.15.7"}},
		{"HarmonyOS 4", "-", "", System{platform.Others, "harmonyos 4"}},
		{"-", "-", "curl/8.4.0", System{platform.Others, ""}},
		{"androidx", "-", onWindows, System{platform.Windows, "10"}},
		{"win10", "-", "", System{platform.Windows, "10"}},
	} {
		for where, place := range map[string]func(Source) Declared{
			"header": func(s Source) Declared { return Declared{Header: s} },
			"query":  func(s Source) Declared { return Declared{Query: s} },
			"body":   func(s Source) Declared { return Declared{Body: s} },
		} {
			if got := Detect(place(Source{said(tc.platform), said(tc.version)}), tc.agent); got != tc.want {
				t.Errorf("%q, version %q in the %s, agent %q: got %q, want %q", tc.platform, tc.version, where, tc.agent, got, tc.want)
			}
		}
	}
}

func TestDetectRules(t *testing.T) {
	t.Parallel()
	from := func(p, v string) Source { return Source{said(p), said(v)} }
	none := from("-", "-")
	for _, tc := range []struct {
		name                string
		header, query, body Source
		agent               string
		want                System
	}{
		{"the platform comes from the header first", from("windows", "-"), from("linux", "-"), from("macos", "-"), "", System{platform.Windows, ""}},
		{"then from the query", none, from("linux", "-"), from("macos", "-"), "", System{platform.Linux, ""}},
		{"then from the body", none, none, from("macos", "-"), "", System{platform.MacOS, ""}},
		{"the version comes from the header first", from("-", "1"), from("-", "2"), from("web", "3"), "", System{platform.Web, "1"}},
		{"then from the query", none, from("-", "2"), from("web", "3"), "", System{platform.Web, "2"}},
		{"then from the body", none, none, from("web", "3"), "", System{platform.Web, "3"}},
		{"platform and version may come from different sources", from("-", "14"), none, from("android", "-"), "", System{platform.Android, "14"}},
		{"a version without a platform goes with the User-Agent", from("-", "14"), none, none, onMac, System{platform.MacOS, "14"}},

		{"what is not recognised does not fall through to the next source", from("toaster", "-"), from("linux", "-"), from("macos", "-"), onWindows, System{platform.Windows, "10"}},
		{"nor does a header that is empty", from("", "-"), from("linux", "-"), none, onWindows, System{platform.Windows, "10"}},
		{"nor a text in the body that is empty", none, none, from("", "-"), onWindows, System{platform.Windows, "10"}},
		{"a query value that is empty counts as not sent", none, from("", ""), from("linux", "6"), onWindows, System{platform.Linux, "6"}},
		{"a query value that is blank is sent", none, from(" ", " "), from("linux", "6"), onWindows, System{platform.Windows, "10"}},
		{"a version that is of no use does not fall through to the next source", from("linux", "..."), from("-", "6"), none, "", System{platform.Linux, ""}},

		{"declared version before the one in the platform", from("Windows 10", "11"), none, none, onWindows, System{platform.Windows, "11"}},
		{"the one in the platform before the User-Agent", from("Windows 11", "-"), none, none, onWindows, System{platform.Windows, "11"}},
		{"also when the declared one is of no use", from("Windows 11", " - "), none, none, onWindows, System{platform.Windows, "11"}},
		{"the User-Agent for the same platform", from("windows", "-"), none, none, onWindows, System{platform.Windows, "10"}},
		{"never the User-Agent for another platform", from("windows", "-"), none, none, onMac, System{platform.Windows, ""}},
		{"the User-Agent before the text that was not recognised", from("toaster 3", "-"), none, none, "CrOS", System{platform.Others, "chrome os"}},
		{"the text that was not recognised, cleaned", from("  - Toaster \t 3; ", "-"), none, none, "", System{platform.Others, "toaster 3"}},
		{"a declared version before that text", from("toaster", "3"), none, none, "", System{platform.Others, "3"}},
		{"only for platform others", from("toaster", "-"), none, none, "Darwin", System{platform.MacOS, ""}},
		{"a declared others is recognised, so its text is no version", from("unknown", "-"), none, none, onWindows, System{platform.Others, ""}},
		{"a declared others may have a version", from("other 7", "-"), none, none, onWindows, System{platform.Others, "7"}},
		{"web is a platform when it is declared", from("Web", "-"), none, none, onWindows, System{platform.Web, ""}},
		{"nothing at all", none, none, none, "", System{platform.Others, ""}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			d := Declared{tc.header, tc.query, tc.body}
			if got := Detect(d, tc.agent); got != tc.want {
				t.Errorf("%+v, agent %q: got %q, want %q", d, tc.agent, got, tc.want)
			}
		})
	}
}

// feedback returns the result of Feedback for a request with a User-Agent.
func feedback(d Declared, agent string) System {
	return Feedback(d, func() System { return Detect(d, agent) })
}

func TestFeedback(t *testing.T) {
	t.Parallel()
	from := func(p, v string) Source { return Source{said(p), said(v)} }
	none := from("-", "-")
	for _, tc := range []struct {
		name                string
		header, query, body Source
		agent               string
		want                System
	}{
		{"the body wins over header and query", from("linux", "6"), from("macos", "14"), from("windows", "11"), onMac, System{platform.Windows, "11"}},
		{"the body's version is normalised", none, none, from("Windows", " 11  Pro. "), "", System{platform.Windows, "11 pro"}},
		{"the header's version if it names the same platform", from("Windows", "11"), none, from("windows", "-"), "", System{platform.Windows, "11"}},
		{"also if it names it in another way", from("Win32", "11"), none, from("windows", "-"), "", System{platform.Windows, "11"}},
		{"also the version in the text of its platform", from("Windows 11", "-"), none, from("windows", "-"), "", System{platform.Windows, "11"}},
		{"the header's version if it names no platform", from("-", "11"), none, from("windows", "-"), "", System{platform.Windows, "11"}},
		{"a blank platform names none", from(" ", "11"), none, from("windows", "-"), "", System{platform.Windows, "11"}},
		{"not the header's version if it names another platform", from("linux", "6"), none, from("windows", "-"), "", System{platform.Windows, ""}},
		{"nor if it names one that is not known", from("toaster", "6"), none, from("windows", "-"), "", System{platform.Windows, ""}},
		{"the query's version in the same way", from("linux", "6"), from("windows", "11"), from("windows", "-"), "", System{platform.Windows, "11"}},
		{"the query's version if it names no platform", none, from("-", "11"), from("windows", "-"), "", System{platform.Windows, "11"}},
		{"not the query's if it names another platform", none, from("linux", "6"), from("windows", "-"), "", System{platform.Windows, ""}},
		{"the header's before the query's", from("-", "11"), from("-", "10"), from("windows", "-"), "", System{platform.Windows, "11"}},
		{"the User-Agent says nothing beside a platform in the body", none, none, from("windows", "-"), onWindows, System{platform.Windows, ""}},
		{"without a platform in the body it is detected", from("linux", "-"), none, from("-", "6"), onMac, System{platform.Linux, "6"}},
		{"without anything but a User-Agent, too", none, none, none, onMac, System{platform.MacOS, "10.15.7"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			d := Declared{tc.header, tc.query, tc.body}
			if got := feedback(d, tc.agent); got != tc.want {
				t.Errorf("%+v, agent %q: got %q, want %q", d, tc.agent, got, tc.want)
			}
		})
	}
}

func TestStored(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name         string
		origin, want System
	}{
		{"others without a version is nothing", System{platform.Others, ""}, System{}},
		{"others with a version is kept", System{platform.Others, "harmonyos 4"}, System{platform.Others, "harmonyos 4"}},
		{"a platform without a version is kept", System{platform.Linux, ""}, System{platform.Linux, ""}},
		{"both are kept", System{platform.Linux, "6"}, System{platform.Linux, "6"}},
	} {
		if got := tc.origin.Stored(); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestStatisticsName(t *testing.T) {
	t.Parallel()
	for _, p := range platform.All {
		if got, want := StatisticsName(p), strings.ToUpper(string(p)); got != want {
			t.Errorf("%q: got %q, want %q", p, got, want)
		}
	}
	if got := StatisticsName(""); got != "OTHERS" {
		t.Errorf("no platform: got %q, want OTHERS", got)
	}
}

// TestAgainstOracle compares the results with those of the second implementation. It
// composes texts from the parts that the rules distinguish, because a fuzzer rarely finds
// them.
func TestAgainstOracle(t *testing.T) {
	t.Parallel()
	const seed = 1
	random := rand.New(rand.NewPCG(seed, seed))
	pieces := []string{
		"iPhone", "ipad", "IPOD", "iOS", "os ", "os_", "OS 9", "Android", "windows NT ", "windows", "win", "Win32", "win64", "Mac OS X", "mac os",
		"Macintosh", "darwin", "Linux", "gnu/linux", "X11", "CrOS", "ubuntu", "Debian", "arch", "openSUSE", "suse", "kylin", "web", "other", "unknown",
		"1", "10.0", "6.1", "10_15_7", "12345678901234567890", "q", "z", " ", "  ", "\t", "/", "_", ".", ";", "-", ",", "ä", "本", "\xff", "\x00",
	}
	text := func(most int) string {
		var b strings.Builder
		for range random.IntN(most + 1) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		return b.String()
	}
	maybe := func() Text {
		if random.IntN(2) == 0 {
			return Text{}
		}
		return Text{text(4), true}
	}
	for range 20_000 {
		agent := text(8)
		if got, want := parseAgent(agent), naiveAgent(agent); got != want {
			t.Fatalf("seed %d, agent %q: got %q, want %q", seed, agent, got, want)
		}
		d := Declared{Source{maybe(), maybe()}, Source{maybe(), maybe()}, Source{maybe(), maybe()}}
		got := Detect(d, agent)
		if want := naiveDetect(d, agent); got != want {
			t.Fatalf("seed %d, %+v, agent %q: got %q, want %q", seed, d, agent, got, want)
		}
		checkOrigin(t, got)
		checkOrigin(t, feedback(d, agent))
	}
}

// checkOrigin checks the properties that every System must have.
func checkOrigin(t *testing.T, o System) {
	t.Helper()
	if p, ok := platform.Parse(string(o.Platform)); !ok || p != o.Platform {
		t.Errorf("got platform %q, want one of the set", o.Platform)
	}
	if n := utf8.RuneCountInString(o.Version); n > 32 || !utf8.ValidString(o.Version) {
		t.Errorf("got version %q with %d characters, want valid text of at most 32", o.Version, n)
	}
	if again := cleanVersion(normal(o.Version)); again != o.Version {
		t.Errorf("got version %q, which is %q when it is normalised again", o.Version, again)
	}
}

func FuzzDetect(f *testing.F) {
	f.Add("Windows 11", "-", "-", "-", "-", "-", onWindows)
	f.Add("-", " 10 ", "GNU/Linux", "-", "iPad", "17,", onMac)
	f.Fuzz(func(t *testing.T, hp, hv, qp, qv, bp, bv, agent string) {
		d := Declared{Source{said(hp), said(hv)}, Source{said(qp), said(qv)}, Source{said(bp), said(bv)}}
		got := Detect(d, agent)
		checkOrigin(t, got)
		checkOrigin(t, feedback(d, agent))
		if want := naiveDetect(d, agent); got != want {
			t.Errorf("%+v, agent %q: got %q, want %q", d, agent, got, want)
		}
		if s := got.Stored(); s != got && (s != System{} || got != System{Platform: platform.Others}) {
			t.Errorf("%q is stored as %q", got, s)
		}
	})
}
