package feed_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"svc/internal/asset"
	"svc/internal/feed"
)

// velopackEntry has every field that native clients demand.
type velopackEntry struct {
	PackageID     *string `json:"PackageId"`
	Version       *string
	Type          *string
	FileName      *string
	SHA1, SHA256  *string
	Size          *int64
	NotesMarkdown *string
	NotesHTML     *string
}

// readVelopack reads a feed as strictly as native clients do, and returns its entries as
// "type version".
func readVelopack(t *testing.T, body []byte) (all []string) {
	t.Helper()
	var f struct{ Assets []velopackEntry }
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil || f.Assets == nil {
		t.Fatalf("%v: %s", err, body)
	}
	full := 0
	for _, e := range f.Assets {
		for name, text := range map[string]*string{
			"PackageId": e.PackageID, "Version": e.Version, "Type": e.Type, "FileName": e.FileName, "NotesMarkdown": e.NotesMarkdown, "NotesHTML": e.NotesHTML,
		} {
			if text == nil {
				t.Errorf("%s is null: %s", name, body)
			}
		}
		if filepath.Base(*e.FileName) != *e.FileName || strings.ContainsAny(*e.FileName, `/\`) {
			t.Errorf("FileName %q is not a plain name", *e.FileName)
		}
		if !regexp.MustCompile(`^[0-9A-F]{40}$`).MatchString(deref(e.SHA1)) || !regexp.MustCompile(`^[0-9A-F]{64}$`).MatchString(deref(e.SHA256)) {
			t.Errorf("got sums %q and %q", deref(e.SHA1), deref(e.SHA256))
		}
		if e.Size == nil || *e.Size != sums.Size {
			t.Errorf("got no exact size: %s", body)
		}
		if *e.Type == "Full" {
			full++
		} else if *e.Type != "Delta" {
			t.Errorf("got type %q", *e.Type)
		}
		all = append(all, *e.Type+" "+*e.Version)
	}
	if len(f.Assets) > 0 && full != 1 {
		t.Errorf("got %d full packages: %s", full, body)
	}
	return all
}

// packages returns a version with a full package of Velopack for Linux and, unless first is set, a
// delta package.
func packages(t *testing.T, display string, first bool) *feed.Release {
	t.Helper()
	names := []string{"Demo-" + display + "-full.nupkg"}
	if !first {
		names = append(names, "Demo-"+display+"-delta.nupkg")
	}
	v := version(t, display, names...)
	for i := range v.Assets {
		v.Assets[i].Package.Channel = "linux"
	}
	return v
}

var linux = feed.Package{Channel: "linux"}

// squirrelPackages is like packages, but for Squirrel.Windows.
func squirrelPackages(t *testing.T, display string, first bool) *feed.Release {
	t.Helper()
	v := packages(t, display, first)
	for i := range v.Assets {
		v.Assets[i].Package.Channel = ""
	}
	return v
}

func TestVelopackFileNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"releases.linux.json": "linux", "releases.win-x64.json": "win-x64", "releases.json": "", "releases..json": "", "assets.linux.json": "", "RELEASES": "",
	} {
		if channel, ok := feed.ParseVelopackFile(name); ok != (want != "") || ok && channel != want {
			t.Errorf("%s: got %q, %v", name, channel, ok)
		}
	}
}

func TestVelopackRun(t *testing.T) {
	t.Parallel()
	four := func() []*feed.Release {
		return []*feed.Release{packages(t, "2.3.0", false), packages(t, "2.2.0", false), packages(t, "2.1.0", false), packages(t, "2.0.0", true)}
	}
	for _, tc := range []struct {
		name   string
		change func([]*feed.Release)
		at     int
		want   []string
	}{
		{"whole", nil, 0, []string{"Full 2.3.0", "Delta 2.3.0", "Delta 2.2.0", "Delta 2.1.0"}},
		{"of a lower version", nil, 1, []string{"Full 2.2.0", "Delta 2.2.0", "Delta 2.1.0"}},
		{"of the lowest", nil, 3, []string{"Full 2.0.0"}},
		{"across a yanked version", func(all []*feed.Release) { all[1].Gap = true }, 0, []string{"Full 2.3.0"}},
		{"down to a yanked version", func(all []*feed.Release) { all[2].Gap = true }, 0, []string{"Full 2.3.0", "Delta 2.3.0"}},
		{"a version without delta", func(all []*feed.Release) { all[1].Assets = all[1].Assets[:1] }, 0, []string{"Full 2.3.0", "Delta 2.3.0"}},
		{"a version without packages", func(all []*feed.Release) { all[1].Assets = nil }, 0, []string{"Full 2.3.0", "Delta 2.3.0", "Delta 2.1.0"}},
		{"a delta whose sum is not known", func(all []*feed.Release) { all[0].Assets[1].SHA256 = "" }, 0, []string{"Full 2.3.0"}},
		{"no full package", func(all []*feed.Release) { all[0].Assets = all[0].Assets[1:] }, 0, nil},
	} {
		all := four()
		if tc.change != nil {
			tc.change(all)
		}
		got := readVelopack(t, feed.Velopack(feed.Rules{}.Chain(all, all[tc.at], linux)))
		if strings.Join(got, ",") != strings.Join(tc.want, ",") {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestVelopackListsAtMostTenDeltas(t *testing.T) {
	t.Parallel()
	var all []*feed.Release
	for n := range strings.FieldsSeq("31 30 29 28 27 26 25 24 23 22 21 20 19 18 17") {
		all = append(all, packages(t, "2."+n+".0", false))
	}
	expect(t, len(feed.Rules{}.Chain(all, all[0], linux)), 1+10)
}

func TestVelopackHasNoNull(t *testing.T) { // 14.1
	t.Parallel()
	v := packages(t, "2.3.0", true)
	v.Text = func() (string, string) { return "", "" }
	body := feed.Velopack(feed.Rules{}.Chain([]*feed.Release{v}, v, linux))
	readVelopack(t, body)
	if bytes.Contains(body, []byte("null")) || !bytes.Contains(body, []byte(`"NotesMarkdown":"","NotesHTML":""`)) {
		t.Errorf("got %s", body)
	}
	expect(t, string(feed.Velopack(nil)), `{"Assets":[]}`)
}

func TestVelopackNames(t *testing.T) { // 14.2, 14.3, 14.4
	t.Parallel()
	v := packages(t, "2.3.0", false)
	v.Assets[0].Package.ID, v.Assets[0].Package.Version = "demo.app", "2.3.0-nuspec"
	v.Assets[1].Package.ID = "demo.app"
	lower := packages(t, "2.2.0", true)
	lower.Assets[0].Package.ID = "demo.app"
	body := string(feed.Velopack(feed.Rules{}.Chain([]*feed.Release{v, lower}, v, linux)))
	expect(t, readVelopack(t, []byte(body)), []string{"Full 2.3.0-nuspec", "Delta 2.3.0"})
	for _, part := range []string{`"FileName":"Demo-2.3.0-full.nupkg"`, `"PackageId":"demo.app"`, `"NotesMarkdown":"## Fixed\n\n- export"`, `<li>export</li>`} {
		if !strings.Contains(body, part) {
			t.Errorf("got no %s in %s", part, body)
		}
	}
}

func TestVelopackSums(t *testing.T) { // 14.5, 14.6
	t.Parallel()
	for _, change := range []func(*asset.Asset){
		func(a *asset.Asset) { a.SHA1 = "" }, func(a *asset.Asset) { a.SHA256 = "" }, func(a *asset.Asset) { a.Size = nil },
	} {
		v := packages(t, "2.3.0", true)
		change(&v.Assets[0])
		rules, problems := reporting()
		expect(t, len(rules.Chain([]*feed.Release{v}, v, linux)), 0)
		expect(t, problems(), []string{"no_digest Demo-2.3.0-full.nupkg"})
	}
}

func TestVelopackHasOneFullPackage(t *testing.T) { // 14.7
	t.Parallel()
	v := version(t, "2.3.0", "Demo-2.3.0-full.nupkg", "Other-2.3.0-full.nupkg", "Squirrel-2.3.0-full.nupkg")
	v.Assets[0].Package.Channel, v.Assets[1].Package.Channel = "linux", "linux"
	all := []*feed.Release{v}
	expect(t, feed.Rules{}.Chain(all, v, linux)[0].Asset.Name, "Demo-2.3.0-full.nupkg")
	expect(t, len(feed.Rules{}.Chain(all, v, linux)), 1)
	expect(t, feed.Rules{}.Chain(all, v, feed.Package{Channel: "linux", ID: "Other"})[0].Asset.Name, "Other-2.3.0-full.nupkg")
	expect(t, len(feed.Rules{}.Chain(all, v, feed.Package{Channel: "linux", ID: "Squirrel"})), 0)
	expect(t, len(feed.Rules{}.Chain(all, v, feed.Package{Channel: "win"})), 0)
}

func TestVelopackNamesAreUniqueInAChannel(t *testing.T) { // 14.8
	t.Parallel()
	one, two, three := packages(t, "2.3.0", false), packages(t, "2.2.0", false), packages(t, "2.1.0", true)
	two.Assets[1].Name = one.Assets[1].Name
	all := []*feed.Release{one, two, three}
	rules, problems := reporting()
	expect(t, readVelopack(t, feed.Velopack(rules.Chain(all, one, linux))), []string{"Full 2.3.0", "Delta 2.3.0"})
	expect(t, problems(), []string{"duplicate_name Demo-2.3.0-delta.nupkg"})
	if got := feed.Packages(all, false)["Demo-2.3.0-delta.nupkg"]; got != &one.Assets[1] {
		t.Errorf("got the package of the lower version")
	}
	expect(t, len(feed.Packages(all, true)), 0)
}

// squirrelLine is how Squirrel.Windows reads a line of RELEASES.
var squirrelLine = regexp.MustCompile(`^([0-9a-fA-F]{40}) (\S+) (\d+)$`)

// squirrelName is how it reads the version in a file name.
var squirrelName = regexp.MustCompile(`-(\d+(?:\.\d+){0,3}(?:-[A-Za-z][0-9A-Za-z-]*)?)-(full|delta)\.nupkg$`)

// readSquirrel reads RELEASES as strictly as clients do, and returns its lines as "type version".
func readSquirrel(t *testing.T, body []byte) (all []string) {
	t.Helper()
	if bytes.ContainsAny(body, "\r\xef") || !bytes.HasSuffix(body, []byte("\n")) || bytes.Contains(body, []byte("\n\n")) {
		t.Errorf("got %q", body)
	}
	for line := range strings.Lines(string(body)) {
		parts := squirrelLine.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if parts == nil || parts[3] != "83274334" {
			t.Fatalf("got line %q", line)
		}
		named := squirrelName.FindStringSubmatch(parts[2])
		if named == nil {
			t.Fatalf("%q has no version", parts[2])
		}
		all = append(all, named[2]+" "+named[1])
	}
	return all
}

func TestSquirrelLines(t *testing.T) { // 17.1, 17.2, 17.5, 17.6
	t.Parallel()
	all := []*feed.Release{squirrelPackages(t, "2.3.0", false), squirrelPackages(t, "2.2.0", false), squirrelPackages(t, "2.1.0", true)}
	p := feed.Package{Arch: asset.X64}
	list := feed.Rules{}.Chain(all, all[0], p)
	expect(t, readSquirrel(t, feed.Squirrel(list)), []string{"delta 2.2.0", "delta 2.3.0", "full 2.3.0"})
	all[1].Gap = true // a client would apply all deltas above its version, so there must be no hole
	expect(t, readSquirrel(t, feed.Squirrel(feed.Rules{}.Chain(all, all[0], p))), []string{"full 2.3.0"})
	expect(t, len(feed.Rules{}.Chain(all, all[0], feed.Package{Arch: asset.ARM64})), 0)
	expect(t, len(feed.Rules{}.Chain([]*feed.Release{packages(t, "2.3.0", true)}, all[0], linux)), 0)
}

func TestSquirrelReadsVersionsInNames(t *testing.T) { // 17.3
	t.Parallel()
	for _, tc := range []struct {
		name, version string
		ok            bool
	}{
		{"Demo-2.3.0-full.nupkg", "2.3.0", true},
		{"Demo-2.3.0.4-full.nupkg", "2.3.0.4", true},
		{"Demo-2.3.0-beta-full.nupkg", "2.3.0-beta", true},
		{"Demo-2.3.0-full.nupkg", "2.3.1", false},
		{"Demo-2.3.0-beta.1-full.nupkg", "2.3.0-beta.1", false},
		{"Demo-2.3.0.4.5-full.nupkg", "2.3.0.4.5", false},
		{"Demo-2.3.0.nupkg", "2.3.0", false},
	} {
		v := squirrelPackages(t, "2.3.0", true)
		v.Assets[0].Name, v.Assets[0].Package.Version = tc.name, tc.version
		rules, problems := reporting()
		got := rules.Full(v, feed.Package{})
		if (got != nil) != tc.ok || !tc.ok && problems()[0] != "name_version_mismatch "+tc.name {
			t.Errorf("%s %s: got %v, %q", tc.name, tc.version, got != nil, problems())
		}
	}
}

func TestSquirrelNamesHaveNoSpace(t *testing.T) { // 17.4
	t.Parallel()
	v := squirrelPackages(t, "2.3.0", true)
	v.Assets[0].Name = "My Demo-2.3.0-full.nupkg"
	rules, problems := reporting()
	if rules.Full(v, feed.Package{}) != nil {
		t.Error("got the package")
	}
	expect(t, problems(), []string{"name_has_space My Demo-2.3.0-full.nupkg"})
}

func TestSquirrelArchs(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]bool{"x64": true, "x86": true, "arm64": true, "universal": false, "armv7": false, "": false} {
		if _, ok := feed.ParseSquirrelArch(word); ok != want {
			t.Errorf("%q: got %v", word, ok)
		}
	}
}
