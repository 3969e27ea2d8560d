package cmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"

	"github.com/spf13/cobra"

	"svc/internal/control"
	"svc/internal/durable"
	"svc/internal/jobs"
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
			return p.serve(c.Context(), s)
		},
	}
	addSettings(c.Flags())
	return c
}

// serve builds the server from the inside out, announces it, runs it until ctx
// ends, and takes it down in reverse.
func (p *program) serve(ctx context.Context, s *setting.Settings) (err error) {
	log, flush := newLog(p.stderr, s, s.LogLevel)
	defer flush()
	slog.SetDefault(log) // the search index writes to the standard logger
	for _, warning := range s.Warnings {
		log.Warn("setting", "warning", warning)
	}
	if !exists(s.Data, databaseName) { // nothing is made for a start that must fail
		if err := s.CheckAdminPassword(); err != nil {
			return err
		}
	}
	geo, err := openGeo(s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, geo.Close()) }()
	privateFiles()
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
	defer followGeo(ctx, geo, log)()

	var config net.ListenConfig
	public, err := config.Listen(ctx, "tcp", s.Listen)
	if err != nil {
		return fmt.Errorf("%w\nuse another address with --listen or SVC_LISTEN", err)
	}
	defer func() { _ = public.Close() }() // closed already when it has served
	if err := i.ensureAdmin(ctx, s, &start); err != nil {
		return err
	}
	owner, err := control.Listen(s.Data)
	if err != nil {
		return err
	}
	defer func() { _ = owner.Close() }()

	defer i.follow(ctx)()
	work := jobs.Start(jobs.Config{DB: i.db, Events: i.events, Log: log, Flush: i.handler.FlushRequests})
	defer func() { err = errors.Join(err, work.Stop()) }()

	start.address = public.Addr()
	p.announce(start)
	return runHTTP(ctx, newHTTP(i.handler, log), s.ShutdownTimeout, log, public, owner)
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
