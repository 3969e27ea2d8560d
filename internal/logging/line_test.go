package logging_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"svc/internal/logging"
)

// moment is the time of the lines that the tests log.
var moment = time.Date(2026, 11, 21, 22, 49, 30, 120_000_000, time.FixedZone("", 3600))

// both returns the lines that this package and slog write for the same arguments.
func both(t *testing.T, at time.Time, message string, attrs ...slog.Attr) (got, want string) {
	t.Helper()
	var ours, theirs bytes.Buffer
	log, flush := logging.New(&ours, true, slog.LevelInfo)
	logging.Info(log, at, message, attrs)
	flush()
	r := slog.NewRecord(at, slog.LevelInfo, message, 0)
	r.AddAttrs(attrs...)
	if err := slog.NewJSONHandler(&theirs, nil).Handle(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	return ours.String(), theirs.String()
}

func TestLinesAreThoseOfSlog(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		rule    string
		at      time.Time
		message string
		attrs   []slog.Attr
	}{
		{"no attributes", moment, "stopped", nil},
		{"texts and numbers", moment, "request", []slog.Attr{slog.String("method", "GET"), slog.Int("status", 200), slog.Int64("us", -7)}},
		{"many attributes", moment, "r", []slog.Attr{slog.Int("a", 1), slog.Int("b", 2), slog.Int("c", 3), slog.Int("d", 4), slog.Int("e", 5), slog.Int("f", 6)}},
		{"long text", moment, "request", []slog.Attr{slog.String("path", strings.Repeat("x", 2000))}},
		{"text with quotes", moment, "request", []slog.Attr{slog.String("path", `/a"b\c`)}},
		{"text with control characters", moment, "request", []slog.Attr{slog.String("path", "/a\nb\x7f")}},
		{"text beyond ASCII", moment, "request", []slog.Attr{slog.String("path", "/größe")}},
		{"text that is no UTF-8", moment, "request", []slog.Attr{slog.String("path", "/\xff")}},
		{"characters that matter in HTML", moment, "request", []slog.Attr{slog.String("path", "/<a>&b")}},
		{"message with quotes", moment, `"so"`, nil},
		{"key with quotes", moment, "request", []slog.Attr{slog.Int(`"k"`, 1)}},
		{"empty attribute", moment, "request", []slog.Attr{{}, slog.Int("a", 1)}},
		{"other kinds", moment, "request", []slog.Attr{slog.Bool("a", true), slog.Duration("b", time.Second), slog.Any("c", []int{1})}},
		{"group", moment, "request", []slog.Attr{slog.Group("g", slog.Int("a", 1))}},
		{"no time", time.Time{}, "request", nil},
		{"year of five digits", moment.AddDate(9000, 0, 0), "request", nil},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			t.Parallel()
			if got, want := both(t, tc.at, tc.message, tc.attrs...); got != want {
				t.Errorf("line\n%swant\n%s", got, want)
			}
		})
	}
}

// TestInfoOfAnyLog checks that Info also works with a log that adds attributes or writes text.
func TestInfoOfAnyLog(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log, flush := logging.New(&out, true, slog.LevelInfo)
	logging.Info(log.With("a", 1), moment, "one", []slog.Attr{slog.Int("b", 2)})
	flush()
	people, flush := logging.New(&out, false, slog.LevelInfo)
	logging.Info(people, moment, "two", []slog.Attr{slog.Int("b", 2)})
	flush()
	if got := out.String(); !strings.Contains(got, `"msg":"one","a":1,"b":2}`) || !strings.Contains(got, "level=INFO msg=two b=2") {
		t.Errorf("got %s", got)
	}
}

func FuzzLine(f *testing.F) {
	f.Add("request", "path", "/api/v1/health", int64(200))
	f.Add("a\"b", "", "\xff", int64(-1))
	f.Fuzz(func(t *testing.T, message, key, text string, number int64) {
		got, want := both(t, moment, message, slog.String(key, text), slog.Int64(key, number))
		if got != want {
			t.Errorf("line\n%swant\n%s", got, want)
		}
	})
}

func BenchmarkLine(b *testing.B) {
	attrs := []slog.Attr{
		slog.String("method", "POST"), slog.String("route", "/api/v1/public/:k/versions/check-update"),
		slog.String("path", "/api/v1/public/desktop-app/versions/check-update"), slog.Int("status", 200), slog.Int("bytes", 9000),
		slog.Int64("us", 15), slog.String("address", "203.0.113.7"), slog.String("id", "3f2a9c01-1k"),
	}
	log, _ := logging.New(discard{}, true, slog.LevelInfo)
	b.Run("logging", func(b *testing.B) {
		for b.Loop() {
			logging.Info(log, moment, "request", attrs)
		}
	})
	theirs := slog.NewJSONHandler(discard{}, nil)
	b.Run("slog", func(b *testing.B) {
		for b.Loop() {
			r := slog.NewRecord(moment, slog.LevelInfo, "request", 0)
			r.AddAttrs(attrs...)
			_ = theirs.Handle(context.Background(), r)
		}
	})
}

// discard is a writer that discards its input as fast as possible.
type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }
