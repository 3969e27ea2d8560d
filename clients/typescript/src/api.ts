// Generated from openapi.yaml by scripts/generate.mjs. Do not edit.

import type { CallOptions } from "./bind.js";
import type {
  About,
  AccountInput,
  AliasList,
  Announcement,
  AnnouncementCreate,
  AnnouncementFields,
  AnnouncementPage,
  AnnouncementStatistics,
  ApiKey,
  ApiKeyCreate,
  ApiKeyCreated,
  ApiKeyFields,
  ApiKeyList,
  ApiKeyRotateInput,
  ApiKeyRotated,
  ApiKeyUpdated,
  AuthUser,
  Card,
  CardCreate,
  CardFields,
  CardList,
  CdnConfig,
  CdnConfigFields,
  CdnRefresh,
  CdnTest,
  ChunkReceipt,
  ClientVersions,
  CodehostApp,
  CodehostAppFields,
  CodehostAppTest,
  CodehostImport,
  CodehostIntegration,
  CodehostIntegrationFields,
  CodehostReleasePreview,
  CodehostRepoPreview,
  CodehostRepoTemplate,
  Done,
  EventBatch,
  EventBreakdown,
  EventDefinition,
  EventDefinitionChange,
  EventDefinitionPage,
  EventOverview,
  EventSeries,
  EventsAccepted,
  EventsErased,
  Feedback,
  FeedbackCreate,
  FeedbackFields,
  FeedbackInput,
  FeedbackOptions,
  FeedbackPage,
  FeedbackRatings,
  FeedbackStatistics,
  File,
  FileDeleted,
  FilePage,
  Funnel,
  FunnelInput,
  Health,
  Heatmap,
  InstanceStatus,
  Language,
  LanguageCreate,
  LanguageFields,
  LanguageList,
  Log,
  LogChange,
  LogCreate,
  LogInput,
  LogLevels,
  LogPage,
  LogPrune,
  LogStatistics,
  Login,
  LoginInput,
  MarkdownInput,
  MarkdownPreview,
  Metric,
  MetricInput,
  MirrorResult,
  OpenUploadList,
  PasswordInput,
  Paths,
  PathsInput,
  PlatformVersions,
  ProfileInput,
  Project,
  ProjectContents,
  ProjectCreate,
  ProjectFields,
  ProjectPage,
  ProjectStatistics,
  PrunedLogs,
  PublicAnnouncement,
  PublicAnnouncementPage,
  PublicProject,
  PublicVersion,
  PublicVersionPage,
  RequestOverview,
  RequestSeries,
  Retention,
  RetentionInput,
  ScopeList,
  SearchPage,
  StorageBackend,
  StorageBackendCreate,
  StorageBackendFields,
  StorageOverview,
  StorageProbe,
  SubjectExport,
  Terms,
  TermsDocument,
  TermsDocumentFields,
  TermsDocumentList,
  TermsList,
  TranslateFields,
  TranslatedTexts,
  TranslationConfig,
  TranslationConfigFields,
  TranslationTest,
  UpdateCheck,
  UpdateCheckInput,
  UpdateCheckSimulation,
  UpdateCheckSimulationInput,
  UploadCreate,
  UploadSession,
  Version,
  VersionAdoption,
  VersionCreate,
  VersionFields,
  VersionPage,
  VersionStatistics,
  Webhook,
  WebhookGraceFields,
  WebhookRevealed,
  WebhookSecretFields,
} from "./schema.js";

/** Query of `listTerms`. */
export interface PublicListTermsQuery {
  /**
   * The language wanted for titles, summaries and built-in texts: English, or simplified Chinese. Only the
   * first part of the tag counts: `zh`, `zh-CN` and `zh_Hant` are the same. For any other, and without
   * one, they are in English.
   */
  locale?: string | null | undefined;
}

/** Query of `getTerms`. */
export interface PublicGetTermsQuery {
  /**
   * The language wanted for titles, summaries and built-in texts: English, or simplified Chinese. Only the
   * first part of the tag counts: `zh`, `zh-CN` and `zh_Hant` are the same. For any other, and without
   * one, they are in English.
   */
  locale?: string | null | undefined;
}

/** Query of `getProject`. */
export interface PublicGetProjectQuery {
  /**
   * The language wanted. A tag that the project does not know is no error: the answer is in the default
   * language and each object says so in `locale_message`.
   */
  locale?: string | null | undefined;
}

/** Query of `listVersions`. */
export interface PublicListVersionsQuery {
  /** How many items a page has. */
  limit?: number | null | undefined;
  /** How many items to skip. */
  offset?: number | null | undefined;
  /** Only items that contain this text, whatever the case. Blank is the same as left out. */
  search?: string | null | undefined;
  /** Only versions for this platform, and those for all platforms. Case does not matter. */
  platform?: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null | undefined;
  /** Only previews, or only official versions. */
  is_preview?: "true" | "1" | "false" | "0" | "" | (string & {}) | null | undefined;
  /** Only deprecated versions, or only the others. */
  is_deprecated?: "true" | "1" | "false" | "0" | "" | (string & {}) | null | undefined;
  /** Only milestones, or only the others. */
  is_milestone?: "true" | "1" | "false" | "0" | "" | (string & {}) | null | undefined;
  /** Kept for older clients. No version is forced, so `true` finds nothing. */
  forced?: "true" | "1" | "false" | "0" | "" | (string & {}) | null | undefined;
  /**
   * The language wanted. A tag that the project does not know is no error: the answer is in the default
   * language and each object says so in `locale_message`.
   */
  locale?: string | null | undefined;
}

/** Query of `getLatestVersion`. */
export interface PublicGetLatestVersionQuery {
  /**
   * The language wanted. A tag that the project does not know is no error: the answer is in the default
   * language and each object says so in `locale_message`.
   */
  locale?: string | null | undefined;
}

/** Query of `getLatestPreviewVersion`. */
export interface PublicGetLatestPreviewVersionQuery {
  /**
   * The language wanted. A tag that the project does not know is no error: the answer is in the default
   * language and each object says so in `locale_message`.
   */
  locale?: string | null | undefined;
}

/** Query of `getVersion`. */
export interface PublicGetVersionQuery {
  /**
   * The language wanted. A tag that the project does not know is no error: the answer is in the default
   * language and each object says so in `locale_message`.
   */
  locale?: string | null | undefined;
}

/** Query of `listAnnouncements`. */
export interface PublicListAnnouncementsQuery {
  /** How many items a page has. */
  limit?: number | null | undefined;
  /** How many items to skip. */
  offset?: number | null | undefined;
  /** Only items that contain this text, whatever the case. Blank is the same as left out. */
  search?: string | null | undefined;
  /** Only announcements for this platform, and those for all platforms. Case does not matter. */
  platform?: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null | undefined;
  /**
   * The client's version: a comparable version, or the display version of a published one. Anything else
   * is the same as left out: only announcements for all versions are visible.
   */
  version?: string | null | undefined;
  /**
   * The language wanted. A tag that the project does not know is no error: the answer is in the default
   * language and each object says so in `locale_message`.
   */
  locale?: string | null | undefined;
}

/** Query of `getLatestAnnouncement`. */
export interface PublicGetLatestAnnouncementQuery {
  /** Only announcements for this platform, and those for all platforms. Case does not matter. */
  platform?: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null | undefined;
  /**
   * The client's version: a comparable version, or the display version of a published one. Anything else
   * is the same as left out: only announcements for all versions are visible.
   */
  version?: string | null | undefined;
  /**
   * The language wanted. A tag that the project does not know is no error: the answer is in the default
   * language and each object says so in `locale_message`.
   */
  locale?: string | null | undefined;
}

/** Query of `exportMyData`. */
export interface PublicExportMyDataQuery {
  /** The identifier that the events were sent with. */
  distinct_id?: string | null | undefined;
}

/** Query of `deleteMyData`. */
export interface PublicDeleteMyDataQuery {
  /** The identifier that the events were sent with. */
  distinct_id?: string | null | undefined;
}

/** Query of `getAbout`. */
export interface GetAboutQuery {
  /** `true` or `1` asks again, but not more often than every ten seconds. */
  refresh?: string | null | undefined;
}

/** Query of `listTermsDocuments`. */
export interface ListTermsDocumentsQuery {
  /**
   * The language wanted for titles, summaries and built-in texts: English, or simplified Chinese. Only the
   * first part of the tag counts: `zh`, `zh-CN` and `zh_Hant` are the same. For any other, and without
   * one, they are in English.
   */
  locale?: string | null | undefined;
}

/** Query of `getTermsDocument`. */
export interface GetTermsDocumentQuery {
  /**
   * The language wanted for titles, summaries and built-in texts: English, or simplified Chinese. Only the
   * first part of the tag counts: `zh`, `zh-CN` and `zh_Hant` are the same. For any other, and without
   * one, they are in English.
   */
  locale?: string | null | undefined;
}

/** Query of `resetTermsDocument`. */
export interface ResetTermsDocumentQuery {
  /**
   * The language wanted for titles, summaries and built-in texts: English, or simplified Chinese. Only the
   * first part of the tag counts: `zh`, `zh-CN` and `zh_Hant` are the same. For any other, and without
   * one, they are in English.
   */
  locale?: string | null | undefined;
}

/** Query of `listProjects`. */
export interface ListProjectsQuery {
  /** How many items a page has. */
  limit?: number | null | undefined;
  /** How many items to skip. */
  offset?: number | null | undefined;
  /** Only items that contain this text, whatever the case. Blank is the same as left out. */
  search?: string | null | undefined;
}

/** Query of `previewCodehostRepo`. */
export interface PreviewCodehostRepoQuery {
  /** Address of the repository at the code host, such as `https://github.com/owner/name`. */
  repo_url: string;
}

/** Query of `getCodehostIntegrationRepoTemplate`. */
export interface GetCodehostIntegrationRepoTemplateQuery {
  /** `true` or `1` reads it anew. */
  refresh?: string | null | undefined;
}

/** Query of `listVersions`. */
export interface ListVersionsQuery {
  /** How many items a page has. */
  limit?: number | null | undefined;
  /** How many items to skip. */
  offset?: number | null | undefined;
  /** Only items that contain this text, whatever the case. Blank is the same as left out. */
  search?: string | null | undefined;
  /** Only versions for this platform, and those for all platforms. Case does not matter. */
  platform?: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null | undefined;
  /** Only previews, or only official versions. */
  is_preview?: "true" | "1" | "false" | "0" | "" | (string & {}) | null | undefined;
  /** Only deprecated versions, or only the others. */
  is_deprecated?: "true" | "1" | "false" | "0" | "" | (string & {}) | null | undefined;
  /** Only milestones, or only the others. */
  is_milestone?: "true" | "1" | "false" | "0" | "" | (string & {}) | null | undefined;
  /** Kept for older clients. No version is forced, so `true` finds nothing. */
  forced?: "true" | "1" | "false" | "0" | "" | (string & {}) | null | undefined;
}

/** Query of `previewCodehostRelease`. */
export interface PreviewCodehostReleaseQuery {
  /** Tag of the release; without it, the latest release that is no preview. */
  tag?: string | null | undefined;
}

/** Query of `listAnnouncements`. */
export interface ListAnnouncementsQuery {
  /** How many items a page has. */
  limit?: number | null | undefined;
  /** How many items to skip. */
  offset?: number | null | undefined;
  /** Only items that contain this text, whatever the case. Blank is the same as left out. */
  search?: string | null | undefined;
  /** Only announcements for this platform, and those for all platforms. Case does not matter. */
  platform?: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null | undefined;
  /** Only pinned announcements, or only the others. */
  is_pinned?: "true" | "1" | "false" | "0" | "" | (string & {}) | null | undefined;
  /** Only hidden announcements, or only the others. */
  is_hidden?: "true" | "1" | "false" | "0" | "" | (string & {}) | null | undefined;
}

/** Query of `listFeedbacks`. */
export interface ListFeedbacksQuery {
  /** How many items a page has. */
  limit?: number | null | undefined;
  /** How many items to skip. */
  offset?: number | null | undefined;
  /** Only items that contain this text, whatever the case. Blank is the same as left out. */
  search?: string | null | undefined;
  /** Only what came from this platform. Case does not matter. */
  platform?: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null | undefined;
  /** Only feedback with this rating. */
  rating?: number | null | undefined;
  /** Only feedback in this state. */
  status?: "open" | "in_progress" | "resolved" | "closed" | (string & {}) | null | undefined;
  /** Whether hidden ones are listed, too. Without it they are not. */
  include_hidden?: "true" | "1" | "false" | "0" | "" | (string & {}) | null | undefined;
}

/** Query of `getFeedbackRatingStats`. */
export interface GetFeedbackRatingStatsQuery {
  /** First second of the range; seven days before its end, if left out. */
  start_time?: number | null | undefined;
  /** Last second of the range; now, if left out. */
  end_time?: number | null | undefined;
  /** Minutes that the caller's clock is east of UTC. It changes nothing where nothing is cut into days. */
  tz_offset_minutes?: number | null | undefined;
}

/** Query of `listLogs`. */
export interface ListLogsQuery {
  /** How many items a page has. */
  limit?: number | null | undefined;
  /** How many items to skip. */
  offset?: number | null | undefined;
  /** Only items that contain this text, whatever the case. Blank is the same as left out. */
  search?: string | null | undefined;
  /** Only what was made at this time or later. Not after `end_time`. */
  start_time?: number | null | undefined;
  /** Only what was made at this time or before. */
  end_time?: number | null | undefined;
  /** Only logs of this level. */
  level?: number | null | undefined;
  /** Only what came from this platform. Case does not matter. */
  platform?: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null | undefined;
  /** Whether hidden ones are listed, too. Without it they are not. */
  include_hidden?: "true" | "1" | "false" | "0" | "" | (string & {}) | null | undefined;
}

/** Query of `getLogLevelStats`. */
export interface GetLogLevelStatsQuery {
  /** First second of the range; seven days before its end, if left out. */
  start_time?: number | null | undefined;
  /** Last second of the range; now, if left out. */
  end_time?: number | null | undefined;
  /** Minutes that the caller's clock is east of UTC. It changes nothing where nothing is cut into days. */
  tz_offset_minutes?: number | null | undefined;
}

/** Query of `listEventDefinitions`. */
export interface ListEventDefinitionsQuery {
  /** First second of the range; seven days before its end, if left out. */
  start_time?: number | null | undefined;
  /** Last second of the range; now, if left out. */
  end_time?: number | null | undefined;
  /** Minutes that the caller's clock is east of UTC. It changes nothing where nothing is cut into days. */
  tz_offset_minutes?: number | null | undefined;
  /** How many items a page has. */
  limit?: number | null | undefined;
  /** How many items to skip. */
  offset?: number | null | undefined;
  /** Only items that contain this text, whatever the case. Blank is the same as left out. */
  search?: string | null | undefined;
  /** Whether archived ones are listed, too. Without it they are not. */
  include_archived?: "true" | "1" | "false" | "0" | "" | (string & {}) | null | undefined;
}

/** Query of `getEventOverview`. */
export interface GetEventOverviewQuery {
  /** First second of the range; seven days before its end, if left out. */
  start_time?: number | null | undefined;
  /** Last second of the range; now, if left out. */
  end_time?: number | null | undefined;
  /** Minutes that the caller's clock is east of UTC. It changes nothing where nothing is cut into days. */
  tz_offset_minutes?: number | null | undefined;
}

/** Query of `getEventTimeseries`. */
export interface GetEventTimeseriesQuery {
  /** First second of the range; seven days before its end, if left out. */
  start_time?: number | null | undefined;
  /** Last second of the range; now, if left out. */
  end_time?: number | null | undefined;
  /** Minutes that the caller's clock is east of UTC. It changes nothing where nothing is cut into days. */
  tz_offset_minutes?: number | null | undefined;
  /** Length of a bucket. Days begin at midnight of `tz_offset_minutes`, hours are those of UTC. */
  granularity?: "hour" | "day" | (string & {}) | null | undefined;
  /** Only events of exactly this name, as it is stored. */
  event_name?: string | null | undefined;
  /** Also one series for each value of this. */
  group_by?: "event" | "platform" | "region" | (string & {}) | null | undefined;
  /** How many series. */
  limit?: number | null | undefined;
}

/** Query of `getEventBreakdown`. */
export interface GetEventBreakdownQuery {
  /** First second of the range; seven days before its end, if left out. */
  start_time?: number | null | undefined;
  /** Last second of the range; now, if left out. */
  end_time?: number | null | undefined;
  /** Minutes that the caller's clock is east of UTC. It changes nothing where nothing is cut into days. */
  tz_offset_minutes?: number | null | undefined;
  /** What to count by. */
  dimension?: "event" | "platform" | "region" | "property" | (string & {}) | null | undefined;
  /** First-level key of the property. Required for dimension `property`, not used for others. */
  property_key?: string | null | undefined;
  /** Only events of exactly this name, as it is stored. */
  event_name?: string | null | undefined;
  /** How many values. */
  limit?: number | null | undefined;
}

/** Query of `getEventHeatmap`. */
export interface GetEventHeatmapQuery {
  /** First second of the range; seven days before its end, if left out. */
  start_time?: number | null | undefined;
  /** Last second of the range; now, if left out. */
  end_time?: number | null | undefined;
  /** Minutes that the caller's clock is east of UTC. It changes nothing where nothing is cut into days. */
  tz_offset_minutes?: number | null | undefined;
  /** Only events of exactly this name, as it is stored. */
  event_name?: string | null | undefined;
}

/** Query of `search`. */
export interface SearchQuery {
  /**
   * What to find, in any case: a part of a field, from one character up. Where several words are found
   * nowhere as they stand, whatever has all of them is found.
   */
  q: string;
  /** Key or former key of the only project to look through. */
  project?: string | null | undefined;
  /** The only kind of thing to look for. */
  kind?: "project" | "version" | "announcement" | "feedback" | "log" | (string & {}) | null | undefined;
  /** How many items a page has. */
  limit?: number | null | undefined;
  /** Whether hidden ones are listed, too. Without it they are not. */
  include_hidden?: "true" | "1" | "false" | "0" | "" | (string & {}) | null | undefined;
}

/** Query of `getRequestOverview`. */
export interface GetRequestOverviewQuery {
  /** First second of the range; seven days before its end, if left out. */
  start_time?: number | null | undefined;
  /** Last second of the range; now, if left out. */
  end_time?: number | null | undefined;
  /** Minutes that the caller's clock is east of UTC. It changes nothing where nothing is cut into days. */
  tz_offset_minutes?: number | null | undefined;
}

/** Query of `getRequestTimeseries`. */
export interface GetRequestTimeseriesQuery {
  /** First second of the range; seven days before its end, if left out. */
  start_time?: number | null | undefined;
  /** Last second of the range; now, if left out. */
  end_time?: number | null | undefined;
  /** Minutes that the caller's clock is east of UTC. It changes nothing where nothing is cut into days. */
  tz_offset_minutes?: number | null | undefined;
  /** Length of a bucket. Days begin at midnight of `tz_offset_minutes`, hours are those of UTC. */
  granularity?: "hour" | "day" | (string & {}) | null | undefined;
  /** Only requests of this kind. */
  endpoint?: "PROJECT_DETAIL" | "VERSION_LIST" | "VERSION_LATEST" | "VERSION_LATEST_PREVIEW" | "VERSION_BY_VERSION" | "VERSION_CHECK_UPDATE" | "ANNOUNCEMENT_LIST" | "ANNOUNCEMENT_LATEST" | "FEEDBACK_SUBMIT" | "LOG_UPLOAD" | "EVENT_INGEST" | (string & {}) | null | undefined;
  /** Also one series for each value of this. */
  group_by?: "endpoint" | "platform" | (string & {}) | null | undefined;
}

/** Query of `getVersionAdoption`. */
export interface GetVersionAdoptionQuery {
  /** First second of the range; seven days before its end, if left out. */
  start_time?: number | null | undefined;
  /** Last second of the range; now, if left out. */
  end_time?: number | null | undefined;
  /** Minutes that the caller's clock is east of UTC. It changes nothing where nothing is cut into days. */
  tz_offset_minutes?: number | null | undefined;
  /** Length of a bucket. Days begin at midnight of `tz_offset_minutes`, hours are those of UTC. */
  granularity?: "hour" | "day" | (string & {}) | null | undefined;
  /** How many versions. */
  limit?: number | null | undefined;
}

/** Query of `getClientVersions`. */
export interface GetClientVersionsQuery {
  /** First second of the range; seven days before its end, if left out. */
  start_time?: number | null | undefined;
  /** Last second of the range; now, if left out. */
  end_time?: number | null | undefined;
  /** Minutes that the caller's clock is east of UTC. It changes nothing where nothing is cut into days. */
  tz_offset_minutes?: number | null | undefined;
  /** How many versions. */
  limit?: number | null | undefined;
}

/** Query of `getPlatformVersions`. */
export interface GetPlatformVersionsQuery {
  /** First second of the range; seven days before its end, if left out. */
  start_time?: number | null | undefined;
  /** Last second of the range; now, if left out. */
  end_time?: number | null | undefined;
  /** Minutes that the caller's clock is east of UTC. It changes nothing where nothing is cut into days. */
  tz_offset_minutes?: number | null | undefined;
  /** How many systems. */
  limit?: number | null | undefined;
}

/** Query of `getRequestHeatmap`. */
export interface GetRequestHeatmapQuery {
  /** First second of the range; seven days before its end, if left out. */
  start_time?: number | null | undefined;
  /** Last second of the range; now, if left out. */
  end_time?: number | null | undefined;
  /** Minutes that the caller's clock is east of UTC. It changes nothing where nothing is cut into days. */
  tz_offset_minutes?: number | null | undefined;
}

/** Query of `listFiles`. */
export interface ListFilesQuery {
  /** How many items a page has. */
  limit?: number | null | undefined;
  /** How many items to skip. */
  offset?: number | null | undefined;
  /** Only items that contain this text, whatever the case. Blank is the same as left out. */
  search?: string | null | undefined;
  /** Only files in this state. Case does not matter; blank is the same as left out. */
  status?: "pending" | "ready" | "failed" | (string & {}) | null | undefined;
}

/** Calls of the client itself. */
export interface ClientApi {
  /** Say that the server is up, and its time. */
  health(options?: CallOptions): Promise<Health>;

  /**
   * Sign in.
   *
   * Exchanges name and password for a token to be sent as `Authorization: Bearer …`. Twenty failures
   * from one address within five minutes answer 429 until the five minutes are over.
   */
  login(body: LoginInput, options?: CallOptions): Promise<Login>;
}

/** Calls without a credential. */
export interface PublicApi {
  /**
   * List the terms documents.
   *
   * `privacy-policy` first, then `sdk-compliance`.
   */
  listTerms(query?: PublicListTermsQuery, options?: CallOptions): Promise<TermsList>;

  /**
   * Read a terms document.
   *
   * The text of the operator if there is one and it is switched on, in the language it is written in;
   * otherwise the built-in text, in which `{{ key }}` stands for what the operator has not filled in.
   */
  getTerms(slug: string, query?: PublicGetTermsQuery, options?: CallOptions): Promise<Terms>;

  /** Read a project. */
  getProject(query?: PublicGetProjectQuery, options?: CallOptions): Promise<PublicProject>;

  /**
   * List versions, greatest first.
   *
   * Deprecated versions are listed, and so are those whose `published_at` lies ahead.
   */
  listVersions(query?: PublicListVersionsQuery, options?: CallOptions): Promise<PublicVersionPage>;
  /** Walks all pages of `listVersions`. */
  iterVersions(query?: Omit<PublicListVersionsQuery, "limit" | "offset">, options?: CallOptions): AsyncGenerator<PublicVersionPage["data"][number], void, undefined>;

  /**
   * Read the latest version.
   *
   * The version marked as latest. Without one: the official version published last, and if all are
   * previews, the preview published last. 404 when the project has no version at all.
   */
  getLatestVersion(query?: PublicGetLatestVersionQuery, options?: CallOptions): Promise<PublicVersion>;

  /** Read the greatest preview, or null. */
  getLatestPreviewVersion(query?: PublicGetLatestPreviewVersionQuery, options?: CallOptions): Promise<PublicVersion | null>;

  /**
   * Find a version by its text.
   *
   * First by the exact display text; if there is none, by value: `1.2` finds a version whose comparable
   * version is `1.2.0`.
   */
  getVersion(version: string, query?: PublicGetVersionQuery, options?: CallOptions): Promise<PublicVersion>;

  /**
   * Ask whether there is an update, and whether it is required.
   *
   * Send what is installed: the display version, the comparable version, or both. A version that is not
   * published here can only be judged with `current_comparable_version`; without it the answer is 400.
   * 404 means that there is no such project, or nothing that could be offered.
   */
  checkUpdate(body: UpdateCheckInput, options?: CallOptions): Promise<UpdateCheck>;

  /**
   * List the announcements that are meant for the caller.
   *
   * Pinned ones first, then the newest published first. Only what is visible counts: not hidden, for the
   * platform where one is asked for, for the client's version, and not hidden for the language asked for.
   * `search` looks into title, content and author.
   */
  listAnnouncements(query?: PublicListAnnouncementsQuery, options?: CallOptions): Promise<PublicAnnouncementPage>;
  /** Walks all pages of `listAnnouncements`. */
  iterAnnouncements(query?: Omit<PublicListAnnouncementsQuery, "limit" | "offset">, options?: CallOptions): AsyncGenerator<PublicAnnouncementPage["data"][number], void, undefined>;

  /**
   * Read the visible announcement published last.
   *
   * Pinning plays no role. 404 when none is visible to the caller.
   */
  getLatestAnnouncement(query?: PublicGetLatestAnnouncementQuery, options?: CallOptions): Promise<PublicAnnouncement>;

  /** Say whether feedback can be forwarded to the code host. */
  getFeedbackOptions(options?: CallOptions): Promise<FeedbackOptions>;

  /**
   * Send feedback.
   *
   * The same content sent again from the same address within a minute is one record: the answer is the one that
   * exists. The platform of the caller is taken from the body, else from headers, query or User-Agent.
   *
   * With `forward_to_codehost` the feedback also becomes an issue at the code host, where the options say that this
   * is possible. This needs a `contact`, is limited to a few issues an hour and address, and takes up to 20 seconds.
   * What is not forwarded is not stored. After a 503 the same can be sent again: it does not become a second issue.
   */
  createFeedback(body: FeedbackInput, options?: CallOptions): Promise<Feedback>;

  /**
   * Upload a log entry.
   *
   * The same content sent again from the same address within a minute is one record: the answer is the one that
   * exists. Nothing that is said about the platform is an error; what is not understood is not stored.
   */
  uploadLog(body: LogInput, options?: CallOptions): Promise<Log>;

  /**
   * Send a batch of events.
   *
   * Events of one sender. Those that break a rule are left out and told in `rejected`; the others are stored. A
   * batch may be sent again: an event whose `event_id` is known is skipped. Only a batch that has no sound event
   * at all answers 400.
   *
   * Names are trimmed and put in lower case, and must then be 1 to 64 of `a-z 0-9 _ . : -`; an event with any
   * other name is skipped. So is one with a new name in a project that has as many names as the server allows, 2,000
   * as a rule: the answer then has `names_full`. The body is read as JSON whatever its content type is, so that beacons can send it.
   *
   * `x-svc-client-time` tells the client's clock: a time such as `2026-09-24T10:00:00.000+08:00`. Where that is a
   * minute or more from the server's, times of events are moved by the difference. A time that is then more than
   * five minutes ahead, or older than the server believes (seven days, as a rule), is replaced by that of arrival.
   *
   * With `x-svc-do-not-track: 1`, and in projects that do not collect events, nothing is stored and `suppressed`
   * is true.
   */
  ingestEvents(body: EventBatch, options?: CallOptions): Promise<EventsAccepted>;

  /**
   * Get everything that is stored of oneself.
   *
   * All events of an identifier, from the oldest to the newest, in one answer. Whoever knows the identifier may
   * ask, ten times an hour. An answer that is not complete JSON was cut off and must be asked for again.
   */
  exportMyData(query?: PublicExportMyDataQuery, options?: CallOptions): Promise<SubjectExport>;

  /**
   * Delete everything that is stored of oneself.
   *
   * Deletes all events of an identifier for good. Counts by the hour, in which nobody can be found, stay. Whoever
   * knows the identifier may ask, ten times an hour.
   */
  deleteMyData(query?: PublicDeleteMyDataQuery, options?: CallOptions): Promise<EventsErased>;
}

/** Calls with a credential. */
export interface AdminApi {
  /**
   * See how the instance stands, and what to do.
   *
   * What `svc doctor` says of the running server, the reading of the databases apart: backups, disk, certificates,
   * scheduled jobs, settings and more, each with what to do about it. It is examined at most every 15 seconds.
   */
  getStatus(options?: CallOptions): Promise<InstanceStatus>;

  /**
   * Say which version runs, and whether there is a newer one.
   *
   * Where `about.upstream_url` names an instance that publishes this program as its project `svc`, that one is asked,
   * as every app asks it: which release runs here, and whether to update. Its answer is kept for an hour, a failure
   * for a minute. A failure is a part of the answer. Without the setting nobody is asked.
   */
  getAbout(query?: GetAboutQuery, options?: CallOptions): Promise<About>;

  /** List the terms documents with their built-in texts and drafts. */
  listTermsDocuments(query?: ListTermsDocumentsQuery, options?: CallOptions): Promise<TermsDocumentList>;

  /** Read a terms document with its built-in text and draft. */
  getTermsDocument(slug: string, query?: GetTermsDocumentQuery, options?: CallOptions): Promise<TermsDocument>;

  /**
   * Save a draft, or switch between draft and built-in text.
   *
   * A field that is left out stays as it is. Switching never changes the time that readers see: it is
   * that of the text. Placeholders are not filled in here; send the finished text.
   */
  updateTermsDocument(slug: string, body: TermsDocumentFields, options?: CallOptions): Promise<TermsDocument>;

  /** Drop the draft and show the built-in text. */
  resetTermsDocument(slug: string, query?: ResetTermsDocumentQuery, options?: CallOptions): Promise<TermsDocument>;

  /** Say who is signed in. */
  getMe(options?: CallOptions): Promise<AuthUser>;

  /** Read the administrator's account. */
  getAdminProfile(options?: CallOptions): Promise<AuthUser>;

  /**
   * Change user name, password, or both.
   *
   * Needs the current password. A change ends every session, also the one that made it; sign in again.
   * With neither a name nor a new password nothing changes.
   */
  updateAdminProfile(body: ProfileInput, options?: CallOptions): Promise<AuthUser>;

  /**
   * Change the password.
   *
   * Ends every session, also the one that made the change.
   */
  changePassword(body: PasswordInput, options?: CallOptions): Promise<Done>;

  /**
   * Change the user name.
   *
   * Ends every session, also the one that made the change.
   */
  changeAccount(body: AccountInput, options?: CallOptions): Promise<Done>;

  /** List the scopes that a key can have. */
  listApiScopes(options?: CallOptions): Promise<ScopeList>;

  /**
   * List all keys, newest first.
   *
   * Not paged. Revoked keys are listed, too; the key texts are not known to the server.
   */
  listApiKeys(options?: CallOptions): Promise<ApiKeyList>;

  /**
   * Create a key.
   *
   * The answer is the only place where the text of the key can ever be read.
   */
  createApiKey(body: ApiKeyCreate, options?: CallOptions): Promise<ApiKeyCreated>;

  /** Read a key. */
  getApiKey(id: string, options?: CallOptions): Promise<ApiKey>;

  /**
   * Change name, scopes, projects or expiry of a key.
   *
   * The text of the key stays as it is. A revoked key cannot be changed.
   */
  updateApiKey(id: string, body: ApiKeyFields, options?: CallOptions): Promise<ApiKeyUpdated>;

  /**
   * Revoke a key.
   *
   * Ends it at once, together with a former text in its grace period. Repeating does no harm.
   */
  revokeApiKey(id: string, options?: CallOptions): Promise<Done>;

  /**
   * Give a key a new text.
   *
   * Name, scopes, projects and expiry stay. The former text stops at once, or keeps working for
   * the grace period, but never longer than the key itself. Only the latest former text is kept.
   */
  rotateApiKey(id: string, body?: ApiKeyRotateInput, options?: CallOptions): Promise<ApiKeyRotated>;

  /**
   * List projects, newest first.
   *
   * `search` looks into key, name, description, author, repository address and former keys.
   * Not for keys that are limited to projects.
   */
  listProjects(query?: ListProjectsQuery, options?: CallOptions): Promise<ProjectPage>;
  /** Walks all pages of `listProjects`. */
  iterProjects(query?: Omit<ListProjectsQuery, "limit" | "offset">, options?: CallOptions): AsyncGenerator<ProjectPage["data"][number], void, undefined>;

  /**
   * Create a project.
   *
   * 409 when the key is taken by a project or is a former key of one. Not for keys that are limited to projects.
   */
  createProject(body: Omit<ProjectCreate, "project_key"> & Partial<Pick<ProjectCreate, "project_key">>, options?: CallOptions): Promise<Project>;

  /**
   * Count the projects.
   *
   * Not for keys that are limited to projects.
   */
  getProjectStatistics(options?: CallOptions): Promise<ProjectStatistics>;

  /** Read a project. */
  getProject(options?: CallOptions): Promise<Project>;

  /**
   * Change a project.
   *
   * Another `project_key` renames the project. Everything follows, and the old key keeps leading to it.
   * 409 when the new key is taken by, or is a former key of, another project.
   */
  updateProject(body: ProjectFields, options?: CallOptions): Promise<Project>;

  /** Delete a project and everything in it. */
  deleteProject(options?: CallOptions): Promise<Done>;

  /** Count what goes when the project is deleted. */
  getProjectContents(options?: CallOptions): Promise<ProjectContents>;

  /**
   * List the former keys of a project, newest first.
   *
   * Not paged.
   */
  listProjectAliases(options?: CallOptions): Promise<AliasList>;

  /**
   * Read what the code host says about a repository.
   *
   * Fills the form of a project; nothing is stored. Keys that are limited to listed projects are refused.
   */
  previewCodehostRepo(query: PreviewCodehostRepoQuery, options?: CallOptions): Promise<CodehostRepoPreview>;

  /** Read what a project does with its repository. */
  getCodehostIntegration(options?: CallOptions): Promise<CodehostIntegration>;

  /**
   * Change what a project does with its repository.
   *
   * A field that is left out stays as it is. A blank text or null clears a text, null empties a list.
   * Without a repository both features are switched off, and the template is no longer that of the
   * repository.
   *
   * A feature can be switched on where there is a repository, and the code host app is configured and
   * offers it. It can always be switched off.
   */
  updateCodehostIntegration(body: CodehostIntegrationFields, options?: CallOptions): Promise<CodehostIntegration>;

  /**
   * Read the template of issues in the repository of a project.
   *
   * Uses repository, path and ref as they are saved. What was read is kept for five minutes. A template
   * that cannot be read is no error of the request: `error` says why.
   */
  getCodehostIntegrationRepoTemplate(query?: GetCodehostIntegrationRepoTemplateQuery, options?: CallOptions): Promise<CodehostRepoTemplate>;

  /**
   * Give up a former key.
   *
   * From then on it leads nowhere and may be given to another project.
   */
  deleteProjectAlias(alias: string, options?: CallOptions): Promise<Done>;

  /**
   * List the languages of a project, oldest first.
   *
   * Not paged.
   */
  listProjectLocales(options?: CallOptions): Promise<LanguageList>;

  /**
   * Register a language.
   *
   * A tag that is registered already, also as a synonym, updates that language instead: its primary tag
   * stays, what is sent is replaced, the rest is kept.
   */
  createProjectLocale(body: LanguageCreate, options?: CallOptions): Promise<Language>;

  /**
   * Change a language.
   *
   * Another `locale` moves all translations of the language to the new tag. 409 when translations
   * of a language that is no longer registered are kept under that tag; nothing is changed then.
   */
  updateProjectLocale(locale: string, body: LanguageFields, options?: CallOptions): Promise<Language>;

  /**
   * Remove a language.
   *
   * Its translations are kept, unseen, and come back when the language is registered again.
   */
  deleteProjectLocale(locale: string, options?: CallOptions): Promise<Done>;

  /**
   * List versions with their translations, greatest first.
   *
   * `search` looks into display version, comparable version, title and content.
   */
  listVersions(query?: ListVersionsQuery, options?: CallOptions): Promise<VersionPage>;
  /** Walks all pages of `listVersions`. */
  iterVersions(query?: Omit<ListVersionsQuery, "limit" | "offset">, options?: CallOptions): AsyncGenerator<VersionPage["data"][number], void, undefined>;

  /**
   * Create a version.
   *
   * Never changes one that exists: 409 when the display version is taken. For CI, which may run twice,
   * use `PUT …/by-version/{v}`.
   */
  createVersion(body: VersionCreate, options?: CallOptions): Promise<Version>;

  /**
   * Read a release of the project's repository.
   *
   * Fills the form of a version; nothing is stored. 400 while `repo_url` of the project is not a repository of the code host.
   */
  previewCodehostRelease(query?: PreviewCodehostReleaseQuery, options?: CallOptions): Promise<CodehostReleasePreview>;

  /**
   * Store the releases of the project's repository as versions.
   *
   * Reads up to 1,000 releases, newest first. Versions that exist are never changed, so it can be repeated:
   * after 502 the releases that were read before are stored. No release becomes the latest version.
   */
  importCodehostReleases(options?: CallOptions): Promise<CodehostImport>;

  /**
   * See what the update check answers a client, and why.
   *
   * The answer is that of `POST /public/{k}/versions/check-update` to the same body, an error included. The reasons
   * are the rules that led to it, in the order in which they apply, with the versions and limits they are about.
   * It is counted in no statistics.
   */
  simulateUpdateCheck(body: UpdateCheckSimulationInput, options?: CallOptions): Promise<UpdateCheckSimulation>;

  /** Read a version with its translations. */
  getVersion(id: string, options?: CallOptions): Promise<Version>;

  /**
   * Change a version.
   *
   * 409 when another version of the project has the new display version. Another display version without
   * a `comparable_version` changes the comparable version with it.
   */
  updateVersion(id: string, body: VersionFields, options?: CallOptions): Promise<Version>;

  /**
   * Delete a version.
   *
   * If it was the latest, the greatest official version that is not deprecated takes its place.
   */
  deleteVersion(id: string, options?: CallOptions): Promise<Done>;

  /**
   * Publish a version, or update it if it exists.
   *
   * Made for CI: the same call may be repeated. All fields are optional; the comparable version is
   * derived from the display version. If the version exists, only the fields sent are changed.
   * A `version` in the body must be the one in the path.
   */
  upsertVersion(version: string, body?: VersionFields, options?: CallOptions): Promise<Version>;

  /**
   * Count the versions of all projects.
   *
   * Not for keys that are limited to projects.
   */
  getVersionStatistics(options?: CallOptions): Promise<VersionStatistics>;

  /**
   * List announcements with their translations.
   *
   * Pinned ones first, then the newest published first. Hidden ones are listed, too. `search` looks into title, content and author.
   */
  listAnnouncements(query?: ListAnnouncementsQuery, options?: CallOptions): Promise<AnnouncementPage>;
  /** Walks all pages of `listAnnouncements`. */
  iterAnnouncements(query?: Omit<ListAnnouncementsQuery, "limit" | "offset">, options?: CallOptions): AsyncGenerator<AnnouncementPage["data"][number], void, undefined>;

  /** Create an announcement. */
  createAnnouncement(body: AnnouncementCreate, options?: CallOptions): Promise<Announcement>;

  /** Read an announcement with its translations. */
  getAnnouncement(id: string, options?: CallOptions): Promise<Announcement>;

  /** Change an announcement. */
  updateAnnouncement(id: string, body: AnnouncementFields, options?: CallOptions): Promise<Announcement>;

  /** Delete an announcement. */
  deleteAnnouncement(id: string, options?: CallOptions): Promise<Done>;

  /**
   * Count the announcements of all projects.
   *
   * Hidden ones count. Not for keys that are limited to projects.
   */
  getAnnouncementStatistics(options?: CallOptions): Promise<AnnouncementStatistics>;

  /**
   * List feedback, newest first.
   *
   * `search` looks into content, user, contact, address, city, country and region name, and system version.
   */
  listFeedbacks(query?: ListFeedbacksQuery, options?: CallOptions): Promise<FeedbackPage>;
  /** Walks all pages of `listFeedbacks`. */
  iterFeedbacks(query?: Omit<ListFeedbacksQuery, "limit" | "offset">, options?: CallOptions): AsyncGenerator<FeedbackPage["data"][number], void, undefined>;

  /**
   * Add feedback that came another way.
   *
   * Everything is stored as sent; there is no address, User-Agent or place. Never taken for a duplicate.
   */
  createFeedback(body: FeedbackCreate, options?: CallOptions): Promise<Feedback>;

  /** Read one feedback. */
  getFeedback(id: string, options?: CallOptions): Promise<Feedback>;

  /** Change feedback, for example its status and result. */
  updateFeedback(id: string, body: FeedbackFields, options?: CallOptions): Promise<Feedback>;

  /** Delete feedback. */
  deleteFeedback(id: string, options?: CallOptions): Promise<Done>;

  /**
   * Make stored feedback an issue at the code host.
   *
   * The issue is made of the template of the project, as for feedback that visitors forward. A `contact` is not
   * needed, and who calls is not counted. It takes up to 20 seconds.
   *
   * Feedback never becomes a second issue: what is forwarded already is answered as it is, so this can be sent again
   * whenever the answer was lost. After a 503 the feedback is as it was, or has its issue some minutes later.
   */
  forwardFeedback(id: string, options?: CallOptions): Promise<Feedback>;

  /**
   * Count the feedback of all projects.
   *
   * Hidden feedback counts. Not for keys that are limited to projects.
   */
  getFeedbackStatistics(options?: CallOptions): Promise<FeedbackStatistics>;

  /**
   * Count the feedback of a project by rating.
   *
   * Of what was made in the range of time. Hidden feedback counts.
   */
  getFeedbackRatingStats(query?: GetFeedbackRatingStatsQuery, options?: CallOptions): Promise<FeedbackRatings>;

  /**
   * List logs, newest first.
   *
   * `search` looks into content, source, address, city, country and region name, and system version.
   */
  listLogs(query?: ListLogsQuery, options?: CallOptions): Promise<LogPage>;
  /** Walks all pages of `listLogs`. */
  iterLogs(query?: Omit<ListLogsQuery, "limit" | "offset">, options?: CallOptions): AsyncGenerator<LogPage["data"][number], void, undefined>;

  /**
   * Add a log that came another way.
   *
   * Everything is stored as sent; there is no address, User-Agent or place. Never taken for a duplicate.
   */
  createLog(body: LogCreate, options?: CallOptions): Promise<Log>;

  /**
   * Delete logs by time, level and address.
   *
   * Deletes the logs that meet all the conditions that are sent, of which there must be one at least. It works in
   * steps; after an error or a lost answer the same request deletes the rest. The log of the server names the
   * administrator.
   */
  pruneLogs(body: LogPrune, options?: CallOptions): Promise<PrunedLogs>;

  /**
   * Hide a log or show it again.
   *
   * A log is evidence. Nothing else of it can ever be changed, and a single one cannot be deleted.
   */
  updateLog(id: string, body: LogChange, options?: CallOptions): Promise<Log>;

  /**
   * Count the logs of all projects.
   *
   * Hidden logs count. Not for keys that are limited to projects.
   */
  getLogStatistics(options?: CallOptions): Promise<LogStatistics>;

  /**
   * Count the logs of a project by level.
   *
   * Of what was made in the range of time. Hidden logs count.
   */
  getLogLevelStats(query?: GetLogLevelStatsQuery, options?: CallOptions): Promise<LogLevels>;

  /**
   * Delete everything that is stored of a sender.
   *
   * Deletes all events of an identifier for good. Counts by the hour, in which nobody can be found, stay.
   */
  deleteEventSubject(distinctId: string, options?: CallOptions): Promise<EventsErased>;

  /**
   * List the names of events, the last seen first.
   *
   * `search` looks into name, display name and description. The range is that of `range_count` alone.
   */
  listEventDefinitions(query?: ListEventDefinitionsQuery, options?: CallOptions): Promise<EventDefinitionPage>;
  /** Walks all pages of `listEventDefinitions`. */
  iterEventDefinitions(query?: Omit<ListEventDefinitionsQuery, "limit" | "offset">, options?: CallOptions): AsyncGenerator<EventDefinitionPage["data"][number], void, undefined>;

  /** Read what is said of a name of events. */
  getEventDefinition(id: string, options?: CallOptions): Promise<EventDefinition>;

  /** Describe a name of events. */
  updateEventDefinition(id: string, body: EventDefinitionChange, options?: CallOptions): Promise<EventDefinition>;

  /**
   * Forget the description of a name.
   *
   * Events and counts stay. The next event of the name makes a new one.
   */
  deleteEventDefinition(id: string, options?: CallOptions): Promise<Done>;

  /**
   * Count events, senders, sessions and names.
   *
   * `total` and `event_types` are counted by the hour: the first and the last hour of the range count whole.
   * `unique_users` and `unique_sessions` are counted by the second. See docs/numbers.md.
   */
  getEventOverview(query?: GetEventOverviewQuery, options?: CallOptions): Promise<EventOverview>;

  /**
   * Count events over time.
   *
   * Every hour or day of the range has its bucket. More than 20,000 of them answer 400. What `limit` leaves out of
   * the series is still in `data`.
   */
  getEventTimeseries(query?: GetEventTimeseriesQuery, options?: CallOptions): Promise<EventSeries>;

  /** Count events by name, platform, region or property. */
  getEventBreakdown(query?: GetEventBreakdownQuery, options?: CallOptions): Promise<EventBreakdown>;

  /**
   * Count events by hour of the week.
   *
   * In the local time of each client: by what its clock says, else by its country, else by `tz_offset_minutes`.
   */
  getEventHeatmap(query?: GetEventHeatmapQuery, options?: CallOptions): Promise<Heatmap>;

  /**
   * Count who gets from one step to the next.
   *
   * A sender counts for a step if it did all steps up to there in order, the last one at most `window_seconds`
   * after the first. Steps may fall into the same second; one event is one step at most.
   */
  getFunnel(body: FunnelInput, options?: CallOptions): Promise<Funnel>;

  /**
   * Count who comes back.
   *
   * A sender is in the cohort of the day or week of its first start event in the range. A period that is not over
   * and in which nobody came back yet is null, and so is one that lies ahead. More than 20,000 cohorts answer 400.
   */
  getRetention(body: RetentionInput, options?: CallOptions): Promise<Retention>;

  /** Count which event follows which. */
  getPaths(body?: PathsInput, options?: CallOptions): Promise<Paths>;

  /**
   * Compute a number from events.
   *
   * A number for the whole range (`value`), over time (`timeseries`) or by the values of a dimension (`breakdown`),
   * of one event or of several with a formula. More than 20,000 buckets answer 400.
   */
  runEventQuery(body: MetricInput, options?: CallOptions): Promise<Metric>;

  /**
   * List the cards of the dashboard.
   *
   * By `sort_order`, then by age. There are no pages.
   */
  listDashboardCards(options?: CallOptions): Promise<CardList>;

  /**
   * Add a card.
   *
   * A card keeps a question, never an answer. `query` is held to all rules of `POST …/analysis/query`, so that a
   * card that is stored can be asked.
   */
  createDashboardCard(body: CardCreate, options?: CallOptions): Promise<Card>;

  /** Read a card. */
  getDashboardCard(id: string, options?: CallOptions): Promise<Card>;

  /** Change a card. */
  updateDashboardCard(id: string, body: CardFields, options?: CallOptions): Promise<Card>;

  /** Remove a card. */
  deleteDashboardCard(id: string, options?: CallOptions): Promise<Done>;

  /**
   * Search all projects.
   *
   * Looks through projects, versions, announcements, feedback and logs as the lists of each do, newest first.
   * Any of the five scopes opens it; what a key may not read is left out, without an error.
   */
  search(query: SearchQuery, options?: CallOptions): Promise<SearchPage>;

  /**
   * Count requests by what, on what and from where.
   *
   * The first and the last hour of the range count whole, here and in all statistics of requests.
   */
  getRequestOverview(query?: GetRequestOverviewQuery, options?: CallOptions): Promise<RequestOverview>;

  /**
   * Count requests over time.
   *
   * Every hour or day of the range has its bucket. More than 20,000 of them answer 400.
   */
  getRequestTimeseries(query?: GetRequestTimeseriesQuery, options?: CallOptions): Promise<RequestSeries>;

  /**
   * Show how versions of the app come and go.
   *
   * The versions that update checks sent most often in the range, counted over time. More than 20,000 buckets
   * answer 400.
   */
  getVersionAdoption(query?: GetVersionAdoptionQuery, options?: CallOptions): Promise<VersionAdoption>;

  /**
   * Count update checks by version of the app.
   *
   * By the display version that was sent, else by the comparable version; published or not.
   */
  getClientVersions(query?: GetClientVersionsQuery, options?: CallOptions): Promise<ClientVersions>;

  /** Count requests by version of the system. */
  getPlatformVersions(query?: GetPlatformVersionsQuery, options?: CallOptions): Promise<PlatformVersions>;

  /**
   * Count requests by hour of the week.
   *
   * In the local time of each client: by what its clock says, else by its country, else by `tz_offset_minutes`.
   */
  getRequestHeatmap(query?: GetRequestHeatmapQuery, options?: CallOptions): Promise<Heatmap>;

  /**
   * List the files of a project, newest first.
   *
   * `search` looks at the name, the id and the SHA-256.
   */
  listFiles(query?: ListFilesQuery, options?: CallOptions): Promise<FilePage>;
  /** Walks all pages of `listFiles`. */
  iterFiles(query?: Omit<ListFilesQuery, "limit" | "offset">, options?: CallOptions): AsyncGenerator<FilePage["data"][number], void, undefined>;

  /** Read a file's record. */
  getFile(id: string, options?: CallOptions): Promise<File>;

  /**
   * Delete a file.
   *
   * Its link answers 404 at once. Copies that a CDN holds outlive the deletion unless they are refreshed, which is
   * tried here when the refresh is set up. Versions that refer to the file stay as they are.
   */
  deleteFile(id: string, options?: CallOptions): Promise<FileDeleted>;

  /**
   * Try again what has failed.
   *
   * 409 when the file has not failed, 400 when what was uploaded is no longer kept: upload it again.
   */
  retryFile(id: string, options?: CallOptions): Promise<File>;

  /**
   * Make the CDN forget its copies of a file.
   *
   * 400 when the refresh is switched off, lacks its credentials, or there is no distribution address.
   */
  refreshFileCdn(id: string, options?: CallOptions): Promise<CdnRefresh>;

  /**
   * List open uploads.
   *
   * The sessions that still take chunks, newest first, with the credential that began each. Deleting one gives
   * back its space and its place.
   */
  listUploads(options?: CallOptions): Promise<OpenUploadList>;

  /**
   * Begin an upload in chunks.
   *
   * A session lives for 24 hours. Send its chunks in any order, in parallel and again if need be, then complete it.
   * They take space as they arrive. A credential may have 8 open sessions and a project 32. The sessions and
   * pending files of a project may have half of the free space, their own counted as free.
   * 413 when the file is larger than the server takes, 404 also for a storage that there is not.
   */
  createUpload(body: UploadCreate, options?: CallOptions): Promise<UploadSession>;

  /** Read which chunks of an upload have arrived. */
  getUpload(uploadId: string, options?: CallOptions): Promise<UploadSession>;

  /** Give up an upload. */
  abortUpload(uploadId: string, options?: CallOptions): Promise<Done>;

  /**
   * Send a chunk of an upload.
   *
   * Each has `chunk_size` bytes, the last one the remainder. A chunk that arrives whole is kept for good; one that
   * breaks off leaves what was there. Sending an index again replaces it; a request that is still sending it then gets
   * 409, as one does that comes while the upload is being completed. The body may have 16 MiB and take 300 seconds.
   */
  putUploadChunk(uploadId: string, index: number, bytes: Uint8Array | Blob | ArrayBuffer, options?: CallOptions): Promise<ChunkReceipt>;

  /**
   * Make a file of an upload.
   *
   * Safe to repeat: until the session expires the same file is the answer. On local storage the file is `ready`
   * at once, elsewhere it is `pending` until it was moved there. 409 while chunks are missing.
   */
  completeUpload(uploadId: string, options?: CallOptions): Promise<File>;

  /**
   * Copy the attachments that a version links to.
   *
   * Links of the version that are attachments of a release at the code host are fetched in the background; all
   * versions of the project then link to the copies. 400 without a distribution address.
   */
  mirrorVersionAssets(id: string, options?: CallOptions): Promise<MirrorResult>;

  /** Read where files are kept. */
  getStorage(options?: CallOptions): Promise<StorageOverview>;

  /** Add a storage. */
  createStorageBackend(body: StorageBackendCreate, options?: CallOptions): Promise<StorageBackend>;

  /**
   * Change a storage.
   *
   * Files that are there already are neither moved nor written again. Of the built-in storage only the name and
   * `is_default` can be changed.
   */
  updateStorageBackend(id: string, body: StorageBackendFields, options?: CallOptions): Promise<StorageBackend>;

  /**
   * Delete a storage.
   *
   * 400 for the built-in one, 409 for the default and for one that holds files. Projects that name it use the
   * default from then on.
   */
  deleteStorageBackend(id: string, options?: CallOptions): Promise<Done>;

  /** Try the saved settings of a storage. */
  testStorageBackend(id: string, options?: CallOptions): Promise<StorageProbe>;

  /** Read the settings of the CDN refresh. */
  getCdnConfig(options?: CallOptions): Promise<CdnConfig>;

  /**
   * Change the settings of the CDN refresh.
   *
   * A field that is left out stays as it is. Another provider clears the credentials.
   */
  updateCdnConfig(body: CdnConfigFields, options?: CallOptions): Promise<CdnConfig>;

  /** Clear the settings of the CDN refresh and switch it off. */
  clearCdnConfig(options?: CallOptions): Promise<CdnConfig>;

  /**
   * Try the saved credentials of the CDN refresh.
   *
   * Works while the refresh is switched off.
   */
  testCdnConfig(options?: CallOptions): Promise<CdnTest>;

  /** Read the settings of the code host app. */
  getCodehostAppConfig(options?: CallOptions): Promise<CodehostApp>;

  /**
   * Change the settings of the code host app.
   *
   * A field that is left out stays as it is. A blank text or null clears a text, null empties a list.
   * Secrets can be set, never read.
   */
  updateCodehostAppConfig(body: CodehostAppFields, options?: CallOptions): Promise<CodehostApp>;

  /**
   * Forget the code host app.
   *
   * Everything is as before the first save. What projects have saved stays, without an effect.
   */
  clearCodehostAppConfig(options?: CallOptions): Promise<CodehostApp>;

  /**
   * Ask the code host about the saved app.
   *
   * Compares what the app may do with what the enabled features need.
   */
  testCodehostApp(options?: CallOptions): Promise<CodehostAppTest>;

  /**
   * Render Markdown as public pages show it.
   *
   * GitHub's dialect of CommonMark. Headings begin at `h3`, links are `nofollow noopener noreferrer`, pictures
   * come from `https` only, late and without referrer; tags in the text are shown as text. The answer may stand in
   * any page. Texts over 128 KiB are shown as they were written. Nothing is stored.
   * Any scope that reads opens it.
   */
  previewMarkdown(body: MarkdownInput, options?: CallOptions): Promise<MarkdownPreview>;

  /** Read the settings of the machine translation. */
  getTranslationConfig(options?: CallOptions): Promise<TranslationConfig>;

  /**
   * Change the settings of the machine translation.
   *
   * A field that is left out stays as it is. A blank text or null clears a text.
   */
  updateTranslationConfig(body: TranslationConfigFields, options?: CallOptions): Promise<TranslationConfig>;

  /** Clear the settings of the machine translation and switch it off. */
  clearTranslationConfig(options?: CallOptions): Promise<TranslationConfig>;

  /**
   * Translate a sample with the saved settings.
   *
   * The sample has the placeholder `{{version}}`, which must come back as it is.
   */
  testTranslation(options?: CallOptions): Promise<TranslationTest>;

  /**
   * Translate texts into a language of the project.
   *
   * Nothing is stored. Blank fields are left out of the answer.
   */
  translate(body: TranslateFields, options?: CallOptions): Promise<TranslatedTexts>;

  /** Read the settings of the release webhook. */
  getCodehostWebhook(options?: CallOptions): Promise<Webhook>;

  /**
   * Set the secret of the release webhook.
   *
   * The webhook accepts deliveries from then on. The answer shows the secret, the only time.
   */
  setCodehostWebhookSecret(body: WebhookSecretFields, options?: CallOptions): Promise<WebhookRevealed>;

  /**
   * Switch the release webhook off.
   *
   * Both secrets are gone, and every delivery is refused.
   */
  clearCodehostWebhookSecret(options?: CallOptions): Promise<Webhook>;

  /**
   * Give the release webhook a new random secret.
   *
   * The answer shows the secret, the only time.
   */
  regenerateCodehostWebhookSecret(body?: WebhookGraceFields, options?: CallOptions): Promise<WebhookRevealed>;
}
