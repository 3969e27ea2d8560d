package today_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"svc/internal/today"
)

// TestBackup checks when a backup is reported as missing.
func TestBackup(t *testing.T) {
	t.Parallel()
	now := time.Unix(400*day, 0)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	const every = 24 * time.Hour
	for _, tc := range []struct {
		name   string
		backup today.Backup
		want   string
	}{
		{"no schedule", today.Backup{Started: ago(900 * time.Hour)}, ""},
		{"a schedule that has just begun", today.Backup{Every: every, Started: ago(59 * time.Minute)}, ""},
		{"a short schedule that has just begun", today.Backup{Every: time.Minute, Started: ago(59 * time.Second)}, ""},
		{"the first backup is being made", today.Backup{Every: every, Started: ago(9 * time.Hour), Running: true}, ""},
		{"no backup yet", today.Backup{Every: every, Started: ago(time.Hour)}, "no_backup 90"},
		{"a late backup", today.Backup{Every: every, Started: ago(900 * time.Hour), Last: ago(48 * time.Hour)}, ""},
		{
			"a missing backup",
			today.Backup{Every: every, Started: ago(900 * time.Hour), Last: ago(49 * time.Hour)},
			fmt.Sprintf("no_backup 90 since=%d", 400*day-49*3600),
		},
		{"a missing backup, just started", today.Backup{Every: every, Started: ago(time.Minute), Last: ago(49 * time.Hour)}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, f := range tc.backup.Findings(now) {
				got = append(got, describe(f))
			}
			if line := strings.Join(got, "; "); line != tc.want {
				t.Errorf("got %q, want %q", line, tc.want)
			}
		})
	}
}

// TestInstance checks that the list contains the most urgent findings of all projects. Of
// equally urgent ones, those of projects that were added earlier come first.
func TestInstance(t *testing.T) {
	t.Parallel()
	var i today.Instance
	if got := i.Findings(); got == nil || len(got) > 0 {
		t.Errorf("an empty instance: got %v, want an empty list", got)
	}
	a, b := "a", "b"
	weights := func(all ...int) (found []today.Finding) {
		for _, w := range all {
			found = append(found, today.Finding{Weight: w})
		}
		return found
	}
	i.Add(&a, weights(100, 30, 20))
	i.Add(nil, weights(90))
	i.Add(&b, weights(100, 100, 30, 20))
	var got []string
	for _, f := range i.Findings() {
		key := "-"
		if f.ProjectKey != nil {
			key = *f.ProjectKey
		}
		got = append(got, fmt.Sprint(key, f.Weight))
	}
	if line, want := strings.Join(got, " "), "a100 b100 b100 -90 a30 b30"; line != want || i.Full() {
		t.Errorf("got %s (full %v), want %s", line, i.Full(), want)
	}
	if i.Add(&b, weights(100, 100, 100)); !i.Full() {
		t.Errorf("six of the most urgent: got %+v, want no room for more", i.Findings())
	}
}
