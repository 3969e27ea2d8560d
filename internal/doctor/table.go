package doctor

// checks are in the order in which a person would ask: can it be used at all,
// will it last, who gets in.
var checks = []check{
	{"settings", "settings", checkSettings},
	{"server", "server", checkServer},
	{"owner", "owner of the files", checkOwner},
	{"permissions", "permissions", checkPermissions},
	{"secrets", "secrets", checkSecrets},
	{"databases", "databases", checkDatabases},
	{"index", "search index", checkIndex},
	{"keys", "API keys", checkKeys},
	{"space", "free space", checkSpace},
	{"filesystem", "file system", checkFilesystem},
	{"fast_commit", "file system journal", checkFastCommit},
	{"synchroniser", "synchronisers", checkSynchroniser},
	{"clock", "clock", checkClock},
	{"time_zone", "time zone", checkTimeZone},
	{"leftovers", "leftovers", checkLeftovers},
	{"backup", "backups", checkBackup},
	{"jobs", "scheduled jobs", checkJobs},
	{"certificates", "TLS certificates", checkCertificates},
	{"proxy", "proxies", checkProxy},
	{"links", "links of files", checkLinks},
	{"bootstrap", "first password", checkBootstrap},
	{"memory", "memory limit", checkMemory},
	{"handles", "open files", checkHandles},
}
