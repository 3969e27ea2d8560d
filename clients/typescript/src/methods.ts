// Every operation: a line has a path, and the words that the names of its methods are made
// of, with a noun before the verbs that share it; list adds its own s. A path that begins
// with a dot goes on from the last one that does not. Behind a verb stand
//
//   =  PUT               ^  POST, where the verb lets expect another method
//   ?  a query           !  a JSON body      +  a JSON body when one is given
//   #  bytes             *  pages, so there is an iter… companion
//   l  the client's locale, v its app version, where the call names none
//   -  none of these, where the verb lets expect some
//
// The types of these methods are generated into api.ts from this table and
// openapi.yaml.

/** Name, HTTP method, path and flags of an operation. */
export type Row = [name: string, method: string, path: string, flags: string];

/** What verbs stand for unless their line says otherwise; for all others it is POST. */
const usual: [verbs: RegExp, method: string, flags: string][] = [
  [/^list/, "GET", "?*"],
  [/^(get|preview|search|health|export)/, "GET", ""],
  [/^(create|login)/, "POST", "!"],
  [/^(update|change)/, "PATCH", "!"],
  [/^(upsert|set|put)/, "PUT", "!"],
  [/^(delete|clear|reset|revoke|abort)/, "DELETE", ""],
  [/./, "POST", ""],
];

function rows(table: string): Row[] {
  let base = "";
  return table.split("\n").flatMap((line) => {
    const [start, ...words] = line.split(" ") as [string, ...string[]];
    const path = start.replace(/^\./, base);
    base = path === start ? path : base;
    let noun = "";
    return words.flatMap((word): Row[] => {
      if (/^[A-Z]/.test(word)) {
        noun = word;
        return [];
      }
      const [, verb, other, flags] = /^(\w+)([=^]?)(.*)/.exec(word) as unknown as [string, string, string, string];
      const [, method, own] = usual.find(([verbs]) => verbs.test(verb))!;
      const name = verb + noun + (noun && verb === "list" ? "s" : "");
      return [[name, other === "=" ? "PUT" : other ? "POST" : method, path, flags === "-" ? "" : flags || own]];
    });
  });
}

export const clientTable = rows(`/health health
/auth/login login`);

export const publicTable = rows(`/public/{k} Project get?l
./versions Version list?*l
./versions/latest LatestVersion get?l
./versions/latest-preview LatestPreviewVersion get?l
./versions/by-version/{v} Version get?l
./versions/check-update Update check!l
./announcements Announcement list?*lv
./announcements/latest LatestAnnouncement get?lv
./feedbacks/options FeedbackOptions get
./feedbacks Feedback create
./logs Log upload!
./events Events ingest!
./events/me MyData export? delete?
/public/terms Term list?l
./{slug} Terms get?l`);

export const adminTable = rows(`/admin/projects Project list create
./{k} Project get update delete
./statistics ProjectStatistics get
./codehost-repo-preview CodehostRepo preview?
./{k}/contents ProjectContents get
./{k}/aliases ProjectAliase list-
./{k}/aliases/{alias} ProjectAlias delete
./{k}/locales ProjectLocale list- create
./{k}/locales/{locale} ProjectLocale update delete
./{k}/versions Version list create
./{k}/versions/{id} Version get update delete
./{k}/versions/by-version/{v} Version upsert
./{k}/versions/update-check-simulation UpdateCheck simulate!
./{k}/versions/codehost-release-preview CodehostRelease preview?
./{k}/versions/codehost-release-import CodehostReleases import
./{k}/versions/{id}/mirror-assets VersionAssets mirror
/admin/versions/statistics VersionStatistics get
/admin/projects/{k}/announcements Announcement list create
./{id} Announcement get update delete
/admin/announcements/statistics AnnouncementStatistics get
/admin/projects/{k}/feedbacks Feedback list create
./{id} Feedback get update delete
./{id}/forward Feedback forward
/admin/feedbacks/statistics FeedbackStatistics get
/admin/projects/{k}/logs Log list create
./{id} Log update
./prune Logs prune!
/admin/logs/statistics LogStatistics get
/admin/projects/{k}/events/definitions EventDefinition list
./{id} EventDefinition get update delete
/admin/projects/{k}/events/stats/overview EventOverview get?
/admin/projects/{k}/events/stats/timeseries EventTimeseries get?
/admin/projects/{k}/events/stats/breakdown EventBreakdown get?
/admin/projects/{k}/events/stats/heatmap EventHeatmap get?
/admin/projects/{k}/events/analysis/funnel Funnel get^!
/admin/projects/{k}/events/analysis/retention Retention get^!
/admin/projects/{k}/events/analysis/paths Paths get^!
/admin/projects/{k}/events/analysis/query EventQuery run!
/admin/projects/{k}/events/dashboards/cards DashboardCard list- create
./{id} DashboardCard get update delete
/admin/projects/{k}/events/subjects/{distinct_id} EventSubject delete
/admin/projects/{k}/codehost-webhook CodehostWebhook get CodehostWebhookSecret set clear
./regenerate CodehostWebhookSecret regenerate+
/admin/codehost-app CodehostAppConfig get update= clear
./test CodehostApp test
/admin/projects/{k}/codehost-integration CodehostIntegration get update=
./repo-template CodehostIntegrationRepoTemplate get?
/admin/terms/documents TermsDocument list?
./{slug} TermsDocument get? update= reset?
/auth/me Me get
/auth/admin-profile AdminProfile get update
/auth/password Password change
/auth/account Account change
/auth/api-scopes ApiScope list-
/auth/api-keys ApiKey list- create
./{id} ApiKey get update revoke
./{id}/rotate ApiKey rotate!
/admin/projects/{k}/stats/requests/overview RequestOverview get?
/admin/projects/{k}/stats/requests/timeseries RequestTimeseries get?
/admin/projects/{k}/stats/requests/heatmap RequestHeatmap get?
/admin/projects/{k}/stats/requests/version-adoption VersionAdoption get?
/admin/projects/{k}/stats/requests/client-versions ClientVersions get?
/admin/projects/{k}/stats/requests/platform-versions PlatformVersions get?
/admin/projects/{k}/stats/logs LogLevelStats get?
/admin/projects/{k}/stats/feedbacks FeedbackRatingStats get?
/admin/translation TranslationConfig get update= clear
./test Translation test
/admin/projects/{k}/translate translate!
/admin/projects/{k}/files File list
./{id} File get delete
./{id}/retry File retry
./{id}/refresh-cdn FileCdn refresh
./uploads Upload list- create
./uploads/{upload_id} Upload get abort
./uploads/{upload_id}/chunks/{index} UploadChunk put#
./uploads/{upload_id}/complete Upload complete
/admin/storage Storage get
./backends StorageBackend create
./backends/{id} StorageBackend update delete
./backends/{id}/test StorageBackend test
./cdn CdnConfig get update= clear
./cdn/test CdnConfig test
/admin/search search?
/admin/markdown-preview Markdown preview^!
/admin/status Status get
/admin/about About get?`);
