package certificate

import (
	"context"
	"log/slog"
	"time"

	"go.uber.org/zap/zapcore"
)

// logCore forwards certmagic's log to the server's log at lower levels: errors become
// warnings, and everything else becomes debug. In certmagic, an info entry describes a
// single step, a warning is followed by an immediate retry, and an error contains the time
// of the next retry.
type logCore struct{ handler slog.Handler }

// Enabled reports whether entries of the given level are written.
func (c logCore) Enabled(level zapcore.Level) bool {
	return c.handler.Enabled(context.Background(), slogLevel(level))
}

// With returns a core that adds fields to all entries.
func (c logCore) With(fields []zapcore.Field) zapcore.Core {
	return logCore{c.handler.WithAttrs(attributes(fields))}
}

// Check adds the core to an entry if the core writes that entry.
func (c logCore) Check(e zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(e.Level) {
		return checked.AddCore(e, c)
	}
	return checked
}

// Write writes one entry.
func (c logCore) Write(e zapcore.Entry, fields []zapcore.Field) error {
	line := slog.NewRecord(e.Time, slogLevel(e.Level), "automatic certificates: "+e.Message, 0)
	line.AddAttrs(attributes(fields)...)
	return c.handler.Handle(context.Background(), line)
}

// Sync does nothing, because entries are not buffered.
func (logCore) Sync() error { return nil }

func slogLevel(level zapcore.Level) slog.Level {
	if level < zapcore.ErrorLevel {
		return slog.LevelDebug
	}
	return slog.LevelWarn
}

func attributes(fields []zapcore.Field) []slog.Attr {
	attrs := make([]slog.Attr, 0, len(fields))
	for _, f := range fields {
		values := zapcore.NewMapObjectEncoder()
		f.AddTo(values)
		for key, value := range values.Fields {
			if d, ok := value.(time.Duration); ok {
				value = d.String()
			}
			attrs = append(attrs, slog.Any(key, value))
		}
	}
	return attrs
}
