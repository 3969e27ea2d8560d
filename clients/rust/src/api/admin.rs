//! Administrators' methods: each needs a credential.

use crate::error::Result;
use crate::models::*;
use crate::request::{Body, Call};
use crate::settings::Settings;

use super::*;

endpoints! {
    /// What administrators and scripts call. Every method needs a credential.
    Admin,
    /// What administrators and scripts call, without blocking.
    AsyncAdmin,
    credential true;

    /// Projects, newest first.
    GET "/admin/projects" list_projects [] (ListProjects) -> Page<Project>, pages iter_projects(ListProjects) of Project;
    /// Makes a project; its key is the bound one unless another is given.
    POST "/admin/projects" create_project [] (ProjectFields) -> Project;
    /// The project.
    GET "/admin/projects/{k}" get_project [] () -> Project;
    /// Changes the project. The client stays bound to the old key.
    PATCH "/admin/projects/{k}" update_project [] (ProjectChanges) -> Project;
    /// Deletes the project and everything that belongs to it.
    DELETE "/admin/projects/{k}" delete_project [] () -> Done;
    /// How many projects there are.
    GET "/admin/projects/statistics" get_project_statistics [] () -> ProjectStatistics;
    /// A draft of a project from a repository.
    GET "/admin/projects/codehost-repo-preview" preview_codehost_repo [] (PreviewRepo) -> CodehostRepoPreview;
    /// What goes when the project is deleted.
    GET "/admin/projects/{k}/contents" get_project_contents [] () -> ProjectContents;
    /// Former keys of the project.
    GET "/admin/projects/{k}/aliases" list_project_aliases [] () -> Listing<ProjectAlias>;
    /// Frees a former key.
    DELETE "/admin/projects/{k}/aliases/{alias}" delete_project_alias [alias] () -> Done;
    /// Languages of the project.
    GET "/admin/projects/{k}/locales" list_project_locales [] () -> Listing<ProjectLanguage>;
    /// Registers a language.
    POST "/admin/projects/{k}/locales" create_project_locale [] (ProjectLanguageFields) -> ProjectLanguage;
    /// Changes a language.
    PATCH "/admin/projects/{k}/locales/{locale}" update_project_locale [locale] (ProjectLanguageChanges) -> ProjectLanguage;
    /// Takes a language away; its translations stay.
    DELETE "/admin/projects/{k}/locales/{locale}" delete_project_locale [locale] () -> Done;

    /// Versions with translations.
    GET "/admin/projects/{k}/versions" list_versions [] (ListVersions) -> Page<Version>, pages iter_versions(ListVersions) of Version;
    /// Publishes a version.
    POST "/admin/projects/{k}/versions" create_version [] (VersionFields) -> Version;
    /// A version.
    GET "/admin/projects/{k}/versions/{id}" get_version [id] () -> Version;
    /// Changes a version.
    PATCH "/admin/projects/{k}/versions/{id}" update_version [id] (VersionFields) -> Version;
    /// Deletes a version.
    DELETE "/admin/projects/{k}/versions/{id}" delete_version [id] () -> Done;
    /// Makes or changes a version by its display version.
    PUT "/admin/projects/{k}/versions/by-version/{v}" upsert_version [version] (VersionFields) -> Version;
    /// What the update check answers a client, and why.
    POST "/admin/projects/{k}/versions/update-check-simulation" simulate_update_check [] (UpdateCheckSimulationInput) -> UpdateCheckSimulation;
    /// Statistics of all versions.
    GET "/admin/versions/statistics" get_version_statistics [] () -> VersionStatistics;
    /// A draft of a version from a release.
    GET "/admin/projects/{k}/versions/codehost-release-preview" preview_codehost_release [] (PreviewRelease) -> CodehostReleasePreview;
    /// Makes versions of the releases of the project's repository.
    POST "/admin/projects/{k}/versions/codehost-release-import" import_codehost_releases [] () -> CodehostImport;
    /// Copies attachments that the version links to.
    POST "/admin/projects/{k}/versions/{id}/mirror-assets" mirror_version_assets [id] () -> MirrorResult;

    /// Announcements with translations.
    GET "/admin/projects/{k}/announcements" list_announcements [] (ListAnnouncements) -> Page<Announcement>,
        pages iter_announcements(ListAnnouncements) of Announcement;
    /// Makes an announcement.
    POST "/admin/projects/{k}/announcements" create_announcement [] (AnnouncementFields) -> Announcement;
    /// An announcement.
    GET "/admin/projects/{k}/announcements/{id}" get_announcement [id] () -> Announcement;
    /// Changes an announcement.
    PATCH "/admin/projects/{k}/announcements/{id}" update_announcement [id] (AnnouncementFields) -> Announcement;
    /// Deletes an announcement.
    DELETE "/admin/projects/{k}/announcements/{id}" delete_announcement [id] () -> Done;
    /// Statistics of all announcements.
    GET "/admin/announcements/statistics" get_announcement_statistics [] () -> AnnouncementStatistics;

    /// Feedback, newest first.
    GET "/admin/projects/{k}/feedbacks" list_feedbacks [] (ListFeedbacks) -> Page<Feedback>, pages iter_feedbacks(ListFeedbacks) of Feedback;
    /// Adds feedback by hand.
    POST "/admin/projects/{k}/feedbacks" create_feedback [] (AdminFeedbackFields) -> Feedback;
    /// One feedback.
    GET "/admin/projects/{k}/feedbacks/{id}" get_feedback [id] () -> Feedback;
    /// Changes feedback.
    PATCH "/admin/projects/{k}/feedbacks/{id}" update_feedback [id] (AdminFeedbackFields) -> Feedback;
    /// Deletes feedback.
    DELETE "/admin/projects/{k}/feedbacks/{id}" delete_feedback [id] () -> Done;
    /// Makes stored feedback an issue at the code host, which takes up to 20 seconds. There is never a second one.
    POST "/admin/projects/{k}/feedbacks/{id}/forward" forward_feedback [id] () -> Feedback;
    /// Statistics of all feedback.
    GET "/admin/feedbacks/statistics" get_feedback_statistics [] () -> FeedbackStatistics;

    /// Logs, newest first.
    GET "/admin/projects/{k}/logs" list_logs [] (ListLogs) -> Page<Log>, pages iter_logs(ListLogs) of Log;
    /// Adds a log by hand.
    POST "/admin/projects/{k}/logs" create_log [] (LogCreate) -> Log;
    /// Hides or shows a log.
    PATCH "/admin/projects/{k}/logs/{id}" update_log [id] (LogChange) -> Log;
    /// Deletes logs by time, level and address. After an error the same call deletes the rest.
    POST "/admin/projects/{k}/logs/prune" prune_logs [] (LogPrune) -> PrunedLogs;
    /// Statistics of all logs.
    GET "/admin/logs/statistics" get_log_statistics [] () -> LogStatistics;

    /// Names of events.
    GET "/admin/projects/{k}/events/definitions" list_event_definitions [] (ListEventDefinitions) -> Page<EventDefinition>,
        pages iter_event_definitions(ListEventDefinitions) of EventDefinition;
    /// What is said of a name of events.
    GET "/admin/projects/{k}/events/definitions/{id}" get_event_definition [id] () -> EventDefinition;
    /// Describes or archives a name of events.
    PATCH "/admin/projects/{k}/events/definitions/{id}" update_event_definition [id] (EventDefinitionChange) -> EventDefinition;
    /// Deletes a definition; its events stay.
    DELETE "/admin/projects/{k}/events/definitions/{id}" delete_event_definition [id] () -> Done;
    /// Totals of events.
    GET "/admin/projects/{k}/events/stats/overview" get_event_overview [] (TimeRange) -> EventOverview;
    /// Events over time.
    GET "/admin/projects/{k}/events/stats/timeseries" get_event_timeseries [] (EventTimeseries) -> EventSeries;
    /// Events by a dimension.
    GET "/admin/projects/{k}/events/stats/breakdown" get_event_breakdown [] (EventBreakdownQuery) -> EventBreakdown;
    /// Events by weekday and hour.
    GET "/admin/projects/{k}/events/stats/heatmap" get_event_heatmap [] (EventHeatmap) -> Heatmap;
    /// How many go from step to step.
    POST "/admin/projects/{k}/events/analysis/funnel" get_funnel [] (FunnelInput) -> Funnel;
    /// How many come back.
    POST "/admin/projects/{k}/events/analysis/retention" get_retention [] (RetentionInput) -> Retention;
    /// Which events follow which.
    POST "/admin/projects/{k}/events/analysis/paths" get_paths [] (PathsInput) -> Paths;
    /// A query as the query object says; the answer's form depends on its type.
    POST "/admin/projects/{k}/events/analysis/query" run_event_query [] (serde_json::Value) -> serde_json::Value;
    /// Cards of the dashboard.
    GET "/admin/projects/{k}/events/dashboards/cards" list_dashboard_cards [] () -> Page<DashboardCard>;
    /// Adds a card.
    POST "/admin/projects/{k}/events/dashboards/cards" create_dashboard_card [] (DashboardCardFields) -> DashboardCard;
    /// A card.
    GET "/admin/projects/{k}/events/dashboards/cards/{id}" get_dashboard_card [id] () -> DashboardCard;
    /// Changes a card.
    PATCH "/admin/projects/{k}/events/dashboards/cards/{id}" update_dashboard_card [id] (DashboardCardFields) -> DashboardCard;
    /// Deletes a card.
    DELETE "/admin/projects/{k}/events/dashboards/cards/{id}" delete_dashboard_card [id] () -> Done;
    /// Deletes all events of an identifier.
    DELETE "/admin/projects/{k}/events/subjects/{distinct_id}" delete_event_subject [distinct_id] () -> EventsErased;

    /// The webhook of the project.
    GET "/admin/projects/{k}/codehost-webhook" get_codehost_webhook [] () -> CodehostWebhook;
    /// Sets its secret.
    PUT "/admin/projects/{k}/codehost-webhook" set_codehost_webhook_secret [] (CodehostWebhookSecretFields) -> CodehostWebhookSecret;
    /// Makes a new secret.
    POST "/admin/projects/{k}/codehost-webhook/regenerate" regenerate_codehost_webhook_secret [] () -> CodehostWebhookSecret;
    /// Takes the secret away.
    DELETE "/admin/projects/{k}/codehost-webhook" clear_codehost_webhook_secret [] () -> CodehostWebhook;
    /// The app at the code host. Administrator only.
    GET "/admin/codehost-app" get_codehost_app_config [] () -> CodehostApp;
    /// Changes the app at the code host. Administrator only.
    PUT "/admin/codehost-app" update_codehost_app_config [] (CodehostAppFields) -> CodehostApp;
    /// Forgets the app at the code host. Administrator only.
    DELETE "/admin/codehost-app" clear_codehost_app_config [] () -> CodehostApp;
    /// Tries the app at the code host. Administrator only.
    POST "/admin/codehost-app/test" test_codehost_app [] () -> CodehostAppTest;
    /// What the project does at the code host.
    GET "/admin/projects/{k}/codehost-integration" get_codehost_integration [] () -> CodehostIntegration;
    /// Changes what the project does at the code host.
    PUT "/admin/projects/{k}/codehost-integration" update_codehost_integration [] (CodehostIntegrationFields) -> CodehostIntegration;
    /// Templates of issues in the repository.
    GET "/admin/projects/{k}/codehost-integration/repo-template" get_codehost_integration_repo_template [] (RepoTemplate) -> CodehostRepoTemplate;

    /// Terms. Administrator only.
    GET "/admin/terms/documents" list_terms_documents [] () -> Listing<TermsDocument>;
    /// One of the terms. Administrator only.
    GET "/admin/terms/documents/{slug}" get_terms_document [slug] () -> TermsDocument;
    /// Changes the terms. Administrator only.
    PUT "/admin/terms/documents/{slug}" update_terms_document [slug] (TermsDocumentFields) -> TermsDocument;
    /// Back to the built-in terms. Administrator only.
    DELETE "/admin/terms/documents/{slug}" reset_terms_document [slug] () -> TermsDocument;

    /// Who is logged in.
    GET "/auth/me" get_me [] () -> AuthUser;
    /// The administrator.
    GET "/auth/admin-profile" get_admin_profile [] () -> AuthUser;
    /// Changes name or password of the administrator.
    PATCH "/auth/admin-profile" update_admin_profile [] (ProfileInput) -> AuthUser;
    /// Changes the password.
    PATCH "/auth/password" change_password [] (PasswordInput) -> Done;
    /// Changes the name.
    PATCH "/auth/account" change_account [] (AccountInput) -> Done;
    /// What an API key may be allowed.
    GET "/auth/api-scopes" list_api_scopes [] () -> ScopeList;
    /// API keys, newest first.
    GET "/auth/api-keys" list_api_keys [] () -> Listing<ApiKey>;
    /// Makes an API key; its text is in this answer only.
    POST "/auth/api-keys" create_api_key [] (ApiKeyFields) -> ApiKeyCreated;
    /// An API key, without its text.
    GET "/auth/api-keys/{id}" get_api_key [id] () -> ApiKey;
    /// Changes an API key.
    PATCH "/auth/api-keys/{id}" update_api_key [id] (ApiKeyFields) -> ApiKeyUpdated;
    /// Ends an API key.
    DELETE "/auth/api-keys/{id}" revoke_api_key [id] () -> Done;
    /// Gives an API key a new text.
    POST "/auth/api-keys/{id}/rotate" rotate_api_key [id] (ApiKeyRotateInput) -> ApiKeyRotated;

    /// Totals of requests.
    GET "/admin/projects/{k}/stats/requests/overview" get_request_overview [] (TimeRange) -> RequestOverview;
    /// Requests over time.
    GET "/admin/projects/{k}/stats/requests/timeseries" get_request_timeseries [] (RequestTimeseries) -> RequestSeries;
    /// Requests by weekday and hour.
    GET "/admin/projects/{k}/stats/requests/heatmap" get_request_heatmap [] (TimeRange) -> Heatmap;
    /// Versions in use over time.
    GET "/admin/projects/{k}/stats/requests/version-adoption" get_version_adoption [] (VersionAdoptionQuery) -> VersionAdoption;
    /// Versions in use.
    GET "/admin/projects/{k}/stats/requests/client-versions" get_client_versions [] (LimitedRange) -> ClientVersions;
    /// Systems in use.
    GET "/admin/projects/{k}/stats/requests/platform-versions" get_platform_versions [] (LimitedRange) -> PlatformVersions;
    /// Logs by level.
    GET "/admin/projects/{k}/stats/logs" get_log_level_stats [] (TimeRange) -> LogLevels;
    /// Feedback by rating.
    GET "/admin/projects/{k}/stats/feedbacks" get_feedback_rating_stats [] (TimeRange) -> FeedbackRatings;

    /// The translation service. Administrator only.
    GET "/admin/translation" get_translation_config [] () -> TranslationConfig;
    /// Changes the translation service. Administrator only.
    PUT "/admin/translation" update_translation_config [] (TranslationConfigFields) -> TranslationConfig;
    /// Forgets the translation service. Administrator only.
    DELETE "/admin/translation" clear_translation_config [] () -> TranslationConfig;
    /// Tries the translation service. Administrator only.
    POST "/admin/translation/test" test_translation [] () -> TranslationTest;
    /// Translates texts.
    POST "/admin/projects/{k}/translate" translate [] (TranslateFields) -> TranslatedTexts;

    /// Files, newest first.
    GET "/admin/projects/{k}/files" list_files [] (ListFiles) -> Page<FileRecord>, pages iter_files(ListFiles) of FileRecord;
    /// A file.
    GET "/admin/projects/{k}/files/{id}" get_file [id] () -> FileRecord;
    /// Deletes a file.
    DELETE "/admin/projects/{k}/files/{id}" delete_file [id] () -> FileDeleted;
    /// Fetches a file again that failed.
    POST "/admin/projects/{k}/files/{id}/retry" retry_file [id] () -> FileRecord;
    /// Refreshes a file at the CDN.
    POST "/admin/projects/{k}/files/{id}/refresh-cdn" refresh_file_cdn [id] () -> CdnRefresh;
    /// Starts an upload.
    POST "/admin/projects/{k}/files/uploads" create_upload [] (UploadCreate) -> UploadSession;
    /// Uploads that are not complete, newest first.
    GET "/admin/projects/{k}/files/uploads" list_uploads [] () -> Listing<OpenUpload>;
    /// An upload and the chunks that have arrived.
    GET "/admin/projects/{k}/files/uploads/{upload_id}" get_upload [upload_id] () -> UploadSession;
    /// Sends one chunk, counted from 0.
    PUT "/admin/projects/{k}/files/uploads/{upload_id}/chunks/{index}" put_upload_chunk [upload_id, index] (Chunk) -> ChunkReceipt;
    /// Ends an upload.
    POST "/admin/projects/{k}/files/uploads/{upload_id}/complete" complete_upload [upload_id] () -> FileRecord;
    /// Gives an upload up.
    DELETE "/admin/projects/{k}/files/uploads/{upload_id}" abort_upload [upload_id] () -> Done;

    /// Where files are. Administrator only.
    GET "/admin/storage" get_storage [] () -> StorageOverview;
    /// Adds a place for files. Administrator only.
    POST "/admin/storage/backends" create_storage_backend [] (StorageBackendFields) -> StorageBackend;
    /// Changes a place for files. Administrator only.
    PATCH "/admin/storage/backends/{id}" update_storage_backend [id] (StorageBackendFields) -> StorageBackend;
    /// Takes a place for files away. Administrator only.
    DELETE "/admin/storage/backends/{id}" delete_storage_backend [id] () -> Done;
    /// Tries a place for files. Administrator only.
    POST "/admin/storage/backends/{id}/test" test_storage_backend [id] () -> StorageProbe;
    /// The CDN. Administrator only.
    GET "/admin/storage/cdn" get_cdn_config [] () -> CdnConfig;
    /// Changes the CDN. Administrator only.
    PUT "/admin/storage/cdn" update_cdn_config [] (CdnConfigFields) -> CdnConfig;
    /// Forgets the CDN. Administrator only.
    DELETE "/admin/storage/cdn" clear_cdn_config [] () -> CdnConfig;
    /// Tries the CDN. Administrator only.
    POST "/admin/storage/cdn/test" test_cdn_config [] () -> CdnTest;

    /// How the instance stands, and what to do. Administrator only.
    GET "/admin/status" get_status [] () -> InstanceStatus;
    /// Which version runs, and whether there is a newer one. Administrator only.
    GET "/admin/about" get_about [] (AboutServer) -> About;
    /// Markdown as public pages show it.
    POST "/admin/markdown-preview" preview_markdown [] (MarkdownInput) -> MarkdownPreview;

    /// Searches everything.
    GET "/admin/search" search [] (Search) -> Page<SearchHit>;
}

bodies!(
    ProjectChanges,
    ProjectLanguageFields,
    ProjectLanguageChanges,
    VersionFields,
    AnnouncementFields,
    AdminFeedbackFields,
    LogCreate,
    LogChange,
    LogPrune,
    EventDefinitionChange,
    FunnelInput,
    RetentionInput,
    PathsInput,
    DashboardCardFields,
    CodehostWebhookSecretFields,
    CodehostAppFields,
    CodehostIntegrationFields,
    TermsDocumentFields,
    ProfileInput,
    PasswordInput,
    AccountInput,
    ApiKeyFields,
    ApiKeyRotateInput,
    TranslationConfigFields,
    TranslateFields,
    UpdateCheckSimulationInput,
    MarkdownInput,
    UploadCreate,
    StorageBackendFields,
    CdnConfigFields,
);

impl Arguments for ProjectFields {
    fn fill(&self, settings: &Settings, call: &mut Call) -> Result<()> {
        let mut body = json(self)?;
        if let Some(fields) = body.as_object_mut() {
            if !fields.contains_key("project_key") {
                let key = settings.project()?;
                fields.insert("project_key".to_owned(), key.into());
            }
        }
        call.body = Body::Json(body);
        Ok(())
    }

    #[cfg(test)]
    fn extend(&mut self, extra: serde_json::Map<String, serde_json::Value>) {
        self.extra.extend(extra);
    }
}

/// Bytes of a chunk of an upload.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(test, derive(serde::Deserialize))]
#[cfg_attr(test, serde(default))]
pub struct Chunk {
    /// The bytes.
    pub data: Vec<u8>,
}

impl From<Vec<u8>> for Chunk {
    fn from(data: Vec<u8>) -> Self {
        Chunk { data }
    }
}

impl Arguments for Chunk {
    fn fill(&self, _settings: &Settings, call: &mut Call) -> Result<()> {
        call.body = Body::Bytes(self.data.clone());
        Ok(())
    }
}
