package logging_test

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"svc/internal/logging"
)

// output is a buffer that can be read while it is being written.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func TestLinesWaitForOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out output
		log, _ := logging.New(&out, true, slog.LevelInfo)
		log.Debug("too quiet")
		log.Info("one")
		log.With("who", "me").WithGroup("g").Info("two", "n", 2)
		if out.String() != "" {
			t.Errorf("written at once: %s", out.String())
		}
		<-time.After(51 * time.Millisecond) // the fake clock of synctest advances
		synctest.Wait()
		if got := out.String(); strings.Count(got, "\n") != 2 || !strings.Contains(got, `"msg":"one"`) || !strings.Contains(got, `"who":"me","g":{"n":2}`) {
			t.Errorf("after 50 ms: %s", got)
		}
		log.Info("three")
		<-time.After(51 * time.Millisecond)
		synctest.Wait()
		if !strings.Contains(out.String(), `"msg":"three"`) {
			t.Errorf("a later line was not written: %s", out.String())
		}
	})
}

func TestWarningsTakeAlongWhatWaits(t *testing.T) {
	t.Parallel()
	var out output
	log, flush := logging.New(&out, false, slog.LevelInfo)
	defer flush()
	log.Info("before")
	log.With("a", 1).Warn("look")
	if got := out.String(); !strings.Contains(got, "msg=before") || !strings.Contains(got, "level=WARN msg=look a=1") {
		t.Errorf("after a warning: %q", got)
	}
}

func TestManyLinesDoNotWait(t *testing.T) {
	t.Parallel()
	var out output
	log, flush := logging.New(&out, true, slog.LevelInfo)
	for range 1000 {
		log.Info("request", "path", strings.Repeat("x", 100))
	}
	if n := len(out.String()); n < 64<<10 {
		t.Errorf("%d bytes written of 1000 lines, want 64 KiB at least", n)
	}
	flush()
	if n := strings.Count(out.String(), "\n"); n != 1000 {
		t.Errorf("%d lines after flush, want 1000", n)
	}
}
