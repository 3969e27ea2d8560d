package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"
	"time"

	"svc/internal/boltfile"
)

// Setting identifies a stored record of settings, which belongs to the instance or to a
// project. Until a record has been saved, Get returns the initial values.
type Setting[T any] struct {
	name    string
	project ProjectID                     // the project to which the settings belong; 0 for the instance
	initial func(v *T)                    // sets the initial values that are not zero; may be nil
	save    func(before, v *T, now int64) // sets the times in v, which is about to replace before; may be nil
}

// The settings of the instance.
var (
	CDNSettings = Setting[CDN]{
		name:    "cdn",
		initial: func(c *CDN) { c.Provider = CDNAliyun },
		save:    func(_, c *CDN, now int64) { c.UpdatedAt = now },
	}
	CodehostAppSettings = Setting[CodehostApp]{
		name: "codehost_app",
		save: func(_, a *CodehostApp, now int64) { a.UpdatedAt = now },
	}
	TranslationSettings = Setting[Translation]{
		name:    "translation",
		initial: func(t *Translation) { t.Provider = "openai" }, // see package translate
		save:    func(_, t *Translation, now int64) { t.UpdatedAt = now },
	}
	loginSettings = Setting[loginNetworks]{name: "login_networks"}
)

// TermsSettings returns the Setting of the terms document with the given slug.
func TermsSettings(slug string) Setting[TermsDocument] {
	return Setting[TermsDocument]{name: "terms/" + slug, save: dateTerms}
}

// The names under which the settings of a project are stored.
const (
	integrationName  = "codehost_integration"
	webhookName      = "codehost_webhook"
	distributionName = "distribution"
	trustName        = "trust_keys"
)

// IntegrationSettings returns the Setting of a project's code host integration.
func IntegrationSettings(p ProjectID) Setting[CodehostIntegration] {
	return Setting[CodehostIntegration]{
		name: integrationName, project: p, initial: (*CodehostIntegration).reset,
		save: func(_, i *CodehostIntegration, now int64) { i.UpdatedAt = now },
	}
}

// WebhookSettings returns the Setting of a project's webhook.
func WebhookSettings(p ProjectID) Setting[Webhook] {
	return Setting[Webhook]{name: webhookName, project: p}
}

// bucket returns the bucket that contains the settings, or nil if the project is gone.
func (s Setting[T]) bucket(tx *Tx) *boltfile.Bucket {
	if s.project == 0 {
		return tx.bolt.Bucket(settingsBucket)
	}
	return tx.contentBucket(s.project, projectSettingsBucket)
}

// Get reads the settings. If the project is gone, it returns the initial values.
func (s Setting[T]) Get(tx *Tx) (*T, error) {
	if b := s.bucket(tx); b != nil {
		if v, err := get[T](b, []byte(s.name)); v != nil || err != nil {
			return v, err
		}
	}
	v := new(T)
	if s.initial != nil {
		s.initial(v)
	}
	return v, nil
}

// Put stores the settings. The error is NotFound if the project is gone.
func (s Setting[T]) Put(tx *Tx, v *T) error {
	b := s.bucket(tx)
	if b == nil {
		return notFound("project")
	}
	if s.save != nil {
		before, err := s.Get(tx)
		if err != nil {
			return err
		}
		s.save(before, v, tx.now.Unix())
	}
	return put(b, []byte(s.name), v)
}

// Delete removes the stored settings, so that the initial values apply.
func (s Setting[T]) Delete(tx *Tx) error {
	b := s.bucket(tx)
	if b == nil {
		return notFound("project")
	}
	return b.Delete([]byte(s.name))
}

// instanceSettings and projectSettings contain, by the name of a Setting, a function that
// checks whether the stored value of the Setting can be decoded.
var (
	instanceSettings = map[string]func(name, raw []byte) error{
		CDNSettings.name: readable[CDN], CodehostAppSettings.name: readable[CodehostApp], TranslationSettings.name: readable[Translation],
		loginSettings.name: readable[loginNetworks],
	}
	projectSettings = map[string]func(name, raw []byte) error{
		integrationName: readable[CodehostIntegration], webhookName: readable[Webhook], distributionName: readable[Distribution],
		trustName: readable[trustKeys],
	}
)

func readable[T any](name, raw []byte) error {
	_, err := decode[T](name, raw)
	return err
}

// The providers of a CDN.
const (
	CDNAliyun     = "aliyun"
	CDNCloudflare = "cloudflare"
)

// CDN contains the credentials and settings for refreshing files in a CDN. A field that is "" is
// not set.
type CDN struct {
	Provider          string `json:"provider"`
	Enabled           bool   `json:"enabled,omitempty"`
	KeyID             string `json:"key_id,omitempty"`
	Secret            string `json:"secret,omitempty"` // sealed, see package seal
	SecretFingerprint string `json:"secret_fingerprint,omitempty"`
	UpdatedAt         int64  `json:"updated_at,omitempty"` // Unix seconds; 0 before the first save
}

// Configured reports whether both credentials, KeyID and Secret, are set.
func (c *CDN) Configured() bool { return c.KeyID != "" && c.Secret != "" }

// SetProvider changes the provider. If the provider is a different one, SetProvider
// deletes the credentials, so that they are never sent to another provider. The caller
// sets the new credentials afterwards.
func (c *CDN) SetProvider(provider string) {
	if provider != c.Provider {
		c.Provider, c.KeyID, c.Secret, c.SecretFingerprint = provider, "", "", ""
	}
}

// Translation contains the settings for translating texts with a language model. A field that is ""
// is not set.
type Translation struct {
	Enabled           bool   `json:"enabled,omitempty"`
	Provider          string `json:"provider"` // see package translate
	BaseURL           string `json:"base_url,omitempty"`
	Model             string `json:"model,omitempty"`
	APIKey            string `json:"api_key,omitempty"` // sealed, see package seal
	APIKeyFingerprint string `json:"api_key_fingerprint,omitempty"`
	APIKeyUpdatedAt   int64  `json:"api_key_updated_at,omitempty"` // Unix seconds; 0 without a key
	CustomPrompt      bool   `json:"custom_prompt,omitempty"`
	SystemPrompt      string `json:"system_prompt,omitempty"` // kept, but not used, while CustomPrompt is false
	UpdatedAt         int64  `json:"updated_at,omitempty"`    // Unix seconds; 0 before the first save
}

// Configured reports whether BaseURL and Model are set.
func (t *Translation) Configured() bool { return t.BaseURL != "" && t.Model != "" }

// TermsDocument is a terms document as the administrator has edited it. The zero value is
// an unedited document.
type TermsDocument struct {
	Custom    bool   `json:"custom,omitempty"`   // the draft, if there is one, is published
	Draft     string `json:"draft,omitempty"`    // Markdown; "" = none
	DraftAt   int64  `json:"draft_at,omitempty"` // time of the last change of the draft's text, Unix seconds; 0 without a draft
	UpdatedAt int64  `json:"updated_at"`         // last save, Unix seconds; 0 before the first one
}

// Effective reports whether the draft is published in place of the standard text. That
// requires that Custom is set and the draft is not empty.
func (d *TermsDocument) Effective() bool { return d.Custom && d.Draft != "" }

// dateTerms sets the times in d, a document that is about to replace the parameter before. DraftAt
// changes only if the text of the draft has changed. Without a draft it is 0.
func dateTerms(before, d *TermsDocument, now int64) {
	d.UpdatedAt = now
	switch d.Draft {
	case "":
		d.DraftAt = 0
	case before.Draft:
		d.DraftAt = before.DraftAt
	default:
		d.DraftAt = now
	}
}

// The features of the code host app. Each one is off until the administrator switches it
// on.
const (
	FeatureFeedbackIssue   = "feedback_issue"   // feedback becomes issues
	FeatureCommentCommands = "comment_commands" // comments on issues start workflows
)

// CodehostFeatures lists the features in the order in which they are shown.
var CodehostFeatures = []string{FeatureFeedbackIssue, FeatureCommentCommands}

// CodehostApp contains the credentials and settings of the app that is registered at the code host.
// A field that is "" or a time that is 0 is not set.
type CodehostApp struct {
	AppID                 string `json:"app_id,omitempty"`
	PrivateKey            string `json:"private_key,omitempty"` // sealed, see package seal
	PrivateKeyFingerprint string `json:"private_key_fingerprint,omitempty"`
	PrivateKeyUpdatedAt   int64  `json:"private_key_updated_at,omitempty"`

	WebhookSecret          string `json:"webhook_secret,omitempty"`        // sealed
	WebhookSecretHint      string `json:"webhook_secret_hint,omitempty"`   // the last characters of the secret
	WebhookSecretLength    int    `json:"webhook_secret_length,omitempty"` // length of the secret in characters
	WebhookSecretUpdatedAt int64  `json:"webhook_secret_updated_at,omitempty"`

	Features []string `json:"features,omitempty"` // the features that are switched on, see CodehostFeatures

	// CustomTemplate reports whether the two templates are in use. They are kept while it is
	// false.
	CustomTemplate bool   `json:"custom_template,omitempty"`
	TitleTemplate  string `json:"title_template,omitempty"`
	BodyTemplate   string `json:"body_template,omitempty"`

	UpdatedAt int64 `json:"updated_at,omitempty"` // Unix seconds, like all times in CodehostApp
}

// Configured reports whether the app has the credentials with which it identifies itself at the
// code host.
func (a *CodehostApp) Configured() bool { return a.AppID != "" && a.PrivateKey != "" }

// Offers reports whether projects can use a feature. They can if the feature is switched
// on and Configured returns true.
func (a *CodehostApp) Offers(feature string) bool {
	return a.Configured() && slices.Contains(a.Features, feature)
}

// The sources from which the template for issues can be taken; see TemplateSource.
const (
	TemplateInherit = "inherit" // the template of the instance
	TemplateCustom  = "custom"  // the template of the project
	TemplateRepo    = "repo"    // a file in the repository
)

// DefaultAssociations lists the roles in a repository that allow a user to start workflows with a
// comment, unless the project has its own list.
var DefaultAssociations = []string{"OWNER", "MEMBER", "COLLABORATOR"}

// CodehostIntegration connects a project to its repository. A field that is "" is not set.
type CodehostIntegration struct {
	Repo string `json:"repo,omitempty"` // owner/name

	FeedbackIssue  bool     `json:"feedback_issue,omitempty"`
	TemplateSource string   `json:"template_source"`
	TemplatePath   string   `json:"template_path,omitempty"` // path in the repository
	TemplateRef    string   `json:"template_ref,omitempty"`  // "" = the default branch
	TitleTemplate  string   `json:"title_template,omitempty"`
	BodyTemplate   string   `json:"body_template,omitempty"`
	Labels         []string `json:"labels,omitempty"`

	CommentCommands     bool              `json:"comment_commands,omitempty"`
	AllowedAssociations []string          `json:"allowed_associations"` // an empty list allows nobody; it does not mean the default
	AllowedUsers        []string          `json:"allowed_users,omitempty"`
	Commands            []CodehostCommand `json:"commands,omitempty"`

	UpdatedAt int64 `json:"updated_at"` // Unix seconds; 0 before the first save
}

// CodehostCommand is a workflow that a comment can start.
type CodehostCommand struct {
	Name     string `json:"name"`     // without the prefix /svc-
	Workflow string `json:"workflow"` // file name or id of the workflow
	Ref      string `json:"ref"`      // branch or tag on which the workflow runs
	Input    string `json:"input,omitempty"`
}

// InputName returns the name of the workflow input that receives the text after the
// command.
func (c *CodehostCommand) InputName() string {
	if c.Input == "" {
		return "args"
	}
	return c.Input
}

// FeedbackIssueActive reports whether feedback of the project can become an issue at
// present.
func (i *CodehostIntegration) FeedbackIssueActive(a *CodehostApp) bool {
	return i.FeedbackIssue && i.Repo != "" && a.Offers(FeatureFeedbackIssue)
}

// CommentCommandsActive reports whether comments can start workflows of the project at
// present.
func (i *CodehostIntegration) CommentCommandsActive(a *CodehostApp) bool {
	return i.CommentCommands && i.Repo != "" && a.Offers(FeatureCommentCommands)
}

// Command returns the command with the given name, or nil if there is none.
func (i *CodehostIntegration) Command(name string) *CodehostCommand {
	at := slices.IndexFunc(i.Commands, func(c CodehostCommand) bool { return c.Name == name })
	if at < 0 {
		return nil
	}
	return &i.Commands[at]
}

// reset sets the initial values.
func (i *CodehostIntegration) reset() {
	i.TemplateSource, i.AllowedAssociations = TemplateInherit, slices.Clone(DefaultAssociations)
}

// IntegratedProject is a project with its code host integration.
type IntegratedProject struct {
	Project     *Project
	Integration *CodehostIntegration
}

// IntegrationsOf returns the projects that are connected to a repository, the oldest project first.
// It compares the names of repositories without regard to case.
func (tx *Tx) IntegrationsOf(repo string) (all []IntegratedProject, err error) {
	err = tx.eachProject(func(id ProjectID) error {
		i, err := IntegrationSettings(id).Get(tx)
		if err != nil || !strings.EqualFold(i.Repo, repo) {
			return err
		}
		p, err := tx.projectByID(id)
		all = append(all, IntegratedProject{p, i})
		return err
	})
	return all, err
}

// Webhook contains the secret with which the code host signs its messages about releases of a
// project. A field that is "" is not set. Times are Unix seconds.
type Webhook struct {
	Secret    string `json:"secret,omitempty"` // sealed, see package seal; if "", no message is accepted
	Hint      string `json:"hint,omitempty"`   // the last characters of the secret
	Length    int    `json:"length,omitempty"` // length of the secret in characters
	UpdatedAt int64  `json:"updated_at,omitempty"`

	// Former is the previous secret. It is accepted until FormerUntil, so that no delivery
	// is lost while the code host still uses it.
	Former      string `json:"former,omitempty"` // sealed
	FormerUntil int64  `json:"former_until,omitempty"`

	// Last is the last delivery with a valid signature since the secret was saved, or nil if
	// there has been none.
	Last *WebhookDelivery `json:"last,omitempty"`
}

// WebhookDelivery describes a message from the code host and what the server did with it.
type WebhookDelivery struct {
	At     int64  `json:"at"` // Unix seconds
	Event  string `json:"event,omitempty"`
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"` // why the delivery was ignored
}

// Replace makes a sealed secret the current one. The previous secret is still accepted
// during the grace period.
func (w *Webhook) Replace(sealed, hint string, length int, grace time.Duration, now time.Time) {
	next := Webhook{Secret: sealed, Hint: hint, Length: length, UpdatedAt: now.Unix()}
	if w.Secret != "" && grace > 0 {
		next.Former, next.FormerUntil = w.Secret, now.Add(grace).Unix()
	}
	*w = next
}

// Accepted returns the sealed secrets that are accepted at the given time.
func (w *Webhook) Accepted(now time.Time) (sealed []string) {
	if w.Secret != "" {
		sealed = append(sealed, w.Secret)
	}
	if w.Former != "" && now.Unix() < w.FormerUntil {
		sealed = append(sealed, w.Former)
	}
	return sealed
}

// NoteDelivery stores d as the last delivery to the webhook of a project, and sets its time to that
// of the transaction. It does nothing if the webhook has been switched off.
func (tx *Tx) NoteDelivery(p ProjectID, d WebhookDelivery) error {
	settings := WebhookSettings(p)
	w, err := settings.Get(tx)
	if err != nil || w.Secret == "" {
		return err
	}
	d.At = tx.now.Unix()
	w.Last = &d
	return settings.Put(tx, w)
}

// InstanceDeliveries takes the place of the project number for deliveries that are sent to the
// instance and not to a project.
const InstanceDeliveries = ProjectID(0)

// deliveryKey returns the key under which a delivery is stored. The key contains a hash of the
// delivery's id, because the code host chooses the id and its length.
func deliveryKey(p ProjectID, id string) []byte {
	sum := sha256.Sum256([]byte(id))
	return append(p.key(), sum[:]...)
}

// Delivered reports whether RememberDelivery has recorded a delivery and the record has not
// expired.
func (tx *Tx) Delivered(p ProjectID, id string) bool {
	return tx.now.Unix() < forgottenAt(tx.bolt.Bucket(deliveriesBucket).Get(deliveryKey(p, id)))
}

// forgottenAt returns the time at which the record of a delivery expires, in Unix seconds. raw is
// the stored value of the record. If it is missing or damaged, forgottenAt returns 0.
func forgottenAt(raw []byte) int64 {
	if len(raw) != 8 {
		return 0
	}
	return int64(binary.BigEndian.Uint64(raw))
}

// RememberDelivery records that a project has received a delivery, so that it is not processed
// again. The record expires after the duration in the parameter keep.
func (tx *Tx) RememberDelivery(p ProjectID, id string, keep time.Duration) error {
	return tx.bolt.Bucket(deliveriesBucket).Put(deliveryKey(p, id), binary.BigEndian.AppendUint64(nil, uint64(tx.now.Add(keep).Unix())))
}

// ForgetDelivery deletes the record of a delivery, so that the same delivery is accepted
// again.
func (tx *Tx) ForgetDelivery(p ProjectID, id string) error {
	return tx.bolt.Bucket(deliveriesBucket).Delete(deliveryKey(p, id))
}

// DropDeliveries removes the expired records of deliveries, at most limit of them, and returns the
// number that it removed.
func (tx *Tx) DropDeliveries(limit int) (n int, err error) {
	b := tx.bolt.Bucket(deliveriesBucket)
	var keys [][]byte
	cursor := b.Cursor()
	for key, value := cursor.First(); key != nil && len(keys) < limit; key, value = cursor.Next() {
		if forgottenAt(value) <= tx.now.Unix() {
			keys = append(keys, bytes.Clone(key))
		}
	}
	for _, key := range keys {
		if err := b.Delete(key); err != nil {
			return 0, err
		}
	}
	return len(keys), nil
}
