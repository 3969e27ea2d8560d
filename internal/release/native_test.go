package release_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"svc/internal/release"
)

func TestNativeVersions(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ comparable, semver, sparkle, winsparkle string }{
		{"2.3", "2.3.0", "2.3", "2.3.0"},
		{"03.004", "3.4.0", "3.4", "3.4.0"},
		{"2.0.0-beta.3", "2.0.0-beta.3", "2.0.0b3", "2.0.0-beta.3"},
		{"3.0-rc", "3.0.0-rc", "3.0rc0", "3.0.0-rc"},
		{"1.2.3.0", "1.2.3", "1.2.3.0", "1.2.3.0"},
		{"1.2.3.4", "", "1.2.3.4", "1.2.3.4"},
		{"7", "7.0.0", "7", "7.0.0"},
		{"000", "0.0.0", "0", "0.0.0"},
		{"1.2.3.0.0", "1.2.3", "1.2.3.0.0", "1.2.3.0.0"},
		{"1-alpha.0.01.0", "1.0.0-alpha.0.1", "1a0.1", "1.0.0-alpha.0.01.0"},
		{"1.0-rc.0", "1.0.0-rc", "1.0rc0", "1.0.0-rc.0"},
		{"9007199254740991", "9007199254740991.0.0", "9007199254740991", ""},
		{"9007199254740992", "", "9007199254740992", ""},
		{"1-rc.9007199254740992", "", "1rc9007199254740992", ""},
		{"2147483647.002147483647", "2147483647.2147483647.0", "2147483647.2147483647", "2147483647.2147483647.0"},
		{"1.2147483648", "1.2147483648.0", "1.2147483648", ""},
		{"1-rc.2147483648", "1.0.0-rc.2147483648", "1rc2147483648", ""},
	} {
		t.Run(tc.comparable, func(t *testing.T) {
			t.Parallel()
			c := parse(t, tc.comparable)
			if got, ok := c.SemVer(); got != tc.semver || ok != (tc.semver != "") {
				t.Errorf("SemVer: got %q, %v, want %q", got, ok, tc.semver)
			}
			if got := c.Sparkle(); got != tc.sparkle {
				t.Errorf("Sparkle: got %q, want %q", got, tc.sparkle)
			}
			if got, ok := c.WinSparkle(); got != tc.winsparkle || ok != (tc.winsparkle != "") {
				t.Errorf("WinSparkle: got %q, %v, want %q", got, ok, tc.winsparkle)
			}
		})
	}
}

func TestNativeVersionsThatAreSet(t *testing.T) {
	t.Parallel()
	var derived release.NativeVersions
	set := release.NativeVersions{SemVer: "1.2.3-4", Sparkle: "1204"}
	four := parse(t, "1.2.3.4")
	if got, ok := derived.SemVerOf(four); ok {
		t.Errorf("SemVer: got %q, want none", got)
	}
	if got, ok := set.SemVerOf(four); got != "1.2.3-4" || !ok {
		t.Errorf("SemVer: got %q, %v, want the text that was set", got, ok)
	}
	for _, tc := range []struct {
		name    string
		native  release.NativeVersions
		bundle  string
		want    string
		derived bool
	}{
		{"derived", derived, "", "1.2.3.4", true},
		{"of the asset", derived, "77", "77", false},
		{"set", set, "77", "1204", false},
	} {
		if got, isDerived := tc.native.SparkleOf(four, tc.bundle); got != tc.want || isDerived != tc.derived {
			t.Errorf("%s: got %q, %v, want %q, %v", tc.name, got, isDerived, tc.want, tc.derived)
		}
	}
}

func TestNativeVersionsAreChecked(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("1", 65)
	for _, tc := range []struct {
		name   string
		native release.NativeVersions
		want   string // "" = valid
	}{
		{"none", release.NativeVersions{}, ""},
		{"both", release.NativeVersions{SemVer: "1.0.0-rc.1+build.5", Sparkle: "1.0b3"}, ""},
		{"64 characters", release.NativeVersions{Sparkle: long[1:]}, ""},
		{"65 characters", release.NativeVersions{Sparkle: long}, "native_versions.sparkle must have at most 64"},
		{"a blank", release.NativeVersions{Sparkle: "1 2"}, "native_versions.sparkle must have"},
		{"a newline at the end", release.NativeVersions{Sparkle: "1\n"}, "native_versions.sparkle must have"},
		{"two numbers", release.NativeVersions{SemVer: "1.0"}, "native_versions.semver must be"},
		{"four numbers", release.NativeVersions{SemVer: "1.0.0.0"}, "native_versions.semver must be"},
		{"a leading zero", release.NativeVersions{SemVer: "1.02.0"}, "native_versions.semver must be"},
		{"a leading zero in a tag", release.NativeVersions{SemVer: "1.0.0-rc.01"}, "native_versions.semver must be"},
		{"a leading v", release.NativeVersions{SemVer: "v1.0.0"}, "native_versions.semver must be"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := strings.Join(tc.native.Problems(), "; ")
			if tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestNativeOrders checks the orders of the formats with lists in ascending order.
func TestNativeOrders(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name      string
		compare   func(a, b string) int
		ascending string
	}{
		{"SemVer", release.CompareSemVer, "1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0 " +
			"1.0.1-0 1.0.1 1.9.0 1.10.0 18446744073709551616.0.0"},
		{"Sparkle", release.CompareSparkle, "1a0 1b3 1b3.1 1b20 1rc0 1 1.0a1 1.0 1.0.0 1.9 1.10 1.18446744073709551616 2-beta"},
		{"WinSparkle", release.CompareWinSparkle, "1.0.0-alpha 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc 1.0.0-rc.1 1.0.0 1.0.0.0 1.9.0 1.10.0"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			all := strings.Split(tc.ascending, " ")
			for i, a := range all {
				for j, b := range all {
					if got, want := sign(tc.compare(a, b)), sign(i-j); got != want {
						t.Errorf("%s to %s: got %d, want %d", a, b, got, want)
					}
				}
			}
		})
	}
	if got := release.CompareSemVer("1.0.0+1", "1.0.0+2"); got != 0 {
		t.Errorf("SemVer compares build metadata: got %d", got)
	}
	if got := release.CompareSparkle("2.0.0-beta.3", "2.0.0"); got != 0 {
		t.Errorf("Sparkle compares what follows a hyphen: got %d", got)
	}
}

// TestMisordered compares Misordered with the definition, which looks at all pairs.
func TestMisordered(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var all []release.Native
		for range r.IntN(6) {
			all = append(all, release.Native{Version: parse(t, pick(r, "1", "1.0", "2", "3", "4", "5")), Text: pick(r, "1", "2", "3", "4", "4.0")})
		}
		slices.SortStableFunc(all, func(a, b release.Native) int { return b.Version.Compare(a.Version) })
		problem, leftOut := make([]bool, len(all)), make([]bool, len(all))
		for i, high := range all {
			for j, low := range all {
				if high.Version.Compare(low.Version) > 0 && release.CompareSparkle(high.Text, low.Text) <= 0 {
					problem[i], problem[j], leftOut[j] = true, true, true
				}
			}
		}
		gotProblem, gotLeftOut := release.Misordered(all, release.CompareSparkle)
		if !slices.Equal(gotProblem, problem) || !slices.Equal(gotLeftOut, leftOut) {
			t.Fatalf("%v: got %v, %v, want %v, %v", all, gotProblem, gotLeftOut, problem, leftOut)
		}
	}
}

// FuzzNative checks that derived texts keep the order of the comparable versions, and that the
// orders of the formats are antisymmetric for any text.
func FuzzNative(f *testing.F) {
	f.Add("1.2-rc.1", "1.2")
	f.Add("2.0.0-beta.3", "2.0.0-beta.10")
	f.Add("1.0.0-a.1", "1.0.0-1.a+x")
	f.Fuzz(func(t *testing.T, a, b string) {
		for name, compare := range map[string]func(a, b string) int{
			"SemVer": release.CompareSemVer, "Sparkle": release.CompareSparkle, "WinSparkle": release.CompareWinSparkle,
		} {
			if there, back := sign(compare(a, b)), sign(compare(b, a)); there != -back || compare(a, a) != 0 {
				t.Errorf("%s: %q to %q is %d, but %d the other way round", name, a, b, there, back)
			}
		}
		x, okX := release.Parse(a)
		y, okY := release.Parse(b)
		if !okX || !okY {
			return
		}
		semverX, okX := x.SemVer()
		semverY, okY := y.SemVer()
		if problems := (release.NativeVersions{SemVer: semverX}).Problems(); len(semverX) <= 64 && problems != nil {
			t.Errorf("%s: %s", x, problems)
		}
		if okX && okY && sign(release.CompareSemVer(semverX, semverY)) != sign(x.Compare(y)) {
			t.Errorf("%s to %s is %d, but %s to %s is %d", x, y, x.Compare(y), semverX, semverY, release.CompareSemVer(semverX, semverY))
		}
	})
}
