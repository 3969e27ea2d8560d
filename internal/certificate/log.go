package certificate

import (
	"context"
	"log/slog"
	"time"

	"go.uber.org/zap/zapcore"
)

// logCore writes what certmagic logs to our log, a level lower or two: what it
// calls information are its single steps, what it warns of is tried again at
// once, and behind an error stands when it is tried again.
type logCore struct{ handler slog.Handler }

// Enabled reports whether lines of a level are written.
func (c logCore) Enabled(level zapcore.Level) bool {
	return c.handler.Enabled(context.Background(), slogLevel(level))
}

// With is a core whose lines all have the fields.
func (c logCore) With(fields []zapcore.Field) zapcore.Core {
	return logCore{c.handler.WithAttrs(attributes(fields))}
}

// Check registers the core for an entry that it writes.
func (c logCore) Check(e zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(e.Level) {
		return checked.AddCore(e, c)
	}
	return checked
}

// Write writes one line.
func (c logCore) Write(e zapcore.Entry, fields []zapcore.Field) error {
	line := slog.NewRecord(e.Time, slogLevel(e.Level), "automatic certificates: "+e.Message, 0)
	line.AddAttrs(attributes(fields)...)
	return c.handler.Handle(context.Background(), line)
}

// Sync has nothing to do: lines do not wait in here.
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
