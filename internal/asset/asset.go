// Package asset defines the rules for downloads of versions: what an updater must know
// about each of them, and from which source each field comes.
//
//	asset.go     Asset, and deriving the assets of a version
//	kind.go      kinds, companions and hidden names
//	words.go     platforms and architectures named in texts
//	override.go  fields that are set by hand
//	signed.go    signatures of assets, and which kinds need one
//	facts.go     facts that are read from the content of a file
//	zip.go       finding an entry of a zip archive
//	plist.go     texts of a property list
package asset

import (
	"net/url"
	"strings"

	"svc/internal/files"
	"svc/internal/platform"
	"svc/internal/signature"
)

// Asset is a download of a version. A field that is "", 0 or nil has no value, except that
// Size is 0 for an empty stored file.
type Asset struct {
	Name          string // unique in the version, case-sensitive
	URL           string // address of the link, as the version has it
	FileID        string // the stored file that the link names
	Path          string // path of the stored file's direct link, percent-encoded
	Kind          Kind
	Platform      platform.Platform
	Arch          Arch
	Variant       string
	OSMin         string
	Size          *int64 // bytes
	SHA1          string // lower-case hexadecimal, like SHA256 and SHA512
	SHA256        string
	SHA512        string
	BundleVersion string
	DeltaFrom     string
	BlockMapSize  int64 // bytes of the compressed block map within the file
	Package       *Package
	Signatures    map[signature.Scheme]Signature // never nil
	Hidden        bool
	Problems      []Problem

	// BlockMap is the companion with the asset's block map, or nil.
	BlockMap *Companion
	// Companions are the other companions of the asset, in the order of the links. Each of
	// them may contain a signature.
	Companions []Companion
}

// Companion is a link to a file that belongs to an asset.
type Companion struct {
	Name   string
	URL    string
	FileID string // the stored file that the link names, or ""
	Path   string // path of the stored file's direct link, percent-encoded

	signature string // the signature that the stored file contains, or ""
}

// Package describes a NuGet package.
type Package struct {
	ID      string `json:"id"`
	Version string `json:"version"`
	Channel string `json:"channel,omitempty"` // "" in packages of Squirrel
}

// Problem is a code for a reason why an asset is left out of feeds, or is less useful than
// it could be.
type Problem string

// The problems that an asset has regardless of any feed.
const (
	DuplicateName Problem = "duplicate_name" // another link of the version has the same name and is ignored
	NoBlockMap    Problem = "no_block_map"   // updates have to download the whole file
	NoDigest      Problem = "no_digest"      // a checksum or the size is not known
	NotReady      Problem = "not_ready"      // the stored file is pending or failed
	Unreadable    Problem = "unreadable"     // the content does not have the form that the kind requires

	Unsigned         Problem = "unsigned"          // the project requires a valid signature, and the asset has none
	SignatureInvalid Problem = "signature_invalid" // a signature does not verify
)

// File describes the stored file to which a link leads.
type File struct {
	ID     string
	Path   string // path of the direct link, percent-encoded
	Ready  bool
	Size   int64 // bytes
	SHA1   string
	SHA256 string
	SHA512 string
	Facts  Facts

	Content signature.Content // for verifying signatures
}

// Link is a download link of a version.
type Link struct {
	URL      string
	Name     string
	Platform string
	File     *File // nil if the link leads elsewhere
}

// FileName returns the name of the file to which an address leads: the decoded last segment
// of its path, as files.CleanName returns it. ok is false if the path ends with no name.
func FileName(address string) (name string, ok bool) {
	address, _, _ = strings.Cut(strings.TrimSpace(address), "#")
	address, _, _ = strings.Cut(address, "?")
	if _, rest, found := strings.Cut(address, "://"); found {
		_, address, _ = strings.Cut(rest, "/")
	}
	name = address[strings.LastIndexByte(address, '/')+1:]
	if decoded, err := url.PathUnescape(name); err == nil {
		name = decoded
	}
	name, err := files.CleanName(name)
	return name, err == nil
}

// Of returns the assets to which the links of a version lead, in the order of the links. It ignores
// links without a file name. The parameter platforms lists the platforms of the version. The
// parameter set maps names of assets to the fields that were set by hand. The parameter trust
// contains the project's decisions about signatures.
//
// Each field takes its value from the first source that provides one. The sources are, in this
// order: what was set by hand, the content of the file, words in the link, the kind, the version.
func Of(links []Link, platforms []platform.Platform, set map[string]Override, trust Trust) []Asset {
	named := map[string]*Link{}
	repeated := map[string]bool{}
	var names []string
	for i := range links {
		name, ok := FileName(links[i].URL)
		switch {
		case !ok:
		case named[name] != nil:
			repeated[name] = true
		default:
			named[name] = &links[i]
			names = append(names, name)
		}
	}
	assets := make([]Asset, 0, len(names))
	at := map[string]int{} // positions in assets
	for _, name := range names {
		if owner, _ := companionOf(name); owner == "" || named[owner] == nil {
			at[name] = len(assets)
			assets = append(assets, derive(name, named[name], platforms, set[name]))
		}
	}
	for _, name := range names {
		owner, ending := companionOf(name)
		i, ok := at[owner]
		if _, listed := at[name]; listed || !ok { // a companion of a companion belongs to no asset
			continue
		}
		c := Companion{Name: name, URL: named[name].URL}
		if f := named[name].File; f != nil {
			c.FileID, c.Path, c.signature = f.ID, f.Path, f.Facts.Signature
		}
		if ending == blockMapEnding {
			assets[i].BlockMap = &c
		} else {
			assets[i].Companions = append(assets[i].Companions, c)
		}
		if repeated[name] {
			repeated[owner] = true
		}
	}
	for i := range assets {
		assets[i].findSignatures(set[assets[i].Name], named[assets[i].Name].File, trust)
		assets[i].findProblems(named[assets[i].Name].File, repeated[assets[i].Name])
	}
	return assets
}

// derive returns the asset to which a link leads, without its companions, signatures and
// problems.
func derive(name string, link *Link, platforms []platform.Platform, set Override) Asset {
	a := Asset{Name: name, URL: link.URL, Hidden: hiddenName(name), Signatures: map[signature.Scheme]Signature{}}
	var facts Facts
	if f := link.File; f != nil {
		facts = f.Facts
		a.FileID, a.Path = f.ID, f.Path
		if f.Ready {
			size := f.Size
			a.Size, a.SHA1, a.SHA256, a.SHA512 = &size, f.SHA1, f.SHA256, f.SHA512
		}
	}
	a.Kind = kindOf(name)
	if set.Kind != "" {
		a.Kind = set.Kind
	}
	sources := [...]string{link.Platform, link.Name, name}
	a.Arch = archIn(sources[:])
	a.Platform = firstOf(set.Platform, facts.Platform, platformIn(sources[:]), platformOf[a.Kind])
	if a.Platform == "" && len(platforms) == 1 {
		a.Platform = platforms[0]
	}
	if a.Kind == Zip && set.Kind == "" && a.Platform == platform.MacOS {
		a.Kind = AppZip
	}
	if a.Platform == "" && a.Kind.nuget() {
		a.Platform = platform.Windows
	}
	a.BundleVersion, a.OSMin = facts.BundleVersion, facts.OSMin
	if a.Kind == AppImage {
		a.BlockMapSize = facts.BlockMapSize
	}
	if a.Kind.nuget() {
		a.Package = facts.Package
	}
	set.apply(&a)
	return a
}

// firstOf returns the first value that is not zero.
func firstOf[T comparable](values ...T) (zero T) {
	for _, v := range values {
		if v != zero {
			return v
		}
	}
	return zero
}

// findProblems sets the problems of an asset. file is the stored file to which its link
// leads, or nil. duplicate reports whether another link has the name of the asset or of one
// of its companions.
func (a *Asset) findProblems(file *File, duplicate bool) {
	note := func(is bool, p Problem) {
		if is {
			a.Problems = append(a.Problems, p)
		}
	}
	ready := file == nil || file.Ready
	note(duplicate, DuplicateName)
	note(!ready, NotReady)
	note(ready && (a.Size == nil || a.SHA1 == "" || a.SHA256 == "" || a.SHA512 == ""), NoDigest)
	note(ready && file != nil && file.Facts.Unreadable, Unreadable)
	note(a.Kind == Exe && a.BlockMap == nil || a.Kind == AppImage && a.BlockMapSize == 0, NoBlockMap)
}
