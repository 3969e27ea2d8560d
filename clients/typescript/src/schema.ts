// Generated from openapi.yaml by scripts/generate.mjs. Do not edit.

/** T whose fields K are there. */
export type WithRequired<T, K extends keyof T> = T & { [P in K]-?: Exclude<T[P], undefined> };

/** An error. All errors have this body. */
export interface ErrorBody {
    /** The HTTP status. */
    statusCode: number;
    /** The error and its remedy, for display. A list if several rules were broken. */
    message: string | string[];
    /** The name of the status, such as `Not Found`. */
    error: string;
}

/** A confirmation. */
export interface Done {
    /** Always true. */
    success: boolean;
}

/** A module of the server. */
export interface ModuleStatus {
    /** Name of the module. */
    module: string;
    /** Always true. */
    implemented: boolean;
}

/** The health of the server. */
export interface Health {
    /** Always `ok`. */
    status: "ok" | (string & {});
    /** The server's time. */
    timestamp: number;
}

/** The readiness of the server, with the checks. */
export interface Readiness {
    /** `ready` if all checks pass. */
    status: "ready" | "unavailable" | (string & {});
    /** The checks. */
    checks: ReadinessCheck[];
}

/** One condition of being ready. */
export interface ReadinessCheck {
    /** The checks. */
    name: "server" | "primary" | "svc.db" | "events.db" | "search" | "disk" | (string & {});
    /** Whether the check passes. */
    ok: boolean;
    /** The reason, for display; empty if the check passes. */
    message: string;
}

/** A boolean in a query. Empty is the same as left out. */
export type Flag = "true" | "1" | "false" | "0" | "" | (string & {});

/** A platform. Accepted in any case, always returned like this. */
export type Platform = "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {});

/** Only present if `total` is an upper bound, because an exact count would have to read too much text. */
export type TotalIsEstimate = boolean;

/** The credentials of a sign-in. */
export interface LoginInput {
    /** User name; trimmed. */
    username: string;
    /** Password; taken exactly as sent. */
    password: string;
}

/** A token for the administrator. */
export interface Login {
    /** Send it as `Authorization: Bearer …`. */
    access_token: string;
    /** Seconds until the token ends. */
    expires_in: number;
    user: AuthUser;
}

/** The account of a credential. */
export interface AuthUser {
    /** Id of the account. */
    id: string;
    /** Name to sign in with. */
    username: string;
    /** Role; there is only one. */
    role: "ADMIN" | (string & {});
    /** Always false. */
    must_change_password: boolean;
}

/** Changes of the administrator's profile. */
export interface ProfileInput {
    /** The current password. */
    current_password: string;
    /** New user name; trimmed. */
    username?: string | undefined;
    /** New password; taken exactly as sent. */
    new_password?: string | undefined;
}

/** A new password, with the current one. */
export interface PasswordInput {
    /** The current password. */
    current_password: string;
    /** New password; taken exactly as sent. */
    new_password: string;
}

/** A new user name, with the current password. */
export interface AccountInput {
    /** The current password. */
    current_password: string;
    /** New user name; trimmed. */
    username: string;
}

/** A permission of a key. Writing does not include reading; the two scopes of `tokens` allow nothing. */
export type Scope = "projects:read" | "projects:write" | "versions:read" | "versions:write" | "announcements:read" | "announcements:write" | "events:read" | "events:write" | "feedbacks:read" | "feedbacks:write" | "logs:read" | "logs:write" | "files:read" | "files:write" | "stats:read" | "tokens:read" | "tokens:write" | (string & {});

/** Every scope that a key can have. */
export interface ScopeList {
    /** All scopes. */
    data: Scope[];
    /** The scopes of a key that names none. */
    default: Scope[];
}

/** The changeable fields of a key. */
export interface ApiKeyFields {
    /** Purpose of the key. Trimmed; blank keeps an existing name. */
    name?: string | undefined;
    /**
     * Permissions of the key. A new key without any gets `versions:write`; an existing one must keep
     * at least one.
     */
    scopes?: Scope[] | undefined;
    /**
     * Days from now until the key ends. Left out in an update: the end does not change.
     * Default `30`.
     */
    expires_in_days?: number | undefined;
    /** True: the key does not end, and `expires_in_days` is ignored. False in an update, without days: it ends in 30 days. */
    never_expires?: boolean | undefined;
    /** True: the key is for every project and `project_ids` is ignored. Left out: true, or false when `project_ids` names some. */
    all_projects?: boolean | undefined;
    /**
     * Keys or former keys of the allowed projects. Required if `all_projects` is false. Renaming a
     * project does not matter.
     */
    project_ids?: string[] | undefined;
}

/** A new key. */
export type ApiKeyCreate = ApiKeyFields & Record<string, never>;

/** The grace period of the former secret. */
export interface ApiKeyRotateInput {
    /**
     * Minutes until the former text ends.
     * Default `0`.
     */
    grace_period_minutes?: number | undefined;
}

/** A key, without its secret. */
export interface ApiKey {
    /** Id of the key. */
    id: string;
    /** Purpose of the key. */
    name: string;
    /** Permissions of the key. */
    scopes: Scope[];
    /** Whether the key allows all projects. */
    all_projects: boolean;
    /** Current keys of the allowed projects; empty for all. */
    project_ids: string[];
    /** False once revoked. A key that has expired is still active. */
    is_active: boolean;
    /** Creation time. */
    created_at: number;
    /** Expiry; null if never. */
    expires_at: number | null;
    /** Time of the revocation. */
    revoked_at: number | null;
    /** Last use of the current text; exact to a minute. */
    last_used_at: number | null;
    /** End of the former text. */
    previous_key_expires_at: number | null;
}

/** All keys. */
export interface ApiKeyList {
    /** The keys. */
    data: ApiKey[];
}

/** A new key, with its secret, which is not shown again. */
export interface ApiKeyCreated {
    /** Id of the key. */
    id: string;
    /** Purpose of the key. */
    name: string;
    /** Text of the key. Keep it; it is not shown again. */
    token: string;
    /** Permissions of the key. */
    scopes: Scope[];
    /** Whether the key allows all projects. */
    all_projects: boolean;
    /** Keys of the allowed projects; empty for all. */
    project_ids: string[];
    /** Expiry; null if never. */
    expires_at: number | null;
    /** Creation time. */
    created_at: number;
}

/** A key after a change. */
export interface ApiKeyUpdated {
    /** Id of the key. */
    id: string;
    /** Purpose of the key. */
    name: string;
    /** Permissions of the key. */
    scopes: Scope[];
    /** Whether the key allows all projects. */
    all_projects: boolean;
    /** Keys of the allowed projects; empty for all. */
    project_ids: string[];
    /** Expiry; null if never. */
    expires_at: number | null;
    /** Creation time. */
    created_at: number;
}

/** A key with its new secret, which is not shown again. */
export interface ApiKeyRotated {
    /** Id of the key. */
    id: string;
    /** The new text. Keep it; it is not shown again. */
    token: string;
    /** The requested grace period. */
    grace_period_minutes: number;
    /** End of the former text; null if it has ended. */
    previous_key_expires_at: number | null;
}

/** The changeable fields of a project. */
export interface ProjectFields {
    /** Key of the project in addresses. Trimmed and lower-cased; no blanks, control characters, or any of `/ \ ? # %`. A few words are reserved. */
    project_key?: string | undefined;
    /** Display name. */
    name?: string | undefined;
    /** Address of the repository; any text. */
    repo_url?: string | null | undefined;
    /** Description. Markdown. */
    description?: string | null | undefined;
    /** Author. */
    author?: string | null | undefined;
    /** Page of the author; absolute http, https or ftp address. */
    author_homepage_url?: string | null | undefined;
    /** Icon; absolute http, https or ftp address. */
    icon_url?: string | null | undefined;
    /** Website; absolute http, https or ftp address. */
    website_url?: string | null | undefined;
    /** Documentation; absolute http, https or ftp address. */
    docs_url?: string | null | undefined;
    /** Time of the first publication. */
    published_at?: number | null | undefined;
    /** Least comparable version for which updates stay optional. Blank is null: no lower end. */
    optional_update_min_comparable_version?: string | null | undefined;
    /** Greatest comparable version for which updates stay optional, not below the least. Blank is null: no upper end. */
    optional_update_max_comparable_version?: string | null | undefined;
    /**
     * Days that request statistics are kept. A numeric text is accepted as well.
     * Default `365`.
     */
    stats_retention_days?: number | undefined;
    /**
     * Whether events are accepted. `"true"`, `"1"`, `"false"` and `"0"` are accepted as well.
     * Default `true`.
     */
    event_collection_enabled?: boolean | undefined;
    /**
     * Days that events are kept. A numeric text is accepted as well.
     * Default `90`.
     */
    event_retention_days?: number | undefined;
    /** Days that logs are kept. Null: as configured for the instance. */
    log_retention_days?: number | null | undefined;
    /** Days that feedback is kept. Null: as configured for the instance. */
    feedback_retention_days?: number | null | undefined;
    /** Storage of its files. Blank is null: the storage of the instance. */
    storage_backend_id?: string | null | undefined;
    /**
     * Whether the server copies attachments of releases at the code host. Accepts the same texts as above.
     * Default `false`.
     */
    mirror_codehost_assets?: boolean | undefined;
    /** Replaces all translations. Only for registered languages, hence not at creation. */
    translations?: ProjectTranslationInput[] | null | undefined;
}

/** A new project. */
export type ProjectCreate = ProjectFields & Record<string, never>;

/** Texts of a project in one language. */
export interface ProjectTranslationInput {
    /** Tag of a registered language. */
    locale: string;
    /** The name in this language; blank or null means untranslated. */
    name?: string | null | undefined;
    /** The description in this language; blank or null means untranslated. */
    description?: string | null | undefined;
}

/** Texts of a project in one language. */
export interface ProjectTranslation {
    /** Primary tag of the language. */
    locale: string;
    /** The name in this language. */
    name: string | null;
    /** The description in this language. */
    description: string | null;
}

/** A project, with all fields. */
export interface Project {
    /** The same as `project_key`. */
    id: string;
    /** Key of the project in addresses. */
    project_key: string;
    /** Display name. */
    name: string;
    /** Address of the repository. */
    repo_url: string | null;
    /** Description. Markdown. */
    description: string | null;
    /** Author. */
    author: string | null;
    /** Page of the author. */
    author_homepage_url: string | null;
    /** Icon. */
    icon_url: string | null;
    /** Website. */
    website_url: string | null;
    /** Documentation. */
    docs_url: string | null;
    /** Time of the first publication. */
    published_at: number | null;
    /** Least comparable version for which updates stay optional. */
    optional_update_min_comparable_version: string | null;
    /** Greatest comparable version for which updates stay optional. */
    optional_update_max_comparable_version: string | null;
    /** Days that request statistics are kept. */
    stats_retention_days: number;
    /** Whether events are accepted. */
    event_collection_enabled: boolean;
    /** Days that events are kept. */
    event_retention_days: number;
    /** Days that logs are kept; null: as configured for the instance. */
    log_retention_days: number | null;
    /** Days that feedback is kept; null: as configured for the instance. */
    feedback_retention_days: number | null;
    /** Storage of its files; null: the storage of the instance. */
    storage_backend_id: string | null;
    /** Whether the server copies attachments of releases at the code host. */
    mirror_codehost_assets: boolean;
    /** Former keys, newest first. */
    aliases: string[];
    /** Always null here: administrators see the default texts. */
    locale: null;
    /** Translations, in the order of the registered languages. */
    translations?: ProjectTranslation[] | undefined;
    /** Time of the creation at this server. */
    created_at: number;
    /** Time of the withdrawal; null: not yanked. */
    yanked_at?: number | null | undefined;
    /** Reason of the withdrawal. */
    yank_reason?: string | null | undefined;
    /** Time of the last change. */
    updated_at: number;
    /** The version that the update check offers; null if there is none. Only in lists with `activity`. */
    latest?: LatestVersion | null | undefined;
    /** Start of the hour of the last counted request of an app; null if none is kept. Only in lists with `activity`. */
    last_activity_at?: number | null | undefined;
}

/** The version that the update check offers. */
export interface LatestVersion {
    /** ID of the version. */
    id: string;
    /** Display version. */
    version: string;
    /** Time of the release. */
    published_at: number;
}

/** A project, with the fields for apps. */
export interface PublicProject {
    /** The same as `project_key`. */
    id: string;
    /** Key of the project in addresses. */
    project_key: string;
    /** Display name. */
    name: string;
    /** Address of the repository. */
    repo_url: string | null;
    /** Description. Markdown. */
    description: string | null;
    /** Author. */
    author: string | null;
    /** Page of the author. */
    author_homepage_url: string | null;
    /** Icon. */
    icon_url: string | null;
    /** Website. */
    website_url: string | null;
    /** Documentation. */
    docs_url: string | null;
    /** Time of the first publication. */
    published_at: number | null;
    /** Least comparable version for which updates stay optional. */
    optional_update_min_comparable_version: string | null;
    /** Greatest comparable version for which updates stay optional. */
    optional_update_max_comparable_version: string | null;
    /** Days that request statistics are kept. */
    stats_retention_days: number;
    /** Whether events are accepted. */
    event_collection_enabled: boolean;
    /** Days that events are kept. */
    event_retention_days: number;
    /** Days that logs are kept; null: as configured for the instance. */
    log_retention_days: number | null;
    /** Days that feedback is kept; null: as configured for the instance. */
    feedback_retention_days: number | null;
    /** Storage of its files; null: the storage of the instance. */
    storage_backend_id: string | null;
    /** Whether the server copies attachments of releases at the code host. */
    mirror_codehost_assets: boolean;
    /** Former keys, newest first. */
    aliases: string[];
    locale: AnsweredLocale;
    locale_message?: LocaleMessage | undefined;
    /** Time of the creation at this server. */
    created_at: number;
    /** Time of the last change. */
    updated_at: number;
}

/** A page of projects. */
export interface ProjectPage {
    /** Number of items on all pages. */
    total: number;
    total_is_estimate?: TotalIsEstimate | undefined;
    /** The items of this page. */
    data: Project[];
}

/** The number of projects. */
export interface ProjectStatistics {
    /** The number of projects. */
    count: number;
}

/** Former keys of a project. */
export interface AliasList {
    /** The former keys. */
    data: Alias[];
}

/** A former key, which still finds the project. */
export interface Alias {
    /** A former key. */
    alias: string;
    /** Time when it became a former key. */
    created_at: number;
}

/** The changeable fields of a language. */
export interface LanguageFields {
    /** Primary tag, kept as written. Trimmed; no control characters, `/` or `\`. */
    locale?: string | undefined;
    /**
     * Synonyms: other tags of this language. Duplicates are dropped; a synonym of another language is
     * refused.
     */
    aliases?: string[] | null | undefined;
    /** Display name. Blank is null. */
    label?: string | null | undefined;
}

/** A new language. */
export type LanguageCreate = LanguageFields & Record<string, never>;

/** A language that texts of the project can be translated into. */
export interface Language {
    /** Primary tag. */
    locale: string;
    /** Synonyms. */
    aliases: string[];
    /** Display name. */
    label: string | null;
    /** Time of the registration. */
    created_at: number;
}

/** The languages of a project. */
export interface LanguageList {
    /** The languages. */
    data: Language[];
}

/** Primary tag of the language of these texts; null when none of them is translated. */
export type AnsweredLocale = string | null;

/** Only present if the requested language is not one of the project; a sentence with the reason. */
export type LocaleMessage = string;

/** A terms document without its text. */
export interface TermsSummary {
    /** Name of the document. */
    slug: "privacy-policy" | "sdk-compliance" | (string & {});
    /** Title, in the requested language. */
    title: string;
    /** Summary in one sentence. */
    summary: string;
    /** Whether the text is built in or the operator's. */
    source: "builtin" | "custom" | (string & {});
    /** Time of the last change of the text. */
    updated_at: number;
    /** Only present if there is no built-in text in the requested language; a sentence with the reason. */
    locale_message?: string | undefined;
}

/** The terms documents. */
export interface TermsList {
    /** The entries. */
    data: TermsSummary[];
}

/** A terms document in the requested language. */
export interface Terms {
    /** Name of the document. */
    slug: "privacy-policy" | "sdk-compliance" | (string & {});
    /** Title, in the requested language. */
    title: string;
    /** Summary in one sentence. */
    summary: string;
    /** Whether the text is built in or the operator's. */
    source: "builtin" | "custom" | (string & {});
    /** Time of the last change of the text. */
    updated_at: number;
    /** Only present if there is no built-in text in the requested language; a sentence with the reason. */
    locale_message?: string | undefined;
    /** The text, in Markdown. */
    content: string;
}

/** A terms document with its draft and the built-in text. */
export interface TermsDocument {
    /** Name of the document. */
    slug: "privacy-policy" | "sdk-compliance" | (string & {});
    /** Title, in the requested language. */
    title: string;
    /** Summary in one sentence. */
    summary: string;
    /** Whether readers see the draft, if there is one. */
    custom: boolean;
    /** The text that readers see. */
    content: string;
    /** The draft, in Markdown; it is kept while `custom` is off. */
    custom_content: string | null;
    /** Time of the last change of the draft. */
    custom_updated_at: number | null;
    /** The built-in text, in the requested language. */
    builtin_content: string;
    /** Revision of the built-in text. */
    builtin_updated_at: number;
    /** Time of the last save; null before the first one and after a reset. */
    updated_at: number | null;
    /** The keys in the built-in text, each once, in order of appearance. */
    placeholders: TermsPlaceholder[];
}

/** A placeholder of the text. */
export interface TermsPlaceholder {
    /** The key between `{{` and `}}`. */
    key: string;
    /** Name of the field in a form, in the requested language. */
    label: string;
    /** A hint for the value. */
    hint: string;
    /** An example. */
    example: string;
    /** Whether the text is incomplete without it. */
    required: boolean;
}

/** The terms documents, with drafts. */
export interface TermsDocumentList {
    /** The entries. */
    data: TermsDocument[];
}

/** A draft, or the choice of the built-in text. */
export interface TermsDocumentFields {
    /** Whether readers see the draft, if there is one. */
    custom?: boolean | undefined;
    /** The draft, in Markdown. Trimmed; blank deletes it. */
    content?: string | null | undefined;
}

/** A download of a version. */
export interface DownloadLinkInput {
    /** Absolute http, https or ftp address. */
    url: string;
    /** Display name. */
    name?: string | null | undefined;
    /** Platform; any text. */
    platform?: string | null | undefined;
}

/** A download of a version. */
export interface DownloadLink {
    /** Address of the download. */
    url: string;
    /** Display name; left out if there is none. */
    name?: string | undefined;
    /** Platform; left out if unknown. */
    platform?: string | undefined;
}

/** The changeable fields of a version. */
export interface VersionFields {
    /** Display version, any text; trimmed. Unique in the project, case counts. */
    version?: string | undefined;
    /** Determines which version is newer. Null: derived from the display version by dropping one leading `v`. */
    comparable_version?: string | null | undefined;
    /** Headline. */
    title?: string | null | undefined;
    /** Release notes. Markdown. */
    content?: string | null | undefined;
    /** Replaces all translations. Only for registered languages. */
    translations?: VersionTranslationInput[] | null | undefined;
    /** The single download; any text, blank is null. Sent without `download_links`, it becomes the only link. */
    download_url?: string | null | undefined;
    /** All downloads. Sent without `download_url`, the first one becomes the single download. */
    download_links?: DownloadLinkInput[] | null | undefined;
    /** Marks the version as the latest and unmarks all others. Without the field, a new version becomes the latest if it is official, not deprecated, and not below the current one. */
    is_latest?: boolean | undefined;
    /**
     * For testers only.
     * Default `false`.
     */
    is_preview?: boolean | undefined;
    /** A channel of the project, which also sets `is_preview`. Null, or left out at creation: `stable` for an official version, else the project's channel that is named like the tag of the comparable version (alpha, beta, rc), else `preview`. */
    channel?: string | null | undefined;
    /**
     * Must not be skipped: updates that pass it lead to it first.
     * Default `false`.
     */
    is_milestone?: boolean | undefined;
    /**
     * Its users must update. Requires a greater official version that is not deprecated, and cannot be the latest.
     * Default `false`.
     */
    is_deprecated?: boolean | undefined;
    /** The only platform; the older form of `platforms`. */
    platform?: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null | undefined;
    /** The platforms of the version. Empty: all, or only `platform` if that is sent. */
    platforms?: Platform[] | null | undefined;
    /** Any data of the app, up to 100 levels deep. */
    custom_data?: {
        [key: string]: unknown;
    } | null | undefined;
    /** Publication time. Default at creation: now. */
    published_at?: number | undefined;
    /** The rollout with which a new version begins. Null: offered to everybody at once. Ignored when the version exists. */
    rollout?: RolloutFields | null | undefined;
    /** Texts for updaters with their own order of versions. Replaced as a whole; null derives all of them. */
    native_versions?: NativeVersionsInput | null | undefined;
}

/** The withdrawal of a version. */
export interface YankInput {
    /** Public reason. */
    reason: string;
    /** Id of the lower version that is offered to those who have the yanked one: complete and not yanked. Null: the greatest one. */
    downgrade_to?: string | null | undefined;
}

/** Texts of a version for updaters with their own order of versions. Without a text, it is derived from the comparable version. */
export interface NativeVersionsInput {
    /** For Tauri, Electron and Squirrel.Mac: a version of SemVer 2.0.0. */
    semver?: string | null | undefined;
    /** For Sparkle: the CFBundleVersion of the app. */
    sparkle?: string | null | undefined;
}

/** Texts of a version for updaters with their own order of versions. A text that is left out is derived from the comparable version. */
export interface NativeVersions {
    /** For Tauri, Electron and Squirrel.Mac: a version of SemVer 2.0.0. */
    semver?: string | undefined;
    /** For Sparkle: the CFBundleVersion of the app. */
    sparkle?: string | undefined;
}

/** A new version. */
export type VersionCreate = VersionFields & Record<string, never>;

/** A new version of the project that the body names. */
export type VersionCreateByKey = VersionCreate & {
    /** Key or former key of the project. */
    project_key: string;
};

/** The state of a rollout: `paused` keeps what was reached, `held` was stopped by a health rule and offers nothing, `completed` and `aborted` are final. */
export type RolloutState = "running" | "paused" | "held" | "completed" | "aborted" | (string & {});

/** The changeable fields of a rollout. */
export interface RolloutFields {
    /** Share of the users who are offered the version, with at most 2 decimals. Default: that of the first step. */
    percent?: number | undefined;
    /** The steps, with ascending percentages. The last one is 100, which is also the default. */
    steps?: RolloutStepInput[] | undefined;
    /**
     * Whether the server takes the next step by itself.
     * Default `true`.
     */
    auto_advance?: boolean | undefined;
    /** Limits the rollout to some users. Null for all. */
    cohort?: RolloutCohortInput | null | undefined;
    /**
     * Whether the health rules of the project act on the rollout.
     * Default `true`.
     */
    health?: boolean | undefined;
}

/** The settings of rollouts that are to be created. */
export interface RolloutDefault {
    /** Share of the users; null for that of the first step. */
    percent: number | null;
    /** The steps, with ascending percentages. */
    steps: RolloutStep[];
    /** Whether the server takes the next step by itself. */
    auto_advance: boolean;
    /** The users to which rollouts are limited; null for all. */
    cohort: RolloutCohort | null;
    /** Whether health rules act on rollouts. */
    health: boolean;
}

/** A step of a rollout. */
export interface RolloutStepInput {
    /** Share of the users, with at most 2 decimals. */
    percent: number;
    /**
     * Time before the next step.
     * Default `0`.
     */
    hold_seconds?: number | undefined;
    /**
     * Users who must have been seen on the version before the next step.
     * Default `0`.
     */
    min_exposure?: number | undefined;
}

/** The users of a rollout. All that is present must match; an unknown fact does not match. */
export interface RolloutCohortInput {
    /** Platforms. */
    platforms?: Platform[] | undefined;
    /** Countries of the users' addresses, as two upper-case letters. */
    countries?: string[] | undefined;
    /** Lowest installed version, included. */
    current_min?: string | null | undefined;
    /** Highest installed version, included. */
    current_max?: string | null | undefined;
}

/** Why the state of a rollout changes. */
export interface RolloutReason {
    /** Text for the history. */
    reason?: string | null | undefined;
}

/** How far a version has been rolled out. */
export interface Rollout {
    /** Id of the version. */
    version_id: string;
    /** Display version. */
    version: string;
    /** Channel of the version. */
    channel: string;
    state: RolloutState;
    /** Share of the users who are offered the version. */
    percent: number;
    /** The steps, with ascending percentages. */
    steps: RolloutStep[];
    /** Index of the step in force; -1 before the first one. */
    step: number;
    /** Whether the server takes the next step by itself. */
    auto_advance: boolean;
    /** The users to which the rollout is limited; null for all. */
    cohort: RolloutCohort | null;
    /** Whether health rules act on the rollout. */
    health: boolean;
    /** Decides, with the key of a user, who is reached first. Never changes. */
    seed: string;
    /** First moment above 0 %. */
    started_at: number | null;
    /** When the percentage in force began; null before the first step. */
    step_started_at: number | null;
    /** When the version became complete. */
    completed_at: number | null;
    /** What happened, newest first. */
    history: RolloutEvent[];
}

/** A step of a rollout. */
export interface RolloutStep {
    /** Share of the users. */
    percent: number;
    /** Time before the next step. */
    hold_seconds: number;
    /** Users who must have been seen on the version before the next step. */
    min_exposure: number;
}

/** The users of a rollout. All that is present must match. */
export interface RolloutCohort {
    /** Platforms; empty for all. */
    platforms: Platform[];
    /** Countries; empty for all. */
    countries: string[];
    /** Lowest installed version, included. */
    current_min: string | null;
    /** Highest installed version, included. */
    current_max: string | null;
}

/** An entry of the history of a rollout. */
export interface RolloutEvent {
    /** Time of the action. */
    at: number;
    /** What happened. */
    action: "created" | "changed" | "advanced" | "paused" | "resumed" | "held" | "completed" | "aborted" | (string & {});
    /** Share of the users after the action. */
    percent: number;
    /** User name, name of the API key, `schedule`, or `rule` and the name of a health rule. */
    by: string;
    /** Reason; null if none was given. */
    reason: string | null;
}

/** The health of a rollout. */
export interface RolloutHealth {
    state: HealthState;
    /** Display version with which failures are compared; null if there is none. */
    baseline_version: string | null;
    /** Time since which counts are used; null before the rollout starts. */
    since: number | null;
    /** Length of the buckets of time. */
    bucket_seconds: number;
    /** The rules of the project. */
    rules: RolloutHealthRule[];
}

/**
 * State of a health rule. `failing`: the version fails more often than the baseline, beyond what chance explains;
 * `suspect`: it probably does, so the rollout takes no step; `no_data`: no bucket has users of both versions;
 * `no_baseline`: there is no version to compare with.
 */
export type HealthState = "failing" | "suspect" | "healthy" | "no_data" | "no_baseline" | (string & {});

/** The state of a health rule. The counts are sums over all buckets. */
export interface RolloutHealthRule {
    /** Name of the rule. */
    name: string;
    /** What counts as a failure. */
    metric: "error_logs" | "event" | (string & {});
    /** Name of the event that is a failure; null for `error_logs`. */
    event: string | null;
    /** What happens when the rule is failing. */
    action: "hold" | "notify" | (string & {});
    state: HealthState;
    /** Strength of the evidence that the version fails more often than is tolerated. */
    e_value: number;
    /** Evidence from which the rule is failing. */
    limit: number;
    /** Users of the version. */
    exposure: number;
    /** Users of the version who failed. */
    failures: number;
    /** Users of the baseline. */
    baseline_exposure: number;
    /** Users of the baseline who failed. */
    baseline_failures: number;
    /** The newest closed buckets with users, the oldest first. */
    series: HealthBucket[];
}

/** The users first seen on a version in a bucket of time, and how many of them have failed since. */
export interface HealthBucket {
    /** Start of the bucket. */
    t: number;
    /** Users of the version. */
    exposure: number;
    /** Users of the version who failed. */
    failures: number;
    /** Users of the baseline. */
    baseline_exposure: number;
    /** Users of the baseline who failed. */
    baseline_failures: number;
}

/** A page of rollouts. */
export interface RolloutPage {
    /** Number of items on all pages. */
    total: number;
    /** The items of this page. */
    data: Rollout[];
}

/** Texts of a version in one language. */
export interface VersionTranslationInput {
    /** Tag of a registered language. */
    locale: string;
    /** The headline in this language; blank or null means untranslated. */
    title?: string | null | undefined;
    /** The release notes in this language; blank or null means untranslated. */
    content?: string | null | undefined;
}

/** Texts of a version in one language. */
export interface VersionTranslation {
    /** Primary tag of the language. */
    locale: string;
    /** The headline in this language. */
    title: string | null;
    /** The release notes in this language. */
    content: string | null;
}

/** A version, with all fields. */
export interface Version {
    /** Id of the version. */
    id: string;
    /** Display version. */
    version: string;
    /** Determines which version is newer. */
    comparable_version: string;
    /** Headline. */
    title: string | null;
    /** Release notes. Markdown. */
    content: string | null;
    /** Always null here: administrators see the default texts. */
    locale: null;
    /** Translations, in the order of the registered languages. */
    translations?: VersionTranslation[] | undefined;
    /** The single download. */
    download_url: string | null;
    /** All downloads. */
    download_links: DownloadLink[];
    /** Always false; kept for older clients. */
    forced: boolean;
    /** Whether it is marked as the latest. A project has at most one. */
    is_latest: boolean;
    /** For testers only. */
    is_preview: boolean;
    /** Channel on which it is published. A version is a preview on all channels but `stable`. */
    channel: string;
    /** Must not be skipped. */
    is_milestone: boolean;
    /** Its users must update. */
    is_deprecated: boolean;
    /** The only platform; the older form of `platforms`. */
    platform: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null;
    /** The platforms; empty for all. */
    platforms: Platform[];
    /** Data of the app. */
    custom_data: {
        [key: string]: unknown;
    } | null;
    /** Publication time. */
    published_at: number;
    /** Time of the creation at this server. */
    created_at: number;
    /** Time of the withdrawal; null: not yanked. */
    yanked_at: number | null;
    /** Reason of the withdrawal. */
    yank_reason: string | null;
    /** Texts for updaters with their own order of versions; null if all are derived. */
    native_versions: NativeVersions | null;
}

/** How a project distributes its versions. */
export interface DistributionFields {
    /** The project's own channels, besides `stable` and `preview`. Replaced as a whole. */
    channels?: ChannelInput[] | null | undefined;
    /** The rollout with which new versions begin that are created without one. Null: offered to everybody at once. */
    rollout_default?: RolloutFields | null | undefined;
    /** The rules that hold a rollout. */
    health?: HealthRulesFields | null | undefined;
    /** `enforce`: feeds and links to the latest version list only signed files, where the project has a key for their kind. */
    signature_policy?: "off" | "enforce" | (string & {}) | null | undefined;
}

/** How a project distributes its versions. */
export interface Distribution {
    /** The project's own channels, besides `stable` and `preview`. */
    channels: Channel[];
    /** The rollout with which new versions begin that are created without one. Null: offered to everybody at once. */
    rollout_default: RolloutDefault | null;
    health: HealthRules;
    /** Whether feeds and links to the latest version list only signed files. */
    signature_policy: "off" | "enforce" | (string & {});
    /** Time of the last save; null before the first one. */
    updated_at: number | null;
}

/** How downloads are signed. Tauri uses minisign, and WinSparkle uses the scheme of Sparkle. */
export type SignatureScheme = "minisign" | "sparkle" | (string & {});

/** `retired`: signatures that were valid before remain valid. `revoked`: no signature counts, which is final. */
export type TrustKeyState = "active" | "retired" | "revoked" | (string & {});

/** Form of the requests: a signed webhook, ntfy, Slack and services with its interface, Discord, or e-mail. */
export type HookKind = "webhook" | "ntfy" | "slack" | "discord" | "email" | (string & {});

/** Name of an event. */
export type HookEvent = "version.published" | "version.yanked" | "rollout.advanced" | "rollout.paused" | "rollout.resumed" | "rollout.completed" | "rollout.aborted" | "rollout.held" | "health.suspect" | "health.failing" | "announcement.published" | "feedback.created" | "log.group_created" | "log.group_regressed" | "log.group_spiked" | "log.guard" | "file.failed" | "instance.backup_failed" | "instance.disk_low" | "instance.hook_disabled" | (string & {});

/** State of a delivery: waiting for the first or for another attempt, delivered, given up, or dropped. */
export type HookDeliveryState = "queued" | "retrying" | "delivered" | "dead" | "dropped" | (string & {});

/** A hook, without its secrets. */
export interface Hook {
    /** Id of the hook. */
    id: string;
    /** Its name. */
    name: string;
    kind: HookKind;
    /** Whether events are sent. */
    enabled: boolean;
    /** Address of the receiver; null for `email`. For `slack` and `discord` each segment of its path after the second is replaced by `…`, and so is its query. */
    url: string | null;
    /** Names of events, their first words followed by `.*`, or `*`. */
    events: string[];
    /** Recipients of `email`; empty for other kinds. */
    to: string[];
    /** Whether requests are signed. */
    has_secret: boolean;
    /** Whether requests have the header `Authorization`. */
    has_authorization: boolean;
    /** Time of the last change of the secret. */
    secret_updated_at: number | null;
    /** Why the server disabled the hook: the receiver answered 410, or attempts failed for too long. */
    disabled_reason: "gone" | "failing" | (string & {}) | null;
    /** Status of the last attempt; 0 = no answer. */
    last_status: number | null;
    /** Time of the last attempt. */
    last_attempt_at: number | null;
    /** Unix seconds. */
    created_at: number;
    /** Unix seconds. */
    updated_at: number;
}

/** A new hook. `secret` is only sent for webhooks. */
export interface HookCreated {
    /** Id of the hook. */
    id: string;
    /** Its name. */
    name: string;
    kind: HookKind;
    /** Whether events are sent. */
    enabled: boolean;
    /** Address of the receiver; null for `email`. For `slack` and `discord` each segment of its path after the second is replaced by `…`, and so is its query. */
    url: string | null;
    /** Names of events, their first words followed by `.*`, or `*`. */
    events: string[];
    /** Recipients of `email`; empty for other kinds. */
    to: string[];
    /** Whether requests are signed. */
    has_secret: boolean;
    /** Whether requests have the header `Authorization`. */
    has_authorization: boolean;
    /** Time of the last change of the secret. */
    secret_updated_at: number | null;
    /** Why the server disabled the hook: the receiver answered 410, or attempts failed for too long. */
    disabled_reason: "gone" | "failing" | (string & {}) | null;
    /** Status of the last attempt; 0 = no answer. */
    last_status: number | null;
    /** Time of the last attempt. */
    last_attempt_at: number | null;
    /** Unix seconds. */
    created_at: number;
    /** Unix seconds. */
    updated_at: number;
    /** With it the receiver verifies requests. */
    secret?: string | undefined;
}

/** The hooks. */
export interface HookList {
    /** All hooks, the oldest first. */
    data: Hook[];
}

/** Changes of a hook. A field that is left out keeps its value. */
export interface HookFields {
    /** Its name. */
    name?: string | undefined;
    /**
     * Whether events are sent.
     * Default `true`.
     */
    enabled?: boolean | undefined;
    /** Address of the receiver; null for `email`. */
    url?: string | null | undefined;
    /**
     * Names of events, their first words followed by `.*`, or `*`.
     * Default `[`.
     * "*"
     * ]
     */
    events?: string[] | undefined;
    /** Recipients of `email`. */
    to?: string[] | null | undefined;
    /** Value of the header `Authorization`, for `webhook` and `ntfy`; empty or null removes it. */
    authorization?: string | null | undefined;
    /** For `webhook`: `whsec_` and 24 to 64 bytes in base64. The server makes one if it is left out at creation. */
    secret?: string | undefined;
}

/** A new hook. */
export interface HookCreate {
    kind: HookKind;
    /** Its name. */
    name: string;
    /**
     * Whether events are sent.
     * Default `true`.
     */
    enabled?: boolean | undefined;
    /** Address of the receiver; null for `email`. */
    url?: string | null | undefined;
    /**
     * Names of events, their first words followed by `.*`, or `*`.
     * Default `[`.
     * "*"
     * ]
     */
    events?: string[] | undefined;
    /** Recipients of `email`. */
    to?: string[] | null | undefined;
    /** Value of the header `Authorization`, for `webhook` and `ntfy`; empty or null removes it. */
    authorization?: string | null | undefined;
    /** For `webhook`: `whsec_` and 24 to 64 bytes in base64. The server makes one if it is left out at creation. */
    secret?: string | undefined;
}

/** A rotation of the secret. */
export interface HookRotate {
    /**
     * Minutes for which the former secret signs, too.
     * Default `0`.
     */
    grace_minutes?: number | undefined;
    /** The new secret; the server makes one if it is left out. */
    secret?: string | undefined;
}

/** The new secret of a webhook. */
export interface HookSecret {
    /** The new secret. */
    secret: string;
    /** Time until which the former secret signs, too; null if it does not. */
    previous_valid_until: number | null;
}

/** The result of a test. */
export interface HookTest {
    /** Whether the receiver accepted the event. */
    ok: boolean;
    /** Status of the answer; 0 = no answer. */
    status: number;
    /** Duration of the attempt. */
    latency_ms: number;
    /** Start of the answer. */
    response: string | null;
    /** Why the test failed. */
    error: string | null;
}

/** An event on its way to a receiver. */
export interface HookDelivery {
    /** Id of the delivery, as in the header `webhook-id`. */
    id: string;
    event: HookEvent;
    state: HookDeliveryState;
    /** Number of attempts so far. */
    attempts: number;
    /** Time of the event. */
    created_at: number;
    /** Time of the next attempt; null if there is none. */
    next_attempt_at: number | null;
    /** Time of the delivery. */
    delivered_at: number | null;
    /** Status of the last attempt; 0 = no answer. */
    last_status: number | null;
    /** Why the last attempt failed. */
    last_error: string | null;
    /** Start of the last answer. */
    response: string | null;
}

/** A delivery with the body that is sent. */
export interface HookDeliveryWhole {
    /** Id of the delivery, as in the header `webhook-id`. */
    id: string;
    event: HookEvent;
    state: HookDeliveryState;
    /** Number of attempts so far. */
    attempts: number;
    /** Time of the event. */
    created_at: number;
    /** Time of the next attempt; null if there is none. */
    next_attempt_at: number | null;
    /** Time of the delivery. */
    delivered_at: number | null;
    /** Status of the last attempt; 0 = no answer. */
    last_status: number | null;
    /** Why the last attempt failed. */
    last_error: string | null;
    /** Start of the last answer. */
    response: string | null;
    /** Type, timestamp and data of the event. */
    payload: {
        [key: string]: unknown;
    };
}

/** A page of deliveries. */
export interface HookDeliveryList {
    /** Number of deliveries that match. */
    total: number;
    /** Those of the page. */
    data: HookDelivery[];
}

/** A public key that signs downloads. */
export interface PublicTrustKey {
    scheme: SignatureScheme;
    /** minisign: the key number, 16 upper-case hex digits. sparkle: the first 16 hex digits of the SHA-256 of the key. */
    key_id: string;
    /** The key as the tool prints it. */
    public_key: string;
    state: TrustKeyState;
}

/** A public key that signs downloads. */
export interface TrustKey {
    /** Id of the key. */
    id: string;
    scheme: SignatureScheme;
    /** The key as the tool prints it. */
    public_key: string;
    /** minisign: the key number, 16 upper-case hex digits. sparkle: the first 16 hex digits of the SHA-256 of the key. */
    key_id: string;
    /** A note, for example who has the private key. */
    label: string | null;
    state: TrustKeyState;
    /** Unix seconds. */
    created_at: number;
    /** Unix seconds. */
    updated_at: number;
}

/** The keys that sign the downloads of a project. */
export interface PublicTrustKeyList {
    /** The oldest first. */
    data: PublicTrustKey[];
}

/** The keys that sign the downloads of a project. */
export interface TrustKeyList {
    /** The oldest first. */
    data: TrustKey[];
}

/** A new trust key. */
export interface TrustKeyCreate {
    scheme: SignatureScheme;
    /** The public key as minisign, Tauri or `generate_keys` of Sparkle prints it. */
    public_key: string;
    /** A note, for example who has the private key. */
    label?: string | null | undefined;
}

/** The fields of a trust key that can change. */
export interface TrustKeyUpdate {
    /** A note, for example who has the private key. */
    label?: string | null | undefined;
    state?: TrustKeyState | undefined;
}

/** A channel. */
export interface ChannelInput {
    /** Name; not `latest`, `mac`, `linux`, `stable` or `preview`. */
    name: string;
    /** Other channels. A caller on this channel sees their versions too, and those that they include. */
    includes?: string[] | null | undefined;
}

/** A channel. */
export interface Channel {
    /** Name. */
    name: string;
    /** Other channels whose versions a caller on this channel sees too. */
    includes: string[];
}

/** The rules that hold a rollout whose version fails more often than the version before it. */
export interface HealthRulesFields {
    /** Greatest probability with which all rules together ever hold a healthy release. */
    false_alarm?: number | null | undefined;
    /** The rules. Replaced as a whole. */
    rules?: HealthRuleInput[] | null | undefined;
}

/** The rules that hold a rollout whose version fails more often than the version before it. */
export interface HealthRules {
    /** Greatest probability with which all rules together ever hold a healthy release. */
    false_alarm: number;
    /** The rules. */
    rules: HealthRule[];
}

/** A rule that compares how many users of two versions fail. */
export interface HealthRuleInput {
    /** Name; unique in the list. */
    name: string;
    /** What counts as a failure. */
    metric: "error_logs" | "event" | (string & {});
    /** Name of the event that is a failure; only for the metric `event`, which needs it. */
    event?: string | null | undefined;
    /** Accepted ratio of the version's failure rate to that of its baseline; 1.5 without the field. */
    tolerance?: number | null | undefined;
    /** Users that must fail before the rule acts; 5 without the field. */
    min_failures?: number | null | undefined;
    /** What the rule does; `hold` without the field. */
    action?: "hold" | "notify" | (string & {}) | null | undefined;
}

/** A rule that compares how many users of two versions fail. */
export interface HealthRule {
    /** Name. */
    name: string;
    /** What counts as a failure. */
    metric: "error_logs" | "event" | (string & {});
    /** Name of the event that is a failure; null for the metric `error_logs`. */
    event: string | null;
    /** Accepted ratio of the version's failure rate to that of its baseline. */
    tolerance: number;
    /** Users that must fail before the rule acts. */
    min_failures: number;
    /** What the rule does. */
    action: "hold" | "notify" | (string & {});
}

/** Settings of the app at the code host. */
export interface CodehostAppFields {
    /** Id of the app at the code host. */
    app_id?: string | null | undefined;
    /** Private key of the app: the downloaded PEM file. It can be set, but not read. */
    private_key?: string | null | undefined;
    /** Secret that signs deliveries to the app. It can be set, but not read. */
    webhook_secret?: string | null | undefined;
    /** Features that projects may use. */
    enabled_features?: ("feedback_issue" | "comment_commands")[] | null | undefined;
    /** Whether the two templates are used. */
    feedback_issue_custom_template?: boolean | undefined;
    /** Title of issues; null = the built-in one. May contain variables such as `{{ content_head }}`. */
    feedback_issue_title_template?: string | null | undefined;
    /** Text of issues, Markdown; null = the built-in one. May contain the same variables. */
    feedback_issue_body_template?: string | null | undefined;
}

/** The app at the code host, without its secrets. */
export interface CodehostApp {
    /** Whether app id and private key are set. */
    configured: boolean;
    /** Id of the app at the code host. */
    app_id: string | null;
    /** Whether a private key is set. */
    has_private_key: boolean;
    /** Fingerprint of the private key. */
    private_key_fingerprint: string | null;
    /** Time when the key was saved. */
    private_key_updated_at: number | null;
    /** Whether a secret for deliveries is set. */
    has_webhook_secret: boolean;
    /** Last six characters of the secret; null for a shorter one. */
    webhook_secret_hint: string | null;
    /** Length of the secret in characters. */
    webhook_secret_length: number | null;
    /** The secret with asterisks for all characters but the hint. */
    webhook_secret_masked: string | null;
    /** Time when the secret was saved. */
    webhook_secret_updated_at: number | null;
    /** Path of the address for deliveries to the app. */
    webhook_payload_path: string;
    /** Features that projects may use. */
    enabled_features: ("feedback_issue" | "comment_commands")[];
    /** Whether the two templates are used. */
    feedback_issue_custom_template: boolean;
    /** Title of issues, kept while unused; null = the built-in one. May contain variables such as `{{ content_head }}`. */
    feedback_issue_title_template: string | null;
    /** Text of issues, kept while unused, Markdown; null = the built-in one. May contain the same variables. */
    feedback_issue_body_template: string | null;
    /** Default title of issues. */
    builtin_feedback_issue_title_template: string;
    /** Default text of issues. */
    builtin_feedback_issue_body_template: string;
    /** Names of the variables of templates. */
    feedback_issue_template_variables: string[];
    /** Time of the last save; null before the first one. */
    updated_at: number | null;
}

/** The result of a test of the app. */
export interface CodehostAppTest {
    /** Whether the code host accepts the app, and the app has the permissions for the enabled features. */
    ok: boolean;
    /** Name of the app at the code host. */
    name: string | null;
    /** Name of the app in the address of its page. */
    slug: string | null;
    /** Permissions that the enabled features need and the app lacks, such as `issues: write`. */
    missing_permissions: string[];
    /** Events that the enabled features need and the app does not receive, such as `issue_comment`. */
    missing_events: string[];
    /** Duration. */
    latency_ms: number;
    /** The error, if the test failed. */
    error: string | null;
}

/** The code host settings of a project. */
export interface CodehostIntegrationFields {
    /** The repository, as `owner/name`. Blank clears it. */
    repo_full_name?: string | null | undefined;
    /** Whether feedback can become issues. */
    feedback_issue_enabled?: boolean | undefined;
    /** Source of the issue template: the installation, the one below, or a file of the repository. */
    feedback_issue_template_source?: "inherit" | "custom" | "repo" | (string & {}) | undefined;
    /** Path of that file, of letters, digits and `_ . / -`. */
    feedback_issue_template_repo_path?: string | null | undefined;
    /** Branch, tag or commit of that file; null = the default branch. */
    feedback_issue_template_repo_ref?: string | null | undefined;
    /** Title of issues; null = the built-in one. May contain variables such as `{{ content_head }}`. */
    feedback_issue_title_template?: string | null | undefined;
    /** Text of issues, Markdown; null = the built-in one. May contain the same variables. */
    feedback_issue_body_template?: string | null | undefined;
    /** Labels of issues. Labels of the file come first. */
    feedback_issue_labels?: string[] | null | undefined;
    /** Whether comments on issues can start workflows. */
    comment_commands_enabled?: boolean | undefined;
    /** Relations to the repository that allow a user to give commands. */
    command_allowed_associations?: ("OWNER" | "MEMBER" | "COLLABORATOR" | "CONTRIBUTOR" | "FIRST_TIME_CONTRIBUTOR" | "FIRST_TIMER" | "MANNEQUIN" | "NONE")[] | null | undefined;
    /** Names of further users that may give commands. */
    command_allowed_users?: string[] | null | undefined;
    /** The commands. Their names are unique. */
    commands?: CodehostCommandFields[] | null | undefined;
}

/** A command that comments in issues can give. */
export interface CodehostCommandFields {
    /** Name, without `/svc-`. */
    name: string;
    /** File name or id of the workflow. */
    workflow: string;
    /** Branch or tag to run it on. */
    ref: string;
    /** Name of its input for the text after the command; null = `args`. */
    input?: string | null | undefined;
}

/** A command that comments in issues can give. */
export interface CodehostCommand {
    /** Name, without `/svc-`. */
    name: string;
    /** File name or id of the workflow. */
    workflow: string;
    /** Branch or tag to run it on. */
    ref: string;
    /** Name of its input for the text after the command; left out = `args`. */
    input?: string | undefined;
}

/** The code host settings of a project. */
export interface CodehostIntegration {
    /** Current key of the project. */
    project_key: string;
    /** The repository, as `owner/name`. */
    repo_full_name: string | null;
    /** Whether feedback can become issues. */
    feedback_issue_enabled: boolean;
    /** Whether feedback can become issues now: it is enabled, a repository is set, and the code host app offers it. */
    feedback_issue_active: boolean;
    /** Source of the issue template. */
    feedback_issue_template_source: "inherit" | "custom" | "repo" | (string & {});
    /** Path of the file with the template. */
    feedback_issue_template_repo_path: string | null;
    /** Branch, tag or commit of that file; null = the default branch. */
    feedback_issue_template_repo_ref: string | null;
    /** Title of issues for the source `custom`; null = the built-in one. May have variables such as `{{ content_head }}`. */
    feedback_issue_title_template: string | null;
    /** Text of issues for the source `custom`, Markdown; null = the built-in one. May have the same variables. */
    feedback_issue_body_template: string | null;
    /** Labels of issues. */
    feedback_issue_labels: string[];
    /** Whether comments on issues can start workflows. */
    comment_commands_enabled: boolean;
    /** Whether comments can start workflows now: it is enabled, a repository is set, and the code host app offers it. */
    comment_commands_active: boolean;
    /** Relations to the repository that allow a user to give commands. */
    command_allowed_associations: ("OWNER" | "MEMBER" | "COLLABORATOR" | "CONTRIBUTOR" | "FIRST_TIME_CONTRIBUTOR" | "FIRST_TIMER" | "MANNEQUIN" | "NONE")[];
    /** Names of further users that may give commands. */
    command_allowed_users: string[];
    /** The commands. */
    commands: CodehostCommand[];
    /** Time of the last save; null before the first one. */
    updated_at: number | null;
}

/** The issue template in the repository. */
export interface CodehostRepoTemplate {
    /** Path of the file; empty if none is set. */
    path: string;
    /** Branch, tag or commit; null = the default branch. */
    ref: string | null;
    /** Time of the read. */
    fetched_at: number | null;
    /** Title of issues: that of the file, or the built-in one. Null if the file cannot be read. */
    title_template: string | null;
    /** Text of issues, likewise. */
    body_template: string | null;
    /** Labels of the file. */
    labels: string[];
    /** The error, if the file cannot be read. */
    error: string | null;
}

/** The data of a repository for a new project. */
export interface CodehostRepoPreview {
    /** Owner and name of the repository with a hyphen between them, in lower case. */
    project_key: string;
    /** Owner and name with a slash between them. */
    name: string;
    /** Address of the repository. */
    repo_url: string;
    /** Description of the repository. */
    description: string | null;
    /** Owner of the repository. */
    author: string | null;
    /** Page of the owner. */
    author_homepage_url: string | null;
    /** Picture of the owner. */
    icon_url: string | null;
    /** Website of the repository, if that is an absolute address. */
    website_url: string | null;
    /** Always null. */
    docs_url: null;
    /** When the repository was created. */
    published_at: number | null;
    /** Always null. */
    optional_update_min_comparable_version: null;
    /** Always null. */
    optional_update_max_comparable_version: null;
}

/** The version that a release would become. */
export interface CodehostReleasePreview {
    /** The tag without a leading v. */
    version: string;
    /** The same; it may not be comparable. */
    comparable_version: string;
    /** Name of the release. */
    title?: string | undefined;
    /** Text of the release. Markdown. */
    content?: string | undefined;
    /** The first attachment, else the source archive, else the page of the release. */
    download_url?: string | undefined;
    /** The attachments. */
    download_links: DownloadLink[];
    /** Always false. */
    forced: boolean;
    /** The opposite of `is_preview`. */
    is_latest: boolean;
    /** Whether it is a prerelease. */
    is_preview: boolean;
    /** Always false. */
    is_milestone: boolean;
    /** Always false. */
    is_deprecated: boolean;
    /** Always null. */
    platform: null;
    /** Always empty. */
    platforms: Platform[];
    /** Publication time. */
    published_at: number;
    /** Origin of the release: `source`, `owner`, `repo`, `release_tag`. */
    custom_data: {
        [key: string]: unknown;
    };
}

/** The result of an import of releases. */
export interface CodehostImport {
    /** Releases that became versions. */
    imported: number;
    /** Releases without a comparable tag, and releases that were already versions. */
    skipped: number;
    /** Releases that were read, without drafts. */
    scanned: number;
}

/** A version, with the fields for apps. */
export interface PublicVersion {
    /** Id of the version. */
    id: string;
    /** Display version. */
    version: string;
    /** Determines which version is newer. */
    comparable_version: string;
    /** Headline. */
    title: string | null;
    /** Release notes. Markdown. */
    content: string | null;
    locale: AnsweredLocale;
    locale_message?: LocaleMessage | undefined;
    /** The single download. */
    download_url: string | null;
    /** All downloads. */
    download_links: DownloadLink[];
    /** Always false; kept for older clients. */
    forced: boolean;
    /** Whether it is marked as the latest. A project has at most one. */
    is_latest: boolean;
    /** For testers only. */
    is_preview: boolean;
    /** Channel on which it is published. A version is a preview on all channels but `stable`. */
    channel: string;
    /** Must not be skipped. */
    is_milestone: boolean;
    /** Its users must update. */
    is_deprecated: boolean;
    /** The only platform; the older form of `platforms`. */
    platform: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null;
    /** The platforms; empty for all. */
    platforms: Platform[];
    /** Data of the app. */
    custom_data: {
        [key: string]: unknown;
    } | null;
    /** Publication time. */
    published_at: number;
    /** Time of the creation at this server. */
    created_at: number;
    /** Time of the withdrawal; null: not yanked. */
    yanked_at: number | null;
    /** Reason of the withdrawal. */
    yank_reason: string | null;
}

/** A page of versions, with all fields. */
export interface VersionPage {
    /** Number of items on all pages. */
    total: number;
    total_is_estimate?: TotalIsEstimate | undefined;
    /** The items of this page. */
    data: Version[];
}

/** A page of versions, with the fields for apps. */
export interface PublicVersionPage {
    /** Number of items on all pages. */
    total: number;
    total_is_estimate?: TotalIsEstimate | undefined;
    /** The items of this page. */
    data: PublicVersion[];
}

/** The number of versions. */
export interface VersionStatistics {
    /** Number of versions in all projects. */
    total_versions: number;
    /** Number of projects with at least one version. */
    total_projects: number;
    /** Always 0; kept for older clients. */
    forced_versions: 0;
    /** Creation time of the newest version. */
    latest_version_time: number | null;
    /** Creation time of the oldest version. */
    first_version_time: number | null;
}

/** The changeable fields of an announcement. */
export interface AnnouncementFields {
    /** Headline; not blank. */
    title?: string | undefined;
    /** Text; may be blank. Markdown. */
    content?: string | undefined;
    /**
     * Listed before the others.
     * Default `false`.
     */
    is_pinned?: boolean | undefined;
    /**
     * Visible to administrators only.
     * Default `false`.
     */
    is_hidden?: boolean | undefined;
    /** The platforms; empty for all. */
    platforms?: Platform[] | null | undefined;
    /** Author. */
    author?: string | null | undefined;
    /** Least comparable version of clients it is for. Blank is null: no lower end. */
    min_comparable_version?: string | null | undefined;
    /** Greatest comparable version of clients it is for, not below the least. Blank is null: no upper end. */
    max_comparable_version?: string | null | undefined;
    /** Replaces all translations. Only for registered languages. */
    translations?: AnnouncementTranslationInput[] | null | undefined;
    /** Publication time. Default at creation: now. A time in the future does not hide it. */
    published_at?: number | undefined;
    /** Time from which clients no longer see it, later than `published_at`; null for never. */
    expires_at?: number | null | undefined;
}

/** A new announcement. */
export type AnnouncementCreate = AnnouncementFields & Record<string, never>;

/** A new announcement of the project that the body names. */
export type AnnouncementCreateByKey = AnnouncementCreate & {
    /** Key or former key of the project. */
    project_key: string;
};

/** Texts of an announcement in one language. */
export interface AnnouncementTranslationInput {
    /** Tag of a registered language. */
    locale: string;
    /** The headline in this language; blank or null means untranslated. */
    title?: string | null | undefined;
    /** The text in this language; blank or null means untranslated. */
    content?: string | null | undefined;
    /**
     * Hides the announcement from readers of this language. An entry may do only that.
     * Default `false`.
     */
    is_hidden?: boolean | undefined;
}

/** Texts of an announcement in one language. */
export interface AnnouncementTranslation {
    /** Primary tag of the language. */
    locale: string;
    /** The headline in this language. */
    title: string | null;
    /** The text in this language. */
    content: string | null;
    /** Hidden from readers of this language. */
    is_hidden: boolean;
}

/** An announcement, with all fields. */
export interface Announcement {
    /** Id of the announcement. */
    id: string;
    /** Headline. */
    title: string;
    /** Text; may be blank. Markdown. */
    content: string;
    /** Listed before the others. */
    is_pinned: boolean;
    /** Visible to administrators only. */
    is_hidden: boolean;
    /** The platforms; empty for all. */
    platforms: Platform[];
    /** Author. */
    author: string | null;
    /** Least comparable version of clients it is for, itself included; null for no lower end. */
    min_comparable_version: string | null;
    /** Greatest comparable version of clients it is for, itself included; null for no upper end. */
    max_comparable_version: string | null;
    /** Always null here: administrators see the default texts. */
    locale: null;
    /** Translations, in the order of the registered languages. */
    translations?: AnnouncementTranslation[] | undefined;
    /** Publication time. */
    published_at: number;
    /** Time from which clients no longer see it; null for never. */
    expires_at: number | null;
    /** Time of the creation at this server. */
    created_at: number;
    /** Time of the last change. */
    updated_at: number;
}

/** An announcement, with the fields for apps. */
export interface PublicAnnouncement {
    /** Id of the announcement. */
    id: string;
    /** Headline. */
    title: string;
    /** Text; may be blank. Markdown. */
    content: string;
    /** Listed before the others. */
    is_pinned: boolean;
    /** Always false here. */
    is_hidden: boolean;
    /** The platforms; empty for all. */
    platforms: Platform[];
    /** Author. */
    author: string | null;
    /** Least comparable version of clients it is for, itself included; null for no lower end. */
    min_comparable_version: string | null;
    /** Greatest comparable version of clients it is for, itself included; null for no upper end. */
    max_comparable_version: string | null;
    locale: AnsweredLocale;
    locale_message?: LocaleMessage | undefined;
    /** Publication time. */
    published_at: number;
    /** Time from which clients no longer see it; null for never. */
    expires_at: number | null;
    /** Time of the creation at this server. */
    created_at: number;
    /** Time of the last change. */
    updated_at: number;
}

/** A page of announcements, with all fields. */
export interface AnnouncementPage {
    /** Number of items on all pages. */
    total: number;
    total_is_estimate?: TotalIsEstimate | undefined;
    /** The items of this page. */
    data: Announcement[];
}

/** A page of announcements, with the fields for apps. */
export interface PublicAnnouncementPage {
    /** Number of items on all pages. */
    total: number;
    total_is_estimate?: TotalIsEstimate | undefined;
    /** The items of this page. */
    data: PublicAnnouncement[];
}

/** The number of announcements. */
export interface AnnouncementStatistics {
    /** Number of announcements in all projects. */
    count: number;
    /** Number of pinned ones. */
    pinned_count: number;
}

/** The options of a feedback form. */
export interface FeedbackOptions {
    /** Key of the project. */
    project_key: string;
    /** Whether feedback can become an issue at the code host. */
    codehost_forward_available: boolean;
    /** Whether forwarding needs a contact. The same as the field before. */
    contact_required_for_forward: boolean;
}

/** The state of feedback. Any state may follow any other. */
export type FeedbackState = "open" | "in_progress" | "resolved" | "closed" | (string & {});

/** Feedback from an app. */
export interface FeedbackInput {
    /** User, as named by the app. */
    user_id?: string | null | undefined;
    /** 1, the worst, to 5. */
    rating?: number | null | undefined;
    /** Text; may be empty. */
    content: string;
    /** Contact for a reply; any text. */
    contact?: string | null | undefined;
    /** Platform of the sender. */
    platform?: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null | undefined;
    /** Version of the system. */
    platform_version?: string | null | undefined;
    /** Any data of the app, at most 64 KiB, or `submission_data_max_kib`; 413 above. */
    custom_data?: {
        [key: string]: unknown;
    } | null | undefined;
    /**
     * Creates an issue at the code host. Refused with 400 if that is not possible, see the options.
     * Default `false`.
     */
    forward_to_codehost?: boolean | undefined;
}

/** The changeable fields of feedback. */
export interface FeedbackFields {
    /** Sender. */
    user_id?: string | null | undefined;
    /** 1, the worst, to 5. */
    rating?: number | null | undefined;
    /** Text; may be empty. */
    content?: string | undefined;
    /** Contact for a reply; any text. */
    contact?: string | null | undefined;
    /**
     * Not listed by default. It still counts.
     * Default `false`.
     */
    is_hidden?: boolean | undefined;
    status?: FeedbackState | undefined;
    /** Outcome, a note for administrators. */
    result?: string | null | undefined;
    /** Reply to the sender, readable with the `reply_token`. Blank or null means none. */
    reply?: string | null | undefined;
    /** Platform of the sender. */
    platform?: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null | undefined;
    /** Version of the system. */
    platform_version?: string | null | undefined;
    /** Any data. */
    custom_data?: {
        [key: string]: unknown;
    } | null | undefined;
}

/** Feedback that an administrator adds. */
export type FeedbackCreate = FeedbackFields & Record<string, never>;

/** A change of several feedback records. At least one of `status` and `hidden` is required. */
export interface FeedbackBulk {
    /** Ids of the feedback. */
    ids: string[];
    status?: FeedbackState | undefined;
    /** Not listed by default. */
    hidden?: boolean | undefined;
}

/** The result of a change of several records. */
export interface Updated {
    /** Number of the records that the request names. */
    updated: number;
}

/** The feedback of a user. */
export interface Feedback {
    /** Id of the feedback. */
    id: string;
    /** User, as named by the app. */
    user_id: string | null;
    /** 1, the worst, to 5. */
    rating: number | null;
    /** Text. */
    content: string;
    /** Contact for a reply. */
    contact: string | null;
    /** Not listed by default. */
    is_hidden: boolean;
    status: FeedbackState;
    /** Outcome, a note for administrators. */
    result: string | null;
    /** Reply for the sender. */
    reply: string | null;
    /** Time of the last change of the reply; null without a reply. */
    replied_at: number | null;
    /** Platform of the sender; null if unknown. */
    platform: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null;
    /** Version of the system. */
    platform_version: string | null;
    /** Data of the app. */
    custom_data: {
        [key: string]: unknown;
    } | null;
    /** Whether it became an issue at the code host. */
    forwarded_to_codehost: boolean;
    /** Number of the issue. */
    codehost_issue_number: number | null;
    /** Address of the issue. */
    codehost_issue_url: string | null;
    /** Address of the sender. Null, like the next five, for what an administrator added. */
    ip: string | null;
    /** User-Agent of the sender, at most 512 characters. */
    user_agent: string | null;
    /** Country of the address, ISO 3166-1; `LOCAL` for one of a private network. */
    country_code: string | null;
    /** Name of the country. */
    country_name: string | null;
    /** Name of the state or province. */
    region_name: string | null;
    /** Name of the city. */
    city: string | null;
    /** Time when it was stored. */
    created_at: number;
    /** Token that reads the reply. Only in the answer to a submission; the same for each repetition of it. */
    reply_token?: string | undefined;
}

/** The reply to feedback. */
export interface FeedbackReply {
    /** Id of the feedback. */
    id: string;
    status: FeedbackState;
    /** The reply; null if there is none yet. */
    reply: string | null;
    /** Time of the last change of the reply; null without a reply. */
    replied_at: number | null;
}

/** A page of feedback. */
export interface FeedbackPage {
    /** Number of items on all pages. */
    total: number;
    total_is_estimate?: TotalIsEstimate | undefined;
    /** The items of this page. */
    data: Feedback[];
}

/** The amount of feedback. */
export interface FeedbackStatistics {
    /** Number of feedback in all projects. */
    count: number;
    /** Number of feedback with a rating. */
    rate_count: number;
    /** Mean of the ratings, not rounded; null without ratings. */
    rate_avg: number | null;
}

/** The ratings in a range of time. */
export interface FeedbackRatings {
    /** First second of the range. */
    start_time: number;
    /** Last second of the range. */
    end_time: number;
    /** All feedback in the range, with and without a rating. */
    total: number;
    /** Number of feedback without a rating. */
    unrated: number;
    /** Mean of the ratings, not rounded; null without ratings. */
    average_rating: number | null;
    /** One entry for each rating, ascending. */
    by_rating: RatingCount[];
}

/** The count of a rating. */
export interface RatingCount {
    /** The rating. */
    rating: number;
    /** Number of entries. */
    count: number;
}

/** A level: 0 debug, 1 info, 2 warning, 3 error. */
export type LogLevel = number;

/** A change of the visibility of several logs. */
export interface LogBulk {
    /** Ids of the logs. */
    ids: string[];
    /** Not listed by default. */
    hidden: boolean;
}

/** A log from an app. */
export interface LogInput {
    level: LogLevel;
    /** Message; may be empty. */
    content: string;
    /** Location in the app. */
    source?: string | null | undefined;
    /** Description of the device by the app. */
    device_info?: {
        [key: string]: unknown;
    } | null | undefined;
    /** Any data of the app. With `device_info` at most 64 KiB, or `submission_data_max_kib`; 413 above. */
    custom_data?: {
        [key: string]: unknown;
    } | null | undefined;
    /** Platform in the app's words, such as `windows 11`. An unknown one is ignored. */
    platform?: string | null | undefined;
    /** Version of the system. A text longer than 32 characters is ignored. */
    platform_version?: string | null | undefined;
}

/** A log that an administrator adds. */
export interface LogCreate {
    level: LogLevel;
    /** Message; may be empty. */
    content: string;
    /** Location in the app. */
    source?: string | null | undefined;
    /** Description of the device. */
    device_info?: {
        [key: string]: unknown;
    } | null | undefined;
    /** Any data. */
    custom_data?: {
        [key: string]: unknown;
    } | null | undefined;
    /**
     * Not listed by default. It still counts.
     * Default `false`.
     */
    is_hidden?: boolean | undefined;
    /** Platform. */
    platform?: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null | undefined;
    /** Version of the system. */
    platform_version?: string | null | undefined;
}

/** The conditions of a deletion of logs: at least one of `end_time`, `level` and `ip`. */
export interface LogPrune {
    /** Logs created before this moment. */
    end_time?: number | null | undefined;
    /** Logs of this level: 0 is debug, 1 info, 2 warning, 3 error. */
    level?: number | null | undefined;
    /** Logs from this address, as it is stored. */
    ip?: string | null | undefined;
    /**
     * Only counts.
     * Default `false`.
     */
    dry_run?: boolean | undefined;
}

/** The numbers of matched and deleted logs. */
export interface PrunedLogs {
    /** Logs that meet the conditions. */
    matched: number;
    /** Deleted logs; 0 with `dry_run`. */
    deleted: number;
}

/** The visibility of a log. */
export interface LogChange {
    /** Not listed by default. Left out: no change. */
    is_hidden?: boolean | undefined;
}

/** A log of an app. */
export interface Log {
    /** Id of the log. */
    id: string;
    level: LogLevel;
    /** Message. */
    content: string;
    /** Location in the app. */
    source: string | null;
    /** Description of the device by the app; untrusted. */
    device_info: {
        [key: string]: unknown;
    } | null;
    /** Data of the app. */
    custom_data: {
        [key: string]: unknown;
    } | null;
    /** Not listed by default. */
    is_hidden: boolean;
    /** Platform; null if unknown. */
    platform: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null;
    /** Version of the system. */
    platform_version: string | null;
    /** Address of the sender. Null, like the next five, for what an administrator added. */
    ip: string | null;
    /** User-Agent of the sender, at most 512 characters. */
    user_agent: string | null;
    /** Country of the address, ISO 3166-1; `LOCAL` for one of a private network. */
    country_code: string | null;
    /** Name of the country. */
    country_name: string | null;
    /** Name of the state or province. */
    region_name: string | null;
    /** Name of the city. */
    city: string | null;
    /** Time when it was stored. */
    created_at: number;
    /** Id of the group of equal logs. Null for logs of level 0 and 1, and for what an administrator added. */
    group_id: string | null;
    /** Version of the app: `app_version` in `device_info`, or else in `custom_data`. */
    app_version: string | null;
}

/** State of the work on a group. */
export type LogGroupState = "open" | "resolved" | "muted" | (string & {});

/** A group of equal logs. */
export interface LogGroupSummary {
    /** Fingerprint of the logs; `overflow` if there were too many groups. */
    id: string;
    /** Type and message of the error, without numbers and the like; or the `group_key` of its logs. */
    title: string;
    level: LogLevel;
    /** Location in the app. */
    source: string | null;
    state: LogGroupState;
    /** Version in which the error is fixed. */
    resolved_in: string | null;
    /** Time when it was resolved. */
    resolved_at: number | null;
    /** Time when a log last opened it again. */
    regressed_at: number | null;
    /** End of the muting; null in the state `muted` = forever. */
    muted_until: number | null;
    /** Number of logs, including deleted ones. */
    count: number;
    /** `count` and the repetitions that clients report in `custom_data.repeated`. */
    occurrences: number;
    /** Time of the first log. */
    first_seen: number;
    /** Time of the last log. */
    last_seen: number;
    /** Lowest version of the app. */
    first_version: string | null;
    /** Greatest version of the app. */
    last_version: string | null;
    /** Note of the administrator. */
    note: string | null;
}

/** A group of equal logs, with its numbers by version, platform and hour. */
export interface LogGroup {
    /** Fingerprint of the logs; `overflow` if there were too many groups. */
    id: string;
    /** Type and message of the error, without numbers and the like; or the `group_key` of its logs. */
    title: string;
    level: LogLevel;
    /** Location in the app. */
    source: string | null;
    state: LogGroupState;
    /** Version in which the error is fixed. */
    resolved_in: string | null;
    /** Time when it was resolved. */
    resolved_at: number | null;
    /** Time when a log last opened it again. */
    regressed_at: number | null;
    /** End of the muting; null in the state `muted` = forever. */
    muted_until: number | null;
    /** Number of logs, including deleted ones. */
    count: number;
    /** `count` and the repetitions that clients report in `custom_data.repeated`. */
    occurrences: number;
    /** Time of the first log. */
    first_seen: number;
    /** Time of the last log. */
    last_seen: number;
    /** Lowest version of the app. */
    first_version: string | null;
    /** Greatest version of the app. */
    last_version: string | null;
    /** Note of the administrator. */
    note: string | null;
    /** Versions of the app, the greatest first. */
    versions: LogGroupVersion[];
    /** Platforms, the most frequent first. */
    platforms: LogGroupPlatform[];
    /** Number of logs by hour, the oldest first; the last is the running hour. */
    hours: number[];
}

/** The logs of a group that come from one version of the app. */
export interface LogGroupVersion {
    /** Version; null for logs without one. */
    version: string | null;
    /** Number of logs. */
    count: number;
    /** Time of the first one. */
    first_seen: number;
    /** Time of the last one. */
    last_seen: number;
}

/** The logs of a group that come from one platform. */
export interface LogGroupPlatform {
    /** Platform; null if unknown. */
    platform: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null;
    /** Number of logs. */
    count: number;
}

/** A page of groups of logs. */
export interface LogGroupPage {
    /** Number of items on all pages. */
    total: number;
    /** The items of this page. */
    data: LogGroupSummary[];
}

/** Changes of a group. A field that is left out keeps its value. */
export interface LogGroupUpdate {
    state?: LogGroupState | undefined;
    /** Version in which the error is fixed, in the state `resolved`: a comparable version, or a version of the project. */
    resolved_in?: string | null | undefined;
    /** End of the muting, in the state `muted`; must lie in the future. `muted` without it is forever. */
    muted_until?: number | null | undefined;
    /** Note of the administrator. */
    note?: string | null | undefined;
}

/** A page of logs. */
export interface LogPage {
    /** Number of items on all pages. */
    total: number;
    total_is_estimate?: TotalIsEstimate | undefined;
    /** The items of this page. */
    data: Log[];
}

/** The number of logs. */
export interface LogStatistics {
    /** Number of logs in all projects. */
    count: number;
    /** Number of logs of level 0. */
    debug_count: number;
    /** Number of logs of level 1. */
    info_count: number;
    /** Number of logs of level 2. */
    warning_count: number;
    /** Number of logs of level 3. */
    error_count: number;
}

/** The logs in a range of time by level. */
export interface LogLevels {
    /** First second of the range. */
    start_time: number;
    /** Last second of the range. */
    end_time: number;
    /** All logs in the range. */
    total: number;
    /** One entry for each level, ascending. */
    by_level: LevelCount[];
}

/** The number of logs of a level. */
export interface LevelCount {
    level: LogLevel;
    /** Number of entries. */
    count: number;
}

/** A kind of record. */
export type SearchKind = "project" | "version" | "announcement" | "feedback" | "log" | (string & {});

/** A record that was found. */
export interface SearchHit {
    kind: SearchKind;
    /** Key of its project. */
    project_key: string;
    /** Id of the record. */
    id: string;
    /** Title in one line. */
    title: string;
    /** The part of a text that matches; cut ends have an ellipsis. */
    excerpt: string;
    /** Time of the creation at this server. */
    created_at: number;
}

/** A page of search results. */
export interface SearchPage {
    /** Number of matches. */
    total: number;
    total_is_estimate?: TotalIsEstimate | undefined;
    /** The newest matches. */
    data: SearchHit[];
}

/** A kind of request; successful ones are counted. */
export type CountedEndpoint = "PROJECT_DETAIL" | "VERSION_LIST" | "VERSION_LATEST" | "VERSION_LATEST_PREVIEW" | "VERSION_BY_VERSION" | "VERSION_CHECK_UPDATE" | "ANNOUNCEMENT_LIST" | "ANNOUNCEMENT_LATEST" | "FEEDBACK_SUBMIT" | "LOG_UPLOAD" | "EVENT_INGEST" | "VERSION_ASSETS" | "VERSION_NOTES" | "FEED" | (string & {});

/** A dimension of series. */
export type SeriesGroup = "endpoint" | "platform" | (string & {});

/** A platform in statistics. */
export type CountedPlatform = "WINDOWS" | "LINUX" | "MACOS" | "IOS" | "ANDROID" | "WEB" | "OTHERS" | (string & {});

/** The requests in a range of time. */
export interface RequestOverview {
    /** First second of the range. */
    start_time: number;
    /** Last second of the range. */
    end_time: number;
    /** Number of requests. */
    total: number;
    /** By kind, the most frequent first. */
    by_endpoint: EndpointCount[];
    /** By platform, the most frequent first. */
    by_platform: PlatformCount[];
    /** By region, the most frequent first. */
    by_region: RegionCount[];
    /** By province, the most frequent first; for requests from region CN with a known province. */
    by_province: ProvinceCount[];
}

/** The number of requests of a kind. */
export interface EndpointCount {
    endpoint: CountedEndpoint;
    /** Number. */
    count: number;
}

/** The number of requests from a platform. */
export interface PlatformCount {
    platform: CountedPlatform;
    /** Number. */
    count: number;
}

/** The number of requests from a country. */
export interface RegionCount {
    /** A country (ISO 3166-1 alpha-2), `LOCAL` for private addresses, or `UNKNOWN`. */
    region: string;
    /** Number. */
    count: number;
}

/** The number of requests from a province. */
export interface ProvinceCount {
    /** Code of the province (GB/T 2260). */
    code: string;
    /** Name of the province, or its code if unknown. */
    name: string;
    /** Number. */
    count: number;
}

/** A point of a series. */
export interface Bucket {
    /** Start of the bucket. */
    bucket: number;
    /** Number. */
    count: number;
}

/** Requests over time. */
export interface RequestSeries {
    /** First second of the range. */
    start_time: number;
    /** Last second of the range. */
    end_time: number;
    /** Length of a bucket. */
    granularity: "hour" | "day" | (string & {});
    /** The requested offset. */
    tz_offset_minutes: number;
    /** The only counted kind; null for all. */
    endpoint: "PROJECT_DETAIL" | "VERSION_LIST" | "VERSION_LATEST" | "VERSION_LATEST_PREVIEW" | "VERSION_BY_VERSION" | "VERSION_CHECK_UPDATE" | "ANNOUNCEMENT_LIST" | "ANNOUNCEMENT_LATEST" | "FEEDBACK_SUBMIT" | "LOG_UPLOAD" | "EVENT_INGEST" | "VERSION_ASSETS" | "VERSION_NOTES" | "FEED" | (string & {}) | null;
    /** Dimension of the series. */
    group_by: "endpoint" | "platform" | (string & {}) | null;
    /** All requests, ascending. */
    data: Bucket[];
    /** One series for each value, the most frequent first; null without `group_by`. */
    series: ValueSeries[] | null;
}

/** The series of one value. */
export interface ValueSeries {
    /** The value: an endpoint, a name, a platform or a region. */
    key: string;
    /** The same buckets as those of all requests. */
    data: Bucket[];
}

/** The number of update checks over time by version. */
export interface VersionAdoption {
    /** First second of the range. */
    start_time: number;
    /** Last second of the range. */
    end_time: number;
    /** Length of a bucket. */
    granularity: "hour" | "day" | (string & {});
    /** The requested offset. */
    tz_offset_minutes: number;
    /** One series for each version, the most frequent first. */
    series: VersionSeries[];
}

/** The series of one version. */
export interface VersionSeries {
    /** The version that was sent. `(other)` represents the versions beyond the limit of the server. */
    version: string;
    /** Update checks, ascending. */
    data: Bucket[];
}

/** What needs attention in a project. */
export interface Today {
    /** The most urgent finding first. */
    data: Finding[];
}

/** A fact about a project that needs attention. */
export interface Finding {
    kind: FindingKind;
    /** How urgent it is; 100 is the most urgent. */
    weight: number;
    values: FindingValues;
    /** The figure over time, oldest first: days, or hours of errors. Empty if the finding has none. */
    series: number[];
    /** Path of the console that shows more. It names no project. */
    link: string;
}

/** What needs attention on the server. */
export interface InstanceToday {
    /** The most urgent finding first. */
    data: TodayFinding[];
}

/** A fact about a project or the server that needs attention. */
export interface TodayFinding {
    kind: FindingKind;
    /** How urgent it is; 100 is the most urgent. */
    weight: number;
    values: FindingValues;
    /** The figure over time, oldest first: days, or hours of errors. Empty if the finding has none. */
    series: number[];
    /** Path of the console that shows more. It names no project. */
    link: string;
    /** Key of the project; null for the server itself. */
    project_key: string | null;
}

/**
 * `no_file`: clients must update to a version that has no download. `no_backup`, only of the server: a
 * scheduled backup is missing. `regressed_errors`: groups of logs that were resolved have been reopened in the
 * last day. `errors`: the last day has at least twice the errors of a usual day. `new_errors`: groups of logs
 * were created in the last day. `feedback_waiting`: feedback is open. `must_update`: clients run versions that
 * they must leave. `announcement_ends`: an announcement expires within seven days. `no_version`: nothing has been published. `adoption`: the share of the latest version.
 */
export type FindingKind = "no_file" | "no_backup" | "regressed_errors" | "errors" | "new_errors" | "feedback_waiting" | "must_update" | "announcement_ends" | "no_version" | "adoption" | (string & {});

/** The figures of a finding. Each kind has its own; the others are left out. */
export interface FindingValues {
    /** Update checks of seven days, for `adoption` those of the last day; errors of the last day; groups of logs; or open feedback. */
    count?: number | undefined;
    /** The version that clients must update to, the latest one, or the range of versions of the announcement; left out if it has no limits. */
    version?: string | undefined;
    /** Share of the latest version among the update checks of the last day. */
    share?: number | undefined;
    /** Whole days since the version was published. */
    days?: number | undefined;
    /** Median of the errors of the seven days before. */
    usual?: number | undefined;
    /** Start of the first hour of the rise: it has more than twice the errors of a usual hour and at least a quarter of those of the worst hour. For `no_backup` the time of the last backup; left out if there is none. */
    since?: number | undefined;
    /** Open feedback with the lowest rating. */
    one_star?: number | undefined;
    /** Title of the announcement, or of the group with the most logs. */
    title?: string | undefined;
    /** Time at which it expires. */
    until?: number | undefined;
}

/**
 * Update checks of the last seven days by what the update check tells their clients now. The sum of `required`,
 * `optional`, `current` and `unknown` is `checks`.
 */
export interface VersionUsage {
    /** First second of the range. */
    start_time: number;
    /** Last second of the range. */
    end_time: number;
    /** All update checks. */
    checks: number;
    /** Of clients that must update. */
    required: number;
    /** Of clients that may update. */
    optional: number;
    /** Of clients for which there is nothing newer. */
    current: number;
    /** Of clients that cannot be compared. All if nothing has been published. */
    unknown: number;
    /** The latest version; null if there is none. */
    latest: LatestShare | null;
    /** The versions of the clients, most update checks first. The totals also include versions beyond the limit. */
    data: VersionUsageLine[];
}

/** The latest version and its share. */
export interface LatestShare {
    /** ID of the version. */
    id: string;
    /** Display version. */
    version: string;
    /** Share of the update checks of the last 24 hours. 0 if there were none. */
    share: number;
}

/** The update checks of the clients with one version. */
export interface VersionUsageLine {
    /** ID of the version; null if it is not registered. */
    id: string | null;
    /** The registered display version, else the version that was sent. `(other)` represents the versions beyond the limit of the server. */
    version: string;
    /** Number of update checks. */
    checks: number;
    /** Share of all update checks. */
    share: number;
    decision: VersionDecision;
    /** Version that the update check names; null if there is none. */
    target: string | null;
    /** Whether that version has a download. */
    target_has_file: boolean;
}

/** Result of an update check: the client must update, may update, has nothing newer, or has a version that cannot be compared. */
export type VersionDecision = "required" | "optional" | "current" | "unknown" | (string & {});

/** Width of the entries of a series. */
export type SeriesInterval = "hour" | "day" | (string & {});

/** Logs over time. */
export interface LogSeries {
    /** First second of the range. */
    start_time: number;
    /** Last second of the range. */
    end_time: number;
    interval: SeriesInterval;
    /** UTC offset of the caller in minutes. */
    tz_offset_minutes: number;
    /** The search has more matches than are counted. The newest are. */
    truncated: boolean;
    /** Every hour or day, ascending. */
    data: LogSeriesEntry[];
}

/** The logs of an hour or day. */
export interface LogSeriesEntry {
    /** First second of the hour or day, which may lie before the range. */
    time: number;
    /** All logs. */
    total: number;
    /** Logs by level: 0 debug, 1 info, 2 warning, 3 error. */
    levels: {
        [key: string]: number;
    };
}

/** Feedback over time. */
export interface FeedbackSeries {
    /** First second of the range. */
    start_time: number;
    /** Last second of the range. */
    end_time: number;
    interval: SeriesInterval;
    /** UTC offset of the caller in minutes. */
    tz_offset_minutes: number;
    /** The search has more matches than are counted. The newest are. */
    truncated: boolean;
    /** Every hour or day, ascending. */
    data: FeedbackSeriesEntry[];
}

/** The feedback of an hour or day. */
export interface FeedbackSeriesEntry {
    /** First second of the hour or day, which may lie before the range. */
    time: number;
    /** All feedback. */
    count: number;
    /** Sum of the ratings. */
    rating_sum: number;
    /** Feedback with a rating. */
    rating_count: number;
}

/** Downloads of files. */
export interface Downloads {
    /** First second of the range. */
    start_time: number;
    /** Last second of the range. */
    end_time: number;
    /** Downloads of all files. */
    total: number;
    /** The files, most downloads first. */
    data: FileDownloads[];
}

/** Downloads of a file. */
export interface FileDownloads {
    /** ID of the file. `(other)` represents the files beyond the limit of the server. */
    file_id: string;
    /** Name of the file; null if it has been deleted. */
    name: string | null;
    /** Number of downloads. */
    count: number;
    /** Every day, ascending. */
    series: TimedCount[];
}

/** A number of a point in time. */
export interface TimedCount {
    /** First second. */
    time: number;
    /** The number. */
    count: number;
}

/** A version after its release, beside the one before it. */
export interface VersionReport {
    version: ReleaseReport;
    /** The official version that was published last before it; null if there is none. */
    previous: ReleaseReport | null;
}

/** Report on a version since its release. */
export interface ReleaseReport {
    /** ID of the version. */
    id: string;
    /** Display version. */
    version: string;
    /** Title. */
    title: string | null;
    /** Time of the release. */
    published_at: number;
    /** Share of the version in the update checks of the last 24 hours; 0 if there were none. */
    share: number;
    /** Update checks since the hour of the release, for at most 30 days: every hour in the first three days, afterwards every 24 hours. */
    adoption: AdoptedEntry[];
    errors: ErrorsAround;
    rating: RatingAround;
    /** Files to which the version links, most downloads first. */
    downloads: FileDownloads[];
    behind: BehindClients;
}

/** The share of a version in an hour or day. */
export interface AdoptedEntry {
    /** First second. */
    time: number;
    /** Update checks of the version. */
    checks: number;
    /** Share of all update checks; 0 if there were none. */
    share: number;
}

/** Errors in equal windows before and after a release. */
export interface ErrorsAround {
    /** Logs of level 3 before. */
    before: number;
    /** Logs of level 3 after. */
    after: number;
    /** Length of each window in seconds, also of the ratings. */
    window: number;
}

/** Ratings in equal windows before and after a release. */
export interface RatingAround {
    before: RatingMean;
    after: RatingMean;
}

/** Ratings of a window. */
export interface RatingMean {
    /** Feedback with a rating. */
    count: number;
    /** Mean of the ratings; null if there are none. */
    average: number | null;
}

/** Update checks of the last 24 hours by clients with a lower version. */
export interface BehindClients {
    /** All of them. */
    checks: number;
    /** The reasons that apply. */
    reasons: BehindReason[];
}

/** Why clients do not run a version yet. */
export interface BehindReason {
    /**
     * `required` and `optional`: the update check offers it. `milestone`: the client must install a lower
     * milestone first. `platform`: it is not for the client's platform. `preview`: it is a preview.
     * `unknown`: the client cannot be compared, or is not offered anything. `not_offered`: the version
     * is offered to nobody, because it was withdrawn, is deprecated, or its rollout was aborted.
     */
    reason: "required" | "optional" | "milestone" | "platform" | "preview" | "unknown" | "not_offered" | (string & {});
    /** Number of update checks. */
    checks: number;
}

/** The number of update checks by version. */
export interface ClientVersions {
    /** First second of the range. */
    start_time: number;
    /** Last second of the range. */
    end_time: number;
    /** Number for all versions. */
    total: number;
    /** The entries, most frequent first. */
    data: ClientVersionCount[];
}

/** The number of update checks of a version. */
export interface ClientVersionCount {
    /** The version that was sent. `(other)` represents the versions beyond the limit of the server. */
    version: string;
    /** Number of update checks. */
    count: number;
}

/** The number of requests by version of the system. */
export interface PlatformVersions {
    /** First second of the range. */
    start_time: number;
    /** Last second of the range. */
    end_time: number;
    /** Number for all systems. */
    total: number;
    /** The entries, most frequent first. */
    data: PlatformVersionCount[];
}

/** The number of requests from a version of a system. */
export interface PlatformVersionCount {
    platform: CountedPlatform;
    /** Version in lower case; empty if not reported, `(other)` for versions beyond the limit of the server. */
    platform_version: string;
    /** Number of requests. */
    count: number;
}

/** The counts by weekday and hour. */
export interface Heatmap {
    /** First second of the range. */
    start_time: number;
    /** Last second of the range. */
    end_time: number;
    /** The requested offset. */
    tz_offset_minutes: number;
    /** Every hour of the week, ascending. */
    data: HeatmapCell[];
}

/** The count of an hour of a weekday. */
export interface HeatmapCell {
    /** Day of the week; 0 is Sunday. */
    weekday: number;
    /** Hour of the day. */
    hour: number;
    /** Number. */
    count: number;
}

/** The events of one identifier. */
export interface EventBatch {
    /** Identifier of the sender: an anonymous text made by the app. Stored unchanged. */
    distinct_id: string;
    /** Session of the batch; empty is none. */
    session_id?: string | null | undefined;
    /** The events; at most 50, unless the server has another limit. */
    events: EventInput[];
    /** Platform in the app's words, such as `windows 11`. An unknown one is ignored. */
    platform?: string | null | undefined;
    /** Version of the system. A text longer than 32 characters is ignored. */
    platform_version?: string | null | undefined;
    /** The same as the header `x-svc-client-time`, which takes precedence. For beacons, which cannot have headers. */
    client_time?: string | null | undefined;
}

/** An event, as sent. */
export interface EventInput {
    /** Unique id of the event in the project; an event with a known id is not stored again. A UUID is suitable. */
    event_id: string;
    /** Message. */
    name: string;
    /** Time by the client's clock. Default: the time of arrival. */
    occurred_at?: number | null | undefined;
    /** Whatever describes it, at most 100 levels. Statistics see the first level. */
    properties?: {
        [key: string]: unknown;
    } | null | undefined;
}

/** The result of a batch. */
export interface EventsAccepted {
    /** Number of newly stored events. */
    accepted: number;
    /** Number of other events: unusable names, names beyond the limit, known ids, and rejected events. */
    skipped: number;
    /** Whether nothing was stored because the client refuses tracking or the project collects no events. */
    suppressed: boolean;
    /** Whether an event was skipped because its name is new and the project has reached its limit of event names; left out otherwise. */
    names_full?: boolean | undefined;
    /** The events that break a rule; left out if there are none. */
    rejected?: RejectedEvent[] | undefined;
}

/** An event that cannot be stored. */
export interface RejectedEvent {
    /** Index in the batch, from 0. */
    index: number;
    /** The broken rule. */
    message: string;
}

/** All stored events of an identifier. */
export interface SubjectExport {
    /** The requested offset. */
    distinct_id: string;
    /** Number of events. */
    total: number;
    /** The events, from the oldest to the newest. */
    data: StoredEvent[];
}

/** An event, as stored. */
export interface StoredEvent {
    /** Message. */
    event_name: string;
    /** Id of the event, as sent. */
    event_id: string;
    /** Session, if one was sent. */
    session_id: string | null;
    /** Time by the corrected clock of the client. */
    occurred_at: number;
    /** Time of arrival. */
    received_at: number;
    /** As they were sent. */
    properties: {
        [key: string]: unknown;
    } | null;
    /** Address of the sender, as far as the server keeps it: by default without its last part. */
    ip: string | null;
    /** User-Agent of the sender, at most 512 characters. */
    user_agent: string | null;
    /** Country of the address, ISO 3166-1; `LOCAL` for one of a private network. */
    country_code: string | null;
    /** Name of the country. */
    country_name: string | null;
    /** Name of the state or province. */
    region_name: string | null;
    /** Name of the city. */
    city: string | null;
    /** Platform; null if unknown. */
    platform: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null;
    /** Version of the system. */
    platform_version: string | null;
}

/** The number of deleted events. */
export interface EventsErased {
    /** Always true. */
    success: boolean;
    /** Number of deleted events. */
    deleted: number;
}

/** The definition of an event name. */
export interface EventDefinition {
    /** Id of the definition. */
    event_definition_id: string;
    /** Key of the project. */
    project_key: string;
    /** Name of the events. */
    name: string;
    /** Display name. */
    display_name: string | null;
    /** Meaning of the event. */
    description: string | null;
    /** Not listed by default. The server still accepts its events. */
    archived: boolean;
    /** Time of the oldest event. */
    first_seen_time: number;
    /** Time of the newest event. */
    last_seen_time: number;
    /** Number of events in the range, by the hour. */
    range_count: number;
}

/** A page of definitions of event names. */
export interface EventDefinitionPage {
    /** Number of matches. */
    total: number;
    /** The definitions of this page. */
    data: EventDefinition[];
}

/** The changeable fields of a definition. */
export interface EventDefinitionChange {
    /** Display name. */
    display_name?: string | null | undefined;
    /** Meaning of the event. */
    description?: string | null | undefined;
    /** Not listed by default. */
    archived?: boolean | undefined;
}

/** The events in a range of time. */
export interface EventOverview {
    /** First second of the range. */
    start_time: number;
    /** Last second of the range. */
    end_time: number;
    /** Number of events. */
    total: number;
    /** Number of senders. */
    unique_users: number;
    /** Number of sessions; events without one do not count. */
    unique_sessions: number;
    /** Number of names. */
    event_types: number;
}

/** The number of events over time. */
export interface EventSeries {
    /** First second of the range. */
    start_time: number;
    /** Last second of the range. */
    end_time: number;
    /** Length of a bucket. */
    granularity: "hour" | "day" | (string & {});
    /** The requested offset. */
    tz_offset_minutes: number;
    /** The only counted name; null for all. */
    event_name: string | null;
    /** Dimension of the series. */
    group_by: "event" | "platform" | "region" | (string & {}) | null;
    /** All events or all senders, ascending. */
    data: Bucket[];
    /** One series for each value, the most frequent first; null without `group_by`. */
    series: ValueSeries[] | null;
}

/** The number of events by the values of a dimension. */
export interface EventBreakdown {
    /** First second of the range. */
    start_time: number;
    /** Last second of the range. */
    end_time: number;
    /** Dimension of the counts. */
    dimension: "event" | "platform" | "region" | "property" | (string & {});
    /** Key of the property, if one was sent. */
    property_key: string | null;
    /** Number for all values. */
    total: number;
    /** The entries, most frequent first. */
    data: ValueCount[];
}

/** The keys of properties that events have. */
export interface PropertyKeys {
    /** First second of the range. */
    start_time: number;
    /** Last second of the range. */
    end_time: number;
    /** Number of keys, also beyond the limit. */
    total: number;
    /** The keys that events had in the most hours first. */
    data: PropertyKeySeen[];
}

/** The key of a property. */
export interface PropertyKeySeen {
    /** The key. */
    key: string;
    /** Number of hours in which an event had it. */
    hours: number;
    /** Start of the newest of these hours. */
    last_seen_time: number;
}

/** The count of a value. */
export interface ValueCount {
    /** The value; empty for events with a missing or empty property. */
    key: string;
    /** The value for display: `(not reported)` if the property is missing. */
    label: string;
    /** Number of events. */
    count: number;
}

/** An integer, or a text that contains one. */
export type LooseInteger = number | string;

/**
 * Seconds since 1970, or a text that contains them. Default of the end: now; of the start: seven days
 * before the end. Both are part of the range.
 */
export type LooseTime = number | string;

/** A condition on a property. All conditions of a list must hold. */
export interface EventFilter {
    /** First-level key, exactly. */
    property: string;
    /** Comparison. Without the property only `neq`, `not_in` and `not_exists` hold. */
    op: "eq" | "neq" | "in" | "not_in" | "contains" | "gt" | "gte" | "lt" | "lte" | "exists" | "not_exists" | (string & {});
    /**
     * Value to compare with, as text: `1`, `1.0` and `"1"` are the same. For `in` and `not_in` a list,
     * or a text with commas; the first 50 count. For `gt` and similar comparisons a number.
     */
    value?: (string | number | boolean | (string | number | boolean)[]) | null | undefined;
}

/** The steps of a funnel, and the range of time. */
export interface FunnelInput {
    start_time?: LooseTime | undefined;
    end_time?: LooseTime | undefined;
    tz_offset_minutes?: LooseInteger | undefined;
    /** The steps, in order. */
    steps: FunnelStepInput[];
    window_seconds?: LooseInteger | undefined;
    /**
     * Start of a sender: its first event that fits the first step, or any of them.
     * Default `first`.
     */
    entry?: "first" | "any" | (string & {}) | undefined;
}

/** An event of a funnel. */
export interface FunnelStepInput {
    /** Name of the event, exactly. */
    event_name: string;
    /** Conditions; all must hold. */
    filters?: EventFilter[] | undefined;
}

/** The number of senders from step to step. */
export interface Funnel {
    /** First second of the range. */
    start_time: number;
    /** Last second of the range. */
    end_time: number;
    /** Seconds from the first step to the last. */
    window_seconds: number;
    /** The steps, in order. */
    data: FunnelStep[];
}

/** The number of senders of a step. */
export interface FunnelStep {
    /** Number of the step. */
    step: number;
    /** Name of the event. */
    event_name: string;
    /** Senders that reached this step. */
    users: number;
    /** Share of the senders of the previous step. */
    conversion_rate: number;
    /** Share of the senders of the first step. */
    total_conversion_rate: number;
    /** Senders of the previous step that did not reach this one. */
    dropped: number;
    /** Shortest time within which at least half of the senders of this step came from the previous one. Exact below 4,096 seconds; longer times are rounded down by less than 0.05 %. Null for the first step and without senders. */
    median_seconds: number | null;
    /** The same from the first step. */
    total_median_seconds: number | null;
}

/** The start and the return event of an analysis. */
export interface RetentionInput {
    start_time?: LooseTime | undefined;
    end_time?: LooseTime | undefined;
    tz_offset_minutes?: LooseInteger | undefined;
    /** Name of the event, exactly. */
    start_event: string;
    /** Name of the event that counts as a return; empty for any. */
    return_event?: string | undefined;
    /**
     * Length of a period. Weeks begin on Monday.
     * Default `day`.
     */
    period?: "day" | "week" | (string & {}) | undefined;
    periods?: LooseInteger | undefined;
}

/** The number of senders that returned. */
export interface Retention {
    /** First second of the range. */
    start_time: number;
    /** Last second of the range. */
    end_time: number;
    /** Length of a period. */
    period: "day" | "week" | (string & {});
    /** Number of periods of each cohort. */
    periods: number;
    /** One cohort for each period of the range, including empty ones. */
    cohorts: Cohort[];
}

/** The senders that began in the same period. */
export interface Cohort {
    /** Start of the period of the cohort. */
    cohort: number;
    /** Number of senders. */
    size: number;
    /** One cell for each period, from the period of the cohort; null if the number is not known yet. */
    cells: CohortCell[];
}

/** The number of senders of a cohort that returned in a period. */
export type CohortCell = {
    /** Periods since the period of the cohort. */
    period: number;
    /** Senders that returned. */
    users: number;
    /** Share of the cohort. */
    rate: number;
} | null;

/** The start and the length of paths. */
export interface PathsInput {
    start_time?: LooseTime | undefined;
    end_time?: LooseTime | undefined;
    tz_offset_minutes?: LooseInteger | undefined;
    /** First event of each path; empty: the first event of the sender or session. */
    start_event?: string | undefined;
    depth?: LooseInteger | undefined;
    branch_limit?: LooseInteger | undefined;
    /**
     * Extent of a path: a session, or all events of a sender.
     * Default `session`.
     */
    scope?: "session" | "user" | (string & {}) | undefined;
}

/** The events after an event, step by step. */
export interface Paths {
    /** First second of the range. */
    start_time: number;
    /** Last second of the range. */
    end_time: number;
    /** Extent of a path. */
    scope: "session" | "user" | (string & {});
    /** Number of evaluated events of a path. */
    depth: number;
    /** Whether a step had more branches than the list contains. */
    truncated: boolean;
    /** Step by step, the most frequent first. */
    data: PathEdge[];
}

/** The number of times that one event followed another. */
export interface PathEdge {
    /** Number of the step. */
    step: number;
    /** Name of an event, or `(other)` for all that are not listed. */
    from_event: string;
    /** Name of the event that followed, or `(other)`. */
    to_event: string;
    /** Number of paths. */
    count: number;
}

/** A question about events. */
export interface MetricInput {
    /** Form of the answer. */
    type: "timeseries" | "breakdown" | "value" | (string & {});
    start_time?: LooseTime | undefined;
    end_time?: LooseTime | undefined;
    tz_offset_minutes?: LooseInteger | undefined;
    /** Events to count. */
    events: MetricEvent[];
    /** Conditions; all must hold. */
    filters?: EventFilter[] | undefined;
    /** Arithmetic of the aliases with + - * / and parentheses, such as `A / B * 100`; empty is none. */
    formula?: string | undefined;
    group_by?: MetricGroupBy | undefined;
    /**
     * For `timeseries`: length of a bucket.
     * Default `day`.
     */
    granularity?: "hour" | "day" | (string & {}) | undefined;
    /**
     * For `breakdown`: maximum number of values.
     * Default `20`.
     */
    limit?: number | undefined;
}

/** Events that are counted under a letter. */
export interface MetricEvent {
    /** Name of the event, exactly. */
    name: string;
    /** Letter of the event in the formula and the answer. */
    alias: string;
    /**
     * Number of events, of senders, or of events for each sender of the range.
     * Default `count`.
     */
    measure?: "count" | "unique_users" | "count_per_user" | (string & {}) | undefined;
    /** Conditions; all must hold. */
    filters?: EventFilter[] | undefined;
}

/** The dimension of type `breakdown`; ignored for other types. */
export interface MetricGroupBy {
    /** Dimension. */
    kind: "property" | "platform" | "region" | "event" | (string & {});
    /** First-level key, for kind `property`. */
    key?: string | undefined;
}

/** The answer to a question; its form depends on its type. */
export type Metric = MetricValue | MetricTimeseries | MetricBreakdown;

/** The answer to type `value`. */
export interface MetricValue {
    /** First second of the range. */
    start_time: number;
    /** Last second of the range. */
    end_time: number;
    /** The requested offset. */
    type: "value" | (string & {});
    /** Number of each alias. */
    values: {
        [key: string]: number;
    };
    /** Result of the formula, or the number of the first event. */
    result: number;
}

/** The answer to type `timeseries`. */
export interface MetricTimeseries {
    /** First second of the range. */
    start_time: number;
    /** Last second of the range. */
    end_time: number;
    /** The requested offset. */
    type: "timeseries" | (string & {});
    /** One series for each event, or one of the formula. */
    series: MetricSeries[];
}

/** The series of a value of the group. */
export interface MetricSeries {
    /** The alias, or `formula`. */
    key: string;
    /** Every bucket of the range, ascending. */
    data: MetricPoint[];
}

/** A point of a series. */
export interface MetricPoint {
    /** Start of the bucket. */
    bucket: number;
    /** The number; it may have a fraction. */
    count: number;
}

/** The answer to type `breakdown`. */
export interface MetricBreakdown {
    /** First second of the range. */
    start_time: number;
    /** Last second of the range. */
    end_time: number;
    /** The requested offset. */
    type: "breakdown" | (string & {});
    /** Number for all values. */
    total: number;
    /** The values, greatest first. */
    buckets: MetricGroup[];
}

/** A value of the dimension, with its numbers. */
export interface MetricGroup {
    /** The value; empty for events with a missing or empty property. */
    key: string;
    /** The value for display: `(not reported)` if the property is missing. */
    label: string;
    /** The number; it may have a fraction. */
    count: number;
}

/** The changeable fields of a card. */
export interface CardFields {
    /** Display name. */
    title?: string | undefined;
    /** Description. */
    description?: string | null | undefined;
    query?: MetricInput | undefined;
    /** Layout; any data of the dashboard. */
    layout?: {
        [key: string]: unknown;
    } | null | undefined;
    /**
     * Position among the cards.
     * Default `0`.
     */
    sort_order?: number | undefined;
}

/** A new card. */
export type CardCreate = CardFields & Record<string, never>;

/** A question that a dashboard shows. */
export interface Card {
    /** Id of the card. */
    card_id: string;
    /** Key of the project. */
    project_key: string;
    /** Display name. */
    title: string;
    /** Description. */
    description: string | null;
    /** The body of `POST …/analysis/query`, as sent. */
    query: MetricInput;
    /** Layout; data of the dashboard. */
    layout: {
        [key: string]: unknown;
    } | null;
    /** Position among the cards. */
    sort_order: number;
    /** Creation time. */
    created_time: number;
    /** Time of the last change. */
    updated_time: number;
}

/** The cards of a dashboard. */
export interface CardList {
    /** Number. */
    total: number;
    /** The entries. */
    data: Card[];
}

/** The installed version. At least one of its two forms is required. */
export interface UpdateCheckInput {
    /** The installed display version. */
    current_version?: string | null | undefined;
    /** The installed comparable version; it decides if both are sent. */
    current_comparable_version?: string | null | undefined;
    /**
     * Whether previews may be offered.
     * Default `false`.
     */
    include_preview?: boolean | undefined;
    /** The channel whose versions may be offered. Without one, `include_preview` selects `preview` or `stable`. */
    channel?: string | null | undefined;
    /** Decides whether a rollout has reached the client. Recommended: a random integer from 0 to 9999, made once and kept. Without a key, only complete versions are offered. */
    rollout_key?: string | null | undefined;
    /**
     * Whether the target may be an older version if the installed one was withdrawn.
     * Default `false`.
     */
    accept_downgrade?: boolean | undefined;
    /**
     * Whether the answer contains `notes`.
     * Default `false`.
     */
    include_notes?: boolean | undefined;
    /** The requested language for the texts of the versions. */
    locale?: string | null | undefined;
    /** Platform of the app. For statistics, and for rollouts that are limited to some platforms. */
    platform?: string | undefined;
    /** Version of the app's system. For statistics only. */
    platform_version?: string | undefined;
}

/** The answer of an update check. */
export interface UpdateCheck {
    /** Whether a newer version exists; `target_version` is the version to install. */
    should_update: boolean;
    /** Whether the app must update first: the installed version is deprecated, or outside the range in which updates are optional. */
    required: boolean;
    /** The reasons, in the order of the codes. */
    reason_codes: ReasonCode[];
    /** Display version of the published version that was recognized; otherwise the text that was sent. */
    current_version: string | null;
    /** The version that was compared. */
    current_comparable_version: string;
    latest_version: PublicVersion;
    /** The greatest preview offered on the channel `preview`, regardless of the client's channel; null if there is none. */
    latest_preview_version: PublicVersion | null;
    /** The version to install now; null if there is nothing newer. */
    target_version: PublicVersion | null;
    milestone: MilestoneState;
    rollout?: UpdateCheckRollout | undefined;
    downgrade?: UpdateCheckDowngrade | undefined;
    notes?: VersionNotes | undefined;
}

/** The notes of the versions between two versions. In update checks, only present if `include_notes` is true and there is a target. */
export interface VersionNotes {
    /** The version after which the notes begin; null without one. */
    from: string | null;
    /** Display version of the version at which the notes end. */
    to: string;
    /** Language of the entries; null if all texts are the default texts. */
    locale: string | null;
    locale_message?: LocaleMessage | undefined;
    /** The versions, the newest first. */
    entries: VersionNote[];
    /** All entries as one text, each below a heading of level 2. Headings of the notes are one level lower than in the notes. */
    content: string;
    /** Whether the oldest entries are missing because there are more than `limit`, or the content would exceed 256 KiB. */
    truncated: boolean;
}

/** The notes of a version. */
export interface VersionNote {
    /** Display version. */
    version: string;
    /** Comparable version. */
    comparable_version: string;
    /** Title. */
    title: string | null;
    /** Notes, in the format of the answer. */
    content: string | null;
    /** Language of the title and the notes; null if both are the default texts. */
    locale: string | null;
    /** Publication time. */
    published_at: number;
    /** Whether the version is a preview. */
    is_preview: boolean;
    /** Whether the version is a milestone. */
    is_milestone: boolean;
}

/** The rollout of the greatest version on the channel. Left out if that version is complete. */
export interface UpdateCheckRollout {
    /** Display version. */
    version: string;
    /** Share of the users who are offered the version. */
    percent: number;
    /** Whether this client is offered the version. */
    included: boolean;
}

/** The older version for a client whose version was withdrawn and for which there is nothing newer. Left out otherwise. */
export interface UpdateCheckDowngrade {
    target_version: PublicVersion;
    /** Why the installed version was withdrawn. */
    reason: string;
}

/**
 * A reason of an update check. `newer_version_available`: there is something newer.
 * `current_version_deprecated`: the installed version is deprecated; also without anything newer.
 * `outside_optional_update_range`: the installed version is outside the range in which updates are
 * optional. `milestone_guard`: the target is a milestone that must not be skipped.
 * `rollout_not_reached`: a greater version is not offered to this client yet. `current_version_yanked`: the
 * installed version was withdrawn. `downgrade_offered`: `downgrade` has an older version.
 */
export type ReasonCode = "newer_version_available" | "current_version_deprecated" | "outside_optional_update_range" | "milestone_guard" | "rollout_not_reached" | "current_version_yanked" | "downgrade_offered" | (string & {});

/** The milestones between the installed and the latest version. */
export interface MilestoneState {
    /** Whether the installed version is a milestone. */
    current: boolean;
    /** Whether the latest version is a milestone. */
    latest: boolean;
    /** Whether the target was chosen because it is a milestone that must not be skipped. */
    target_is_milestone: boolean;
}

/** The state of a client. At least one of the two versions is required. */
export interface UpdateCheckSimulationInput {
    /** The installed display version. */
    current_version?: string | null | undefined;
    /** The installed comparable version; it decides if both are sent. */
    current_comparable_version?: string | null | undefined;
    /**
     * Whether previews may be offered.
     * Default `false`.
     */
    include_preview?: boolean | undefined;
    /** The channel whose versions may be offered. Without one, `include_preview` selects `preview` or `stable`. */
    channel?: string | null | undefined;
    /** Decides whether a rollout has reached the client. Recommended: a random integer from 0 to 9999, made once and kept. Without a key, only complete versions are offered. */
    rollout_key?: string | null | undefined;
    /**
     * Whether the target may be an older version if the installed one was withdrawn.
     * Default `false`.
     */
    accept_downgrade?: boolean | undefined;
    /**
     * Whether the answer contains `notes`.
     * Default `false`.
     */
    include_notes?: boolean | undefined;
    /** The requested language for the texts of the versions. */
    locale?: string | null | undefined;
    /** Platform of the client. It may change a reason, and the answer if a rollout is limited to some platforms. */
    platform?: Platform | null | undefined;
}

/** The answer of an update check, with its reasons. */
export interface UpdateCheckSimulation {
    /** Status of the update check: 200, 400 if there is no version to compare or no such channel, 404 if there is no version to offer. */
    status: number;
    /** Text of the error; null with status 200. */
    message: string | null;
    /** The answer; null if it is an error. */
    answer: UpdateCheck | null;
    /** The rules that led to the answer, in the order of evaluation. */
    reasons: UpdateCheckReason[];
}

/** A rule that applied, with its facts. Facts of other rules are null. */
export interface UpdateCheckReason {
    code: UpdateCheckReasonCode;
    /** Id of the version that the rule is about. */
    version_id: string | null;
    /** Its display version. */
    version: string | null;
    /** Its comparable version. */
    comparable_version: string | null;
    /** Lower end of the range in which updates are optional; null is unbounded. */
    min_comparable_version: string | null;
    /** Upper end of the range; null is unbounded. */
    max_comparable_version: string | null;
    /** Platforms of the version. */
    platforms: Platform[] | null;
    /** Publication time of the version. */
    published_at: number | null;
}

/**
 * A rule of the update check. About the latest version: `nothing_published`: there is none for this
 * client. `latest_version_deprecated`: it is deprecated, and there is no other.
 * `deprecated_version_passed_over`: a greater one is deprecated. `previews_not_included`: a preview is
 * greater. `rollout_held`, `rollout_aborted`: a greater version is not offered to any client.
 * `cohort_not_matched`: a greater version is offered to other clients only. About the client:
 * `current_version_registered`: it runs this version.
 * `current_version_not_registered`: the rules compare the version that it sent. `current_version_unknown`:
 * there is no version to compare. `latest_version_installed`, `above_latest_version`: there is nothing
 * newer. About the update: `newer_version_available`, `current_version_deprecated`,
 * `outside_optional_update_range`, `milestone_guard`, `rollout_not_reached`, `current_version_yanked` and
 * `downgrade_offered` as in the answer. `inside_optional_update_range`:
 * it is optional. `target_not_for_platform` and `target_published_in_the_future`: the update check ignores
 * both, so the client still gets the target.
 */
export type UpdateCheckReasonCode = "nothing_published" | "latest_version_deprecated" | "deprecated_version_passed_over" | "previews_not_included" | "current_version_unknown" | "current_version_registered" | "current_version_not_registered" | "latest_version_installed" | "above_latest_version" | "newer_version_available" | "current_version_deprecated" | "outside_optional_update_range" | "milestone_guard" | "rollout_not_reached" | "current_version_yanked" | "downgrade_offered" | "inside_optional_update_range" | "rollout_held" | "rollout_aborted" | "cohort_not_matched" | "target_not_for_platform" | "target_published_in_the_future" | (string & {});

/** The contents of a project. */
export interface ProjectContents {
    /** Versions. */
    versions: number;
    /** Announcements, hidden ones included. */
    announcements: number;
    /** Feedback, hidden included. */
    feedbacks: number;
    /** Logs, hidden ones included. */
    logs: number;
    /** Stored files. */
    files: number;
    /** Bytes of all files. */
    file_bytes: number;
    /** Events that are still kept. */
    events: number;
    /** Definitions of events, archived ones included. */
    event_definitions: number;
    /** Cards of the dashboard. */
    dashboard_cards: number;
    /** Registered languages. */
    languages: number;
    /** Former keys, which become free. */
    aliases: number;
    /** API keys limited to listed projects that lose this one. */
    api_keys: number;
}

/** The running program and its published releases. */
export interface About {
    /** Version of the server. */
    version: string;
    /** Commit of the build; null if it was built outside a repository. */
    commit: string | null;
    /** Whether it was built from files that differ from the commit. */
    modified: boolean;
    /** Version of Go of the build. */
    go: string;
    /** Operating system and architecture, such as `linux/amd64`. */
    platform: string;
    /** Start time. */
    started_at: number;
    /** Address of the documentation; null if not set. */
    docs_url: string | null;
    /** The instance to check for updates; null if not set. */
    upstream_url: string | null;
    /** The running version as published; null if it is not published or not known. */
    release: AboutRelease | null;
    /** The result of the check for updates; null if no instance is set. */
    update: AboutUpdate | null;
}

/** A version of this program. */
export interface AboutRelease {
    /** Display version. */
    version: string;
    /** Headline. */
    title: string | null;
    /** Release notes. Markdown. */
    content: string | null;
    /** When it was published. */
    published_at: number;
    /** Its public page at the instance that publishes it. */
    url: string;
}

/** The result of a check for updates. */
export interface AboutUpdate {
    /** Creation time. */
    checked_at: number;
    /** The error; null if the check succeeded. */
    error: string | null;
    /** Whether a newer version exists. */
    should_update: boolean;
    /** Whether the running version is deprecated, or outside the range in which updates are optional. */
    required: boolean;
    /** The reasons, as in `ReasonCode`. */
    reason_codes: string[];
    /** The version to install; null if there is nothing newer. */
    target: AboutRelease | null;
    /** The newest version that can be offered; null if not known. */
    latest: AboutRelease | null;
}

/** The state of the instance. */
export interface InstanceStatus {
    status: CheckStatus;
    /** Version of the server. */
    version: string;
    /** Start time. */
    started_at: number;
    /** Time of the checks. */
    checked_at: number;
    /** Public address of the site; null if not set. */
    site_url: string | null;
    /** Prefix of the links of files; null if not set. */
    distribution_url: string | null;
    /** The scheduled backups; null if none are known. */
    backup: InstanceBackup | null;
    /** The replication; null if the server has none. */
    replication: InstanceReplication | null;
    /** All checks, including those without findings. */
    checks: InstanceCheck[];
}

/** The state of scheduled backups. */
export interface InstanceBackup {
    /** Time of the newest backup; null if there is none. */
    last_at: number | null;
    /** Size of the newest backup. */
    bytes: number;
    /** Error of the last attempt; null if it succeeded. */
    error: string | null;
}

/** The state of the replication of the server. */
export interface InstanceReplication {
    /** `primary` sends its changes; `standby` applies those of a primary. */
    role: "primary" | "standby" | (string & {});
    /** Where the changes are, without credentials. */
    target: string;
    /** `sync`: a change is acknowledged once it is at the target. Empty on a standby. */
    mode: "" | "async" | "sync" | (string & {});
    /** Number of the epoch; each promotion begins one. */
    epoch: number;
    /** Position of the last change that was committed, or that a standby has applied. */
    position: number;
    /** The position that is known to be at the target. */
    shipped: number;
    /** Age of the oldest change that is not at the target; on a standby the seconds since the last contact of the primary. */
    lag_seconds: number;
    /** Size of the changes that are not at the target. */
    lag_bytes: number;
    /** Time of the first failure since the last success; 0 if the last request to the target succeeded. */
    failing_since: number;
    /** The last failure; empty if the last request succeeded. */
    failure: string;
    /** Whether another server has become the primary. */
    fenced: boolean;
    /** Whether the target refuses to replace objects where it must. */
    create_only: boolean;
    /** Time of the newest snapshot; 0 if there is none. */
    last_snapshot: number;
    /** Requests to the target in the last 24 hours. */
    requests_day: number;
    /** Bytes sent in the last 24 hours. */
    bytes_day: number;
}

/**
 * A severity: `note` is worth knowing, `warning` will cause trouble one day, `problem` causes trouble now.
 * The worst of several counts.
 */
export type CheckStatus = "ok" | "note" | "warning" | "problem" | (string & {});

/** A check, as in `svc doctor`. */
export interface InstanceCheck {
    /** Its name, such as `backup`, `space`, `certificates` or `jobs`. */
    name: string;
    /** Title of the check. */
    title: string;
    status: CheckStatus;
    /** The findings; empty if the check passes. */
    findings: InstanceFinding[];
}

/** A finding of a check. */
export interface InstanceFinding {
    status: CheckStatus;
    /** Kind of the finding, such as `backup_late`, for programs and for texts in other languages. */
    code: string;
    /** Description. */
    what: string;
    /** Remedy. */
    repair: string;
    /** The names, times and numbers of `what` and then of `repair`, in order of appearance. */
    values: string[];
}

/** A text to render. */
export interface MarkdownInput {
    /** The Markdown. */
    text: string;
}

/** A rendered text. */
export interface MarkdownPreview {
    /** The text as HTML, safe in any page. */
    html: string;
}

/** The state of a file: `ready` can be downloaded, `pending` is being written or fetched. */
export type FileStatus = "pending" | "ready" | "failed" | (string & {});

/** A file of a project. */
export interface File {
    /** Id of the file, which is part of the link. */
    id: string;
    /** Current key of its project. */
    project_key: string;
    /** Its name. */
    filename: string;
    /** Bytes; 0 until an attachment is fetched. */
    size: number;
    /** SHA-256 of the content; null until it is known. */
    sha256: string | null;
    /** SHA-1 of the content, for updaters whose format requires it; null until it is known. */
    sha1: string | null;
    /** SHA-512 of the content; null until it is known. */
    sha512: string | null;
    /** Bytes of a part, if the file is stored in parts. */
    part_size: number | null;
    /** Content type of downloads. */
    content_type: string;
    status: FileStatus;
    /** Origin of the file. */
    source: "upload" | "codehost_release" | (string & {});
    /** Address of the copied attachment. */
    source_url: string | null;
    /** Error of the last attempt. */
    error: string | null;
    /** Id of its storage. */
    storage_backend_id: string;
    /** Name of its storage. */
    storage_backend_name: string;
    /** Path of its link, percent-encoded. It never changes. */
    path: string;
    /** The whole link; null without a distribution address: append `path` to the address of the site. */
    url: string | null;
    /** Versions of the project that link to it, newest first. */
    referenced_by: string[];
    /** Downloads by its link, as far as the project keeps statistics. */
    download_count: number;
    /** Creation time. */
    created_at: number;
    /** Time of the last change. */
    updated_at: number;
}

/** The kind of a download. */
export type AssetKind = "nupkg-delta" | "nupkg-full" | "sparkle-delta" | "app-tar" | "dmg" | "pkg" | "exe-portable" | "exe" | "msi" | "msix" | "deb" | "rpm" | "appimage" | "flatpak" | "snap" | "apk" | "aab" | "ipa" | "app-zip" | "zip" | "tar" | "other" | (string & {});

/** A processor architecture. */
export type AssetArch = "x64" | "arm64" | "x86" | "armv7" | "universal" | (string & {});

/** The description of a NuGet package. */
export interface AssetPackage {
    /** Id of the package. */
    id: string;
    /** Its version. */
    version: string;
    /** Its channel; null in packages of Squirrel. */
    channel: string | null;
}

/** A signature of a download. */
export interface AssetSignature {
    /** Result of its verification. */
    status: "valid" | "untrusted" | "invalid" | "unchecked" | (string & {});
    /** Key of the project that fits. */
    key_id: string | null;
    /** The signature. */
    value: string;
}

/** A download of a version. */
export interface PublicAsset {
    /** File name, which identifies the download in its version. */
    name: string;
    /** Address of the download. */
    url: string;
    /** Id of the stored file; null for a link elsewhere. */
    file_id: string | null;
    kind: AssetKind;
    /** The platform that it runs on; null if unknown. */
    platform: Platform | null;
    /** The architecture that it runs on; null if unknown. */
    arch: AssetArch | null;
    /** Tells apart what is equal otherwise. Feeds leave out downloads with a variant. */
    variant: string | null;
    /** Lowest version of the system. */
    os_min: string | null;
    /** Bytes; null if unknown. */
    size: number | null;
    /** SHA-1 of the file. */
    sha1: string | null;
    /** SHA-256 of the file. */
    sha256: string | null;
    /** SHA-512 of the file. */
    sha512: string | null;
    /** `CFBundleVersion` of a macOS app. */
    bundle_version: string | null;
    /** `CFBundleVersion` of the version that a `sparkle-delta` updates. */
    delta_from: string | null;
    /** Bytes of the block map in an AppImage. */
    block_map_size: number | null;
    /** Description of a NuGet package. */
    package: AssetPackage | null;
    /** By scheme. */
    signatures: {
        [key: string]: AssetSignature;
    };
    /** Is in no feed, no latest link and no public list. */
    hidden: boolean;
}

/** A download of a version with its problems. */
export interface Asset {
    /** File name, which identifies the download in its version. */
    name: string;
    /** Address of the download. */
    url: string;
    /** Id of the stored file; null for a link elsewhere. */
    file_id: string | null;
    kind: AssetKind;
    /** The platform that it runs on; null if unknown. */
    platform: Platform | null;
    /** The architecture that it runs on; null if unknown. */
    arch: AssetArch | null;
    /** Tells apart what is equal otherwise. Feeds leave out downloads with a variant. */
    variant: string | null;
    /** Lowest version of the system. */
    os_min: string | null;
    /** Bytes; null if unknown. */
    size: number | null;
    /** SHA-1 of the file. */
    sha1: string | null;
    /** SHA-256 of the file. */
    sha256: string | null;
    /** SHA-512 of the file. */
    sha512: string | null;
    /** `CFBundleVersion` of a macOS app. */
    bundle_version: string | null;
    /** `CFBundleVersion` of the version that a `sparkle-delta` updates. */
    delta_from: string | null;
    /** Bytes of the block map in an AppImage. */
    block_map_size: number | null;
    /** Description of a NuGet package. */
    package: AssetPackage | null;
    /** By scheme. */
    signatures: {
        [key: string]: AssetSignature;
    };
    /** Is in no feed, no latest link and no public list. */
    hidden: boolean;
    /** Codes of reasons why feeds leave it out, or why it is less useful. */
    problems: string[];
}

/** The downloads of a version. */
export interface PublicAssetList {
    /** In the order of the links. */
    data: PublicAsset[];
}

/** All downloads of a version. */
export interface AssetList {
    /** In the order of the links. */
    data: Asset[];
}

/** The state of the feeds of a project. */
export interface FeedList {
    /** By format and channel. */
    data: FeedState[];
}

/** The state of the feeds of one format on one channel. */
export interface FeedState {
    /** What the feed is made for. */
    format: "tauri" | "electron" | "velopack" | "sparkle" | "winsparkle" | "squirrel" | "squirrel-mac" | "atom" | "latest" | (string & {});
    /** Name of the channel. */
    channel: string;
    /** Address of the feed; what updaters put into it is in braces. */
    url: string;
    /** `empty`: nothing is shown, and nothing is wrong. */
    state: "ok" | "empty" | "problems" | (string & {});
    /** The version that callers without a rollout key are shown; null if there is none. */
    version: string | null;
    /** Of the greatest version first. */
    problems: FeedProblem[];
}

/** Something that keeps a version or a download out of a feed, or a remark about it. */
export interface FeedProblem {
    /** `bundle_version_unknown`, `duplicate_name`, `unreadable` and `no_block_map` are remarks; the others keep it out of the feed. */
    code: "no_semver" | "native_order" | "signed_version_mismatch" | "arch_marker_conflict" | "name_has_space" | "name_version_mismatch" | "unsigned" | "signature_invalid" | "no_digest" | "not_ready" | "bundle_version_unknown" | "duplicate_name" | "unreadable" | "no_block_map" | (string & {});
    /** Display text of the version. */
    version: string;
    /** Name of the download; null if the version is concerned. */
    asset: string | null;
    /** What is wrong and what to do. */
    message: string;
}

/** The fields of a download that can be set by hand. Null means that a field is derived. */
export interface AssetFields {
    /** Its kind. */
    kind?: AssetKind | null | undefined;
    /** The platform that it runs on; null if unknown. */
    platform?: Platform | null | undefined;
    /** The architecture that it runs on; null if unknown. */
    arch?: AssetArch | null | undefined;
    /** Letters a-z, digits, dots, _ and -. */
    variant?: string | null | undefined;
    /** Digits and dots. */
    os_min?: string | null | undefined;
    /** Is in no feed, no latest link and no public list. */
    hidden?: boolean | null | undefined;
    /** `CFBundleVersion` of a macOS app. */
    bundle_version?: string | null | undefined;
    /** `CFBundleVersion` of the version that a `sparkle-delta` updates. */
    delta_from?: string | null | undefined;
    /** Bytes; for a link elsewhere. */
    size?: number | null | undefined;
    /** 40 hex digits; for a link elsewhere. */
    sha1?: string | null | undefined;
    /** 64 hex digits; for a link elsewhere. */
    sha256?: string | null | undefined;
    /** 128 hex digits; for a link elsewhere. */
    sha512?: string | null | undefined;
}

/** A page of files. */
export interface FilePage {
    /** Number of items on all pages. */
    total: number;
    /** The items of this page. */
    data: File[];
}

/** The answer of a CDN to a refresh. */
export interface CdnRefresh {
    /** Whether the CDN accepted it. */
    ok: boolean;
    /** The refreshed links. */
    urls: string[];
    /** Ids of the tasks at the CDN. */
    task_ids: string[];
    /** The error. */
    error: string | null;
}

/** The result of a deletion. */
export interface FileDeleted {
    /** It is deleted. */
    success: boolean;
    /** The refresh of the copies in the CDN; null if none was requested. */
    cdn_refresh: CdnRefresh | null;
}

/** A file to upload in chunks. */
export interface UploadCreate {
    /** Its name. Characters that file systems do not take become `_`. */
    filename: string;
    /** Bytes. */
    size: number;
    /** Storage of the file. Left out or blank: the storage of the project. */
    storage_backend_id?: string | null | undefined;
}

/** An upload in chunks. */
export interface UploadSession {
    /** Id of the session. */
    upload_id: string;
    /** Name of the file. */
    filename: string;
    /** Bytes of the file. */
    size: number;
    /** Bytes of each chunk; the last one has the remainder. */
    chunk_size: number;
    /** Number of chunks. */
    total_chunks: number;
    /** Numbers of the arrived chunks, ascending. */
    received_chunks: number[];
    /** Storage of the file. */
    storage_backend_id: string;
    /** End of the session, which deletes the chunks. */
    expires_at: number;
}

/** The open uploads of a project. */
export interface OpenUploadList {
    /** The uploads, newest first. */
    data: OpenUpload[];
}

/** An incomplete upload. */
export interface OpenUpload {
    /** Id of the session. */
    upload_id: string;
    /** Name of the file. */
    filename: string;
    /** Bytes of the file. */
    size: number;
    /** Bytes in the chunks that have arrived. */
    received_bytes: number;
    /** Start time. */
    created_at: number;
    /** Name of the API key that began it, or `administrator`. */
    credential: string;
}

/** A received chunk. */
export interface ChunkReceipt {
    /** Number of the chunk. */
    index: number;
    /** Bytes of the chunk. */
    bytes: number;
}

/** The result of copying the attachments of a version. */
export interface MirrorResult {
    /** Attachments that are being fetched. */
    queued: number;
    /** Attachments that were already here; their links are replaced. */
    reused: number;
    /** Links that are not attachments. */
    skipped: number;
}

/** The changeable fields of a storage. */
export interface StorageBackendFields {
    /** Its name. Not blank. */
    name?: string | undefined;
    /** Address, http or https: the collection of a WebDAV server, the endpoint of an S3 store. */
    base_url?: string | undefined;
    /** User, or access key id. Blank is null. */
    username?: string | null | undefined;
    /** Password, or secret. Blank clears it. It can be set, but not read. */
    password?: string | null | undefined;
    /** For WebDAV behind a proxy that limits uploads: KiB of a part of larger files. */
    part_size_kb?: number | null | undefined;
    /** Makes it the default storage. To unset it, set another. */
    is_default?: true | false | undefined;
    /** S3 only. Null: as reported by the store. */
    region?: string | null | undefined;
    /** S3 only, where it is required. It must exist. */
    bucket?: string | null | undefined;
    /** S3 only. Prefix of the keys of objects, without a slash at either end. */
    path_prefix?: string | null | undefined;
    /** S3 only. Whether the bucket is in the path, not in the host name. */
    path_style?: boolean | null | undefined;
}

/** A new storage. */
export type StorageBackendCreate = {
    /** Protocol. */
    kind: "webdav" | "s3" | (string & {});
} & WithRequired<StorageBackendFields, "name" | "base_url">;

/** The origin of the files of a storage for a CDN. */
export interface CdnOrigin {
    /** Scheme. */
    scheme: "http" | "https" | (string & {});
    /** Host, with the port if it is not the usual one. */
    host: string;
    /** Prefix of the path of a link, without a slash at the end. */
    path_prefix: string;
}

/** A storage for files, without its secrets. */
export interface StorageBackend {
    /** Id of the storage; `local` is the built-in one. */
    id: string;
    /** Its name. */
    name: string;
    /** Protocol. */
    kind: "local" | "webdav" | "s3" | (string & {});
    /** Whether it is the folder of this server. */
    is_builtin: boolean;
    /** Whether it is the default storage, which is exactly one. */
    is_default: boolean;
    /** Address. */
    base_url: string | null;
    /** User, or access key id. */
    username: string | null;
    /** Whether a password or secret is set. */
    has_password: boolean;
    /** Fingerprint of the password. */
    password_fingerprint: string | null;
    /** KiB of a part; null if files are written whole. */
    part_size_kb: number | null;
    /** S3 only. */
    region: string | null;
    /** S3 only. */
    bucket: string | null;
    /** S3 only. */
    path_prefix: string | null;
    /** S3 only. */
    path_style: boolean | null;
    /** Files on it. */
    file_count: number;
    /** Origin for a CDN that fetches files from the storage itself; null if that is not possible. */
    cdn_origin: CdnOrigin | null;
    /** Creation time. */
    created_at: number;
    /** Time of the last change. */
    updated_at: number;
}

/** All storages, and the limits of uploads. */
export interface StorageOverview {
    /** Prefix of direct links. */
    dist_base_url: string | null;
    /** Maximum size of a file in bytes. */
    upload_max_bytes: number;
    /** Bytes of a chunk. */
    chunk_size: number;
    /** The storages, oldest first. */
    backends: StorageBackend[];
}

/** The result of a test of a storage. */
export interface StorageProbe {
    /** Whether a file could be written, read and deleted. */
    ok: boolean;
    /** Whether a part of a file could be read. */
    range_supported: boolean | null;
    /** Whether a large file could be written. */
    large_write_ok: boolean | null;
    /** Duration. */
    latency_ms: number;
    /** The error, if the test failed. */
    error: string | null;
}

/** Settings of the CDN. */
export interface CdnConfigFields {
    /** Provider of the CDN. A new one clears the credentials. */
    provider?: "aliyun" | "cloudflare" | (string & {}) | undefined;
    /** Whether copies are refreshed when files are deleted. */
    enabled?: boolean | undefined;
    /** Id of the key, or of the zone. Blank is null. */
    access_key_id?: string | null | undefined;
    /** Secret of the key, or a token. Blank clears it. It can be set, but not read. */
    access_key_secret?: string | null | undefined;
}

/** Settings of a webhook, without its secret. */
export interface Webhook {
    /** Whether a secret is set, without which the server refuses every delivery. */
    enabled: boolean;
    /** Path of the webhook at this server. */
    payload_path: string;
    /** Content type to select at the code host. */
    content_type: "application/json" | (string & {});
    /** Last six characters of the secret. */
    secret_hint: string | null;
    /** Length of the secret in characters. */
    secret_length: number | null;
    /** Time when the secret was set. */
    secret_updated_at: number | null;
    /** The last delivery since the secret was set. */
    last_delivery: WebhookDelivery | null;
}

/** A correctly signed delivery, with its result. */
export interface WebhookDelivery {
    /** Time of arrival. */
    received_at: number;
    /** Event that the code host named, such as `ping` or `release`; blank without one. */
    event: string;
    /** `pong`: a test. `ignored`: nothing changed, for the reason below. `synced`: a version was written. */
    status: "pong" | "ignored" | "synced" | (string & {});
    /** Reason for ignoring it. */
    reason: string | null;
}

/** Settings of a webhook, with its secret, which is not shown again. */
export interface WebhookRevealed {
    /** Always true. */
    enabled: boolean;
    /** Path of the webhook at this server. */
    payload_path: string;
    /** Content type to select at the code host. */
    content_type: "application/json" | (string & {});
    /** Last six characters of the secret. */
    secret_hint: string;
    /** Length of the secret in characters. */
    secret_length: number;
    /** Time when the secret was set. */
    secret_updated_at: number;
    /** Always null, as the secret is new. */
    last_delivery: WebhookDelivery | null;
    /** The secret, which is not shown again. */
    secret: string;
}

/** A secret for a webhook. */
export interface WebhookSecretFields {
    /** The secret, without the white space around it. */
    secret: string;
    /**
     * Minutes that the former secret is accepted, too.
     * Default `0`.
     */
    grace_minutes?: number | undefined;
}

/** The grace period of the former secret. */
export interface WebhookGraceFields {
    /**
     * Minutes that the former secret is accepted, too.
     * Default `0`.
     */
    grace_minutes?: number | undefined;
}

/** The evaluated fields of a delivery. A field of another type counts as left out. */
export interface ReleaseDelivery {
    /** Action: published, released, prereleased, created and edited are accepted. */
    action?: string | undefined;
    /** The release. */
    release?: {
        /** Becomes the version without one leading v. */
        tag_name?: string | undefined;
        /** Becomes the title, which is shortened to 128 characters. */
        name?: string | undefined;
        /** Becomes the content. */
        body?: string | undefined;
        /** A draft is ignored. */
        draft?: boolean | undefined;
        /** Whether the version is a preview. */
        prerelease?: boolean | undefined;
        /** Time of the publication. Default: `created_at`. */
        published_at?: string | undefined;
        /** Creation time. */
        created_at?: string | undefined;
        /** Time of the change; an older state is ignored. */
        updated_at?: string | undefined;
        /** Website. */
        html_url?: string | undefined;
        /** Source archive. */
        zipball_url?: string | undefined;
        /** Attachments, of which the first 32 become links. */
        assets?: {
            /** Name of the link. */
            name?: string | undefined;
            /** Address of the link. */
            browser_download_url?: string | undefined;
        }[] | undefined;
    } | undefined;
    /** Repository of the release. */
    repository?: {
        /** Owner and name. */
        full_name?: string | undefined;
    } | undefined;
}

/** The evaluated fields of a delivery. A field of another type counts as left out. */
export interface CommentDelivery {
    /** Action: only created is accepted. */
    action?: string | undefined;
    /** The comment. */
    comment?: {
        /** Number of the comment, for the reaction to it. */
        id?: number | undefined;
        /** Text, of which the first non-empty line counts. */
        body?: string | undefined;
        /** Relation of the author to the repository, such as MEMBER. */
        author_association?: string | undefined;
        /** Author. */
        user?: {
            /** Name of the author. */
            login?: string | undefined;
        } | undefined;
    } | undefined;
    /** Repository of the comment. */
    repository?: {
        /** Owner and name, in any case. */
        full_name?: string | undefined;
    } | undefined;
}

/** The result of a comment. */
export interface CommandOutcome {
    /** Result. */
    status: "dispatched" | "ignored" | "pong" | (string & {});
    /** Reason for ignoring it. */
    reason?: "duplicate_delivery" | "unsupported_event" | "feature_disabled" | "unsupported_action" | "missing_repository" | "no_command" | "repo_not_configured" | "author_not_allowed" | "unknown_command" | (string & {}) | undefined;
    /** The event as delivered, at most 64 characters. */
    event: string;
    /** Name of the command, at most 64 characters. */
    command?: string | undefined;
    /** Key of the project of the command. */
    project_key?: string | undefined;
    /** The started workflow. */
    workflow?: string | undefined;
}

/** A delivery as a form with the JSON in its field. */
export interface FormDelivery {
    /** The same as JSON. */
    payload: string;
}

/** The result of a release. */
export interface ReleaseOutcome {
    /** Result. */
    status: "synced" | "ignored" | "pong" | (string & {});
    /** Reason for ignoring it. */
    reason?: "duplicate_delivery" | "unsupported_event" | "unsupported_action" | "missing_release" | "draft_release" | "missing_tag" | "unparsable_version" | "stale_delivery" | (string & {}) | undefined;
    /** The event as delivered, at most 64 characters. */
    event: string;
    /** The action as delivered, at most 64 characters. */
    action?: string | undefined;
    /** The version of the release, at most 64 characters. */
    version?: string | undefined;
    /** Whether the version is new, not overwritten. */
    created?: boolean | undefined;
    /** Attachments that are being copied; left out if the project does not copy them. */
    mirror_queued?: number | undefined;
}

/** Settings of the CDN, without its secrets. */
export interface CdnConfig {
    /** Whose CDN it is. */
    provider: "aliyun" | "cloudflare" | (string & {});
    /** Whether copies are refreshed when files are deleted. */
    enabled: boolean;
    /** Whether id and secret are set. */
    configured: boolean;
    /** Id of the key, or of the zone. */
    access_key_id: string | null;
    /** Whether a secret is set. */
    has_access_key_secret: boolean;
    /** Fingerprint of the secret. */
    access_key_secret_fingerprint: string | null;
    /** Prefix of direct links; without it nothing is refreshed. */
    dist_base_url: string | null;
    /** Time of the last save. */
    updated_at: number | null;
}

/** Settings of the language model. */
export interface TranslationConfigFields {
    /** Whether texts can be translated. */
    enabled?: boolean | undefined;
    /**
     * Protocol of the service; `openai` is for every compatible service.
     * Default `openai`.
     */
    provider?: "openai" | "anthropic" | (string & {}) | undefined;
    /** Address of the service, such as `https://api.openai.com/v1`. */
    base_url?: string | null | undefined;
    /** Key of the service. It can be set, but not read. */
    api_key?: string | null | undefined;
    /** Name of the model. */
    model?: string | null | undefined;
    /** Whether `system_prompt` is used. */
    custom_prompt?: boolean | undefined;
    /** Custom prompt, with the placeholders of `prompt_variables`. */
    system_prompt?: string | null | undefined;
}

/** Settings of the language model, without its key. */
export interface TranslationConfig {
    /** Whether address and model are set. */
    configured: boolean;
    /** Whether texts can be translated. */
    enabled: boolean;
    /** Protocol of the service. */
    provider: "openai" | "anthropic" | (string & {});
    /** Address of the service. */
    base_url: string | null;
    /** Name of the model. */
    model: string | null;
    /** Whether a key is set. */
    has_api_key: boolean;
    /** Fingerprint of the private key. */
    api_key_fingerprint: string | null;
    /** Time when the key was set. */
    api_key_updated_at: number | null;
    /** Whether `system_prompt` is used. */
    custom_prompt: boolean;
    /** Custom prompt. */
    system_prompt: string | null;
    /** Default prompt. */
    builtin_system_prompt: string;
    /** Placeholders of prompts, written `{{ name }}`. */
    prompt_variables: string[];
    /** Address of requests. */
    request_url: string | null;
    /** Time of the last save. */
    updated_at: number | null;
}

/** The result of a test of the language model. */
export interface TranslationTest {
    /** Whether the sample was translated. */
    ok: boolean;
    /** Protocol of the service. */
    provider: "openai" | "anthropic" | (string & {});
    /** Name of the model. */
    model: string | null;
    /** Address of the request. */
    request_url: string | null;
    /** The sample, in Simplified Chinese. */
    sample: string | null;
    /** Duration. */
    latency_ms: number;
    /** The error, if the test failed. */
    error: string | null;
}

/** Texts to translate. */
export interface TranslateFields {
    /** Kind of the texts' resource. */
    kind: "announcement" | "version" | "project" | (string & {});
    /** Language of the project, by its tag or a synonym. */
    target_locale: string;
    /** Language of the texts, as a hint. */
    source_locale?: string | null | undefined;
    /** Texts of at most 32,000 characters in all: `title` and `content` of announcements and versions, `name` and `description` of projects. */
    fields: {
        [key: string]: string;
    };
}

/** The translated texts. */
export interface TranslatedTexts {
    /** Primary tag of the language. */
    locale: string;
    /** Protocol of the service. */
    provider: "openai" | "anthropic" | (string & {});
    /** Model. */
    model: string;
    /** The translations of the fields that were sent and are not blank. */
    fields: {
        [key: string]: string;
    };
}

/** The result of a test of the credentials of a CDN. */
export interface CdnTest {
    /** Whether the credentials work. */
    ok: boolean;
    /** Links that can be refreshed today. */
    url_remain: number | null;
    /** Links per day. */
    url_quota: number | null;
    /** Duration. */
    latency_ms: number;
    /** The error, if the test failed. */
    error: string | null;
}
