package distribution

import (
	"maps"
	"slices"

	"svc/api/web"
	"svc/internal/asset"
	"svc/internal/fault"
	"svc/internal/signature"
	"svc/store"
)

func (h *Handlers) signatureRoutes() []web.Route {
	const one = web.V1 + "/admin/projects/:k/versions/:id/assets/:name/signatures/:scheme"
	write := web.ByScope("versions:write")
	return []web.Route{
		{Method: "PUT", Path: one, Access: write, Handler: web.OK(h.putSignature), BodyLimit: signature.MaxText},
		{Method: "DELETE", Path: one, Access: write, Handler: web.OK(h.deleteSignature)},
	}
}

// signedAsset returns the asset in the path, its version, and the scheme in the path.
func signedAsset(r *web.Request, tx *store.Tx, p *store.Project) (*store.Version, *asset.Asset, signature.Scheme, error) {
	scheme := signature.Scheme(r.Param("scheme"))
	if !slices.Contains(signature.Schemes, scheme) {
		return nil, nil, "", fault.New(fault.NotFound, "there is no scheme %s; use minisign or sparkle", web.Quote(r.Param("scheme")))
	}
	v, list, err := versionAssets(r, tx, p)
	if err != nil {
		return nil, nil, "", err
	}
	at := slices.IndexFunc(list, func(a asset.Asset) bool { return a.Name == r.Param("name") })
	if at < 0 {
		return nil, nil, "", fault.New(fault.NotFound, "the version has no asset %s", web.Quote(r.Param("name")))
	}
	return v, &list[at], scheme, nil
}

// putSignature verifies a signature and stores it. If the file must be read for that, it is read
// before the transaction that stores the signature.
func (h *Handlers) putSignature(r *web.Request) (view assetView, err error) {
	text, err := r.ReadBody()
	if err != nil {
		return view, err
	}
	if signature.IsPrivate(string(text)) {
		return view, fault.New(fault.Invalid, "the signature %v", signature.ErrPrivate)
	}
	s, parseErr := signature.Parse(string(text))
	var work *store.Verification
	err = r.View(h.DB, func(tx *store.Tx, p *store.Project) error {
		_, a, scheme, err := signedAsset(r, tx, p)
		switch {
		case err != nil:
			return err
		case parseErr != nil:
			return fault.New(fault.Invalid, "the signature is %v", parseErr)
		case s.Scheme != scheme:
			return fault.New(fault.Invalid, "the signature is one of %s, not of %s", s.Scheme, scheme)
		}
		work, err = tx.SignatureChecks(p.ID, a, s.Value)
		return err
	})
	if err != nil {
		return view, err
	}
	if len(work.Checks) > 0 {
		defer web.NoWriteDeadline(r.Writer)()
		if err := h.ReadSigned(r.Context(), work); err != nil {
			return view, fault.New(fault.BadGateway, "the file cannot be read to verify the signature: %v", err)
		}
	}
	return h.setSignature(r, s.Value, func(tx *store.Tx, p *store.Project) error {
		if len(work.Checks) == 0 {
			return nil
		}
		return tx.PutChecks(p.ID, work.File.ID, work.Results())
	})
}

func (h *Handlers) deleteSignature(r *web.Request) (view assetView, err error) {
	return h.setSignature(r, "", func(*store.Tx, *store.Project) error { return nil })
}

// setSignature stores a signature of the asset in the path, or removes it if value is "". Before it
// does so, it calls the function note in the same transaction.
func (h *Handlers) setSignature(r *web.Request, value string, note func(*store.Tx, *store.Project) error) (view assetView, err error) {
	err = r.Update(h.DB, func(tx *store.Tx, p *store.Project) error {
		v, a, scheme, err := signedAsset(r, tx, p)
		if err != nil {
			return err
		}
		if err := r.Match(v); err != nil {
			return err
		}
		set := v.Assets[a.Name]
		if value == "" && set.Signed(scheme) == "" {
			return fault.New(fault.NotFound, "no signature of %s was sent for the asset", scheme)
		}
		set.Sign(scheme, value)
		if err := note(tx, p); err != nil {
			return err
		}
		v.Assets = maps.Clone(v.Assets)
		if err := tx.SetAsset(p.ID, v, a.Name, set); err != nil {
			return err
		}
		list, err := tx.Assets(p.ID, v)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(list, func(one asset.Asset) bool { return one.Name == a.Name })
		if value != "" && list[at].Signatures[scheme].Status == signature.Invalid {
			return fault.Validation("the signature does not verify: it is one of another file, or was changed")
		}
		views, err := h.viewAssetsFully(r, tx, p, v, list)
		if err != nil {
			return err
		}
		view = views[at]
		return nil
	})
	return view, err
}
