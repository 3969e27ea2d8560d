package svcsdk

import (
	"context"
	"net/http"
)

// PreviewCodehostRepo reads what the code host says about a repository. Fills the form of a
// project; nothing is stored. Keys that are limited to listed projects are refused.
func (a *Admin) PreviewCodehostRepo(ctx context.Context, repoURL string) (*CodehostRepoPreview, error) {
	return fetch[CodehostRepoPreview](ctx, a.call(http.MethodGet, "/admin/projects/codehost-repo-preview").param("repo_url", repoURL))
}

// PreviewCodehostRelease reads a release of the project's repository; an empty tag is the newest.
// Nothing is stored.
func (a *Admin) PreviewCodehostRelease(ctx context.Context, tag string) (*CodehostReleasePreview, error) {
	return fetch[CodehostReleasePreview](ctx, a.call(http.MethodGet, "/admin/projects/{k}/versions/codehost-release-preview").param("tag", tag))
}

// ImportCodehostReleases stores the releases of the project's repository as versions. Reads up to
// 1,000 releases, newest first. Versions that exist are never changed, so it can be repeated:
// after 502 the releases that were read before are stored. No release becomes the latest version.
func (a *Admin) ImportCodehostReleases(ctx context.Context) (*CodehostImport, error) {
	return fetch[CodehostImport](ctx, a.call(http.MethodPost, "/admin/projects/{k}/versions/codehost-release-import"))
}

// GetCodehostWebhook reads the settings of the release webhook.
func (a *Admin) GetCodehostWebhook(ctx context.Context) (*Webhook, error) {
	return fetch[Webhook](ctx, a.call(http.MethodGet, "/admin/projects/{k}/codehost-webhook"))
}

// SetCodehostWebhookSecret sets the secret of the release webhook. The webhook accepts deliveries
// from then on. The answer shows the secret, the only time.
func (a *Admin) SetCodehostWebhookSecret(ctx context.Context, in WebhookSecretFields) (*WebhookRevealed, error) {
	return fetch[WebhookRevealed](ctx, a.call(http.MethodPut, "/admin/projects/{k}/codehost-webhook").body(in))
}

// RegenerateCodehostWebhookSecret gives the release webhook a new random secret. The answer shows
// the secret, the only time.
func (a *Admin) RegenerateCodehostWebhookSecret(ctx context.Context, in WebhookGraceFields) (*WebhookRevealed, error) {
	return fetch[WebhookRevealed](ctx, a.call(http.MethodPost, "/admin/projects/{k}/codehost-webhook/regenerate").optionalBody(in))
}

// ClearCodehostWebhookSecret switches the release webhook off. Both secrets are gone, and every
// delivery is refused.
func (a *Admin) ClearCodehostWebhookSecret(ctx context.Context) (*Webhook, error) {
	return fetch[Webhook](ctx, a.call(http.MethodDelete, "/admin/projects/{k}/codehost-webhook"))
}

// GetCodehostAppConfig reads the settings of the code host app.
func (a *Admin) GetCodehostAppConfig(ctx context.Context) (*CodehostApp, error) {
	return fetch[CodehostApp](ctx, a.call(http.MethodGet, "/admin/codehost-app"))
}

// UpdateCodehostAppConfig changes the settings of the code host app. A field that is left out
// stays as it is. A blank text or null clears a text, null empties a list. Secrets can be set,
// never read.
func (a *Admin) UpdateCodehostAppConfig(ctx context.Context, in CodehostAppFields) (*CodehostApp, error) {
	return fetch[CodehostApp](ctx, a.call(http.MethodPut, "/admin/codehost-app").body(in))
}

// ClearCodehostAppConfig forgets the code host app. Everything is as before the first save. What
// projects have saved stays, without an effect.
func (a *Admin) ClearCodehostAppConfig(ctx context.Context) (*CodehostApp, error) {
	return fetch[CodehostApp](ctx, a.call(http.MethodDelete, "/admin/codehost-app"))
}

// TestCodehostApp asks the code host about the saved app. Compares what the app may do with what
// the enabled features need.
func (a *Admin) TestCodehostApp(ctx context.Context) (*CodehostAppTest, error) {
	return fetch[CodehostAppTest](ctx, a.call(http.MethodPost, "/admin/codehost-app/test"))
}

// GetCodehostIntegration reads what a project does with its repository.
func (a *Admin) GetCodehostIntegration(ctx context.Context) (*CodehostIntegration, error) {
	return fetch[CodehostIntegration](ctx, a.call(http.MethodGet, "/admin/projects/{k}/codehost-integration"))
}

// UpdateCodehostIntegration changes what a project does with its repository. A field that is left
// out stays as it is. A blank text or null clears a text, null empties a list. Without a
// repository both features are switched off, and the template is no longer that of the repository.
// A feature can be switched on where there is a repository, and the code host app is configured
// and offers it. It can always be switched off.
func (a *Admin) UpdateCodehostIntegration(ctx context.Context, in CodehostIntegrationFields) (*CodehostIntegration, error) {
	return fetch[CodehostIntegration](ctx, a.call(http.MethodPut, "/admin/projects/{k}/codehost-integration").body(in))
}

// GetCodehostIntegrationRepoTemplate reads the template of issues in the repository of the
// project. What was read is kept for five minutes unless refresh is true. A template that cannot
// be read is no error of the request: the field Error says why.
func (a *Admin) GetCodehostIntegrationRepoTemplate(ctx context.Context, refresh bool) (*CodehostRepoTemplate, error) {
	return fetch[CodehostRepoTemplate](ctx, a.call(http.MethodGet, "/admin/projects/{k}/codehost-integration/repo-template").param("refresh", refresh))
}

// CodehostRepoPreview is what the code host says about a repository.
type CodehostRepoPreview struct {
	// Owner and name of the repository with a hyphen between them, in lower case.
	ProjectKey string `json:"project_key"`
	// Owner and name with a slash between them.
	Name string `json:"name"`
	// Address of the repository.
	RepoURL string `json:"repo_url"`
	// What it is.
	Description *string `json:"description"`
	// Owner of the repository.
	Author *string `json:"author"`
	// Page of the owner.
	AuthorHomepageURL *string `json:"author_homepage_url"`
	// Picture of the owner.
	IconURL *string `json:"icon_url"`
	// Website of the repository, if that is an absolute address.
	WebsiteURL *string `json:"website_url"`
	// Always null.
	DocsURL *string `json:"docs_url"`
	// When the repository was created.
	PublishedAt *int64 `json:"published_at"`
	// Always null.
	OptionalUpdateMinComparableVersion *string `json:"optional_update_min_comparable_version"`
	// Always null.
	OptionalUpdateMaxComparableVersion *string `json:"optional_update_max_comparable_version"`
}

// CodehostReleasePreview is what the code host says about a release.
type CodehostReleasePreview struct {
	// The tag without a leading v.
	Version string `json:"version"`
	// The same, which need not be comparable.
	ComparableVersion string `json:"comparable_version"`
	// Name of the release.
	Title string `json:"title,omitempty"`
	// Its text. Markdown.
	Content string `json:"content,omitempty"`
	// The first attachment, else the source archive, else the page of the release.
	DownloadURL string `json:"download_url,omitempty"`
	// The attachments.
	DownloadLinks []DownloadLink `json:"download_links"`
	// Always false.
	Forced bool `json:"forced"`
	// The opposite of `is_preview`.
	IsLatest bool `json:"is_latest"`
	// Whether it is a prerelease.
	IsPreview bool `json:"is_preview"`
	// Always false.
	IsMilestone bool `json:"is_milestone"`
	// Always false.
	IsDeprecated bool `json:"is_deprecated"`
	// Always null.
	Platform *string `json:"platform"`
	// Always empty.
	Platforms []Platform `json:"platforms"`
	// When it came out.
	PublishedAt int64 `json:"published_at"`
	// Where it comes from: `source`, `owner`, `repo`, `release_tag`.
	CustomData map[string]any `json:"custom_data"`
}

// CodehostImport says how many releases were stored.
type CodehostImport struct {
	// Releases that are versions now.
	Imported int64 `json:"imported"`
	// Releases without a comparable tag, and those that were versions before.
	Skipped int64 `json:"skipped"`
	// Releases that were read. Drafts are not counted.
	Scanned int64 `json:"scanned"`
}

// Webhook is the settings of the release webhook.
type Webhook struct {
	// Whether there is a secret, without which every delivery is refused.
	Enabled bool `json:"enabled"`
	// Path of the address that the code host must call, at this server.
	PayloadPath string `json:"payload_path"`
	// Content type to choose at the code host.
	ContentType string `json:"content_type"`
	// Last six characters of the secret.
	SecretHint *string `json:"secret_hint"`
	// Characters of the secret.
	SecretLength *int64 `json:"secret_length"`
	// When the secret was set.
	SecretUpdatedAt *int64 `json:"secret_updated_at"`
	// The last delivery since the secret was set.
	LastDelivery *WebhookDelivery `json:"last_delivery"`
}

// WebhookDelivery is a delivery with a right signature, and what became of it.
type WebhookDelivery struct {
	// When it came.
	ReceivedAt int64 `json:"received_at"`
	// Event that the code host named, such as ping or release; blank when it named none.
	Event string `json:"event"`
	// One of "pong" (it was a test), "ignored" (see the reason) and "synced" (a version was written).
	Status string `json:"status"`
	// Why it was ignored, as the answer to it said.
	Reason *string `json:"reason"`
}

// WebhookRevealed is the settings of the release webhook with its secret.
type WebhookRevealed struct {
	// Always true.
	Enabled bool `json:"enabled"`
	// Path of the address that the code host must call, at this server.
	PayloadPath string `json:"payload_path"`
	// Content type to choose at the code host.
	ContentType string `json:"content_type"`
	// Last six characters of the secret.
	SecretHint string `json:"secret_hint"`
	// Characters of the secret.
	SecretLength int64 `json:"secret_length"`
	// When the secret was set.
	SecretUpdatedAt int64 `json:"secret_updated_at"`
	// Always nil, as the secret is new.
	LastDelivery *WebhookDelivery `json:"last_delivery"`
	// The secret, which is not shown again.
	Secret string `json:"secret"`
}

// WebhookSecretFields is the secret of the release webhook.
type WebhookSecretFields struct {
	// The secret, without the white space around it.
	Secret string `json:"secret"`
	// How long the former secret is accepted, too.
	GraceMinutes *int64 `json:"grace_minutes,omitempty"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// WebhookGraceFields says how long the former secret is accepted.
type WebhookGraceFields struct {
	// How long the former secret is accepted, too.
	GraceMinutes *int64 `json:"grace_minutes,omitempty"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// CodehostApp is the settings of the code host app.
type CodehostApp struct {
	// Whether app id and private key are there.
	Configured bool `json:"configured"`
	// Id of the app at the code host.
	AppID *string `json:"app_id"`
	// Whether there is a private key.
	HasPrivateKey bool `json:"has_private_key"`
	// Tells keys apart.
	PrivateKeyFingerprint *string `json:"private_key_fingerprint"`
	// When the key was saved.
	PrivateKeyUpdatedAt *int64 `json:"private_key_updated_at"`
	// Whether there is a secret for deliveries.
	HasWebhookSecret bool `json:"has_webhook_secret"`
	// Its last six characters; null for a secret that has no more.
	WebhookSecretHint *string `json:"webhook_secret_hint"`
	// How many characters it has.
	WebhookSecretLength *int64 `json:"webhook_secret_length"`
	// As many characters as it has: asterisks, then the hint.
	WebhookSecretMasked *string `json:"webhook_secret_masked"`
	// When the secret was saved.
	WebhookSecretUpdatedAt *int64 `json:"webhook_secret_updated_at"`
	// Path of the address that the app delivers to.
	WebhookPayloadPath string `json:"webhook_payload_path"`
	// What projects may use.
	EnabledFeatures []string `json:"enabled_features"`
	// Whether the two templates count.
	FeedbackIssueCustomTemplate bool `json:"feedback_issue_custom_template"`
	// Title of issues, kept while it does not count; null = the built-in one. May have variables such
	// as `{{ content_head }}`.
	FeedbackIssueTitleTemplate *string `json:"feedback_issue_title_template"`
	// Text of issues, kept while it does not count, Markdown; null = the built-in one. May have the
	// same variables.
	FeedbackIssueBodyTemplate *string `json:"feedback_issue_body_template"`
	// Title of issues where nobody has written another one.
	BuiltinFeedbackIssueTitleTemplate string `json:"builtin_feedback_issue_title_template"`
	// Text of issues where nobody has written another one.
	BuiltinFeedbackIssueBodyTemplate string `json:"builtin_feedback_issue_body_template"`
	// Names of the variables of templates.
	FeedbackIssueTemplateVariables []string `json:"feedback_issue_template_variables"`
	// When it was last saved; null before.
	UpdatedAt *int64 `json:"updated_at"`
}

// CodehostAppFields are the settings of the code host app that change.
type CodehostAppFields struct {
	// Id of the app at the code host.
	AppID Opt[string] `json:"app_id,omitzero"`
	// Private key of the app: the PEM file as it was downloaded. It can be set, never read.
	PrivateKey Opt[string] `json:"private_key,omitzero"`
	// Secret that deliveries to the app are signed with. It can be set, never read.
	WebhookSecret Opt[string] `json:"webhook_secret,omitzero"`
	// What projects may use.
	EnabledFeatures Opt[[]string] `json:"enabled_features,omitzero"`
	// Whether the two templates count.
	FeedbackIssueCustomTemplate *bool `json:"feedback_issue_custom_template,omitempty"`
	// Title of issues; null = the built-in one. May have variables such as `{{ content_head }}`.
	FeedbackIssueTitleTemplate Opt[string] `json:"feedback_issue_title_template,omitzero"`
	// Text of issues, Markdown; null = the built-in one. May have the same variables.
	FeedbackIssueBodyTemplate Opt[string] `json:"feedback_issue_body_template,omitzero"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// CodehostAppTest is what the code host says about the app.
type CodehostAppTest struct {
	// Whether the code host accepts the app, and the app may do what the enabled features need.
	Ok bool `json:"ok"`
	// Name of the app at the code host.
	Name *string `json:"name"`
	// The same in the address of its page.
	Slug *string `json:"slug"`
	// Permissions that the enabled features need and the app does not have, such as `issues: write`.
	MissingPermissions []string `json:"missing_permissions"`
	// Events that the enabled features need and the app does not receive, such as `issue_comment`.
	MissingEvents []string `json:"missing_events"`
	// How long it took.
	LatencyMS int64 `json:"latency_ms"`
	// What did not work.
	Error *string `json:"error"`
}

// CodehostIntegration is what a project does with its repository.
type CodehostIntegration struct {
	// Current key of the project.
	ProjectKey string `json:"project_key"`
	// The repository, as `owner/name`.
	RepoFullName *string `json:"repo_full_name"`
	// Whether feedback can become issues.
	FeedbackIssueEnabled bool `json:"feedback_issue_enabled"`
	// Whether it can now: it is enabled, there is a repository, and the code host app offers it.
	FeedbackIssueActive bool `json:"feedback_issue_active"`
	// Whose template of issues is used.
	FeedbackIssueTemplateSource string `json:"feedback_issue_template_source"`
	// Path of the file with the template.
	FeedbackIssueTemplateRepoPath *string `json:"feedback_issue_template_repo_path"`
	// Branch, tag or commit of that file; null = the default branch.
	FeedbackIssueTemplateRepoRef *string `json:"feedback_issue_template_repo_ref"`
	// Title of issues for the source `custom`; null = the built-in one. May have variables such as
	// `{{ content_head }}`.
	FeedbackIssueTitleTemplate *string `json:"feedback_issue_title_template"`
	// Text of issues for the source `custom`, Markdown; null = the built-in one. May have the same
	// variables.
	FeedbackIssueBodyTemplate *string `json:"feedback_issue_body_template"`
	// Labels of issues.
	FeedbackIssueLabels []string `json:"feedback_issue_labels"`
	// Whether comments on issues can start workflows.
	CommentCommandsEnabled bool `json:"comment_commands_enabled"`
	// Whether they can now: it is enabled, there is a repository, and the code host app offers it.
	CommentCommandsActive bool `json:"comment_commands_active"`
	// Who may give commands: what they are to the repository.
	CommandAllowedAssociations []string `json:"command_allowed_associations"`
	// Who may, too: names of users.
	CommandAllowedUsers []string `json:"command_allowed_users"`
	// The commands.
	Commands []CodehostCommand `json:"commands"`
	// When it was last saved; null before.
	UpdatedAt *int64 `json:"updated_at"`
}

// CodehostIntegrationFields are the settings of a project and its repository that change.
type CodehostIntegrationFields struct {
	// The repository, as `owner/name`. Blank clears it.
	RepoFullName Opt[string] `json:"repo_full_name,omitzero"`
	// Whether feedback can become issues.
	FeedbackIssueEnabled *bool `json:"feedback_issue_enabled,omitempty"`
	// Whose template of issues is used: that of the installation, the one below, or a file of the
	// repository.
	FeedbackIssueTemplateSource *string `json:"feedback_issue_template_source,omitempty"`
	// Path of that file, of letters, digits and `_ . / -`.
	FeedbackIssueTemplateRepoPath Opt[string] `json:"feedback_issue_template_repo_path,omitzero"`
	// Branch, tag or commit of that file; null = the default branch.
	FeedbackIssueTemplateRepoRef Opt[string] `json:"feedback_issue_template_repo_ref,omitzero"`
	// Title of issues; null = the built-in one. May have variables such as `{{ content_head }}`.
	FeedbackIssueTitleTemplate Opt[string] `json:"feedback_issue_title_template,omitzero"`
	// Text of issues, Markdown; null = the built-in one. May have the same variables.
	FeedbackIssueBodyTemplate Opt[string] `json:"feedback_issue_body_template,omitzero"`
	// Labels of issues. Those of the file go before them.
	FeedbackIssueLabels Opt[[]string] `json:"feedback_issue_labels,omitzero"`
	// Whether comments on issues can start workflows.
	CommentCommandsEnabled *bool `json:"comment_commands_enabled,omitempty"`
	// Who may give commands: what they are to the repository.
	CommandAllowedAssociations Opt[[]string] `json:"command_allowed_associations,omitzero"`
	// Who may, too: names of users.
	CommandAllowedUsers Opt[[]string] `json:"command_allowed_users,omitzero"`
	// The commands. Their names are unique.
	Commands Opt[[]CodehostCommandFields] `json:"commands,omitzero"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// CodehostCommand is a command that comments on issues can give.
type CodehostCommand struct {
	// Name, without `/svc-`.
	Name string `json:"name"`
	// File name or id of the workflow.
	Workflow string `json:"workflow"`
	// Branch or tag that it runs on.
	Ref string `json:"ref"`
	// Name of its input that gets what follows the command; left out = `args`.
	Input string `json:"input,omitempty"`
}

// CodehostCommandFields is a command that comments on issues can give.
type CodehostCommandFields struct {
	// Name, without `/svc-`.
	Name string `json:"name"`
	// File name or id of the workflow.
	Workflow string `json:"workflow"`
	// Branch or tag that it runs on.
	Ref string `json:"ref"`
	// Name of its input that gets what follows the command; null = `args`.
	Input Opt[string] `json:"input,omitzero"`
}

// CodehostRepoTemplate is the template of issues in a repository.
type CodehostRepoTemplate struct {
	// Path of the file; empty if none is set.
	Path string `json:"path"`
	// Branch, tag or commit; null = the default branch.
	Ref *string `json:"ref"`
	// When it was read.
	FetchedAt *int64 `json:"fetched_at"`
	// Title of issues: that of the file, or the built-in one. Null where the file cannot be read.
	TitleTemplate *string `json:"title_template"`
	// Text of issues, in the same way.
	BodyTemplate *string `json:"body_template"`
	// Labels of the file.
	Labels []string `json:"labels"`
	// Why it cannot be read.
	Error *string `json:"error"`
}
