package feed

import (
	"svc/internal/asset"
	"svc/internal/platform"
)

// winSparkleSystems lists the systems for which an item can have an enclosure element, with the
// names that WinSparkle uses for them. WinSparkle takes the first enclosure that fits, so the one
// for all architectures comes last.
var winSparkleSystems = []struct {
	archs []asset.Arch
	os    string
}{
	{[]asset.Arch{asset.X64}, "windows-x64"},
	{[]asset.Arch{asset.X86}, "windows-x86"},
	{[]asset.Arch{asset.ARM64}, "windows-arm64"},
	{[]asset.Arch{asset.Universal, ""}, "windows"},
}

// winSparkleAsset is an asset with the name that WinSparkle uses for its system.
type winSparkleAsset struct {
	*asset.Asset
	os string
}

// winSparkle returns the assets of a version that the feed for WinSparkle lists for an
// architecture, or for all architectures if arch is "".
func (r Rules) winSparkle(v *Release, arch asset.Arch) (all []winSparkleAsset) {
	for _, s := range winSparkleSystems {
		if arch != "" && s.os != "windows" && s.archs[0] != arch {
			continue
		}
		a := pick(v, []asset.Kind{asset.Exe, asset.MSI}, s.archs, plainArch, func(a *asset.Asset) bool {
			return a.Platform == platform.Windows && r.listed(v, a) && r.comparable(v, v.WinSparkle, WinSparkleOrder) && r.sparkleReads(v, a)
		})
		if a != nil {
			all = append(all, winSparkleAsset{a, s.os})
		}
	}
	return all
}

// HasWinSparkle reports whether a version has an asset that the feed for WinSparkle can list. The
// parameter arch is an architecture, or "" for all.
func (r Rules) HasWinSparkle(v *Release, arch asset.Arch) bool { return len(r.winSparkle(v, arch)) > 0 }

// WinSparkleSelection returns the Selection of the feed for WinSparkle.
func WinSparkleSelection(arch asset.Arch) Selection {
	return Selection{
		Order: WinSparkleOrder, On: platform.Windows, Fits: func(r Rules, v *Release) bool { return r.HasWinSparkle(v, arch) },
	}
}

// WinSparkleXML returns the feed for WinSparkle with one version, or with none if v is nil.
// WinSparkle concatenates the texts of repeated elements, so the feed has only one item, in which
// each element with text occurs once.
func (r Rules) WinSparkleXML(head Appcast, v *Release, arch asset.Arch) []byte {
	x := newAppcast(head)
	if v != nil {
		x.open("item")
		x.head(v, v.WinSparkle)
		for _, a := range r.winSparkle(v, arch) {
			x.empty("enclosure", append(r.enclosure(a.Asset, false), "sparkle:os", a.os)...)
		}
		x.close("item")
	}
	return x.endAppcast()
}
