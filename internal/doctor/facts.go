package doctor

// Facts are collected by the handler that works on the data. They are the response body of GET
// /control/doctor.
type Facts struct {
	Keys Keys `json:"keys"`
	// LastID is the time of the last ID that was issued, in Unix milliseconds; 0 before the first
	// one.
	LastID     int64      `json:"last_id_ms"`
	Index      Index      `json:"index"`
	Forwarding Forwarding `json:"forwarding"`
	// BackupFolder is the reason why scheduled backups cannot be written to their folder; "" if
	// they can.
	BackupFolder string `json:"backup_folder"`
	// FailedJobs are the scheduled jobs that failed in their last run.
	FailedJobs []FailedJob `json:"failed_jobs"`
	// Files is the number of files in all projects.
	Files int64 `json:"files"`
	// Damaged lists the databases in which the server has encountered damage since its start.
	Damaged []DamagedDatabase `json:"damaged"`
	// UnpublishedTerms lists the slugs of the terms documents that still have placeholders.
	UnpublishedTerms []string `json:"unpublished_terms"`
	// Submissions are the sizes of feedback and logs for each project that has any.
	Submissions []Submissions `json:"submissions"`
	// EventNames are the numbers of event names for each project that has any. Only a running
	// server knows them.
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
	// LogRetention is the number of days for which the project keeps its logs; 0 if it has no
	// setting of its own.
	LogRetention int `json:"log_retention_days"`
}

// DamagedDatabase is a database in which a server has encountered damage.
type DamagedDatabase struct {
	Name  string `json:"name"`
	Error string `json:"error"`
}

// FailedJob is a scheduled job that failed in its last run.
type FailedJob struct {
	Name  string `json:"name"`
	Error string `json:"error"`
}

// Keys counts the API keys that are neither revoked nor expired.
type Keys struct {
	Active int `json:"active"`
	// Other is the number of those keys that were made with another salt.
	Other int `json:"other_salt"`
}

// Index is the progress of a running server's search index.
type Index struct {
	Answers bool   `json:"answers"` // false while it is being built
	Seen    uint64 `json:"seen"`    // the last change that was indexed
	Last    uint64 `json:"last"`    // the last change in the database
}

// Forwarding describes the forwarding headers of requests since the server was started.
type Forwarding struct {
	// Count and Headers are the settings of the server.
	Count   int      `json:"trusted_proxy_count"`
	Headers []string `json:"client_ip_header"`
	// Last is the last request with a forwarding header. Ignored is the last one with ignored
	// headers. Each is nil if there was none.
	Last    *Chain `json:"last"`
	Ignored *Chain `json:"ignored"`
	// Gateway is the gateway of the container if requests came from it; otherwise "".
	Gateway string `json:"container_gateway"`
}

// Chain holds the forwarding headers of one request.
type Chain struct {
	At      int64    `json:"at"`      // Unix seconds
	Peer    string   `json:"peer"`    // address of the connection
	Headers []string `json:"headers"` // as received, shortened
	Client  string   `json:"client"`  // address that the server took for the client's
}
