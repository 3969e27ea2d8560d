package cmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"svc/internal/backup"
	"svc/internal/control"
	"svc/internal/durable"
	"svc/internal/origin"
	"svc/internal/setting"
)

func (p *program) serveCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run the server",
		Long: `Run the server until it is interrupted. The first start makes the data directory,
the secrets and the administrator, and says how to log in.

Every setting can also be an environment variable, and most can be a line of
config.toml; see "svc config". A first interrupt finishes the requests that are being answered, a
second one ends at once.`,
		Example: "  svc serve --data ./data\n  svc serve --data /var/lib/svc --listen :4000",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := p.load(c)
			if err != nil {
				return err
			}
			return p.serve(c.Context(), s, func() (*setting.Settings, error) { return p.load(c) })
		},
	}
	addSettings(c.Flags())
	return c
}

// serve builds the server from the inside out, announces it, runs it until ctx
// ends, and takes it down in reverse. load reads the settings again.
func (p *program) serve(ctx context.Context, s *setting.Settings, load func() (*setting.Settings, error)) (err error) {
	level := &slog.LevelVar{}
	level.Set(s.LogLevel)
	log, flush := newLog(p.stderr, s, level)
	defer flush()
	asked, flushAsked := newLog(p.stderr, s, slog.LevelInfo)
	defer flushAsked()
	reload := newReloader(s, load, asked)
	slog.SetDefault(log) // the search index writes to the standard logger
	for _, warning := range s.Warnings {
		log.Warn("setting", "warning", warning)
	}
	if !exists(s.Data, databaseName) { // nothing is made for a start that must fail
		if err := s.CheckAdminPassword(); err != nil {
			return err
		}
	}
	if _, err := schedule(s); err != nil {
		return err
	}
	geo, err := openGeo(s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, geo.Close()) }()
	files, err := openCertificate(s, log)
	if err != nil {
		return err
	}
	privateFiles()
	limitMemory()
	start := startReport{settings: s}
	if start.newFolder, err = makeFolder(s.Data); err != nil {
		return err
	}
	i, err := takeOver(ctx, s, geo, log)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, i.close()); err == nil {
			log.Info("stopped")
		}
	}()
	if err := dropUpgradeCopies(s.Data, time.Now(), log); err != nil {
		log.Warn("an old copy from before an upgrade was not removed", "error", err)
	}
	defer followGeo(ctx, geo, log)()

	public, err := openFront(ctx, s, files, log)
	if err != nil {
		return err
	}
	defer public.close()
	if err := i.ensureAdmin(ctx, s, &start); err != nil {
		return err
	}
	owner, err := control.Listen(s.Data)
	if err != nil {
		return err
	}
	defer func() { _ = owner.Close() }()

	defer i.follow(ctx)()
	i.jobs.Start()
	defer func() { err = errors.Join(err, i.jobs.Stop()) }()

	addresses := slices.Clone(public.urls)
	if s.MetricsListen != "" {
		url, stop, err := serveMetrics(ctx, s.MetricsListen, i.handler.Metrics(), log)
		if err != nil {
			return err
		}
		defer stop()
		addresses = append(addresses, url)
	}
	reload.parts = []reloadable{
		{[]string{"log.level"}, func(s *setting.Settings) error { level.Set(s.LogLevel); return nil }},
		{[]string{"public_rate_limit"}, func(s *setting.Settings) error { i.handler.SetPublicRateLimit(s.PublicRateLimit); return nil }},
	}
	reload.parts = append(reload.parts, reloadable{[]string{"backup.every", "backup.keep", "backup.dir", "backup.recipient"}, func(s *setting.Settings) error {
		backups, err := schedule(s)
		if err == nil {
			i.jobs.SetSchedule(backups)
		}
		return err
	}})
	if files != nil { // another content of the same files
		reload.parts = append(reload.parts, reloadable{nil, func(*setting.Settings) error { return files.Reload() }})
	}
	if err := public.start(ctx); err != nil {
		return err
	}
	start.front = public
	manager, dismiss := followManager(ctx, log, public)
	defer dismiss()
	defer p.listenToSignals(i, reload, manager, asked)()
	p.announce(start)
	i.handler.Started(addresses...)
	ctx, release := drain(ctx, s.ShutdownDelay, i.handler.Stopping, log)
	defer release()
	all := newConnections(mostConnections(openFiles()), log)
	return runHTTP(ctx, newHTTP(public.guard(i.handler), log, all), s.ShutdownTimeout, log, append(all.limitEach(public.listeners), owner)...)
}

// takeOver opens the data directory, unless somebody else has it.
func takeOver(ctx context.Context, s *setting.Settings, geo *origin.Geo, log *slog.Logger) (*instance, error) {
	lock, server, err := reach(ctx, s.Data)
	if err != nil {
		return nil, err
	}
	if server != nil {
		return nil, fmt.Errorf("%w\nit is a server that answers; commands such as \"svc apikey list\" work beside it", server.held)
	}
	finished, kept, err := backup.FinishSwap(s.Data)
	if err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	if finished {
		log.Warn("a restore that was interrupted is complete now", "content_from_before", kept)
	}
	return openInstance(lock, s, geo, log)
}

// ensureAdmin makes the administrator at the first start.
func (i *instance) ensureAdmin(ctx context.Context, s *setting.Settings, start *startReport) error {
	if i.db.Account() == nil {
		if err := s.CheckAdminPassword(); err != nil {
			return err
		}
		if err := durable.MkdirAll(s.BootstrapSecretDir, 0o700); err != nil {
			return fmt.Errorf("make folder of the first password: %w", err)
		}
	}
	var err error
	start.password, start.newAdmin, err = i.handler.EnsureAdmin(ctx, s.AdminPassword)
	return err
}
