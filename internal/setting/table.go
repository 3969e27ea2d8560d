package setting

import (
	"io/fs"
	"log/slog"
	"net/url"
	"slices"
	"time"
)

// DefaultListen is the default listen address. It can be reached only from this machine.
const DefaultListen = "127.0.0.1:4000"

// Definitions returns all settings in the order in which they are documented.
func Definitions() []Definition { return slices.Clone(definitions) }

var definitions = []Definition{
	{
		Key: "data", Variable: "SVC_DATA", Kind: "directory", Default: "./data", NotInFile: true,
		Help: "Data directory: everything the server stores.",
		Why:  "A directory next to the program is easy to find; service definitions set their own.",
		set:  verbatim(func(s *Settings) *string { return &s.Data }),
	},
	{
		Key: "config", Variable: "SVC_CONFIG", Kind: "file", Unset: "config.toml in the data directory", NotInFile: true,
		Help: "Configuration file.",
		Why:  "A file that you name must exist; config.toml in the data directory is optional.",
		set:  verbatim(func(s *Settings) *string { return &s.Config }),
	},
	{
		Key: "listen", Variable: "SVC_LISTEN", Kind: "address", Default: DefaultListen,
		Help: "Address and port to listen on; an empty host means all addresses, port 0 any free port. Or unix: followed by the path of a " +
			"socket. With domain, the default is :443.",
		Why: "Local only, until you or a reverse proxy expose it.",
		set: into(func(s *Settings) *string { return &s.Listen }, address),
	},
	{
		Key: "listen_mode", Variable: "SVC_LISTEN_MODE", Kind: "mode", Default: "0660",
		Help: "Permissions of the Unix socket in listen, in octal.",
		Why:  "A reverse proxy in the group of the socket can connect; others cannot.",
		set:  into(func(s *Settings) *fs.FileMode { return &s.ListenMode }, fileMode),
	},
	{
		Key: "port", Variable: "PORT", Kind: "integer", Unset: "the port of listen",
		Help: "Port to use instead of the one in the default address; listen takes precedence.",
		Why:  "For platforms that assign a port in PORT.",
		set:  into(func(s *Settings) *int { return &s.port }, number(0, 65535)),
	},
	{
		Key: "tls.cert", Variable: "SVC_TLS_CERT", Kind: "file", Unset: "plain HTTP",
		Help: "Certificate chain for HTTPS, in PEM; reloaded when the file changes.",
		Why:  "Most installations have a reverse proxy for this.",
		set:  verbatim(func(s *Settings) *string { return &s.TLSCert }),
	},
	{
		Key: "tls.key", Variable: "SVC_TLS_KEY", Kind: "file", Unset: "plain HTTP",
		Help: "Private key of tls.cert, in PEM.",
		Why:  "It belongs to the certificate.",
		set:  verbatim(func(s *Settings) *string { return &s.TLSKey }),
	},
	{
		Key: "domain", Variable: "SVC_DOMAIN", Kind: "list", Unset: "no automatic certificates",
		Help: "Comma-separated host names to serve over HTTPS, with certificates that are issued and renewed automatically.",
		Why:  "Needs ports 443 and 80, a public host name, and your consent to the terms of the certificate authority.",
		set:  into(func(s *Settings) *[]string { return &s.Domain }, domains),
	},
	{
		Key: "redirect.listen", Variable: "SVC_REDIRECT_LISTEN", Kind: "address", Default: ":80",
		Help: "With domain: address that redirects plain HTTP to HTTPS and answers the challenges of the certificate authority; off to disable.",
		Why:  "People type host names without https, and the certificate authority connects to port 80.",
		set:  into(func(s *Settings) *string { return &s.RedirectListen }, redirectAddress),
	},
	{
		Key: "acme.email", Variable: "SVC_ACME_EMAIL", Kind: "e-mail", Unset: "none",
		Help: "With domain: contact e-mail address for the certificate authority.",
		Why:  "Not required: renewal is automatic.",
		set:  into(func(s *Settings) *string { return &s.ACMEEmail }, email),
	},
	{
		Key: "acme.ca", Variable: "SVC_ACME_CA", Kind: "URL", Unset: "Let's Encrypt",
		Help: "With domain: https URL of the ACME directory of another certificate authority.",
		Why:  "Browsers trust Let's Encrypt, and it is free.",
		set:  into(func(s *Settings) *string { return &s.ACMECA }, directoryURL),
	},
	{
		Key: "jwt_secret", Variable: "JWT_SECRET", Kind: "secret", Unset: "generated at the first start, in secrets.toml", Secret: true,
		Offline: true,
		Help:    "Signs administrator sessions; at least 32 bytes. The keys that encrypt stored secrets are derived from it.",
		Why:     "A generated secret is as good as any; set it if you keep secrets in a secret store.",
		set:     secret(32, func(s *Settings) *string { return &s.JWTSecret }),
	},
	{
		Key: "jwt_expires_in", Variable: "JWT_EXPIRES_IN", Kind: "duration", Default: "2h",
		Help: "Lifetime of a session: seconds, or a number with s, m, h or d; an invalid value means 2h.",
		Why:  "Long enough to work, short enough for a forgotten laptop.",
		set:  verbatim(func(s *Settings) *string { return &s.JWTExpiresIn }),
	},
	{
		Key: "api_key_salt", Variable: "API_KEY_SALT", Kind: "secret", Unset: "generated at the first start, in secrets.toml", Secret: true,
		Offline: true,
		Help:    "Salt of the stored API key hashes; changing it invalidates all API keys.",
		Why:     "A generated salt is as good as any; set it if the data directory must not contain it.",
		set:     secret(1, func(s *Settings) *string { return &s.APIKeySalt }),
	},
	{
		Key: "admin_password", Variable: "ADMIN_PASSWORD", Kind: "secret", Unset: "generated at the first start", Secret: true,
		Help: "Initial password of the administrator, 6 to 128 characters; ignored after the first start.",
		Why:  "A generated password cannot be guessed; set one if nobody can read the terminal.",
		set:  into(func(s *Settings) *string { return &s.AdminPassword }, trimmed),
	},
	{
		Key: "bootstrap_secret_dir", Variable: "BOOTSTRAP_SECRET_DIR", Kind: "directory", Unset: "the data directory", Offline: true,
		Help: "Directory of svc.bootstrap-admin.txt, which contains a generated password until the first login.",
		Why:  "Only its owner can read the data directory.",
		set:  verbatim(func(s *Settings) *string { return &s.BootstrapSecretDir }),
	},
	{
		Key: "max_connections", Variable: "SVC_MAX_CONNECTIONS", Kind: "integer", Unset: "the limit of open files minus 256",
		Help: "Maximum number of open connections. One address (IPv6: one /64) may have an eighth of them, except trusted proxies; the control " +
			"socket does not count.",
		Why: "Connections must leave file descriptors for the data, and each takes about 20 KiB of memory.",
		set: into(func(s *Settings) *int { return &s.MaxConnections }, number(1, maxCount)),
	},
	{
		Key: "public_rate_limit", Variable: "SVC_PUBLIC_RATE_LIMIT", Kind: "integer", Default: "300",
		Help: "Maximum number of update checks, feedback, logs and batches of events per minute, per client address and endpoint; 0 means no " +
			"limit.",
		Why: "Well above what one household needs, well below what harms the server.",
		set: into(func(s *Settings) *int { return &s.PublicRateLimit }, number(0, maxCount)),
	},
	{
		Key: "public_body_budget_mib", Variable: "SVC_PUBLIC_BODY_BUDGET_MIB", Kind: "integer", Default: "64",
		Help: "Memory for request bodies of callers without a credential, in MiB; beyond it they get 503. Bodies up to 4 KiB do not count; an " +
			"eighth is kept free of webhook deliveries above 1 MiB.",
		Why: "Enough for a thousand submissions at a time; below 58, the largest deliveries of code hosts are refused.",
		set: into(func(s *Settings) *int { return &s.PublicBodyBudget }, number(1, maxCount)),
	},
	{
		Key: "answer_budget_mib", Variable: "SVC_ANSWER_BUDGET_MIB", Kind: "integer", Default: "128",
		Help: "Memory for large responses that are being sent, in MiB; a request waits up to 10 seconds for its share and then gets 503. Half " +
			"is for callers without a credential. Lists up to 64 KiB do not count.",
		Why: "A list of a hundred large logs needs a few MiB, because it is written record by record.",
		set: into(func(s *Settings) *int { return &s.AnswerBudget }, number(1, maxCount)),
	},
	{
		Key: "submission_data_max_kib", Variable: "SVC_SUBMISSION_DATA_MAX_KIB", Kind: "integer", Default: "64",
		Help: "Maximum size of custom_data and device_info together in public feedback and logs, in KiB, at most 1024.",
		Why:  "The state that an app reports is small; a list shows up to 100 submissions at a time.",
		set:  into(func(s *Settings) *int { return &s.SubmissionDataMax }, number(1, 1024)),
	},
	{
		Key: "dedup_window_seconds", Variable: "SVC_DEDUP_WINDOW_SECONDS", Kind: "integer", Default: "60",
		Help: "Seconds during which identical feedback or logs from one address are stored once; 0 turns this off.",
		Why:  "A client that retries after a lost response should not create two records.",
		set:  into(func(s *Settings) *int { return &s.DedupWindowSeconds }, number(-maxCount, maxCount)),
	},
	{
		Key: "submission.max_mib", Variable: "SVC_SUBMISSION_MAX_MIB", Kind: "integer", Default: "0",
		Help: "Maximum size of the stored feedback and logs of a project in MiB; at the limit further ones are refused with 507. 0 means no " +
			"limit.",
		Why: "One app that sends too much can fill a disk that all projects need.",
		set: into(func(s *Settings) *int { return &s.SubmissionMaxMiB }, number(0, maxCount)),
	},
	{
		Key: "log.retention_days", Variable: "SVC_LOG_RETENTION_DAYS", Kind: "integer", Default: "0",
		Help: "Days after which the logs that apps have sent are deleted, 1 to 3650; a project can have its own number. 0 means never.",
		Why:  "Only you know how long you need your logs.",
		set:  into(func(s *Settings) *int { return &s.LogRetentionDays }, number(0, MaxRetentionDays)),
	},
	{
		Key: "feedback.retention_days", Variable: "SVC_FEEDBACK_RETENTION_DAYS", Kind: "integer", Default: "0",
		Help: "Days after which feedback is deleted, 1 to 3650; a project can have its own number. 0 means never.",
		Why:  "Feedback is for people to answer, however long that takes.",
		set:  into(func(s *Settings) *int { return &s.FeedbackRetentionDays }, number(0, MaxRetentionDays)),
	},
	{
		Key: "trusted_proxy_count", Variable: "SVC_TRUSTED_PROXY_COUNT", Kind: "integer", Default: "1",
		Help: "Number of trusted reverse proxies in front of the server; 0 ignores all forwarding headers.",
		Why:  "One proxy is usual; headers are trusted only if the peer is on a private network.",
		set:  into(func(s *Settings) *int { return &s.TrustedProxyCount }, number(0, maxCount)),
	},
	{
		Key: "client_ip_header", Variable: "SVC_CLIENT_IP_HEADER", Kind: "list", Unset: "the usual forwarding headers",
		Help: "Comma-separated names of the only headers that carry the client address.",
		Why:  "For a proxy with its own header; the usual headers are recognized.",
		set:  into(func(s *Settings) *[]string { return &s.ClientIPHeader }, headers),
	},
	{
		Key: "geo.enabled", Variable: "SVC_GEO_ENABLED", Kind: "boolean", Default: "true",
		Help: "Whether to look up country and place of client addresses: true or false.",
		Why:  "The lookup is local; no address is ever sent anywhere.",
		set:  into(func(s *Settings) *bool { return &s.GeoEnabled }, boolean),
	},
	{
		Key: "geo.database", Variable: "SVC_GEO_DATABASE", Kind: "file", Unset: "the built-in country table",
		Help: "City or country database in MaxMind format (.mmdb); reloaded when the file changes.",
		Why:  "Countries are enough for most; regions and cities need a database that you download.",
		set:  verbatim(func(s *Settings) *string { return &s.GeoDatabase }),
	},
	{
		Key: "event.ip_storage", Variable: "SVC_EVENT_IP_STORAGE", Kind: "storage", Default: "anonymized",
		Help: "How the client address of an event is stored: anonymized, full or none.",
		Why:  "A shortened address still identifies the network, but not the person.",
		set:  into(func(s *Settings) *string { return &s.EventIPStorage }, choice("anonymized", "full", "none")),
	},
	{
		Key: "event.clock_skew_seconds", Variable: "SVC_EVENT_CLOCK_SKEW_SECONDS", Kind: "integer", Default: "604800",
		Help: "Maximum age of an event by its own timestamp, in seconds; an older one gets its arrival time.",
		Why:  "Keeps the timestamps of apps that were offline for a week, but not those of wrong clocks.",
		set:  into(func(s *Settings) *int { return &s.EventClockSkew }, number(1, maxCount)),
	},
	{
		Key: "health.bucket_seconds", Variable: "SVC_HEALTH_BUCKET_SECONDS", Kind: "integer", Default: "600",
		Help: "Length in seconds of the time buckets in which users of a rollout and their failures are counted.",
		Why:  "A rollout that fails too often is held when a bucket closes; shorter buckets hold it sooner, but have fewer users to compare.",
		set:  into(func(s *Settings) *int { return &s.HealthBucketSeconds }, number(1, 3600)),
	},
	{
		Key: "event.batch_max", Variable: "SVC_EVENT_BATCH_MAX", Kind: "integer", Default: "50",
		Help: "Maximum number of events in a request.",
		Why:  "Clients send batches of 20; larger ones come from clients that were offline.",
		set:  into(func(s *Settings) *int { return &s.EventBatchMax }, number(1, maxCount)),
	},
	{
		Key: "event.max_names", Variable: "SVC_EVENT_MAX_NAMES", Kind: "integer", Default: "2000",
		Help: "Maximum number of event names of a project; events with further new names are skipped.",
		Why:  "Names are kept in memory, and events need no credential; an app has a few dozen names.",
		set:  into(func(s *Settings) *int { return &s.EventMaxNames }, number(1, 1_000_000)),
	},
	{
		Key: "event.max_size_mib", Variable: "SVC_EVENT_MAX_SIZE_MIB", Kind: "integer", Default: "0",
		Help: "Maximum size of events.db in MiB; at the limit new events are refused with 507. 0 means no limit.",
		Why:  "Events can fill a disk that projects, versions and logs need as well.",
		set:  into(func(s *Settings) *int { return &s.EventMaxSizeMiB }, number(0, maxCount)),
	},
	{
		Key: "site_url", Variable: "SVC_SITE_URL", Kind: "URL", Unset: "the address that clients use",
		Help: "Public address of the site, such as https://svc.example.com.",
		Why:  "Needed if direct links have a host of their own; the host of the site then does not serve them.",
		set:  into(func(s *Settings) *string { return &s.SiteURL }, origin),
	},
	{
		Key: "pages.home", Variable: "SVC_PAGES_HOME", Kind: "page", Default: "list",
		Help: "Start page of the site: list for the projects with a latest version, the key of a project, or an address to redirect to.",
		Why:  "Visitors look for an app; a project without a version is not listed.",
		set:  into(func(s *Settings) *string { return &s.PagesHome }, startPage),
	},
	{
		Key: "dist.base_url", Variable: "SVC_DIST_BASE_URL", Kind: "URL", Unset: "links on the address of the site; no mirroring, no CDN refresh",
		Help: "Address of direct links to files, such as https://dl.example.com; a host other than that of site_url serves only links.",
		Why:  "A host of its own keeps downloads away from the console, and can be moved behind a CDN.",
		set:  into(func(s *Settings) *string { return &s.DistBaseURL }, origin),
	},
	{
		Key: "dist.cache_max_size", Variable: "SVC_DIST_CACHE_MAX_SIZE", Kind: "size", Default: "10g",
		Help: "Maximum size of the cache for files on remote storage: bytes, or a number with k, m or g.",
		Why:  "Room for several releases; the least recently used parts are removed first.",
		set:  into(func(s *Settings) *int64 { return &s.DistCacheMaxSize }, size),
	},
	{
		Key: "upload_max_mb", Variable: "SVC_UPLOAD_MAX_MB", Kind: "integer", Default: "4096",
		Help: "Maximum size of a file in MiB, uploaded or mirrored.",
		Why:  "Larger than almost any installer, smaller than most disks.",
		set:  into(func(s *Settings) *int { return &s.UploadMaxMB }, number(1, maxUploadMB)),
	},
	{
		Key: "storage_dir", Variable: "SVC_STORAGE_DIR", Kind: "directory", Unset: "files/ in the data directory", Offline: true,
		Help: "Directory of local files, uploads in progress and the cache.",
		Why:  "One directory to look after; choose another one on a larger disk.",
		set:  verbatim(func(s *Settings) *string { return &s.StorageDir }),
	},
	{
		Key: "cdn.aliyun_url", Variable: "SVC_CDN_ALIYUN_URL", Kind: "URL", Default: "https://cdn.aliyuncs.com",
		Help: "Address of the API of the CDN provider aliyun.",
		Why:  "Another address is only for tests and for gateways.",
		set:  into(func(s *Settings) *string { return &s.CDNAliyunURL }, origin),
	},
	{
		Key: "cdn.cloudflare_url", Variable: "SVC_CDN_CLOUDFLARE_URL", Kind: "URL", Default: "https://api.cloudflare.com",
		Help: "Address of the API of the CDN provider cloudflare.",
		Why:  "Another address is only for tests and for gateways.",
		set:  into(func(s *Settings) *string { return &s.CDNCloudflareURL }, origin),
	},
	{
		Key: "codehost.web_base_url", Variable: "SVC_CODEHOST_WEB_BASE_URL", Kind: "URL", Default: "https://github.com",
		Help: "Address of the code host in a browser; attachments of releases there can be mirrored.",
		Why:  "Most projects are there; name your own installation if you have one.",
		set:  into(func(s *Settings) *string { return &s.CodehostWebBaseURL }, origin),
	},
	{
		Key: "codehost.api_base_url", Variable: "SVC_CODEHOST_API_BASE_URL", Kind: "URL", Default: "https://api.github.com",
		Help: "Address of the REST API of the code host; releases are read and issues are created there.",
		Why:  "It belongs to codehost.web_base_url; your own installation has both.",
		set:  into(func(s *Settings) *string { return &s.CodehostAPIBaseURL }, baseAddress),
	},
	{
		Key: "codehost.forward_rate_limit", Variable: "SVC_CODEHOST_FORWARD_RATE_LIMIT", Kind: "integer", Default: "3",
		Help: "Maximum number of issues that feedback of one client address may create in codehost.forward_rate_ttl.",
		Why:  "Enough for a user who reports several bugs in a row, too little to flood a repository.",
		set:  into(func(s *Settings) *int { return &s.CodehostForwardRateLimit }, number(1, 100_000)),
	},
	{
		Key: "codehost.forward_rate_ttl", Variable: "SVC_CODEHOST_FORWARD_RATE_TTL", Kind: "integer", Default: "3600",
		Help: "Period of codehost.forward_rate_limit, in seconds.",
		Why:  "An hour outlasts the patience of most abusers.",
		set:  into(func(s *Settings) *int { return &s.CodehostForwardRateTTL }, number(1, 31*24*3600)),
	},
	{
		Key: "about.upstream_url", Variable: "SVC_ABOUT_UPSTREAM_URL", Kind: "URL", Unset: "no check for updates",
		Help: "Address of an instance of svc that publishes svc itself as the project svc; the about page of the console asks it for updates.",
		Why:  "Nothing is sent without your consent: the request includes the running version.",
		set:  into(func(s *Settings) *string { return &s.AboutUpstreamURL }, origin),
	},
	{
		Key: "about.docs_url", Variable: "SVC_ABOUT_DOCS_URL", Kind: "URL", Unset: "no link",
		Help: "Address of the documentation that the about page links to.",
		Why:  "You know where your team reads it: on your intranet, or in the repository.",
		set:  into(func(s *Settings) *string { return &s.AboutDocsURL }, webAddress),
	},
	{
		Key: "backup.every", Variable: "SVC_BACKUP_EVERY", Kind: "duration", Unset: "no scheduled backups",
		Help: "Interval between scheduled backups, such as 24h or 7d; at least 1m, 0 means never.",
		Why:  "You decide where backups go; a backup on the same disk does not survive the loss of the disk.",
		set:  into(func(s *Settings) *time.Duration { return &s.BackupEvery }, interval(time.Minute)),
	},
	{
		Key: "backup.keep", Variable: "SVC_BACKUP_KEEP", Kind: "integer", Default: "7",
		Help: "Number of scheduled backups to keep in backup.dir; older ones are deleted.",
		Why:  "A week of daily backups: damage is often noticed late.",
		set:  into(func(s *Settings) *int { return &s.BackupKeep }, number(1, 100_000)),
	},
	{
		Key: "backup.dir", Variable: "SVC_BACKUP_DIR", Kind: "directory", Unset: "backups/ in the data directory",
		Help: "Directory of scheduled backups; outside the data directory, create it yourself.",
		Why:  "The data directory always exists; choose a directory on another disk.",
		set:  verbatim(func(s *Settings) *string { return &s.BackupDir }),
	},
	{
		Key: "backup.recipient", Variable: "SVC_BACKUP_RECIPIENT", Kind: "list", Unset: "not encrypted",
		Help: "Comma-separated age public keys (age1…) to encrypt scheduled backups for.",
		Why:  "A backup that leaves the machine should be useless to anyone who finds it.",
		set:  into(func(s *Settings) *[]string { return &s.BackupRecipient }, recipients),
	},
	{
		Key: "replicate.to", Variable: "SVC_REPLICATE_TO", Kind: "URL", Unset: "no replication",
		Help: "Target that all changes are copied to, from which another machine can take over: s3://BUCKET/PREFIX?endpoint=URL&region=NAME, " +
			"webdav+https://HOST/PATH, file:///PATH or svc://HOST:PORT.",
		Why: "A copy elsewhere needs a place and an account that only you have.",
		set: into(func(s *Settings) *string { return &s.ReplicateTo }, trimmed),
	},
	{
		Key: "replicate.user", Variable: "SVC_REPLICATE_USER", Kind: "text", Unset: "none", Secret: true,
		Help: "Access key of the S3 bucket, or user of the WebDAV server, of replicate.to.",
		Why:  "Credentials do not belong in an address, which is shown and logged.",
		set:  verbatim(func(s *Settings) *string { return &s.ReplicateUser }),
	},
	{
		Key: "replicate.password", Variable: "SVC_REPLICATE_PASSWORD", Kind: "text", Unset: "none", Secret: true,
		Help: "Secret key of the S3 bucket, password of the WebDAV server, or token of the standby, of replicate.to.",
		Why:  "It belongs to replicate.user.",
		set:  verbatim(func(s *Settings) *string { return &s.ReplicatePassword }),
	},
	{
		Key: "replicate.mode", Variable: "SVC_REPLICATE_MODE", Kind: "mode", Default: "async",
		Help: "When a write is acknowledged: async as soon as it is stored here, sync only after it is stored at the target.",
		Why:  "With async, no request ever waits for the target; sync loses nothing when this machine is lost.",
		set:  into(func(s *Settings) *string { return &s.ReplicateMode }, choice("async", "sync")),
	},
	{
		Key: "replicate.every", Variable: "SVC_REPLICATE_EVERY", Kind: "duration", Default: "1s",
		Help: "Interval at which changes are sent to the target in the mode async, from 100ms to 1h.",
		Why:  "A second is little to lose, and costs about 14 USD of requests to S3 in a busy month.",
		set:  into(func(s *Settings) *time.Duration { return &s.ReplicateEvery }, between(100*time.Millisecond, time.Hour, "1s")),
	},
	{
		Key: "replicate.sync_timeout", Variable: "SVC_REPLICATE_SYNC_TIMEOUT", Kind: "duration", Default: "10s",
		Help: "How long a write waits for the target in the mode sync before it is answered with 503, from 1s to 10m.",
		Why:  "Longer than a slow upload, shorter than the timeouts of clients.",
		set:  into(func(s *Settings) *time.Duration { return &s.ReplicateSyncTimeout }, between(time.Second, 10*time.Minute, "10s")),
	},
	{
		Key: "replicate.snapshot_every", Variable: "SVC_REPLICATE_SNAPSHOT_EVERY", Kind: "duration", Default: "24h",
		Help: "Interval between complete copies at the target, from 1m to 30d; none is made if nothing has changed.",
		Why:  "A restore reads a complete copy and the changes since then; a day of changes is quickly applied.",
		set:  into(func(s *Settings) *time.Duration { return &s.ReplicateSnapshotEvery }, between(time.Minute, 30*day, "24h or 7d")),
	},
	{
		Key: "replicate.retain", Variable: "SVC_REPLICATE_RETAIN", Kind: "duration", Default: "7d",
		Help: "How far back a restore from the target can go, from 0s to 3650d; at least one complete copy is always kept.",
		Why:  "A week of states: damage is often noticed late.",
		set:  into(func(s *Settings) *time.Duration { return &s.ReplicateRetain }, between(0, 3650*day, "24h or 7d")),
	},
	{
		Key: "replicate.recipient", Variable: "SVC_REPLICATE_RECIPIENT", Kind: "list", Unset: "not encrypted",
		Help: "Comma-separated age public keys (age1…) to encrypt the copy at the target for.",
		Why:  "A standby, a restore and a verification then need the identity; without it the copy is lost.",
		set:  into(func(s *Settings) *[]string { return &s.ReplicateRecipient }, recipients),
	},
	{
		Key: "replicate.spool_max", Variable: "SVC_REPLICATE_SPOOL_MAX", Kind: "size", Default: "1g",
		Help: "Maximum disk space for changes that wait for the target: at least 16m; beyond it they are dropped, and a complete copy is sent " +
			"later.",
		Why: "About 12 million events: hours of a target that does not answer.",
		set: into(func(s *Settings) *int64 { return &s.ReplicateSpoolMax }, atLeast(16<<20, "16m")),
	},
	{
		Key: "replicate.lease", Variable: "SVC_REPLICATE_LEASE", Kind: "duration", Default: "0s",
		Help: "How long the server accepts writes without having read from the target that it is still the primary: 0s means forever, " +
			"otherwise from 10s to 10m.",
		Why: "A target that is down should not stop the server.",
		set: into(func(s *Settings) *time.Duration { return &s.ReplicateLease }, zeroOr(between(10*time.Second, 10*time.Minute, "30s"))),
	},
	{
		Key: "replicate.files", Variable: "SVC_REPLICATE_FILES", Kind: "boolean", Default: "true",
		Help: "Whether the contents of local files are copied to the target, too: true or false.",
		Why:  "Without them, a standby cannot serve downloads; switch it off if they are copied in another way.",
		set:  into(func(s *Settings) *bool { return &s.ReplicateFiles }, boolean),
	},
	{
		Key: "smtp.url", Variable: "SVC_SMTP_URL", Kind: "URL", Unset: "no notifications by e-mail", Secret: true,
		Help: "Mail server for notifications by e-mail, such as smtp://user:password@mail.example.com:587, with STARTTLS, or smtps://…:465. " +
			"?starttls=off is for a server on this machine or in a private network.",
		Why: "A message needs an account on a mail server, which only you have.",
		set: into(func(s *Settings) **url.URL { return &s.SMTPURL }, mailServer),
	},
	{
		Key: "smtp.from", Variable: "SVC_SMTP_FROM", Kind: "e-mail", Unset: "no notifications by e-mail",
		Help: "Sender of notifications by e-mail, such as svc@example.com.",
		Why:  "Mail servers refuse senders that do not belong to the account in smtp.url.",
		set:  into(func(s *Settings) *string { return &s.SMTPFrom }, email),
	},
	{
		Key: "log.level", Variable: "SVC_LOG_LEVEL", Kind: "level", Default: "info",
		Help: "Minimum level of log lines: debug, info, warn or error.",
		Why:  "Everything that an operator must know, and a line per request; on a terminal, unless set, only requests that failed.",
		set:  into(func(s *Settings) *slog.Level { return &s.LogLevel }, level),
	},
	{
		Key: "log.format", Variable: "SVC_LOG_FORMAT", Kind: "format", Default: "auto",
		Help: "Log format: text, json or auto.",
		Why:  "auto is text on a terminal and JSON everywhere else.",
		set:  into(func(s *Settings) *string { return &s.LogFormat }, choice("auto", "text", "json")),
	},
	{
		Key: "metrics.listen", Variable: "SVC_METRICS_LISTEN", Kind: "address", Unset: "the control socket only",
		Help: "Address and port that serve only /metrics, for Prometheus.",
		Why:  "Metrics need no password, so they are never served on the public address.",
		set:  into(func(s *Settings) *string { return &s.MetricsListen }, hostPort),
	},
	{
		Key: "shutdown_delay", Variable: "SVC_SHUTDOWN_DELAY", Kind: "duration", Default: "0s",
		Help: "How long a shutdown keeps serving while /readyz returns 503, from 0s to 1h.",
		Why:  "Behind a load balancer, the time it needs to notice.",
		set:  into(func(s *Settings) *time.Duration { return &s.ShutdownDelay }, limitedDuration),
	},
	{
		Key: "shutdown_timeout", Variable: "SVC_SHUTDOWN_TIMEOUT", Kind: "duration", Default: "10s",
		Help: "How long a shutdown waits for requests in progress, from 0s to 1h.",
		Why:  "Longer than any normal request, shorter than service managers wait.",
		set:  into(func(s *Settings) *time.Duration { return &s.ShutdownTimeout }, limitedDuration),
	},
}
