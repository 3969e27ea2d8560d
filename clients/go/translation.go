package svcsdk

import (
	"context"
	"net/http"
)

// GetTranslationConfig reads the settings of the machine translation.
func (a *Admin) GetTranslationConfig(ctx context.Context) (*TranslationConfig, error) {
	return fetch[TranslationConfig](ctx, a.call(http.MethodGet, "/admin/translation"))
}

// UpdateTranslationConfig changes the settings of the machine translation. A field that is left
// out stays as it is. A blank text or null clears a text.
func (a *Admin) UpdateTranslationConfig(ctx context.Context, in TranslationConfigFields) (*TranslationConfig, error) {
	return fetch[TranslationConfig](ctx, a.call(http.MethodPut, "/admin/translation").body(in))
}

// ClearTranslationConfig clears the settings of the machine translation and switch it off.
func (a *Admin) ClearTranslationConfig(ctx context.Context) (*TranslationConfig, error) {
	return fetch[TranslationConfig](ctx, a.call(http.MethodDelete, "/admin/translation"))
}

// TestTranslation translates a sample with the saved settings. The sample has the placeholder
// {{version}}, which must come back as it is.
func (a *Admin) TestTranslation(ctx context.Context) (*TranslationTest, error) {
	return fetch[TranslationTest](ctx, a.call(http.MethodPost, "/admin/translation/test"))
}

// Translate translates texts into a language of the project. Nothing is stored. Blank fields are
// left out of the answer.
func (a *Admin) Translate(ctx context.Context, in TranslateInput) (*TranslatedTexts, error) {
	return fetch[TranslatedTexts](ctx, a.call(http.MethodPost, "/admin/projects/{k}/translate").body(in))
}

// TranslationConfig is the settings of the machine translation.
type TranslationConfig struct {
	// Whether address and model are there.
	Configured bool `json:"configured"`
	// Whether texts can be translated.
	Enabled bool `json:"enabled"`
	// Protocol of the service.
	Provider string `json:"provider"`
	// Address of the service.
	BaseURL *string `json:"base_url"`
	// Name of the model.
	Model *string `json:"model"`
	// Whether there is a key.
	HasAPIKey bool `json:"has_api_key"`
	// Tells keys apart.
	APIKeyFingerprint *string `json:"api_key_fingerprint"`
	// When the key was last set.
	APIKeyUpdatedAt *int64 `json:"api_key_updated_at"`
	// Whether `system_prompt` counts.
	CustomPrompt bool `json:"custom_prompt"`
	// Prompt of your own.
	SystemPrompt *string `json:"system_prompt"`
	// What the model is told without a prompt of your own.
	BuiltinSystemPrompt string `json:"builtin_system_prompt"`
	// Placeholders of prompts, written `{{ name }}`.
	PromptVariables []string `json:"prompt_variables"`
	// Where requests go.
	RequestURL *string `json:"request_url"`
	// When it was last saved.
	UpdatedAt *int64 `json:"updated_at"`
}

// TranslationConfigFields are the settings of the machine translation that change.
type TranslationConfigFields struct {
	// Whether texts can be translated.
	Enabled *bool `json:"enabled,omitempty"`
	// Protocol of the service; openai stands for every service that is compatible with it.
	Provider *string `json:"provider,omitempty"`
	// Address of the service, such as `https://api.openai.com/v1`.
	BaseURL Opt[string] `json:"base_url,omitzero"`
	// Key of the service. It can be set, never read.
	APIKey Opt[string] `json:"api_key,omitzero"`
	// Name of the model.
	Model Opt[string] `json:"model,omitzero"`
	// Whether `system_prompt` counts.
	CustomPrompt *bool `json:"custom_prompt,omitempty"`
	// Prompt of your own, with the placeholders of `prompt_variables`.
	SystemPrompt Opt[string] `json:"system_prompt,omitzero"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// TranslationTest is what became of a sample.
type TranslationTest struct {
	// Whether the sample was translated.
	Ok bool `json:"ok"`
	// Protocol of the service.
	Provider string `json:"provider"`
	// Name of the model.
	Model *string `json:"model"`
	// Where the request went.
	RequestURL *string `json:"request_url"`
	// The sample, in Simplified Chinese.
	Sample *string `json:"sample"`
	// How long it took.
	LatencyMS int64 `json:"latency_ms"`
	// What did not work.
	Error *string `json:"error"`
}

// TranslateInput is texts to be translated.
type TranslateInput struct {
	// What the texts belong to.
	Kind string `json:"kind"`
	// Language of the project, by its tag or a synonym.
	TargetLocale string `json:"target_locale"`
	// Texts of at most 32,000 characters in all: `title` and `content` of announcements and versions,
	// `name` and `description` of projects.
	Fields map[string]string `json:"fields"`
	// Language of the texts, as a hint.
	SourceLocale Opt[string] `json:"source_locale,omitzero"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// TranslatedTexts is texts in another language.
type TranslatedTexts struct {
	// Primary tag of the language.
	Locale string `json:"locale"`
	// Protocol of the service.
	Provider string `json:"provider"`
	// Model that translated.
	Model string `json:"model"`
	// The fields that were sent and are not blank, translated.
	Fields map[string]string `json:"fields"`
}
