package distribution

import (
	"net/url"
	"strings"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/files/storage"
	"svc/internal/files/upload"
	"svc/internal/seal"
	"svc/store"
)

func (h *Handlers) storageRoutes() []web.Route {
	const all, one = web.V1 + "/admin/storage/backends", web.V1 + "/admin/storage/backends/:id"
	login := web.LoginOnly()
	return []web.Route{
		{Method: "GET", Path: web.V1 + "/admin/storage", Access: login, Handler: web.OK(h.getStorage)},
		{Method: "POST", Path: all, Access: login, Handler: web.Created(web.Decoded(h.createBackend))},
		{Method: "PATCH", Path: one, Access: login, Handler: web.OK(web.Decoded(h.updateBackend))},
		{Method: "DELETE", Path: one, Access: login, Handler: web.Done(h.deleteBackend)},
		{Method: "POST", Path: one + "/test", Access: login, Handler: web.OK(h.testBackend)},
	}
}

type storageView struct {
	BaseURL   *string       `json:"dist_base_url"`
	UploadMax int64         `json:"upload_max_bytes"`
	ChunkSize int64         `json:"chunk_size"`
	Backends  []backendView `json:"backends"`
}

// backendView is the JSON form of a storage, without its password.
type backendView struct {
	ID                  string      `json:"id"`
	Name                string      `json:"name"`
	Kind                string      `json:"kind"`
	IsBuiltin           bool        `json:"is_builtin"`
	IsDefault           bool        `json:"is_default"`
	BaseURL             *string     `json:"base_url"`
	Username            *string     `json:"username"`
	HasPassword         bool        `json:"has_password"`
	PasswordFingerprint *string     `json:"password_fingerprint"`
	PartSizeKB          *int        `json:"part_size_kb"`
	Region              *string     `json:"region"`
	Bucket              *string     `json:"bucket"`
	PathPrefix          *string     `json:"path_prefix"`
	PathStyle           *bool       `json:"path_style"`
	FileCount           int64       `json:"file_count"`
	Origin              *originView `json:"cdn_origin"`
	CreatedAt           int64       `json:"created_at"`
	UpdatedAt           int64       `json:"updated_at"`
}

// originView is the JSON form of the origin from which a CDN can fetch objects. The path of an
// object at the origin is the path of its link.
type originView struct {
	Scheme     string `json:"scheme"`
	Host       string `json:"host"`
	PathPrefix string `json:"path_prefix"`
}

func viewBackend(tx *store.Tx, b *store.StorageBackend) (backendView, error) {
	files, err := tx.FilesOn(b.ID)
	v := backendView{
		ID: b.ID, Name: b.Name, Kind: b.Kind, IsBuiltin: b.Builtin(), IsDefault: b.Default, BaseURL: web.OrNull(b.BaseURL),
		Username:    web.OrNull(b.Username),
		HasPassword: b.Password != "", PasswordFingerprint: web.OrNull(b.PasswordFingerprint), PartSizeKB: web.OrNull(b.PartSizeKB),
		FileCount: files, Origin: originOf(b), CreatedAt: b.CreatedAt, UpdatedAt: b.UpdatedAt,
	}
	if b.Kind == store.StorageS3 {
		v.Region, v.Bucket, v.PathPrefix, v.PathStyle = web.OrNull(b.Region), &b.Bucket, &b.PathPrefix, &b.PathStyle
	}
	return v, err
}

// originOf returns the origin for a CDN that reads directly from the storage. It returns nil if
// that is not possible: if the storage is the local directory, if it splits objects into parts, or
// if it is a bucket that requires credentials.
func originOf(b *store.StorageBackend) *originView {
	u, err := url.Parse(b.BaseURL)
	if err != nil || b.Builtin() || b.PartSizeKB != 0 || b.Kind == store.StorageS3 && !b.Public {
		return nil
	}
	v := &originView{Scheme: u.Scheme, Host: u.Host, PathPrefix: strings.TrimRight(u.EscapedPath(), "/")}
	if u.Port() == map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		v.Host = strings.TrimSuffix(v.Host, ":"+u.Port())
	}
	if b.Kind != store.StorageS3 {
		return v
	}
	if b.PathStyle {
		v.PathPrefix += "/" + b.Bucket
	} else {
		v.Host = b.Bucket + "." + v.Host
	}
	if b.PathPrefix != "" {
		v.PathPrefix += (&url.URL{Path: "/" + b.PathPrefix}).EscapedPath()
	}
	return v
}

func (h *Handlers) getStorage(*web.Request) (storageView, error) {
	view := storageView{BaseURL: web.OrNull(h.BaseURL), UploadMax: h.MaxSize, ChunkSize: upload.ChunkSize}
	err := h.DB.View(func(tx *store.Tx) error {
		list, err := tx.StorageBackends()
		view.Backends = make([]backendView, len(list))
		for i, b := range list {
			if err == nil {
				view.Backends[i], err = viewBackend(tx, b)
			}
		}
		return err
	})
	return view, err
}

type backendInput struct {
	Name       web.Optional[string]      `json:"name"`
	Kind       web.Optional[string]      `json:"kind"`
	BaseURL    web.Optional[string]      `json:"base_url"`
	Username   web.Optional[string]      `json:"username"`
	Password   web.Optional[string]      `json:"password"`
	PartSizeKB web.Optional[web.Integer] `json:"part_size_kb"`
	IsDefault  web.Optional[bool]        `json:"is_default"`
	Region     web.Optional[string]      `json:"region"`
	Bucket     web.Optional[string]      `json:"bucket"`
	PathPrefix web.Optional[string]      `json:"path_prefix"`
	PathStyle  web.Optional[bool]        `json:"path_style"`
}

// apply validates the input and sets the fields of b that are present in it. The caller must have
// set the kind of b. If the input is invalid, the error lists all violations.
func (in backendInput) apply(keys *seal.Keys, b *store.StorageBackend, update bool) error {
	p := web.Problems{Update: update}
	p.Text("name", in.Name, web.TextRule{Max: 64, Required: true, Trim: true, Filled: true})
	p.Flag("is_default", in.IsDefault)
	if update && in.IsDefault.Value != nil && !*in.IsDefault.Value {
		p.Add("is_default must be true: make another storage the default instead")
	}
	if b.Builtin() {
		in.refuseConnection(&p)
	} else {
		in.checkConnection(&p)
		in.checkS3(&p, b)
	}
	if err := p.Err(); err != nil {
		return err
	}
	web.SetText(&b.Name, in.Name)
	if in.IsDefault.Value != nil {
		b.Default = *in.IsDefault.Value
	}
	web.SetText(&b.BaseURL, in.BaseURL)
	b.BaseURL = strings.TrimRight(b.BaseURL, "/")
	web.SetText(&b.Username, in.Username)
	if in.Password.Sent {
		var password string
		web.SetText(&password, in.Password)
		b.Password, b.PasswordFingerprint = keys.Seal(seal.StoragePassword, password), seal.Fingerprint(password)
	}
	if in.PartSizeKB.Sent {
		b.PartSizeKB = int(in.PartSizeKB.Or(0))
	}
	web.SetText(&b.Region, in.Region)
	web.SetText(&b.Bucket, in.Bucket)
	web.SetText(&b.PathPrefix, in.PathPrefix)
	web.Set(&b.PathStyle, in.PathStyle)
	return nil
}

// refuseConnection adds a problem for each field in the input that describes a connection, because
// the built-in storage has none.
func (in backendInput) refuseConnection(p *web.Problems) {
	for _, field := range []struct {
		name string
		sent bool
	}{
		{"base_url", in.BaseURL.Sent}, {"username", in.Username.Sent}, {"password", in.Password.Sent}, {"part_size_kb", in.PartSizeKB.Sent},
		{"region", in.Region.Sent}, {"bucket", in.Bucket.Sent}, {"path_prefix", in.PathPrefix.Sent}, {"path_style", in.PathStyle.Sent},
	} {
		if field.sent {
			p.Add("%s must not be sent for the built-in storage", field.name)
		}
	}
}

func (in backendInput) checkConnection(p *web.Problems) {
	p.BaseURL("base_url", in.BaseURL, web.TextRule{Max: 512, Required: true, Trim: true, Filled: true})
	p.Text("username", in.Username, web.TextRule{Max: 256, Trim: true})
	p.Text("password", in.Password, web.TextRule{Max: 512, Trim: true})
	p.Number("part_size_kb", in.PartSizeKB, 64, 1<<20, false)
}

// checkS3 validates the fields that only storages of kind s3 have.
func (in backendInput) checkS3(p *web.Problems, b *store.StorageBackend) {
	if b.Kind != store.StorageS3 {
		for _, field := range []struct {
			name  string
			given bool
		}{
			{"region", in.Region.Value != nil || in.Region.Wrong}, {"bucket", in.Bucket.Value != nil || in.Bucket.Wrong},
			{"path_prefix", in.PathPrefix.Value != nil || in.PathPrefix.Wrong}, {"path_style", in.PathStyle.Value != nil || in.PathStyle.Wrong},
		} {
			if field.given {
				p.Add("%s is for storages of kind s3", field.name)
			}
		}
		return
	}
	if u, err := url.Parse(strings.TrimSpace(in.BaseURL.Or(""))); err == nil && strings.TrimRight(u.EscapedPath(), "/") != "" &&
		u.Hostname() != "" {
		p.Add("base_url must have no path for storages of kind s3: it is the endpoint, the folder belongs in path_prefix")
	}
	if in.PartSizeKB.Value != nil {
		p.Add("part_size_kb must be null for storages of kind s3")
	}
	p.Text("region", in.Region, web.TextRule{Max: 64, Trim: true})
	p.Text("bucket", in.Bucket, web.TextRule{Min: 3, Max: 63, Required: true, Trim: true})
	p.Text("path_prefix", in.PathPrefix, web.TextRule{Max: 512, Trim: true})
	if prefix := strings.TrimSpace(in.PathPrefix.Or("")); strings.HasPrefix(prefix, "/") || strings.HasSuffix(prefix, "/") {
		p.Add("path_prefix must neither begin nor end with a slash")
	}
	p.Flag("path_style", in.PathStyle)
}

func (h *Handlers) createBackend(r *web.Request, in backendInput) (view backendView, err error) {
	b := &store.StorageBackend{Kind: in.Kind.Or("")}
	if b.Kind != store.StorageWebDAV && b.Kind != store.StorageS3 {
		b.Kind = store.StorageWebDAV
		return view, web.JoinValidation(fault.Validation("kind must be webdav or s3"), in.apply(h.Keys, b, false))
	}
	b.PathStyle = b.Kind == store.StorageS3
	if err := in.apply(h.Keys, b, false); err != nil {
		return view, err
	}
	err = h.DB.Update(func(tx *store.Tx) error {
		if err := tx.PutStorageBackend(b); err != nil {
			return err
		}
		view, err = viewBackend(tx, b)
		return err
	})
	return view, err
}

func (h *Handlers) updateBackend(r *web.Request, in backendInput) (view backendView, err error) {
	err = h.DB.Update(func(tx *store.Tx) error {
		b, err := tx.StorageBackend(r.Param("id"))
		if err != nil {
			return err
		}
		if err := in.apply(h.Keys, b, true); err != nil {
			return err
		}
		if err := tx.PutStorageBackend(b); err != nil {
			return err
		}
		view, err = viewBackend(tx, b)
		return err
	})
	return view, err
}

func (h *Handlers) deleteBackend(r *web.Request) error {
	return h.DB.Update(func(tx *store.Tx) error { return tx.DeleteStorageBackend(r.Param("id")) })
}

type probeView struct {
	OK             bool    `json:"ok"`
	RangeSupported *bool   `json:"range_supported"`
	LargeWriteOK   *bool   `json:"large_write_ok"`
	LatencyMS      int64   `json:"latency_ms"`
	Error          *string `json:"error"`
}

// testBackend probes a saved storage. It also stores whether a CDN can read directly from the
// storage.
func (h *Handlers) testBackend(r *web.Request) (view probeView, err error) {
	b, err := store.Read(h.DB, func(tx *store.Tx) (*store.StorageBackend, error) { return tx.StorageBackend(r.Param("id")) })
	if err != nil {
		return view, err
	}
	defer waiting(r.Writer)()
	probe := h.probe(r, b)
	if probe.OK && probe.Public != b.Public {
		if err := h.notePublic(b, probe.Public); err != nil {
			return view, err
		}
	}
	return probeView{probe.OK, probe.RangeSupported, probe.LargeWriteOK, probe.Latency.Milliseconds(), web.OrNull(probe.Error)}, nil
}

func (h *Handlers) probe(r *web.Request, b *store.StorageBackend) storage.Probe {
	backend, err := h.Open(b)
	if err != nil {
		return storage.Probe{Error: err.Error()}
	}
	return backend.Probe(r.Context())
}

// notePublic stores whether the probed storage can be read publicly. It does nothing if the storage
// has been changed since the probe, because the result may then be wrong.
func (h *Handlers) notePublic(probed *store.StorageBackend, public bool) error {
	err := h.DB.Update(func(tx *store.Tx) error {
		b, err := tx.StorageBackend(probed.ID)
		if err != nil || *b != *probed {
			return err
		}
		b.Public = public
		return tx.PutStorageBackend(b)
	})
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}
