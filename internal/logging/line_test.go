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

// record is like a line of the access log.
func record(message string, attrs ...slog.Attr) slog.Record {
	r := slog.NewRecord(time.Date(2026, 11, 21, 22, 49, 30, 120_000_000, time.FixedZone("", 3600)), slog.LevelInfo, message, 0)
	r.AddAttrs(attrs...)
	return r
}

// both are what this package and slog make of a record.
func both(t *testing.T, r slog.Record) (got, want string) {
	t.Helper()
	var ours, theirs bytes.Buffer
	log, flush := logging.New(&ours, true, slog.LevelInfo)
	if err := log.Handler().Handle(context.Background(), r.Clone()); err != nil {
		t.Fatal(err)
	}
	flush()
	if err := slog.NewJSONHandler(&theirs, nil).Handle(context.Background(), r.Clone()); err != nil {
		t.Fatal(err)
	}
	return ours.String(), theirs.String()
}

func TestLinesAreThoseOfSlog(t *testing.T) {
	t.Parallel()
	bare := record("request")
	bare.Time = time.Time{}
	late := record("request")
	late.Time = late.Time.AddDate(9000, 0, 0)
	level := record("request")
	level.Level = slog.LevelInfo + 1
	for _, tc := range []struct {
		rule   string
		record slog.Record
	}{
		{"no attributes", record("stopped")},
		{"texts and numbers", record("request", slog.String("method", "GET"), slog.Int("status", 200), slog.Int64("us", -7))},
		{"more than a record has room for", record("r", slog.Int("a", 1), slog.Int("b", 2), slog.Int("c", 3), slog.Int("d", 4), slog.Int("e", 5), slog.Int("f", 6))},
		{"long text", record("request", slog.String("path", strings.Repeat("x", 2000)))},
		{"text with quotes", record("request", slog.String("path", `/a"b\c`))},
		{"text with control characters", record("request", slog.String("path", "/a\nb\x7f"))},
		{"text beyond ASCII", record("request", slog.String("path", "/größe"))},
		{"text that is no UTF-8", record("request", slog.String("path", "/\xff"))},
		{"characters that matter in HTML", record("request", slog.String("path", "/<a>&b"))},
		{"message with quotes", record(`"so"`)},
		{"key with quotes", record("request", slog.Int(`"k"`, 1))},
		{"empty attribute", record("request", slog.Attr{}, slog.Int("a", 1))},
		{"other kinds", record("request", slog.Bool("a", true), slog.Duration("b", time.Second), slog.Any("c", []int{1}))},
		{"group", record("request", slog.Group("g", slog.Int("a", 1)))},
		{"level between two names", level},
		{"no time", bare},
		{"year of five digits", late},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			t.Parallel()
			if got, want := both(t, tc.record); got != want {
				t.Errorf("line\n%swant\n%s", got, want)
			}
		})
	}
}

func FuzzLine(f *testing.F) {
	f.Add("request", "path", "/api/v1/health", int64(200))
	f.Add("a\"b", "", "\xff", int64(-1))
	f.Fuzz(func(t *testing.T, message, key, text string, number int64) {
		got, want := both(t, record(message, slog.String(key, text), slog.Int64(key, number)))
		if got != want {
			t.Errorf("line\n%swant\n%s", got, want)
		}
	})
}

func BenchmarkLine(b *testing.B) {
	r := record("request", slog.String("method", "POST"), slog.String("route", "/api/v1/public/:k/versions/check-update"),
		slog.String("path", "/api/v1/public/desktop-app/versions/check-update"), slog.Int("status", 200), slog.Int("bytes", 9000),
		slog.Int64("us", 15), slog.String("address", "203.0.113.7"), slog.String("id", "3f2a9c01-1k"))
	log, _ := logging.New(discard{}, true, slog.LevelInfo)
	b.Run("logging", func(b *testing.B) {
		for b.Loop() {
			_ = log.Handler().Handle(context.Background(), r)
		}
	})
	theirs := slog.NewJSONHandler(discard{}, nil)
	b.Run("slog", func(b *testing.B) {
		for b.Loop() {
			_ = theirs.Handle(context.Background(), r)
		}
	})
}

// discard is a writer like the file of a log, only faster.
type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }
