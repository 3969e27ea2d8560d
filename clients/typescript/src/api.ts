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
  Asset,
  AssetFields,
  AssetList,
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
  Distribution,
  DistributionFields,
  Done,
  Downloads,
  EventBatch,
  EventBreakdown,
  EventDefinition,
  EventDefinitionChange,
  EventDefinitionPage,
  EventOverview,
  EventSeries,
  EventsAccepted,
  EventsErased,
  FeedList,
  Feedback,
  FeedbackBulk,
  FeedbackCreate,
  FeedbackFields,
  FeedbackInput,
  FeedbackOptions,
  FeedbackPage,
  FeedbackRatings,
  FeedbackSeries,
  FeedbackStatistics,
  File,
  FileDeleted,
  FilePage,
  Funnel,
  FunnelInput,
  Health,
  Heatmap,
  Hook,
  HookCreate,
  HookCreated,
  HookDelivery,
  HookDeliveryList,
  HookDeliveryWhole,
  HookFields,
  HookList,
  HookRotate,
  HookSecret,
  HookTest,
  InstanceStatus,
  InstanceToday,
  Language,
  LanguageCreate,
  LanguageFields,
  LanguageList,
  Log,
  LogBulk,
  LogChange,
  LogCreate,
  LogGroup,
  LogGroupPage,
  LogGroupUpdate,
  LogInput,
  LogLevels,
  LogPage,
  LogPrune,
  LogSeries,
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
  PropertyKeys,
  PrunedLogs,
  PublicAnnouncement,
  PublicAnnouncementPage,
  PublicAssetList,
  PublicProject,
  PublicTrustKeyList,
  PublicVersion,
  PublicVersionPage,
  RequestOverview,
  RequestSeries,
  Retention,
  RetentionInput,
  Rollout,
  RolloutFields,
  RolloutHealth,
  RolloutPage,
  RolloutReason,
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
  Today,
  TranslateFields,
  TranslatedTexts,
  TranslationConfig,
  TranslationConfigFields,
  TranslationTest,
  TrustKey,
  TrustKeyCreate,
  TrustKeyList,
  TrustKeyUpdate,
  UpdateCheck,
  UpdateCheckInput,
  UpdateCheckSimulation,
  UpdateCheckSimulationInput,
  Updated,
  UploadCreate,
  UploadSession,
  Version,
  VersionAdoption,
  VersionCreate,
  VersionFields,
  VersionNotes,
  VersionPage,
  VersionReport,
  VersionStatistics,
  VersionUsage,
  Webhook,
  WebhookGraceFields,
  WebhookRevealed,
  WebhookSecretFields,
  YankInput,
} from "./schema.js";

/** Query of `listTerms`. */
export interface PublicListTermsQuery {
  /**
   * The requested language for titles, summaries and built-in texts: English, or simplified Chinese. Only
   * the first part of the tag counts: `zh`, `zh-CN` and `zh_Hant` are the same. Any other value, and none,
   * means English.
   */
  locale?: string | null | undefined;
}

/** Query of `getTerms`. */
export interface PublicGetTermsQuery {
  /**
   * The requested language for titles, summaries and built-in texts: English, or simplified Chinese. Only
   * the first part of the tag counts: `zh`, `zh-CN` and `zh_Hant` are the same. Any other value, and none,
   * means English.
   */
  locale?: string | null | undefined;
}

/** Query of `getProject`. */
export interface PublicGetProjectQuery {
  /**
   * The requested language. An unknown tag is not an error: the answer is in the default language, and
   * `locale_message` of each object contains a note.
   */
  locale?: string | null | undefined;
}

/** Query of `listVersions`. */
export interface PublicListVersionsQuery {
  /** Number of items of a page. */
  limit?: number | null | undefined;
  /** Number of items to skip. */
  offset?: number | null | undefined;
  /** Only items that contain this text, ignoring case. Blank is the same as left out. */
  search?: string | null | undefined;
  /** Only versions for this platform, and those for all platforms. Case does not matter. */
  platform?: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null | undefined;
  /** Only previews, or only official versions. */
  is_preview?: "true" | "1" | "false" | "0" | "" | (string & {}) | null | undefined;
  /** Only deprecated versions, or only the others. */
  is_deprecated?: "true" | "1" | "false" | "0" | "" | (string & {}) | null | undefined;
  /** Only milestones, or only the others. */
  is_milestone?: "true" | "1" | "false" | "0" | "" | (string & {}) | null | undefined;
  /** Only versions on this channel. */
  channel?: string | null | undefined;
  /** Only yanked versions, or only the others. Public lists have only the others without it. */
  is_yanked?: "true" | "1" | "false" | "0" | "" | (string & {}) | null | undefined;
  /** Kept for older clients. No version is forced, so `true` finds nothing. */
  forced?: "true" | "1" | "false" | "0" | "" | (string & {}) | null | undefined;
  /**
   * The requested language. An unknown tag is not an error: the answer is in the default language, and
   * `locale_message` of each object contains a note.
   */
  locale?: string | null | undefined;
}

/** Query of `getLatestVersion`. */
export interface PublicGetLatestVersionQuery {
  /**
   * The requested language. An unknown tag is not an error: the answer is in the default language, and
   * `locale_message` of each object contains a note.
   */
  locale?: string | null | undefined;
}

/** Query of `getLatestPreviewVersion`. */
export interface PublicGetLatestPreviewVersionQuery {
  /**
   * The requested language. An unknown tag is not an error: the answer is in the default language, and
   * `locale_message` of each object contains a note.
   */
  locale?: string | null | undefined;
}

/** Query of `getVersion`. */
export interface PublicGetVersionQuery {
  /**
   * The requested language. An unknown tag is not an error: the answer is in the default language, and
   * `locale_message` of each object contains a note.
   */
  locale?: string | null | undefined;
}

/** Query of `getAssets`. */
export interface PublicGetAssetsQuery {
  /** Only downloads for exactly this platform. */
  platform?: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null | undefined;
  /** Only downloads for exactly this architecture. */
  arch?: "x64" | "arm64" | "x86" | "armv7" | "universal" | (string & {}) | null | undefined;
  /** Only downloads of this kind. */
  kind?: "nupkg-delta" | "nupkg-full" | "sparkle-delta" | "app-tar" | "dmg" | "pkg" | "exe-portable" | "exe" | "msi" | "msix" | "deb" | "rpm" | "appimage" | "flatpak" | "snap" | "apk" | "aab" | "ipa" | "app-zip" | "zip" | "tar" | "other" | (string & {}) | null | undefined;
}

/** Query of `getNotes`. */
export interface PublicGetNotesQuery {
  /**
   * The version whose users read the notes: a display version or a comparable version, which need not be
   * published here.
   */
  from?: string | null | undefined;
  /**
   * A published version: its display version, or else its comparable version. Without one, it is the version that
   * a client without a rollout key is offered.
   */
  to?: string | null | undefined;
  /** The channel whose versions are included, together with those of the channels that it includes. 400 if the project has no such channel. */
  channel?: string | null | undefined;
  /** Only versions for this platform, and those for all platforms. Case does not matter. */
  platform?: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null | undefined;
  /** Whether the notes are Markdown, or HTML that is safe in any page. */
  format?: "markdown" | "html" | (string & {}) | null | undefined;
  /** Maximum number of versions. */
  limit?: number | null | undefined;
  /**
   * The requested language. An unknown tag is not an error: the answer is in the default language, and
   * `locale_message` of each object contains a note.
   */
  locale?: string | null | undefined;
}

/** Query of `listAnnouncements`. */
export interface PublicListAnnouncementsQuery {
  /** Number of items of a page. */
  limit?: number | null | undefined;
  /** Number of items to skip. */
  offset?: number | null | undefined;
  /** Only items that contain this text, ignoring case. Blank is the same as left out. */
  search?: string | null | undefined;
  /** Only announcements for this platform, and those for all platforms. Case does not matter. */
  platform?: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null | undefined;
  /**
   * The client's version: a comparable version, or the display version of a published one. Anything else
   * is the same as left out: only announcements for all versions are visible.
   */
  version?: string | null | undefined;
  /**
   * The requested language. An unknown tag is not an error: the answer is in the default language, and
   * `locale_message` of each object contains a note.
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
   * The requested language. An unknown tag is not an error: the answer is in the default language, and
   * `locale_message` of each object contains a note.
   */
  locale?: string | null | undefined;
}

/** Query of `exportMyData`. */
export interface PublicExportMyDataQuery {
  /** The identifier of the events. */
  distinct_id?: string | null | undefined;
}

/** Query of `deleteMyData`. */
export interface PublicDeleteMyDataQuery {
  /** The identifier of the events. */
  distinct_id?: string | null | undefined;
}

/** Query of `getAbout`. */
export interface GetAboutQuery {
  /** `true` or `1` checks again, but at most every ten seconds. */
  refresh?: string | null | undefined;
}

/** Query of `listTermsDocuments`. */
export interface ListTermsDocumentsQuery {
  /**
   * The requested language for titles, summaries and built-in texts: English, or simplified Chinese. Only
   * the first part of the tag counts: `zh`, `zh-CN` and `zh_Hant` are the same. Any other value, and none,
   * means English.
   */
  locale?: string | null | undefined;
}

/** Query of `getTermsDocument`. */
export interface GetTermsDocumentQuery {
  /**
   * The requested language for titles, summaries and built-in texts: English, or simplified Chinese. Only
   * the first part of the tag counts: `zh`, `zh-CN` and `zh_Hant` are the same. Any other value, and none,
   * means English.
   */
  locale?: string | null | undefined;
}

/** Query of `resetTermsDocument`. */
export interface ResetTermsDocumentQuery {
  /**
   * The requested language for titles, summaries and built-in texts: English, or simplified Chinese. Only
   * the first part of the tag counts: `zh`, `zh-CN` and `zh_Hant` are the same. Any other value, and none,
   * means English.
   */
  locale?: string | null | undefined;
}

/** Query of `listProjects`. */
export interface ListProjectsQuery {
  /** Number of items of a page. */
  limit?: number | null | undefined;
  /** Number of items to skip. */
  offset?: number | null | undefined;
  /** Only items that contain this text, ignoring case. Blank is the same as left out. */
  search?: string | null | undefined;
  /** Field to sort by. Projects with the same value are listed newest first. */
  sort?: "created_at" | "name" | (string & {}) | null | undefined;
  /** Direction of `sort`, which must be sent, too. */
  order?: "asc" | "desc" | (string & {}) | null | undefined;
  /** Also answers `latest` and `last_activity_at` of each project. */
  activity?: boolean | null | undefined;
}

/** Query of `previewCodehostRepo`. */
export interface PreviewCodehostRepoQuery {
  /** Address of the repository at the code host, such as `https://github.com/owner/name`. */
  repo_url: string;
}

/** Query of `listHookDeliveries`. */
export interface ListHookDeliveriesQuery {
  /** Number of items of a page. */
  limit?: number | null | undefined;
  /** Number of items to skip. */
  offset?: number | null | undefined;
  /** Only deliveries in this state. */
  state?: "queued" | "retrying" | "delivered" | "dead" | "dropped" | (string & {}) | null | undefined;
  /** Only deliveries of this event. */
  event?: "version.published" | "version.yanked" | "rollout.advanced" | "rollout.paused" | "rollout.resumed" | "rollout.completed" | "rollout.aborted" | "rollout.held" | "health.suspect" | "health.failing" | "announcement.published" | "feedback.created" | "log.group_created" | "log.group_regressed" | "log.group_spiked" | "log.guard" | "file.failed" | "instance.backup_failed" | "instance.disk_low" | "instance.hook_disabled" | (string & {}) | null | undefined;
}

/** Query of `listInstanceHookDeliveries`. */
export interface ListInstanceHookDeliveriesQuery {
  /** Number of items of a page. */
  limit?: number | null | undefined;
  /** Number of items to skip. */
  offset?: number | null | undefined;
  /** Only deliveries in this state. */
  state?: "queued" | "retrying" | "delivered" | "dead" | "dropped" | (string & {}) | null | undefined;
  /** Only deliveries of this event. */
  event?: "version.published" | "version.yanked" | "rollout.advanced" | "rollout.paused" | "rollout.resumed" | "rollout.completed" | "rollout.aborted" | "rollout.held" | "health.suspect" | "health.failing" | "announcement.published" | "feedback.created" | "log.group_created" | "log.group_regressed" | "log.group_spiked" | "log.guard" | "file.failed" | "instance.backup_failed" | "instance.disk_low" | "instance.hook_disabled" | (string & {}) | null | undefined;
}

/** Query of `getCodehostIntegrationRepoTemplate`. */
export interface GetCodehostIntegrationRepoTemplateQuery {
  /** `true` or `1` reads it again. */
  refresh?: string | null | undefined;
}

/** Query of `listVersions`. */
export interface ListVersionsQuery {
  /** Number of items of a page. */
  limit?: number | null | undefined;
  /** Number of items to skip. */
  offset?: number | null | undefined;
  /** Only items that contain this text, ignoring case. Blank is the same as left out. */
  search?: string | null | undefined;
  /** Field to sort by; `version` is the comparable version. Versions with the same value are listed newest first. */
  sort?: "published_at" | "version" | "created_at" | (string & {}) | null | undefined;
  /** Direction of `sort`, which must be sent, too. */
  order?: "asc" | "desc" | (string & {}) | null | undefined;
  /** Only versions for this platform, and those for all platforms. Case does not matter. */
  platform?: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null | undefined;
  /** Only previews, or only official versions. */
  is_preview?: "true" | "1" | "false" | "0" | "" | (string & {}) | null | undefined;
  /** Only deprecated versions, or only the others. */
  is_deprecated?: "true" | "1" | "false" | "0" | "" | (string & {}) | null | undefined;
  /** Only milestones, or only the others. */
  is_milestone?: "true" | "1" | "false" | "0" | "" | (string & {}) | null | undefined;
  /** Only versions on this channel. */
  channel?: string | null | undefined;
  /** Only yanked versions, or only the others. Public lists have only the others without it. */
  is_yanked?: "true" | "1" | "false" | "0" | "" | (string & {}) | null | undefined;
  /** Kept for older clients. No version is forced, so `true` finds nothing. */
  forced?: "true" | "1" | "false" | "0" | "" | (string & {}) | null | undefined;
}

/** Query of `previewCodehostRelease`. */
export interface PreviewCodehostReleaseQuery {
  /** Tag of the release. Without it, the latest release that is not a preview. */
  tag?: string | null | undefined;
}

/** Query of `getVersionUsage`. */
export interface GetVersionUsageQuery {
  /** ID of a version. Answers as if it were deprecated. */
  deprecate?: string | null | undefined;
  /** Answers as if the optional range began here; empty means no lower limit. */
  optional_update_min_comparable_version?: string | null | undefined;
  /** Answers as if the optional range ended here; empty means no upper limit. */
  optional_update_max_comparable_version?: string | null | undefined;
}

/** Query of `listRollouts`. */
export interface ListRolloutsQuery {
  /** Number of items of a page. */
  limit?: number | null | undefined;
  /** Number of items to skip. */
  offset?: number | null | undefined;
  /** Only rollouts in this state. */
  state?: "running" | "paused" | "held" | "completed" | "aborted" | (string & {}) | null | undefined;
}

/** Query of `listAnnouncements`. */
export interface ListAnnouncementsQuery {
  /** Number of items of a page. */
  limit?: number | null | undefined;
  /** Number of items to skip. */
  offset?: number | null | undefined;
  /** Only items that contain this text, ignoring case. Blank is the same as left out. */
  search?: string | null | undefined;
  /** Field to sort by, regardless of pins. Announcements with the same value are listed newest first. */
  sort?: "published_at" | "created_at" | "title" | (string & {}) | null | undefined;
  /** Direction of `sort`, which must be sent, too. */
  order?: "asc" | "desc" | (string & {}) | null | undefined;
  /** Only announcements for this platform, and those for all platforms. Case does not matter. */
  platform?: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null | undefined;
  /** Only pinned announcements, or only the others. */
  is_pinned?: "true" | "1" | "false" | "0" | "" | (string & {}) | null | undefined;
  /** Only hidden announcements, or only the others. */
  is_hidden?: "true" | "1" | "false" | "0" | "" | (string & {}) | null | undefined;
  /** Only announcements that have expired, or only the others. */
  expired?: "true" | "1" | "false" | "0" | "" | (string & {}) | null | undefined;
}

/** Query of `listFeedbacks`. */
export interface ListFeedbacksQuery {
  /** Number of items of a page. */
  limit?: number | null | undefined;
  /** Number of items to skip. */
  offset?: number | null | undefined;
  /** Only items that contain this text, ignoring case. Blank is the same as left out. */
  search?: string | null | undefined;
  /** Field to sort by. Feedback with the same rating is listed newest first, and feedback without a rating last. */
  sort?: "created_at" | "rating" | (string & {}) | null | undefined;
  /** Direction of `sort`, which must be sent, too. */
  order?: "asc" | "desc" | (string & {}) | null | undefined;
  /** Only items from this platform. Case does not matter. */
  platform?: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null | undefined;
  /** Only feedback with this rating. */
  rating?: number | null | undefined;
  /** Only feedback in this state. */
  status?: "open" | "in_progress" | "resolved" | "closed" | (string & {}) | null | undefined;
  /** Whether hidden items are listed, too. */
  include_hidden?: "true" | "1" | "false" | "0" | "" | (string & {}) | null | undefined;
}

/** Query of `getFeedbackSeries`. */
export interface GetFeedbackSeriesQuery {
  /** First second of the range. Default: seven days before its end. */
  start_time?: number | null | undefined;
  /** Last second of the range. Default: now. */
  end_time?: number | null | undefined;
  /**
   * Offset of the caller's clock from UTC, in minutes, positive to the east. It matters only where days are
   * counted.
   */
  tz_offset_minutes?: number | null | undefined;
  /** Width of the entries. */
  interval?: "hour" | "day" | (string & {}) | null | undefined;
  /** Only items that contain this text, ignoring case. Blank is the same as left out. */
  search?: string | null | undefined;
  /** Only items from this platform. Case does not matter. */
  platform?: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null | undefined;
  /** Only feedback with this rating. */
  rating?: number | null | undefined;
  /** Only feedback in this state. */
  status?: "open" | "in_progress" | "resolved" | "closed" | (string & {}) | null | undefined;
  /** Whether hidden items are listed, too. */
  include_hidden?: "true" | "1" | "false" | "0" | "" | (string & {}) | null | undefined;
}

/** Query of `getFeedbackRatingStats`. */
export interface GetFeedbackRatingStatsQuery {
  /** First second of the range. Default: seven days before its end. */
  start_time?: number | null | undefined;
  /** Last second of the range. Default: now. */
  end_time?: number | null | undefined;
  /**
   * Offset of the caller's clock from UTC, in minutes, positive to the east. It matters only where days are
   * counted.
   */
  tz_offset_minutes?: number | null | undefined;
}

/** Query of `listLogs`. */
export interface ListLogsQuery {
  /** Number of items of a page. */
  limit?: number | null | undefined;
  /** Number of items to skip. */
  offset?: number | null | undefined;
  /** Only items that contain this text, ignoring case. Blank is the same as left out. */
  search?: string | null | undefined;
  /** Field to sort by. Logs of the same level are listed newest first. */
  sort?: "created_at" | "level" | (string & {}) | null | undefined;
  /** Direction of `sort`, which must be sent, too. */
  order?: "asc" | "desc" | (string & {}) | null | undefined;
  /** Only items created at this time or later. Not after `end_time`. */
  start_time?: number | null | undefined;
  /** Only items created at this time or before. */
  end_time?: number | null | undefined;
  /** Only logs of this level. */
  level?: number | null | undefined;
  /** Only items from this platform. Case does not matter. */
  platform?: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null | undefined;
  /** Whether hidden items are listed, too. */
  include_hidden?: "true" | "1" | "false" | "0" | "" | (string & {}) | null | undefined;
  /** Only logs of the group with this id. */
  group_id?: string | null | undefined;
  /** Only logs of exactly this version of the app. */
  app_version?: string | null | undefined;
}

/** Query of `getLogSeries`. */
export interface GetLogSeriesQuery {
  /** First second of the range. Default: seven days before its end. */
  start_time?: number | null | undefined;
  /** Last second of the range. Default: now. */
  end_time?: number | null | undefined;
  /**
   * Offset of the caller's clock from UTC, in minutes, positive to the east. It matters only where days are
   * counted.
   */
  tz_offset_minutes?: number | null | undefined;
  /** Width of the entries. */
  interval?: "hour" | "day" | (string & {}) | null | undefined;
  /** Only items that contain this text, ignoring case. Blank is the same as left out. */
  search?: string | null | undefined;
  /** Only logs of this level. */
  level?: number | null | undefined;
  /** Only items from this platform. Case does not matter. */
  platform?: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null | undefined;
  /** Whether hidden items are listed, too. */
  include_hidden?: "true" | "1" | "false" | "0" | "" | (string & {}) | null | undefined;
  /** Only logs of the group with this id. */
  group_id?: string | null | undefined;
  /** Only logs of exactly this version of the app. */
  app_version?: string | null | undefined;
}

/** Query of `listLogGroups`. */
export interface ListLogGroupsQuery {
  /** Number of items of a page. */
  limit?: number | null | undefined;
  /** Number of items to skip. */
  offset?: number | null | undefined;
  /** Only items that contain this text, ignoring case. Blank is the same as left out. */
  search?: string | null | undefined;
  /** Order of the list. */
  sort?: "last_seen" | "first_seen" | "count" | (string & {}) | null | undefined;
  /** Direction of `sort`, which must be sent, too. */
  order?: "asc" | "desc" | (string & {}) | null | undefined;
  /** Only groups in this state. */
  state?: "open" | "resolved" | "muted" | (string & {}) | null | undefined;
  /** Only logs of this level. */
  level?: number | null | undefined;
  /** Only groups with logs of exactly this version of the app. */
  version?: string | null | undefined;
  /** Only groups with exactly this first version. */
  first_version?: string | null | undefined;
}

/** Query of `getLogLevelStats`. */
export interface GetLogLevelStatsQuery {
  /** First second of the range. Default: seven days before its end. */
  start_time?: number | null | undefined;
  /** Last second of the range. Default: now. */
  end_time?: number | null | undefined;
  /**
   * Offset of the caller's clock from UTC, in minutes, positive to the east. It matters only where days are
   * counted.
   */
  tz_offset_minutes?: number | null | undefined;
}

/** Query of `listEventDefinitions`. */
export interface ListEventDefinitionsQuery {
  /** First second of the range. Default: seven days before its end. */
  start_time?: number | null | undefined;
  /** Last second of the range. Default: now. */
  end_time?: number | null | undefined;
  /**
   * Offset of the caller's clock from UTC, in minutes, positive to the east. It matters only where days are
   * counted.
   */
  tz_offset_minutes?: number | null | undefined;
  /** Number of items of a page. */
  limit?: number | null | undefined;
  /** Number of items to skip. */
  offset?: number | null | undefined;
  /** Only items that contain this text, ignoring case. Blank is the same as left out. */
  search?: string | null | undefined;
  /** Whether archived definitions are listed, too. */
  include_archived?: "true" | "1" | "false" | "0" | "" | (string & {}) | null | undefined;
}

/** Query of `getEventOverview`. */
export interface GetEventOverviewQuery {
  /** First second of the range. Default: seven days before its end. */
  start_time?: number | null | undefined;
  /** Last second of the range. Default: now. */
  end_time?: number | null | undefined;
  /**
   * Offset of the caller's clock from UTC, in minutes, positive to the east. It matters only where days are
   * counted.
   */
  tz_offset_minutes?: number | null | undefined;
}

/** Query of `getEventTimeseries`. */
export interface GetEventTimeseriesQuery {
  /** First second of the range. Default: seven days before its end. */
  start_time?: number | null | undefined;
  /** Last second of the range. Default: now. */
  end_time?: number | null | undefined;
  /**
   * Offset of the caller's clock from UTC, in minutes, positive to the east. It matters only where days are
   * counted.
   */
  tz_offset_minutes?: number | null | undefined;
  /** Length of a bucket. Days begin at midnight of `tz_offset_minutes`, hours at full hours of UTC. */
  granularity?: "hour" | "day" | (string & {}) | null | undefined;
  /** Only events with exactly this name. */
  event_name?: string | null | undefined;
  /** What is counted in each bucket. */
  measure?: "count" | "unique_users" | (string & {}) | null | undefined;
  /** Dimension of additional series, one for each value. */
  group_by?: "event" | "platform" | "region" | (string & {}) | null | undefined;
  /** Maximum number of series. */
  limit?: number | null | undefined;
}

/** Query of `getEventBreakdown`. */
export interface GetEventBreakdownQuery {
  /** First second of the range. Default: seven days before its end. */
  start_time?: number | null | undefined;
  /** Last second of the range. Default: now. */
  end_time?: number | null | undefined;
  /**
   * Offset of the caller's clock from UTC, in minutes, positive to the east. It matters only where days are
   * counted.
   */
  tz_offset_minutes?: number | null | undefined;
  /** Dimension to count by. */
  dimension?: "event" | "platform" | "region" | "property" | (string & {}) | null | undefined;
  /** First-level key of the property. Required for dimension `property`, ignored for others. */
  property_key?: string | null | undefined;
  /** Only events with exactly this name. */
  event_name?: string | null | undefined;
  /** Maximum number of values. */
  limit?: number | null | undefined;
}

/** Query of `getPropertyKeys`. */
export interface GetPropertyKeysQuery {
  /** First second of the range. Default: seven days before its end. */
  start_time?: number | null | undefined;
  /** Last second of the range. Default: now. */
  end_time?: number | null | undefined;
  /**
   * Offset of the caller's clock from UTC, in minutes, positive to the east. It matters only where days are
   * counted.
   */
  tz_offset_minutes?: number | null | undefined;
  /** Only events with exactly this name. */
  event_name?: string | null | undefined;
  /** Maximum number of keys. */
  limit?: number | null | undefined;
}

/** Query of `getEventHeatmap`. */
export interface GetEventHeatmapQuery {
  /** First second of the range. Default: seven days before its end. */
  start_time?: number | null | undefined;
  /** Last second of the range. Default: now. */
  end_time?: number | null | undefined;
  /**
   * Offset of the caller's clock from UTC, in minutes, positive to the east. It matters only where days are
   * counted.
   */
  tz_offset_minutes?: number | null | undefined;
  /** Only events with exactly this name. */
  event_name?: string | null | undefined;
}

/** Query of `search`. */
export interface SearchQuery {
  /**
   * Text to find, ignoring case: a part of a field, from one character up. If no field contains several
   * words in this order, records that contain all words match.
   */
  q: string;
  /** Key or former key of the only project to look through. */
  project?: string | null | undefined;
  /** The only kind of record to search. */
  kind?: "project" | "version" | "announcement" | "feedback" | "log" | (string & {}) | null | undefined;
  /** Number of items of a page. */
  limit?: number | null | undefined;
  /** Whether hidden items are listed, too. */
  include_hidden?: "true" | "1" | "false" | "0" | "" | (string & {}) | null | undefined;
}

/** Query of `getDownloads`. */
export interface GetDownloadsQuery {
  /** First second of the range. Default: seven days before its end. */
  start_time?: number | null | undefined;
  /** Last second of the range. Default: now. */
  end_time?: number | null | undefined;
}

/** Query of `getRequestOverview`. */
export interface GetRequestOverviewQuery {
  /** First second of the range. Default: seven days before its end. */
  start_time?: number | null | undefined;
  /** Last second of the range. Default: now. */
  end_time?: number | null | undefined;
  /**
   * Offset of the caller's clock from UTC, in minutes, positive to the east. It matters only where days are
   * counted.
   */
  tz_offset_minutes?: number | null | undefined;
  /** Only requests of this kind. */
  endpoint?: "PROJECT_DETAIL" | "VERSION_LIST" | "VERSION_LATEST" | "VERSION_LATEST_PREVIEW" | "VERSION_BY_VERSION" | "VERSION_CHECK_UPDATE" | "ANNOUNCEMENT_LIST" | "ANNOUNCEMENT_LATEST" | "FEEDBACK_SUBMIT" | "LOG_UPLOAD" | "EVENT_INGEST" | "VERSION_ASSETS" | "VERSION_NOTES" | "FEED" | (string & {}) | null | undefined;
  /** Only items from this platform. Case does not matter. */
  platform?: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null | undefined;
  /** Only requests from this country or region, `LOCAL` or `UNKNOWN`. */
  region?: string | null | undefined;
}

/** Query of `getRequestTimeseries`. */
export interface GetRequestTimeseriesQuery {
  /** First second of the range. Default: seven days before its end. */
  start_time?: number | null | undefined;
  /** Last second of the range. Default: now. */
  end_time?: number | null | undefined;
  /**
   * Offset of the caller's clock from UTC, in minutes, positive to the east. It matters only where days are
   * counted.
   */
  tz_offset_minutes?: number | null | undefined;
  /** Length of a bucket. Days begin at midnight of `tz_offset_minutes`, hours at full hours of UTC. */
  granularity?: "hour" | "day" | (string & {}) | null | undefined;
  /** Only requests of this kind. */
  endpoint?: "PROJECT_DETAIL" | "VERSION_LIST" | "VERSION_LATEST" | "VERSION_LATEST_PREVIEW" | "VERSION_BY_VERSION" | "VERSION_CHECK_UPDATE" | "ANNOUNCEMENT_LIST" | "ANNOUNCEMENT_LATEST" | "FEEDBACK_SUBMIT" | "LOG_UPLOAD" | "EVENT_INGEST" | "VERSION_ASSETS" | "VERSION_NOTES" | "FEED" | (string & {}) | null | undefined;
  /** Dimension of additional series, one for each value. */
  group_by?: "endpoint" | "platform" | (string & {}) | null | undefined;
  /** Only items from this platform. Case does not matter. */
  platform?: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null | undefined;
  /** Only requests from this country or region, `LOCAL` or `UNKNOWN`. */
  region?: string | null | undefined;
}

/** Query of `getVersionAdoption`. */
export interface GetVersionAdoptionQuery {
  /** First second of the range. Default: seven days before its end. */
  start_time?: number | null | undefined;
  /** Last second of the range. Default: now. */
  end_time?: number | null | undefined;
  /**
   * Offset of the caller's clock from UTC, in minutes, positive to the east. It matters only where days are
   * counted.
   */
  tz_offset_minutes?: number | null | undefined;
  /** Length of a bucket. Days begin at midnight of `tz_offset_minutes`, hours at full hours of UTC. */
  granularity?: "hour" | "day" | (string & {}) | null | undefined;
  /** Maximum number of versions. */
  limit?: number | null | undefined;
  /** Only items from this platform. Case does not matter. */
  platform?: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null | undefined;
}

/** Query of `getClientVersions`. */
export interface GetClientVersionsQuery {
  /** First second of the range. Default: seven days before its end. */
  start_time?: number | null | undefined;
  /** Last second of the range. Default: now. */
  end_time?: number | null | undefined;
  /**
   * Offset of the caller's clock from UTC, in minutes, positive to the east. It matters only where days are
   * counted.
   */
  tz_offset_minutes?: number | null | undefined;
  /** Maximum number of versions. */
  limit?: number | null | undefined;
  /** Only items from this platform. Case does not matter. */
  platform?: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null | undefined;
}

/** Query of `getPlatformVersions`. */
export interface GetPlatformVersionsQuery {
  /** First second of the range. Default: seven days before its end. */
  start_time?: number | null | undefined;
  /** Last second of the range. Default: now. */
  end_time?: number | null | undefined;
  /**
   * Offset of the caller's clock from UTC, in minutes, positive to the east. It matters only where days are
   * counted.
   */
  tz_offset_minutes?: number | null | undefined;
  /** Maximum number of systems. */
  limit?: number | null | undefined;
  /** Only items from this platform. Case does not matter. */
  platform?: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null | undefined;
}

/** Query of `getRequestHeatmap`. */
export interface GetRequestHeatmapQuery {
  /** First second of the range. Default: seven days before its end. */
  start_time?: number | null | undefined;
  /** Last second of the range. Default: now. */
  end_time?: number | null | undefined;
  /**
   * Offset of the caller's clock from UTC, in minutes, positive to the east. It matters only where days are
   * counted.
   */
  tz_offset_minutes?: number | null | undefined;
  /** Only requests of this kind. */
  endpoint?: "PROJECT_DETAIL" | "VERSION_LIST" | "VERSION_LATEST" | "VERSION_LATEST_PREVIEW" | "VERSION_BY_VERSION" | "VERSION_CHECK_UPDATE" | "ANNOUNCEMENT_LIST" | "ANNOUNCEMENT_LATEST" | "FEEDBACK_SUBMIT" | "LOG_UPLOAD" | "EVENT_INGEST" | "VERSION_ASSETS" | "VERSION_NOTES" | "FEED" | (string & {}) | null | undefined;
  /** Only items from this platform. Case does not matter. */
  platform?: "windows" | "linux" | "macos" | "ios" | "android" | "web" | "others" | (string & {}) | null | undefined;
  /** Only requests from this country or region, `LOCAL` or `UNKNOWN`. */
  region?: string | null | undefined;
}

/** Query of `listFiles`. */
export interface ListFilesQuery {
  /** Number of items of a page. */
  limit?: number | null | undefined;
  /** Number of items to skip. */
  offset?: number | null | undefined;
  /** Only items that contain this text, ignoring case. Blank is the same as left out. */
  search?: string | null | undefined;
  /** Field to sort by. Files with the same value are listed newest first. */
  sort?: "created_at" | "name" | "size" | (string & {}) | null | undefined;
  /** Direction of `sort`, which must be sent, too. */
  order?: "asc" | "desc" | (string & {}) | null | undefined;
  /** Only files in this state. Case does not matter; blank is the same as left out. */
  status?: "pending" | "ready" | "failed" | (string & {}) | null | undefined;
}

/** Calls of the client itself. */
export interface ClientApi {
  /** Report that the server is up, and its time. */
  health(options?: CallOptions): Promise<Health>;

  /**
   * Sign in.
   *
   * Exchanges name and password for a token to be sent as `Authorization: Bearer …`. After twenty failures
   * from one address within five minutes the answer is 429 until the five minutes are over.
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
   * Returns the operator's text if it exists and is switched on, in its own language. Otherwise it returns
   * the built-in text, in which `{{ key }}` marks a value that the operator has not set.
   */
  getTerms(slug: string, query?: PublicGetTermsQuery, options?: CallOptions): Promise<Terms>;

  /** Read a project. */
  getProject(query?: PublicGetProjectQuery, options?: CallOptions): Promise<PublicProject>;

  /**
   * List versions, greatest first.
   *
   * The list includes deprecated versions and versions with a `published_at` in the future.
   */
  listVersions(query?: PublicListVersionsQuery, options?: CallOptions): Promise<PublicVersionPage>;
  /** Walks all pages of `listVersions`. */
  iterVersions(query?: Omit<PublicListVersionsQuery, "limit" | "offset">, options?: CallOptions): AsyncGenerator<PublicVersionPage["data"][number], void, undefined>;

  /**
   * Read the latest version.
   *
   * Returns the version marked as latest. Without one it returns the official version published last, or, if
   * all versions are previews, the preview published last. 404 if the project has no version.
   */
  getLatestVersion(query?: PublicGetLatestVersionQuery, options?: CallOptions): Promise<PublicVersion>;

  /** Read the greatest preview, or null. */
  getLatestPreviewVersion(query?: PublicGetLatestPreviewVersionQuery, options?: CallOptions): Promise<PublicVersion | null>;

  /**
   * Find a version by its name.
   *
   * Searches by the exact display text, then by value: `1.2` finds a version with the comparable version `1.2.0`.
   */
  getVersion(version: string, query?: PublicGetVersionQuery, options?: CallOptions): Promise<PublicVersion>;

  /**
   * List the downloads of a version.
   *
   * Each download with what an updater must know about it, in the order of the links. Feeds of other tools,
   * checksum files and hidden downloads are left out, and so are signatures and block maps, which belong to
   * another download. Finds a version like `GET …/by-version/{v}`.
   */
  getAssets(version: string, query?: PublicGetAssetsQuery, options?: CallOptions): Promise<PublicAssetList>;

  /**
   * List the keys that sign the downloads of a project.
   *
   * Keys that count, the oldest first. Revoked keys are left out.
   */
  getTrustKeys(options?: CallOptions): Promise<PublicTrustKeyList>;

  /**
   * Read the notes of the versions between two versions.
   *
   * The notes of the versions on a channel that are greater than `from` and at most `to`, the newest first, each
   * for itself and as one text. Versions that are being rolled out are left out unless one of them is `to`, and
   * so are withdrawn versions and versions without title and notes. Without `from`, the notes are those of `to`.
   * 400 if `from` is greater than `to`. 404 if the project or the version `to` does not exist.
   */
  getNotes(query?: PublicGetNotesQuery, options?: CallOptions): Promise<VersionNotes>;

  /**
   * Check whether an update exists, and whether it is required.
   *
   * Send the installed display version, its comparable version, or both. Without
   * `current_comparable_version`, a version that is not published here is refused with 400, and so is a
   * channel that the project does not have. 404 if the project does not exist or has no version to offer.
   */
  checkUpdate(body: UpdateCheckInput, options?: CallOptions): Promise<UpdateCheck>;

  /**
   * List the announcements for the caller.
   *
   * Pinned announcements come first, then the newest. The list contains visible announcements only: not
   * hidden, not hidden for the requested language, and for the requested platform and the client's version.
   * `search` looks into title, content and author.
   */
  listAnnouncements(query?: PublicListAnnouncementsQuery, options?: CallOptions): Promise<PublicAnnouncementPage>;
  /** Walks all pages of `listAnnouncements`. */
  iterAnnouncements(query?: Omit<PublicListAnnouncementsQuery, "limit" | "offset">, options?: CallOptions): AsyncGenerator<PublicAnnouncementPage["data"][number], void, undefined>;

  /**
   * Read the latest visible announcement.
   *
   * Pinning does not matter. 404 if the caller sees no announcement.
   */
  getLatestAnnouncement(query?: PublicGetLatestAnnouncementQuery, options?: CallOptions): Promise<PublicAnnouncement>;

  /** Check whether feedback can be forwarded to the code host. */
  getFeedbackOptions(options?: CallOptions): Promise<FeedbackOptions>;

  /**
   * Send feedback.
   *
   * The same content, sent again from the same address within a minute, is one record: the answer contains
   * the existing one. The platform comes from the body, else from headers, query or User-Agent.
   *
   * With `forward_to_codehost` the server also creates an issue at the code host, if the options allow it.
   * This requires a `contact`, is limited to a few issues per hour and address, and takes up to 20 seconds.
   * Feedback that cannot be forwarded is not stored. After a 503 the same request can be sent again; it does
   * not create a second issue.
   */
  createFeedback(body: FeedbackInput, options?: CallOptions): Promise<Feedback>;

  /**
   * Upload a log entry.
   *
   * The same content, sent again from the same address within a minute, is one record: the answer contains
   * the existing one. An unknown platform is not an error and is not stored.
   */
  uploadLog(body: LogInput, options?: CallOptions): Promise<Log>;

  /**
   * Send a batch of events.
   *
   * Stores events of one sender. The server skips events that break a rule and lists them in `rejected`. A
   * batch can be sent again: events with a known `event_id` are skipped. A batch without any valid event is
   * refused with 400.
   *
   * Names are trimmed and lower-cased, and must then be 1 to 64 of `a-z 0-9 _ . : -`; an event with any
   * other name is skipped. If the project has reached its limit of event names, 2,000 by default, an event
   * with a new name is skipped, too, and the answer contains `names_full`.
   *
   * The server reads the body as JSON regardless of its content type, so that beacons can send it.
   *
   * `x-svc-client-time` contains the time of the client's clock, such as `2026-09-24T10:00:00.000+08:00`. If
   * it differs from the server's clock by a minute or more, the server moves the times of events by the
   * difference. It replaces a time that is then more than five minutes in the future, or older than its
   * limit (seven days by default), by the time of arrival.
   *
   * With `x-svc-do-not-track: 1`, and in projects that do not collect events, the server stores nothing and
   * `suppressed` is true.
   */
  ingestEvents(body: EventBatch, options?: CallOptions): Promise<EventsAccepted>;

  /**
   * Export all stored data of an identifier.
   *
   * Returns all events of an identifier in one answer, from the oldest to the newest. Any caller that knows
   * the identifier may ask, ten times an hour. If the answer is not complete JSON, it was cut off; repeat
   * the request.
   */
  exportMyData(query?: PublicExportMyDataQuery, options?: CallOptions): Promise<SubjectExport>;

  /**
   * Delete all stored data of an identifier.
   *
   * Deletes all events of an identifier for good. Hourly counts, which identify no person, remain. Any
   * caller that knows the identifier may ask, ten times an hour.
   */
  deleteMyData(query?: PublicDeleteMyDataQuery, options?: CallOptions): Promise<EventsErased>;
}

/** Calls with a credential. */
export interface AdminApi {
  /**
   * Read the state of the instance.
   *
   * Returns the checks of `svc doctor` for the running server, except reading the databases: backups, disk,
   * certificates, scheduled jobs, settings and more, each with advice. The server runs them at most every 15
   * seconds.
   */
  getStatus(options?: CallOptions): Promise<InstanceStatus>;

  /**
   * Read the running version and the result of the check for updates.
   *
   * If `about.upstream_url` names an instance that publishes this program as its project `svc`, the server
   * asks it, as every app does, for the running release and for updates. It keeps the answer for an hour and
   * a failure for a minute. A failure is part of the answer. Without the setting the server asks no
   * instance.
   */
  getAbout(query?: GetAboutQuery, options?: CallOptions): Promise<About>;

  /** List the terms documents with their built-in texts and drafts. */
  listTermsDocuments(query?: ListTermsDocumentsQuery, options?: CallOptions): Promise<TermsDocumentList>;

  /** Read a terms document with its built-in text and draft. */
  getTermsDocument(slug: string, query?: GetTermsDocumentQuery, options?: CallOptions): Promise<TermsDocument>;

  /**
   * Change the draft, or which text readers see.
   *
   * A field that is left out keeps its value. Switching does not change the time that readers see, which is
   * the time of the text. The server does not fill in placeholders; send the finished text.
   */
  updateTermsDocument(slug: string, body: TermsDocumentFields, options?: CallOptions): Promise<TermsDocument>;

  /** Delete the draft, so that readers see the built-in text. */
  resetTermsDocument(slug: string, query?: ResetTermsDocumentQuery, options?: CallOptions): Promise<TermsDocument>;

  /** Read the current account. */
  getMe(options?: CallOptions): Promise<AuthUser>;

  /** Read the administrator's account. */
  getAdminProfile(options?: CallOptions): Promise<AuthUser>;

  /**
   * Change user name, password, or both.
   *
   * Needs the current password. A change ends every session, including the one that made it; sign in again.
   * A request with neither a name nor a new password changes nothing.
   */
  updateAdminProfile(body: ProfileInput, options?: CallOptions): Promise<AuthUser>;

  /**
   * Change the password.
   *
   * Ends every session, including the one that made the change.
   */
  changePassword(body: PasswordInput, options?: CallOptions): Promise<Done>;

  /**
   * Change the user name.
   *
   * Ends every session, including the one that made the change.
   */
  changeAccount(body: AccountInput, options?: CallOptions): Promise<Done>;

  /** List the scopes that a key can have. */
  listApiScopes(options?: CallOptions): Promise<ScopeList>;

  /**
   * List all keys, newest first.
   *
   * Not paged. The list includes revoked keys. The server does not know the texts of keys.
   */
  listApiKeys(options?: CallOptions): Promise<ApiKeyList>;

  /**
   * Create a key.
   *
   * Only this answer contains the text of the key.
   */
  createApiKey(body: ApiKeyCreate, options?: CallOptions): Promise<ApiKeyCreated>;

  /** Read a key. */
  getApiKey(id: string, options?: CallOptions): Promise<ApiKey>;

  /**
   * Change name, scopes, projects or expiry of a key.
   *
   * The text of the key does not change. A revoked key cannot be changed.
   */
  updateApiKey(id: string, body: ApiKeyFields, options?: CallOptions): Promise<ApiKeyUpdated>;

  /**
   * Revoke a key.
   *
   * Ends the key at once, including a former text in its grace period. The request can be repeated.
   */
  revokeApiKey(id: string, options?: CallOptions): Promise<Done>;

  /**
   * Rotate a key.
   *
   * Name, scopes, projects and expiry do not change. The former text ends at once, or after the grace
   * period, but never later than the key itself. The server keeps only the latest former text.
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
   * 409 if the key is taken by a project or is a former key of one. Not for keys that are limited to
   * projects.
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
   * A new `project_key` renames the project. Everything moves with it, and the old key still leads to it.
   * 409 if the new key is a key or a former key of another project.
   */
  updateProject(body: ProjectFields, options?: CallOptions): Promise<Project>;

  /** Delete a project and everything in it. */
  deleteProject(options?: CallOptions): Promise<Done>;

  /** Count the contents of a project, which its deletion removes. */
  getProjectContents(options?: CallOptions): Promise<ProjectContents>;

  /**
   * List the former keys of a project, newest first.
   *
   * Not paged.
   */
  listProjectAliases(options?: CallOptions): Promise<AliasList>;

  /**
   * Read a repository at the code host.
   *
   * For filling in the form of a project; the server stores nothing. Refuses keys that are limited to listed
   * projects.
   */
  previewCodehostRepo(query: PreviewCodehostRepoQuery, options?: CallOptions): Promise<CodehostRepoPreview>;

  /** Read how a project distributes its versions. */
  getDistribution(options?: CallOptions): Promise<Distribution>;

  /**
   * Change how a project distributes its versions.
   *
   * A field that is left out keeps its value, and null stands for its default. 409 if a version is on a channel
   * that would no longer exist.
   */
  updateDistribution(body: DistributionFields, options?: CallOptions): Promise<Distribution>;

  /**
   * List the keys that sign the downloads of a project.
   *
   * All keys, the oldest first.
   */
  listTrustKeys(options?: CallOptions): Promise<TrustKeyList>;

  /**
   * Add a key that signs downloads.
   *
   * Needs a login, because a stolen API key must not replace the keys against which publications are checked.
   * 400 for a private key, which belongs in your CI only. 409 if the project has the key already, or 16 keys.
   */
  createTrustKey(body: TrustKeyCreate, options?: CallOptions): Promise<TrustKey>;

  /**
   * Retire or revoke a key, or change its label.
   *
   * Signatures of a retired key that were valid remain valid; later ones are untrusted. No signature of a
   * revoked key counts. 409 if the key has been revoked, which is final.
   */
  updateTrustKey(id: string, body: TrustKeyUpdate, options?: CallOptions): Promise<TrustKey>;

  /**
   * List the hooks of a project.
   *
   * All hooks, the oldest first.
   */
  listHooks(options?: CallOptions): Promise<HookList>;

  /**
   * Add a hook to a project.
   *
   * A hook sends events of the project to a receiver.
   * Hooks need a login, because they send content to any address.
   * A webhook gets a `secret`, with which its receiver verifies requests. Only this answer and that of a rotation
   * contain it. 409 if there are 20 hooks.
   */
  createHook(body: HookCreate, options?: CallOptions): Promise<HookCreated>;

  /** Read a hook. */
  getHook(id: string, options?: CallOptions): Promise<Hook>;

  /**
   * Change a hook.
   *
   * The kind cannot be changed. `enabled: true` clears `disabled_reason` and counts failures anew. An `url` that is
   * written as it was read keeps its value. A `secret` replaces the former one at once; a rotation can keep both.
   */
  updateHook(id: string, body: HookFields, options?: CallOptions): Promise<Hook>;

  /**
   * Delete a hook.
   *
   * Its deliveries are deleted, too.
   */
  deleteHook(id: string, options?: CallOptions): Promise<Done>;

  /**
   * Replace the secret of a webhook.
   *
   * Requests have the signatures of both secrets until the grace period ends. 400 if the hook is no webhook.
   */
  rotateHookSecret(id: string, body?: HookRotate, options?: CallOptions): Promise<HookSecret>;

  /**
   * Send a test over a hook.
   *
   * Sends the event `hook.test` once and now, also if the hook is disabled. The test is no delivery. A failed test
   * is answered with 200, too.
   */
  testHook(id: string, options?: CallOptions): Promise<HookTest>;

  /**
   * List the deliveries of a hook, newest first.
   *
   * Deliveries are kept for 30 days, and at most 10,000 of a hook.
   */
  listHookDeliveries(id: string, query?: ListHookDeliveriesQuery, options?: CallOptions): Promise<HookDeliveryList>;

  /** Read a delivery with the body that was sent. */
  getHookDelivery(id: string, did: string, options?: CallOptions): Promise<HookDeliveryWhole>;

  /**
   * Send an event again.
   *
   * The delivery is queued in any state, under the same id and with a new set of attempts.
   */
  resendHookDelivery(id: string, did: string, options?: CallOptions): Promise<HookDelivery>;

  /**
   * List the hooks of the instance.
   *
   * All hooks, the oldest first.
   */
  listInstanceHooks(options?: CallOptions): Promise<HookList>;

  /**
   * Add a hook to the instance.
   *
   * A hook of the instance sends the events of all projects, and those of the instance itself.
   * Hooks need a login, because they send content to any address.
   * A webhook gets a `secret`, with which its receiver verifies requests. Only this answer and that of a rotation
   * contain it. 409 if there are 20 hooks.
   */
  createInstanceHook(body: HookCreate, options?: CallOptions): Promise<HookCreated>;

  /** Read a hook. */
  getInstanceHook(id: string, options?: CallOptions): Promise<Hook>;

  /**
   * Change a hook.
   *
   * The kind cannot be changed. `enabled: true` clears `disabled_reason` and counts failures anew. An `url` that is
   * written as it was read keeps its value. A `secret` replaces the former one at once; a rotation can keep both.
   */
  updateInstanceHook(id: string, body: HookFields, options?: CallOptions): Promise<Hook>;

  /**
   * Delete a hook.
   *
   * Its deliveries are deleted, too.
   */
  deleteInstanceHook(id: string, options?: CallOptions): Promise<Done>;

  /**
   * Replace the secret of a webhook.
   *
   * Requests have the signatures of both secrets until the grace period ends. 400 if the hook is no webhook.
   */
  rotateInstanceHookSecret(id: string, body?: HookRotate, options?: CallOptions): Promise<HookSecret>;

  /**
   * Send a test over a hook.
   *
   * Sends the event `hook.test` once and now, also if the hook is disabled. The test is no delivery. A failed test
   * is answered with 200, too.
   */
  testInstanceHook(id: string, options?: CallOptions): Promise<HookTest>;

  /**
   * List the deliveries of a hook, newest first.
   *
   * Deliveries are kept for 30 days, and at most 10,000 of a hook.
   */
  listInstanceHookDeliveries(id: string, query?: ListInstanceHookDeliveriesQuery, options?: CallOptions): Promise<HookDeliveryList>;

  /** Read a delivery with the body that was sent. */
  getInstanceHookDelivery(id: string, did: string, options?: CallOptions): Promise<HookDeliveryWhole>;

  /**
   * Send an event again.
   *
   * The delivery is queued in any state, under the same id and with a new set of attempts.
   */
  resendInstanceHookDelivery(id: string, did: string, options?: CallOptions): Promise<HookDelivery>;

  /** Read the code host settings of a project. */
  getCodehostIntegration(options?: CallOptions): Promise<CodehostIntegration>;

  /**
   * Change the code host settings of a project.
   *
   * A field that is left out keeps its value. A blank text or null clears a text, null empties a list.
   *
   * Without a repository both features are switched off, and the issue template is not that of the
   * repository. A feature can be switched on if a repository is set, and the code host app is configured and
   * offers the feature. It can always be switched off.
   */
  updateCodehostIntegration(body: CodehostIntegrationFields, options?: CallOptions): Promise<CodehostIntegration>;

  /**
   * Read the issue template in the repository of a project.
   *
   * Uses the saved repository, path and ref. The server keeps the template for five minutes. If it cannot
   * read the template, the request succeeds and `error` contains the reason.
   */
  getCodehostIntegrationRepoTemplate(query?: GetCodehostIntegrationRepoTemplateQuery, options?: CallOptions): Promise<CodehostRepoTemplate>;

  /**
   * Delete a former key.
   *
   * The former key no longer leads to the project and can be given to another one.
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
   * A tag that is already registered, also as a synonym, updates that language instead: its primary tag does
   * not change, the fields sent are replaced, the others are kept.
   */
  createProjectLocale(body: LanguageCreate, options?: CallOptions): Promise<Language>;

  /**
   * Change a language.
   *
   * A new `locale` moves all translations of the language to the new tag. 409 if the server keeps
   * translations of a removed language under that tag; nothing changes then.
   */
  updateProjectLocale(locale: string, body: LanguageFields, options?: CallOptions): Promise<Language>;

  /**
   * Remove a language.
   *
   * Its translations are kept, invisible, and return when the language is registered again.
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
   * Never changes an existing version: 409 if the display version is taken. For CI, which may run twice, use
   * `PUT …/by-version/{v}`.
   */
  createVersion(body: VersionCreate, options?: CallOptions): Promise<Version>;

  /**
   * Read a release of the project's repository.
   *
   * For filling in the form of a version; the server stores nothing. 400 if `repo_url` of the project is not
   * a repository at the code host.
   */
  previewCodehostRelease(query?: PreviewCodehostReleaseQuery, options?: CallOptions): Promise<CodehostReleasePreview>;

  /**
   * Store the releases of the project's repository as versions.
   *
   * Reads up to 1,000 releases, newest first. Existing versions never change, so the request can be
   * repeated. After 502 the releases read so far are stored. No release becomes the latest version.
   */
  importCodehostReleases(options?: CallOptions): Promise<CodehostImport>;

  /**
   * Simulate an update check.
   *
   * Returns the answer of `POST /public/{k}/versions/check-update` to the same body, including an error. The
   * reasons are the rules that led to it, in the order of evaluation, with their versions and limits.
   * Statistics do not count the request.
   */
  simulateUpdateCheck(body: UpdateCheckSimulationInput, options?: CallOptions): Promise<UpdateCheckSimulation>;

  /**
   * Show which clients must update.
   *
   * Counts the update checks of the last seven days by what the update check tells the client now. With
   * `deprecate` or a limit of the optional range, answers as if that change had been made. A change that the
   * server would refuse is a 400 with the message of that refusal. Nothing is stored.
   */
  getVersionUsage(query?: GetVersionUsageQuery, options?: CallOptions): Promise<VersionUsage>;

  /**
   * Withdraw a version.
   *
   * Nobody is offered a yanked version any more, its rollout is aborted, and it is not the latest. Its page and its
   * downloads stay. An update check of a caller that has it offers an older version. Sent again, changes the reason and
   * the older version.
   */
  yankVersion(id: string, body: YankInput, options?: CallOptions): Promise<Version>;

  /**
   * Take the withdrawal of a version back.
   *
   * The version does not become the latest again, and an aborted rollout stays aborted. 409 if it is not yanked.
   */
  unyankVersion(id: string, options?: CallOptions): Promise<Version>;

  /** Read a version with its translations. */
  getVersion(id: string, options?: CallOptions): Promise<Version>;

  /**
   * Change a version.
   *
   * 409 if another version of the project has the new display version. A new display version without a
   * `comparable_version` also changes the comparable version.
   */
  updateVersion(id: string, body: VersionFields, options?: CallOptions): Promise<Version>;

  /**
   * Delete a version.
   *
   * If it was the latest, the greatest official version that is not deprecated becomes the latest.
   */
  deleteVersion(id: string, options?: CallOptions): Promise<Done>;

  /**
   * Report what happened after a release.
   *
   * The adoption of a version since its release, errors and ratings before and after it, downloads of its files,
   * and why other clients do not run it yet. The official version published before it is beside it.
   */
  getVersionReport(id: string, options?: CallOptions): Promise<VersionReport>;

  /**
   * Publish a version by its name.
   *
   * Made for CI: the call can be repeated. All fields are optional; the comparable version is derived from
   * the display version. If the version exists, only the fields sent change. A `version` in the body must be
   * the one in the path.
   */
  upsertVersion(version: string, body?: VersionFields, options?: CallOptions): Promise<Version>;

  /**
   * Check what feeds for updaters show, and what keeps versions out of them.
   *
   * One entry a format and channel. Problems are those of the greatest 100 versions of the channel that callers
   * may be offered, the greatest version first.
   */
  getFeeds(options?: CallOptions): Promise<FeedList>;

  /** List the rollouts of a project, newest first. */
  listRollouts(query?: ListRolloutsQuery, options?: CallOptions): Promise<RolloutPage>;
  /** Walks all pages of `listRollouts`. */
  iterRollouts(query?: Omit<ListRolloutsQuery, "limit" | "offset">, options?: CallOptions): AsyncGenerator<RolloutPage["data"][number], void, undefined>;

  /** Read the rollout of a version, or null. */
  getRollout(id: string, options?: CallOptions): Promise<Rollout | null>;

  /**
   * Begin or change the rollout of a version.
   *
   * Only the fields sent change. Sending `percent` turns `auto_advance` off, unless that is sent too. At 100 %
   * without a cohort, the rollout is completed at once. 409 if it is already completed or aborted, or if the version
   * is yanked.
   */
  setRollout(id: string, body?: RolloutFields, options?: CallOptions): Promise<Rollout>;

  /**
   * Pause a running rollout.
   *
   * Users who have been reached keep the offer; the rollout stops growing.
   */
  pauseRollout(id: string, body?: RolloutReason, options?: CallOptions): Promise<Rollout>;

  /**
   * Resume a paused or held rollout.
   *
   * The step in force begins anew. A held rollout needs a `reason`.
   */
  resumeRollout(id: string, body?: RolloutReason, options?: CallOptions): Promise<Rollout>;

  /**
   * Take a running rollout to its next step.
   *
   * 409 at the last step; complete the rollout then.
   */
  advanceRollout(id: string, body?: RolloutReason, options?: CallOptions): Promise<Rollout>;

  /**
   * Offer a version to everybody.
   *
   * Ends the rollout and removes its cohort. The version becomes the latest as a new one would.
   */
  completeRollout(id: string, body?: RolloutReason, options?: CallOptions): Promise<Rollout>;

  /**
   * End a rollout for good.
   *
   * Nobody is offered the version any more. Publish a new version afterwards.
   */
  abortRollout(id: string, body?: RolloutReason, options?: CallOptions): Promise<Rollout>;

  /**
   * Compare the failures of a version in a rollout with those of the version before it.
   *
   * 404 if the version has no rollout.
   */
  getRolloutHealth(id: string, options?: CallOptions): Promise<RolloutHealth>;

  /**
   * Count the versions of all projects.
   *
   * Not for keys that are limited to projects.
   */
  getVersionStatistics(options?: CallOptions): Promise<VersionStatistics>;

  /**
   * List announcements with their translations.
   *
   * Pinned announcements come first, then the newest. The list includes hidden ones. `search` looks into
   * title, content and author.
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
   * Includes hidden announcements. Not for keys that are limited to projects.
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
   * Add feedback by hand.
   *
   * Stores everything as sent, without address, User-Agent or place. The server never treats it as a
   * duplicate.
   */
  createFeedback(body: FeedbackCreate, options?: CallOptions): Promise<Feedback>;

  /**
   * Set the status or the visibility of several feedback records.
   *
   * If a record does not exist, the answer is 404 with its id, and nothing changes.
   */
  updateFeedbacks(body: FeedbackBulk, options?: CallOptions): Promise<Updated>;

  /**
   * Count the feedback of a project over time.
   *
   * Counts the records that the list shows with the same filters. Every hour or day of the range has an entry; more
   * than 20,000 are refused with 400. A search counts at most its 50,000 newest matches.
   */
  getFeedbackSeries(query?: GetFeedbackSeriesQuery, options?: CallOptions): Promise<FeedbackSeries>;

  /** Read one feedback. */
  getFeedback(id: string, options?: CallOptions): Promise<Feedback>;

  /** Change feedback, for example its status and result. */
  updateFeedback(id: string, body: FeedbackFields, options?: CallOptions): Promise<Feedback>;

  /** Delete feedback. */
  deleteFeedback(id: string, options?: CallOptions): Promise<Done>;

  /**
   * Create an issue at the code host from stored feedback.
   *
   * Uses the issue template of the project, as for feedback that users forward. It requires no `contact`,
   * and callers have no limit. It takes up to 20 seconds.
   *
   * Feedback never becomes a second issue: the answer for forwarded feedback contains it unchanged, so the
   * request can be repeated after a lost answer. After a 503 the feedback is unchanged, or has its issue
   * some minutes later.
   */
  forwardFeedback(id: string, options?: CallOptions): Promise<Feedback>;

  /**
   * Count the feedback of all projects.
   *
   * Includes hidden feedback. Not for keys that are limited to projects.
   */
  getFeedbackStatistics(options?: CallOptions): Promise<FeedbackStatistics>;

  /**
   * Count the feedback of a project by rating.
   *
   * Counts the feedback created in the range of time, including hidden feedback.
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
   * Add a log by hand.
   *
   * Stores everything as sent, without address, User-Agent or place. The server never treats it as a
   * duplicate.
   */
  createLog(body: LogCreate, options?: CallOptions): Promise<Log>;

  /**
   * Change the visibility of several logs.
   *
   * If a log does not exist, the answer is 404 with its id, and nothing changes.
   */
  updateLogs(body: LogBulk, options?: CallOptions): Promise<Updated>;

  /**
   * Delete logs by time, level and address.
   *
   * Deletes the logs that meet all conditions sent, at least one. It works in steps; after an error or a
   * lost answer the same request deletes the rest. The log of the server names the administrator.
   */
  pruneLogs(body: LogPrune, options?: CallOptions): Promise<PrunedLogs>;

  /**
   * Count the logs of a project over time.
   *
   * Counts the records that the list shows with the same filters. Every hour or day of the range has an entry; more
   * than 20,000 are refused with 400. A search counts at most its 50,000 newest matches.
   */
  getLogSeries(query?: GetLogSeriesQuery, options?: CallOptions): Promise<LogSeries>;

  /**
   * Change the visibility of a log.
   *
   * Nothing else of a log can be changed, and a single log cannot be deleted, because logs are evidence.
   */
  updateLog(id: string, body: LogChange, options?: CallOptions): Promise<Log>;

  /**
   * List groups of equal logs, last seen first.
   *
   * Logs of level 2 and 3 that clients upload form groups. `search` looks into title and source.
   */
  listLogGroups(query?: ListLogGroupsQuery, options?: CallOptions): Promise<LogGroupPage>;
  /** Walks all pages of `listLogGroups`. */
  iterLogGroups(query?: Omit<ListLogGroupsQuery, "limit" | "offset">, options?: CallOptions): AsyncGenerator<LogGroupPage["data"][number], void, undefined>;

  /** Read a group of logs. */
  getLogGroup(id: string, options?: CallOptions): Promise<LogGroup>;

  /**
   * Change the state or the note of a group of logs.
   *
   * A log opens a resolved group again if its version is not below `resolved_in`; without that, if its version is
   * above the `last_version` that the group had when it was resolved. A muted group counts its logs, but they are
   * no failures in health rules. The state `open` clears `resolved_in`, `resolved_at` and `muted_until`.
   */
  updateLogGroup(id: string, body: LogGroupUpdate, options?: CallOptions): Promise<LogGroup>;

  /**
   * Count the logs of all projects.
   *
   * Includes hidden logs. Not for keys that are limited to projects.
   */
  getLogStatistics(options?: CallOptions): Promise<LogStatistics>;

  /**
   * Count the logs of a project by level.
   *
   * Counts the logs created in the range of time, including hidden logs.
   */
  getLogLevelStats(query?: GetLogLevelStatsQuery, options?: CallOptions): Promise<LogLevels>;

  /**
   * Delete all stored data of a sender.
   *
   * Deletes all events of an identifier for good. Hourly counts, which identify no person, remain.
   */
  deleteEventSubject(distinctId: string, options?: CallOptions): Promise<EventsErased>;

  /**
   * List event names, most recently seen first.
   *
   * `search` looks into name, display name and description. The range applies to `range_count` only.
   */
  listEventDefinitions(query?: ListEventDefinitionsQuery, options?: CallOptions): Promise<EventDefinitionPage>;
  /** Walks all pages of `listEventDefinitions`. */
  iterEventDefinitions(query?: Omit<ListEventDefinitionsQuery, "limit" | "offset">, options?: CallOptions): AsyncGenerator<EventDefinitionPage["data"][number], void, undefined>;

  /** Read the definition of an event name. */
  getEventDefinition(id: string, options?: CallOptions): Promise<EventDefinition>;

  /** Change the definition of an event name. */
  updateEventDefinition(id: string, body: EventDefinitionChange, options?: CallOptions): Promise<EventDefinition>;

  /**
   * Delete the definition of an event name.
   *
   * Events and counts remain. The next event of the name creates a new definition.
   */
  deleteEventDefinition(id: string, options?: CallOptions): Promise<Done>;

  /**
   * Count events, senders, sessions and names.
   *
   * `total` and `event_types` use hourly counts, which include the whole first and last hour of the range.
   * `unique_users` and `unique_sessions` are exact to the second. See docs/numbers.md.
   */
  getEventOverview(query?: GetEventOverviewQuery, options?: CallOptions): Promise<EventOverview>;

  /**
   * Count events over time.
   *
   * Every hour or day of the range has a bucket. More than 20,000 buckets are refused with 400. `data`
   * includes the series that `limit` leaves out. With `measure=unique_users`, each bucket has the number of
   * distinct senders in that hour or day; `group_by` is refused then.
   */
  getEventTimeseries(query?: GetEventTimeseriesQuery, options?: CallOptions): Promise<EventSeries>;

  /** Count events by name, platform, region or property. */
  getEventBreakdown(query?: GetEventBreakdownQuery, options?: CallOptions): Promise<EventBreakdown>;

  /**
   * List the keys of properties that events have.
   *
   * Reads the newest 1,000 hours of the range in which the event occurs, and no values. Keys of more than
   * 128 characters are left out, because queries cannot name them.
   */
  getPropertyKeys(query?: GetPropertyKeysQuery, options?: CallOptions): Promise<PropertyKeys>;

  /**
   * Count events by hour of the week.
   *
   * Uses the local time of each client: by its clock, else by its country, else by `tz_offset_minutes`.
   */
  getEventHeatmap(query?: GetEventHeatmapQuery, options?: CallOptions): Promise<Heatmap>;

  /**
   * Analyse a funnel.
   *
   * A sender counts for a step if it did all steps up to it in order, the last one at most `window_seconds`
   * after the first. Steps may fall into the same second; one event is one step at most.
   *
   * The times are those of the events with which a sender first reaches a step, each the earliest one that
   * fits. With `entry` `any`, the latest entry counts from which the step is reached in that second.
   */
  getFunnel(body: FunnelInput, options?: CallOptions): Promise<Funnel>;

  /**
   * Analyse retention.
   *
   * A sender is in the cohort of the day or week of its first start event in the range. A period is null if
   * it is in the future, or if it is not over and no sender has returned yet. More than 20,000 cohorts are
   * refused with 400.
   */
  getRetention(body: RetentionInput, options?: CallOptions): Promise<Retention>;

  /** Analyse paths. */
  getPaths(body?: PathsInput, options?: CallOptions): Promise<Paths>;

  /**
   * Calculate a metric from events.
   *
   * Computes a number for the whole range (`value`), over time (`timeseries`) or by the values of a
   * dimension (`breakdown`), of one event or of several with a formula. More than 20,000 buckets are refused
   * with 400.
   */
  runEventQuery(body: MetricInput, options?: CallOptions): Promise<Metric>;

  /**
   * List the cards of the dashboard.
   *
   * By `sort_order`, then by age. Not paged.
   */
  listDashboardCards(options?: CallOptions): Promise<CardList>;

  /**
   * Add a card.
   *
   * A card stores a question, not its answer. `query` must follow all rules of `POST …/analysis/query`.
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
   * Searches projects, versions, announcements, feedback and logs in the same way as their lists, newest
   * first. Any of the five scopes allows it; the answer leaves out what the key may not read.
   */
  search(query: SearchQuery, options?: CallOptions): Promise<SearchPage>;

  /**
   * Show what needs attention on this server.
   *
   * The most urgent findings of all projects, at most six, and whether a scheduled backup is missing. Only
   * for a login.
   */
  getInstanceToday(options?: CallOptions): Promise<InstanceToday>;

  /**
   * Show what needs attention in a project.
   *
   * At most six findings, each with one figure, the most urgent first. An empty list means that nothing needs
   * attention. Update checks are counted, not devices: a device that checks twice counts twice.
   */
  getToday(options?: CallOptions): Promise<Today>;

  /**
   * Count downloads of files by day.
   *
   * Counts every unconditional GET of a direct link that is answered from the first byte. Downloads from other
   * caches are not counted. Days begin at midnight UTC.
   */
  getDownloads(query?: GetDownloadsQuery, options?: CallOptions): Promise<Downloads>;

  /**
   * Count requests by kind, platform and region.
   *
   * Like all statistics of requests, includes the whole first and last hour of the range.
   */
  getRequestOverview(query?: GetRequestOverviewQuery, options?: CallOptions): Promise<RequestOverview>;

  /**
   * Count requests over time.
   *
   * Every hour or day of the range has a bucket. More than 20,000 buckets are refused with 400.
   */
  getRequestTimeseries(query?: GetRequestTimeseriesQuery, options?: CallOptions): Promise<RequestSeries>;

  /**
   * Count update checks over time by version of the app.
   *
   * Contains the versions that update checks sent most often in the range. More than 20,000 buckets are
   * refused with 400.
   */
  getVersionAdoption(query?: GetVersionAdoptionQuery, options?: CallOptions): Promise<VersionAdoption>;

  /**
   * Count update checks by version of the app.
   *
   * Counts the display version that was sent, else the comparable version, published or not.
   */
  getClientVersions(query?: GetClientVersionsQuery, options?: CallOptions): Promise<ClientVersions>;

  /** Count requests by version of the system. */
  getPlatformVersions(query?: GetPlatformVersionsQuery, options?: CallOptions): Promise<PlatformVersions>;

  /**
   * Count requests by hour of the week.
   *
   * Uses the local time of each client: by its clock, else by its country, else by `tz_offset_minutes`.
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
   * The link returns 404 at once. Copies in a CDN remain until they are refreshed; if the refresh is set up,
   * the server requests it. Versions that refer to the file do not change.
   */
  deleteFile(id: string, options?: CallOptions): Promise<FileDeleted>;

  /**
   * Retry a failed file.
   *
   * 409 if the file has not failed, 400 if the server no longer has the uploaded content: upload it again.
   */
  retryFile(id: string, options?: CallOptions): Promise<File>;

  /**
   * Refresh the copies of a file in the CDN.
   *
   * 400 if the refresh is switched off or has no credentials, or if there is no distribution address.
   */
  refreshFileCdn(id: string, options?: CallOptions): Promise<CdnRefresh>;

  /**
   * List open uploads.
   *
   * Returns the sessions that still accept chunks, newest first, with the credential that began each.
   * Deleting one frees its space and its place.
   */
  listUploads(options?: CallOptions): Promise<OpenUploadList>;

  /**
   * Begin an upload in chunks.
   *
   * A session lives for 24 hours. Send its chunks in any order, in parallel and again if needed, then
   * complete it. Chunks take space as they arrive. A credential may have 8 open sessions and a project 32.
   * The sessions and pending files of a project may have half of the free space, counting their own as free.
   * 413 if the file exceeds the limit of the server, 404 also for an unknown storage.
   */
  createUpload(body: UploadCreate, options?: CallOptions): Promise<UploadSession>;

  /** Read the progress of an upload. */
  getUpload(uploadId: string, options?: CallOptions): Promise<UploadSession>;

  /** Abort an upload. */
  abortUpload(uploadId: string, options?: CallOptions): Promise<Done>;

  /**
   * Send a chunk of an upload.
   *
   * Each chunk has `chunk_size` bytes, the last one the remainder. A chunk that arrives whole is stored; an
   * interrupted one changes nothing. Sending an index again replaces the chunk; a request that is still
   * sending it then gets 409, as does one that arrives while the upload is being completed. The body may
   * have 16 MiB and take 300 seconds.
   */
  putUploadChunk(uploadId: string, index: number, bytes: Uint8Array | Blob | ArrayBuffer, options?: CallOptions): Promise<ChunkReceipt>;

  /**
   * Complete an upload.
   *
   * Can be repeated: until the session expires the answer is the same file. On local storage the file is
   * `ready` at once, elsewhere it is `pending` until the server has moved it there. 409 if chunks are
   * missing.
   */
  completeUpload(uploadId: string, options?: CallOptions): Promise<File>;

  /**
   * Copy the release attachments that a version links to.
   *
   * The server fetches linked attachments of releases at the code host in the background; then all versions
   * of the project link to the copies. 400 without a distribution address.
   */
  mirrorVersionAssets(id: string, options?: CallOptions): Promise<MirrorResult>;

  /**
   * List all downloads of a version with their problems.
   *
   * In the order of the links, with hidden ones.
   */
  listVersionAssets(id: string, options?: CallOptions): Promise<AssetList>;

  /**
   * Set fields of a download by hand.
   *
   * What is set is kept by the name of the download, also when the links are replaced. Null means that the
   * field is derived again. 400 for the size or a checksum of a file that is stored here. `If-Match` has the
   * entity tag of the version.
   */
  updateVersionAsset(id: string, name: string, body: AssetFields, options?: CallOptions): Promise<Asset>;

  /**
   * Send the signature of a download.
   *
   * The body is the text of the signature, of any content type: that of a `.minisig` or Tauri `.sig` file, or
   * what `sign_update` of Sparkle prints. It takes precedence over a signature among the links, and stays when
   * the links are replaced. It is verified before the answer: 400 for a signature that does not verify, and for
   * a private key. `If-Match` has the entity tag of the version.
   */
  putAssetSignature(id: string, name: string, scheme: string, bytes: Uint8Array | Blob | ArrayBuffer, options?: CallOptions): Promise<Asset>;

  /**
   * Remove the signature of a download that was sent.
   *
   * A signature among the links then counts again. 404 if none was sent.
   */
  deleteAssetSignature(id: string, name: string, scheme: string, options?: CallOptions): Promise<Asset>;

  /** Read the storages and the limits of uploads. */
  getStorage(options?: CallOptions): Promise<StorageOverview>;

  /** Add a storage. */
  createStorageBackend(body: StorageBackendCreate, options?: CallOptions): Promise<StorageBackend>;

  /**
   * Change a storage.
   *
   * Existing files are neither moved nor written again. Of the built-in storage only the name and
   * `is_default` can be changed.
   */
  updateStorageBackend(id: string, body: StorageBackendFields, options?: CallOptions): Promise<StorageBackend>;

  /**
   * Delete a storage.
   *
   * 400 for the built-in storage, 409 for the default and for one that holds files. Projects that name it
   * then use the default.
   */
  deleteStorageBackend(id: string, options?: CallOptions): Promise<Done>;

  /** Test the saved settings of a storage. */
  testStorageBackend(id: string, options?: CallOptions): Promise<StorageProbe>;

  /** Read the settings of the CDN refresh. */
  getCdnConfig(options?: CallOptions): Promise<CdnConfig>;

  /**
   * Change the settings of the CDN refresh.
   *
   * A field that is left out keeps its value. A new provider clears the credentials.
   */
  updateCdnConfig(body: CdnConfigFields, options?: CallOptions): Promise<CdnConfig>;

  /** Clear the settings of the CDN refresh, which switches it off. */
  clearCdnConfig(options?: CallOptions): Promise<CdnConfig>;

  /**
   * Test the saved credentials of the CDN refresh.
   *
   * Works while the refresh is switched off.
   */
  testCdnConfig(options?: CallOptions): Promise<CdnTest>;

  /** Read the settings of the code host app. */
  getCodehostAppConfig(options?: CallOptions): Promise<CodehostApp>;

  /**
   * Change the settings of the code host app.
   *
   * A field that is left out keeps its value. A blank text or null clears a text, null empties a list.
   * Secrets can be set, but not read.
   */
  updateCodehostAppConfig(body: CodehostAppFields, options?: CallOptions): Promise<CodehostApp>;

  /**
   * Clear the settings of the code host app.
   *
   * Restores the state before the first save. The settings of projects remain, without effect.
   */
  clearCodehostAppConfig(options?: CallOptions): Promise<CodehostApp>;

  /**
   * Test the code host app.
   *
   * Compares the permissions of the app with the needs of the enabled features.
   */
  testCodehostApp(options?: CallOptions): Promise<CodehostAppTest>;

  /**
   * Render Markdown as public pages show it.
   *
   * GitHub's dialect of CommonMark. Headings begin at `h3`, links are `nofollow noopener noreferrer`,
   * pictures load from `https` only, lazily and without referrer; tags in the text are shown as text. The
   * result is safe in any page. Texts over 128 KiB are shown unrendered. The server stores nothing. Any
   * scope that reads allows it.
   */
  previewMarkdown(body: MarkdownInput, options?: CallOptions): Promise<MarkdownPreview>;

  /** Read the settings of the machine translation. */
  getTranslationConfig(options?: CallOptions): Promise<TranslationConfig>;

  /**
   * Change the settings of the machine translation.
   *
   * A field that is left out keeps its value. A blank text or null clears a text.
   */
  updateTranslationConfig(body: TranslationConfigFields, options?: CallOptions): Promise<TranslationConfig>;

  /** Clear the settings of the machine translation, which switches it off. */
  clearTranslationConfig(options?: CallOptions): Promise<TranslationConfig>;

  /**
   * Test the machine translation.
   *
   * The sample contains the placeholder `{{version}}`, which the translation must keep.
   */
  testTranslation(options?: CallOptions): Promise<TranslationTest>;

  /**
   * Translate texts into a language of the project.
   *
   * The server stores nothing. The answer leaves out blank fields.
   */
  translate(body: TranslateFields, options?: CallOptions): Promise<TranslatedTexts>;

  /** Read the settings of the release webhook. */
  getCodehostWebhook(options?: CallOptions): Promise<Webhook>;

  /**
   * Set the secret of the release webhook.
   *
   * Afterwards the webhook accepts deliveries. Only this answer contains the secret.
   */
  setCodehostWebhookSecret(body: WebhookSecretFields, options?: CallOptions): Promise<WebhookRevealed>;

  /**
   * Switch the release webhook off.
   *
   * Deletes both secrets; the server then refuses every delivery.
   */
  clearCodehostWebhookSecret(options?: CallOptions): Promise<Webhook>;

  /**
   * Give the release webhook a new random secret.
   *
   * Only this answer contains the secret.
   */
  regenerateCodehostWebhookSecret(body?: WebhookGraceFields, options?: CallOptions): Promise<WebhookRevealed>;
}
