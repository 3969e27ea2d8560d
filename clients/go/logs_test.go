package svcsdk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"
)

// reportServer stores the reports that it receives.
type reportServer struct {
	mu      sync.Mutex
	status  []int // statuses of the next responses; 201 when it is empty
	reports []LogInput
}

func (s *reportServer) RoundTrip(h *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.status) > 0 {
		status := s.status[0]
		s.status = s.status[1:]
		return answerOf(h, status, "{}"), nil
	}
	var in LogInput
	if err := json.NewDecoder(h.Body).Decode(&in); err != nil {
		return nil, err
	}
	s.reports = append(s.reports, in)
	return answerOf(h, http.StatusCreated, "{}"), nil
}

// last returns the last report and the number of reports.
func (s *reportServer) last() (LogInput, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.reports) == 0 {
		return LogInput{}, 0
	}
	return s.reports[len(s.reports)-1], len(s.reports)
}

func reporting(t *testing.T, opts ...Option) (*Client, *reportServer, *fakeClock) {
	t.Helper()
	server, fake := &reportServer{}, newFakeClock(time.Unix(0, 0))
	opts = append([]Option{WithHTTPClient(&http.Client{Transport: server}), withClock(fake.clock()), WithAppVersion("1.2")}, opts...)
	return clientOf(t, testBase, opts...), server, fake
}

func TestVectorsOfReports(t *testing.T) {
	t.Parallel()
	for _, tc := range vectors[[]struct{ Type, Message, Frame, Out string }](t, "error_fingerprint") {
		f := fault{kind: tc.Type, message: tc.Message}
		if tc.Frame != "" {
			f.frames = []frame{{function: tc.Frame}}
		}
		if got := f.fingerprint(); got != tc.Out {
			t.Errorf("%+v: got %s", tc, got)
		}
	}
	for _, tc := range vectors[[]struct {
		Type, Message, Stack, End string
		Repeat, Characters        int
		Out                       *string
	}](t, "error_content") {
		f := fault{kind: tc.Type, message: tc.Message}
		if tc.Stack != "" {
			f.frames = []frame{{function: strings.Repeat(tc.Stack, tc.Repeat)}}
		}
		got := f.content()
		if tc.Out != nil && got != *tc.Out || tc.Out == nil && (utf8.RuneCountInString(got) != tc.Characters || !strings.HasSuffix(got, tc.End)) {
			t.Errorf("%+v: got %d characters", tc, utf8.RuneCountInString(got))
		}
	}
	for _, tc := range vectors[[]struct {
		Name  string
		Steps [][2]json.RawMessage
	}](t, "error_limits") {
		t.Run(tc.Name, func(t *testing.T) {
			t.Parallel()
			c, server, fake := reporting(t)
			for _, step := range tc.Steps {
				switch string(step[0]) {
				case `"capture"`:
					c.Logs.capture(fault{kind: "Error", message: strings.Trim(string(step[1]), `"`)}, nil)
				case `"advance"`:
					var seconds time.Duration
					if err := json.Unmarshal(step[1], &seconds); err != nil {
						t.Fatal(err)
					}
					fake.advance(seconds*time.Second, seconds*time.Second)
				default:
					c.Logs.Flush(t.Context())
					got := []map[string]any{}
					for _, r := range server.reports {
						custom, _ := r.CustomData.Get()
						delete(custom, "fingerprint")
						custom["message"] = strings.TrimPrefix(r.Content, "Error: ")
						got = append(got, custom)
					}
					if text := canonical(t, got); text != canonical(t, step[1]) {
						t.Errorf("got %s, want %s", text, step[1])
					}
					for i, r := range server.reports { // restore the reports, which the next expectation reads again
						delete(got[i], "message")
						server.reports[i] = r
					}
				}
			}
		})
	}
}

func TestReportsSayWhereAndOnWhat(t *testing.T) {
	t.Parallel()
	c, server, _ := reporting(t, WithPlatform("linux"), WithPlatformVersion("debian 13"))
	c.Logs.Capture(nil, nil)
	c.Logs.Capture(fmt.Errorf("open: %w", os.ErrNotExist), &CaptureOptions{Level: new(LogWarning), Source: strings.Repeat("s", 200), CustomData: map[string]any{"file": "x"}})
	c.Logs.Flush(t.Context())
	r, n := server.last()
	info, _ := r.DeviceInfo.Get()
	custom, _ := r.CustomData.Get()
	source, _ := r.Source.Get()
	if n != 1 || r.Level != LogWarning || !strings.HasPrefix(r.Content, "*fmt.wrapError: open: file does not exist\ngo.TestReportsSayWhereAndOnWhat (logs_test.go:") || len(source) != 128 ||
		info["os"] != "linux" || info["os_version"] != "debian 13" || info["app_version"] != "1.2" || custom["file"] != "x" || custom["fingerprint"] == nil {
		t.Errorf("%d reports, the last is %+v", n, r)
	}
	c.SetPlatform("")
	c.Logs.Capture(errors.New("another"), nil)
	c.Logs.Flush(t.Context())
	r, _ = server.last()
	if info, _ := r.DeviceInfo.Get(); info["os"] != nil || info["os_version"] != nil {
		t.Errorf("the system is told: %v", info)
	}
}

func TestCustomDataIsTakenAsItIsThen(t *testing.T) {
	t.Parallel()
	c, server, _ := reporting(t)
	later := map[string]any{"a": 1}
	c.Logs.Capture(errors.New("boom"), &CaptureOptions{CustomData: map[string]any{"later": later, "nan": math.NaN(), "func": func() {}}})
	later["a"] = 2
	c.Logs.Flush(t.Context())
	in, _ := server.last()
	custom, _ := in.CustomData.Get()
	if got := fmt.Sprint(custom["later"]); got != "map[a:1]" || custom["fingerprint"] == nil || custom["nan"] != nil {
		t.Errorf("got %v", custom)
	}
}

func TestReportsWaitForTheServer(t *testing.T) {
	t.Parallel()
	c, server, _ := reporting(t)
	server.status = []int{503, 429, 403}
	c.Logs.capture(fault{message: "kept"}, nil)
	if left := c.Logs.Flush(t.Context()); left != 1 {
		t.Errorf("%d left while the server does not take it", left)
	}
	for c.Logs.Flush(t.Context()) > 0 {
		runtime.Gosched()
	}
	if _, n := server.last(); n != 0 || len(server.status) != 0 {
		t.Errorf("%d reports arrived, %d answers are left", n, len(server.status))
	}
}

func TestInstallReportsRecordsOfTheDefaultLogger(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	var own bytes.Buffer
	c, server, fake := reporting(t, WithLogger(slog.New(slog.NewTextHandler(&own, &slog.HandlerOptions{Level: slog.LevelDebug}))))
	before := slog.Default()
	undo := c.Logs.Install(&InstallOptions{Level: slog.LevelWarn, Redact: func(r Report) (Report, bool) {
		delete(r.CustomData, "password")
		if strings.Contains(r.Content, "panic in redact") {
			panic("no")
		}
		return r, !strings.Contains(r.Content, "secret")
	}})
	slog.Info("not this")
	slog.With("app", "notes").WithGroup("db").Warn("slow", "table", "t", "password", "x")
	c.Logs.Flush(t.Context())
	r, n := server.last()
	custom, _ := r.CustomData.Get()
	source, _ := r.Source.Get()
	if n != 1 || r.Level != LogWarning || !strings.HasPrefix(r.Content, "slow\n") || custom["db.table"] != "t" || custom["app"] != "notes" || source != "svc/clients/go" {
		t.Errorf("%d reports, the last is %+v", n, r)
	}
	slog.Error("secret")
	slog.Error("panic in redact")
	fake.advance(0, time.Hour)
	slog.Error("failed", "err", fmt.Errorf("disk: %w", os.ErrPermission))
	c.Logs.Flush(t.Context())
	if r, n := server.last(); n != 2 || !strings.HasPrefix(r.Content, "*fmt.wrapError: failed: disk: permission denied\n") {
		t.Errorf("%d reports, the last is %+v", n, r)
	}
	undo()
	undo()
	slog.Error("after")
	c.Logs.Flush(t.Context())
	if _, n := server.last(); n != 2 || slog.Default() != before {
		t.Errorf("%d reports; the default logger is changed: %t", n, slog.Default() != before)
	}
}

// TestRecordsOfTheLibraryAreNoReports checks that the library does not report its own log records.
// Otherwise it would report them without end.
func TestRecordsOfTheLibraryAreNoReports(t *testing.T) {
	t.Parallel()
	server := &reportServer{}
	c := clientOf(t, testBase, WithHTTPClient(&http.Client{Transport: server}))
	logger := slog.New(ownHandler{c.Logs.Handler(slog.DiscardHandler, slog.LevelDebug)})
	logger.With("a", 1).WithGroup("g").Debug("request")
	if c.Logs.Flush(t.Context()); len(server.reports) > 0 {
		t.Errorf("got %+v", server.reports)
	}
}

// crashes runs the test binary as an app that panics.
func crashes() {
	c, err := New(os.Getenv("SVC_TEST_CRASH"), WithProject("acme"))
	if err != nil {
		os.Exit(2)
	}
	c.Logs.Install(nil)
	go func() {
		if os.Getenv("SVC_TEST_RECOVER") != "" {
			defer c.Logs.Recover()
		}
		names := make([]string, len(os.Args))
		fmt.Println(names[len(os.Args)])
	}()
	select {} // wait until the panic ends the program
}

func TestMain(m *testing.M) {
	if os.Getenv("SVC_TEST_CRASH") != "" {
		crashes()
		os.Exit(2)
	}
	os.Exit(m.Run())
}

// TestPanicsAreReported checks that a panic is reported at the next start of the program, or
// immediately if the goroutine defers Recover.
//
//nolint:paralleltest // Install changes the default logger and the environment.
func TestPanicsAreReported(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, recovers := range map[string]bool{"at the next start": false, "by Recover": true} {
		t.Run(name, func(t *testing.T) {
			dir, _ := stateIn(t)
			var mu sync.Mutex
			var reports []LogInput
			c := served(t, func(w http.ResponseWriter, r *http.Request) {
				var in LogInput
				if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				reports = append(reports, in)
				w.WriteHeader(http.StatusCreated)
			}, WithAnalytics(AnalyticsOptions{}))
			app := exec.Command(self)
			app.Env = append(os.Environ(), "SVC_TEST_CRASH="+c.base)
			if recovers {
				app.Env = append(app.Env, "SVC_TEST_RECOVER=1")
			}
			out, err := app.CombinedOutput()
			if err == nil || !bytes.Contains(out, []byte("index out of range")) {
				t.Fatalf("the app ends with %v\n%s", err, out)
			}
			c.Logs.Install(nil)()
			c.Logs.Flush(t.Context())
			mu.Lock()
			defer mu.Unlock()
			if len(reports) != 1 || !strings.Contains(reports[0].Content, "index out of range") || !strings.Contains(reports[0].Content, "\ngo.crashes.func1 (logs_test.go:") {
				t.Errorf("got %+v", reports)
			}
			if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) > 0 {
				t.Errorf("%v is left", files)
			}
		})
	}
}

func FuzzParseCrash(f *testing.F) {
	f.Add("panic: boom\n\ngoroutine 1 [running]:\nmain.load(...)\n\t/home/me/app/main.go:5\nmain.main()\n\t/home/me/app/main.go:9 +0x1d\n")
	f.Add("fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [chan receive]:\nmain.main()\n\tC:/app/main.go:4 +0x2c\nexit status 2\n")
	f.Fuzz(func(t *testing.T, text string) {
		crash, ok := parseCrash(text)
		if content := crash.content(); ok && utf8.RuneCountInString(content) > mostContent {
			t.Errorf("%d characters", utf8.RuneCountInString(content))
		}
		for _, frame := range crash.frames {
			if strings.ContainsAny(frame.file, `/\`) {
				t.Errorf("%q tells a folder", frame.file)
			}
		}
	})
}
