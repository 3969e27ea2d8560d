package doctor

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"svc/internal/boltfile"
)

const day = 24 * time.Hour

func TestClock(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		ahead  time.Duration // time by which the last id is ahead of the clock
		status Status
	}{
		{"records of the past", -time.Hour, OK},
		{"clocks of two machines", 30 * time.Second, OK},
		{"records of the future", 2 * time.Minute, Warning},
	} {
		p := newInstallation(t, nil)
		p.Facts = &Facts{LastID: today.Add(tc.ahead).UnixMilli()}
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			expect(t, checkClock(p), tc.status, "but the last record was created at")
		})
	}
}

func TestDatabases(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		of     Database
		status Status
		repair string
	}{
		{"well", Database{Name: "svc.db"}, OK, ""},
		{"newer", Database{Err: fmt.Errorf("open: %w", boltfile.ErrNewer)}, Problem, "install the newer version again"},
		{"in use", Database{Err: fmt.Errorf("open: %w", boltfile.ErrLocked)}, Problem, "stop the program that has it open"},
		{"damaged", Database{Err: errors.New("page 3")}, Problem, "stop the server, keep a copy of the data directory, and restore the last backup; svc check shows what is damaged"},
		{"not read", Database{Skipped: "no room"}, Note, "svc check reads everything"},
	} {
		p := newInstallation(t, nil)
		p.Databases = []Database{tc.of}
		found := checkDatabases(p)
		expect(t, found, tc.status, "")
		if tc.status != OK && found[0].Repair != tc.repair {
			t.Errorf("%s: got repair %q, want %q", tc.name, found[0].Repair, tc.repair)
		}
	}
}

func TestIndex(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		index  Index
		status Status
		what   string
	}{
		{"up to date", Index{true, 50_000, 50_000}, OK, ""},
		{"a moment behind", Index{true, 45_000, 50_000}, OK, ""},
		{"ahead of what was read before", Index{true, 50_001, 50_000}, OK, ""},
		{"far behind", Index{true, 10, 50_000}, Warning, "it is 49990 changes behind"},
		{"being built", Index{false, 0, 50_000}, Note, "it is being rebuilt"},
	} {
		p := newInstallation(t, nil)
		p.Server, p.Facts = &Server{}, &Facts{Index: tc.index}
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			expect(t, checkIndex(p), tc.status, tc.what)
		})
	}
}

func TestServerVersions(t *testing.T) {
	t.Parallel()
	p := newInstallation(t, nil)
	p.Version, p.Server = "1.1.0", &Server{Version: "1.1.0"}
	expect(t, checkServer(p), OK, "")
	p.Server.Version = "1.0.0"
	expect(t, checkServer(p), Note, "the running server is svc 1.0.0, this program is svc 1.1.0")
}

func TestProxy(t *testing.T) {
	t.Parallel()
	chain := func(at int64, peer, line string) *Chain {
		return &Chain{At: at, Peer: peer, Headers: []string{line}, Client: peer}
	}
	const forwarded, other = "X-Forwarded-For: 203.0.113.7", "Forwarded: for=203.0.113.7"
	for _, tc := range []struct {
		name   string
		seen   Forwarding
		status Status
		what   string
	}{
		{"nothing", Forwarding{Count: 1}, OK, ""},
		{"a header that counts", Forwarding{Count: 1, Last: chain(1, "10.0.0.1", forwarded)}, Note, "last seen: X-Forwarded-For: 203.0.113.7 from 10.0.0.1"},
		{"no proxy is expected", Forwarding{Ignored: chain(1, "10.0.0.1", forwarded)}, Warning, "SVC_TRUSTED_PROXY_COUNT is 0"},
		{"a header that is not read", Forwarding{Count: 1, Ignored: chain(1, "10.0.0.1", other)}, Warning, "none of the known headers"},
		{"a peer of the internet", Forwarding{Count: 1, Ignored: chain(1, "198.51.100.1", forwarded)}, Note, "the peer has a public address"},
		{"a peer of a network between", Forwarding{Count: 1, Ignored: chain(1, "100.64.0.1", forwarded)}, Warning, "neither private nor of this machine"},
		{"one that counts after one that did not", Forwarding{Count: 1, Ignored: chain(1, "198.51.100.1", forwarded), Last: chain(2, "10.0.0.1", forwarded)}, Note, "the peer has a public address"},
		{"the gateway of a container", Forwarding{Count: 1, Gateway: "172.17.0.1"}, Note, "requests come from 172.17.0.1"},
		{"the gateway, believed by nobody", Forwarding{Gateway: "172.17.0.1"}, OK, ""},
	} {
		p := newInstallation(t, nil)
		p.Facts = &Facts{Forwarding: tc.seen}
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			expect(t, checkProxy(p), tc.status, tc.what)
		})
	}
}

func TestBackups(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, every, archive string
		status               Status
		what                 string
	}{
		{"off", "0", "", Note, "no backups are scheduled"},
		{"off, but one from before", "0", "svc-20261101-120000.tar.zst", Note, "is 20 days old"},
		{"none yet", "24h", "", Warning, "there is none in"},
		{"other files are none", "24h", "notes.txt", Warning, "there is none in"},
		{"archives of others are none", "24h", "svc-monday.tar.zst", Warning, "there is none in"},
		{"one of a time to come is none", "24h", "svc-20990101-000000.tar.zst", Warning, "there is none in"},
		{"late", "24h", "svc-20261118-120000.tar.zst", Problem, "the last backup was made at"},
		{"late by days", "7d", "svc-20261101-120000.tar.zst", Problem, "but backup.every is 7d"},
		{"late, with blanks in the setting", " 7d ", "svc-20261101-120000.tar.zst", Problem, "the last backup was made at"},
		{"late and sealed", "24h", "svc-20261118-120000.tar.zst.age", Problem, "the last backup was made at"},
		{"in time, on the disk of the data", "24h", "svc-20261121-110000.tar.zst", Warning, "backups are on the same disk as the data"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS == "windows" && strings.HasPrefix(tc.name, "in time") {
				t.Skip("needs to tell one disk from another, which svc does on Unix only: run this on Linux or macOS")
			}
			p := newInstallation(t, nil, "SVC_BACKUP_EVERY="+tc.every)
			dir := filepath.Join(p.Settings.Data, "backups")
			if tc.archive != "" {
				// the file's modification time must be ignored, because the archive may have been
				// copied
				if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, tc.archive), nil, 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			expect(t, checkBackup(p), tc.status, tc.what)
		})
	}
}

func TestCertificates(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		from, to time.Time
		mode     os.FileMode // mode of the file with the key
		status   Status
		what     string
	}{
		{"well", today.Add(-day), today.Add(60 * day), 0o600, OK, ""},
		{"soon over", today.Add(-day), today.Add(10 * day), 0o600, Warning, "in 10 days"},
		{"over", today.Add(-90 * day), today.Add(-day), 0o600, Problem, "has expired at"},
		{"not yet", today.Add(day), today.Add(90 * day), 0o600, Problem, "is not valid before"},
		{"a key for everybody", today.Add(-day), today.Add(60 * day), 0o644, Warning, "others can read"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := newInstallation(t, nil)
			p.Settings.Domain = []string{"example.org"}
			fetched(t, p, "ca", "example.org", tc.from, tc.to, tc.mode)
			expect(t, checkCertificates(p), tc.status, tc.what)
		})
	}
	t.Run("a name or an authority of before", func(t *testing.T) {
		t.Parallel()
		p := newInstallation(t, nil)
		p.Settings.Domain = []string{"new.example.org"}
		for _, c := range []struct {
			authority, name string
			fetched, to     time.Time
		}{
			{"ca", "old.example.org", today.Add(-90 * day), today.Add(-day)},
			{"old-ca", "new.example.org", today.Add(-90 * day), today.Add(-day)},
			{"ca", "new.example.org", today.Add(-time.Hour), today.Add(90 * day)},
		} {
			base := fetched(t, p, c.authority, c.name, today.Add(-90*day), c.to, 0o600)
			if err := os.Chtimes(base+".crt", c.fetched, c.fetched); err != nil {
				t.Fatal(err)
			}
		}
		expect(t, checkCertificates(p), OK, "")
	})
	t.Run("no certificate", func(t *testing.T) {
		t.Parallel()
		p := newInstallation(t, nil)
		expect(t, p.checkPair("missing.crt", "missing.key", "given", messagef("put one there")), Problem, "missing.crt and its key cannot be used")
	})
}

// TestSecrecy checks which permissions are accepted for a file with a secret. In the data
// folder, no user except the owner may have read access. Elsewhere, read access for the group
// is accepted too, because such a file can belong to root and have the group of the service.
func TestSecrecy(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs permissions of Unix: run this on Linux or macOS")
	}
	p := newInstallation(t, nil)
	inside, outside := filepath.Join(p.Settings.Data, "key.pem"), filepath.Join(t.TempDir(), "key.pem")
	for _, tc := range []struct {
		name   string
		mode   os.FileMode
		repair string // "" = no finding is expected
	}{
		{inside, 0o600, ""},
		{inside, 0o640, "chmod go= " + inside},
		{outside, 0o640, ""},
		{outside, 0o644, "chmod o= " + outside},
	} {
		if err := errors.Join(os.WriteFile(tc.name, nil, 0o600), os.Chmod(tc.name, tc.mode)); err != nil {
			t.Fatal(err)
		}
		found := p.checkSecrecy(tc.name, "file_readable", messagef("others can read %s", tc.name))
		if repairs := len(found) > 0; repairs != (tc.repair != "") || repairs && found[0].Repair != tc.repair {
			t.Errorf("%s with mode %04o: got %+v, want repair %q", tc.name, tc.mode, found, tc.repair)
		}
	}
}

// fetched writes a certificate to the folder of certificates that the server has obtained. It
// returns the path of the certificate without the extension.
func fetched(t *testing.T, p *Installation, authority, name string, from, to time.Time, mode os.FileMode) (base string) {
	t.Helper()
	dir := filepath.Join(p.Settings.Data, "certs", "certificates", authority, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	base = filepath.Join(dir, name)
	writeCertificate(t, base, from, to, mode)
	return base
}

// writeCertificate writes a certificate to base.crt and its key to base.key.
func writeCertificate(t *testing.T, base string, from, to time.Time, mode os.FileMode) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: from, NotAfter: to, DNSNames: []string{"example.org"}}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(
		os.WriteFile(base+".crt", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate}), 0o600),
		os.WriteFile(base+".key", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600),
		os.Chmod(base+".key", mode),
	)
	if err != nil {
		t.Fatal(err)
	}
}

func TestTimeZones(t *testing.T) {
	t.Parallel()
	for zone, status := range map[string]Status{"": OK, "UTC": OK, "Europe/Berlin": OK, ":/etc/localtime": OK, "Europe/Atlantis": Warning} {
		p := newInstallation(t, nil)
		p.Environ = []string{"TZ=" + zone}
		expect(t, checkTimeZone(p), status, "not a known time zone")
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1536 << 20: "1.5 GiB", 5 << 50: "5.0 PiB", 5 << 60: "5120.0 PiB"} {
		if got := Size(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}

func TestJobs(t *testing.T) {
	t.Parallel()
	p := newInstallation(t, nil)
	expect(t, checkJobs(p), Note, "not examined")
	p.Facts = &Facts{}
	expect(t, checkJobs(p), OK, "")
	p.Facts.FailedJobs = []FailedJob{{"backup", "no room"}, {"retention", "damaged"}}
	found := checkJobs(p)
	expect(t, found[:1], Warning, "backup failed: no room")
	if len(found) != 2 || !strings.HasSuffix(found[1].Repair, "svc job run retention") {
		t.Errorf("got %+v, want a finding for each job", found)
	}
}

func TestTerms(t *testing.T) {
	t.Parallel()
	p := newInstallation(t, nil)
	expect(t, checkTerms(p), Note, "not examined")
	p.Facts = &Facts{}
	expect(t, checkTerms(p), OK, "")
	p.Facts.UnpublishedTerms = []string{"privacy-policy", "sdk-compliance"}
	expect(t, checkTerms(p), Note, "the public pages do not show privacy-policy, sdk-compliance")
}

func TestLinks(t *testing.T) {
	t.Parallel()
	p := newInstallation(t, nil)
	expect(t, checkLinks(p), Note, "not examined")
	p.Facts = &Facts{}
	expect(t, checkLinks(p), OK, "")
	p.Facts.Files = 1
	expect(t, checkLinks(p), Note, "links have no host of their own")
	p.Settings.DistBaseURL = "https://dl.example"
	expect(t, checkLinks(p), OK, "")
}

func TestSubmissions(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name         string
		of           []Submissions
		keep, most   int // the settings
		status       Status
		what, repair string
		findings     int
	}{
		{"none", nil, 0, 0, OK, "", "", 0},
		{"small, without a limit", []Submissions{{Project: "a", Logs: 1}}, 0, 0, Note, "feedback and logs take 1 MiB, and", "set submission.max_mib", 1},
		{"small, with a limit", []Submissions{{Project: "a", Logs: 1, Feedback: 1}}, 0, 1024, OK, "", "", 0},
		{"large", []Submissions{{Project: "a", Logs: 256 << 20}}, 0, 1024, Note, "the logs of project a take 256 MiB and are kept forever", "svc logs prune a --before 90d", 1},
		{"large, each project", []Submissions{{Project: "a", Logs: 1 << 30}, {Project: "b", Logs: 1 << 30}}, 0, 0, Note, "the logs of project a take 1024 MiB", "log_retention_days", 3},
		{"large, and the project keeps them for some days", []Submissions{{Project: "a", Logs: 1 << 30, LogRetention: 30}}, 0, 2048, OK, "", "", 0},
		{"large, and the instance does", []Submissions{{Project: "a", Logs: 1 << 30}}, 30, 2048, OK, "", "", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := newInstallation(t, nil)
			p.Facts = &Facts{Submissions: tc.of}
			p.Settings.LogRetentionDays, p.Settings.SubmissionMaxMiB = tc.keep, tc.most
			found := checkSubmissions(p)
			if len(found) != tc.findings {
				t.Fatalf("got %+v, want %d findings", found, tc.findings)
			}
			expect(t, found[:min(1, len(found))], tc.status, tc.what)
			if len(found) > 0 && !strings.Contains(found[0].Repair, tc.repair) {
				t.Errorf("got %q, want %q in it", found[0].Repair, tc.repair)
			}
		})
	}
	p := newInstallation(t, nil)
	expect(t, checkSubmissions(p), Note, "not examined")
}

func TestEventNames(t *testing.T) {
	t.Parallel()
	p := newInstallation(t, nil)
	expect(t, checkEventNames(p), Note, "not examined")
	p.Settings.EventMaxNames = 2000
	p.Facts = &Facts{EventNames: []EventNames{{"a", 1999}}}
	expect(t, checkEventNames(p), OK, "")
	p.Facts.EventNames = append(p.Facts.EventNames, EventNames{"b", 2000})
	expect(t, checkEventNames(p), Warning, "project b has 2000 event names")
}

func TestHooks(t *testing.T) {
	t.Parallel()
	p := newInstallation(t, nil)
	expect(t, checkHooks(p), Note, "not examined")
	p.Facts = &Facts{}
	expect(t, checkHooks(p), OK, "") // a server without hooks
	p.Facts.Hooks = []Hook{}
	expect(t, checkHooks(p), Note, "nobody is told when a backup fails or the disk is nearly full")
	told := Hook{ID: "1", Name: "admin", Enabled: true, Tells: true}
	p.Facts.Hooks = []Hook{told}
	expect(t, checkHooks(p), OK, "")
	for want, broken := range map[string]Hook{
		`the hook "a" has failed since 2026-11-`:                             {ID: "2", Name: "a", Enabled: true, Failing: today.Unix()},
		`the hook "a" is disabled, because its receiver answered 410 Gone`:   {ID: "2", Name: "a", Disabled: "gone"},
		`the hook "a" is disabled, because its receiver failed for too long`: {ID: "2", Name: "a", Disabled: "failing", Failing: 1},
		`the hook "a" sends e-mail, and there is no mail server`:             {ID: "2", Name: "a", Enabled: true, Email: true},
	} {
		broken.Project = "app"
		p.Facts.Hooks = []Hook{told, broken}
		found := checkHooks(p)
		expect(t, found, Warning, want)
		if !broken.Email && !strings.Contains(found[0].Repair, "svc hooks test 2 --project app") {
			t.Errorf("got %q", found[0].Repair)
		}
	}
	p.Facts.Hooks = []Hook{told, {Name: "off", Failing: 1}}
	expect(t, checkHooks(p), OK, "")
	told.Enabled = false
	p.Facts.Hooks = []Hook{told}
	expect(t, checkHooks(p), Note, "nobody is told")
	p = newInstallation(t, nil, "SVC_SMTP_URL=smtp://mail.example.com", "SVC_SMTP_FROM=a@example.com")
	p.Facts = &Facts{Hooks: []Hook{{Name: "mail", Enabled: true, Email: true, Tells: true}}}
	expect(t, checkHooks(p), OK, "")
}
