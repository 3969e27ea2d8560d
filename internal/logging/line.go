package logging

import (
	"context"
	"log/slog"
	"strconv"
	"time"
)

// Info logs a line that occurs often, such as a line of the access log. It writes the
// same line as log.Info, but is faster because it does not create a record.
func Info(log *slog.Logger, at time.Time, message string, attrs []slog.Attr) {
	if h, ok := log.Handler().(handler); ok && h.bare {
		var space [512]byte
		line, ok := appendHead(space[:0], at, message)
		for i := 0; ok && i < len(attrs); i++ {
			line, ok = appendAttr(line, attrs[i])
		}
		if ok {
			_, _ = h.writer.Write(append(line, '}', '\n')) // never fails
			return
		}
	}
	r := slog.NewRecord(at, slog.LevelInfo, message, 0)
	r.AddAttrs(attrs...)
	_ = log.Handler().Handle(context.Background(), r) // an error of the log cannot be reported anywhere
}

// appendHead appends the beginning of a line, and appendAttr an attribute. The output is the same
// as that of slog's JSON handler at the level info, but takes less than half the time. They support
// only integers and texts that need no escapes. For other values, ok is false, and the caller must
// discard the returned line.
func appendHead(b []byte, at time.Time, message string) (line []byte, ok bool) {
	if year := at.Year(); at.IsZero() || year < 0 || year > 9999 || !plain(message) {
		return b, false
	}
	b = at.AppendFormat(append(b, `{"time":"`...), time.RFC3339Nano)
	return append(append(append(b, `","level":"INFO","msg":"`...), message...), '"'), true
}

func appendAttr(b []byte, a slog.Attr) (line []byte, ok bool) {
	if a.Key == "" || !plain(a.Key) {
		return b, false
	}
	b = append(append(append(b, ',', '"'), a.Key...), '"', ':')
	switch a.Value.Kind() {
	case slog.KindString:
		text := a.Value.String()
		return append(append(append(b, '"'), text...), '"'), plain(text)
	case slog.KindInt64:
		return strconv.AppendInt(b, a.Value.Int64(), 10), true
	}
	return b, false
}

// plainByte reports for each byte whether JSON can contain it without an escape.
var plainByte = func() (plain [256]bool) {
	for c := range plain {
		plain[c] = c >= ' ' && c <= '~' && c != '"' && c != '\\'
	}
	return plain
}()

// plain reports whether JSON can contain a text without any escapes.
func plain(text string) bool {
	for i := range len(text) {
		if !plainByte[text[i]] {
			return false
		}
	}
	return true
}
