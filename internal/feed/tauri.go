package feed

import (
	"encoding/base64"
	"strings"
	"time"

	"svc/internal/asset"
	"svc/internal/platform"
	"svc/internal/release"
	"svc/internal/signature"
)

// TauriTarget describes the system on which a Tauri app runs, as the app reports it.
type TauriTarget struct {
	os     string // windows, linux or darwin
	arch   asset.Arch
	bundle string // type of the bundle from which the app was installed, such as nsis; "" = not known
}

// tauriSystems maps the names that Tauri and cargo-packager use for operating systems to the names
// in feeds.
var tauriSystems = map[string]string{"windows": "windows", "linux": "linux", "darwin": "darwin", "macos": "darwin"}

// tauriPlatforms maps the names of operating systems in feeds to platforms.
var tauriPlatforms = map[string]platform.Platform{"windows": platform.Windows, "linux": platform.Linux, "darwin": platform.MacOS}

var tauriArchs = map[string]asset.Arch{"x86_64": asset.X64, "aarch64": asset.ARM64, "i686": asset.X86, "armv7": asset.ARMv7}

// tauriKinds maps the bundle types of Tauri to kinds of assets.
var tauriKinds = map[string]asset.Kind{
	"nsis": asset.Exe, "msi": asset.MSI, "appimage": asset.AppImage, "deb": asset.Deb, "rpm": asset.RPM, "app": asset.AppTar,
}

// tauriDefaults lists, for each operating system, the kinds of assets for an app that does not
// report its bundle type, in order of preference.
var tauriDefaults = map[string][]asset.Kind{
	"windows": {asset.Exe, asset.MSI}, "linux": {asset.AppImage}, "darwin": {asset.AppTar},
}

// tauriFormats maps kinds of assets to the words that tell clients how to install them.
// cargo-packager requires such a word in each entry of a feed. Other kinds have no word.
var tauriFormats = map[asset.Kind]string{asset.Exe: "nsis", asset.MSI: "wix", asset.AppImage: "appimage", asset.AppTar: "app"}

// NewTauriTarget parses the operating system, the architecture and the bundle type in the address
// of a dynamic feed. It returns false if there are no assets for such an operating system or
// architecture. An unknown bundle type is treated as "".
func NewTauriTarget(target, arch, bundle string) (TauriTarget, bool) {
	t := TauriTarget{tauriSystems[target], tauriArchs[arch], bundle}
	if _, ok := tauriKinds[bundle]; !ok {
		t.bundle = ""
	}
	return t, t.os != "" && t.arch != ""
}

// Platform returns the platform of the system.
func (t TauriTarget) Platform() platform.Platform { return tauriPlatforms[t.os] }

// Selection returns the Selection of a dynamic feed for the app.
func (t TauriTarget) Selection() Selection {
	return Selection{
		Order: SemVerOrder, On: t.Platform(), Fits: func(r Rules, v *Release) bool { return r.Tauri(v, t) != nil },
	}
}

// TauriStaticSelection returns the Selection of the static feed.
func TauriStaticSelection() Selection { return Selection{Order: SemVerOrder, Fits: Rules.HasTauri} }

// Tauri returns the asset of a version that feeds offer for a system, or nil.
func (r Rules) Tauri(v *Release, t TauriTarget) *asset.Asset {
	kinds := tauriDefaults[t.os]
	if t.bundle != "" {
		kinds = []asset.Kind{tauriKinds[t.bundle]}
	}
	return pick(v, kinds, []asset.Arch{t.arch, asset.Universal}, archOf, func(a *asset.Asset) bool {
		return a.Platform == t.Platform() && r.listed(v, a) && r.comparable(v, v.SemVer, SemVerOrder) && r.signedForTauri(v, a)
	})
}

// signedForTauri reports whether an asset has an address and a signature that Tauri accepts. Tauri
// rejects the whole static feed if one of its entries lacks an address or a signature.
func (r Rules) signedForTauri(v *Release, a *asset.Asset) bool {
	value := r.signature(a, signature.Minisign)
	switch {
	case value == "":
		r.unsigned(v, a, signature.Minisign)
	case !signedFor(value, v.SemVer):
		r.report(v, a, SignedVersionMismatch)
	default:
		return onWeb(r.URL(a))
	}
	return false
}

// signedFor reports whether a minisign signature can belong to the given version. That is the case
// if its trusted comment names no version, or one that is equal by the rules of SemVer, which
// ignore build metadata. value is the base64 form of the signature.
func signedFor(value, version string) bool {
	text, err := base64.StdEncoding.DecodeString(value)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(text)) {
		comment, ok := strings.CutPrefix(line, "trusted comment: ")
		if !ok {
			continue
		}
		for _, word := range words(strings.TrimRight(comment, "\r\n")) {
			if signed, ok := strings.CutPrefix(word, "version:"); ok && release.CompareSemVer(signed, version) != 0 {
				return false
			}
		}
	}
	return true
}

// tauriEntry describes an asset in a static or a dynamic feed.
type tauriEntry struct {
	URL       string `json:"url"`
	Signature string `json:"signature"`
	Format    string `json:"format,omitempty"`
}

func (r Rules) newTauriEntry(a *asset.Asset) tauriEntry {
	return tauriEntry{r.URL(a), a.Signatures[signature.Minisign].Value, tauriFormats[a.Kind]}
}

// tauriHead holds the fields of the version that static and dynamic feeds have in common. It has no
// field "name", because clients would read it as the version.
type tauriHead struct {
	Version string `json:"version"`
	Notes   string `json:"notes,omitempty"`
	PubDate string `json:"pub_date,omitempty"`
}

func newTauriHead(v *Release) tauriHead {
	_, notes := v.Text()
	return tauriHead{v.SemVer, notes, utc(v.Date).Format(time.RFC3339)}
}

// TauriDynamic returns the dynamic feed that offers the asset a of the version v. The asset must be
// a result of Tauri for that version.
func (r Rules) TauriDynamic(v *Release, a *asset.Asset) []byte {
	return encode(struct {
		tauriHead
		tauriEntry
	}{newTauriHead(v), r.newTauriEntry(a)})
}

// tauriListed lists the operating systems, architectures and bundle types for which a static feed
// can have entries.
var tauriListed = []struct {
	os    string
	archs []string
	kinds []string
}{
	{"windows", []string{"x86_64", "aarch64", "i686"}, []string{"nsis", "msi"}},
	{"linux", []string{"x86_64", "aarch64", "i686", "armv7"}, []string{"appimage", "deb", "rpm"}},
	{"darwin", []string{"x86_64", "aarch64"}, []string{"app"}},
}

// HasTauri reports whether a version has an asset that the static feed can list.
func (r Rules) HasTauri(v *Release) bool { return len(r.tauriEntries(v)) > 0 }

// tauriEntries returns the entries of the static feed of a version. Their keys are names of
// systems, such as linux-x86_64 or linux-x86_64-deb.
func (r Rules) tauriEntries(v *Release) map[string]tauriEntry {
	platforms := map[string]tauriEntry{}
	for _, system := range tauriListed {
		for _, arch := range system.archs {
			name := system.os + "-" + arch
			for _, bundle := range system.kinds {
				if a := r.Tauri(v, TauriTarget{system.os, tauriArchs[arch], bundle}); a != nil {
					platforms[name+"-"+bundle] = r.newTauriEntry(a)
				}
			}
			if a := r.Tauri(v, TauriTarget{os: system.os, arch: tauriArchs[arch]}); a != nil {
				platforms[name] = r.newTauriEntry(a)
			}
		}
	}
	return platforms
}

// TauriStatic returns the static feed of a version. ok is false if no asset can be listed.
func (r Rules) TauriStatic(v *Release) (body []byte, ok bool) {
	platforms := r.tauriEntries(v)
	if len(platforms) == 0 {
		return nil, false
	}
	return encode(struct {
		tauriHead
		Platforms map[string]tauriEntry `json:"platforms"`
	}{newTauriHead(v), platforms}), true
}
