package doctor

import (
	"os"
	"path/filepath"
	"testing"
)

func TestReplication(t *testing.T) {
	t.Parallel()
	sound := Replication{Primary: true, Contacted: true, CreateOnly: true}
	change := func(change func(*Replication)) *Replication {
		r := sound
		change(&r)
		return &r
	}
	for _, tc := range []struct {
		name   string
		facts  Facts
		status Status
		what   string
	}{
		{"no replication", Facts{}, OK, ""},
		{"sound", Facts{Replication: &sound}, OK, ""},
		{"fenced", Facts{Replication: change(func(r *Replication) { r.Fenced, r.FailingSince = true, 1 })}, Problem, "another server has become the primary"},
		{"unreachable", Facts{Replication: change(func(r *Replication) { r.FailingSince, r.Failure = today.Unix(), "no route" })}, Problem, ": no route"},
		{"a minute behind", Facts{Replication: change(func(r *Replication) { r.LagSeconds = 60 })}, OK, ""},
		{"behind", Facts{Replication: change(func(r *Replication) { r.LagSeconds = 61.5 })}, Warning, "for 61 seconds"},
		{"replaces", Facts{Replication: change(func(r *Replication) { r.CreateOnly = false })}, Warning, "replaces objects that exist"},
		{"not asked yet", Facts{Replication: change(func(r *Replication) { r.CreateOnly, r.Contacted = false, false })}, OK, ""},
		{"standby", Facts{Replication: change(func(r *Replication) { r.CreateOnly, r.Primary = false, false })}, OK, ""},
		{"late standby", Facts{Replication: change(func(r *Replication) { r.LagSeconds, r.Primary = 61, false })}, Warning, "its primary for 61 seconds"},
		{"clock", Facts{Replication: change(func(r *Replication) { r.ClockAhead = -61 })}, Warning, "differs by 61 seconds"},
		{"clocks of two machines", Facts{Replication: change(func(r *Replication) { r.ClockAhead = 59 })}, OK, ""},
		{"verification", Facts{Replication: &sound, FailedJobs: []FailedJob{{verificationJob, "gap"}}}, Problem, "failed: gap"},
		{"another job", Facts{Replication: &sound, FailedJobs: []FailedJob{{"backup", "full"}}}, OK, ""},
	} {
		p := newInstallation(t, nil)
		p.Facts = &tc.facts
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			expect(t, checkReplication(p), tc.status, tc.what)
		})
	}
}

// TestFailedVerificationIsReportedOnce checks that the job of the verification is not reported again
// as one of the jobs.
func TestFailedVerificationIsReportedOnce(t *testing.T) {
	t.Parallel()
	p := newInstallation(t, nil)
	p.Facts = &Facts{Replication: &Replication{Primary: true}, FailedJobs: []FailedJob{{verificationJob, "gap"}, {"backup", "full"}}}
	found := checkJobs(p)
	expect(t, found, Warning, "backup failed: full")
	if len(found) != 1 {
		t.Errorf("got %+v, want one", found)
	}
}

// TestPlaceOfReplicaOfStandby checks that a standby is not asked for the keys of its primary.
func TestPlaceOfReplicaOfStandby(t *testing.T) {
	t.Parallel()
	p := newInstallation(t, nil, "SVC_REPLICATE_TO=s3://bucket/svc")
	p.Facts = &Facts{Replication: &Replication{}}
	expect(t, checkReplication(p), OK, "")
	p.Facts.Replication.Primary = true
	expect(t, checkReplication(p), Warning, "its target can read them")
}

func TestPlaceOfReplica(t *testing.T) {
	t.Parallel()
	const to, recipient = "SVC_REPLICATE_TO=", "SVC_REPLICATE_RECIPIENT=age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"
	elsewhere := to + "s3://bucket/svc?endpoint=https://s3.example"
	for _, tc := range []struct {
		name      string
		variables []string
		identity  string // a file with an identity in the data directory
		status    Status
		what      string
	}{
		{"none", nil, "", OK, ""},
		{"identity without a replica", nil, "key.txt", OK, ""},
		{"same disk", []string{to + "file://" + t.TempDir()}, "", Warning, "on the same disk"},
		{"not encrypted", []string{elsewhere}, "", Warning, "its target can read them"},
		{"encrypted", []string{elsewhere, recipient}, "", OK, ""},
		{"identity beside the data", []string{elsewhere, recipient}, "key.txt", Warning, "lost with it: key.txt"},
		{"standby", []string{to + "svc://standby.example:4002"}, "", OK, ""},
	} {
		p := newInstallation(t, nil, tc.variables...)
		if tc.identity != "" {
			text := "# created: 2026-11-29\nAGE-SECRET-KEY-1QQQ\n"
			if err := os.WriteFile(filepath.Join(p.Settings.Data, tc.identity), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			expect(t, checkReplication(p), tc.status, tc.what)
		})
	}
}
