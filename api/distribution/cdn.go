package distribution

import (
	"slices"

	"svc/api/web"
	"svc/internal/seal"
	"svc/store"
)

func (h *Handlers) cdnRoutes() []web.Route {
	const one = web.V1 + "/admin/storage/cdn"
	login := web.LoginOnly()
	return []web.Route{
		{Method: "GET", Path: one, Access: login, Handler: web.OK(h.getCDN)},
		{Method: "PUT", Path: one, Access: login, Handler: web.OK(web.Decoded(h.updateCDN))},
		{Method: "DELETE", Path: one, Access: login, Handler: web.OK(h.clearCDN)},
		{Method: "POST", Path: one + "/test", Access: login, Handler: web.OK(h.testCDN)},
	}
}

// cdnView is the JSON form of the refresh settings, without the secret.
type cdnView struct {
	Provider          string  `json:"provider"`
	Enabled           bool    `json:"enabled"`
	Configured        bool    `json:"configured"`
	KeyID             *string `json:"access_key_id"`
	HasSecret         bool    `json:"has_access_key_secret"`
	SecretFingerprint *string `json:"access_key_secret_fingerprint"`
	BaseURL           *string `json:"dist_base_url"`
	UpdatedAt         *int64  `json:"updated_at"`
}

// viewCDN returns the JSON form of the refresh settings, or err if it is not nil.
func (h *Handlers) viewCDN(c *store.CDN, err error) (cdnView, error) {
	if err != nil {
		return cdnView{}, err
	}
	return cdnView{
		Provider: c.Provider, Enabled: c.Enabled, Configured: c.Configured(), KeyID: web.OrNull(c.KeyID), HasSecret: c.Secret != "",
		SecretFingerprint: web.OrNull(c.SecretFingerprint), BaseURL: web.OrNull(h.BaseURL), UpdatedAt: web.OrNull(c.UpdatedAt),
	}, nil
}

func (h *Handlers) getCDN(r *web.Request) (cdnView, error) {
	return h.viewCDN(web.GetSettings(r, h.DB, store.CDNSettings))
}

type cdnInput struct {
	Provider web.Optional[string] `json:"provider"`
	Enabled  web.Optional[bool]   `json:"enabled"`
	KeyID    web.Optional[string] `json:"access_key_id"`
	Secret   web.Optional[string] `json:"access_key_secret"`
}

func (h *Handlers) updateCDN(r *web.Request, in cdnInput) (cdnView, error) {
	p := web.Problems{Update: true}
	if in.Provider.Sent && !slices.Contains([]string{store.CDNAliyun, store.CDNCloudflare}, in.Provider.Or("")) {
		p.Add("provider must be aliyun or cloudflare")
	}
	p.Flag("enabled", in.Enabled)
	p.Text("access_key_id", in.KeyID, web.TextRule{Max: 128, Trim: true})
	p.Text("access_key_secret", in.Secret, web.TextRule{Max: 256, Trim: true})
	if err := p.Err(); err != nil {
		return cdnView{}, err
	}
	return h.viewCDN(web.PutSettings(r, h.DB, store.CDNSettings, func(_ *store.Tx, c *store.CDN) {
		c.SetProvider(in.Provider.Or(c.Provider))
		web.Set(&c.Enabled, in.Enabled)
		web.SetText(&c.KeyID, in.KeyID)
		if in.Secret.Sent {
			var secret string
			web.SetText(&secret, in.Secret)
			c.Secret, c.SecretFingerprint = h.Keys.Seal(seal.CDNKeySecret, secret), seal.Fingerprint(secret)
		}
	}))
}

func (h *Handlers) clearCDN(r *web.Request) (cdnView, error) {
	return h.viewCDN(web.DeleteSettings(r, h.DB, store.CDNSettings))
}

type cdnTestView struct {
	OK        bool    `json:"ok"`
	Remain    *int64  `json:"url_remain"`
	Quota     *int64  `json:"url_quota"`
	LatencyMS int64   `json:"latency_ms"`
	Error     *string `json:"error"`
}

func (h *Handlers) testCDN(r *web.Request) (view cdnTestView, err error) {
	c, err := store.Read(h.DB, store.CDNSettings.Get)
	if err != nil {
		return view, err
	}
	defer web.NoWriteDeadline(r.Writer)()
	who, err := h.Credentials(c)
	if err != nil {
		return cdnTestView{Error: web.OrNull(err.Error())}, nil
	}
	tested := h.CDN.Test(r.Context(), who)
	return cdnTestView{tested.Error == "", tested.Remain, tested.Quota, tested.Latency.Milliseconds(), web.OrNull(tested.Error)}, nil
}
