package terms_test

import (
	"strconv"
	"strings"
	"testing"

	"svc/clients/vectors"
	"svc/internal/terms"
)

// TestFactsOfClients checks that the figures about the client libraries equal the
// defaults that the tests of each library check.
func TestFactsOfClients(t *testing.T) {
	t.Parallel()
	type origin struct {
		name string // name of the default in the section "defaults"
		unit int    // factor by which the figure in the text is multiplied to give the default
	}
	from := map[string]origin{
		"client_timeout_seconds":      {"timeout_seconds", 1},
		"client_retries":              {"retries", 1},
		"client_retry_first_ms":       {"retry_first_ms", 1},
		"client_retry_last_seconds":   {"retry_last_ms", 1000},
		"client_retry_jitter_percent": {"retry_jitter_percent", 1},
		"client_retry_after_seconds":  {"retry_after_seconds", 1},
		"client_response_mib":         {"response_bytes", 1 << 20},
		"client_redirects":            {"redirects", 1},
		"client_header_max":           {"header_characters", 1},
		"client_batch":                {"batch_size", 1},
		"client_batch_max":            {"batch_size_max", 1},
		"client_batch_kib":            {"batch_bytes", 1 << 10},
		"client_flush_seconds":        {"flush_interval_ms", 1000},
		"client_queue":                {"max_queue_size", 1},
		"client_properties_kib":       {"properties_bytes", 1 << 10},
		"client_session_minutes":      {"session_timeout_ms", 60_000},
		"client_backoff_seconds":      {"backoff_ms", 1000},
		"client_backoff_after_hours":  {"backoff_retry_after_ms", 3_600_000},
		"client_hold_seconds":         {"hold_ms", 1000},
		"client_hold_tries":           {"hold_answers", 1},
		"client_unload_bytes":         {"unload_bytes", 1},
		"client_close_seconds":        {"close_timeout_ms", 1000},
	}
	defaults := vectors.Section[map[string]int](t, "defaults")
	for name, figure := range terms.Facts {
		if !strings.HasPrefix(name, "client_") {
			continue
		}
		o, ok := from[name]
		if !ok {
			t.Errorf("%s is of no default of the clients", name)
			continue
		}
		n, err := strconv.Atoi(figure)
		if err != nil {
			t.Fatal(err)
		}
		if defaults[o.name] != n*o.unit {
			t.Errorf("the texts say %s = %d, the clients have %s = %d", name, n, o.name, defaults[o.name])
		}
	}
	for name := range from {
		if terms.Facts[name] == "" {
			t.Errorf("the texts do not name %s", name)
		}
	}
}
