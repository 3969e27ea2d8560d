package setting

import "slices"

// Group is a set of settings that belong to the same subject, for help texts.
type Group struct {
	Title string
	// Items are the keys of the settings, each with a description that fits on a line.
	Items []Item
}

// Item is a setting in a Group.
type Item struct{ Key, Brief string }

// Groups returns all settings by group. The groups that most installations need come
// first.
func Groups() []Group { return slices.Clone(groups) }

var groups = []Group{
	{"Data", []Item{
		{"data", "folder of everything the server stores"},
		{"config", "configuration file"},
		{"storage_dir", "folder of local files, uploads and the cache"},
		{"admin_password", "first password of the administrator"},
		{"bootstrap_secret_dir", "folder of a generated password"},
	}},
	{"Address", []Item{
		{"listen", "host:port or unix:PATH to listen on"},
		{"listen_mode", "permissions of the Unix socket"},
		{"port", "port instead of the one in the default address"},
		{"pages.home", "start page: list, a project key or an address"},
		{"site_url", "public address, such as https://svc.example.com"},
	}},
	{"HTTPS", []Item{
		{"domain", "host names to get certificates for"},
		{"tls.cert", "certificate chain, in PEM"},
		{"tls.key", "private key of the certificate, in PEM"},
		{"redirect.listen", "address that redirects HTTP, or off"},
		{"acme.email", "contact for the certificate authority"},
		{"acme.ca", "another certificate authority"},
	}},
	{"Reverse proxy", []Item{
		{"trusted_proxy_count", "number of trusted proxies in front"},
		{"client_ip_header", "only headers with the client address"},
	}},
	{"Backups", []Item{
		{"backup.every", "interval, such as 24h"},
		{"backup.keep", "number of backups to keep"},
		{"backup.dir", "folder of the backups"},
		{"backup.recipient", "age public keys to encrypt for"},
	}},
	{"Replication", []Item{
		{"replicate.to", "where all changes are copied to"},
		{"replicate.user", "access key or user there"},
		{"replicate.password", "secret key, password or token there"},
		{"replicate.mode", "async, or sync: a write waits for the copy"},
		{"replicate.every", "how often changes are sent"},
		{"replicate.sync_timeout", "how long a write waits with sync"},
		{"replicate.snapshot_every", "interval of complete copies"},
		{"replicate.retain", "how far back a restore can go"},
		{"replicate.recipient", "age public keys to encrypt for"},
		{"replicate.spool_max", "disk space for changes that wait"},
		{"replicate.lease", "refuse writes after this time alone"},
		{"replicate.files", "copy contents of local files, too"},
	}},
	{"Files and downloads", []Item{
		{"dist.base_url", "address of direct links"},
		{"dist.cache_max_size", "size of the cache for remote storage"},
		{"upload_max_mb", "largest file, in MiB"},
		{"cdn.aliyun_url", "API of the CDN aliyun"},
		{"cdn.cloudflare_url", "API of the CDN cloudflare"},
	}},
	{"Sign-in and keys", []Item{
		{"jwt_secret", "signs sessions; at least 32 bytes"},
		{"jwt_expires_in", "lifetime of a session"},
		{"api_key_salt", "salt of the API key hashes"},
	}},
	{"Feedback, logs and events", []Item{
		{"log.retention_days", "days until logs of apps are deleted"},
		{"feedback.retention_days", "days until feedback is deleted"},
		{"dedup_window_seconds", "seconds in which a repeat is stored once"},
		{"event.ip_storage", "stored address: anonymized, full or none"},
		{"event.clock_skew_seconds", "oldest time that an event may have"},
		{"event.batch_max", "events in a request"},
		{"event.max_names", "event names of a project"},
		{"event.max_size_mib", "largest events.db, in MiB"},
		{"health.bucket_seconds", "how often rollouts are checked"},
		{"geo.enabled", "look up countries of addresses"},
		{"geo.database", "city database in MaxMind format"},
	}},
	{"Limits", []Item{
		{"max_connections", "open connections"},
		{"public_rate_limit", "requests per minute and address"},
		{"submission.max_mib", "feedback and logs of a project, in MiB"},
		{"submission_data_max_kib", "extra data of a submission, in KiB"},
		{"public_body_budget_mib", "memory for request bodies, in MiB"},
		{"answer_budget_mib", "memory for large responses, in MiB"},
	}},
	{"Other services", []Item{
		{"smtp.url", "mail server for notifications"},
		{"smtp.from", "sender of these mails"},
		{"codehost.web_base_url", "code host in a browser"},
		{"codehost.api_base_url", "REST API of the code host"},
		{"codehost.forward_rate_limit", "issues from one address in a period"},
		{"codehost.forward_rate_ttl", "that period, in seconds"},
		{"about.upstream_url", "server to ask for updates of svc"},
		{"about.docs_url", "documentation that the console links to"},
	}},
	{"Running", []Item{
		{"log.level", "debug, info, warn or error"},
		{"log.format", "text, json or auto"},
		{"metrics.listen", "address for Prometheus"},
		{"shutdown_delay", "time to serve on after a signal"},
		{"shutdown_timeout", "time for requests in progress"},
	}},
}
