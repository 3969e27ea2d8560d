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

// reloadable is what can change while the server runs: the settings it comes
// from, and what makes them count. apply is called at every reload, because a
// file that a setting names may have another content now.
type reloadable struct {
	keys  []string
	apply func(*setting.Settings) error
}

// reloader reads the settings again.
type reloader struct {
	load  func() (*setting.Settings, error)
	parts []reloadable
	log   *slog.Logger // at every level: a reload was asked for
	texts map[string]string
}

// newReloader starts from settings as they were loaded, before anything was put
// in their place.
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

// reload applies what can change and names what else is different. Settings that
// cannot be read change nothing.
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

// listenToSignals lets a server reload its settings on SIGHUP and write its state
// to the log on SIGUSR1, where there is one.
func (p *program) listenToSignals(i *service, r *reloader, m *manager, log *slog.Logger) (stop func()) {
	calls := map[os.Signal]func(){syscall.SIGHUP: func() { m.reloading(r.reload) }}
	for _, s := range stateSignals {
		calls[s] = func() {
			status := i.handler.Status()
			logStatus(log, &status)
		}
	}
	return onSignals(calls)
}

// drain gives a context that ends some time after ctx. In between the server says
// that it stops and still answers.
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
