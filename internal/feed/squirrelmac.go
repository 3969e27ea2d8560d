package feed

import "svc/internal/asset"

// SquirrelMac returns the asset that the feed offers for an architecture, or nil.
func (r Rules) SquirrelMac(v *Release, arch asset.Arch) *asset.Asset {
	if !r.comparable(v, v.SemVer, SemVerOrder) {
		return nil
	}
	return pick(v, []asset.Kind{asset.AppZip}, []asset.Arch{arch, asset.Universal}, archOf, func(a *asset.Asset) bool {
		return r.listed(v, a) && onWeb(r.URL(a))
	})
}

// SquirrelMacJSON returns the answer with an asset. The client installs the version that it
// describes, even if it is the same or an older one.
func (r Rules) SquirrelMacJSON(v *Release, a *asset.Asset) []byte {
	title, notes := v.named()
	return encode(struct {
		URL     string `json:"url"`
		Name    string `json:"name"`
		Notes   string `json:"notes,omitempty"`
		PubDate string `json:"pub_date"`
	}{r.URL(a), title, notes, utc(v.Date).Format("2006-01-02T15:04:05+00:00")})
}
