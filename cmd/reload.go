package cmd

import (
	"context"
	"log/slog"
	"os"
	"slices"
	"syscall"
	"time"

	"svc/internal/setting"
)

// reloadable is a part of the server that can be reconfigured while the server is running. keys
// lists the settings that the part uses. apply configures the part. It is called on every reload,
// even if the settings are the same, because the content of a file named by a setting may have
// changed.
type reloadable struct {
	keys  []string
	apply func(*setting.Settings) error
}

// reloader reloads the settings of a running server.
type reloader struct {
	load  func() (*setting.Settings, error)
	parts []reloadable
	log   *slog.Logger      // logs at every level, because the administrator has requested the reload
	texts map[string]string // the texts of the settings in effect, by key
}

// newReloader returns a reloader that compares new settings with s. The caller must not have
// replaced any values in s.
func newReloader(s *setting.Settings, load func() (*setting.Settings, error), log *slog.Logger) *reloader {
	return &reloader{load: load, log: log, texts: settingTexts(s)}
}

func settingTexts(s *setting.Settings) map[string]string {
	texts := map[string]string{}
	for _, v := range s.Values() {
		texts[v.Key] = v.Text
	}
	return texts
}

// reload reads the settings and applies those that can change while the server is running. It logs
// the names of other settings that have changed. If the settings cannot be read, it changes
// nothing.
func (r *reloader) reload() {
	s, err := r.load()
	if err != nil {
		r.log.Warn("settings not reloaded; nothing has changed", "error", err)
		return
	}
	for _, warning := range s.Warnings {
		r.log.Warn("setting", "warning", warning)
	}
	applied, restart := []string{}, []string{}
	texts := settingTexts(s)
	known := map[string]bool{}
	for _, part := range r.parts {
		for _, key := range part.keys {
			known[key] = true
		}
		if err := part.apply(s); err != nil {
			r.log.Warn("setting not applied; its previous value stays in effect", "settings", part.keys, "error", err)
			continue
		}
		for _, key := range part.keys {
			if r.texts[key] != texts[key] {
				applied = append(applied, key)
				r.texts[key] = texts[key]
			}
		}
	}
	for _, v := range s.Values() {
		if !known[v.Key] && r.texts[v.Key] != texts[v.Key] {
			restart = append(restart, v.Key)
		}
	}
	slices.Sort(applied)
	r.log.Info("settings reloaded", "changed", applied)
	if len(restart) > 0 {
		r.log.Warn("other settings have changed; they take effect at the next start", "settings", restart)
	}
}

// listenToSignals reloads the settings on SIGHUP and logs the server's state on SIGUSR1, if the
// system has that signal.
func (p *program) listenToSignals(i *service, r *reloader, m *manager, log *slog.Logger) (stop func()) {
	calls := map[os.Signal]func(){syscall.SIGHUP: func() { m.reloading(r.reload) }}
	for _, s := range stateSignals {
		calls[s] = func() {
			status := i.handler.Control.Status()
			logStatus(log, &status)
		}
	}
	return onSignals(calls)
}

// drain returns a context that ends when the given delay has passed after the end of ctx. It calls
// the function stopping when ctx ends. During the delay, the server still serves requests.
func drain(ctx context.Context, delay time.Duration, stopping func(), log *slog.Logger) (later context.Context, release func()) {
	later, cancel := context.WithCancel(context.WithoutCancel(ctx))
	undo := context.AfterFunc(ctx, func() {
		stopping()
		if delay > 0 {
			log.Warn("shutdown delayed; still serving requests", "delay", delay.String())
			<-time.After(delay)
		}
		cancel()
	})
	return later, func() {
		undo()
		cancel()
	}
}
