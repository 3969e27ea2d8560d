package feed

import (
	"svc/internal/asset"
	"svc/internal/platform"
)

// SquirrelMac returns the asset of a version that the feed for Squirrel.Mac offers for an
// architecture, or nil.
func (r Rules) SquirrelMac(v *Release, arch asset.Arch) *asset.Asset {
	return pick(v, []asset.Kind{asset.AppZip}, []asset.Arch{arch, asset.Universal}, archOf, func(a *asset.Asset) bool {
		return r.listed(v, a) && r.comparable(v, v.SemVer, SemVerOrder) && onWeb(r.URL(a))
	})
}

// SquirrelMacSelection returns the Selection of the feed for Squirrel.Mac.
func SquirrelMacSelection(arch asset.Arch) Selection {
	return Selection{
		Order: SemVerOrder, On: platform.MacOS, Fits: func(r Rules, v *Release) bool { return r.SquirrelMac(v, arch) != nil },
	}
}

// SquirrelMacJSON returns the response that offers an asset to Squirrel.Mac. Squirrel.Mac installs
// the offered version even if it is equal to or lower than the installed one.
func (r Rules) SquirrelMacJSON(v *Release, a *asset.Asset) []byte {
	title, notes := v.named()
	return encode(struct {
		URL     string `json:"url"`
		Name    string `json:"name"`
		Notes   string `json:"notes,omitempty"`
		PubDate string `json:"pub_date"`
	}{r.URL(a), title, notes, utc(v.Date).Format("2006-01-02T15:04:05+00:00")})
}
