package svcsdk

import (
	"context"
	"net/http"
)

// GetStorage reads where files are kept.
func (a *Admin) GetStorage(ctx context.Context) (*StorageOverview, error) {
	return fetch[StorageOverview](ctx, a.call(http.MethodGet, "/admin/storage"))
}

// CreateStorageBackend adds a storage.
func (a *Admin) CreateStorageBackend(ctx context.Context, in StorageBackendCreate) (*StorageBackend, error) {
	return fetch[StorageBackend](ctx, a.call(http.MethodPost, "/admin/storage/backends").body(in))
}

// UpdateStorageBackend changes a storage. Files that are there already are neither moved nor
// written again. Of the built-in storage only the name and is_default can be changed.
func (a *Admin) UpdateStorageBackend(ctx context.Context, id string, in StorageBackendFields) (*StorageBackend, error) {
	return fetch[StorageBackend](ctx, a.call(http.MethodPatch, "/admin/storage/backends/{id}", id).body(in))
}

// DeleteStorageBackend deletes a storage. 400 for the built-in one, 409 for the default and for
// one that holds files. Projects that name it use the default from then on.
func (a *Admin) DeleteStorageBackend(ctx context.Context, id string) error {
	return perform(ctx, a.call(http.MethodDelete, "/admin/storage/backends/{id}", id))
}

// TestStorageBackend tries the saved settings of a storage.
func (a *Admin) TestStorageBackend(ctx context.Context, id string) (*StorageProbe, error) {
	return fetch[StorageProbe](ctx, a.call(http.MethodPost, "/admin/storage/backends/{id}/test", id))
}

// GetCDNConfig reads the settings of the CDN refresh.
func (a *Admin) GetCDNConfig(ctx context.Context) (*CDNConfig, error) {
	return fetch[CDNConfig](ctx, a.call(http.MethodGet, "/admin/storage/cdn"))
}

// UpdateCDNConfig changes the settings of the CDN refresh. A field that is left out stays as it
// is. Another provider clears the credentials.
func (a *Admin) UpdateCDNConfig(ctx context.Context, in CDNConfigFields) (*CDNConfig, error) {
	return fetch[CDNConfig](ctx, a.call(http.MethodPut, "/admin/storage/cdn").body(in))
}

// ClearCDNConfig clears the settings of the CDN refresh and switch it off.
func (a *Admin) ClearCDNConfig(ctx context.Context) (*CDNConfig, error) {
	return fetch[CDNConfig](ctx, a.call(http.MethodDelete, "/admin/storage/cdn"))
}

// TestCDNConfig tries the saved credentials of the CDN refresh. Works while the refresh is
// switched off.
func (a *Admin) TestCDNConfig(ctx context.Context) (*CDNTest, error) {
	return fetch[CDNTest](ctx, a.call(http.MethodPost, "/admin/storage/cdn/test"))
}

// StorageOverview is where files are kept.
type StorageOverview struct {
	// What direct links begin with.
	DistBaseURL *string `json:"dist_base_url"`
	// Bytes of the largest file that is taken.
	UploadMaxBytes int64 `json:"upload_max_bytes"`
	// Bytes of a chunk.
	ChunkSize int64 `json:"chunk_size"`
	// The storages, oldest first.
	Backends []StorageBackend `json:"backends"`
}

// StorageBackend is a storage.
type StorageBackend struct {
	// Id of the storage; `local` is the built-in one.
	ID string `json:"id"`
	// Its name.
	Name string `json:"name"`
	// What it speaks.
	Kind string `json:"kind"`
	// Whether it is the folder of this server.
	IsBuiltin bool `json:"is_builtin"`
	// Whether files go here for which none is named. One storage is the default.
	IsDefault bool `json:"is_default"`
	// Where it is.
	BaseURL *string `json:"base_url"`
	// User, or access key id.
	Username *string `json:"username"`
	// Whether there is a password or secret.
	HasPassword bool `json:"has_password"`
	// Tells passwords apart.
	PasswordFingerprint *string `json:"password_fingerprint"`
	// KiB of a part; null where files are written whole.
	PartSizeKB *int64 `json:"part_size_kb"`
	// S3 only.
	Region *string `json:"region"`
	// S3 only.
	Bucket *string `json:"bucket"`
	// S3 only.
	PathPrefix *string `json:"path_prefix"`
	// S3 only.
	PathStyle *bool `json:"path_style"`
	// Files on it.
	FileCount int64 `json:"file_count"`
	// Where a CDN may fetch files from the storage itself; null where it cannot.
	CDNOrigin *CDNOrigin `json:"cdn_origin"`
	// When it was made.
	CreatedAt int64 `json:"created_at"`
	// When it was last changed.
	UpdatedAt int64 `json:"updated_at"`
}

// StorageBackendCreate is a new storage.
type StorageBackendCreate struct {
	// Its name. Not blank.
	Name string `json:"name"`
	// Where it is, http or https: the collection of a WebDAV server, the endpoint of an S3 store.
	BaseURL string `json:"base_url"`
	// What it speaks: "webdav" or "s3".
	Kind string `json:"kind"`
	// User, or access key id. Blank is null.
	Username Opt[string] `json:"username,omitzero"`
	// Password, or secret. Blank clears it. It can be set, never read.
	Password Opt[string] `json:"password,omitzero"`
	// For WebDAV behind a proxy that cuts long uploads: larger files are written in parts of so many
	// KiB.
	PartSizeKB Opt[int64] `json:"part_size_kb,omitzero"`
	// Makes it the storage of files for which none is named. To unset it, set another.
	IsDefault *bool `json:"is_default,omitempty"`
	// S3 only. Null is what the store says.
	Region Opt[string] `json:"region,omitzero"`
	// S3 only, where it is required. It must exist.
	Bucket Opt[string] `json:"bucket,omitzero"`
	// S3 only. What keys of objects begin with, without a slash at either end.
	PathPrefix Opt[string] `json:"path_prefix,omitzero"`
	// S3 only. Whether the bucket is in the path, not in the host name.
	PathStyle Opt[bool] `json:"path_style,omitzero"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// StorageBackendFields are the fields of a storage that change.
type StorageBackendFields struct {
	// Its name. Not blank.
	Name *string `json:"name,omitempty"`
	// Where it is, http or https: the collection of a WebDAV server, the endpoint of an S3 store.
	BaseURL *string `json:"base_url,omitempty"`
	// User, or access key id. Blank is null.
	Username Opt[string] `json:"username,omitzero"`
	// Password, or secret. Blank clears it. It can be set, never read.
	Password Opt[string] `json:"password,omitzero"`
	// For WebDAV behind a proxy that cuts long uploads: larger files are written in parts of so many
	// KiB.
	PartSizeKB Opt[int64] `json:"part_size_kb,omitzero"`
	// Makes it the storage of files for which none is named. To unset it, set another.
	IsDefault *bool `json:"is_default,omitempty"`
	// S3 only. Null is what the store says.
	Region Opt[string] `json:"region,omitzero"`
	// S3 only, where it is required. It must exist.
	Bucket Opt[string] `json:"bucket,omitzero"`
	// S3 only. What keys of objects begin with, without a slash at either end.
	PathPrefix Opt[string] `json:"path_prefix,omitzero"`
	// S3 only. Whether the bucket is in the path, not in the host name.
	PathStyle Opt[bool] `json:"path_style,omitzero"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// StorageProbe is what became of a try of a storage.
type StorageProbe struct {
	// Whether a file could be written, read and deleted.
	Ok bool `json:"ok"`
	// Whether a part of a file could be read.
	RangeSupported *bool `json:"range_supported"`
	// Whether a large file could be written.
	LargeWriteOk *bool `json:"large_write_ok"`
	// How long it took.
	LatencyMS int64 `json:"latency_ms"`
	// What did not work.
	Error *string `json:"error"`
}

// CDNOrigin is where a CDN fetches files.
type CDNOrigin struct {
	// How to reach it.
	Scheme string `json:"scheme"`
	// Its name, with a port that is not the usual one.
	Host string `json:"host"`
	// What comes before the path of a link; no slash at the end.
	PathPrefix string `json:"path_prefix"`
}

// CDNConfig is the settings of the CDN refresh.
type CDNConfig struct {
	// Whose CDN it is.
	Provider string `json:"provider"`
	// Whether copies are refreshed when files are deleted.
	Enabled bool `json:"enabled"`
	// Whether id and secret are there.
	Configured bool `json:"configured"`
	// Id of the key, or of the zone.
	AccessKeyID *string `json:"access_key_id"`
	// Whether there is a secret.
	HasAccessKeySecret bool `json:"has_access_key_secret"`
	// Tells secrets apart.
	AccessKeySecretFingerprint *string `json:"access_key_secret_fingerprint"`
	// What direct links begin with; without it nothing is refreshed.
	DistBaseURL *string `json:"dist_base_url"`
	// When it was last saved.
	UpdatedAt *int64 `json:"updated_at"`
}

// CDNConfigFields are the settings of the CDN refresh that change.
type CDNConfigFields struct {
	// Whose CDN it is. Another one clears the credentials.
	Provider *string `json:"provider,omitempty"`
	// Whether copies are refreshed when files are deleted.
	Enabled *bool `json:"enabled,omitempty"`
	// Id of the key, or of the zone. Blank is null.
	AccessKeyID Opt[string] `json:"access_key_id,omitzero"`
	// Secret of the key, or a token. Blank clears it. It can be set, never read.
	AccessKeySecret Opt[string] `json:"access_key_secret,omitzero"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// CDNTest is what became of a try of the CDN refresh.
type CDNTest struct {
	// Whether the credentials work.
	Ok bool `json:"ok"`
	// Links that may be refreshed today.
	URLRemain *int64 `json:"url_remain"`
	// Links a day.
	URLQuota *int64 `json:"url_quota"`
	// How long it took.
	LatencyMS int64 `json:"latency_ms"`
	// What did not work.
	Error *string `json:"error"`
}
