//go:build unix

package clients

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"svc/internal/testutil/server"
)

const (
	// promised is the contract's limit for the loss of events in a crash: only events of this last
	// period may be lost.
	promised = time.Second
	// late is an additional delay that is allowed for saving on a busy machine.
	late = 500 * time.Millisecond
)

// TestEveryLibraryIsKilled repeatedly kills a process that tracks events. The next process sends
// the remaining events. The test checks that no event is counted twice, and that only events of the
// last second before a kill are lost.
func TestEveryLibraryIsKilled(t *testing.T) {
	t.Parallel()
	rounds := number(t, "SVC_CLIENT_KILLS", 5)
	started := sync.OnceValues(func() (*server.Server, error) { return startServer(t) })
	eachLanguage(t, func(t *testing.T, language string) {
		s, err := started()
		if err != nil {
			t.Fatal(err)
		}
		project := "killed-" + language
		if err := s.CallAsAdministrator(t.Context(), http.MethodPost, "/admin/projects", map[string]any{"project_key": project, "name": project}, nil); err != nil {
			t.Fatal(err)
		}
		k := &killing{Server: s, project: project, seen: map[string]bool{}, senders: map[string]bool{}, random: rand.New(rand.NewPCG(9, uint64(len(language))))}
		k.way = httptest.NewServer(k.proxy())
		t.Cleanup(k.way.Close)
		k.player = play(t, language, record(t, nil))
		if err := k.run(t, int(rounds)); err != nil {
			t.Error(err)
		}
	})
}

// startServer starts the server binary named by SVC_BINARY, or a binary built from this tree.
func startServer(t *testing.T) (*server.Server, error) {
	t.Helper()
	dir := t.TempDir()
	program, err := server.Find(t.Context(), dir)
	if err != nil {
		return nil, err
	}
	s, err := program.Serve(context.WithoutCancel(t.Context()), filepath.Join(dir, "data"))
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() {
		if err := s.Discard(); err != nil {
			t.Error(err)
		}
	})
	return s, nil
}

// killing is a library that is killed while it tracks events.
type killing struct {
	*server.Server
	*player
	project string
	random  *rand.Rand
	way     *httptest.Server // proxy in front of the server; it records the senders and sessions of events

	rounds []round

	mu       sync.Mutex
	senders  map[string]bool
	sessions []string // new sessions, in the order of their first batch
	seen     map[string]bool
}

// round is the lifetime of one process. file is where the process records the events that it
// tracks. sessions holds the sessions of those events, of which there is at most one.
type round struct {
	file     string
	sessions []string
}

// proxy returns a handler that forwards requests to the server and records the sessions of events.
func (k *killing) proxy() http.Handler {
	target := &url.URL{Scheme: "http", Host: k.Addr}
	through := &httputil.ReverseProxy{
		Rewrite:  func(r *httputil.ProxyRequest) { r.SetURL(target) },
		ErrorLog: log.New(io.Discard, "", 0), // the errors concern clients that were killed
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/events") {
			text, err := io.ReadAll(r.Body)
			if err != nil {
				return // the client was killed while sending
			}
			var batch struct {
				DistinctID string `json:"distinct_id"`
				SessionID  string `json:"session_id"`
			}
			if json.Unmarshal(text, &batch) == nil {
				k.note(batch.DistinctID, batch.SessionID)
			}
			r.Body = io.NopCloser(bytes.NewReader(text))
		}
		through.ServeHTTP(w, r)
	})
}

func (k *killing) note(sender, session string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.senders[sender] = true
	if !k.seen[session] {
		k.seen[session] = true
		k.sessions = append(k.sessions, session)
	}
}

// news returns the sessions that have appeared since the last call.
func (k *killing) news() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	fresh := k.sessions
	k.sessions = nil
	return fresh
}

func (k *killing) run(t *testing.T, rounds int) error {
	if err := k.start(); err != nil {
		return err
	}
	for i := range rounds + 1 {
		if err := k.open(); err != nil {
			return err
		}
		if i > 0 {
			k.rounds[i-1].sessions = k.news()
		}
		if i == rounds {
			break
		}
		file := filepath.Join(k.state, fmt.Sprint("spin-", i))
		if err := k.spin(t, file, time.Duration(200+k.random.IntN(2300))*time.Millisecond); err != nil {
			return fmt.Errorf("round %d: %w", i, err)
		}
		k.rounds = append(k.rounds, round{file: file})
	}
	if _, err := k.do(map[string]any{"do": "close"}); err != nil {
		return err
	}
	return errors.Join(k.finish(), k.verify(t))
}

// open opens a client with the state left by the previous process, and waits until it has sent the
// remaining events.
func (k *killing) open() error {
	for _, step := range []map[string]any{
		{"do": "open", "base_url": k.way.URL + apiPath, "real_clock": true, "options": map[string]any{
			"project_key": k.project, "state_dir": k.state, "platform": "linux", "platform_version": "1",
			"analytics": map[string]any{"flush_interval": 0.2, "batch_size": 50, "max_queue_size": 20000},
		}},
		{"do": "flush"},
	} {
		result, err := k.do(step)
		if err != nil {
			return err
		}
		if result["error"] != nil || step["do"] == "flush" && result["pending"] != 0.0 {
			return fmt.Errorf("%v: got %v", step["do"], result)
		}
	}
	return nil
}

// spin lets the player track events. It kills the player some time after the first event.
func (k *killing) spin(t *testing.T, file string, after time.Duration) error {
	text, err := json.Marshal(map[string]any{"do": "spin", "seconds": 600, "file": file})
	if err != nil {
		return err
	}
	if err := k.give(text); err != nil {
		return err
	}
	for end := time.Now().Add(patience); ; <-time.After(time.Millisecond) {
		if info, err := os.Stat(file); err == nil && info.Size() > 0 {
			break
		}
		if time.Now().After(end) {
			return fmt.Errorf("the player has tracked nothing for %s", patience)
		}
	}
	<-time.After(after)
	if k.language != "browser" {
		k.kill()
		return k.start()
	}
	for _, pid := range renderers(t, k.command.Process.Pid) {
		_ = syscall.Kill(pid, syscall.SIGKILL) // the process may have ended already
	}
	return k.again()
}

// verify compares the server's data with the tracked events of each round.
func (k *killing) verify(t *testing.T) error {
	t.Helper()
	// The server allows ten exports an hour. An identifier created right before a kill may be lost,
	// which loses no event.
	if n := len(k.senders); n < 1 || n > 2 {
		return fmt.Errorf("the device has had %d identifiers", n)
	}
	exported := 0
	stored := map[string]map[int]int{} // number of occurrences by session and number of the event
	for sender := range k.senders {
		var export struct {
			Data []struct {
				SessionID  string `json:"session_id"`
				Properties struct{ I int }
			}
		}
		path := "/public/" + k.project + "/events/me?distinct_id=" + url.QueryEscape(sender)
		if err := k.CallAsAdministrator(t.Context(), http.MethodGet, path, nil, &export); err != nil {
			return err
		}
		for _, e := range export.Data {
			if stored[e.SessionID] == nil {
				stored[e.SessionID] = map[int]int{}
			}
			stored[e.SessionID][e.Properties.I]++
			exported++
		}
	}
	var all []error
	for i, r := range k.rounds {
		if len(r.sessions) > 1 {
			all = append(all, fmt.Errorf("round %d: the events of one process are in %d sessions", i, len(r.sessions)))
			continue
		}
		got := map[int]int{}
		if len(r.sessions) == 1 {
			got = stored[r.sessions[0]]
		}
		if err := r.verify(got); err != nil {
			all = append(all, fmt.Errorf("round %d: %w", i, err))
		}
	}
	t.Logf("killed %d times, %d events arrived", len(k.rounds), exported)
	return errors.Join(append(all, k.counted(t, exported))...)
}

// verify compares the events that the server has stored for a round with the tracked events.
func (r round) verify(got map[int]int) error {
	last, want, err := readSpin(r.file)
	if err != nil {
		return err
	}
	for i, times := range got {
		if times > 1 {
			return fmt.Errorf("event %d of %d was counted %d times", i, len(want), times)
		}
	}
	var lost []int
	for i, at := range want {
		if got[i] == 0 && last-at > (promised+late).Milliseconds() {
			lost = append(lost, i)
		}
	}
	if len(lost) > 0 {
		slices.Sort(lost)
		return fmt.Errorf("of %d events %d are lost that were tracked more than %s before the kill: %d (%d ms before) to %d (%d ms before)",
			len(want), len(lost), promised+late, lost[0], last-want[lost[0]], lost[len(lost)-1], last-want[lost[len(lost)-1]])
	}
	return nil
}

// readSpin parses a file of tracked events. It returns the time of each event by its number, and
// the time of the last one, in Unix milliseconds. It ignores an incomplete last line.
func readSpin(file string) (last int64, at map[int]int64, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, nil, err
	}
	at = map[int]int64{}
	for lines := bufio.NewScanner(bytes.NewReader(text[:bytes.LastIndexByte(text, '\n')+1])); lines.Scan(); {
		var i int
		var ms int64
		if _, err := fmt.Sscan(lines.Text(), &i, &ms); err != nil {
			return 0, nil, fmt.Errorf("%s: %q: %w", file, lines.Text(), err)
		}
		at[i] = ms
		last = max(last, ms)
	}
	return last, at, nil
}

// counted checks that the statistics count as many events as were exported.
func (k *killing) counted(t *testing.T, exported int) error {
	t.Helper()
	var overview struct{ Total int }
	now := time.Now().Unix()
	path := fmt.Sprintf("/admin/projects/%s/events/stats/overview?start_time=%d&end_time=%d", k.project, now-24*3600, now+3600)
	if err := k.CallAsAdministrator(t.Context(), http.MethodGet, path, nil, &overview); err != nil {
		return err
	}
	if overview.Total != exported {
		return fmt.Errorf("the server has counted %d events, the export has %d", overview.Total, exported)
	}
	return nil
}

// renderers returns the browser's renderer processes that descend from the given process.
func renderers(t *testing.T, ancestor int) (pids []int) {
	t.Helper()
	parent, shows := map[int]int{}, map[int]bool{}
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(files) == 0 {
		t.Skip("needs /proc to find the processes of the browser: run it on Linux")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the process has ended
		}
		var pid, ppid int
		var state string
		_, rest, _ := strings.Cut(string(text), ") ")
		_, _ = fmt.Sscan(string(text), &pid)
		_, _ = fmt.Sscan(rest, &state, &ppid)
		parent[pid] = ppid
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
		shows[pid] = bytes.Contains(line, []byte("--type=renderer"))
	}
	for pid := range shows {
		of := pid
		for of > 1 && of != ancestor {
			of = parent[of]
		}
		if shows[pid] && of == ancestor {
			pids = append(pids, pid)
		}
	}
	return pids
}
