package svcsdk

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
)

// InstallOptions select what is reported automatically.
type InstallOptions struct {
	// Level is the least level of log records that are reported, slog.LevelError when nil.
	Level slog.Leveler
	// Redact may change every report before it waits to be sent, or drop it by returning false. It
	// runs in the goroutine that reports, for [Logs.Capture] too.
	Redact func(Report) (Report, bool)
}

// Install reports records of the default logger of log/slog, and the panic or fatal error that
// ended the program: the runtime writes that to a file beside the state of event collection, and
// the next Install reports it. Returned is a function that undoes it.
//
// Panics of goroutines are only known at the next start. Where that is too late, defer
// [Logs.Recover].
func (l *Logs) Install(opts *InstallOptions) (undo func()) {
	var o InstallOptions
	if opts != nil {
		o = *opts
	}
	l.mu.Lock()
	before := l.redact
	l.redact = o.Redact
	l.mu.Unlock()

	logger, writer, flags := slog.Default(), log.Writer(), log.Flags()
	slog.SetDefault(slog.New(l.Handler(logger.Handler(), o.Level)))
	if fmt.Sprintf("%T", logger.Handler()) == "*slog.defaultHandler" {
		// That handler writes to package log, which SetDefault has just told to write to slog.
		log.SetOutput(writer)
		log.SetFlags(flags)
	}
	stopCrash := l.watchCrash()
	return sync.OnceFunc(func() {
		stopCrash()
		slog.SetDefault(logger)
		l.mu.Lock()
		l.redact = before
		l.mu.Unlock()
	})
}

// watchCrash reports what an earlier process left, and has the runtime write there.
func (l *Logs) watchCrash() (stop func()) {
	o := &l.client.config.analytics
	dir, project := stateDir(), l.client.ProjectKey()
	if dir == "" || project == "" || o.Persistence == PersistNone {
		return func() {}
	}
	ns := o.Namespace
	if ns == "" {
		ns = namespace(l.client.base, project)
	}
	path := filepath.Join(dir, stateFileStem(ns)+".crash")
	l.reportCrash(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return func() {}
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return func() {}
	}
	err = debug.SetCrashOutput(file, debug.CrashOptions{})
	// The runtime has a copy of the descriptor.
	if closed := file.Close(); err != nil || closed != nil {
		l.client.logger.Debug("crashes cannot be kept for the next start")
	}
	return func() {
		forgetCrash()
		// Nothing was written: what is empty is not left behind.
		if info, err := os.Stat(path); err == nil && info.Size() == 0 {
			_ = os.Remove(path)
		}
	}
}

// forgetCrash stops what watchCrash has begun.
func forgetCrash() { _ = debug.SetCrashOutput(nil, debug.CrashOptions{}) }

// reportCrash reports what is in the file of crashes and empties it.
func (l *Logs) reportCrash(path string) {
	text, err := os.ReadFile(path)
	if err != nil || len(text) == 0 {
		return
	}
	if err := os.Truncate(path, 0); err != nil {
		return // it would be reported at every start
	}
	if f, ok := parseCrash(string(text)); ok {
		l.capture(f, &CaptureOptions{Source: sourceUncaught})
	}
}

// Handler returns a handler of log/slog that passes records on to next, and reports those of at
// least this level, slog.LevelError when it is nil.
func (l *Logs) Handler(next slog.Handler, level slog.Leveler) slog.Handler {
	if level == nil {
		level = slog.LevelError
	}
	return &logsHandler{next: next, level: level, logs: l}
}

// logsHandler reports records. attrs are the attributes of With, with their groups.
type logsHandler struct {
	next   slog.Handler
	level  slog.Leveler
	logs   *Logs
	attrs  []slog.Attr
	prefix string
}

// Enabled reports whether next or the reports want records of a level.
func (h *logsHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= h.level.Level() || h.next.Enabled(ctx, level)
}

// Handle reports a record and passes it on.
func (h *logsHandler) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= h.level.Level() && ctx.Value(ownRecord{}) == nil {
		h.report(r)
	}
	if !h.next.Enabled(ctx, r.Level) {
		return nil
	}
	return h.next.Handle(ctx, r)
}

func (h *logsHandler) report(r slog.Record) {
	f := fault{message: r.Message}
	if r.PC != 0 {
		f.frames = framesOf([]uintptr{r.PC})
	}
	custom := map[string]any{}
	add := func(a slog.Attr) {
		value := a.Value.Resolve()
		if err, ok := value.Any().(error); ok {
			f.kind = fmt.Sprintf("%T", err)
			f.message = r.Message + ": " + safeText(err)
		}
		addAttr(custom, a.Key, value)
	}
	for _, a := range h.attrs {
		add(a)
	}
	r.Attrs(func(a slog.Attr) bool {
		a.Key = h.prefix + a.Key
		add(a)
		return true
	})
	level := reportLevel(r.Level)
	h.logs.capture(f, &CaptureOptions{Level: &level, Source: packageOf(r.PC), CustomData: custom})
}

// addAttr adds an attribute; those of groups have the names of the groups before theirs.
func addAttr(custom map[string]any, key string, value slog.Value) {
	switch value.Kind() {
	case slog.KindGroup:
		for _, a := range value.Group() {
			addAttr(custom, key+"."+a.Key, a.Value.Resolve())
		}
	case slog.KindBool, slog.KindInt64, slog.KindUint64:
		custom[key] = value.Any()
	default:
		custom[key] = value.String()
	}
}

func reportLevel(level slog.Level) LogLevel {
	switch {
	case level < slog.LevelInfo:
		return LogDebug
	case level < slog.LevelWarn:
		return LogInfo
	case level < slog.LevelError:
		return LogWarning
	}
	return LogError
}

// WithAttrs returns a handler that adds these attributes to records.
func (h *logsHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	other := *h
	other.next = h.next.WithAttrs(attrs)
	other.attrs = append([]slog.Attr(nil), h.attrs...)
	for _, a := range attrs {
		a.Key = h.prefix + a.Key
		other.attrs = append(other.attrs, a)
	}
	return &other
}

// WithGroup returns a handler that puts the attributes of records into a group.
func (h *logsHandler) WithGroup(name string) slog.Handler {
	other := *h
	other.next = h.next.WithGroup(name)
	if name != "" {
		other.prefix = h.prefix + name + "."
	}
	return &other
}

// ownRecord marks records of this library in their context: a record about sending a report must
// not become a report.
type ownRecord struct{}

// ownHandler marks records.
type ownHandler struct{ slog.Handler }

// Handle passes a record on with the mark.
func (h ownHandler) Handle(ctx context.Context, r slog.Record) error {
	return h.Handler.Handle(context.WithValue(ctx, ownRecord{}, true), r)
}

// WithAttrs keeps the mark.
func (h ownHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return ownHandler{h.Handler.WithAttrs(attrs)}
}

// WithGroup keeps the mark.
func (h ownHandler) WithGroup(name string) slog.Handler { return ownHandler{h.Handler.WithGroup(name)} }
