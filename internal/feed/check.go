package feed

import (
	"slices"

	"svc/internal/asset"
	"svc/internal/platform"
)

// Format names the kind of client for which a feed is written.
type Format string

// The formats of feeds.
const (
	FormatTauri       Format = "tauri"
	FormatElectron    Format = "electron"
	FormatVelopack    Format = "velopack"
	FormatSparkle     Format = "sparkle"
	FormatWinSparkle  Format = "winsparkle"
	FormatSquirrel    Format = "squirrel"
	FormatSquirrelMac Format = "squirrel-mac"
	FormatAtom        Format = "atom"
	FormatLatest      Format = "latest"
)

// Formats lists all formats.
var Formats = []Format{
	FormatTauri, FormatElectron, FormatVelopack, FormatSparkle, FormatWinSparkle, FormatSquirrel, FormatSquirrelMac, FormatAtom, FormatLatest,
}

// Order returns the order in which the updaters of a format compare versions, or "" if they have
// none of their own.
func (f Format) Order() Order {
	switch f {
	case FormatTauri, FormatElectron, FormatSquirrelMac:
		return SemVerOrder
	case FormatSparkle:
		return SparkleOrder
	case FormatWinSparkle:
		return WinSparkleOrder
	}
	return ""
}

// Selections returns a Selection for each address of the feeds of a format. project is the key of
// the project. versions are the versions of the channel, because the addresses of package feeds
// depend on their packages. Feeds for feed readers have no Selection, because they list versions
// regardless of their assets.
func (f Format) Selections(project string, versions []*Release) (all []Selection) {
	switch f {
	case FormatTauri:
		all = append(all, TauriStaticSelection()) // lists everything that a dynamic feed can offer
	case FormatElectron:
		for _, file := range electronFiles {
			all = append(all, file.Selection(project))
		}
	case FormatVelopack, FormatSquirrel:
		for _, p := range packagesIn(versions, f == FormatSquirrel) {
			all = append(all, p.Selection())
		}
	case FormatSparkle:
		for _, arch := range []asset.Arch{"", asset.X64, asset.ARM64} {
			all = append(all, SparkleSelection(arch))
		}
	case FormatWinSparkle:
		all = append(all, WinSparkleSelection(""))
	case FormatSquirrelMac:
		for _, arch := range []asset.Arch{asset.X64, asset.ARM64} {
			all = append(all, SquirrelMacSelection(arch))
		}
	case FormatLatest:
		for _, on := range platform.All {
			all = append(all, LatestSelection(on, "", ""))
		}
	}
	return all
}

// packagesIn returns the packages to which assets of the versions belong. These are packages of
// Squirrel.Windows if squirrel is true, and of Velopack otherwise.
func packagesIn(versions []*Release, squirrel bool) (all []Package) {
	archs := []asset.Arch{""}
	if squirrel {
		archs = squirrelArchs
	}
	for _, v := range versions {
		for i := range v.Assets {
			p := v.Assets[i].Package
			if p == nil || (p.Channel == "") != squirrel {
				continue
			}
			for _, arch := range archs {
				if one := (Package{p.ID, p.Channel, arch}); !slices.Contains(all, one) {
					all = append(all, one)
				}
			}
		}
	}
	return all
}

// Check returns the problems that keep versions and assets out of the feeds of a format, and
// remarks on those that the feeds list. project is the key of the project. versions are versions of
// one channel in descending order.
func (r Rules) Check(f Format, project string, versions []*Release) []Problem {
	found, known := []Problem{}, map[Problem]bool{}
	r.Report = func(p Problem) {
		if !known[p] {
			found, known[p] = append(found, p), true
		}
	}
	selections := f.Selections(project, versions)
	for _, v := range versions {
		for _, s := range selections {
			s.Fits(r, v)
			if s.more != nil {
				s.more(r, v)
			}
		}
	}
	if f == FormatVelopack || f == FormatSquirrel {
		r.checkPackages(versions, f == FormatSquirrel)
	}
	return found
}

// checkPackages reports packages that no feed can list because their content is unknown, and
// packages that cannot be downloaded because a different package has the same name.
func (r Rules) checkPackages(versions []*Release, squirrel bool) {
	named := Packages(versions, squirrel)
	for _, v := range versions {
		for i := range v.Assets {
			a := &v.Assets[i]
			switch {
			case a.Kind != asset.NupkgFull && a.Kind != asset.NupkgDelta:
			case a.Package != nil:
				if (a.Package.Channel == "") == squirrel && named[a.Name] != a {
					r.report(v, a, asset.DuplicateName)
				}
			case !r.listed(v, a):
			case slices.Contains(a.Problems, asset.NoDigest):
				r.report(v, a, asset.NoDigest)
			default:
				r.report(v, a, asset.Unreadable)
			}
		}
	}
}

// CheckAssets checks the assets of a version for the feeds of all formats. It returns the codes of
// the problems by the name of the asset.
func (r Rules) CheckAssets(project string, v *Release) map[string][]asset.Problem {
	found := map[string][]asset.Problem{}
	for _, f := range Formats {
		for _, p := range r.Check(f, project, []*Release{v}) {
			if p.Asset != "" && !slices.Contains(found[p.Asset], p.Code) {
				found[p.Asset] = append(found[p.Asset], p.Code)
			}
		}
	}
	return found
}
