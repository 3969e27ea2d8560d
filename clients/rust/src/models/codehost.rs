//! The code host: its app, webhooks, integrations, previews.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{DownloadLink, Platform, TermsSlug};

/// Codehost app.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CodehostApp {
    /// Whether app id and private key are there.
    pub configured: bool,
    /// Id of the app at the code host.
    pub app_id: Option<String>,
    /// Whether there is a private key.
    pub has_private_key: bool,
    /// Tells keys apart.
    pub private_key_fingerprint: Option<String>,
    /// When the key was saved.
    pub private_key_updated_at: Option<i64>,
    /// Whether there is a secret for deliveries.
    pub has_webhook_secret: bool,
    /// Its last six characters; null for a secret that has no more.
    pub webhook_secret_hint: Option<String>,
    /// How many characters it has.
    pub webhook_secret_length: Option<i64>,
    /// As many characters as it has: asterisks, then the hint.
    pub webhook_secret_masked: Option<String>,
    /// When the secret was saved.
    pub webhook_secret_updated_at: Option<i64>,
    /// Path of the address that the app delivers to.
    pub webhook_payload_path: String,
    /// What projects may use.
    pub enabled_features: Vec<String>,
    /// Whether the two templates count.
    pub feedback_issue_custom_template: bool,
    /// Title of issues, kept while it does not count; null = the built-in one. May have
    /// variables such as `{{ content_head }}`.
    pub feedback_issue_title_template: Option<String>,
    /// Text of issues, kept while it does not count, Markdown; null = the built-in one. May
    /// have the same variables.
    pub feedback_issue_body_template: Option<String>,
    /// Title of issues where nobody has written another one.
    pub builtin_feedback_issue_title_template: String,
    /// Text of issues where nobody has written another one.
    pub builtin_feedback_issue_body_template: String,
    /// Names of the variables of templates.
    pub feedback_issue_template_variables: Vec<String>,
    /// When it was last saved; null before.
    pub updated_at: Option<i64>,
}

/// Codehost app test.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CodehostAppTest {
    /// Whether the code host accepts the app, and the app may do what the enabled features
    /// need.
    pub ok: bool,
    /// Name of the app at the code host.
    pub name: Option<String>,
    /// The same in the address of its page.
    pub slug: Option<TermsSlug>,
    /// Permissions that the enabled features need and the app does not have, such as `issues:
    /// write`.
    pub missing_permissions: Vec<String>,
    /// Events that the enabled features need and the app does not receive, such as
    /// `issue_comment`.
    pub missing_events: Vec<String>,
    /// How long it took.
    pub latency_ms: i64,
    /// What did not work.
    pub error: Option<String>,
}

/// Codehost integration.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CodehostIntegration {
    /// Current key of the project.
    pub project_key: String,
    /// The repository, as `owner/name`.
    pub repo_full_name: Option<String>,
    /// Whether feedback can become issues.
    pub feedback_issue_enabled: bool,
    /// Whether it can now: it is enabled, there is a repository, and the code host app offers
    /// it.
    pub feedback_issue_active: bool,
    /// Whose template of issues is used.
    pub feedback_issue_template_source: String,
    /// Path of the file with the template.
    pub feedback_issue_template_repo_path: Option<String>,
    /// Branch, tag or commit of that file; null = the default branch.
    pub feedback_issue_template_repo_ref: Option<String>,
    /// Title of issues for the source `custom`; null = the built-in one. May have variables
    /// such as `{{ content_head }}`.
    pub feedback_issue_title_template: Option<String>,
    /// Text of issues for the source `custom`, Markdown; null = the built-in one. May have
    /// the same variables.
    pub feedback_issue_body_template: Option<String>,
    /// Labels of issues.
    pub feedback_issue_labels: Vec<String>,
    /// Whether comments on issues can start workflows.
    pub comment_commands_enabled: bool,
    /// Whether they can now: it is enabled, there is a repository, and the code host app
    /// offers it.
    pub comment_commands_active: bool,
    /// Who may give commands: what they are to the repository.
    pub command_allowed_associations: Vec<String>,
    /// Who may, too: names of users.
    pub command_allowed_users: Vec<String>,
    /// The commands.
    pub commands: Vec<CodehostCommand>,
    /// When it was last saved; null before.
    pub updated_at: Option<i64>,
}

/// Codehost command.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CodehostCommand {
    /// Name, without `/svc-`.
    pub name: String,
    /// File name or id of the workflow.
    pub workflow: String,
    /// Branch or tag that it runs on.
    pub r#ref: String,
    /// Name of its input that gets what follows the command; left out = `args`.
    pub input: Option<String>,
}

/// Codehost repo template.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CodehostRepoTemplate {
    /// Path of the file; empty if none is set.
    pub path: String,
    /// Branch, tag or commit; null = the default branch.
    pub r#ref: Option<String>,
    /// When it was read.
    pub fetched_at: Option<i64>,
    /// Title of issues: that of the file, or the built-in one. Null where the file cannot be
    /// read.
    pub title_template: Option<String>,
    /// Text of issues, in the same way.
    pub body_template: Option<String>,
    /// Labels of the file.
    pub labels: Vec<String>,
    /// Why it cannot be read.
    pub error: Option<String>,
}

/// Codehost repo preview.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CodehostRepoPreview {
    /// Owner and name of the repository with a hyphen between them, in lower case.
    pub project_key: String,
    /// Owner and name with a slash between them.
    pub name: String,
    /// Address of the repository.
    pub repo_url: String,
    /// What it is.
    pub description: Option<String>,
    /// Owner of the repository.
    pub author: Option<String>,
    /// Page of the owner.
    pub author_homepage_url: Option<String>,
    /// Picture of the owner.
    pub icon_url: Option<String>,
    /// Website of the repository, if that is an absolute address.
    pub website_url: Option<String>,
    /// Always null.
    pub docs_url: Option<String>,
    /// When the repository was created.
    pub published_at: Option<i64>,
    /// Always null.
    pub optional_update_min_comparable_version: Option<String>,
    /// Always null.
    pub optional_update_max_comparable_version: Option<String>,
}

/// Codehost release preview.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CodehostReleasePreview {
    /// The tag without a leading v.
    pub version: String,
    /// The same, which need not be comparable.
    pub comparable_version: String,
    /// Name of the release.
    pub title: Option<String>,
    /// Its text. Markdown.
    pub content: Option<String>,
    /// The first attachment, else the source archive, else the page of the release.
    pub download_url: Option<String>,
    /// The attachments.
    pub download_links: Vec<DownloadLink>,
    /// Always false.
    pub forced: bool,
    /// The opposite of `is_preview`.
    pub is_latest: bool,
    /// Whether it is a prerelease.
    pub is_preview: bool,
    /// Always false.
    pub is_milestone: bool,
    /// Always false.
    pub is_deprecated: bool,
    /// Always null.
    pub platform: Option<String>,
    /// Always empty.
    pub platforms: Vec<Platform>,
    /// When it came out.
    pub published_at: i64,
    /// Where it comes from: `source`, `owner`, `repo`, `release_tag`.
    pub custom_data: Map<String, Value>,
}

/// Codehost import.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CodehostImport {
    /// Releases that are versions now.
    pub imported: i64,
    /// Releases without a comparable tag, and those that were versions before.
    pub skipped: i64,
    /// Releases that were read. Drafts are not counted.
    pub scanned: i64,
}

/// Codehost webhook.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CodehostWebhook {
    /// Whether there is a secret, without which every delivery is refused.
    pub enabled: bool,
    /// Path of the address that the code host must call, at this server.
    pub payload_path: String,
    /// Content type to choose at the code host.
    pub content_type: String,
    /// Last six characters of the secret.
    pub secret_hint: Option<String>,
    /// Characters of the secret.
    pub secret_length: Option<i64>,
    /// When the secret was set.
    pub secret_updated_at: Option<i64>,
    /// The last delivery since the secret was set.
    pub last_delivery: Option<CodehostWebhookDelivery>,
}

/// A delivery with a right signature, and what became of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CodehostWebhookDelivery {
    /// When it came.
    pub received_at: i64,
    /// Event that the code host named, such as `ping` or `release`; blank when it named none.
    pub event: String,
    /// `pong`: it was a test. `ignored`: nothing was done, see the reason. `synced`: a version
    /// was written.
    pub status: String,
    /// Why it was ignored, as the answer to it said.
    pub reason: Option<String>,
}

/// Codehost webhook secret.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CodehostWebhookSecret {
    /// Always true.
    pub enabled: bool,
    /// Path of the address that the code host must call, at this server.
    pub payload_path: String,
    /// Content type to choose at the code host.
    pub content_type: String,
    /// Last six characters of the secret.
    pub secret_hint: String,
    /// Characters of the secret.
    pub secret_length: i64,
    /// When the secret was set.
    pub secret_updated_at: i64,
    /// Always null, as the secret is new.
    pub last_delivery: Option<CodehostWebhookDelivery>,
    /// The secret, which is not shown again.
    pub secret: String,
}

input! {
    /// What can be written: codehost app.
    pub struct CodehostAppFields {
        /// Id of the app at the code host.
        patch app_id: String,
        /// Private key of the app: the PEM file as it was downloaded. It can be set, never
        /// read.
        patch private_key: String,
        /// Secret that deliveries to the app are signed with. It can be set, never read.
        patch webhook_secret: String,
        /// What projects may use.
        patch enabled_features: Vec<String>,
        /// Whether the two templates count.
        optional feedback_issue_custom_template: bool,
        /// Title of issues; null = the built-in one. May have variables such as `{{
        /// content_head }}`.
        patch feedback_issue_title_template: String,
        /// Text of issues, Markdown; null = the built-in one. May have the same variables.
        patch feedback_issue_body_template: String,
    }
}

input! {
    /// What can be written: codehost integration.
    pub struct CodehostIntegrationFields {
        /// The repository, as `owner/name`. Blank clears it.
        patch repo_full_name: String,
        /// Whether feedback can become issues.
        optional feedback_issue_enabled: bool,
        /// Whose template of issues is used: that of the installation, the one below, or a
        /// file of the repository.
        optional feedback_issue_template_source: String,
        /// Path of that file, of letters, digits and `_ . / -`.
        patch feedback_issue_template_repo_path: String,
        /// Branch, tag or commit of that file; null = the default branch.
        patch feedback_issue_template_repo_ref: String,
        /// Title of issues; null = the built-in one. May have variables such as `{{
        /// content_head }}`.
        patch feedback_issue_title_template: String,
        /// Text of issues, Markdown; null = the built-in one. May have the same variables.
        patch feedback_issue_body_template: String,
        /// Labels of issues. Those of the file go before them.
        patch feedback_issue_labels: Vec<String>,
        /// Whether comments on issues can start workflows.
        optional comment_commands_enabled: bool,
        /// Who may give commands: what they are to the repository.
        patch command_allowed_associations: Vec<String>,
        /// Who may, too: names of users.
        patch command_allowed_users: Vec<String>,
        /// The commands. Their names are unique.
        patch commands: Vec<CodehostCommandFields>,
    }
}

input! {
    /// What can be written: codehost command.
    pub struct CodehostCommandFields {
        /// Name, without `/svc-`.
        optional name: String,
        /// File name or id of the workflow.
        optional workflow: String,
        /// Branch or tag that it runs on.
        optional r#ref as "ref": String,
        /// Name of its input that gets what follows the command; null = `args`.
        patch input: String,
    }
}

input! {
    /// What can be written: codehost webhook secret.
    pub struct CodehostWebhookSecretFields {
        /// The secret, without the white space around it.
        optional secret: String,
        /// How long the former secret is accepted, too.
        optional grace_minutes: i64,
    }
}
