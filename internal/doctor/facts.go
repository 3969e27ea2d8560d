package doctor

// Facts are what the handler that works on the data knows of it. It is the
// answer of GET /control/doctor.
type Facts struct {
	Keys Keys `json:"keys"`
	// LastID is the time in the last id that was given, in Unix milliseconds; 0
	// before the first.
	LastID     int64      `json:"last_id_ms"`
	Index      Index      `json:"index"`
	Forwarding Forwarding `json:"forwarding"`
	// BackupFolder is what keeps scheduled backups from their folder; "" when nothing
	// does.
	BackupFolder string `json:"backup_folder"`
	// FailedJobs are the scheduled jobs whose last run failed.
	FailedJobs []FailedJob `json:"failed_jobs"`
	// Files is the number of files of all projects.
	Files int64 `json:"files"`
	// Damaged are the databases in which a server has met damage since its start.
	Damaged []DamagedDatabase `json:"damaged"`
	// UnpublishedTerms lists the slugs of the terms documents that still have placeholders.
	UnpublishedTerms []string `json:"unpublished_terms"`
	// Submissions are the sizes of what apps have sent, of each project that has any.
	Submissions []Submissions `json:"submissions"`
	// EventNames are the numbers of event names, of each project that has any; only a server
	// knows them.
	EventNames []EventNames `json:"event_names"`
}

// EventNames is the number of event names of a project.
type EventNames struct {
	Project string `json:"project_key"`
	Names   int    `json:"names"`
}

// Submissions are the sizes of the feedback and the logs of a project, in bytes.
type Submissions struct {
	Project  string `json:"project_key"`
	Feedback int64  `json:"feedback_bytes"`
	Logs     int64  `json:"log_bytes"`
	// LogRetention is for how many days the project keeps its logs, 0 if it says nothing.
	LogRetention int `json:"log_retention_days"`
}

// DamagedDatabase is a database in which a server has met damage.
type DamagedDatabase struct {
	Name  string `json:"name"`
	Error string `json:"error"`
}

// FailedJob is a scheduled job whose last run failed.
type FailedJob struct {
	Name  string `json:"name"`
	Error string `json:"error"`
}

// Keys counts the API keys that are neither revoked nor expired.
type Keys struct {
	Active int `json:"active"`
	// Other are those of them that were made with another salt.
	Other int `json:"other_salt"`
}

// Index says how far the search index of a running server is.
type Index struct {
	Answers bool   `json:"answers"` // false while it is being built
	Seen    uint64 `json:"seen"`    // the last change in it
	Last    uint64 `json:"last"`    // the last change there is
}

// Forwarding is what the headers of requests tell of their proxies, since the
// server was started.
type Forwarding struct {
	// Count and Headers are the settings of the server.
	Count   int      `json:"trusted_proxy_count"`
	Headers []string `json:"client_ip_header"`
	// Last is the last request with a forwarding header, Ignored the last one
	// whose headers did not count; nil when there was none.
	Last    *Chain `json:"last"`
	Ignored *Chain `json:"ignored"`
	// Gateway is the gateway of the container when requests came from it, else
	// "".
	Gateway string `json:"container_gateway"`
}

// Chain is the forwarding headers of one request.
type Chain struct {
	At      int64    `json:"at"`      // Unix seconds
	Peer    string   `json:"peer"`    // who connected
	Headers []string `json:"headers"` // as they came, shortened
	Client  string   `json:"client"`  // who the server took for the caller
}
