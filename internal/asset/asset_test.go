package asset_test

import (
	"slices"
	"strings"
	"testing"

	"svc/internal/asset"
	"svc/internal/platform"
	"svc/internal/signature"
)

// elsewhere returns links with the given file names that lead to another server.
func elsewhere(names ...string) (links []asset.Link) {
	for _, name := range names {
		links = append(links, asset.Link{URL: "https://dl.example.com/v1/" + name})
	}
	return links
}

// only returns the only asset of a link.
func only(t *testing.T, link asset.Link, set asset.Override, platforms ...platform.Platform) asset.Asset {
	t.Helper()
	name, _ := asset.FileName(link.URL)
	assets := asset.Of([]asset.Link{link}, platforms, map[string]asset.Override{name: set}, asset.Trust{})
	if len(assets) != 1 {
		t.Fatalf("%s: %d assets, want 1", link.URL, len(assets))
	}
	return assets[0]
}

func TestNameIsTheDecodedLastSegment(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ address, want string }{
		{"https://dl.example.com/a/Demo%20Setup.exe", "Demo Setup.exe"},
		{" https://dl.example.com/a/Demo.exe?x=/y#/z ", "Demo.exe"},
		{"https://dl.example.com/a%2Fb.exe", "a_b.exe"},
		{"https://dl.example.com/50%.exe", "50%.exe"},
		{"https://dl.example.com/.hidden.", "hidden"},
		{"/f/demo/abcdefghijkl/Demo.exe", "Demo.exe"},
		{"https://dl.example.com", ""},
		{"https://dl.example.com/a/", ""},
		{"https://dl.example.com/..", ""},
	} {
		got, ok := asset.FileName(tc.address)
		if got != tc.want || ok != (tc.want != "") {
			t.Errorf("FileName(%q) = %q, %v, want %q", tc.address, got, ok, tc.want)
		}
	}
}

func TestKindAndPlatformOfNames(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		kind     asset.Kind
		platform platform.Platform
	}{
		{"Demo-2.3.0-delta.nupkg", asset.NupkgDelta, platform.Windows},
		{"Demo-2.3.0-full.nupkg", asset.NupkgFull, platform.Windows},
		{"Demo-2.3.0-linux-full.nupkg", asset.NupkgFull, platform.Linux},
		{"Demo2-1.delta", asset.SparkleDiff, platform.MacOS},
		{"Demo.app.tar.gz", asset.AppTar, platform.MacOS},
		{"Demo.tar.gz", asset.Tar, ""},
		{"Demo.DMG", asset.DMG, platform.MacOS},
		{"Demo.pkg", asset.PKG, platform.MacOS},
		{"Demo-Portable-1.exe", asset.ExePortable, platform.Windows},
		{"DemoPortable.exe", asset.Exe, platform.Windows},
		{"Demo.msi", asset.MSI, platform.Windows},
		{"Demo.msix", asset.MSIX, platform.Windows},
		{"Demo.msixbundle", asset.MSIX, platform.Windows},
		{"Demo.appx", asset.MSIX, platform.Windows},
		{"Demo.appxbundle", asset.MSIX, platform.Windows},
		{"demo.deb", asset.Deb, platform.Linux},
		{"demo.rpm", asset.RPM, platform.Linux},
		{"Demo.AppImage", asset.AppImage, platform.Linux},
		{"demo.flatpak", asset.Flatpak, platform.Linux},
		{"demo.snap", asset.Snap, platform.Linux},
		{"demo.apk", asset.APK, platform.Android},
		{"demo.aab", asset.AAB, platform.Android},
		{"demo.ipa", asset.IPA, platform.IOS},
		{"demo-mac.zip", asset.AppZip, platform.MacOS},
		{"demo-win.zip", asset.Zip, platform.Windows},
		{"demo.zip", asset.Zip, ""},
		{"demo.tgz", asset.Tar, ""},
		{"demo.tar.xz", asset.Tar, ""},
		{"demo.tar.bz2", asset.Tar, ""},
		{"demo.tar.zst", asset.Tar, ""},
		{"demo.tar", asset.Tar, ""},
		{"demo.xz", asset.Other, ""},
		{"exe", asset.Other, ""},
	} {
		a := only(t, asset.Link{URL: "https://dl.example.com/" + tc.name}, asset.Override{})
		if a.Kind != tc.kind || a.Platform != tc.platform {
			t.Errorf("%s is %s for %q, want %s for %q", tc.name, a.Kind, a.Platform, tc.kind, tc.platform)
		}
	}
}

func TestHiddenNames(t *testing.T) {
	t.Parallel()
	hidden := []string{
		"latest.yml", "LATEST-mac.yml", "beta-mac.yml", "beta-linux-arm64.yml", "releases.win.json", "assets.win.json", "RELEASES",
		"RELEASES-beta", "appcast.xml", "appcast-beta.xml", "latest.json", "SHA256SUMS", "SHA256SUMS.asc", "demo_checksums.txt",
		"demo.exe.sha256", "demo.exe.sha512",
	}
	for _, name := range append(hidden, "demo.yml", "release.json", "demo.xml", "sums.txt", "demo.exe") {
		a := only(t, asset.Link{URL: "https://dl.example.com/" + name}, asset.Override{})
		if want := slices.Contains(hidden, name); a.Hidden != want {
			t.Errorf("%s: hidden is %v, want %v", name, a.Hidden, want)
		}
	}
	shown := false
	if only(t, elsewhere("latest.json")[0], asset.Override{Hidden: &shown}).Hidden {
		t.Error("an asset that was shown by hand is hidden")
	}
}

func TestCompanions(t *testing.T) {
	t.Parallel()
	assets := asset.Of(elsewhere("Demo.exe", "Demo.exe.blockmap", "Demo.exe.SIG", "Demo.exe.minisig", "Demo.exe.blockmap.sig", "Other.exe.sig", "demo.exe.edsig"),
		nil, nil, asset.Trust{})
	var names []string
	for _, a := range assets {
		names = append(names, a.Name)
	}
	if want := []string{"Demo.exe", "Other.exe.sig", "demo.exe.edsig"}; !slices.Equal(names, want) {
		t.Fatalf("assets are %q, want %q", names, want)
	}
	a := assets[0]
	if a.BlockMap == nil || a.BlockMap.Name != "Demo.exe.blockmap" {
		t.Errorf("block map is %+v", a.BlockMap)
	}
	if len(a.Companions) != 2 || a.Companions[0].Name != "Demo.exe.SIG" || a.Companions[1].Name != "Demo.exe.minisig" {
		t.Errorf("companions are %+v", a.Companions)
	}
	if assets[1].Kind != asset.Other {
		t.Errorf("a signature of nothing is %s, want other", assets[1].Kind)
	}
}

func TestPlatformAndArchFromWords(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		linkPlatform, linkName, file string
		platform                     platform.Platform
		arch                         asset.Arch
	}{
		{"", "", "demo-linux-x86_64.tar.gz", platform.Linux, asset.X64},
		{"", "", "demo_darwin_amd64.tar.gz", platform.MacOS, asset.X64},
		{"macOS", "", "demo-linux-arm64.tar.gz", platform.MacOS, asset.ARM64},
		{"", "Windows (ARM64)", "demo-linux-x64.tar.gz", platform.Windows, asset.ARM64},
		{"linux", "mac x86-64", "demo-windows-arm64.zip", platform.Linux, asset.X64},
		{"", "", "demo-win-mac.tar", platform.Windows, ""},
		{"", "", "demo-x64-arm64.tar", "", asset.X64},
		{"", "", "demo-win32.zip", platform.Windows, asset.X86},
		{"", "", "demo-win32-x64.zip", platform.Windows, asset.X64},
		{"", "", "demo-win32-arm64.zip", platform.Windows, asset.ARM64},
		{"win32", "", "demo-x64.zip", platform.Windows, asset.X86},
		{"", "", "demo-win64.zip", platform.Windows, asset.X64},
		{"", "", "demo-i686.deb", platform.Linux, asset.X86},
		{"", "", "demo-386.rpm", platform.Linux, asset.X86},
		{"", "", "demo-armhf.deb", platform.Linux, asset.ARMv7},
		{"", "", "demo-armv7l.deb", platform.Linux, asset.ARMv7},
		{"", "", "demo_arm.tar", "", asset.ARMv7},
		{"", "", "demo-universal2.dmg", platform.MacOS, asset.Universal},
		{"", "", "demo-aarch64.wasm", platform.Web, asset.ARM64},
		{"", "", "demo-iPad.tar", platform.IOS, ""},
		{"", "", "winter-darkwin.tar", "", ""},
	} {
		a := only(t, asset.Link{URL: "https://dl.example.com/" + tc.file, Name: tc.linkName, Platform: tc.linkPlatform}, asset.Override{})
		if a.Platform != tc.platform || a.Arch != tc.arch {
			t.Errorf("%q, %q, %s: %q %q, want %q %q", tc.linkPlatform, tc.linkName, tc.file, a.Platform, a.Arch, tc.platform, tc.arch)
		}
	}
}

// TestOrderOfSources adds sources from the last to the first. Each one must win over those
// before it.
func TestOrderOfSources(t *testing.T) {
	t.Parallel()
	link := asset.Link{URL: "https://dl.example.com/demo.zip"}
	expect := func(source string, a asset.Asset, p platform.Platform, k asset.Kind) {
		t.Helper()
		if a.Platform != p || a.Kind != k {
			t.Errorf("%s: %q %s, want %q %s", source, a.Platform, a.Kind, p, k)
		}
	}
	expect("no source", only(t, link, asset.Override{}), "", asset.Zip)
	expect("several platforms of the version", only(t, link, asset.Override{}, platform.Linux, platform.Windows), "", asset.Zip)
	expect("version", only(t, link, asset.Override{}, platform.MacOS), platform.MacOS, asset.AppZip)
	dmg := asset.Link{URL: "https://dl.example.com/demo.dmg"}
	expect("kind", only(t, dmg, asset.Override{}, platform.Linux), platform.MacOS, asset.DMG)
	link.Name = "Windows"
	expect("words", only(t, link, asset.Override{}, platform.Linux), platform.Windows, asset.Zip)
	link.File = &asset.File{ID: "abcdefghijkl", Ready: true, Facts: asset.Facts{Platform: platform.MacOS, BundleVersion: "230", OSMin: "11.0"}}
	a := only(t, link, asset.Override{}, platform.Linux)
	expect("content", a, platform.MacOS, asset.AppZip)
	if a.BundleVersion != "230" || a.OSMin != "11.0" {
		t.Errorf("the content gives bundle version %q and system version %q", a.BundleVersion, a.OSMin)
	}
	a = only(t, link, asset.Override{Platform: platform.Linux, BundleVersion: "231", OSMin: "12", Arch: asset.ARM64, Variant: "lite"}, platform.Windows)
	expect("hand", a, platform.Linux, asset.Zip)
	if a.BundleVersion != "231" || a.OSMin != "12" || a.Arch != asset.ARM64 || a.Variant != "lite" {
		t.Errorf("set by hand, but the asset is %+v", a)
	}
	expect("kind by hand", only(t, link, asset.Override{Kind: asset.Zip}), platform.MacOS, asset.Zip)
	expect("platform of the kind by hand", only(t, elsewhere("demo.bin")[0], asset.Override{Kind: asset.Exe}), platform.Windows, asset.Exe)
}

func TestFactsCountOnlyForTheirKind(t *testing.T) {
	t.Parallel()
	facts := asset.Facts{BlockMapSize: 12, Package: &asset.Package{ID: "Demo", Version: "1.0.0"}}
	for name, want := range map[string]struct {
		blockMap int64
		packaged bool
	}{
		"Demo.AppImage": {12, false}, "Demo-full.nupkg": {0, true}, "Demo.zip": {0, false},
	} {
		a := only(t, asset.Link{URL: "/" + name, File: &asset.File{ID: "x", Ready: true, Facts: facts}}, asset.Override{DeltaFrom: "7"})
		if a.BlockMapSize != want.blockMap || (a.Package != nil) != want.packaged || a.DeltaFrom != "" {
			t.Errorf("%s: %+v", name, a)
		}
	}
	if a := only(t, elsewhere("Demo.delta")[0], asset.Override{DeltaFrom: "7"}); a.DeltaFrom != "7" {
		t.Errorf("a delta updates %q, want 7", a.DeltaFrom)
	}
}

func TestSizeAndSumsByHandAreForLinksElsewhere(t *testing.T) {
	t.Parallel()
	size := int64(7)
	set := asset.Override{Size: &size, SHA1: strings.Repeat("AB", 20), SHA256: strings.Repeat("cd", 32), SHA512: strings.Repeat("ef", 64)}
	if problems := set.Problems(); problems != nil {
		t.Fatal(problems)
	}
	a := only(t, elsewhere("Demo.msi")[0], set)
	if *a.Size != 7 || a.SHA1 != strings.Repeat("ab", 20) || a.SHA512 != set.SHA512 || a.Problems != nil {
		t.Errorf("%+v", a)
	}
	stored := &asset.File{ID: "x", Ready: true, Size: 9, SHA1: "1", SHA256: "2", SHA512: "3"}
	a = only(t, asset.Link{URL: "/Demo.msi", File: stored}, set)
	if *a.Size != 9 || a.SHA1 != "1" || a.SHA256 != "2" || a.SHA512 != "3" {
		t.Errorf("%+v", a)
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	ready := &asset.File{ID: "x", Ready: true, SHA1: "1", SHA256: "2", SHA512: "3"}
	unreadable := *ready
	unreadable.Facts.Unreadable = true
	older := &asset.File{ID: "x", Ready: true, SHA256: "2"}
	for _, tc := range []struct {
		name  string
		links []asset.Link
		want  []asset.Problem
	}{
		{"none", []asset.Link{{URL: "/a.msi", File: ready}}, nil},
		{"a link elsewhere has no sums", elsewhere("a.msi"), []asset.Problem{asset.NoDigest}},
		{"a file stored before the upgrade", []asset.Link{{URL: "/a.msi", File: older}}, []asset.Problem{asset.NoDigest}},
		{"a file that is not ready", []asset.Link{{URL: "/a.msi", File: &asset.File{ID: "x"}}}, []asset.Problem{asset.NotReady}},
		{"unreadable", []asset.Link{{URL: "/a.zip", File: &unreadable}}, []asset.Problem{asset.Unreadable}},
		{"installer without block map", []asset.Link{{URL: "/a.exe", File: ready}}, []asset.Problem{asset.NoBlockMap}},
		{"installer with block map", []asset.Link{{URL: "/a.exe", File: ready}, {URL: "/a.exe.blockmap"}}, nil},
		{"AppImage without block map", []asset.Link{{URL: "/a.AppImage", File: ready}}, []asset.Problem{asset.NoBlockMap}},
		{"two links with one name", []asset.Link{{URL: "/1/a.msi", File: ready}, {URL: "/2/a.msi"}}, []asset.Problem{asset.DuplicateName}},
		{"two companions with one name", []asset.Link{{URL: "/a.msi", File: ready}, {URL: "/1/a.msi.sig"}, {URL: "/2/a.msi.sig"}},
			[]asset.Problem{asset.DuplicateName}},
		{"names differ in case", []asset.Link{{URL: "/a.msi", File: ready}, {URL: "/A.msi", File: ready}}, nil},
	} {
		assets := asset.Of(tc.links, nil, nil, asset.Trust{})
		if !slices.Equal(assets[0].Problems, tc.want) || assets[0].URL != tc.links[0].URL {
			t.Errorf("%s: %q has %q, want %q", tc.name, assets[0].URL, assets[0].Problems, tc.want)
		}
	}
}

func TestInvalidOverrides(t *testing.T) {
	t.Parallel()
	negative := int64(-1)
	for _, tc := range []struct {
		set  asset.Override
		want string
	}{
		{asset.Override{Kind: "setup"}, "kind must be one of nupkg-delta, nupkg-full,"},
		{asset.Override{Platform: "bsd"}, "platform must be one of windows,"},
		{asset.Override{Arch: "x86_64"}, "arch must be one of x64, arm64, x86, armv7, universal"},
		{asset.Override{Variant: "Lite"}, "variant must have at most 32 characters"},
		{asset.Override{Variant: strings.Repeat("a", 33)}, "variant must"},
		{asset.Override{OSMin: "10.15 "}, "os_min must have at most 32 characters"},
		{asset.Override{BundleVersion: "1 2"}, "bundle_version must have at most 64"},
		{asset.Override{DeltaFrom: strings.Repeat("1", 65)}, "delta_from must have at most 64"},
		{asset.Override{Size: &negative}, "size must be an integer"},
		{asset.Override{SHA1: "ab"}, "sha1 must be 40 hexadecimal digits"},
		{asset.Override{SHA256: strings.Repeat("xy", 32)}, "sha256 must be 64 hexadecimal digits"},
		{asset.Override{SHA512: "0"}, "sha512 must be 128 hexadecimal digits"},
	} {
		if got := tc.set.Problems(); len(got) != 1 || !strings.HasPrefix(got[0], tc.want) {
			t.Errorf("%+v: %q, want %q", tc.set, got, tc.want)
		}
	}
	all := asset.Override{Kind: "a", Platform: "b", Arch: "c", Variant: "D", OSMin: "e", BundleVersion: " ", DeltaFrom: " ", SHA1: "f"}
	if got := all.Problems(); len(got) != 8 {
		t.Errorf("%d of 8 problems: %q", len(got), got)
	}
}

// TestPolicy checks which assets a project refuses that requires signatures.
func TestPolicy(t *testing.T) {
	t.Parallel()
	parse := func(scheme signature.Scheme, text string) signature.Key {
		k, err := signature.ParseKey(scheme, text)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	minisign := parse(signature.Minisign, "RWQUC+2/nD9tVnhlcoMy4DpjtkQrQu+Y7rHUvv0enFAyuD1w9k5fVRpQ")
	sparkle := parse(signature.Sparkle, "eGVygzLgOmO2RCtC75jusdS+/R6cUDK4PXD2Tl9VGlA=")
	keys := func(state signature.State) []signature.TrustedKey {
		return []signature.TrustedKey{{Key: minisign, State: state}}
	}
	for _, tc := range []struct {
		name    string
		trust   asset.Trust
		refused bool
	}{
		{"App.exe", asset.Trust{Enforce: true, Keys: keys(signature.Active)}, true},
		{"App.exe", asset.Trust{Keys: keys(signature.Active)}, false},
		{"App.exe", asset.Trust{Enforce: true}, false},
		{"App.exe", asset.Trust{Enforce: true, Keys: keys(signature.Retired)}, false},
		{"App.exe", asset.Trust{Enforce: true, Keys: []signature.TrustedKey{{Key: sparkle, State: signature.Active}}}, false},
		{"App.dmg", asset.Trust{Enforce: true, Keys: []signature.TrustedKey{{Key: sparkle, State: signature.Active}}}, true},
		{"App.tar.gz", asset.Trust{Enforce: true, Keys: keys(signature.Active)}, true},
		{"App.dmg", asset.Trust{Enforce: true, Keys: keys(signature.Active)}, false},
		{"App.apk", asset.Trust{Enforce: true, Keys: keys(signature.Active)}, false},
	} {
		a := asset.Of(elsewhere(tc.name), nil, nil, tc.trust)[0]
		if slices.Contains(a.Problems, asset.Unsigned) != tc.refused {
			t.Errorf("%s with %+v: problems are %v", tc.name, tc.trust, a.Problems)
		}
	}
}
