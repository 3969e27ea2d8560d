package doctor

// Facts contains the facts that a server reports in the response to GET /control/doctor.
// If no server is running, the same facts are read from the data.
type Facts struct {
	Keys Keys `json:"keys"`
	// LastID is the time of the last ID that was issued, in Unix milliseconds. It is 0 if no ID has
	// been issued yet.
	LastID     int64      `json:"last_id_ms"`
	Index      Index      `json:"index"`
	Forwarding Forwarding `json:"forwarding"`
	// BackupFolder is the reason why scheduled backups cannot be written to their folder. It is ""
	// if they can be written.
	BackupFolder string `json:"backup_folder"`
	// FailedJobs lists the scheduled jobs that failed in their last run.
	FailedJobs []FailedJob `json:"failed_jobs"`
	// Files is the number of files in all projects.
	Files int64 `json:"files"`
	// Damaged lists the databases in which the server has encountered damage since its start.
	Damaged []DamagedDatabase `json:"damaged"`
	// UnpublishedTerms lists the slugs of the terms documents that still have placeholders.
	UnpublishedTerms []string `json:"unpublished_terms"`
	// Submissions contains the sizes of feedback and logs for each project that has feedback
	// or logs.
	Submissions []Submissions `json:"submissions"`
	// EventNames contains the number of event names for each project that has events. Only a
	// running server fills it.
	EventNames []EventNames `json:"event_names"`
	// Hooks contains all hooks. It is nil if the server is older than hooks.
	Hooks []Hook `json:"hooks"`
	// Replication is nil if the server has no replication, or if no server is running.
	Replication *Replication `json:"replication"`
}

// Replication describes the replica of a running server.
type Replication struct {
	Primary      bool    `json:"primary"`       // false on a standby
	Contacted    bool    `json:"contacted"`     // the target has answered
	FailingSince int64   `json:"failing_since"` // Unix seconds; 0 if the last request to the target has succeeded
	Failure      string  `json:"failure"`
	LagSeconds   float64 `json:"lag_seconds"`
	Fenced       bool    `json:"fenced"`      // another server has become the primary
	CreateOnly   bool    `json:"create_only"` // the target can refuse to replace an object
	// ClockAhead is how far the clock of the target is ahead, in seconds. It is 0 if that is not known.
	ClockAhead float64 `json:"clock_ahead_seconds"`
}

// Hook describes whether a hook works.
type Hook struct {
	Project string `json:"project_key"` // "" = the instance
	ID      string `json:"id"`
	Name    string `json:"name"`
	Email   bool   `json:"email"`
	Enabled bool   `json:"enabled"`
	// Disabled is the reason for which the server has disabled the hook: gone, failing or "".
	Disabled string `json:"disabled_reason"`
	// Failing is the time of the first failure since the last success, in Unix seconds. It is 0 if
	// the last attempt has succeeded.
	Failing int64 `json:"failing_since"`
	// Tells reports whether the hook notifies people of a failed backup and a full disk.
	Tells bool `json:"tells_of_instance"`
}

// EventNames is the number of event names of a project.
type EventNames struct {
	Project string `json:"project_key"`
	Names   int    `json:"names"`
}

// Submissions contains the sizes of the feedback and the logs of a project, in bytes.
type Submissions struct {
	Project  string `json:"project_key"`
	Feedback int64  `json:"feedback_bytes"`
	Logs     int64  `json:"log_bytes"`
	// LogRetention is the number of days for which the project keeps its logs. It is 0 if the
	// project has no such setting.
	LogRetention int `json:"log_retention_days"`
}

// DamagedDatabase is a database in which a server has found damage.
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
	// Other is the number of these keys that were created with another salt, so that they
	// cannot be used.
	Other int `json:"other_salt"`
}

// Index describes how many changes the search index of a running server has processed.
type Index struct {
	Answers bool   `json:"answers"` // searches use the index; false while it is being built
	Seen    uint64 `json:"seen"`    // sequence number of the last change that was indexed
	Last    uint64 `json:"last"`    // sequence number of the last change in the database
}

// Forwarding describes the forwarding headers of the requests that the server has
// received since its start.
type Forwarding struct {
	// Count is the number of trusted proxies, and Headers names the headers with the address of the
	// client. Both come from the settings of the server.
	Count   int      `json:"trusted_proxy_count"`
	Headers []string `json:"client_ip_header"`
	// Last contains the headers of the last request with a forwarding header, and Ignored
	// those of the last request in which such headers were ignored. Each is nil if there was
	// no such request.
	Last    *Chain `json:"last"`
	Ignored *Chain `json:"ignored"`
	// Gateway is the address of the container's gateway if requests have come from it, and
	// "" otherwise.
	Gateway string `json:"container_gateway"`
}

// Chain contains the forwarding headers of one request.
type Chain struct {
	At      int64    `json:"at"`      // Unix seconds
	Peer    string   `json:"peer"`    // address of the connection
	Headers []string `json:"headers"` // as received, shortened
	Client  string   `json:"client"`  // address that the server regards as the client's
}
