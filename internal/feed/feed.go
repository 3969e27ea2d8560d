// Package feed writes the feeds that updaters of other makers read. Each format has one file, which
// chooses the assets of a version that the format can list, and encodes them. The package has no
// state and no side effects: callers decide which version is offered, and pass it in.
//
//	tauri.go        Tauri v2 and cargo-packager-updater
//	electron.go     electron-updater, provider generic
//	velopack.go     Velopack
//	sparkle.go      Sparkle
//	winsparkle.go   WinSparkle
//	squirrel.go     Squirrel.Windows
//	squirrelmac.go  Squirrel.Mac, which is the updater built into Electron
//	syndication.go  Atom and RSS
//	latest.go       the asset behind a link to the latest version
//	sums.go         SHA256SUMS
//	check.go        everything that keeps versions out of feeds
//	xml.go          XML documents
package feed

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"svc/internal/asset"
	"svc/internal/platform"
	"svc/internal/release"
	"svc/internal/signature"
)

// The codes of problems that feeds find, in addition to the codes that package asset defines.
const (
	NoSemVer              asset.Problem = "no_semver"
	NativeOrder           asset.Problem = "native_order"
	SignedVersionMismatch asset.Problem = "signed_version_mismatch"
	ArchMarkerConflict    asset.Problem = "arch_marker_conflict"
	NameHasSpace          asset.Problem = "name_has_space"
	NameVersionMismatch   asset.Problem = "name_version_mismatch"
	BundleVersionUnknown  asset.Problem = "bundle_version_unknown"
)

// Problem is the reason why a feed omits a version or an asset, or a remark on one that it lists.
type Problem struct {
	Code    asset.Problem
	Version string // display text of the version
	Asset   string // name of the asset; "" if the problem concerns the version
	Message string
}

// messages describes each problem to an administrator.
var messages = map[asset.Problem]string{
	NoSemVer:              "the version has no SemVer text; set native_versions.semver",
	NativeOrder:           "updaters of this format order this version and another one differently from the project; set native_versions",
	SignedVersionMismatch: "the trusted comment of the signature names another version; sign the asset again",
	ArchMarkerConflict: "electron-updater would take the asset for arm64 because its address contains that word; " +
		"rename the file, or set arch",
	NameHasSpace:           "Squirrel.Windows cannot read a file name with white space; rename the file",
	NameVersionMismatch:    "the file name must end with the version of the package, as in App-1.2.3-full.nupkg; rename the file",
	asset.Unsigned:         "the asset has no signature that counts; add one, or hide the asset",
	asset.SignatureInvalid: "the signature does not belong to this file; sign the asset again",
	BundleVersionUnknown: "CFBundleVersion is not known and was derived from the version; set bundle_version, or " +
		"native_versions.sparkle",

	asset.DuplicateName: "another asset has the same name and takes precedence; rename one of the files",
	asset.NoBlockMap:    "the asset has no block map, so clients download the whole file; publish its .blockmap, or build it with one",
	asset.NoDigest:      "the size or a checksum of the asset is not known; store the file here, or set them",
	asset.NotReady:      "the stored file is pending or has failed; wait, or upload it again",
	asset.Unreadable:    "the content of the file is not what its name says; upload it again, or set kind",
}

// Release is a version of an app, with the data that feeds need.
type Release struct {
	Version    string // display text
	SemVer     string // text for updaters that compare versions by SemVer; "" = none
	WinSparkle string // text that WinSparkle compares; "" = none
	// Sparkle returns the text that Sparkle compares, for an asset with the given CFBundleVersion,
	// which may be "". derived means that the text was only derived from the version.
	Sparkle func(bundle string) (text string, derived bool)

	// Text returns the title and the notes, which are Markdown, in the language of the reader. Both
	// may be "". It is called only for versions that a feed lists.
	Text func() (title, notes string)
	Date int64 // Unix seconds

	Milestone  bool
	Deprecated bool
	Gap        bool // yanked, aborted or not published, so no chain of delta packages may lead across it

	// OutOfOrder lists the orders in which the native text of this version (the text that updaters
	// compare) is greater than or equal to that of a greater version. Feeds that use such an order
	// omit this version. Overtaken lists the orders in which a lower version has a greater or equal
	// native text.
	OutOfOrder, Overtaken []Order

	Assets []asset.Asset
}

// NewRelease returns a Release without texts and date. native holds the texts that an administrator
// has set for updaters; it may be nil. comparable supplies the texts that native does not set.
func NewRelease(version string, comparable release.Comparable, native *release.NativeVersions, assets []asset.Asset) *Release {
	set := *cmp.Or(native, &release.NativeVersions{})
	v := &Release{
		Version: version, Assets: assets,
		Sparkle: func(bundle string) (string, bool) { return set.SparkleOf(comparable, bundle) },
	}
	v.SemVer, _ = set.SemVerOf(comparable)
	v.WinSparkle, _ = comparable.WinSparkle()
	return v
}

// Order names the rules by which a family of updaters compares the texts of versions.
type Order string

// The orders that updaters use.
const (
	SemVerOrder     Order = "semver"
	SparkleOrder    Order = "sparkle"
	WinSparkleOrder Order = "winsparkle"
)

// Selection describes which versions of a channel the feed at one address can list.
type Selection struct {
	Order Order             // "" = the updater has no order of its own
	On    platform.Platform // platform of the listed assets; "" = several
	// Fits reports whether the feed can list a version.
	Fits func(Rules, *Release) bool
	// more reports the problems of assets that the feed lists in addition to those that Fits
	// examines. It may be nil.
	more func(Rules, *Release)
}

// named returns the title and the notes of the version. If it has no title, named returns its
// display text instead.
func (v *Release) named() (title, notes string) {
	title, notes = v.Text()
	return cmp.Or(title, v.Version), notes
}

// Rules holds the settings of a project that apply to all its feeds.
type Rules struct {
	Minisign, Sparkle bool // whether the project has a key of this signature scheme, in any state

	Origin string // scheme and host that precede the paths of stored files

	// Report receives each reason for which an asset or a version is omitted, and each remark on a
	// listed one. It may be nil.
	Report func(Problem)
}

func (r Rules) report(v *Release, a *asset.Asset, code asset.Problem) {
	if r.Report == nil {
		return
	}
	p := Problem{Code: code, Version: v.Version, Message: messages[code]}
	if a != nil {
		p.Asset = a.Name
	}
	r.Report(p)
}

// comparable reports whether feeds for updaters with the given order may list a version. native is
// the text of the version that these updaters compare, or "" if it has none. Problems are passed to
// r.Report.
func (r Rules) comparable(v *Release, native string, order Order) bool {
	leftOut := native == "" || slices.Contains(v.OutOfOrder, order)
	switch {
	case native == "" && order == SemVerOrder:
		r.report(v, nil, NoSemVer)
	case leftOut || slices.Contains(v.Overtaken, order):
		r.report(v, nil, NativeOrder)
	}
	return !leftOut
}

// listed reports whether an asset meets the requirements that the feeds of all formats share.
// Problems are passed to r.Report.
func (r Rules) listed(v *Release, a *asset.Asset) bool {
	switch {
	case a.Hidden || a.Variant != "":
	case slices.Contains(a.Problems, asset.NotReady):
		r.report(v, a, asset.NotReady)
	case slices.Contains(a.Problems, asset.Unsigned):
		r.unsigned(v, a, signature.Schemes...)
	default:
		for _, code := range remarks {
			if slices.Contains(a.Problems, code) {
				r.report(v, a, code)
			}
		}
		return true
	}
	return false
}

// remarks lists the problems for which no feed omits an asset.
var remarks = []asset.Problem{asset.DuplicateName, asset.Unreadable}

// keyed reports whether the project has a key of a signature scheme.
func (r Rules) keyed(scheme signature.Scheme) bool {
	return scheme == signature.Minisign && r.Minisign || scheme == signature.Sparkle && r.Sparkle
}

// signature returns the signature of an asset that feeds contain, or "" if there is none. It is a
// valid signature or, if the project has no key of the scheme, one that could not be verified.
func (r Rules) signature(a *asset.Asset, scheme signature.Scheme) string {
	s := a.Signatures[scheme]
	if s.Status == signature.Valid || !r.keyed(scheme) && (s.Status == signature.Untrusted || s.Status == signature.Unchecked) {
		return s.Value
	}
	return ""
}

// unsigned reports that an asset has no usable signature of the given schemes. The code of the
// problem is SignatureInvalid if one of the signatures is invalid, and Unsigned otherwise.
func (r Rules) unsigned(v *Release, a *asset.Asset, schemes ...signature.Scheme) {
	code := asset.Unsigned
	for _, scheme := range schemes {
		if a.Signatures[scheme].Status == signature.Invalid {
			code = asset.SignatureInvalid
		}
	}
	r.report(v, a, code)
}

// URL returns the address of an asset.
func (r Rules) URL(a *asset.Asset) string {
	if a.Path != "" {
		return r.Origin + a.Path
	}
	return a.URL
}

// archOf returns the architecture of an asset. If it is not known, archOf returns the usual
// architecture of the platform.
func archOf(a *asset.Asset) asset.Arch {
	switch {
	case a.Arch != "":
		return a.Arch
	case a.Platform == platform.Windows || a.Platform == platform.Linux:
		return asset.X64
	}
	return asset.Universal
}

// pick returns the first asset of a version for which fits returns true, or nil. It tries all
// architectures of the first kind, then those of the next kind, and so on. The function arch
// returns the architecture of an asset.
func pick(
	v *Release, kinds []asset.Kind, archs []asset.Arch, arch func(*asset.Asset) asset.Arch, fits func(*asset.Asset) bool,
) *asset.Asset {
	for _, kind := range kinds {
		for _, wanted := range archs {
			for i := range v.Assets {
				if a := &v.Assets[i]; a.Kind == kind && arch(a) == wanted && fits(a) {
					return a
				}
			}
		}
	}
	return nil
}

// plainArch returns the architecture of an asset, or "" if it is not known.
func plainArch(a *asset.Asset) asset.Arch { return a.Arch }

// onWeb reports whether an address is absolute and can be fetched with HTTP.
func onWeb(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

func utc(seconds int64) time.Time { return time.Unix(seconds, 0).UTC() }

// encode returns a value as JSON. It does not escape the characters that are special in HTML.
func encode(value any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic(err) // feeds consist of texts and numbers
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// words splits the comment of a signature at spaces and tabs.
func words(comment string) []string {
	return strings.FieldsFunc(comment, func(r rune) bool { return r == '\t' || r == ' ' })
}
