package distribution

import (
	"maps"
	"slices"
	"strings"

	"svc/api/web"
	"svc/internal/asset"
	"svc/internal/fault"
	"svc/internal/feed"
	"svc/internal/platform"
	"svc/internal/signature"
	"svc/store"
)

func (h *Handlers) assetRoutes() []web.Route {
	const public = web.V1 + "/public/:k/versions/by-version/:v/assets"
	const all = web.V1 + "/admin/projects/:k/versions/:id/assets"
	return []web.Route{
		{
			Method: "GET", Path: public, Access: web.Anyone(), Handler: web.OK(h.publicAssets), Counts: "VERSION_ASSETS",
			FiltersPlatform: true,
		},
		{Method: "GET", Path: all, Access: web.ByScope("versions:read"), Handler: web.OK(h.listAssets)},
		{
			Method: "PATCH", Path: all + "/:name", Access: web.ByScope("versions:write"),
			Handler: web.OK(web.WithoutPrivateKeys(web.Decoded(h.updateAsset))),
		},
	}
}

// assetView is the JSON form of an asset. Only administrators see Problems.
type assetView struct {
	Name          string             `json:"name"`
	URL           string             `json:"url"`
	FileID        *string            `json:"file_id"`
	Kind          asset.Kind         `json:"kind"`
	Platform      *platform.Platform `json:"platform"`
	Arch          *asset.Arch        `json:"arch"`
	Variant       *string            `json:"variant"`
	OSMin         *string            `json:"os_min"`
	Size          *int64             `json:"size"`
	SHA1          *string            `json:"sha1"`
	SHA256        *string            `json:"sha256"`
	SHA512        *string            `json:"sha512"`
	BundleVersion *string            `json:"bundle_version"`
	DeltaFrom     *string            `json:"delta_from"`
	BlockMapSize  *int64             `json:"block_map_size"`
	Package       *packageView       `json:"package"`
	Signatures    signatureViews     `json:"signatures"`
	Hidden        bool               `json:"hidden"`
	Problems      []asset.Problem    `json:"problems,omitzero"`
}

// packageView is the JSON form of the description of a NuGet package.
type packageView struct {
	ID      string  `json:"id"`
	Version string  `json:"version"`
	Channel *string `json:"channel"`
}

// signatureViews contains the JSON form of each signature.
type signatureViews map[signature.Scheme]signatureView

type signatureView struct {
	Status signature.Status `json:"status"`
	KeyID  *string          `json:"key_id"`
	Value  string           `json:"value"`
}

// assetsView is the JSON form of the assets of a version.
type assetsView struct {
	Data []assetView `json:"data"`
}

// viewAsset returns the JSON form of an asset for the public. Links to stored files begin with
// the given origin.
func viewAsset(a *asset.Asset, origin string) assetView {
	view := assetView{
		Name: a.Name, URL: a.URL, FileID: web.OrNull(a.FileID), Kind: a.Kind, Platform: web.OrNull(a.Platform), Arch: web.OrNull(a.Arch),
		Variant: web.OrNull(a.Variant), OSMin: web.OrNull(a.OSMin), Size: a.Size,
		SHA1: web.OrNull(a.SHA1), SHA256: web.OrNull(a.SHA256), SHA512: web.OrNull(a.SHA512),
		BundleVersion: web.OrNull(a.BundleVersion), DeltaFrom: web.OrNull(a.DeltaFrom), BlockMapSize: web.OrNull(a.BlockMapSize),
		Signatures: signatureViews{}, Hidden: a.Hidden,
	}
	if a.FileID != "" {
		view.URL = origin + a.Path
	}
	if p := a.Package; p != nil {
		view.Package = &packageView{p.ID, p.Version, web.OrNull(p.Channel)}
	}
	for scheme, s := range a.Signatures {
		view.Signatures[scheme] = signatureView{s.Status, web.OrNull(s.KeyID), s.Value}
	}
	return view
}

// FeedRules returns the rules that all feeds of a project with the given trust keys follow.
func (h *Handlers) FeedRules(r *web.Request, keys []store.TrustKey) feed.Rules {
	keyed := func(scheme signature.Scheme) bool {
		return slices.ContainsFunc(keys, func(k store.TrustKey) bool { return k.Scheme == scheme })
	}
	return feed.Rules{Minisign: keyed(signature.Minisign), Sparkle: keyed(signature.Sparkle), Origin: h.origin(r)}
}

// viewAssetsFully returns the JSON form of the assets of a version for administrators. The problems
// of an asset include those that the checks of the feeds find.
func (h *Handlers) viewAssetsFully(
	r *web.Request, tx *store.Tx, p *store.Project, v *store.Version, list []asset.Asset,
) ([]assetView, error) {
	keys, err := tx.TrustKeys(p.ID)
	if err != nil {
		return nil, err
	}
	inFeeds := h.FeedRules(r, keys).CheckAssets(p.Key, feed.NewRelease(v.Version, v.Comparable, v.NativeVersions, list))
	return web.Views(list, func(a asset.Asset) assetView {
		view := viewAsset(&a, h.origin(r))
		view.Problems = append([]asset.Problem{}, a.Problems...)
		for _, code := range inFeeds[a.Name] {
			if !slices.Contains(view.Problems, code) {
				view.Problems = append(view.Problems, code)
			}
		}
		return view
	}), nil
}

// origin returns the beginning of the addresses of stored files.
func (h *Handlers) origin(r *web.Request) string {
	return r.Origin(h.BaseURL, h.siteURL)
}

// publicAssets lists the assets of a version that are not hidden.
func (h *Handlers) publicAssets(r *web.Request) (view assetsView, err error) {
	var p web.Problems
	wantedPlatform := oneOf(&p, r, "platform", platform.All[:])
	wantedArch := oneOf(&p, r, "arch", asset.Archs)
	wantedKind := oneOf(&p, r, "kind", asset.Kinds)
	if err := p.Err(); err != nil {
		return view, err
	}
	return web.ReadSnapshot(r, h.DB, func(snap *store.Snapshot) (view assetsView, err error) {
		at := snap.Catalog.ByVersion(r.Param("v"))
		if at < 0 || !snap.Catalog.Item(at).Published() {
			return view, fault.New(fault.NotFound, "version %s not found", web.Quote(r.Param("v")))
		}
		list, err := h.DB.Assets(snap.Project.ID, snap.Entry(at).Record)
		view.Data = []assetView{}
		for i := range list {
			a := &list[i]
			if !a.Hidden && (wantedPlatform == "" || a.Platform == wantedPlatform) &&
				(wantedArch == "" || a.Arch == wantedArch) && (wantedKind == "" || a.Kind == wantedKind) {
				view.Data = append(view.Data, viewAsset(a, h.origin(r)))
			}
		}
		return view, err
	})
}

// oneOf returns the query parameter with the given name, or "" if it was not sent or is blank. It
// reports a problem if the parameter is not one of values.
func oneOf[T ~string](p *web.Problems, r *web.Request, name string, values []T) T {
	text := strings.TrimSpace(r.Query(name))
	if value := T(text); text == "" || slices.Contains(values, value) {
		return value
	}
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	p.Add("%s must be one of %s", name, strings.Join(texts, ", "))
	return ""
}

// listAssets lists all assets of a version with their problems.
func (h *Handlers) listAssets(r *web.Request) (view assetsView, err error) {
	err = r.View(h.DB, func(tx *store.Tx, p *store.Project) error {
		v, list, err := versionAssets(r, tx, p)
		if err == nil {
			view.Data, err = h.viewAssetsFully(r, tx, p, v, list)
		}
		return err
	})
	return view, err
}

// versionAssets returns the version in the path and its assets.
func versionAssets(r *web.Request, tx *store.Tx, p *store.Project) (*store.Version, []asset.Asset, error) {
	id, ok := store.ParseID(r.Param("id"))
	if !ok {
		return nil, nil, fault.New(fault.NotFound, "version not found")
	}
	v, err := tx.Version(p.ID, id)
	if err != nil {
		return nil, nil, err
	}
	list, err := tx.Assets(p.ID, v)
	return v, list, err
}

// assetInput contains the fields of an asset that can be set by hand. If a field is null, the
// server derives it again.
type assetInput struct {
	Kind          web.Optional[string]      `json:"kind"`
	Platform      web.Optional[string]      `json:"platform"`
	Arch          web.Optional[string]      `json:"arch"`
	Variant       web.Optional[string]      `json:"variant"`
	OSMin         web.Optional[string]      `json:"os_min"`
	Hidden        web.Optional[bool]        `json:"hidden"`
	BundleVersion web.Optional[string]      `json:"bundle_version"`
	DeltaFrom     web.Optional[string]      `json:"delta_from"`
	Size          web.Optional[web.Integer] `json:"size"`
	SHA1          web.Optional[string]      `json:"sha1"`
	SHA256        web.Optional[string]      `json:"sha256"`
	SHA512        web.Optional[string]      `json:"sha512"`
}

// apply sets those fields of an override that the request contains. The error lists all problems.
func (in assetInput) apply(o *asset.Override) error {
	var p web.Problems
	setWord(&p, "kind", &o.Kind, in.Kind)
	setWord(&p, "platform", &o.Platform, in.Platform)
	setWord(&p, "arch", &o.Arch, in.Arch)
	setWord(&p, "variant", &o.Variant, in.Variant)
	setWord(&p, "os_min", &o.OSMin, in.OSMin)
	setWord(&p, "bundle_version", &o.BundleVersion, in.BundleVersion)
	setWord(&p, "delta_from", &o.DeltaFrom, in.DeltaFrom)
	setWord(&p, "sha1", &o.SHA1, in.SHA1)
	setWord(&p, "sha256", &o.SHA256, in.SHA256)
	setWord(&p, "sha512", &o.SHA512, in.SHA512)
	p.Flag("hidden", in.Hidden)
	p.Number("size", in.Size, 0, 1<<53, false)
	if in.Hidden.Sent {
		o.Hidden = in.Hidden.Value
	}
	if in.Size.Sent {
		o.Size = (*int64)(in.Size.Value)
	}
	p.List = append(p.List, o.Problems()...)
	return p.Err()
}

// setWord sets a text field of an override. Null and blank texts clear the field.
func setWord[T ~string](p *web.Problems, name string, field *T, o web.Optional[string]) {
	switch {
	case o.Wrong:
		p.Add("%s must be a string", name)
	case o.Sent:
		*field = T(strings.TrimSpace(o.Or("")))
	}
}

// sums reports whether the size or a checksum was sent.
func (in assetInput) sums() bool {
	return in.Size.Value != nil || in.SHA1.Value != nil || in.SHA256.Value != nil || in.SHA512.Value != nil
}

// updateAsset sets fields of an asset by hand.
func (h *Handlers) updateAsset(r *web.Request, in assetInput) (view assetView, err error) {
	name := r.Param("name")
	if err := in.apply(&asset.Override{}); err != nil { // so that validation does not depend on stored data
		return view, err
	}
	err = r.Update(h.DB, func(tx *store.Tx, p *store.Project) error {
		v, list, err := versionAssets(r, tx, p)
		if err != nil {
			return err
		}
		if err := r.Match(v); err != nil {
			return err
		}
		find := func() int { return slices.IndexFunc(list, func(a asset.Asset) bool { return a.Name == name }) }
		at := find()
		if at < 0 {
			return fault.New(fault.NotFound, "the version has no asset %s", web.Quote(name))
		}
		if in.sums() && list[at].FileID != "" {
			return fault.Validation("size, sha1, sha256 and sha512 cannot be set: the file is stored here, and they are computed from it")
		}
		set := v.Assets[name]
		if err := in.apply(&set); err != nil {
			return err
		}
		v.Assets = maps.Clone(v.Assets)
		if err := tx.SetAsset(p.ID, v, name, set); err != nil {
			return err
		}
		if list, err = tx.Assets(p.ID, v); err != nil {
			return err
		}
		if in.DeltaFrom.Value != nil && list[find()].Kind != asset.SparkleDiff {
			return fault.Validation("delta_from can only be set for an asset of kind sparkle-delta")
		}
		views, err := h.viewAssetsFully(r, tx, p, v, list)
		if err != nil {
			return err
		}
		view = views[find()]
		return nil
	})
	return view, err
}
