package store

// The providers of a CDN.
const (
	CDNAliyun     = "aliyun"
	CDNCloudflare = "cloudflare"
)

// CDN is how copies of files at a CDN are refreshed. An empty text is a field without
// a value.
type CDN struct {
	Provider          string `json:"provider"`
	Enabled           bool   `json:"enabled,omitempty"`
	KeyID             string `json:"key_id,omitempty"`
	Secret            string `json:"secret,omitempty"` // sealed, see package seal
	SecretFingerprint string `json:"secret_fingerprint,omitempty"`
	UpdatedAt         int64  `json:"updated_at,omitempty"` // Unix seconds; 0 before the first save
}

// Configured reports whether both credentials are there.
func (c *CDN) Configured() bool { return c.KeyID != "" && c.Secret != "" }

// SetProvider changes the provider. Credentials do not go to another one: they are
// dropped, and those of the new one are set afterwards.
func (c *CDN) SetProvider(provider string) {
	if provider != c.Provider {
		c.Provider, c.KeyID, c.Secret, c.SecretFingerprint = provider, "", "", ""
	}
}
