package asset

import (
	"path"
	"slices"
	"strings"

	"svc/internal/platform"
)

// Kind is the kind of an asset.
type Kind string

// The kinds of assets.
const (
	NupkgDelta  Kind = "nupkg-delta"
	NupkgFull   Kind = "nupkg-full"
	SparkleDiff Kind = "sparkle-delta"
	AppTar      Kind = "app-tar"
	DMG         Kind = "dmg"
	PKG         Kind = "pkg"
	ExePortable Kind = "exe-portable"
	Exe         Kind = "exe"
	MSI         Kind = "msi"
	MSIX        Kind = "msix"
	Deb         Kind = "deb"
	RPM         Kind = "rpm"
	AppImage    Kind = "appimage"
	Flatpak     Kind = "flatpak"
	Snap        Kind = "snap"
	APK         Kind = "apk"
	AAB         Kind = "aab"
	IPA         Kind = "ipa"
	AppZip      Kind = "app-zip"
	Zip         Kind = "zip"
	Tar         Kind = "tar"
	Other       Kind = "other"
)

// Kinds lists all kinds.
var Kinds = []Kind{
	NupkgDelta, NupkgFull, SparkleDiff, AppTar, DMG, PKG, ExePortable, Exe, MSI, MSIX, Deb, RPM, AppImage, Flatpak, Snap,
	APK, AAB, IPA, AppZip, Zip, Tar, Other,
}

// nuget reports whether assets of a kind are NuGet packages.
func (k Kind) nuget() bool { return k == NupkgDelta || k == NupkgFull }

// endings maps endings of names to kinds. The first entry that matches a lower-case
// name applies.
var endings = []struct {
	ending string
	kind   Kind
}{
	{"-delta.nupkg", NupkgDelta},
	{".nupkg", NupkgFull},
	{".delta", SparkleDiff},
	{".app.tar.gz", AppTar},
	{".dmg", DMG},
	{".pkg", PKG},
	{".exe", Exe},
	{".msi", MSI},
	{".msix", MSIX},
	{".msixbundle", MSIX},
	{".appx", MSIX},
	{".appxbundle", MSIX},
	{".deb", Deb},
	{".rpm", RPM},
	{".appimage", AppImage},
	{".flatpak", Flatpak},
	{".snap", Snap},
	{".apk", APK},
	{".aab", AAB},
	{".ipa", IPA},
	{".zip", Zip},
	{".tar.gz", Tar},
	{".tgz", Tar},
	{".tar.xz", Tar},
	{".tar.bz2", Tar},
	{".tar.zst", Tar},
	{".tar", Tar},
}

// platformOf maps kinds to the only platform that uses them. Packages of NuGet are missing,
// because they exist for several platforms.
var platformOf = map[Kind]platform.Platform{
	SparkleDiff: platform.MacOS, AppTar: platform.MacOS, DMG: platform.MacOS, PKG: platform.MacOS,
	ExePortable: platform.Windows, Exe: platform.Windows, MSI: platform.Windows, MSIX: platform.Windows,
	Deb: platform.Linux, RPM: platform.Linux, AppImage: platform.Linux, Flatpak: platform.Linux, Snap: platform.Linux,
	APK: platform.Android, AAB: platform.Android, IPA: platform.IOS,
}

// kindOf returns the kind of a file, judged by its name. It returns Zip for an AppZip, too,
// because the name may not show that the archive is for macOS.
func kindOf(name string) Kind {
	name = strings.ToLower(name)
	for _, e := range endings {
		if !strings.HasSuffix(name, e.ending) {
			continue
		}
		if e.kind == Exe && slices.Contains(words(name), "portable") {
			return ExePortable
		}
		return e.kind
	}
	return Other
}

const blockMapEnding = ".blockmap"

var companionEndings = []string{blockMapEnding, ".minisig", ".sig", ".edsig"}

// companionOf returns the name of the file to which a file with the given name would belong
// as a companion, and the ending that makes it a companion. Both are "" if the name is not
// that of a companion.
func companionOf(name string) (owner, ending string) {
	for _, ending := range companionEndings {
		if at := len(name) - len(ending); at > 0 && strings.EqualFold(name[at:], ending) {
			return name[:at], ending
		}
	}
	return "", ""
}

// hiddenPatterns match the lower-case names of files that are hidden, such as feeds made by a
// build, and checksums. Updaters and people get the same information from the server.
var hiddenPatterns = []string{
	"latest*.yml", "*-mac.yml", "*-linux*.yml", "releases.*.json", "assets.*.json", "releases*", "appcast*.xml", "latest.json",
	"sha256sums*", "*checksums*.txt", "*.sha256", "*.sha512",
}

// hiddenName reports whether an asset is hidden because of its name.
func hiddenName(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(hiddenPatterns, func(pattern string) bool {
		is, _ := path.Match(pattern, name) // the patterns are valid
		return is
	})
}
