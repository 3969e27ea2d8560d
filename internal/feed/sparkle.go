package feed

import (
	"slices"
	"strings"

	"svc/internal/asset"
	"svc/internal/platform"
	"svc/internal/signature"
)

// maxItems is the maximum number of items in a feed for Sparkle, not counting milestones.
const maxItems = 20

// SparkleAsset returns the asset of a version that the feed for Sparkle lists, or nil. arch is the
// architecture on which the app runs, or "" if the app does not send it.
func (r Rules) SparkleAsset(v *Release, arch asset.Arch) *asset.Asset {
	archs := []asset.Arch{asset.Universal, "", asset.X64, asset.ARM64}
	if arch != "" {
		archs = []asset.Arch{arch, asset.Universal, ""}
	}
	kinds := []asset.Kind{asset.AppZip, asset.DMG, asset.Tar, asset.PKG}
	a := pick(v, kinds, archs, plainArch, func(a *asset.Asset) bool {
		return a.Platform == platform.MacOS && r.listed(v, a) && r.comparable(v, v.Version, SparkleOrder) && r.sparkleReads(v, a)
	})
	if a != nil {
		if _, derived := v.Sparkle(a.BundleVersion); derived {
			r.report(v, a, BundleVersionUnknown)
		}
	}
	return a
}

// SparkleSelection returns the Selection of the feed for Sparkle. arch is the architecture on which
// the app runs, or "".
func SparkleSelection(arch asset.Arch) Selection {
	return Selection{
		Order: SparkleOrder, On: platform.MacOS,
		Fits: func(r Rules, v *Release) bool { return r.SparkleAsset(v, arch) != nil },
		more: func(r Rules, v *Release) {
			if to := r.SparkleAsset(v, arch); to != nil {
				r.deltasTo(v, to)
			}
		},
	}
}

// sparkleReads reports whether Sparkle and WinSparkle accept an asset. If the project has a key for
// Sparkle signatures, the asset must have such a signature.
func (r Rules) sparkleReads(v *Release, a *asset.Asset) bool {
	switch {
	case !onWeb(r.URL(a)):
	case a.Size == nil:
		r.report(v, a, asset.NoDigest)
	case r.Sparkle && r.signature(a, signature.Sparkle) == "":
		r.unsigned(v, a, signature.Sparkle)
	default:
		return true
	}
	return false
}

// SparkleItems holds the versions from which a feed for Sparkle is built.
type SparkleItems struct {
	// Offered contains the versions that the client may be offered and that have an asset for it,
	// in descending order.
	Offered []*Release
	// Target is the only version to list. If it is nil, the feed lists the greatest versions in
	// Offered, and all milestones in Offered.
	Target *Release
	// Versions contains all versions of the channel in descending order, including those in
	// Offered. The deprecated versions among them determine which updates are critical.
	Versions []*Release
	Arch     asset.Arch
}

// SparkleXML returns the feed for Sparkle, which is an XML document.
func (r Rules) SparkleXML(head Appcast, in SparkleItems) []byte {
	x := newAppcast(head)
	at := make(map[*Release]int, len(in.Versions))
	for i, v := range in.Versions {
		at[v] = i
	}
	critical, lowest := r.critical(in, at)
	for i, v := range in.Offered {
		if in.Target != nil && v != in.Target || in.Target == nil && i >= maxItems && !v.Milestone {
			continue
		}
		a := r.SparkleAsset(v, in.Arch)
		if a == nil {
			continue
		}
		version, _ := v.Sparkle(a.BundleVersion)
		x.open("item")
		x.head(v, version)
		if a.OSMin != "" {
			x.text("sparkle:minimumSystemVersion", threeNumbers(a.OSMin))
		}
		if milestone := r.milestoneBelow(in, i); milestone != "" {
			x.text("sparkle:minimumAutoupdateVersion", milestone)
		}
		if critical != "" && at[v] < lowest {
			x.empty("sparkle:criticalUpdate", "sparkle:version", critical)
		}
		x.empty("enclosure", r.enclosure(a, a.Kind == asset.PKG)...)
		r.deltas(x, v, a, version)
		x.close("item")
	}
	return x.endAppcast()
}

// critical returns the Sparkle version below which updates are critical. That is the version of the
// lowest item above all deprecated versions, or "" if there is no such item or no deprecated
// version. lowest is the index of the lowest deprecated version in in.Versions, or -1 if there is
// none. The map at contains the index of each version in in.Versions.
func (r Rules) critical(in SparkleItems, at map[*Release]int) (version string, lowest int) {
	greatest := slices.IndexFunc(in.Versions, func(v *Release) bool { return v.Deprecated })
	if greatest < 0 {
		return "", -1
	}
	for i, v := range slices.Backward(in.Versions) {
		if v.Deprecated {
			lowest = i
			break
		}
	}
	for _, v := range slices.Backward(in.Offered) {
		if at[v] >= greatest {
			continue
		}
		if a := r.SparkleAsset(v, in.Arch); a != nil {
			version, _ = v.Sparkle(a.BundleVersion)
			return version, lowest
		}
	}
	return "", lowest
}

// milestoneBelow returns the Sparkle version of the greatest milestone below in.Offered[at], or ""
// if there is none.
func (r Rules) milestoneBelow(in SparkleItems, at int) string {
	for _, v := range in.Offered[at+1:] {
		if !v.Milestone {
			continue
		}
		if a := r.SparkleAsset(v, in.Arch); a != nil {
			version, _ := v.Sparkle(a.BundleVersion)
			return version
		}
	}
	return ""
}

// enclosure returns the attributes of the enclosure element of an asset: names, each followed by
// its value. installer means that the asset is an installer package.
func (r Rules) enclosure(a *asset.Asset, installer bool) []string {
	attributes := []string{"url", r.URL(a), "length", decimal(*a.Size), "type", "application/octet-stream"}
	if value := r.signature(a, signature.Sparkle); value != "" {
		attributes = append(attributes, "sparkle:edSignature", value)
	}
	if installer {
		attributes = append(attributes, "sparkle:installationType", "package")
	}
	return attributes
}

// deltas writes the element with the delta updates that lead to an asset of the version v. The
// parameter version is the Sparkle version of that asset.
func (r Rules) deltas(x *document, v *Release, to *asset.Asset, version string) {
	all := r.deltasTo(v, to)
	if len(all) == 0 {
		return
	}
	x.open("sparkle:deltas")
	for _, a := range all {
		x.empty("enclosure", append(r.enclosure(a, false), "sparkle:version", version, "sparkle:deltaFrom", a.DeltaFrom)...)
	}
	x.close("sparkle:deltas")
}

// deltasTo returns the delta updates that lead to an asset of a version.
func (r Rules) deltasTo(v *Release, to *asset.Asset) (all []*asset.Asset) {
	for i := range v.Assets {
		a := &v.Assets[i]
		if a.Kind == asset.SparkleDiff && (a.Arch == "" || a.Arch == to.Arch) && r.listed(v, a) && r.deltaReads(v, a) {
			all = append(all, a)
		}
	}
	return all
}

func (r Rules) deltaReads(v *Release, a *asset.Asset) bool {
	switch {
	case !onWeb(r.URL(a)) || a.DeltaFrom == "":
	case a.Size == nil:
		r.report(v, a, asset.NoDigest)
	case r.signature(a, signature.Sparkle) == "":
		r.unsigned(v, a, signature.Sparkle)
	default:
		return true
	}
	return false
}

// threeNumbers appends .0 to the version of an operating system until it has at least three
// numbers.
func threeNumbers(version string) string {
	for strings.Count(version, ".") < 2 {
		version += ".0"
	}
	return version
}
