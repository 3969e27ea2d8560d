package feed

import (
	"slices"

	"svc/internal/asset"
	"svc/internal/platform"
)

// latestKinds lists, for each platform, the kinds of assets to which a link without a kind may
// lead, in order of preference.
var latestKinds = map[platform.Platform][]asset.Kind{
	platform.Windows: {asset.Exe, asset.MSI, asset.MSIX, asset.ExePortable, asset.Zip},
	platform.MacOS:   {asset.DMG, asset.PKG, asset.AppZip, asset.Tar},
	platform.Linux:   {asset.AppImage, asset.Deb, asset.RPM, asset.Flatpak, asset.Snap, asset.Tar, asset.Zip},
	platform.Android: {asset.APK, asset.AAB},
}

// Latest returns the asset of a version to which a link to the latest version leads, or nil. If
// arch is "", an asset of any architecture fits. If kind is "", Latest chooses the most preferred
// kind that the version has.
func (r Rules) Latest(v *Release, on platform.Platform, arch asset.Arch, kind asset.Kind) *asset.Asset {
	fits := func(a *asset.Asset) bool { return a.Platform == on && r.listed(v, a) && onWeb(r.URL(a)) }
	archs := []asset.Arch{arch, asset.Universal}
	if arch == "" {
		archs = []asset.Arch{asset.X64, asset.Universal}
		for _, more := range asset.Archs {
			if !slices.Contains(archs, more) {
				archs = append(archs, more)
			}
		}
	}
	if kind != "" {
		return pick(v, []asset.Kind{kind}, archs, archOf, fits)
	}
	if kinds := latestKinds[on]; kinds != nil {
		return pick(v, kinds, archs, archOf, fits)
	}
	for _, wanted := range archs {
		for i := range v.Assets {
			if a := &v.Assets[i]; archOf(a) == wanted && fits(a) {
				return a
			}
		}
	}
	return nil
}

// LatestSelection returns the Selection of a link to the latest version. For its parameters, see
// Latest.
func LatestSelection(on platform.Platform, arch asset.Arch, kind asset.Kind) Selection {
	return Selection{
		On: on, Fits: func(r Rules, v *Release) bool { return r.Latest(v, on, arch, kind) != nil },
		more: func(r Rules, v *Release) {
			for i := range v.Assets {
				r.listed(v, &v.Assets[i])
			}
		},
	}
}
