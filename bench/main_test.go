package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"svc/internal/testutil"
)

// TestMain runs a reference process instead of the tests if the first argument is "reference". The
// benchmarks start their own program as a reference, which is the test binary here.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "reference" {
		if err := runReference(os.Args[2:]); err != nil {
			panic(err)
		}
		return
	}
	os.Exit(m.Run())
}

// TestSmallRun runs small benchmarks and ignores the figures. It checks that both sides respond and
// that figures below their bars are reported.
func TestSmallRun(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	var out strings.Builder
	err := run([]string{"-dir", t.TempDir(), "-rounds", "1", "-each", "10ms", "-submissions", "50", "-burst", "100", "-round-events", "100", "-events", "100", "-download", "2", "-upload", "9", "-slow", "5", "-megabytes", "1", "-followed", "200ms",
		"updatecheck", "submissions", "ingest", "replica", "files", "codehost"}, &out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`(?m)^update check: 300 versions, `,
		`(?m)^  answers of [\d,]+ bytes, many kinds of apps +\d+\.\d\d +[\d,]+/s, p99 .*  [\d,]+/s, p99 .* ≥ 0.75 +(met|MISSED)`,
		`(?m)^  lines, 128 connections: beside no index +\d`,
		`(?m)^  long texts: index up to date after 10 logs +\d.* ≤ 60 s +met`,
		`(?m)^  visits of 8, Zipf, a connection for each +\d`,
		`(?m)^100 events of 100,000 users over 30 days in visits`,
		`(?m)^  saving something meanwhile, 99 of 100 times +[\d.]+ ms`,
		`(?m)^  bytes of an event on disk +[\d.]+ `,
		`(?m)^  retention by week +[\d.]+ ms, `,
		`(?m)^  events, spooled, not sent yet +\d+\.\d\d `,
		`(?m)^  restore of a snapshot, beside svc restore of a backup +\d+\.\d\d .* ≥ 0.5 +(met|MISSED)`,
		`(?m)^  log that a restore applies, \d+ MB +\d.* ≥ 20 MB/s +(met|MISSED)`,
		`(?m)^  a standby behind a primary under load, worst +\d.* ≤ 4 s +(met|MISSED)`,
		`(?m)^  promotion after 200ms of load without a look +\d.* ≤ 5 s +(met|MISSED)`,
		`(?m)^  in chunks +[\d.,]+ MB/s`,
		`(?m)^  in one request +[\d.,]+ MB/s`,
		`(?m)^  ranges of 64 KiB at random, connections: 8 +\d|^  skipped: downloads beside nginx, because there is no nginx: install `,
		`(?m)^  for each download +-?[\d.]+ KiB|^  skipped: memory of slow downloads`,
		`(?m)^a code host that answers nothing: 200 visitors `,
		`(?m)^  update checks, 32 connections +\d+\.\d\d .* ≥ 0.95 +(met|MISSED)`,
		`(?m)^  logs, 128 connections +\d+\.\d\d .* ≥ 0.95 +(met|MISSED)`,
		`(?m)^\d+ of \d+ bars met\n`,
	} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("got %s\nwant it to match %s", &out, want)
		}
	}
}

func TestUnknownBenchmark(t *testing.T) {
	t.Parallel()
	err := run([]string{"-dir", t.TempDir(), "nothing"}, &strings.Builder{})
	if err == nil || !strings.Contains(err.Error(), `"nothing"`) {
		t.Errorf("got %v, want an error that names it", err)
	}
}
