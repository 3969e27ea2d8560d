package doctor

// checks lists all checks, the most urgent ones first. The first ones check whether the
// server can be used at all, the next ones whether it will continue to work, and the last
// ones check the access to it.
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
	{"replication", "replication", checkReplication},
	{"jobs", "scheduled jobs", checkJobs},
	{"hooks", "notifications", checkHooks},
	{"certificates", "TLS certificates", checkCertificates},
	{"proxy", "proxies", checkProxy},
	{"links", "links of files", checkLinks},
	{"terms", "terms documents", checkTerms},
	{"submissions", "feedback and logs", checkSubmissions},
	{"event_names", "event names", checkEventNames},
	{"bootstrap", "first password", checkBootstrap},
	{"memory", "memory limit", checkMemory},
	{"handles", "open files", checkHandles},
}
