// Exports shared by all entry points of the package, except the client itself.

export type { CallOptions } from "./bind.js";
export type { Client, SvcClientOptions, UploadOptions, UploadSource, AdminNamespace, PublicNamespace } from "./client.js";
export { LogLevel } from "./client.js";
export { SvcApiError, SvcAuthError, SvcConnectionError, SvcError } from "./errors.js";
export type { LogEvent } from "./http.js";
export type { CaptureOptions, ErrorReport, InstallOptions, Logs } from "./logs.js";
export type { AnalyticsOptions, AnalyticsStorage, FlushResult } from "./queue.js";
export { compareVersions, isComparableVersion } from "./rules.js";
export type { Download, DownloadOptions, DownloadTarget, Update, UpdateOptions, Updates } from "./updates.js";
export { SDK_VERSION } from "./version.js";
export type * from "./api.js";
export type * from "./schema.js";
