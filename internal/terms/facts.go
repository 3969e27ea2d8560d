package terms

// facts contains the figures in the texts. The sources of the texts refer to a figure as
// [[name]], so that all languages have the same figure. TestFacts checks each figure on a
// running server, or compares it with the default of a setting. Figures about the client
// libraries are checked by the tests of each library.
var facts = map[string]string{
	// Requests to the server.
	"public_rate_limit":    "300",  // requests per minute, from one address to one endpoint
	"dedup_window_seconds": "60",   // time within which equal feedback and logs are stored only once
	"public_body_mib":      "1",    // size of a request without a credential
	"subject_rate_limit":   "10",   // requests per hour from one address for a user's own events
	"forward_rate_limit":   "3",    // feedback from one address that may become issues ...
	"forward_rate_seconds": "3600", // ... within this time
	"forward_keep_hours":   "24",   // while it is unknown whether the issue was created
	"issue_title_max":      "60",   // characters of feedback in the title of its issue
	"notice_feedback_kib":  "2",    // content of feedback in a notice of a hook
	"notice_keep_days":     "30",   // while the notice is kept

	// Stored data, in characters unless the name has a unit.
	"user_agent_max":       "512",
	"system_version_max":   "32",
	"version_max":          "64",
	"content_max":          "4096", // content of feedback and logs
	"user_id_max":          "64",
	"contact_max":          "128",
	"rating_min":           "1",
	"rating_max":           "5",
	"log_level_min":        "0",
	"log_level_max":        "3",
	"source_max":           "128",
	"event_id_max":         "128", // also the length of distinct_ids and session_ids
	"event_name_max":       "64",
	"event_batch_min":      "1",
	"event_batch_max":      "50",
	"property_levels_max":  "100",
	"clock_skew_seconds":   "60",  // difference of clocks from which the times of events are corrected
	"clock_ahead_seconds":  "300", // maximum time by which an event can be in the future
	"clock_behind_days":    "7",   // maximum time by which an event can be in the past
	"ipv4_bits":            "8",   // number of trailing bits that are set to zero in the addresses of events
	"ipv6_bits":            "80",
	"search_max":           "128",
	"event_retention_days": "90",
	"stats_retention_days": "365",
	"retention_min_days":   "1", // the minimum that a project can choose
	"retention_max_days":   "365",

	// Client libraries.
	"client_timeout_seconds":      "15",
	"client_retries":              "3",
	"client_retry_first_ms":       "300",
	"client_retry_last_seconds":   "5",
	"client_retry_jitter_percent": "25",
	"client_retry_after_seconds":  "30", // longer waits are not carried out
	"client_response_mib":         "32",
	"client_redirects":            "3",
	"client_header_max":           "32", // characters of a header with the platform
	"client_batch":                "20",
	"client_batch_max":            "50",
	"client_batch_kib":            "64",
	"client_flush_seconds":        "5",
	"client_queue":                "500",
	"client_properties_kib":       "16",
	"client_session_minutes":      "30",
	"client_backoff_seconds":      "60",
	"client_backoff_after_hours":  "1",
	"client_hold_seconds":         "60",
	"client_hold_tries":           "3",
	"client_unload_bytes":         "60000",
	"client_close_seconds":        "2",
}
