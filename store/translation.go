package store

// Translation is how texts are translated by a language model. An empty text is a field
// without a value.
type Translation struct {
	Enabled           bool   `json:"enabled,omitempty"`
	Provider          string `json:"provider"` // see package translate
	BaseURL           string `json:"base_url,omitempty"`
	Model             string `json:"model,omitempty"`
	APIKey            string `json:"api_key,omitempty"` // sealed, see package seal
	APIKeyFingerprint string `json:"api_key_fingerprint,omitempty"`
	APIKeyUpdatedAt   int64  `json:"api_key_updated_at,omitempty"` // Unix seconds; 0 without a key
	CustomPrompt      bool   `json:"custom_prompt,omitempty"`
	SystemPrompt      string `json:"system_prompt,omitempty"` // kept while CustomPrompt is off
	UpdatedAt         int64  `json:"updated_at,omitempty"`    // Unix seconds; 0 before the first save
}

// Configured reports whether it is known whom to ask.
func (t *Translation) Configured() bool { return t.BaseURL != "" && t.Model != "" }
