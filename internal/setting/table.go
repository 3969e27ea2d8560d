package setting

import (
	"io/fs"
	"slices"
	"time"
)

// DefaultListen is the address without any configuration: this machine only.
const DefaultListen = "127.0.0.1:4000"

// Definitions are all settings in the order in which people meet them.
func Definitions() []Definition { return slices.Clone(definitions) }

var definitions = []Definition{
	{
		Key: "data", Variable: "SVC_DATA", Kind: "folder", Default: "./data", NotInFile: true,
		Help: "Folder of everything the server keeps.",
		Why:  "One folder beside the program is found again; services name their own.",
		set:  text(func(s *Settings) *string { return &s.Data }),
	},
	{
		Key: "config", Variable: "SVC_CONFIG", Kind: "file", Unset: "config.toml in the data directory", NotInFile: true,
		Help: "Configuration file.",
		Why:  "A file that is named must exist; the one in the data directory may be absent.",
		set:  text(func(s *Settings) *string { return &s.Config }),
	},
	{
		Key: "listen", Variable: "SVC_LISTEN", Kind: "address", Default: DefaultListen,
		Help: "Address and port to answer on; an empty host means all addresses, port 0 any free port. Or unix: and the path of a socket. With domain the default is :443.",
		Why:  "This machine only, until a reverse proxy or you open it to others.",
		set:  address(func(s *Settings) *string { return &s.Listen }),
	},
	{
		Key: "listen_mode", Variable: "SVC_LISTEN_MODE", Kind: "mode", Default: "0660",
		Help: "Permissions of the socket when listen is one, in octal digits.",
		Why:  "A reverse proxy in the group of the socket can use it, others cannot.",
		set:  fileMode(func(s *Settings) *fs.FileMode { return &s.ListenMode }),
	},
	{
		Key: "port", Variable: "PORT", Kind: "integer", Unset: "the port of listen",
		Help: "Port only, in place of the one in the default address; listen wins over it.",
		Why:  "For platforms that hand out a port and set PORT.",
		set:  number(0, 65535, func(s *Settings) *int { return &s.port }),
	},
	{
		Key: "tls.cert", Variable: "SVC_TLS_CERT", Kind: "file", Unset: "plain HTTP",
		Help: "Certificate for HTTPS with its chain, in PEM; it is read again when the file changes.",
		Why:  "Most have a reverse proxy that does this.",
		set:  text(func(s *Settings) *string { return &s.TLSCert }),
	},
	{
		Key: "tls.key", Variable: "SVC_TLS_KEY", Kind: "file", Unset: "plain HTTP",
		Help: "Key of that certificate, in PEM.",
		Why:  "It goes with the certificate.",
		set:  text(func(s *Settings) *string { return &s.TLSKey }),
	},
	{
		Key: "domain", Variable: "SVC_DOMAIN", Kind: "list", Unset: "no automatic certificates",
		Help: "Comma list of host names to answer for over HTTPS, with certificates that are fetched and renewed automatically.",
		Why:  "It needs ports 443 and 80, a public name, and your consent to the terms of the authority.",
		set:  domains(func(s *Settings) *[]string { return &s.Domain }),
	},
	{
		Key: "redirect.listen", Variable: "SVC_REDIRECT_LISTEN", Kind: "address", Default: ":80",
		Help: "With domain: where plain HTTP is sent on to HTTPS and the authority makes its checks; off for nowhere.",
		Why:  "People type names without https, and the authority asks at port 80.",
		set:  redirectAddress(func(s *Settings) *string { return &s.RedirectListen }),
	},
	{
		Key: "acme.email", Variable: "SVC_ACME_EMAIL", Kind: "e-mail", Unset: "none",
		Help: "With domain: the e-mail address that the authority may write to.",
		Why:  "It is not needed, and renewals need no letters.",
		set:  email(func(s *Settings) *string { return &s.ACMEEmail }),
	},
	{
		Key: "acme.ca", Variable: "SVC_ACME_CA", Kind: "URL", Unset: "Let's Encrypt",
		Help: "With domain: the directory of another certificate authority that speaks ACME, as an https URL.",
		Why:  "Every browser knows Let's Encrypt, and it costs nothing.",
		set:  directoryURL(func(s *Settings) *string { return &s.ACMECA }),
	},
	{
		Key: "jwt_secret", Variable: "JWT_SECRET", Kind: "secret", Unset: "generated at the first start, in secrets.toml", Secret: true, Offline: true,
		Help: "Signs the sessions of the administrator, at least 32 bytes; the keys that seal stored secrets come from it.",
		Why:  "A generated one is as good as any; set it when a secret store keeps it for you.",
		set:  secret(32, func(s *Settings) *string { return &s.JWTSecret }),
	},
	{
		Key: "jwt_expires_in", Variable: "JWT_EXPIRES_IN", Kind: "duration", Default: "2h",
		Help: "Life of a session: seconds, or a number with s, m, h or d; what cannot be read means 2h.",
		Why:  "Long enough for an afternoon's work, short enough for a forgotten laptop.",
		set:  text(func(s *Settings) *string { return &s.JWTExpiresIn }),
	},
	{
		Key: "api_key_salt", Variable: "API_KEY_SALT", Kind: "secret", Unset: "generated at the first start, in secrets.toml", Secret: true, Offline: true,
		Help: "Salt of the stored API keys; another one makes all of them invalid.",
		Why:  "A generated one is as good as any; set it when the data directory must not hold it.",
		set:  secret(1, func(s *Settings) *string { return &s.APIKeySalt }),
	},
	{
		Key: "admin_password", Variable: "ADMIN_PASSWORD", Kind: "secret", Unset: "generated at the first start", Secret: true,
		Help: "Password of the administrator made at the first start, 6 to 128 characters; later starts ignore it.",
		Why:  "A generated password is never a known one; set it when nobody can read the terminal.",
		set:  trimmed(func(s *Settings) *string { return &s.AdminPassword }),
	},
	{
		Key: "bootstrap_secret_dir", Variable: "BOOTSTRAP_SECRET_DIR", Kind: "folder", Unset: "the data directory", Offline: true,
		Help: "Folder of svc.bootstrap-admin.txt, which holds a generated password until the first login.",
		Why:  "Only its owner can read the data directory.",
		set:  text(func(s *Settings) *string { return &s.BootstrapSecretDir }),
	},
	{
		Key: "public_rate_limit", Variable: "SVC_PUBLIC_RATE_LIMIT", Kind: "integer", Default: "300",
		Help: "Public requests per minute, client address and endpoint; 0 means no limit.",
		Why:  "Far above what one household needs, far below what hurts.",
		set:  number(0, maxCount, func(s *Settings) *int { return &s.PublicRateLimit }),
	},
	{
		Key: "dedup_window_seconds", Variable: "SVC_DEDUP_WINDOW_SECONDS", Kind: "integer", Default: "60",
		Help: "Seconds in which the same feedback or log from the same address is one record; 0 switches that off.",
		Why:  "A client that repeats a request after a lost answer does not want two records.",
		set:  number(-maxCount, maxCount, func(s *Settings) *int { return &s.DedupWindowSeconds }),
	},
	{
		Key: "trusted_proxy_count", Variable: "SVC_TRUSTED_PROXY_COUNT", Kind: "integer", Default: "1",
		Help: "Trusted reverse proxies in front; 0 ignores all forwarding headers.",
		Why:  "One proxy is the usual case; headers count only when the peer is on a private network.",
		set:  number(0, maxCount, func(s *Settings) *int { return &s.TrustedProxyCount }),
	},
	{
		Key: "client_ip_header", Variable: "SVC_CLIENT_IP_HEADER", Kind: "list", Unset: "the usual forwarding headers",
		Help: "Comma list of header names; only these carry the address of the client.",
		Why:  "For a proxy that sends its own header; the usual ones are known.",
		set:  headers(func(s *Settings) *[]string { return &s.ClientIPHeader }),
	},
	{
		Key: "geo.enabled", Variable: "SVC_GEO_ENABLED", Kind: "boolean", Default: "true",
		Help: "Whether the addresses of clients are turned into countries and places: true or false.",
		Why:  "It happens in this program alone; no address is ever sent anywhere.",
		set:  boolean(func(s *Settings) *bool { return &s.GeoEnabled }),
	},
	{
		Key: "geo.database", Variable: "SVC_GEO_DATABASE", Kind: "file", Unset: "the table of countries in the program",
		Help: "Database of cities or countries in MaxMind's format (.mmdb); it is read again when the file changes.",
		Why:  "Countries are enough for most; regions and cities need a database that you fetch yourself.",
		set:  text(func(s *Settings) *string { return &s.GeoDatabase }),
	},
	{
		Key: "event.ip_storage", Variable: "SVC_EVENT_IP_STORAGE", Kind: "storage", Default: "anonymized",
		Help: "What is kept of the address an event came from: anonymized, full or none.",
		Why:  "Without its last part an address still says which network, and no longer which person.",
		set:  choice(func(s *Settings) *string { return &s.EventIPStorage }, "anonymized", "full", "none"),
	},
	{
		Key: "event.clock_skew_seconds", Variable: "SVC_EVENT_CLOCK_SKEW_SECONDS", Kind: "integer", Default: "604800",
		Help: "How many seconds old an event may say it is; the time of an older one is when it arrived.",
		Why:  "An app that was offline for a week still tells when things happened; a wrong clock does not.",
		set:  number(1, maxCount, func(s *Settings) *int { return &s.EventClockSkew }),
	},
	{
		Key: "event.batch_max", Variable: "SVC_EVENT_BATCH_MAX", Kind: "integer", Default: "50",
		Help: "Events that one request may bring.",
		Why:  "Clients send at 20; the rest is for those that were offline.",
		set:  number(1, maxCount, func(s *Settings) *int { return &s.EventBatchMax }),
	},
	{
		Key: "backup.every", Variable: "SVC_BACKUP_EVERY", Kind: "duration", Unset: "no backups are made",
		Help: "How often the server backs itself up, such as 24h or 7d; at least 1m, 0 is never.",
		Why:  "Where backups should go is yours to say; one on the same disk is only half of one.",
		set:  interval(time.Minute, func(s *Settings) *time.Duration { return &s.BackupEvery }),
	},
	{
		Key: "backup.keep", Variable: "SVC_BACKUP_KEEP", Kind: "integer", Default: "7",
		Help: "How many of its own backups the server keeps in backup.dir; older ones are removed.",
		Why:  "A week of daily ones: damage is often noticed late.",
		set:  number(1, 100_000, func(s *Settings) *int { return &s.BackupKeep }),
	},
	{
		Key: "backup.dir", Variable: "SVC_BACKUP_DIR", Kind: "folder", Unset: "backups/ in the data directory",
		Help: "Folder of these backups; the folder that it is in must exist.",
		Why:  "The data directory is there for certain; name one on another disk.",
		set:  text(func(s *Settings) *string { return &s.BackupDir }),
	},
	{
		Key: "backup.recipient", Variable: "SVC_BACKUP_RECIPIENT", Kind: "list", Unset: "backups are not encrypted",
		Help: "Comma list of public keys of age (age1…) that these backups are encrypted for.",
		Why:  "A backup that leaves the machine should be useless to whoever finds it.",
		set:  recipients(func(s *Settings) *[]string { return &s.BackupRecipient }),
	},
	{
		Key: "log.level", Variable: "SVC_LOG_LEVEL", Kind: "level", Default: "info",
		Help: "Least important line that is logged: debug, info, warn or error.",
		Why:  "One line a request, and what a person must know.",
		set:  level(),
	},
	{
		Key: "log.format", Variable: "SVC_LOG_FORMAT", Kind: "format", Default: "auto",
		Help: "Form of the log: text, json, or auto.",
		Why:  "auto is text on a terminal for people and JSON everywhere else for programs.",
		set:  choice(func(s *Settings) *string { return &s.LogFormat }, "auto", "text", "json"),
	},
	{
		Key: "metrics.listen", Variable: "SVC_METRICS_LISTEN", Kind: "address", Unset: "the control socket only",
		Help: "Address and port for /metrics alone, for Prometheus.",
		Why:  "Metrics ask for no password, so they are never on the address that clients use.",
		set:  hostPort(func(s *Settings) *string { return &s.MetricsListen }),
	},
	{
		Key: "shutdown_delay", Variable: "SVC_SHUTDOWN_DELAY", Kind: "duration", Default: "0s",
		Help: "How long a stop goes on answering while /readyz says 503, from 0s to 1h.",
		Why:  "Behind a load balancer, as long as it takes to notice; at home nobody looks.",
		set:  limitedDuration(func(s *Settings) *time.Duration { return &s.ShutdownDelay }),
	},
	{
		Key: "shutdown_timeout", Variable: "SVC_SHUTDOWN_TIMEOUT", Kind: "duration", Default: "10s",
		Help: "How long a stop waits for requests that are being answered, from 0s to 1h.",
		Why:  "Longer than any ordinary request, shorter than service managers wait.",
		set:  limitedDuration(func(s *Settings) *time.Duration { return &s.ShutdownTimeout }),
	},
}
