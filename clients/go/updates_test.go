package svcsdk

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestVectorsOfUpdates(t *testing.T) {
	t.Parallel()
	for i, tc := range vectors[[]struct {
		Platform, Arch *string
		Links          []DownloadLink
		Out            *int
	}](t, "update_link") {
		got := pickLink(deref(tc.Platform), deref(tc.Arch), tc.Links)
		if (got == nil) != (tc.Out == nil) || got != nil && got != &tc.Links[*tc.Out] {
			t.Errorf("update_link %d: got %+v", i, got)
		}
	}
	for _, tc := range vectors[[]struct {
		In  UpdateCheck
		Out Decision
	}](t, "update_decision") {
		if got := decide(&tc.In); got != tc.Out {
			t.Errorf("%+v: got %s", tc.In, got)
		}
	}
	for _, tc := range vectors[[]struct {
		In  string
		Out bool
	}](t, "own_link") {
		if got := isOwnLink(tc.In); got != tc.Out {
			t.Errorf("%s: got %t", tc.In, got)
		}
	}
	for _, tc := range vectors[[]struct {
		Remembered      *remembered
		IntervalSeconds int64 `json:"interval_seconds"`
		Now             int64
		Out             bool
	}](t, "update_due") {
		if got := tc.Remembered == nil || tc.Remembered.due(time.Duration(tc.IntervalSeconds)*time.Second, tc.Now); got != tc.Out {
			t.Errorf("%+v: got %t", tc, got)
		}
	}
	for _, tc := range vectors[[]struct {
		Memory          *string
		Key             string
		Now             int64
		IntervalSeconds int64 `json:"interval_seconds"`
		Due             bool
	}](t, "update_memory") {
		r := parseMemory(deref(tc.Memory))
		if got := r == nil || r.Key != tc.Key || r.due(time.Duration(tc.IntervalSeconds)*time.Second, tc.Now); got != tc.Due {
			t.Errorf("%s: got %t", deref(tc.Memory), got)
		}
	}
	for _, tc := range vectors[[]struct {
		CurrentVersion           *string `json:"current_version"`
		CurrentComparableVersion *string `json:"current_comparable_version"`
		IncludePreview           bool    `json:"include_preview"`
		Locale                   *string
		Out                      string
	}](t, "update_key") {
		o := CheckOptions{CurrentVersion: deref(tc.CurrentVersion), CurrentComparableVersion: deref(tc.CurrentComparableVersion), IncludePreview: tc.IncludePreview}
		if tc.Locale != nil {
			o.Locale = Set(*tc.Locale)
		}
		if got := o.key(); got != tc.Out {
			t.Errorf("got %q, want %q", got, tc.Out)
		}
	}
}

const updateAnswer = `{"should_update":true,"required":false,"reason_codes":["newer_version_available"],"current_comparable_version":"1",
"latest_version":{"version":"2","content":"long"},"target_version":{"version":"2","content":"long","download_links":[{"url":"https://dl.example.com/a.jar"}]},"milestone":{}}`

func TestAnAnswerIsRememberedForTheInterval(t *testing.T) {
	t.Parallel()
	fake, storage := newFakeClock(time.Unix(1_800_000_000, 0)), &memoryStorage{}
	var requests atomic.Int32
	open := func() *Client {
		c, err := New(testBase, WithProject("acme"), WithAppVersion("1"), withClock(fake.clock()), WithAnalytics(AnalyticsOptions{Storage: storage}),
			WithHTTPClient(&http.Client{Transport: roundTripper(func(h *http.Request) (*http.Response, error) {
				if requests.Add(1) == 1 {
					return answerOf(h, http.StatusInternalServerError, ""), nil
				}
				return answerOf(h, http.StatusOK, updateAnswer), nil
			})}))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := open()
	_, err := c.Updates.Check(t.Context(), nil)
	wantError[*APIError](t, err)
	for i, step := range []struct {
		restart  bool
		advance  time.Duration
		opts     *CheckOptions
		requests int32
	}{
		{requests: 2}, // an error is not remembered
		{requests: 2},
		{restart: true, requests: 2},
		{advance: 6*time.Hour - time.Second, requests: 2},
		{advance: time.Second, requests: 3},
		{opts: &CheckOptions{Force: true}, requests: 4},
		{opts: &CheckOptions{IncludePreview: true}, requests: 5},
		{advance: -time.Hour, opts: &CheckOptions{IncludePreview: true}, requests: 6},
	} {
		if step.restart {
			c = open()
		}
		fake.advance(step.advance, 0)
		before := requests.Load()
		u, err := c.Updates.Check(t.Context(), step.opts)
		if err != nil {
			t.Fatal(err)
		}
		if requests.Load() != step.requests || u.Decision != OptionalUpdate || u.Target.Version != "2" || u.Remembered != (before == step.requests) {
			t.Errorf("step %d: %d requests, %+v", i, requests.Load(), u)
		}
	}
}

func TestVersionThatWasNeverPublished(t *testing.T) {
	t.Parallel()
	var asked []string
	client := served(t, func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Version    string `json:"current_version"`
			Comparable string `json:"current_comparable_version"`
		}
		_ = json.NewDecoder(r.Body).Decode(&body)
		asked = append(asked, body.Version+" "+body.Comparable)
		if body.Comparable == "" {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"statusCode":400,"message":"no comparable version is known; send current_comparable_version"}`)
			return
		}
		_, _ = io.WriteString(w, updateAnswer)
	})
	check := func(o CheckOptions) error {
		_, err := client.Updates.Check(t.Context(), &o)
		return err
	}
	if err := check(CheckOptions{CurrentVersion: "v1.4"}); err != nil {
		t.Error(err)
	}
	err := check(CheckOptions{CurrentVersion: "nightly"})
	if e, ok := errors.AsType[*APIError](err); !ok || e.Status != http.StatusBadRequest || !strings.Contains(e.Message, "send current_comparable_version") {
		t.Errorf("a version without numbers: %v", err)
	}
	if err := check(CheckOptions{CurrentVersion: "nightly", CurrentComparableVersion: "1.4"}); err != nil {
		t.Error(err)
	}
	if want := []string{"v1.4 ", "v1.4 1.4", "nightly ", "nightly 1.4"}; !slices.Equal(asked, want) {
		t.Errorf("asked for %q, want %q", asked, want)
	}
}

func TestChecksAtTheSameTimeShareARequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var requests atomic.Int32
		answer := make(chan struct{})
		c, err := New(testBase, WithProject("acme"), WithAppVersion("1"), WithAnalytics(AnalyticsOptions{Persistence: PersistNone}),
			WithHTTPClient(&http.Client{Transport: roundTripper(func(h *http.Request) (*http.Response, error) {
				requests.Add(1)
				select {
				case <-answer:
					return answerOf(h, http.StatusOK, updateAnswer), nil
				case <-h.Context().Done():
					return nil, h.Context().Err()
				}
			})}))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		first := make(chan error, 1)
		go func() {
			_, err := c.Updates.Check(ctx, nil)
			first <- err
		}()
		synctest.Wait()
		var others sync.WaitGroup
		for range 5 {
			others.Go(func() {
				if _, err := c.Updates.Check(t.Context(), nil); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		if n := requests.Load(); n != 1 {
			t.Errorf("%d requests", n)
		}
		cancel() // only the first goroutine's check is cancelled
		if err := <-first; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		synctest.Wait()
		close(answer)
		others.Wait()
		if n := requests.Load(); n != 2 {
			t.Errorf("%d requests", n)
		}
	})
}

func TestALargeAnswerIsRememberedWithoutItsTexts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 200<<10)
	a := &UpdateCheck{LatestVersion: VersionInfo{Content: &long}, TargetVersion: &VersionInfo{Version: "2", Content: &long}}
	r := parseMemory(encodeMemory(1, 2, "k", a))
	if r == nil || r.answer.TargetVersion.Version != "2" || r.answer.TargetVersion.Content != nil || a.TargetVersion.Content == nil {
		t.Errorf("got %+v", r)
	}
}

// fileServer serves a file like the real server, and can inject faults.
type fileServer struct {
	content []byte
	etag    string
	cut     int32 // number of responses that end early
	part    int
	ranges  atomic.Int32
	answers atomic.Int32
	status  int
	hide    bool // omit the size of the file
}

func (f *fileServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if f.status != 0 {
		w.WriteHeader(f.status)
		return
	}
	if r.Header.Get("Authorization")+r.Header.Get("X-Svc-Platform")+r.Header.Get("X-Svc-Client-Time") != "" {
		w.WriteHeader(http.StatusTeapot)
		return
	}
	if f.etag != "" {
		w.Header().Set("ETag", f.etag)
	}
	if r.Header.Get("Range") != "" {
		f.ranges.Add(1)
	}
	if f.answers.Add(1) <= f.cut {
		w = &cutWriter{w, f.part}
	}
	if f.hide {
		_, _ = w.Write(f.content)
		return
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.content))
}

// cutWriter breaks the connection after a number of bytes.
type cutWriter struct {
	http.ResponseWriter
	left int
}

func (c *cutWriter) Write(b []byte) (int, error) {
	n, err := c.ResponseWriter.Write(b[:min(len(b), c.left)])
	if c.left -= n; c.left == 0 && err == nil {
		_ = http.NewResponseController(c.ResponseWriter).Flush()
		panic(http.ErrAbortHandler)
	}
	return n, err
}

func TestDownloads(t *testing.T) {
	t.Parallel()
	content := bytes.Repeat([]byte("0123456789abcdef"), 20_000)
	sum := sha256.Sum256(content)
	digest := hex.EncodeToString(sum[:])
	const own, foreign = "/f/acme/0123456789ab/app.zip", "/app.zip"
	for name, tc := range map[string]struct {
		path     string
		server   *fileServer
		partial  []byte // a partial file, as left by a killed process
		want     string // a part of the expected error, "" for none
		verified bool
		ranges   int32
	}{
		"ours":                         {own, &fileServer{etag: `"` + digest + `"`}, nil, "", true, 0},
		"ours breaks three times":      {own, &fileServer{etag: `"` + digest + `"`, cut: 3, part: 100_000}, nil, "", true, 3},
		"ours, begun by a killed one":  {own, &fileServer{etag: `"` + digest + `"`}, content[:1000], "", true, 1},
		"ours, begun wrongly":          {own, &fileServer{etag: `"` + digest + `"`}, []byte("garbage"), "SHA-256", false, 1},
		"ours of another content":      {own, &fileServer{etag: `"` + strings.Repeat("0", 64) + `"`}, nil, "SHA-256", false, 0},
		"ours without its sum":         {own, &fileServer{}, nil, "SHA-256", false, 0},
		"ours without its size":        {own, &fileServer{etag: `"` + digest + `"`, hide: true}, nil, "size", false, 0},
		"foreign":                      {foreign, &fileServer{}, nil, "", false, 0},
		"foreign breaks":               {foreign, &fileServer{etag: `"v1"`, cut: 2, part: 50_000}, nil, "", false, 2},
		"foreign breaks without a tag": {foreign, &fileServer{cut: 2, part: 50_000}, nil, "", false, 0},
		"foreign without progress":     {foreign, &fileServer{cut: 99, part: 1000}, nil, "connection", false, 0},
		"not there":                    {foreign, &fileServer{status: 404}, nil, "404", false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.server.content = content
			if tc.server.hide {
				tc.server.content = bytes.Repeat(content, 2) // large enough to be sent in chunks
			}
			server := httptest.NewServer(tc.server)
			t.Cleanup(server.Close)
			c := clientOf(t, server.URL+"/api/v1", withClock(newFakeClock(time.Now()).clock()))
			dir := t.TempDir()
			to := filepath.Join(dir, "app.zip")
			for path, text := range map[string][]byte{to: []byte("old"), to + "." + digest[:16] + ".part": tc.partial} {
				if text == nil {
					continue
				}
				if err := os.WriteFile(path, text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var last int64
			u := &Update{Link: &DownloadLink{URL: server.URL + tc.path}, client: c}
			got, err := u.Download(t.Context(), to, &DownloadOptions{OnProgress: func(received, total int64) {
				last = received
				if total != int64(len(content)) {
					t.Errorf("of %d bytes", total)
				}
			}})
			text, readErr := os.ReadFile(to)
			if readErr != nil {
				t.Fatal(readErr)
			}
			files, globErr := filepath.Glob(filepath.Join(dir, "*"))
			if globErr != nil || len(files) != 1 {
				t.Errorf("the folder has %v", files)
			}
			if tc.want != "" {
				wantError[*ConnectionError](t, err)
				if !strings.Contains(err.Error(), tc.want) && tc.want != "connection" || string(text) != "old" {
					t.Errorf("got %v and %d bytes", err, len(text))
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(text, content) || got.Verified != tc.verified || got.SHA256 != digest || got.Size != int64(len(content)) || last != got.Size || tc.server.ranges.Load() != tc.ranges {
				t.Errorf("got %+v with %d ranges, progress %d", got, tc.server.ranges.Load(), last)
			}
		})
	}
}

func TestDownloadsAtTheSameTimeDoNotDisturbEachOther(t *testing.T) {
	t.Parallel()
	content := bytes.Repeat([]byte("0123456789abcdef"), 20_000)
	sum := sha256.Sum256(content)
	server := httptest.NewServer(&fileServer{content: content, etag: `"` + hex.EncodeToString(sum[:]) + `"`})
	t.Cleanup(server.Close)
	c := clientOf(t, server.URL+"/api/v1", withClock(newFakeClock(time.Now()).clock()))
	to := filepath.Join(t.TempDir(), "app.zip")
	u := &Update{Link: &DownloadLink{URL: server.URL + "/f/acme/0123456789ab/app.zip"}, client: c}
	var within sync.Once
	_, err := u.Download(t.Context(), to, &DownloadOptions{OnProgress: func(int64, int64) {
		within.Do(func() {
			if _, err := u.Download(t.Context(), to, nil); err != nil {
				t.Error(err)
			}
		})
	}})
	got, readErr := os.ReadFile(to)
	if err != nil || readErr != nil || !bytes.Equal(got, content) {
		t.Errorf("got %d bytes, %v, %v", len(got), err, readErr)
	}
	if files, err := filepath.Glob(to + "*"); err != nil || len(files) != 1 {
		t.Errorf("the folder has %v, %v", files, err)
	}
}

func TestWhatStandsInThePlaceOfThePartialFileIsNotFollowed(t *testing.T) {
	t.Parallel()
	content := []byte("content")
	sum := sha256.Sum256(content)
	digest := hex.EncodeToString(sum[:])
	server := httptest.NewServer(&fileServer{content: content, etag: `"` + digest + `"`})
	t.Cleanup(server.Close)
	dir := t.TempDir()
	to, victim := filepath.Join(dir, "app.zip"), filepath.Join(dir, "victim")
	if err := os.WriteFile(victim, []byte("untouched"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, to+"."+digest[:16]+".part"); err != nil {
		t.Skipf("makes no symbolic links here (on Windows, turn on the developer mode): %v", err)
	}
	u := &Update{Link: &DownloadLink{URL: server.URL + "/f/acme/0123456789ab/app.zip"}, client: clientOf(t, server.URL+"/api/v1")}
	if _, err := u.Download(t.Context(), to, nil); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(victim)
	if info, statErr := os.Lstat(to); err != nil || statErr != nil || string(text) != "untouched" || !info.Mode().IsRegular() {
		t.Errorf("the other file has %q, the target is %v, %v, %v", text, info, err, statErr)
	}
}

func TestDownloadsThatAreRefusedAtOnce(t *testing.T) {
	t.Parallel()
	c := clientOf(t, "https://svc.example.com/api/v1")
	for name, link := range map[string]*DownloadLink{
		"no link": nil, "ftp": {URL: "ftp://dl.example.com/a"}, "no encryption": {URL: "http://dl.example.com/a"}, "no address": {URL: "a.zip"},
	} {
		_, err := (&Update{Link: link, client: c}).Download(t.Context(), filepath.Join(t.TempDir(), "a"), nil)
		if _, ok := errors.AsType[*UsageError](err); !ok {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestADownloadThatIsCancelledLeavesNothing(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write([]byte("some"))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	c := clientOf(t, server.URL+"/api/v1")
	dir := t.TempDir()
	u := &Update{Link: &DownloadLink{URL: server.URL + "/a"}, client: c}
	_, err := u.Download(ctx, filepath.Join(dir, "a"), &DownloadOptions{OnProgress: func(int64, int64) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) > 0 {
		t.Errorf("%v is left", files)
	}
}

func FuzzPickLink(f *testing.F) {
	f.Add("linux", "amd64", "https://dl.example.com/app-linux-x86_64.tar.gz?x=1#y", "Linux (64-bit)", "linux/arm64")
	f.Add("windows", "", "a%zz/..exe", "", " ")
	f.Fuzz(func(t *testing.T, platform, arch, link, name, on string) {
		links := []DownloadLink{{URL: link, Name: name, Platform: on}}
		got := pickLink(platform, arch, links)
		if got != nil && got != &links[0] || platform == "" && got != nil {
			t.Errorf("got %+v", got)
		}
		// A link that names one platform does not fit any other platform.
		if strings.TrimSpace(on) == "linux" && platform != "linux" && got != nil {
			t.Error("a link for linux is taken elsewhere")
		}
		isOwnLink(link)
		parseMemory(link)
	})
}
