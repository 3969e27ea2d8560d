package cmd

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"svc/internal/replica/format"
	"svc/internal/replica/target"
)

// newReplica returns the URL of a replica in a directory: a snapshot of a data directory with one API key,
// at position 10 and Unix second 1,795,000,000, and a segment with empty changes, of which the position grows
// by one each minute. It also returns the target itself.
func newReplica(t *testing.T) (location string, of target.Target) {
	t.Helper()
	const begin = 1_795_000_000_000
	dir, data := t.TempDir(), makeStopped(t).dir
	archive, folder := filepath.Join(dir, "archive"), filepath.Join(dir, "replica")
	svc(t, "apikey", "create", "--data", data, "--name", "kept")
	svc(t, "backup", archive, "--data", data, "--files=false")
	content, err := os.ReadFile(archive)
	if err == nil {
		err = os.Mkdir(folder, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	location = (&url.URL{Scheme: "file", Path: filepath.ToSlash(folder)}).String()
	l, err := target.Parse(location)
	if err == nil {
		of, err = target.Open(l, target.Credentials{}, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	put := func(name string, b []byte) {
		if err := of.Create(t.Context(), name, bytes.NewReader(b), int64(len(b))); err != nil {
			t.Fatal(err)
		}
	}
	var changes []byte
	for i := range int64(3) {
		changes = format.AppendChange(changes, format.Change{File: format.Events, Position: uint64(11 + i), Time: begin + 60_000*(i+1)})
	}
	segment, err := format.Seal(format.Header{Epoch: 1, Number: 1, After: 10, Last: 13, Begin: begin + 60_000, End: begin + 180_000}, changes)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	put(format.IdentityName, format.Encode(format.Identity{Format: format.Version, ID: "replica", Data: "data"}))
	put(format.EpochName(1), format.Encode(format.Epoch{Format: format.Version, Number: 1}))
	put(format.SegmentName(1, 1), segment)
	put(format.PartName(10, 1), content)
	put(format.ManifestName(10), format.Encode(format.Manifest{
		Format: format.Version, Position: 10, Time: begin, Epoch: 1, Next: 1,
		Parts: []format.Part{{Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:])}},
	}))
	return location, of
}

// TestReplicaCommands restores and verifies a replica, and refuses what is not in it.
func TestReplicaCommands(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("servers are stopped by signals, which Windows does not send to processes: run this on Linux or macOS")
	}
	replica, of := newReplica(t)
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	at61 := strconv.Itoa(1_795_000_061)
	for _, c := range []struct {
		args string
		code int
		want string // in the output
	}{
		{"replicate points --from REPLICA", exitOK, "position  13"},
		{"replicate points --from REPLICA --json", exitOK, `"to": 1795000180`},
		{"replicate verify --from REPLICA", exitOK, "snapshots: 1, segments: 1"},
		{"replicate verify --from REPLICA --json", exitOK, `"position": 13`},
		{"replicate points", exitUsage, "needs --from"},
		{"replicate points --from /nowhere", exitUsage, "--from"},
		{"replicate points --from s3://user:password@bucket", exitUsage, "credentials"},
		{"restore --from REPLICA --dry-run --json --data " + at("none"), exitOK, `"dry_run": true`},
		{"restore --from REPLICA --at " + at61 + " --json --data " + at("a"), exitOK, `"position": 11`},
		{"restore --from REPLICA --at 2026-11-18T10:48:00Z --data " + at("none"), exitFailed, "outside of what is kept"},
		{"restore --from REPLICA --at-position 12 --json --data " + at("b"), exitOK, `"position": 12`},
		{"restore --from REPLICA --at-position 9 --data " + at("none"), exitFailed, "outside of what is kept: from 2026-"},
		{"restore --from REPLICA --at-position 14 --data " + at("none"), exitFailed, "(position 13)"},
		{"restore --from REPLICA --data " + at("c"), exitOK, "restored from " + replica},
		{"restore --from REPLICA --data " + at("c"), exitUsage, "is not empty"},
		{"restore --from REPLICA --data " + at("c") + " --force", exitOK, "the previous content is in"},
		{"restore FILE --from REPLICA --data " + at("none"), exitUsage, "either FILE or --from"},
		{"restore FILE --at 5 --data " + at("none"), exitUsage, "name it with --from"},
		{"restore --from REPLICA --at yesterday --data " + at("none"), exitUsage, "--at must be a time"},
		{"restore --from REPLICA --at 5 --at-position 5 --data " + at("none"), exitUsage, "either --at or"},
		{"restore --data " + at("none"), exitUsage, "needs FILE"},
		{"apikey list --data " + at("a"), exitOK, "kept"},
		{"apikey list --data " + at("c"), exitOK, "kept"},
		{"check --digest --json --data " + at("b"), exitOK, `"position": 0`},
	} {
		out, code := runSvc(t, strings.Fields(strings.ReplaceAll(c.args, "REPLICA", replica))...)
		if code != c.code || !strings.Contains(out, c.want) {
			t.Errorf("svc %s: exit code %d, want %d and %q\n%s", c.args, code, c.code, c.want, out)
		}
	}
	if _, err := os.Stat(at("none")); err == nil {
		t.Error("a refused restore has made the data directory")
	}
	if err := of.Replace(t.Context(), format.PartName(10, 1), []byte("damaged")); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{"replicate verify --from REPLICA", "restore --from REPLICA --data " + at("a") + " --force"} {
		out, code := runSvc(t, strings.Fields(strings.ReplaceAll(args, "REPLICA", replica))...)
		if code != exitFailed || !strings.Contains(out, format.PartName(10, 1)) {
			t.Errorf("svc %s of a damaged replica: exit code %d\n%s", args, code, out)
		}
	}
	if out, code := runSvc(t, "apikey", "list", "--data", at("a")); code != exitOK || !strings.Contains(out, "kept") {
		t.Errorf("after a failed restore: exit code %d\n%s", code, out)
	}
}
