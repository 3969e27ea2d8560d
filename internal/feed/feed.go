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

// The problems that feeds find, besides those of the assets themselves.
const (
	NoSemVer              asset.Problem = "no_semver"
	NativeOrder           asset.Problem = "native_order"
	SignedVersionMismatch asset.Problem = "signed_version_mismatch"
	ArchMarkerConflict    asset.Problem = "arch_marker_conflict"
	NameHasSpace          asset.Problem = "name_has_space"
	NameVersionMismatch   asset.Problem = "name_version_mismatch"
	BundleVersionUnknown  asset.Problem = "bundle_version_unknown"
)

// Problem is a reason for which a feed leaves something out, or a remark about something that it
// lists.
type Problem struct {
	Code    asset.Problem
	Version string // display text
	Asset   string // name; "" if the problem concerns the version
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

// Release is a version as feeds list it.
type Release struct {
	Version    string // display text
	SemVer     string // "" = none
	WinSparkle string // "" = none
	// Sparkle returns the text that Sparkle compares, for an asset with the given CFBundleVersion,
	// which may be "". derived reports that it is only a guess.
	Sparkle func(bundle string) (text string, derived bool)

	// Text returns the title and the notes, which are Markdown, in the language of the reader. Both
	// may be "". Formats call it for the versions that they list only.
	Text func() (title, notes string)
	Date int64 // Unix seconds

	Milestone  bool
	Deprecated bool
	Gap        bool // yanked, aborted or not published: no chain of delta packages leads across it

	// OutOfOrder lists the orders in which a greater version has a lower or equal native text. Feeds
	// with such an order leave the version out. Overtaken lists the orders in which a lower version has
	// a greater or equal native text.
	OutOfOrder, Overtaken []Order

	Assets []asset.Asset
}

// NewRelease returns a version without texts and date. native contains the native texts that were set
// by hand, and may be nil. The version must not be changed through comparable.
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

// Order is the order of native versions that a family of updaters uses.
type Order string

// The orders of native versions.
const (
	SemVerOrder     Order = "semver"
	SparkleOrder    Order = "sparkle"
	WinSparkleOrder Order = "winsparkle"
)

// Selection is how an address of a feed chooses among the versions of a channel.
type Selection struct {
	Order Order             // "" = the updater has no native versions of its own
	On    platform.Platform // "" = several
	// Fits reports whether the feed can list a version.
	Fits func(Rules, *Release) bool
	// more looks at the assets that the feed lists besides those that Fits needs. It may be nil.
	more func(Rules, *Release)
}

// named returns the title of the version, or else its display text, and the notes.
func (v *Release) named() (title, notes string) {
	title, notes = v.Text()
	return cmp.Or(title, v.Version), notes
}

// Rules are the rules of a project that all its feeds follow.
type Rules struct {
	Minisign, Sparkle bool // whether the project has a key of the scheme, in any state

	Origin string // address in front of the paths of stored files

	// Report receives each reason for which an asset or a version is left out. It may be nil.
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

// comparable reports whether updaters with the given order can be given a version with the given
// native text.
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

// listed reports whether feeds may list an asset at all.
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

// remarks lists the problems of assets that keep them out of no feed.
var remarks = []asset.Problem{asset.DuplicateName, asset.Unreadable}

// keyed reports whether the project has a key of a scheme.
func (r Rules) keyed(scheme signature.Scheme) bool {
	return scheme == signature.Minisign && r.Minisign || scheme == signature.Sparkle && r.Sparkle
}

// signature returns the signature that a feed passes on: a valid one or, while the project has no
// key of the scheme, one that was not verified. It returns "" if there is none.
func (r Rules) signature(a *asset.Asset, scheme signature.Scheme) string {
	s := a.Signatures[scheme]
	if s.Status == signature.Valid || !r.keyed(scheme) && (s.Status == signature.Untrusted || s.Status == signature.Unchecked) {
		return s.Value
	}
	return ""
}

// unsigned reports that an asset has no signature that counts.
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

// archOf returns the architecture of an asset. Unless it is known, it is the usual one of the
// platform.
func archOf(a *asset.Asset) asset.Arch {
	switch {
	case a.Arch != "":
		return a.Arch
	case a.Platform == platform.Windows || a.Platform == platform.Linux:
		return asset.X64
	}
	return asset.Universal
}

// pick returns the first asset that fits, trying one combination of kind and architecture after
// another. Kinds take precedence over architectures.
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

// plainArch returns the architecture of an asset, "" if it is not known.
func plainArch(a *asset.Asset) asset.Arch { return a.Arch }

// onWeb reports whether an address is absolute and can be fetched with HTTP.
func onWeb(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

func utc(seconds int64) time.Time { return time.Unix(seconds, 0).UTC() }

// encode returns a value as JSON. Characters of HTML stay as they are.
func encode(value any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic(err) // feeds consist of texts and numbers
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// words splits the fields of a comment.
func words(comment string) []string {
	return strings.FieldsFunc(comment, func(r rune) bool { return r == '\t' || r == ' ' })
}
