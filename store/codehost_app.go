package store

import "slices"

// The features of the code host app, each off until the administrator switches it on.
const (
	FeatureFeedbackIssue   = "feedback_issue"   // feedback becomes issues
	FeatureCommentCommands = "comment_commands" // comments on issues start workflows
)

// CodehostFeatures lists the features in the order in which they are shown.
var CodehostFeatures = []string{FeatureFeedbackIssue, FeatureCommentCommands}

// CodehostApp is how the installation is known to the code host. An empty text is a
// field without a value, a time of 0 one that has not come.
type CodehostApp struct {
	AppID                 string `json:"app_id,omitempty"`
	PrivateKey            string `json:"private_key,omitempty"` // sealed, see package seal
	PrivateKeyFingerprint string `json:"private_key_fingerprint,omitempty"`
	PrivateKeyUpdatedAt   int64  `json:"private_key_updated_at,omitempty"`

	WebhookSecret          string `json:"webhook_secret,omitempty"`        // sealed
	WebhookSecretHint      string `json:"webhook_secret_hint,omitempty"`   // its end
	WebhookSecretLength    int    `json:"webhook_secret_length,omitempty"` // in characters
	WebhookSecretUpdatedAt int64  `json:"webhook_secret_updated_at,omitempty"`

	Features []string `json:"features,omitempty"` // of CodehostFeatures

	// CustomTemplate says that the two texts are used. They are kept while they are not.
	CustomTemplate bool   `json:"custom_template,omitempty"`
	TitleTemplate  string `json:"title_template,omitempty"`
	BodyTemplate   string `json:"body_template,omitempty"`

	UpdatedAt int64 `json:"updated_at,omitempty"` // Unix seconds, as all times here
}

// Configured reports whether the app can identify itself.
func (a *CodehostApp) Configured() bool { return a.AppID != "" && a.PrivateKey != "" }

// Offers reports whether projects can use a feature: it is switched on and the app can
// identify itself.
func (a *CodehostApp) Offers(feature string) bool {
	return a.Configured() && slices.Contains(a.Features, feature)
}
