package control_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/api/apitest"
	apicontrol "svc/api/control"
	"svc/internal/backup"
	"svc/internal/control"
	"svc/internal/fault"
)

// archiver is a function that replaces the backup of the server in a test.
type archiver func(ctx context.Context, to io.Writer, o backup.Options) (*backup.Manifest, error)

// withArchiver sets the function that writes backups.
func withArchiver(a archiver) apitest.Option { return func(o *apitest.Options) { o.Config.Backup = a } }

// TestBackupAnswers checks the response to a request for a backup, both over a connection and in
// process.
func TestBackupAnswers(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	made := &backup.Manifest{Version: "1", CreatedAt: at, Files: true, Members: []backup.Member{{Name: "svc.db", Size: 7}, {Name: "events.db", Size: 5}}}
	large := bytes.Repeat([]byte("archive "), 10_000)
	var asked backup.Options
	writes := func(content []byte, m *backup.Manifest, err error) archiver {
		return func(_ context.Context, to io.Writer, o backup.Options) (*backup.Manifest, error) {
			asked = o
			if _, failed := to.Write(content); failed != nil {
				return nil, failed
			}
			return m, err
		}
	}
	fails := func(err error) archiver {
		return func(context.Context, io.Writer, backup.Options) (*backup.Manifest, error) { return nil, err }
	}
	for _, tc := range []struct {
		name    string
		make    archiver
		body    string
		status  int
		content string // content of the response, or a part of it
		want    apicontrol.BackupResult
		asked   backup.Options
	}{
		{"a small one, whose length could be known", writes([]byte("archive"), made, nil), `{}`, 200, "archive",
			apicontrol.BackupResult{Version: "1", CreatedAt: at, Members: 2, Bytes: 12, Files: true}, backup.Options{Files: true}},
		{"a large one", writes(large, made, nil), `{"files":false,"recipients":[" age1x "]}`, 200, string(large),
			apicontrol.BackupResult{Version: "1", CreatedAt: at, Members: 2, Bytes: 12, Files: true}, backup.Options{Recipients: []string{"age1x"}}},
		{"cut off", writes([]byte("arch"), nil, errors.New("disk gone")), `{}`, 200, "arch", apicontrol.BackupResult{Error: "disk gone"}, backup.Options{Files: true}},
		{"refused before it begins", fails(fault.New(fault.Unavailable, "another backup")), `{}`, 503, "another backup", apicontrol.BackupResult{}, backup.Options{}},
		{"no room", fails(fault.New(fault.NoSpace, "no room")), `{}`, 507, "no room", apicontrol.BackupResult{}, backup.Options{}},
		{"wrong types", fails(nil), `{"files":1,"recipients":"x"}`, 400, `"files must be true or false","recipients must be a list"`, apicontrol.BackupResult{}, backup.Options{}},
		{"a server that makes none", nil, `{}`, 503, "cannot be made here", apicontrol.BackupResult{}, backup.Options{}},
	} {
		s := apitest.NewServer(t, withArchiver(tc.make))
		for way, client := range map[string]*http.Client{"in process": control.InProcess(s.Handler), "over the socket": overSocket(t, s)} {
			asked = backup.Options{}
			status, content, trailer := askBackup(t, s, client, tc.body)
			var got apicontrol.BackupResult
			if trailer != "" {
				if err := json.Unmarshal([]byte(trailer), &got); err != nil {
					t.Fatal(err)
				}
			}
			if status != tc.status || !strings.Contains(content, tc.content) || (trailer == "") != (status >= 400) {
				t.Errorf("%s, %s: got %d %.200s, trailer %q; want %d %.200s", tc.name, way, status, content, trailer, tc.status, tc.content)
			}
			if got.Error != tc.want.Error || got.Members != tc.want.Members || got.Bytes != tc.want.Bytes || !got.CreatedAt.Equal(tc.want.CreatedAt) {
				t.Errorf("%s, %s: got %+v, want %+v", tc.name, way, got, tc.want)
			}
			if asked.Files != tc.asked.Files || !slices.Equal(asked.Recipients, tc.asked.Recipients) {
				t.Errorf("%s, %s: asked for %+v, want %+v", tc.name, way, asked, tc.asked)
			}
		}
	}
}

// overSocket returns a client that connects to the server over the control socket, like commands
// do.
func overSocket(t *testing.T, s *apitest.Server) *http.Client {
	t.Helper()
	dir := t.TempDir()
	lock, err := control.Acquire(dir)
	if err != nil {
		t.Fatal(err)
	}
	l, err := control.Listen(dir)
	if err != nil {
		t.Fatal(err)
	}
	h := &http.Server{Handler: s.Handler, ConnContext: control.MarkConn, ReadHeaderTimeout: time.Minute}
	go func() { _ = h.Serve(l) }() // ends when h is closed
	client := control.Client(dir)
	t.Cleanup(func() {
		client.CloseIdleConnections()
		if err := errors.Join(h.Close(), lock.Release()); err != nil && !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	})
	return client
}

// askBackup requests a backup and returns the status, the body and the trailer.
func askBackup(t *testing.T, s *apitest.Server, client *http.Client, body string) (status int, content, trailer string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, control.BaseURL+"/control/backup", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	all, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(all), answer.Trailer.Get(apicontrol.BackupTrailer)
}
