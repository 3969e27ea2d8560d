package apitest

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"
)

// Journal collects the log lines of a server.
type Journal struct {
	mu   sync.Mutex
	text bytes.Buffer  // guarded by mu, like the fields below
	more chan struct{} // closed by the next line; nil if no reader waits
}

// Write appends a line.
func (j *Journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.more != nil {
		close(j.more)
		j.more = nil
	}
	return j.text.Write(b)
}

// grows returns a channel that is closed when the next line is written.
func (j *Journal) grows() <-chan struct{} {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.more == nil {
		j.more = make(chan struct{})
	}
	return j.more
}

// String returns all lines.
func (j *Journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// Lines returns the decoded log entries that have the given message.
func (j *Journal) Lines(t *testing.T, message string) (lines []map[string]any) {
	t.Helper()
	for line := range strings.Lines(j.String()) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatalf("%v in the line %s", err, line)
		}
		if fields["msg"] == message {
			lines = append(lines, fields)
		}
	}
	return lines
}

// Take waits for the access log line in which a field has the given value, and returns that line.
// The server writes the line after it has sent the response.
func (j *Journal) Take(t *testing.T, field string, value any) map[string]any {
	t.Helper()
	for late := time.After(20 * time.Second); ; {
		more := j.grows()
		for _, line := range j.Lines(t, "request") {
			if line[field] == value {
				return line
			}
		}
		select {
		case <-more:
		case <-late:
			t.Fatalf("no line for a request with %s %v:\n%s", field, value, j)
		}
	}
}
