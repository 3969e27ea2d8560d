// Generated from openapi.yaml by scripts/generate.mjs. Do not edit.

/** T whose fields K are there. */
export type WithRequired<T, K extends keyof T> = T & { [P in K]-?: Exclude<T[P], undefined> };

/** What went wrong. Every error has this body. */
export interface ErrorBody {
    /** The HTTP status. */
    statusCode: number;
    /** What happened and what to do, for people. A list when several rules were broken at once. */
    message: string | string[];
    /** The name of the status, such as `Not Found`. */
    error: string;
}

/** It is done. */
export interface Done {
    /** Always true. */
    success: boolean;
}

/** This part of the server is there. */
export interface ModuleStatus {
    /** Name of the part asked about. */
    module: string;
    /** Always true. */
    implemented: boolean;
}

/** The server answers. */
export interface Health {
    /** Always `ok`. */
    status: "ok" | (string & {});
    /** The server's time. */
    timestamp: number;
}

/** Whether the server can serve, and what keeps it from that. */
export interface Readiness {
    /** `ready` when every check is met. */
    status: "ready" | "unavailable" | (string & {});
    /** What was looked at. */
    checks: ReadinessCheck[];
}

/** One condition of being ready. */
export interface ReadinessCheck {
    /** What was looked at. */
    name: "server" | "svc.db" | "events.db" | "search" | "disk" | (string & {});
    /** Whether all is well. */
    ok: boolean;
    /** Why not, for people; empty when all is well. */
    message: string;
}

/** Yes or no in a query. Empty is the same as left out. */
export type Flag = "true" | "1" | "false" | "0" | "" | (string & {});

/** A platform. Accepted in any case, always answered like this. */
export type Platform = "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {});

/** Only present when `total` is an upper bound: to know it exactly, too much text would have to be read. */
export type TotalIsEstimate = boolean;

/** Who logs in. */
export interface LoginInput {
    /** Trimmed. */
    username: string;
    /** Taken exactly as sent. */
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

/** Who a credential stands for. */
export interface AuthUser {
    /** Id of the account. */
    id: string;
    /** Name to sign in with. */
    username: string;
    /** There is one role. */
    role: "ADMIN" | (string & {});
    /** Always false. */
    must_change_password: boolean;
}

/** Changes of the administrator's profile. */
export interface ProfileInput {
    /** The password as it is, to prove who asks. */
    current_password: string;
    /** New user name; trimmed. */
    username?: string | undefined;
    /** New password; taken exactly as sent. */
    new_password?: string | undefined;
}

/** A new password, with the present one. */
export interface PasswordInput {
    /** The password as it is. */
    current_password: string;
    /** New password; taken exactly as sent. */
    new_password: string;
}

/** A new user name, with the present password. */
export interface AccountInput {
    /** The password as it is. */
    current_password: string;
    /** New user name; trimmed. */
    username: string;
}

/** What a key may do. Writing does not include reading; the two of `tokens` open nothing. */
export type Scope = "projects:read" | "projects:write" | "versions:read" | "versions:write" | "announcements:read" | "announcements:write" | "events:read" | "events:write" | "feedbacks:read" | "feedbacks:write" | "logs:read" | "logs:write" | "files:read" | "files:write" | "stats:read" | "tokens:read" | "tokens:write" | (string & {});

/** Every scope that a key can have. */
export interface ScopeList {
    /** All scopes. */
    data: Scope[];
    /** The scopes of a key for which none are named. */
    default: Scope[];
}

/** What can be said of a key. */
export interface ApiKeyFields {
    /** What the key is for. Trimmed; blank leaves an existing name as it is. */
    name?: string | undefined;
    /** What the key may do. A new key without any gets `versions:write`; an existing one must keep at least one. */
    scopes?: Scope[] | undefined;
    /**
     * Days from now until the key ends. Left out in an update: the end stays.
     * Default `30`.
     */
    expires_in_days?: number | undefined;
    /** True: the key does not end, whatever `expires_in_days` says. False in an update, without days: it ends in 30 days. */
    never_expires?: boolean | undefined;
    /** True: the key is for every project and `project_ids` is ignored. Left out: true, or false when `project_ids` names some. */
    all_projects?: boolean | undefined;
    /** Keys or former keys of the projects that the key is for. Needed when `all_projects` is false. Renaming a project does not take it away. */
    project_ids?: string[] | undefined;
}

/** A new key. */
export type ApiKeyCreate = ApiKeyFields & Record<string, never>;

/** How long the former secret is still taken. */
export interface ApiKeyRotateInput {
    /**
     * How long the former text keeps working.
     * Default `0`.
     */
    grace_period_minutes?: number | undefined;
}

/** A key, without its secret. */
export interface ApiKey {
    /** Id of the key. */
    id: string;
    /** What the key is for. */
    name: string;
    /** What the key may do. */
    scopes: Scope[];
    /** Whether the key is for every project. */
    all_projects: boolean;
    /** Current keys of the projects it is limited to; empty when it is for all. */
    project_ids: string[];
    /** False once revoked. A key that has ended by itself is still active. */
    is_active: boolean;
    /** When it was made. */
    created_at: number;
    /** When it ends; null if never. */
    expires_at: number | null;
    /** When it was revoked. */
    revoked_at: number | null;
    /** When its present text was last used; exact to a minute. */
    last_used_at: number | null;
    /** When the former text stops working. */
    previous_key_expires_at: number | null;
}

/** All keys. */
export interface ApiKeyList {
    /** The keys. */
    data: ApiKey[];
}

/** A new key, with its secret, which is shown this once. */
export interface ApiKeyCreated {
    /** Id of the key. */
    id: string;
    /** What the key is for. */
    name: string;
    /** The text of the key. Keep it; it is not shown again. */
    token: string;
    /** What the key may do. */
    scopes: Scope[];
    /** Whether the key is for every project. */
    all_projects: boolean;
    /** Keys of the projects it is limited to; empty when it is for all. */
    project_ids: string[];
    /** When it ends; null if never. */
    expires_at: number | null;
    /** When it was made. */
    created_at: number;
}

/** A key after a change. */
export interface ApiKeyUpdated {
    /** Id of the key. */
    id: string;
    /** What the key is for. */
    name: string;
    /** What the key may do. */
    scopes: Scope[];
    /** Whether the key is for every project. */
    all_projects: boolean;
    /** Keys of the projects it is limited to; empty when it is for all. */
    project_ids: string[];
    /** When it ends; null if never. */
    expires_at: number | null;
    /** When it was made. */
    created_at: number;
}

/** A key with its new secret, which is shown this once. */
export interface ApiKeyRotated {
    /** Id of the key. */
    id: string;
    /** The new text. Keep it; it is not shown again. */
    token: string;
    /** The grace period asked for. */
    grace_period_minutes: number;
    /** When the former text stops working; null if it already has. */
    previous_key_expires_at: number | null;
}

/** What can be said of a project. */
export interface ProjectFields {
    /** The name in addresses. Trimmed and lower-cased; no blanks, control characters, or any of `/ \ ? # %`. A few words are reserved. */
    project_key?: string | undefined;
    /** The name for people. */
    name?: string | undefined;
    /** Where the source is; any text. */
    repo_url?: string | null | undefined;
    /** What it is. Markdown. */
    description?: string | null | undefined;
    /** Who makes it. */
    author?: string | null | undefined;
    /** Their page; absolute http, https or ftp address. */
    author_homepage_url?: string | null | undefined;
    /** Its picture; absolute http, https or ftp address. */
    icon_url?: string | null | undefined;
    /** Its page; absolute http, https or ftp address. */
    website_url?: string | null | undefined;
    /** Its manual; absolute http, https or ftp address. */
    docs_url?: string | null | undefined;
    /** When it first came out. */
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
    /** Days that logs are kept. Null: as long as the instance keeps them. */
    log_retention_days?: number | null | undefined;
    /** Days that feedback is kept. Null: as long as the instance keeps it. */
    feedback_retention_days?: number | null | undefined;
    /** Where its files go. Blank is null: the storage of the instance. */
    storage_backend_id?: string | null | undefined;
    /**
     * Whether attachments of releases at the code host are copied here. The same texts are accepted as above.
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
    /** The name in it; blank or null is untranslated. */
    name?: string | null | undefined;
    /** The description in it; blank or null is untranslated. */
    description?: string | null | undefined;
}

/** Texts of a project in one language. */
export interface ProjectTranslation {
    /** Primary tag of the language. */
    locale: string;
    /** The name in it. */
    name: string | null;
    /** The description in it. */
    description: string | null;
}

/** A project, as its owners see it. */
export interface Project {
    /** The same as `project_key`. */
    id: string;
    /** The name in addresses. */
    project_key: string;
    /** The name for people. */
    name: string;
    /** Where the source is. */
    repo_url: string | null;
    /** What it is. Markdown. */
    description: string | null;
    /** Who makes it. */
    author: string | null;
    /** Their page. */
    author_homepage_url: string | null;
    /** Its picture. */
    icon_url: string | null;
    /** Its page. */
    website_url: string | null;
    /** Its manual. */
    docs_url: string | null;
    /** When it first came out. */
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
    /** Days that logs are kept; null: as long as the instance keeps them. */
    log_retention_days: number | null;
    /** Days that feedback is kept; null: as long as the instance keeps it. */
    feedback_retention_days: number | null;
    /** Where its files go; null: the storage of the instance. */
    storage_backend_id: string | null;
    /** Whether attachments of releases at the code host are copied here. */
    mirror_codehost_assets: boolean;
    /** Former keys, newest first. */
    aliases: string[];
    /** Always null here: administrators see the default texts. */
    locale: null;
    /** In the order in which the languages were registered. */
    translations?: ProjectTranslation[] | undefined;
    /** When it was made here. */
    created_at: number;
    /** When it was last changed. */
    updated_at: number;
}

/** A project, as apps see it. */
export interface PublicProject {
    /** The same as `project_key`. */
    id: string;
    /** The name in addresses. */
    project_key: string;
    /** The name for people. */
    name: string;
    /** Where the source is. */
    repo_url: string | null;
    /** What it is. Markdown. */
    description: string | null;
    /** Who makes it. */
    author: string | null;
    /** Their page. */
    author_homepage_url: string | null;
    /** Its picture. */
    icon_url: string | null;
    /** Its page. */
    website_url: string | null;
    /** Its manual. */
    docs_url: string | null;
    /** When it first came out. */
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
    /** Days that logs are kept; null: as long as the instance keeps them. */
    log_retention_days: number | null;
    /** Days that feedback is kept; null: as long as the instance keeps it. */
    feedback_retention_days: number | null;
    /** Where its files go; null: the storage of the instance. */
    storage_backend_id: string | null;
    /** Whether attachments of releases at the code host are copied here. */
    mirror_codehost_assets: boolean;
    /** Former keys, newest first. */
    aliases: string[];
    locale: AnsweredLocale;
    locale_message?: LocaleMessage | undefined;
    /** When it was made here. */
    created_at: number;
    /** When it was last changed. */
    updated_at: number;
}

/** A page of projects. */
export interface ProjectPage {
    /** How many there are on all pages. */
    total: number;
    total_is_estimate?: TotalIsEstimate | undefined;
    /** This page. */
    data: Project[];
}

/** How many projects there are. */
export interface ProjectStatistics {
    /** How many projects there are. */
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
    /** When it became one. */
    created_at: number;
}

/** What can be said of a language. */
export interface LanguageFields {
    /** Primary tag, kept as written. Trimmed; no control characters, `/` or `\`. */
    locale?: string | undefined;
    /** Synonyms: other tags that mean this language. Those that are already said are dropped; one of another language is refused. */
    aliases?: string[] | null | undefined;
    /** Name for people. Blank is null. */
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
    /** Name for people. */
    label: string | null;
    /** When it was registered. */
    created_at: number;
}

/** The languages of a project. */
export interface LanguageList {
    /** The languages. */
    data: Language[];
}

/** Primary tag of the language of these texts; null when none of them is translated. */
export type AnsweredLocale = string | null;

/** Only present when the language asked for is not one of the project; a sentence that says so. */
export type LocaleMessage = string;

/** A terms document without its text. */
export interface TermsSummary {
    /** Which document it is. */
    slug: "privacy-policy" | "sdk-compliance" | (string & {});
    /** Its title, in the language asked for. */
    title: string;
    /** What it is about, in a sentence. */
    summary: string;
    /** Whether the text is the built-in one or that of the operator. */
    source: "builtin" | "custom" | (string & {});
    /** When the text was last changed. */
    updated_at: number;
    /** Only present when there is no built-in text in the language asked for; a sentence that says so. */
    locale_message?: string | undefined;
}

/** The terms documents. */
export interface TermsList {
    /** All of them. */
    data: TermsSummary[];
}

/** A terms document in the language asked for. */
export interface Terms {
    /** Which document it is. */
    slug: "privacy-policy" | "sdk-compliance" | (string & {});
    /** Its title, in the language asked for. */
    title: string;
    /** What it is about, in a sentence. */
    summary: string;
    /** Whether the text is the built-in one or that of the operator. */
    source: "builtin" | "custom" | (string & {});
    /** When the text was last changed. */
    updated_at: number;
    /** Only present when there is no built-in text in the language asked for; a sentence that says so. */
    locale_message?: string | undefined;
    /** The text, in Markdown. */
    content: string;
}

/** A terms document with its own and the built-in text. */
export interface TermsDocument {
    /** Which document it is. */
    slug: "privacy-policy" | "sdk-compliance" | (string & {});
    /** Its title, in the language asked for. */
    title: string;
    /** What it is about, in a sentence. */
    summary: string;
    /** Whether the draft is shown, if there is one. */
    custom: boolean;
    /** What people read at the moment. */
    content: string;
    /** The draft, in Markdown; it stays while `custom` is off. */
    custom_content: string | null;
    /** When the text of the draft last changed. */
    custom_updated_at: number | null;
    /** The built-in text, in the language asked for. */
    builtin_content: string;
    /** Revision of the built-in text. */
    builtin_updated_at: number;
    /** When it was last saved; null before and after a reset. */
    updated_at: number | null;
    /** The keys in the built-in text, each once, in the order in which they first appear. */
    placeholders: TermsPlaceholder[];
}

/** A name that the text may contain, and what stands for it. */
export interface TermsPlaceholder {
    /** What the text has between `{{` and `}}`. */
    key: string;
    /** Name of the field in a form, in the language asked for. */
    label: string;
    /** What belongs there. */
    hint: string;
    /** A value as it may be. */
    example: string;
    /** Whether the text is incomplete without it. */
    required: boolean;
}

/** The terms documents as the administrator sees them. */
export interface TermsDocumentList {
    /** All of them. */
    data: TermsDocument[];
}

/** A text of one's own, or back to the built-in one. */
export interface TermsDocumentFields {
    /** Whether the draft is shown, if there is one. */
    custom?: boolean | undefined;
    /** The draft, in Markdown. Trimmed; blank drops it. */
    content?: string | null | undefined;
}

/** A download of a version. */
export interface DownloadLinkInput {
    /** Absolute http, https or ftp address. */
    url: string;
    /** Name for people. */
    name?: string | null | undefined;
    /** What it is for; any text. */
    platform?: string | null | undefined;
}

/** A download of a version. */
export interface DownloadLink {
    /** Where to download. */
    url: string;
    /** Name for people; left out when there is none. */
    name?: string | undefined;
    /** What it is for; left out when not said. */
    platform?: string | undefined;
}

/** What can be said of a version. */
export interface VersionFields {
    /** Display version, any text; trimmed. Unique in the project, case counts. */
    version?: string | undefined;
    /** What decides which version is newer. Null: derived from the display version by dropping one leading `v`. */
    comparable_version?: string | null | undefined;
    /** Headline. */
    title?: string | null | undefined;
    /** Release notes. Markdown. */
    content?: string | null | undefined;
    /** Replaces all translations. Only for registered languages. */
    translations?: VersionTranslationInput[] | null | undefined;
    /** The one download; any text, blank is null. Sent without `download_links`, it becomes the only link. */
    download_url?: string | null | undefined;
    /** All downloads. Sent without `download_url`, the first one becomes that. */
    download_links?: DownloadLinkInput[] | null | undefined;
    /** Mark it as the latest and unmark all others. A new version that is not sent with this gets the mark when it is official, not deprecated, and not below the present one. */
    is_latest?: boolean | undefined;
    /**
     * For testers only.
     * Default `false`.
     */
    is_preview?: boolean | undefined;
    /**
     * Must not be skipped: an update that passes it leads to it first.
     * Default `false`.
     */
    is_milestone?: boolean | undefined;
    /**
     * Those who have it must update. Needs a greater official version that is not deprecated, and cannot be the latest.
     * Default `false`.
     */
    is_deprecated?: boolean | undefined;
    /** The one platform it is for; the older form of `platforms`. */
    platform?: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null | undefined;
    /** The platforms it is for. Empty: all, or just `platform` when that is sent. */
    platforms?: Platform[] | null | undefined;
    /** Whatever you want to keep with it, up to 100 levels deep. */
    custom_data?: {
        [key: string]: unknown;
    } | null | undefined;
    /** When it came out; now, if left out at creation. */
    published_at?: number | undefined;
}

/** A new version. */
export type VersionCreate = VersionFields & Record<string, never>;

/** A new version of the project that the body names. */
export type VersionCreateByKey = VersionCreate & {
    /** Key or former key of the project. */
    project_key: string;
};

/** Texts of a version in one language. */
export interface VersionTranslationInput {
    /** Tag of a registered language. */
    locale: string;
    /** The headline in it; blank or null is untranslated. */
    title?: string | null | undefined;
    /** The release notes in it; blank or null is untranslated. */
    content?: string | null | undefined;
}

/** Texts of a version in one language. */
export interface VersionTranslation {
    /** Primary tag of the language. */
    locale: string;
    /** The headline in it. */
    title: string | null;
    /** The release notes in it. */
    content: string | null;
}

/** A version, as its owners see it. */
export interface Version {
    /** Id of the version. */
    id: string;
    /** Display version. */
    version: string;
    /** What decides which version is newer. */
    comparable_version: string;
    /** Headline. */
    title: string | null;
    /** Release notes. Markdown. */
    content: string | null;
    /** Always null here: administrators see the default texts. */
    locale: null;
    /** In the order in which the languages were registered. */
    translations?: VersionTranslation[] | undefined;
    /** The one download. */
    download_url: string | null;
    /** All downloads. */
    download_links: DownloadLink[];
    /** Always false; kept for older clients. */
    forced: boolean;
    /** Marked as the latest; at most one of a project is. */
    is_latest: boolean;
    /** For testers only. */
    is_preview: boolean;
    /** Must not be skipped. */
    is_milestone: boolean;
    /** Those who have it must update. */
    is_deprecated: boolean;
    /** The one platform it is for; the older form of `platforms`. */
    platform: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null;
    /** The platforms it is for; empty for all. */
    platforms: Platform[];
    /** Whatever was kept with it. */
    custom_data: {
        [key: string]: unknown;
    } | null;
    /** When it came out. */
    published_at: number;
    /** When it was made here. */
    created_at: number;
}

/** Settings of the app at the code host. */
export interface CodehostAppFields {
    /** Id of the app at the code host. */
    app_id?: string | null | undefined;
    /** Private key of the app: the PEM file as it was downloaded. It can be set, never read. */
    private_key?: string | null | undefined;
    /** Secret that deliveries to the app are signed with. It can be set, never read. */
    webhook_secret?: string | null | undefined;
    /** What projects may use. */
    enabled_features?: ("feedback_issue" | "comment_commands")[] | null | undefined;
    /** Whether the two templates count. */
    feedback_issue_custom_template?: boolean | undefined;
    /** Title of issues; null = the built-in one. May have variables such as `{{ content_head }}`. */
    feedback_issue_title_template?: string | null | undefined;
    /** Text of issues, Markdown; null = the built-in one. May have the same variables. */
    feedback_issue_body_template?: string | null | undefined;
}

/** The app at the code host, without its secrets. */
export interface CodehostApp {
    /** Whether app id and private key are there. */
    configured: boolean;
    /** Id of the app at the code host. */
    app_id: string | null;
    /** Whether there is a private key. */
    has_private_key: boolean;
    /** Tells keys apart. */
    private_key_fingerprint: string | null;
    /** When the key was saved. */
    private_key_updated_at: number | null;
    /** Whether there is a secret for deliveries. */
    has_webhook_secret: boolean;
    /** Its last six characters; null for a secret that has no more. */
    webhook_secret_hint: string | null;
    /** How many characters it has. */
    webhook_secret_length: number | null;
    /** As many characters as it has: asterisks, then the hint. */
    webhook_secret_masked: string | null;
    /** When the secret was saved. */
    webhook_secret_updated_at: number | null;
    /** Path of the address that the app delivers to. */
    webhook_payload_path: string;
    /** What projects may use. */
    enabled_features: ("feedback_issue" | "comment_commands")[];
    /** Whether the two templates count. */
    feedback_issue_custom_template: boolean;
    /** Title of issues, kept while it does not count; null = the built-in one. May have variables such as `{{ content_head }}`. */
    feedback_issue_title_template: string | null;
    /** Text of issues, kept while it does not count, Markdown; null = the built-in one. May have the same variables. */
    feedback_issue_body_template: string | null;
    /** Title of issues where nobody has written another one. */
    builtin_feedback_issue_title_template: string;
    /** Text of issues where nobody has written another one. */
    builtin_feedback_issue_body_template: string;
    /** Names of the variables of templates. */
    feedback_issue_template_variables: string[];
    /** When it was last saved; null before. */
    updated_at: number | null;
}

/** Whether the code host takes the app's key. */
export interface CodehostAppTest {
    /** Whether the code host accepts the app, and the app may do what the enabled features need. */
    ok: boolean;
    /** Name of the app at the code host. */
    name: string | null;
    /** The same in the address of its page. */
    slug: string | null;
    /** Permissions that the enabled features need and the app does not have, such as `issues: write`. */
    missing_permissions: string[];
    /** Events that the enabled features need and the app does not receive, such as `issue_comment`. */
    missing_events: string[];
    /** How long it took. */
    latency_ms: number;
    /** What did not work. */
    error: string | null;
}

/** What a project does with its repository. */
export interface CodehostIntegrationFields {
    /** The repository, as `owner/name`. Blank clears it. */
    repo_full_name?: string | null | undefined;
    /** Whether feedback can become issues. */
    feedback_issue_enabled?: boolean | undefined;
    /** Whose template of issues is used: that of the installation, the one below, or a file of the repository. */
    feedback_issue_template_source?: "inherit" | "custom" | "repo" | (string & {}) | undefined;
    /** Path of that file, of letters, digits and `_ . / -`. */
    feedback_issue_template_repo_path?: string | null | undefined;
    /** Branch, tag or commit of that file; null = the default branch. */
    feedback_issue_template_repo_ref?: string | null | undefined;
    /** Title of issues; null = the built-in one. May have variables such as `{{ content_head }}`. */
    feedback_issue_title_template?: string | null | undefined;
    /** Text of issues, Markdown; null = the built-in one. May have the same variables. */
    feedback_issue_body_template?: string | null | undefined;
    /** Labels of issues. Those of the file go before them. */
    feedback_issue_labels?: string[] | null | undefined;
    /** Whether comments on issues can start workflows. */
    comment_commands_enabled?: boolean | undefined;
    /** Who may give commands: what they are to the repository. */
    command_allowed_associations?: ("OWNER" | "MEMBER" | "COLLABORATOR" | "CONTRIBUTOR" | "FIRST_TIME_CONTRIBUTOR" | "FIRST_TIMER" | "MANNEQUIN" | "NONE")[] | null | undefined;
    /** Who may, too: names of users. */
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
    /** Branch or tag that it runs on. */
    ref: string;
    /** Name of its input that gets what follows the command; null = `args`. */
    input?: string | null | undefined;
}

/** A command that comments in issues can give. */
export interface CodehostCommand {
    /** Name, without `/svc-`. */
    name: string;
    /** File name or id of the workflow. */
    workflow: string;
    /** Branch or tag that it runs on. */
    ref: string;
    /** Name of its input that gets what follows the command; left out = `args`. */
    input?: string | undefined;
}

/** What a project does with its repository. */
export interface CodehostIntegration {
    /** Current key of the project. */
    project_key: string;
    /** The repository, as `owner/name`. */
    repo_full_name: string | null;
    /** Whether feedback can become issues. */
    feedback_issue_enabled: boolean;
    /** Whether it can now: it is enabled, there is a repository, and the code host app offers it. */
    feedback_issue_active: boolean;
    /** Whose template of issues is used. */
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
    /** Whether they can now: it is enabled, there is a repository, and the code host app offers it. */
    comment_commands_active: boolean;
    /** Who may give commands: what they are to the repository. */
    command_allowed_associations: ("OWNER" | "MEMBER" | "COLLABORATOR" | "CONTRIBUTOR" | "FIRST_TIME_CONTRIBUTOR" | "FIRST_TIMER" | "MANNEQUIN" | "NONE")[];
    /** Who may, too: names of users. */
    command_allowed_users: string[];
    /** The commands. */
    commands: CodehostCommand[];
    /** When it was last saved; null before. */
    updated_at: number | null;
}

/** The file in the repository that issues of feedback take their form from. */
export interface CodehostRepoTemplate {
    /** Path of the file; empty if none is set. */
    path: string;
    /** Branch, tag or commit; null = the default branch. */
    ref: string | null;
    /** When it was read. */
    fetched_at: number | null;
    /** Title of issues: that of the file, or the built-in one. Null where the file cannot be read. */
    title_template: string | null;
    /** Text of issues, in the same way. */
    body_template: string | null;
    /** Labels of the file. */
    labels: string[];
    /** Why it cannot be read. */
    error: string | null;
}

/** What a repository says about a project that could be made of it. */
export interface CodehostRepoPreview {
    /** Owner and name of the repository with a hyphen between them, in lower case. */
    project_key: string;
    /** Owner and name with a slash between them. */
    name: string;
    /** Address of the repository. */
    repo_url: string;
    /** What it is. */
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

/** The version that would be made of a release. */
export interface CodehostReleasePreview {
    /** The tag without a leading v. */
    version: string;
    /** The same, which need not be comparable. */
    comparable_version: string;
    /** Name of the release. */
    title?: string | undefined;
    /** Its text. Markdown. */
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
    /** When it came out. */
    published_at: number;
    /** Where it comes from: `source`, `owner`, `repo`, `release_tag`. */
    custom_data: {
        [key: string]: unknown;
    };
}

/** What came of an import of releases. */
export interface CodehostImport {
    /** Releases that are versions now. */
    imported: number;
    /** Releases without a comparable tag, and those that were versions before. */
    skipped: number;
    /** Releases that were read. Drafts are not counted. */
    scanned: number;
}

/** A version, as apps see it. */
export interface PublicVersion {
    /** Id of the version. */
    id: string;
    /** Display version. */
    version: string;
    /** What decides which version is newer. */
    comparable_version: string;
    /** Headline. */
    title: string | null;
    /** Release notes. Markdown. */
    content: string | null;
    locale: AnsweredLocale;
    locale_message?: LocaleMessage | undefined;
    /** The one download. */
    download_url: string | null;
    /** All downloads. */
    download_links: DownloadLink[];
    /** Always false; kept for older clients. */
    forced: boolean;
    /** Marked as the latest; at most one of a project is. */
    is_latest: boolean;
    /** For testers only. */
    is_preview: boolean;
    /** Must not be skipped. */
    is_milestone: boolean;
    /** Those who have it must update. */
    is_deprecated: boolean;
    /** The one platform it is for; the older form of `platforms`. */
    platform: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null;
    /** The platforms it is for; empty for all. */
    platforms: Platform[];
    /** Whatever was kept with it. */
    custom_data: {
        [key: string]: unknown;
    } | null;
    /** When it came out. */
    published_at: number;
    /** When it was made here. */
    created_at: number;
}

/** A page of versions, as their owners see them. */
export interface VersionPage {
    /** How many there are on all pages. */
    total: number;
    total_is_estimate?: TotalIsEstimate | undefined;
    /** This page. */
    data: Version[];
}

/** A page of versions, as apps see them. */
export interface PublicVersionPage {
    /** How many there are on all pages. */
    total: number;
    total_is_estimate?: TotalIsEstimate | undefined;
    /** This page. */
    data: PublicVersion[];
}

/** How many versions there are. */
export interface VersionStatistics {
    /** How many versions there are in all projects. */
    total_versions: number;
    /** How many projects have at least one. */
    total_projects: number;
    /** Always 0; kept for older clients. */
    forced_versions: 0;
    /** When the newest was made here. */
    latest_version_time: number | null;
    /** When the oldest was made here. */
    first_version_time: number | null;
}

/** What can be said of an announcement. */
export interface AnnouncementFields {
    /** Headline; not blank. */
    title?: string | undefined;
    /** What is announced; it may be blank. Markdown. */
    content?: string | undefined;
    /**
     * Listed before the others.
     * Default `false`.
     */
    is_pinned?: boolean | undefined;
    /**
     * Seen by administrators only.
     * Default `false`.
     */
    is_hidden?: boolean | undefined;
    /** The platforms it is for; empty for all. */
    platforms?: Platform[] | null | undefined;
    /** Who says it. */
    author?: string | null | undefined;
    /** Least comparable version of clients it is for. Blank is null: no lower end. */
    min_comparable_version?: string | null | undefined;
    /** Greatest comparable version of clients it is for, not below the least. Blank is null: no upper end. */
    max_comparable_version?: string | null | undefined;
    /** Replaces all translations. Only for registered languages. */
    translations?: AnnouncementTranslationInput[] | null | undefined;
    /** When it came out; now, if left out at creation. A time ahead hides nothing. */
    published_at?: number | undefined;
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
    /** The headline in it; blank or null is untranslated. */
    title?: string | null | undefined;
    /** The text in it; blank or null is untranslated. */
    content?: string | null | undefined;
    /**
     * Hides the announcement from those who ask for this language. An entry may do only that.
     * Default `false`.
     */
    is_hidden?: boolean | undefined;
}

/** Texts of an announcement in one language. */
export interface AnnouncementTranslation {
    /** Primary tag of the language. */
    locale: string;
    /** The headline in it. */
    title: string | null;
    /** The text in it. */
    content: string | null;
    /** Hidden from those who ask for this language. */
    is_hidden: boolean;
}

/** An announcement, as its owners see it. */
export interface Announcement {
    /** Id of the announcement. */
    id: string;
    /** Headline. */
    title: string;
    /** What is announced; it may be blank. Markdown. */
    content: string;
    /** Listed before the others. */
    is_pinned: boolean;
    /** Seen by administrators only. */
    is_hidden: boolean;
    /** The platforms it is for; empty for all. */
    platforms: Platform[];
    /** Who says it. */
    author: string | null;
    /** Least comparable version of clients it is for, itself included; null for no lower end. */
    min_comparable_version: string | null;
    /** Greatest comparable version of clients it is for, itself included; null for no upper end. */
    max_comparable_version: string | null;
    /** Always null here: administrators see the default texts. */
    locale: null;
    /** In the order in which the languages were registered. */
    translations?: AnnouncementTranslation[] | undefined;
    /** When it came out. */
    published_at: number;
    /** When it was made here. */
    created_at: number;
    /** When it was last changed. */
    updated_at: number;
}

/** An announcement, as apps see it. */
export interface PublicAnnouncement {
    /** Id of the announcement. */
    id: string;
    /** Headline. */
    title: string;
    /** What is announced; it may be blank. Markdown. */
    content: string;
    /** Listed before the others. */
    is_pinned: boolean;
    /** Always false here. */
    is_hidden: boolean;
    /** The platforms it is for; empty for all. */
    platforms: Platform[];
    /** Who says it. */
    author: string | null;
    /** Least comparable version of clients it is for, itself included; null for no lower end. */
    min_comparable_version: string | null;
    /** Greatest comparable version of clients it is for, itself included; null for no upper end. */
    max_comparable_version: string | null;
    locale: AnsweredLocale;
    locale_message?: LocaleMessage | undefined;
    /** When it came out. */
    published_at: number;
    /** When it was made here. */
    created_at: number;
    /** When it was last changed. */
    updated_at: number;
}

/** A page of announcements, as their owners see them. */
export interface AnnouncementPage {
    /** How many there are on all pages. */
    total: number;
    total_is_estimate?: TotalIsEstimate | undefined;
    /** This page. */
    data: Announcement[];
}

/** A page of announcements, as apps see them. */
export interface PublicAnnouncementPage {
    /** How many there are on all pages. */
    total: number;
    total_is_estimate?: TotalIsEstimate | undefined;
    /** This page. */
    data: PublicAnnouncement[];
}

/** How many announcements there are. */
export interface AnnouncementStatistics {
    /** How many announcements there are in all projects. */
    count: number;
    /** How many of them are pinned. */
    pinned_count: number;
}

/** What a form for feedback can offer. */
export interface FeedbackOptions {
    /** Key of the project. */
    project_key: string;
    /** Whether feedback can become an issue at the code host. */
    codehost_forward_available: boolean;
    /** Whether that needs a contact. The same as the field before. */
    contact_required_for_forward: boolean;
}

/** How far it has been dealt with. Any state may follow any other. */
export type FeedbackState = "open" | "in_progress" | "resolved" | "closed" | (string & {});

/** Feedback from an app. */
export interface FeedbackInput {
    /** Who the app says it is. */
    user_id?: string | null | undefined;
    /** 1, the worst, to 5. */
    rating?: number | null | undefined;
    /** What they have to say; may be empty. */
    content: string;
    /** Where to answer; any text. */
    contact?: string | null | undefined;
    /** What it was sent from. */
    platform?: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null | undefined;
    /** Version of the system. */
    platform_version?: string | null | undefined;
    /** Whatever the app wants to keep with it, 64 KiB at most, or what `submission_data_max_kib` says; more answers 413. */
    custom_data?: {
        [key: string]: unknown;
    } | null | undefined;
    /**
     * Make an issue of it at the code host. Refused with 400 where that is not possible, see the options.
     * Default `false`.
     */
    forward_to_codehost?: boolean | undefined;
}

/** What can be changed about feedback. */
export interface FeedbackFields {
    /** Who it is from. */
    user_id?: string | null | undefined;
    /** 1, the worst, to 5. */
    rating?: number | null | undefined;
    /** What they have to say; may be empty. */
    content?: string | undefined;
    /** Where to answer; any text. */
    contact?: string | null | undefined;
    /**
     * Left out of lists that do not ask for hidden ones. It still counts.
     * Default `false`.
     */
    is_hidden?: boolean | undefined;
    status?: FeedbackState | undefined;
    /** What came of it. */
    result?: string | null | undefined;
    /** What it was sent from. */
    platform?: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null | undefined;
    /** Version of the system. */
    platform_version?: string | null | undefined;
    /** Whatever you want to keep with it. */
    custom_data?: {
        [key: string]: unknown;
    } | null | undefined;
}

/** Feedback that came another way. */
export type FeedbackCreate = FeedbackFields & Record<string, never>;

/** What somebody said about a project. */
export interface Feedback {
    /** Id of the feedback. */
    id: string;
    /** Who the app says it is. */
    user_id: string | null;
    /** 1, the worst, to 5. */
    rating: number | null;
    /** What they have to say. */
    content: string;
    /** Where to answer. */
    contact: string | null;
    /** Left out of lists that do not ask for hidden ones. */
    is_hidden: boolean;
    status: FeedbackState;
    /** What came of it. */
    result: string | null;
    /** What it was sent from; null when not known. */
    platform: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null;
    /** Version of the system. */
    platform_version: string | null;
    /** Whatever was kept with it. */
    custom_data: {
        [key: string]: unknown;
    } | null;
    /** An issue at the code host was made of it. */
    forwarded_to_codehost: boolean;
    /** Number of that issue. */
    codehost_issue_number: number | null;
    /** Address of that issue. */
    codehost_issue_url: string | null;
    /** Address of the client that sent it. Null, like the next five, for what an administrator added. */
    ip: string | null;
    /** What its program calls itself, at most 512 characters. */
    user_agent: string | null;
    /** Country of the address, ISO 3166-1; `LOCAL` for one of a private network. */
    country_code: string | null;
    /** Name of the country. */
    country_name: string | null;
    /** Name of the state or province. */
    region_name: string | null;
    /** Name of the city. */
    city: string | null;
    /** When it was stored. */
    created_at: number;
}

/** A page of feedback. */
export interface FeedbackPage {
    /** How many there are on all pages. */
    total: number;
    total_is_estimate?: TotalIsEstimate | undefined;
    /** This page. */
    data: Feedback[];
}

/** How much feedback there is. */
export interface FeedbackStatistics {
    /** How much feedback there is in all projects. */
    count: number;
    /** How many of them have a rating. */
    rate_count: number;
    /** Mean of the ratings, not rounded; null without any. */
    rate_avg: number | null;
}

/** The ratings of a time. */
export interface FeedbackRatings {
    /** First second of the range. */
    start_time: number;
    /** Last second of the range. */
    end_time: number;
    /** All feedback in it, with and without a rating. */
    total: number;
    /** How many of them have no rating. */
    unrated: number;
    /** Mean of the ratings, not rounded; null without any. */
    average_rating: number | null;
    /** One entry for each rating, ascending. */
    by_rating: RatingCount[];
}

/** How often a rating was given. */
export interface RatingCount {
    /** The rating. */
    rating: number;
    /** How many have it. */
    count: number;
}

/** 0 debug, 1 info, 2 warning, 3 error. */
export type LogLevel = number;

/** A log from an app. */
export interface LogInput {
    level: LogLevel;
    /** What happened; may be empty. */
    content: string;
    /** Where in the app. */
    source?: string | null | undefined;
    /** What the app says about the device. */
    device_info?: {
        [key: string]: unknown;
    } | null | undefined;
    /** Whatever the app wants to keep with it. With `device_info` 64 KiB at most, or what `submission_data_max_kib` says; more answers 413. */
    custom_data?: {
        [key: string]: unknown;
    } | null | undefined;
    /** What it runs on, in its own words: `windows 11`. What is not understood is ignored. */
    platform?: string | null | undefined;
    /** Version of the system. What is longer than 32 characters is ignored. */
    platform_version?: string | null | undefined;
}

/** A log that came another way. */
export interface LogCreate {
    level: LogLevel;
    /** What happened; may be empty. */
    content: string;
    /** Where in the app. */
    source?: string | null | undefined;
    /** What is known of the device. */
    device_info?: {
        [key: string]: unknown;
    } | null | undefined;
    /** Whatever you want to keep with it. */
    custom_data?: {
        [key: string]: unknown;
    } | null | undefined;
    /**
     * Left out of lists that do not ask for hidden ones. It still counts.
     * Default `false`.
     */
    is_hidden?: boolean | undefined;
    /** What it ran on. */
    platform?: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null | undefined;
    /** Version of the system. */
    platform_version?: string | null | undefined;
}

/** Which logs are deleted. At least one of `end_time`, `level` and `ip`. */
export interface LogPrune {
    /** Logs created before this moment. */
    end_time?: number | null | undefined;
    /** Logs of this level: 0 is debug, 1 info, 2 warning, 3 error. */
    level?: number | null | undefined;
    /** Logs that came from this address, as it is stored. */
    ip?: string | null | undefined;
    /**
     * Count only.
     * Default `false`.
     */
    dry_run?: boolean | undefined;
}

/** How many logs matched, and how many were deleted. */
export interface PrunedLogs {
    /** Logs that met the conditions. */
    matched: number;
    /** Logs that are gone; 0 with `dry_run`. */
    deleted: number;
}

/** Whether a log is hidden. */
export interface LogChange {
    /** Left out of lists that do not ask for hidden ones. If it is not sent, nothing changes. */
    is_hidden?: boolean | undefined;
}

/** What an app reported. */
export interface Log {
    /** Id of the log. */
    id: string;
    level: LogLevel;
    /** What happened. */
    content: string;
    /** Where in the app. */
    source: string | null;
    /** What the app says about the device; not to be trusted. */
    device_info: {
        [key: string]: unknown;
    } | null;
    /** Whatever was kept with it. */
    custom_data: {
        [key: string]: unknown;
    } | null;
    /** Left out of lists that do not ask for hidden ones. */
    is_hidden: boolean;
    /** What it ran on; null when not known. */
    platform: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null;
    /** Version of the system. */
    platform_version: string | null;
    /** Address of the client that sent it. Null, like the next five, for what an administrator added. */
    ip: string | null;
    /** What its program calls itself, at most 512 characters. */
    user_agent: string | null;
    /** Country of the address, ISO 3166-1; `LOCAL` for one of a private network. */
    country_code: string | null;
    /** Name of the country. */
    country_name: string | null;
    /** Name of the state or province. */
    region_name: string | null;
    /** Name of the city. */
    city: string | null;
    /** When it was stored. */
    created_at: number;
}

/** A page of logs. */
export interface LogPage {
    /** How many there are on all pages. */
    total: number;
    total_is_estimate?: TotalIsEstimate | undefined;
    /** This page. */
    data: Log[];
}

/** How many logs there are. */
export interface LogStatistics {
    /** How many logs there are in all projects. */
    count: number;
    /** How many of level 0. */
    debug_count: number;
    /** How many of level 1. */
    info_count: number;
    /** How many of level 2. */
    warning_count: number;
    /** How many of level 3. */
    error_count: number;
}

/** The logs of a time by level. */
export interface LogLevels {
    /** First second of the range. */
    start_time: number;
    /** Last second of the range. */
    end_time: number;
    /** All logs in it. */
    total: number;
    /** One entry for each level, ascending. */
    by_level: LevelCount[];
}

/** How many logs have a level. */
export interface LevelCount {
    level: LogLevel;
    /** How many have it. */
    count: number;
}

/** A kind of thing that can be found. */
export type SearchKind = "project" | "version" | "announcement" | "feedback" | "log" | (string & {});

/** A record that was found. */
export interface SearchHit {
    kind: SearchKind;
    /** Key of the project it belongs to. */
    project_key: string;
    /** Its id. */
    id: string;
    /** One line that says what it is. */
    title: string;
    /** The part of a text in which it was found; cut ends have an ellipsis. */
    excerpt: string;
    /** When it was made here. */
    created_at: number;
}

/** A page of what was found in all projects. */
export interface SearchPage {
    /** How many there are in all. */
    total: number;
    total_is_estimate?: TotalIsEstimate | undefined;
    /** The newest of them. */
    data: SearchHit[];
}

/** A kind of request that is counted when it succeeds. */
export type CountedEndpoint = "PROJECT_DETAIL" | "VERSION_LIST" | "VERSION_LATEST" | "VERSION_LATEST_PREVIEW" | "VERSION_BY_VERSION" | "VERSION_CHECK_UPDATE" | "ANNOUNCEMENT_LIST" | "ANNOUNCEMENT_LATEST" | "FEEDBACK_SUBMIT" | "LOG_UPLOAD" | "EVENT_INGEST" | (string & {});

/** What splits a series. */
export type SeriesGroup = "endpoint" | "platform" | (string & {});

/** A platform, as statistics write it. */
export type CountedPlatform = "WINDOWS" | "LINUX" | "MACOS" | "IOS" | "ANDROID" | "WEB" | "OTHERS" | (string & {});

/** The requests of a time in a few numbers. */
export interface RequestOverview {
    /** First second of the range. */
    start_time: number;
    /** Last second of the range. */
    end_time: number;
    /** All requests. */
    total: number;
    /** By kind, the most frequent first. */
    by_endpoint: EndpointCount[];
    /** By platform, the most frequent first. */
    by_platform: PlatformCount[];
    /** By region, the most frequent first. */
    by_region: RegionCount[];
    /** Of region CN where more is known: by province, the most frequent first. */
    by_province: ProvinceCount[];
}

/** Requests to an endpoint. */
export interface EndpointCount {
    endpoint: CountedEndpoint;
    /** How many. */
    count: number;
}

/** Requests from a platform. */
export interface PlatformCount {
    platform: CountedPlatform;
    /** How many. */
    count: number;
}

/** Requests from a country. */
export interface RegionCount {
    /** A country (ISO 3166-1 alpha-2), `LOCAL` for private addresses, or `UNKNOWN`. */
    region: string;
    /** How many. */
    count: number;
}

/** Requests from a state or province. */
export interface ProvinceCount {
    /** Code of the province (GB/T 2260). */
    code: string;
    /** Its name, or the code again. */
    name: string;
    /** How many. */
    count: number;
}

/** A point of a series. */
export interface Bucket {
    /** When it begins. */
    bucket: number;
    /** How many. */
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
    /** As asked for. */
    tz_offset_minutes: number;
    /** The only kind that is counted; null for all. */
    endpoint: "PROJECT_DETAIL" | "VERSION_LIST" | "VERSION_LATEST" | "VERSION_LATEST_PREVIEW" | "VERSION_BY_VERSION" | "VERSION_CHECK_UPDATE" | "ANNOUNCEMENT_LIST" | "ANNOUNCEMENT_LATEST" | "FEEDBACK_SUBMIT" | "LOG_UPLOAD" | "EVENT_INGEST" | (string & {}) | null;
    /** What the series are split by. */
    group_by: "endpoint" | "platform" | (string & {}) | null;
    /** All requests, ascending. */
    data: Bucket[];
    /** One for each value, the most frequent first; null without `group_by`. */
    series: ValueSeries[] | null;
}

/** The series of one value. */
export interface ValueSeries {
    /** The value: an endpoint, a name, a platform or a region. */
    key: string;
    /** The same buckets as those of all requests. */
    data: Bucket[];
}

/** Update checks over time, by the version that asked. */
export interface VersionAdoption {
    /** First second of the range. */
    start_time: number;
    /** Last second of the range. */
    end_time: number;
    /** Length of a bucket. */
    granularity: "hour" | "day" | (string & {});
    /** As asked for. */
    tz_offset_minutes: number;
    /** One for each version, the most frequent first. */
    series: VersionSeries[];
}

/** The series of one version. */
export interface VersionSeries {
    /** The version as it was sent. `(other)` stands for those that there was no room for. */
    version: string;
    /** Update checks, ascending. */
    data: Bucket[];
}

/** Versions of apps that asked for updates. */
export interface ClientVersions {
    /** First second of the range. */
    start_time: number;
    /** Last second of the range. */
    end_time: number;
    /** Of all versions. */
    total: number;
    /** The most frequent first. */
    data: ClientVersionCount[];
}

/** How often a version asked for updates. */
export interface ClientVersionCount {
    /** The version as it was sent. `(other)` stands for those that there was no room for. */
    version: string;
    /** How many update checks. */
    count: number;
}

/** Versions of systems that sent requests. */
export interface PlatformVersions {
    /** First second of the range. */
    start_time: number;
    /** Last second of the range. */
    end_time: number;
    /** Of all systems. */
    total: number;
    /** The most frequent first. */
    data: PlatformVersionCount[];
}

/** Requests from a version of a system. */
export interface PlatformVersionCount {
    platform: CountedPlatform;
    /** In lower case; empty where it was not reported, `(other)` for those that there was no room for. */
    platform_version: string;
    /** How many requests. */
    count: number;
}

/** Counts by day of the week and hour. */
export interface Heatmap {
    /** First second of the range. */
    start_time: number;
    /** Last second of the range. */
    end_time: number;
    /** As asked for. */
    tz_offset_minutes: number;
    /** Every hour of the week, ascending. */
    data: HeatmapCell[];
}

/** The count of an hour of a day of the week. */
export interface HeatmapCell {
    /** From Sunday, which is 0. */
    weekday: number;
    /** Hour of that day. */
    hour: number;
    /** How many. */
    count: number;
}

/** Events of one identifier. */
export interface EventBatch {
    /** Who sends: an anonymous identifier that the app made up. Kept as it is. */
    distinct_id: string;
    /** Session of the batch; empty is none. */
    session_id?: string | null | undefined;
    /** Up to 50, if the server has no other limit. */
    events: EventInput[];
    /** What it runs on, in its own words: `windows 11`. What is not understood is ignored. */
    platform?: string | null | undefined;
    /** Version of the system. What is longer than 32 characters is ignored. */
    platform_version?: string | null | undefined;
    /** The same as the header `x-svc-client-time`, which wins. For beacons, which have no headers of their own. */
    client_time?: string | null | undefined;
}

/** An event as it is sent. */
export interface EventInput {
    /** Tells the event from all others of the project, so that it is stored once however often it is sent. A UUID is fine. */
    event_id: string;
    /** What happened. */
    name: string;
    /** When, by the client's clock; left out, it is when it arrives. */
    occurred_at?: number | null | undefined;
    /** Whatever describes it, at most 100 levels. Statistics see the first level. */
    properties?: {
        [key: string]: unknown;
    } | null | undefined;
}

/** What became of a batch. */
export interface EventsAccepted {
    /** How many are stored now that were not before. */
    accepted: number;
    /** The others: unusable names, names beyond the limit, known ids, and those that are rejected. */
    skipped: number;
    /** Nothing was stored, because the client asks not to be tracked or the project collects no events. */
    suppressed: boolean;
    /** An event was skipped because its name is new and the project has as many event names as the server allows; left out otherwise. */
    names_full?: boolean | undefined;
    /** The events that break a rule; left out when there are none. */
    rejected?: RejectedEvent[] | undefined;
}

/** An event that cannot be stored. */
export interface RejectedEvent {
    /** Its place in the batch, from 0. */
    index: number;
    /** What is wrong with it. */
    message: string;
}

/** Everything that is stored of an identifier. */
export interface SubjectExport {
    /** As asked for. */
    distinct_id: string;
    /** How many events. */
    total: number;
    /** All of them, from the oldest to the newest. */
    data: StoredEvent[];
}

/** An event as it is stored. */
export interface StoredEvent {
    /** What happened. */
    event_name: string;
    /** As it was sent. */
    event_id: string;
    /** Session, if one was sent. */
    session_id: string | null;
    /** When, by the corrected clock of the client. */
    occurred_at: number;
    /** When it arrived. */
    received_at: number;
    /** As they were sent. */
    properties: {
        [key: string]: unknown;
    } | null;
    /** Address that it came from, as far as the server keeps it: without its last part, as a rule. */
    ip: string | null;
    /** What the program calls itself, at most 512 characters. */
    user_agent: string | null;
    /** Country of the address, ISO 3166-1; `LOCAL` for one of a private network. */
    country_code: string | null;
    /** Name of the country. */
    country_name: string | null;
    /** Name of the state or province. */
    region_name: string | null;
    /** Name of the city. */
    city: string | null;
    /** What it ran on; null when not known. */
    platform: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null;
    /** Version of the system. */
    platform_version: string | null;
}

/** How much was deleted. */
export interface EventsErased {
    /** Always true. */
    success: boolean;
    /** How many events were deleted. */
    deleted: number;
}

/** A name that events have. */
export interface EventDefinition {
    /** Id of the definition. */
    event_definition_id: string;
    /** Key of the project. */
    project_key: string;
    /** Name of the events. */
    name: string;
    /** What people call it. */
    display_name: string | null;
    /** What it means. */
    description: string | null;
    /** Left out of lists that do not ask for archived ones. Its events are taken all the same. */
    archived: boolean;
    /** Time of the oldest event that came. */
    first_seen_time: number;
    /** Time of the newest event that came. */
    last_seen_time: number;
    /** How many events were in the range, by the hour. */
    range_count: number;
}

/** A page of names of events. */
export interface EventDefinitionPage {
    /** All that match. */
    total: number;
    /** One page of them. */
    data: EventDefinition[];
}

/** What people see of a name. */
export interface EventDefinitionChange {
    /** What people call it. */
    display_name?: string | null | undefined;
    /** What it means. */
    description?: string | null | undefined;
    /** Leave it out of lists that do not ask for archived ones. */
    archived?: boolean | undefined;
}

/** The events of a time in a few numbers. */
export interface EventOverview {
    /** First second of the range. */
    start_time: number;
    /** Last second of the range. */
    end_time: number;
    /** All events. */
    total: number;
    /** Different senders. */
    unique_users: number;
    /** Different sessions; events without one do not count. */
    unique_sessions: number;
    /** Different names. */
    event_types: number;
}

/** Events over time. */
export interface EventSeries {
    /** First second of the range. */
    start_time: number;
    /** Last second of the range. */
    end_time: number;
    /** Length of a bucket. */
    granularity: "hour" | "day" | (string & {});
    /** As asked for. */
    tz_offset_minutes: number;
    /** The only name that is counted; null for all. */
    event_name: string | null;
    /** What the series are split by. */
    group_by: "event" | "platform" | "region" | (string & {}) | null;
    /** All events, ascending. */
    data: Bucket[];
    /** One for each value, the most frequent first; null without `group_by`. */
    series: ValueSeries[] | null;
}

/** Events by the values of a dimension. */
export interface EventBreakdown {
    /** First second of the range. */
    start_time: number;
    /** Last second of the range. */
    end_time: number;
    /** What is counted by. */
    dimension: "event" | "platform" | "region" | "property" | (string & {});
    /** Key of the property, if one was sent. */
    property_key: string | null;
    /** Of all values. */
    total: number;
    /** The most frequent first. */
    data: ValueCount[];
}

/** The count of a value. */
export interface ValueCount {
    /** The value. Empty for events that do not have the property, and for those where it is empty. */
    key: string;
    /** The value for people: `(not reported)` for events that do not have the property. */
    label: string;
    /** How many events. */
    count: number;
}

/** An integer, or a text that is one. */
export type LooseInteger = number | string;

/** Seconds since 1970, or a text of that. The end is now if it is left out, the start seven days before the end; both belong to the range. */
export type LooseTime = number | string;

/** A condition on a property. A list of them must all hold. */
export interface EventFilter {
    /** First-level key, exactly. */
    property: string;
    /** How to compare. Without the property only `neq`, `not_in` and `not_exists` hold. */
    op: "eq" | "neq" | "in" | "not_in" | "contains" | "gt" | "gte" | "lt" | "lte" | "exists" | "not_exists" | (string & {});
    /**
     * What to compare with, as text: `1`, `1.0` and `"1"` are the same. For `in` and `not_in` a list, or a text with
     * commas; the first 50 count. For `gt` and the like a number.
     */
    value?: (string | number | boolean | (string | number | boolean)[]) | null | undefined;
}

/** Which steps, in which time. */
export interface FunnelInput {
    start_time?: LooseTime | undefined;
    end_time?: LooseTime | undefined;
    tz_offset_minutes?: LooseInteger | undefined;
    /** The steps, in order. */
    steps: FunnelStepInput[];
    window_seconds?: LooseInteger | undefined;
    /**
     * Where a sender begins: at its first event that fits the first step, or at any of them.
     * Default `first`.
     */
    entry?: "first" | "any" | (string & {}) | undefined;
}

/** An event that is a step. */
export interface FunnelStepInput {
    /** Name of the event, exactly. */
    event_name: string;
    /** Conditions, all of which must hold. */
    filters?: EventFilter[] | undefined;
}

/** How many went from step to step. */
export interface Funnel {
    /** First second of the range. */
    start_time: number;
    /** Last second of the range. */
    end_time: number;
    /** From the first step to the last. */
    window_seconds: number;
    /** The steps, in order. */
    data: FunnelStep[];
}

/** How many reached a step. */
export interface FunnelStep {
    /** Number of the step. */
    step: number;
    /** Name of the event. */
    event_name: string;
    /** Senders that got here. */
    users: number;
    /** Of those that got to the step before. */
    conversion_rate: number;
    /** Of those that began. */
    total_conversion_rate: number;
    /** Senders that got to the step before and not here. */
    dropped: number;
}

/** Who is followed, and what counts as a return. */
export interface RetentionInput {
    start_time?: LooseTime | undefined;
    end_time?: LooseTime | undefined;
    tz_offset_minutes?: LooseInteger | undefined;
    /** Name of the event, exactly. */
    start_event: string;
    /** Name of the event that counts as coming back; empty is any. */
    return_event?: string | undefined;
    /**
     * Length of a period. Weeks begin on Monday.
     * Default `day`.
     */
    period?: "day" | "week" | (string & {}) | undefined;
    periods?: LooseInteger | undefined;
}

/** How many came back. */
export interface Retention {
    /** First second of the range. */
    start_time: number;
    /** Last second of the range. */
    end_time: number;
    /** Length of a period. */
    period: "day" | "week" | (string & {});
    /** How many periods each cohort is watched. */
    periods: number;
    /** One for each period of the range, empty ones included. */
    cohorts: Cohort[];
}

/** Those who began in the same period. */
export interface Cohort {
    /** When its period begins. */
    cohort: number;
    /** Senders. */
    size: number;
    /** One for each period, its own first; null where nothing can be said yet. */
    cells: CohortCell[];
}

/** How many of a cohort came back in a period. */
export type CohortCell = {
    /** Periods after that of the cohort. */
    period: number;
    /** Senders that came back. */
    users: number;
    /** Of the cohort. */
    rate: number;
} | null;

/** Where paths begin, and how far they are followed. */
export interface PathsInput {
    start_time?: LooseTime | undefined;
    end_time?: LooseTime | undefined;
    tz_offset_minutes?: LooseInteger | undefined;
    /** Where each path begins; empty is at its first event. */
    start_event?: string | undefined;
    depth?: LooseInteger | undefined;
    branch_limit?: LooseInteger | undefined;
    /**
     * What a path is made of: a session, or everything of a sender.
     * Default `session`.
     */
    scope?: "session" | "user" | (string & {}) | undefined;
}

/** What was done after an event, step by step. */
export interface Paths {
    /** First second of the range. */
    start_time: number;
    /** Last second of the range. */
    end_time: number;
    /** What a path is made of. */
    scope: "session" | "user" | (string & {});
    /** Events of a path that were looked at. */
    depth: number;
    /** Whether a step had more branches than are listed. */
    truncated: boolean;
    /** Step by step, the most frequent first. */
    data: PathEdge[];
}

/** How often one event followed another. */
export interface PathEdge {
    /** Number of the step. */
    step: number;
    /** Name of an event, or `(other)` for all that are not listed. */
    from_event: string;
    /** Name of the event that followed, or `(other)`. */
    to_event: string;
    /** How many paths. */
    count: number;
}

/** A question about events. */
export interface MetricInput {
    /** What to compute. */
    type: "timeseries" | "breakdown" | "value" | (string & {});
    start_time?: LooseTime | undefined;
    end_time?: LooseTime | undefined;
    tz_offset_minutes?: LooseInteger | undefined;
    /** What to count. */
    events: MetricEvent[];
    /** Conditions, all of which must hold. */
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
     * For `breakdown`: how many values.
     * Default `20`.
     */
    limit?: number | undefined;
}

/** Events that are counted under a letter. */
export interface MetricEvent {
    /** Name of the event, exactly. */
    name: string;
    /** A letter of its own, for the formula and the answer. */
    alias: string;
    /**
     * Events, different senders, or events for each sender of the range.
     * Default `count`.
     */
    measure?: "count" | "unique_users" | "count_per_user" | (string & {}) | undefined;
    /** Conditions, all of which must hold. */
    filters?: EventFilter[] | undefined;
}

/** For type `breakdown`, which needs it; not used for others. */
export interface MetricGroupBy {
    /** What to group by. */
    kind: "property" | "platform" | "region" | "event" | (string & {});
    /** First-level key, for kind `property`. */
    key?: string | undefined;
}

/** The answer, in the form that its type says. */
export type Metric = MetricValue | MetricTimeseries | MetricBreakdown;

/** The answer to type `value`. */
export interface MetricValue {
    /** First second of the range. */
    start_time: number;
    /** Last second of the range. */
    end_time: number;
    /** As asked for. */
    type: "value" | (string & {});
    /** Number of each alias. */
    values: {
        [key: string]: number;
    };
    /** The formula, or the number of the first event. */
    result: number;
}

/** The answer to type `timeseries`. */
export interface MetricTimeseries {
    /** First second of the range. */
    start_time: number;
    /** Last second of the range. */
    end_time: number;
    /** As asked for. */
    type: "timeseries" | (string & {});
    /** One for each event, or one of the formula. */
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
    /** When it begins. */
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
    /** As asked for. */
    type: "breakdown" | (string & {});
    /** Of all values. */
    total: number;
    /** The greatest first. */
    buckets: MetricGroup[];
}

/** A value of the group, with its numbers. */
export interface MetricGroup {
    /** The value. Empty for events that do not have the property, and for those where it is empty. */
    key: string;
    /** The value for people: `(not reported)` for events that do not have the property. */
    label: string;
    /** The number; it may have a fraction. */
    count: number;
}

/** What can be said of a card. */
export interface CardFields {
    /** What people call it. */
    title?: string | undefined;
    /** What it shows. */
    description?: string | null | undefined;
    query?: MetricInput | undefined;
    /** Whatever the dashboard wants to keep with it. */
    layout?: {
        [key: string]: unknown;
    } | null | undefined;
    /**
     * Its place among the others.
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
    /** What people call it. */
    title: string;
    /** What it shows. */
    description: string | null;
    /** A body of `POST …/analysis/query`, as it was sent. */
    query: MetricInput;
    /** Whatever the dashboard keeps with it. */
    layout: {
        [key: string]: unknown;
    } | null;
    /** Its place among the others. */
    sort_order: number;
    /** When it was added. */
    created_time: number;
    /** When it was changed last. */
    updated_time: number;
}

/** The cards of a dashboard. */
export interface CardList {
    /** How many. */
    total: number;
    /** All of them. */
    data: Card[];
}

/** What is installed. One of the two versions is needed. */
export interface UpdateCheckInput {
    /** The display version that is installed. */
    current_version?: string | null | undefined;
    /** The comparable version that is installed; decides when both are sent. */
    current_comparable_version?: string | null | undefined;
    /**
     * Whether previews may be offered.
     * Default `false`.
     */
    include_preview?: boolean | undefined;
    /** The language wanted for the texts of the versions. */
    locale?: string | null | undefined;
    /** What the app runs on. For statistics only; it never changes the answer. */
    platform?: string | undefined;
    /** Version of the system it runs on. For statistics only. */
    platform_version?: string | undefined;
}

/** Whether and how to update. */
export interface UpdateCheck {
    /** There is something newer; `target_version` is what to install. */
    should_update: boolean;
    /** The app must update before it goes on: what is installed is deprecated, or outside the range in which updates are optional. */
    required: boolean;
    /** Why; in the order in which the codes are listed. */
    reason_codes: ReasonCode[];
    /** Display version of the published version that was recognised; otherwise what was sent. */
    current_version: string | null;
    /** The version that was compared. */
    current_comparable_version: string;
    latest_version: PublicVersion;
    /** The greatest preview, whether or not previews were asked for; null when there is none. */
    latest_preview_version: PublicVersion | null;
    /** What to install now; null when there is nothing newer. */
    target_version: PublicVersion | null;
    milestone: MilestoneState;
}

/**
 * `newer_version_available`: there is something newer. `current_version_deprecated`: what is installed is
 * deprecated; also said when there is nothing newer. `outside_optional_update_range`: what is installed
 * lies outside the range in which updates are optional. `milestone_guard`: the target is a milestone
 * that must not be skipped.
 */
export type ReasonCode = "newer_version_available" | "current_version_deprecated" | "outside_optional_update_range" | "milestone_guard" | (string & {});

/** Where milestones lie between what is installed and the latest version. */
export interface MilestoneState {
    /** What is installed is a milestone. */
    current: boolean;
    /** The latest version is a milestone. */
    latest: boolean;
    /** The target was chosen because it is a milestone that must not be skipped. */
    target_is_milestone: boolean;
}

/** The state of a client. One of the two versions is needed. */
export interface UpdateCheckSimulationInput {
    /** The display version that is installed. */
    current_version?: string | null | undefined;
    /** The comparable version that is installed; decides when both are sent. */
    current_comparable_version?: string | null | undefined;
    /**
     * Whether previews may be offered.
     * Default `false`.
     */
    include_preview?: boolean | undefined;
    /** The language wanted for the texts of the versions. */
    locale?: string | null | undefined;
    /** What it runs on. The answer does not depend on it, a reason may. */
    platform?: Platform | null | undefined;
}

/** What the update check answers a client, and why. */
export interface UpdateCheckSimulation {
    /** Status of the update check: 200, 400 when there is nothing to compare the client by, 404 when there is nothing to offer. */
    status: number;
    /** Text of the error; null with status 200. */
    message: string | null;
    /** The answer; null when it is an error. */
    answer: UpdateCheck | null;
    /** The rules that led to it, in the order in which they apply. */
    reasons: UpdateCheckReason[];
}

/** A rule that applied, with what it is about. Facts that do not belong to it are null. */
export interface UpdateCheckReason {
    code: UpdateCheckReasonCode;
    /** Id of the version it is about. */
    version_id: string | null;
    /** Its display version. */
    version: string | null;
    /** Its comparable version. */
    comparable_version: string | null;
    /** Lower end of the range in which updates are optional; null is unbounded. */
    min_comparable_version: string | null;
    /** Upper end of it. */
    max_comparable_version: string | null;
    /** Platforms that the version is for. */
    platforms: Platform[] | null;
    /** When it is published. */
    published_at: number | null;
}

/**
 * About the latest version: `nothing_published`: there is none for this client. `latest_version_deprecated`:
 * it is deprecated, and there is no other. `deprecated_version_passed_over`: a greater one is deprecated.
 * `previews_not_included`: a preview is greater.
 * About the client: `current_version_registered`: it runs this version. `current_version_not_registered`: it is
 * compared by what it sent. `current_version_unknown`: there is nothing to compare it by.
 * `latest_version_installed`, `above_latest_version`: there is nothing newer than what it runs.
 * About the update: `newer_version_available`, `current_version_deprecated`, `outside_optional_update_range` and
 * `milestone_guard` as in the answer. `inside_optional_update_range`: it may stay.
 * `target_not_for_platform` and `target_published_in_the_future`: the update check looks at neither, so the
 * client is sent there all the same.
 */
export type UpdateCheckReasonCode = "nothing_published" | "latest_version_deprecated" | "deprecated_version_passed_over" | "previews_not_included" | "current_version_unknown" | "current_version_registered" | "current_version_not_registered" | "latest_version_installed" | "above_latest_version" | "newer_version_available" | "current_version_deprecated" | "outside_optional_update_range" | "milestone_guard" | "inside_optional_update_range" | "target_not_for_platform" | "target_published_in_the_future" | (string & {});

/** How much belongs to a project. */
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

/** Which program runs, and what is published of it. */
export interface About {
    /** Version of the server. */
    version: string;
    /** What it was built from; null when it was built outside of a repository. */
    commit: string | null;
    /** It was built from files that differ from the commit. */
    modified: boolean;
    /** Version of Go that it was built with. */
    go: string;
    /** Operating system and architecture, such as `linux/amd64`. */
    platform: string;
    /** When it was started. */
    started_at: number;
    /** Where the documentation is; null when it is not set. */
    docs_url: string | null;
    /** The instance that is asked for updates; null when nobody is asked. */
    upstream_url: string | null;
    /** The version that runs, as it is published; null when it is not, or nobody said so. */
    release: AboutRelease | null;
    /** The check for updates; null when nobody is asked. */
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

/** What a check for updates has given. */
export interface AboutUpdate {
    /** When it was made. */
    checked_at: number;
    /** Why it gave nothing; null when it did. */
    error: string | null;
    /** There is something newer. */
    should_update: boolean;
    /** What runs is deprecated, or outside the range in which updates are optional. */
    required: boolean;
    /** Why, as in `ReasonCode`. */
    reason_codes: string[];
    /** What to install; null when there is nothing newer. */
    target: AboutRelease | null;
    /** The newest version that could be offered; null when it is not known. */
    latest: AboutRelease | null;
}

/** How the instance stands. */
export interface InstanceStatus {
    status: CheckStatus;
    /** Version of the server. */
    version: string;
    /** When it was started. */
    started_at: number;
    /** When it was examined. */
    checked_at: number;
    /** Public address of the site; null when it is not set. */
    site_url: string | null;
    /** What links of files begin with; null when it is not set. */
    distribution_url: string | null;
    /** The scheduled backups; null when none is known of. */
    backup: InstanceBackup | null;
    /** All checks, those without findings included. */
    checks: InstanceCheck[];
}

/** How scheduled backups stand. */
export interface InstanceBackup {
    /** When the newest one was made; null when there is none. */
    last_at: number | null;
    /** Size of it. */
    bytes: number;
    /** Why the last attempt failed; null when it went well. */
    error: string | null;
}

/** `note` is worth knowing, `warning` will hurt one day, `problem` hurts now. Of several the worst counts. */
export type CheckStatus = "ok" | "note" | "warning" | "problem" | (string & {});

/** One check, as in `svc doctor`. */
export interface InstanceCheck {
    /** Its name, such as `backup`, `space`, `certificates` or `jobs`. */
    name: string;
    /** What it is about. */
    title: string;
    status: CheckStatus;
    /** What it found; empty when all is well. */
    findings: InstanceFinding[];
}

/** Something to know or to do. */
export interface InstanceFinding {
    status: CheckStatus;
    /** Names the kind of finding, such as `backup_late`, for programs and for texts in other languages. */
    code: string;
    /** What there is. */
    what: string;
    /** What to do about it. */
    repair: string;
    /** The names, times and numbers in `what` and then in `repair`, as they stand there. */
    values: string[];
}

/** A text to render. */
export interface MarkdownInput {
    /** The Markdown. */
    text: string;
}

/** A text as public pages show it. */
export interface MarkdownPreview {
    /** The text as HTML that may stand in any page. */
    html: string;
}

/** `ready` can be downloaded, `pending` is being written or fetched. */
export type FileStatus = "pending" | "ready" | "failed" | (string & {});

/** A file of a project. */
export interface File {
    /** Id of the file. It is part of the link. */
    id: string;
    /** Current key of its project. */
    project_key: string;
    /** Its name. */
    filename: string;
    /** Bytes; 0 while an attachment is not fetched yet. */
    size: number;
    /** Sum of the whole content; null until it is known. */
    sha256: string | null;
    /** Bytes of a part where it is stored in parts. */
    part_size: number | null;
    /** What downloads are served as. */
    content_type: string;
    status: FileStatus;
    /** Where it comes from. */
    source: "upload" | "codehost_release" | (string & {});
    /** Address of the attachment that it copies. */
    source_url: string | null;
    /** Why it failed last. */
    error: string | null;
    /** Id of the storage that it is on. */
    storage_backend_id: string;
    /** Name of the storage that it is on. */
    storage_backend_name: string;
    /** Path of its link, percent-encoded. It never changes. */
    path: string;
    /** The whole link; null without a distribution address: join `path` to the address of the site. */
    url: string | null;
    /** Versions of the project that link to it, newest first. */
    referenced_by: string[];
    /** When it was made. */
    created_at: number;
    /** When it was last changed. */
    updated_at: number;
}

/** A page of files. */
export interface FilePage {
    /** How many there are on all pages. */
    total: number;
    /** This page. */
    data: File[];
}

/** Whether the CDN was asked to fetch a file again. */
export interface CdnRefresh {
    /** Whether the CDN took it. */
    ok: boolean;
    /** The links that it was told. */
    urls: string[];
    /** What the CDN calls its work. */
    task_ids: string[];
    /** Why it did not. */
    error: string | null;
}

/** A file that was deleted. */
export interface FileDeleted {
    /** It is deleted. */
    success: boolean;
    /** What became of the copies in the CDN; null where none was asked. */
    cdn_refresh: CdnRefresh | null;
}

/** A file that is going to be uploaded in chunks. */
export interface UploadCreate {
    /** Its name. Characters that file systems do not take become `_`. */
    filename: string;
    /** Bytes. */
    size: number;
    /** Where it goes. Left out or blank, it is the storage of the project. */
    storage_backend_id?: string | null | undefined;
}

/** An upload in chunks. */
export interface UploadSession {
    /** Id of the session. */
    upload_id: string;
    /** The name that the file will have. */
    filename: string;
    /** Bytes of the file. */
    size: number;
    /** Bytes of each chunk but the last, which has the rest. */
    chunk_size: number;
    /** How many chunks there are. */
    total_chunks: number;
    /** Those that have arrived, ascending. */
    received_chunks: number[];
    /** Where the file goes. */
    storage_backend_id: string;
    /** When what has arrived is thrown away. */
    expires_at: number;
}

/** The open uploads of a project. */
export interface OpenUploadList {
    /** The uploads, newest first. */
    data: OpenUpload[];
}

/** An upload that is not complete. */
export interface OpenUpload {
    /** Id of the session. */
    upload_id: string;
    /** The name that the file will have. */
    filename: string;
    /** Bytes of the file. */
    size: number;
    /** Bytes in the chunks that have arrived. */
    received_bytes: number;
    /** When it was begun. */
    created_at: number;
    /** Name of the API key that began it, or `administrator`. */
    credential: string;
}

/** A chunk that arrived. */
export interface ChunkReceipt {
    /** Number of the chunk. */
    index: number;
    /** How many it has. */
    bytes: number;
}

/** What came of copying the attachments of a version. */
export interface MirrorResult {
    /** Attachments that are being fetched. */
    queued: number;
    /** Attachments that were here already; their links are replaced. */
    reused: number;
    /** Links that are no attachments. */
    skipped: number;
}

/** What can be said of a storage. */
export interface StorageBackendFields {
    /** Its name. Not blank. */
    name?: string | undefined;
    /** Where it is, http or https: the collection of a WebDAV server, the endpoint of an S3 store. */
    base_url?: string | undefined;
    /** User, or access key id. Blank is null. */
    username?: string | null | undefined;
    /** Password, or secret. Blank clears it. It can be set, never read. */
    password?: string | null | undefined;
    /** For WebDAV behind a proxy that cuts long uploads: larger files are written in parts of so many KiB. */
    part_size_kb?: number | null | undefined;
    /** Makes it the storage of files for which none is named. To unset it, set another. */
    is_default?: true | false | undefined;
    /** S3 only. Null is what the store says. */
    region?: string | null | undefined;
    /** S3 only, where it is required. It must exist. */
    bucket?: string | null | undefined;
    /** S3 only. What keys of objects begin with, without a slash at either end. */
    path_prefix?: string | null | undefined;
    /** S3 only. Whether the bucket is in the path, not in the host name. */
    path_style?: boolean | null | undefined;
}

/** A new storage. */
export type StorageBackendCreate = {
    /** What it speaks. */
    kind: "webdav" | "s3" | (string & {});
} & WithRequired<StorageBackendFields, "name" | "base_url">;

/** Where a CDN fetches the files of a storage. */
export interface CdnOrigin {
    /** How to reach it. */
    scheme: "http" | "https" | (string & {});
    /** Its name, with a port that is not the usual one. */
    host: string;
    /** What comes before the path of a link; no slash at the end. */
    path_prefix: string;
}

/** A storage for files, without its secrets. */
export interface StorageBackend {
    /** Id of the storage; `local` is the built-in one. */
    id: string;
    /** Its name. */
    name: string;
    /** What it speaks. */
    kind: "local" | "webdav" | "s3" | (string & {});
    /** Whether it is the folder of this server. */
    is_builtin: boolean;
    /** Whether files go here for which none is named. One storage is the default. */
    is_default: boolean;
    /** Where it is. */
    base_url: string | null;
    /** User, or access key id. */
    username: string | null;
    /** Whether there is a password or secret. */
    has_password: boolean;
    /** Tells passwords apart. */
    password_fingerprint: string | null;
    /** KiB of a part; null where files are written whole. */
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
    /** Where a CDN may fetch files from the storage itself; null where it cannot. */
    cdn_origin: CdnOrigin | null;
    /** When it was made. */
    created_at: number;
    /** When it was last changed. */
    updated_at: number;
}

/** All storages, and the limits of uploads. */
export interface StorageOverview {
    /** What direct links begin with. */
    dist_base_url: string | null;
    /** Bytes of the largest file that is taken. */
    upload_max_bytes: number;
    /** Bytes of a chunk. */
    chunk_size: number;
    /** The storages, oldest first. */
    backends: StorageBackend[];
}

/** Whether a storage can be written, read and deleted from. */
export interface StorageProbe {
    /** Whether a file could be written, read and deleted. */
    ok: boolean;
    /** Whether a part of a file could be read. */
    range_supported: boolean | null;
    /** Whether a large file could be written. */
    large_write_ok: boolean | null;
    /** How long it took. */
    latency_ms: number;
    /** What did not work. */
    error: string | null;
}

/** Settings of the CDN. */
export interface CdnConfigFields {
    /** Whose CDN it is. Another one clears the credentials. */
    provider?: "aliyun" | "cloudflare" | (string & {}) | undefined;
    /** Whether copies are refreshed when files are deleted. */
    enabled?: boolean | undefined;
    /** Id of the key, or of the zone. Blank is null. */
    access_key_id?: string | null | undefined;
    /** Secret of the key, or a token. Blank clears it. It can be set, never read. */
    access_key_secret?: string | null | undefined;
}

/** Settings of a webhook, without its secret. */
export interface Webhook {
    /** Whether there is a secret, without which every delivery is refused. */
    enabled: boolean;
    /** Path of the address that the code host must call, at this server. */
    payload_path: string;
    /** Content type to choose at the code host. */
    content_type: "application/json" | (string & {});
    /** Last six characters of the secret. */
    secret_hint: string | null;
    /** Characters of the secret. */
    secret_length: number | null;
    /** When the secret was set. */
    secret_updated_at: number | null;
    /** The last delivery since the secret was set. */
    last_delivery: WebhookDelivery | null;
}

/** A delivery with a right signature, and what became of it. */
export interface WebhookDelivery {
    /** When it came. */
    received_at: number;
    /** Event that the code host named, such as `ping` or `release`; blank when it named none. */
    event: string;
    /** `pong`: it was a test. `ignored`: nothing was done, see the reason. `synced`: a version was written. */
    status: "pong" | "ignored" | "synced" | (string & {});
    /** Why it was ignored, as the answer to it said. */
    reason: string | null;
}

/** Settings of a webhook, with its secret, which is shown this once. */
export interface WebhookRevealed {
    /** Always true. */
    enabled: boolean;
    /** Path of the address that the code host must call, at this server. */
    payload_path: string;
    /** Content type to choose at the code host. */
    content_type: "application/json" | (string & {});
    /** Last six characters of the secret. */
    secret_hint: string;
    /** Characters of the secret. */
    secret_length: number;
    /** When the secret was set. */
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
     * How long the former secret is accepted, too.
     * Default `0`.
     */
    grace_minutes?: number | undefined;
}

/** How long the former secret is still taken. */
export interface WebhookGraceFields {
    /**
     * How long the former secret is accepted, too.
     * Default `0`.
     */
    grace_minutes?: number | undefined;
}

/** The fields that are read. One of another type is as one that is left out. */
export interface ReleaseDelivery {
    /** What happened: published, released, prereleased, created or edited are taken. */
    action?: string | undefined;
    /** The release as it is now. */
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
        /** When it was published, else `created_at` counts. */
        published_at?: string | undefined;
        /** When it was created. */
        created_at?: string | undefined;
        /** When it was changed: an older state is ignored. */
        updated_at?: string | undefined;
        /** Its page. */
        html_url?: string | undefined;
        /** Its source archive. */
        zipball_url?: string | undefined;
        /** Its attachments, of which the first 32 become links. */
        assets?: {
            /** Name of the link. */
            name?: string | undefined;
            /** Address of the link. */
            browser_download_url?: string | undefined;
        }[] | undefined;
    } | undefined;
    /** Where the release is. */
    repository?: {
        /** Owner and name. */
        full_name?: string | undefined;
    } | undefined;
}

/** The fields that are read. One of another type is as one that is left out. */
export interface CommentDelivery {
    /** What happened: only created is taken. */
    action?: string | undefined;
    /** The comment. */
    comment?: {
        /** Its number, for the reaction to it. */
        id?: number | undefined;
        /** Its text, of which the first line that is not empty counts. */
        body?: string | undefined;
        /** What its author is to the repository, such as MEMBER. */
        author_association?: string | undefined;
        /** Its author. */
        user?: {
            /** Name of the author. */
            login?: string | undefined;
        } | undefined;
    } | undefined;
    /** Where the comment is. */
    repository?: {
        /** Owner and name, in any case. */
        full_name?: string | undefined;
    } | undefined;
}

/** What became of a comment. */
export interface CommandOutcome {
    /** What became of it. */
    status: "dispatched" | "ignored" | "pong" | (string & {});
    /** Why it was ignored. */
    reason?: "duplicate_delivery" | "unsupported_event" | "feature_disabled" | "unsupported_action" | "missing_repository" | "no_command" | "repo_not_configured" | "author_not_allowed" | "unknown_command" | (string & {}) | undefined;
    /** The event as delivered, at most 64 characters. */
    event: string;
    /** Name of the command, at most 64 characters. */
    command?: string | undefined;
    /** Key of the project whose command it is. */
    project_key?: string | undefined;
    /** The workflow that was started. */
    workflow?: string | undefined;
}

/** A delivery as a form, whose field is the JSON. */
export interface FormDelivery {
    /** The same as JSON. */
    payload: string;
}

/** What became of a release. */
export interface ReleaseOutcome {
    /** What became of it. */
    status: "synced" | "ignored" | "pong" | (string & {});
    /** Why it was ignored. */
    reason?: "duplicate_delivery" | "unsupported_event" | "unsupported_action" | "missing_release" | "draft_release" | "missing_tag" | "unparsable_version" | "stale_delivery" | (string & {}) | undefined;
    /** The event as delivered, at most 64 characters. */
    event: string;
    /** The action as delivered, at most 64 characters. */
    action?: string | undefined;
    /** The version of the release, at most 64 characters. */
    version?: string | undefined;
    /** Whether the version is new, not overwritten. */
    created?: boolean | undefined;
    /** Attachments that are being copied here. It is there where the project wants that. */
    mirror_queued?: number | undefined;
}

/** Settings of the CDN, without its secrets. */
export interface CdnConfig {
    /** Whose CDN it is. */
    provider: "aliyun" | "cloudflare" | (string & {});
    /** Whether copies are refreshed when files are deleted. */
    enabled: boolean;
    /** Whether id and secret are there. */
    configured: boolean;
    /** Id of the key, or of the zone. */
    access_key_id: string | null;
    /** Whether there is a secret. */
    has_access_key_secret: boolean;
    /** Tells secrets apart. */
    access_key_secret_fingerprint: string | null;
    /** What direct links begin with; without it nothing is refreshed. */
    dist_base_url: string | null;
    /** When it was last saved. */
    updated_at: number | null;
}

/** Settings of the language model. */
export interface TranslationConfigFields {
    /** Whether texts can be translated. */
    enabled?: boolean | undefined;
    /**
     * Protocol of the service; openai stands for every service that is compatible with it.
     * Default `openai`.
     */
    provider?: "openai" | "anthropic" | (string & {}) | undefined;
    /** Address of the service, such as `https://api.openai.com/v1`. */
    base_url?: string | null | undefined;
    /** Key of the service. It can be set, never read. */
    api_key?: string | null | undefined;
    /** Name of the model. */
    model?: string | null | undefined;
    /** Whether `system_prompt` counts. */
    custom_prompt?: boolean | undefined;
    /** Prompt of your own, with the placeholders of `prompt_variables`. */
    system_prompt?: string | null | undefined;
}

/** Settings of the language model, without its key. */
export interface TranslationConfig {
    /** Whether address and model are there. */
    configured: boolean;
    /** Whether texts can be translated. */
    enabled: boolean;
    /** Protocol of the service. */
    provider: "openai" | "anthropic" | (string & {});
    /** Address of the service. */
    base_url: string | null;
    /** Name of the model. */
    model: string | null;
    /** Whether there is a key. */
    has_api_key: boolean;
    /** Tells keys apart. */
    api_key_fingerprint: string | null;
    /** When the key was last set. */
    api_key_updated_at: number | null;
    /** Whether `system_prompt` counts. */
    custom_prompt: boolean;
    /** Prompt of your own. */
    system_prompt: string | null;
    /** What the model is told without a prompt of your own. */
    builtin_system_prompt: string;
    /** Placeholders of prompts, written `{{ name }}`. */
    prompt_variables: string[];
    /** Where requests go. */
    request_url: string | null;
    /** When it was last saved. */
    updated_at: number | null;
}

/** Whether the language model answers. */
export interface TranslationTest {
    /** Whether the sample was translated. */
    ok: boolean;
    /** Protocol of the service. */
    provider: "openai" | "anthropic" | (string & {});
    /** Name of the model. */
    model: string | null;
    /** Where the request went. */
    request_url: string | null;
    /** The sample, in Simplified Chinese. */
    sample: string | null;
    /** How long it took. */
    latency_ms: number;
    /** What did not work. */
    error: string | null;
}

/** Texts to translate. */
export interface TranslateFields {
    /** What the texts belong to. */
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

/** Texts, translated. */
export interface TranslatedTexts {
    /** Primary tag of the language. */
    locale: string;
    /** Protocol of the service. */
    provider: "openai" | "anthropic" | (string & {});
    /** Model that translated. */
    model: string;
    /** The fields that were sent and are not blank, translated. */
    fields: {
        [key: string]: string;
    };
}

/** Whether the CDN takes its credentials. */
export interface CdnTest {
    /** Whether the credentials work. */
    ok: boolean;
    /** Links that may be refreshed today. */
    url_remain: number | null;
    /** Links a day. */
    url_quota: number | null;
    /** How long it took. */
    latency_ms: number;
    /** What did not work. */
    error: string | null;
}
