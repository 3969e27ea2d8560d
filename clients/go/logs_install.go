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

// InstallOptions selects the errors that are reported automatically.
type InstallOptions struct {
	// Level is the minimum level of log records that are reported. The default is slog.LevelError.
	Level slog.Leveler
	// Redact may change a report before it is queued, or drop it by returning false. It also
	// applies to [Logs.Capture], and runs in the goroutine that reports the error.
	Redact func(Report) (Report, bool)
}

// Install creates a [Report] for each record of the default logger of log/slog that has at least
// the level in opts. It also reports the panic or fatal error that ended the previous run of the
// program. The runtime writes such an error to a file in the folder that holds the state of event
// collection. The function undo reverts the effects of Install.
//
// A panic is only reported at the next start. To report it earlier, defer [Logs.Recover] in the
// goroutine.
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
		// This default handler writes to package log. SetDefault has redirected package log to
		// slog, which would be a loop.
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

// watchCrash reports the crash that the crash file of an earlier process describes, and makes the
// runtime write the next crash to the same file.
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
	// The runtime keeps its own copy of the descriptor.
	if closed := file.Close(); err != nil || closed != nil {
		l.client.logger.Debug("crashes cannot be kept for the next start")
	}
	return func() {
		forgetCrash()
		// Do not leave an empty file behind.
		if info, err := os.Stat(path); err == nil && info.Size() == 0 {
			_ = os.Remove(path)
		}
	}
}

// forgetCrash reverts the effect of watchCrash.
func forgetCrash() { _ = debug.SetCrashOutput(nil, debug.CrashOptions{}) }

// reportCrash reports the crash in the file at path and empties the file.
func (l *Logs) reportCrash(path string) {
	text, err := os.ReadFile(path)
	if err != nil || len(text) == 0 {
		return
	}
	if err := os.Truncate(path, 0); err != nil {
		return // do not report it, or it would be reported at every start
	}
	if f, ok := parseCrash(string(text)); ok {
		l.capture(f, &CaptureOptions{Source: sourceUncaught})
	}
}

// Handler returns a slog handler that passes records to the handler next. It also creates a
// [Report] for each record of at least the given level. If level is nil, the minimum is
// slog.LevelError.
func (l *Logs) Handler(next slog.Handler, level slog.Leveler) slog.Handler {
	if level == nil {
		level = slog.LevelError
	}
	return &logsHandler{next: next, level: level, logs: l}
}

// logsHandler creates a [Report] for each log record of at least the given level, and passes
// records to the handler next. attrs holds the attributes from WithAttrs. Their keys begin with the
// names of their groups.
type logsHandler struct {
	next   slog.Handler
	level  slog.Leveler
	logs   *Logs
	attrs  []slog.Attr
	prefix string
}

// Enabled reports whether the handler creates reports for records of the given level, or next
// handles them.
func (h *logsHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= h.level.Level() || h.next.Enabled(ctx, level)
}

// Handle creates a [Report] for a record of sufficient level, and passes the record to h.next.
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

// addAttr adds an attribute to the map custom. The key of an attribute in a group begins with the
// name of the group.
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

// WithAttrs returns a handler that adds the given attributes to its records.
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

// WithGroup returns a handler that puts the attributes of its records into a group.
func (h *logsHandler) WithGroup(name string) slog.Handler {
	other := *h
	other.next = h.next.WithGroup(name)
	if name != "" {
		other.prefix = h.prefix + name + "."
	}
	return &other
}

// ownRecord is the context key of records that this library logs. The handler does not report them,
// because a record about sending a report would otherwise become another report.
type ownRecord struct{}

// ownHandler passes records on with a context that marks them as records of this library.
type ownHandler struct{ slog.Handler }

// Handle marks a record as one of this library and passes it on.
func (h ownHandler) Handle(ctx context.Context, r slog.Record) error {
	return h.Handler.Handle(context.WithValue(ctx, ownRecord{}, true), r)
}

// WithAttrs returns an ownHandler that adds the given attributes to its records.
func (h ownHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return ownHandler{h.Handler.WithAttrs(attrs)}
}

// WithGroup returns an ownHandler that puts the attributes of its records into a group.
func (h ownHandler) WithGroup(name string) slog.Handler { return ownHandler{h.Handler.WithGroup(name)} }
