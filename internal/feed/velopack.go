package feed

import (
	"cmp"
	"slices"
	"strings"

	"svc/internal/asset"
	"svc/internal/markdown"
)

// maxDeltas is the maximum number of delta packages that a feed lists.
const maxDeltas = 10

// Package selects packages of Velopack or Squirrel.Windows in the versions of a project.
type Package struct {
	ID      string     // "" = the first package in the version
	Channel string     // channel of Velopack; "" = packages of Squirrel.Windows
	Arch    asset.Arch // "" = every architecture
}

// ParseVelopackFile returns the channel of Velopack in the name of a feed, such as
// releases.win.json. It returns false if the name has another form.
func ParseVelopackFile(name string) (channel string, ok bool) {
	channel, isFeed := strings.CutPrefix(name, "releases.")
	channel, isJSON := strings.CutSuffix(channel, ".json")
	return channel, isFeed && isJSON && channel != ""
}

// Full returns the first full package of a version that p selects and feeds can list, or nil.
func (r Rules) Full(v *Release, p Package) *asset.Asset { return r.nupkg(v, asset.NupkgFull, p) }

// Selection returns the Selection of a feed that lists these packages.
func (p Package) Selection() Selection {
	return Selection{
		Fits: func(r Rules, v *Release) bool { return r.Full(v, p) != nil },
		more: func(r Rules, v *Release) { r.nupkg(v, asset.NupkgDelta, p) },
	}
}

// nupkg returns the first package of a version that has the given kind, that p selects, and that
// feeds can list, or nil.
func (r Rules) nupkg(v *Release, kind asset.Kind, p Package) *asset.Asset {
	for i := range v.Assets {
		a := &v.Assets[i]
		if a.Kind == kind && a.Package != nil && a.Package.Channel == p.Channel && (p.ID == "" || a.Package.ID == p.ID) &&
			(p.Arch == "" || archOf(a) == p.Arch) && r.listed(v, a) && r.packageReads(v, a) {
			return a
		}
	}
	return nil
}

// packageReads reports whether clients can use the entry of a package in a feed.
func (r Rules) packageReads(v *Release, a *asset.Asset) bool {
	if a.Size == nil || a.SHA1 == "" || a.SHA256 == "" {
		r.report(v, a, asset.NoDigest)
		return false
	}
	return a.Package.Channel != "" || r.squirrelReads(v, a)
}

// Listed is a package in a feed, with its version.
type Listed struct {
	Release *Release
	Asset   *asset.Asset
}

// Chain returns the packages that a feed lists for the version target: its full package, followed by
// the delta packages that lead to it, the newest first. Clients apply the whole chain, so it must
// have no gap. The versions are those of the channel in descending order, and include target. Chain
// returns nil if target has no full package.
func (r Rules) Chain(versions []*Release, target *Release, p Package) []Listed {
	full := r.Full(target, p)
	if full == nil {
		return nil
	}
	p.ID = full.Package.ID
	list := []Listed{{target, full}}
	names := []string{full.Name}
	below := versions[slices.Index(versions, target)+1:]
	for v := target; v != nil && len(list) <= maxDeltas; {
		delta := r.nupkg(v, asset.NupkgDelta, p)
		next := slices.IndexFunc(below, func(v *Release) bool { return hasPackage(v, p) })
		if delta == nil || next < 0 || below[next].Gap {
			break
		}
		if slices.Contains(names, delta.Name) {
			r.report(v, delta, asset.DuplicateName)
			break
		}
		list, names = append(list, Listed{v, delta}), append(names, delta.Name)
		v, below = below[next], below[next+1:]
	}
	return list
}

// hasPackage reports whether a version has a full package with the ID and channel of p. Feeds may
// be unable to list it.
func hasPackage(v *Release, p Package) bool {
	return slices.ContainsFunc(v.Assets, func(a asset.Asset) bool {
		return a.Kind == asset.NupkgFull && a.Package != nil && a.Package.Channel == p.Channel && a.Package.ID == p.ID
	})
}

// velopackAsset is an entry of the feed for Velopack. Clients in native code reject a feed that
// contains null.
type velopackAsset struct {
	PackageID     string `json:"PackageId"`
	Version       string
	Type          string
	FileName      string
	SHA1          string
	SHA256        string
	Size          int64
	NotesMarkdown string
	NotesHTML     string
}

// Velopack returns the feed for Velopack with the given packages. list may be empty.
func Velopack(list []Listed) []byte {
	assets := make([]velopackAsset, len(list))
	for i, l := range list {
		a := l.Asset
		_, notes := l.Release.Text()
		assets[i] = velopackAsset{
			PackageID: a.Package.ID, Version: a.Package.Version, Type: "Delta", FileName: a.Name,
			SHA1: strings.ToUpper(a.SHA1), SHA256: strings.ToUpper(a.SHA256), Size: *a.Size,
			NotesMarkdown: notes, NotesHTML: notesHTML(notes),
		}
		if a.Kind == asset.NupkgFull {
			assets[i].Type = "Full"
		}
	}
	return encode(struct{ Assets []velopackAsset }{assets})
}

// notesHTML converts notes from Markdown to HTML. It returns "" if there are no notes.
func notesHTML(notes string) string {
	if notes == "" {
		return ""
	}
	return markdown.HTML(notes)
}

// Packages returns the packages of Squirrel.Windows if squirrel is true, and of Velopack otherwise,
// by file name. versions are versions of one channel in descending order. If two packages have the
// same name, Packages returns the one of the greater version.
func Packages(versions []*Release, squirrel bool) map[string]*asset.Asset {
	all := map[string]*asset.Asset{}
	for _, v := range versions {
		for i := range v.Assets {
			a := &v.Assets[i]
			if a.Package != nil && (a.Package.Channel == "") == squirrel {
				all[a.Name] = cmp.Or(all[a.Name], a)
			}
		}
	}
	return all
}
