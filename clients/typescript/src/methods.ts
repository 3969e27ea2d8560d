// Every operation as one row: name, verb, path, and what a caller passes beside
// the path's arguments.
//
//   ?  a query           !  a JSON body      +  a JSON body when one is given
//   #  bytes             *  pages, so there is an iter… companion
//   l  the client's locale, v its app version, where the call names none
//
// The types of these methods are generated into api.ts from this table and
// openapi.yaml.

import type { Request } from "./http.js";

export const clientTable = `
health GET /health
login POST /auth/login !`;

export const publicTable = `
getProject GET /public/{k} ?l
listVersions GET /public/{k}/versions ?*l
getLatestVersion GET /public/{k}/versions/latest ?l
getLatestPreviewVersion GET /public/{k}/versions/latest-preview ?l
getVersion GET /public/{k}/versions/by-version/{v} ?l
checkUpdate POST /public/{k}/versions/check-update !l
listAnnouncements GET /public/{k}/announcements ?*lv
getLatestAnnouncement GET /public/{k}/announcements/latest ?lv
getFeedbackOptions GET /public/{k}/feedbacks/options
createFeedback POST /public/{k}/feedbacks !
uploadLog POST /public/{k}/logs !
ingestEvents POST /public/{k}/events !
exportMyData GET /public/{k}/events/me ?
deleteMyData DELETE /public/{k}/events/me ?
listTerms GET /public/terms ?l
getTerms GET /public/terms/{slug} ?l`;

export const adminTable = `
listProjects GET /admin/projects ?*
createProject POST /admin/projects !
getProject GET /admin/projects/{k}
updateProject PATCH /admin/projects/{k} !
deleteProject DELETE /admin/projects/{k}
getProjectStatistics GET /admin/projects/statistics
previewCodehostRepo GET /admin/projects/codehost-repo-preview ?
listProjectAliases GET /admin/projects/{k}/aliases
deleteProjectAlias DELETE /admin/projects/{k}/aliases/{alias}
listProjectLocales GET /admin/projects/{k}/locales
createProjectLocale POST /admin/projects/{k}/locales !
updateProjectLocale PATCH /admin/projects/{k}/locales/{locale} !
deleteProjectLocale DELETE /admin/projects/{k}/locales/{locale}
listVersions GET /admin/projects/{k}/versions ?*
createVersion POST /admin/projects/{k}/versions !
getVersion GET /admin/projects/{k}/versions/{id}
updateVersion PATCH /admin/projects/{k}/versions/{id} !
deleteVersion DELETE /admin/projects/{k}/versions/{id}
upsertVersion PUT /admin/projects/{k}/versions/by-version/{v} !
getVersionStatistics GET /admin/versions/statistics
previewCodehostRelease GET /admin/projects/{k}/versions/codehost-release-preview ?
importCodehostReleases POST /admin/projects/{k}/versions/codehost-release-import
listAnnouncements GET /admin/projects/{k}/announcements ?*
createAnnouncement POST /admin/projects/{k}/announcements !
getAnnouncement GET /admin/projects/{k}/announcements/{id}
updateAnnouncement PATCH /admin/projects/{k}/announcements/{id} !
deleteAnnouncement DELETE /admin/projects/{k}/announcements/{id}
getAnnouncementStatistics GET /admin/announcements/statistics
listFeedbacks GET /admin/projects/{k}/feedbacks ?*
createFeedback POST /admin/projects/{k}/feedbacks !
getFeedback GET /admin/projects/{k}/feedbacks/{id}
updateFeedback PATCH /admin/projects/{k}/feedbacks/{id} !
deleteFeedback DELETE /admin/projects/{k}/feedbacks/{id}
getFeedbackStatistics GET /admin/feedbacks/statistics
listLogs GET /admin/projects/{k}/logs ?*
createLog POST /admin/projects/{k}/logs !
updateLog PATCH /admin/projects/{k}/logs/{id} !
getLogStatistics GET /admin/logs/statistics
listEventDefinitions GET /admin/projects/{k}/events/definitions ?*
updateEventDefinition PATCH /admin/projects/{k}/events/definitions/{id} !
deleteEventDefinition DELETE /admin/projects/{k}/events/definitions/{id}
getEventOverview GET /admin/projects/{k}/events/stats/overview ?
getEventTimeseries GET /admin/projects/{k}/events/stats/timeseries ?
getEventBreakdown GET /admin/projects/{k}/events/stats/breakdown ?
getEventHeatmap GET /admin/projects/{k}/events/stats/heatmap ?
getFunnel POST /admin/projects/{k}/events/analysis/funnel !
getRetention POST /admin/projects/{k}/events/analysis/retention !
getPaths POST /admin/projects/{k}/events/analysis/paths !
runEventQuery POST /admin/projects/{k}/events/analysis/query !
listDashboardCards GET /admin/projects/{k}/events/dashboards/cards
createDashboardCard POST /admin/projects/{k}/events/dashboards/cards !
updateDashboardCard PATCH /admin/projects/{k}/events/dashboards/cards/{id} !
deleteDashboardCard DELETE /admin/projects/{k}/events/dashboards/cards/{id}
deleteEventSubject DELETE /admin/projects/{k}/events/subjects/{distinct_id}
getCodehostWebhook GET /admin/projects/{k}/codehost-webhook
setCodehostWebhookSecret PUT /admin/projects/{k}/codehost-webhook !
regenerateCodehostWebhookSecret POST /admin/projects/{k}/codehost-webhook/regenerate +
clearCodehostWebhookSecret DELETE /admin/projects/{k}/codehost-webhook
getCodehostAppConfig GET /admin/codehost-app
updateCodehostAppConfig PUT /admin/codehost-app !
clearCodehostAppConfig DELETE /admin/codehost-app
getCodehostIntegration GET /admin/projects/{k}/codehost-integration
updateCodehostIntegration PUT /admin/projects/{k}/codehost-integration !
getCodehostIntegrationRepoTemplate GET /admin/projects/{k}/codehost-integration/repo-template ?
listTermsDocuments GET /admin/terms/documents ?
getTermsDocument GET /admin/terms/documents/{slug} ?
updateTermsDocument PUT /admin/terms/documents/{slug} !
resetTermsDocument DELETE /admin/terms/documents/{slug} ?
getMe GET /auth/me
getAdminProfile GET /auth/admin-profile
updateAdminProfile PATCH /auth/admin-profile !
changePassword PATCH /auth/password !
changeAccount PATCH /auth/account !
listApiScopes GET /auth/api-scopes
listApiKeys GET /auth/api-keys
createApiKey POST /auth/api-keys !
updateApiKey PATCH /auth/api-keys/{id} !
revokeApiKey DELETE /auth/api-keys/{id}
rotateApiKey POST /auth/api-keys/{id}/rotate !
getRequestOverview GET /admin/projects/{k}/stats/requests/overview ?
getRequestTimeseries GET /admin/projects/{k}/stats/requests/timeseries ?
getRequestHeatmap GET /admin/projects/{k}/stats/requests/heatmap ?
getVersionAdoption GET /admin/projects/{k}/stats/requests/version-adoption ?
getClientVersions GET /admin/projects/{k}/stats/requests/client-versions ?
getPlatformVersions GET /admin/projects/{k}/stats/requests/platform-versions ?
getLogLevelStats GET /admin/projects/{k}/stats/logs ?
getFeedbackRatingStats GET /admin/projects/{k}/stats/feedbacks ?
getTranslationConfig GET /admin/translation
updateTranslationConfig PUT /admin/translation !
clearTranslationConfig DELETE /admin/translation
testTranslation POST /admin/translation/test
translate POST /admin/projects/{k}/translate !
listFiles GET /admin/projects/{k}/files ?*
getFile GET /admin/projects/{k}/files/{id}
deleteFile DELETE /admin/projects/{k}/files/{id}
retryFile POST /admin/projects/{k}/files/{id}/retry
refreshFileCdn POST /admin/projects/{k}/files/{id}/refresh-cdn
createUpload POST /admin/projects/{k}/files/uploads !
getUpload GET /admin/projects/{k}/files/uploads/{upload_id}
putUploadChunk PUT /admin/projects/{k}/files/uploads/{upload_id}/chunks/{index} #
completeUpload POST /admin/projects/{k}/files/uploads/{upload_id}/complete
abortUpload DELETE /admin/projects/{k}/files/uploads/{upload_id}
mirrorVersionAssets POST /admin/projects/{k}/versions/{id}/mirror-assets
getStorage GET /admin/storage
createStorageBackend POST /admin/storage/backends !
updateStorageBackend PATCH /admin/storage/backends/{id} !
deleteStorageBackend DELETE /admin/storage/backends/{id}
testStorageBackend POST /admin/storage/backends/{id}/test
getCdnConfig GET /admin/storage/cdn
updateCdnConfig PUT /admin/storage/cdn !
clearCdnConfig DELETE /admin/storage/cdn
testCdnConfig POST /admin/storage/cdn/test
testCodehostApp POST /admin/codehost-app/test
search GET /admin/search ?`;

/** Options of one call. */
export interface CallOptions {
  /** Ends the call early, also while it waits for a retry. */
  signal?: AbortSignal | undefined;
  /** Fields that are merged into the body last: what a newer server knows and this library does not. */
  extra?: Record<string, unknown> | undefined;
}

export type Data = Record<string, unknown>;

/** One row's request, with the caller's query or body as `data`. */
export type Call = (flags: string, request: Request, data: Data) => Promise<unknown>;

type Page = { total: number; data: unknown[] };

/** Makes the methods of a table; `call` sends what they are called with. */
export function bind(table: string, call: Call): Record<string, (...args: never[]) => unknown> {
  const methods: Record<string, (...args: unknown[]) => unknown> = {};
  for (const row of table.trim().split("\n")) {
    const [name, method, path, flags = ""] = row.split(" ") as [string, string, string, string?];
    const count = path.replace("{k}", "").split("{").length - 1;
    const kind = flags[0] || "";
    const run = async (...args: unknown[]): Promise<unknown> => {
      const data = kind ? args[count] : {};
      const { signal, extra } = (args[kind ? count + 1 : count] || {}) as CallOptions;
      const request: Request = { method, path, signal, params: args.slice(0, count).map((arg) => String(arg ?? "")) };
      if (kind === "#") {
        request.raw = data as Uint8Array;
      }
      const fields = kind === "#" ? {} : { ...(data as Data), ...extra };
      if (kind === "?" || method === "GET") {
        request.query = fields;
      } else if (kind === "!" || Object.keys(fields).length) {
        request.body = fields;
      }
      return call(flags, request, fields);
    };
    methods[name] = run;
    if (flags.includes("*")) {
      methods[name.replace("list", "iter")] = async function* (query: unknown, options: unknown) {
        for (let offset = 0; ; ) {
          const page = (await run({ ...(query as Data), limit: 100, offset }, options)) as Page;
          yield* page.data;
          offset += page.data.length;
          if (!page.data.length || offset >= page.total) {
            return;
          }
        }
      };
    }
  }
  return methods;
}
