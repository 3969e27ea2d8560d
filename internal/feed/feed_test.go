package feed_test

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/internal/asset"
	"svc/internal/feed"
	"svc/internal/release"
	"svc/internal/signature"
)

const origin = "https://dist.example"

// sums are the checksums of every stored file in these tests.
var sums = asset.File{
	Ready: true, Size: 83274334,
	SHA1:   strings.Repeat("ab", 20),
	SHA256: strings.Repeat("cd", 32),
	SHA512: strings.Repeat("ef", 64),
}

// published is the date of every version in these tests.
var published = time.Date(2026, 11, 22, 6, 0, 0, 0, time.UTC).Unix()

// minisigned is the value of a minisign signature with the given trusted comment.
func minisigned(comment string) asset.Signature {
	text := "untrusted comment: signature\nRUQAAAAA\ntrusted comment: " + comment + "\nAAAA\n"
	return asset.Signature{Status: "valid", KeyID: "0123456789ABCDEF", Value: base64.StdEncoding.EncodeToString([]byte(text))}
}

var edSigned = asset.Signature{Status: "valid", Value: base64.StdEncoding.EncodeToString(make([]byte, 64))}

// version returns a version with stored files of the given names.
func version(t *testing.T, display string, names ...string) *feed.Release {
	t.Helper()
	comparable, ok := release.Derive(display)
	if !ok {
		t.Fatalf("%q is not a version", display)
	}
	v := &feed.Release{Version: display, Date: published}
	v.SemVer, _ = comparable.SemVer()
	v.WinSparkle, _ = comparable.WinSparkle()
	v.Sparkle = func(bundle string) (string, bool) { return release.NativeVersions{}.SparkleOf(comparable, bundle) }
	v.Text = func() (string, string) { return "Autumn", "## Fixed\n\n- export" }
	links := make([]asset.Link, len(names))
	for i, name := range names {
		file := sums
		file.ID, file.Path = fmt.Sprint(i), "/f/demo/"+fmt.Sprint(i)+"/"+url.PathEscape(name)
		links[i] = asset.Link{URL: file.Path, File: &file}
		if kind, ok := strings.CutSuffix(name, ".nupkg"); ok {
			id, rest, _ := strings.Cut(kind, "-")
			file.Facts.Package = &asset.Package{ID: id, Version: rest[:strings.LastIndexByte(rest, '-')]}
		}
	}
	v.Assets = asset.Of(links, nil, nil, asset.Trust{})
	return v
}

// with changes the asset of a version with the given name.
func with(t *testing.T, v *feed.Release, name string, change func(*asset.Asset)) *feed.Release {
	t.Helper()
	at := slices.IndexFunc(v.Assets, func(a asset.Asset) bool { return a.Name == name })
	if at < 0 {
		t.Fatalf("there is no asset %q", name)
	}
	change(&v.Assets[at])
	return v
}

// signed signs all assets of a version.
func signed(v *feed.Release, scheme signature.Scheme, s asset.Signature) *feed.Release {
	for i := range v.Assets {
		v.Assets[i].Signatures[scheme] = s
	}
	return v
}

// reporting returns rules that collect the problems they report as "code asset".
func reporting() (feed.Rules, func() []string) {
	var all []string
	return feed.Rules{Origin: origin, Report: func(p feed.Problem) {
			all = append(all, strings.TrimSpace(string(p.Code)+" "+p.Asset))
			if p.Message == "" {
				panic("no message for " + p.Code)
			}
		}}, func() []string {
			slices.Sort(all)
			return slices.Compact(all)
		}
}

func expect(t *testing.T, got, want any) {
	t.Helper()
	if g, w := fmt.Sprintf("%v", got), fmt.Sprintf("%v", want); g != w {
		t.Errorf("got  %s\nwant %s", g, w)
	}
}

func names(assets []*asset.Asset) (all []string) {
	for _, a := range assets {
		all = append(all, a.Name)
	}
	return all
}

func name(a *asset.Asset) string {
	if a == nil {
		return ""
	}
	return a.Name
}

// semver is the grammar of SemVer 2.0.0 without build metadata.
var semver = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$`)

func TestHiddenAndVariantAssetsAreInNoFeed(t *testing.T) {
	t.Parallel()
	v := version(t, "2.3.0", "App.exe", "latest.yml", "App-debug.exe", "App-slow.exe")
	with(t, v, "App-debug.exe", func(a *asset.Asset) { a.Variant = "debug" })
	with(t, v, "App-slow.exe", func(a *asset.Asset) { a.Hidden = true })
	_, file, _ := feed.ParseElectronFile("latest.yml")
	expect(t, names(feed.Rules{}.Electron(v, file, "demo")), []string{"App.exe"})
}

func TestPendingFilesAreLeftOut(t *testing.T) {
	t.Parallel()
	v := version(t, "2.3.0")
	v.Assets = asset.Of([]asset.Link{{URL: "/f/demo/1/App.exe", File: &asset.File{ID: "1", Path: "/f/demo/1/App.exe"}}}, nil, nil, asset.Trust{})
	rules, problems := reporting()
	if got := rules.Latest(v, "windows", "", ""); got != nil {
		t.Errorf("got %q", got.Name)
	}
	expect(t, problems(), []string{"not_ready App.exe"})
}

// TestEnforcedSignatures checks that feeds leave out what the policy of the project refuses, and tell
// why.
func TestEnforcedSignatures(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		status   signature.Status
		problems []asset.Problem
		want     string // the problem; "" = listed
	}{
		{"", nil, ""},
		{signature.Valid, nil, ""},
		{"", []asset.Problem{asset.Unsigned}, "unsigned"},
		{signature.Untrusted, []asset.Problem{asset.Unsigned}, "unsigned"},
		{signature.Invalid, []asset.Problem{asset.SignatureInvalid, asset.Unsigned}, "signature_invalid"},
	} {
		v := version(t, "2.3.0", "App.exe")
		v.Assets[0].Signatures[signature.Minisign] = asset.Signature{Status: tc.status, Value: "x"}
		v.Assets[0].Problems = tc.problems
		var code string
		rules := feed.Rules{Minisign: true, Origin: origin, Report: func(p feed.Problem) { code = string(p.Code) }}
		listed := rules.Latest(v, "windows", "", "exe") != nil
		if code != tc.want || listed != (tc.want == "") {
			t.Errorf("%q, %v: listed %v with %q, want %q", tc.status, tc.problems, listed, code, tc.want)
		}
	}
}
