package cmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc/internal/datadir"
	"svc/internal/instance"
	"svc/internal/replica/follow"
	"svc/internal/replica/history"
	"svc/internal/replica/peer"
	"svc/internal/setting"
)

// acceptedFolder returns the directory with what a standby has accepted from its primary.
func acceptedFolder(data string) string { return filepath.Join(absolute(data), datadir.Accepted) }

// acceptedTarget returns the target that a standby with a data directory is itself.
func acceptedTarget(data string) string {
	path := filepath.ToSlash(peer.Objects(acceptedFolder(data)))
	return (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(path, "/")}).String()
}

// accept listens for the primary of a standby, and makes the standby follow what the primary sends.
func (p *program) accept(c *cobra.Command, o *standbyOptions) (stop func(), err error) {
	s, err := p.load(c)
	if err != nil {
		return nil, err
	}
	if err := makeCopyFolder(s.Data); err != nil {
		return nil, err
	}
	log, flush := newLog(p.stderr, s, slog.LevelInfo)
	address, stop, err := listenForPrimary(c.Context(), s.Data, o.accept, log)
	if err != nil {
		flush()
		return nil, withCode(exitUsage, fmt.Errorf("--accept: %w", err))
	}
	log.Info("accepting the changes of a primary", "address", address)
	if _, port, err := net.SplitHostPort(o.accept); err == nil && port != "0" {
		address = o.accept // its name may have another address at the next start
	}
	if err := peer.Remember(acceptedFolder(s.Data), address); err != nil {
		stop()
		flush()
		return nil, err
	}
	o.from = acceptedTarget(s.Data)
	return func() { stop(); flush() }, nil
}

// listenForPrimary answers the requests of a primary until stop is called.
func listenForPrimary(ctx context.Context, data, address string, log *slog.Logger) (actual string, stop func(), err error) {
	server, err := peer.Open(acceptedFolder(data), log)
	if err != nil {
		return "", nil, err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return "", nil, err
	}
	return listener.Addr().String(), background(ctx, func(ctx context.Context) {
		if err := server.Serve(ctx, listener); err != nil {
			log.Error("cannot answer the primary of this standby any more", "error", err)
		}
	}), nil
}

// refuseOldPrimary listens at the address on which this server accepted changes when it was a standby. The old primary
// connects to that address and learns that it has been replaced.
func (p *program) refuseOldPrimary(ctx context.Context, s *setting.Settings) (stop func()) {
	nothing := func() {}
	if instance.Has(s.Data, datadir.Standby) || !instance.Has(s.Data, datadir.Database) {
		return nothing // it was not promoted
	}
	address, err := peer.Remembered(acceptedFolder(s.Data))
	if address == "" && err == nil {
		return nothing
	}
	log, flush := newLog(p.stderr, s, s.LogLevel)
	if err == nil {
		address, stop, err = listenForPrimary(ctx, s.Data, address, log)
	}
	if err != nil {
		log.Error("cannot listen for the old primary, which goes on until it finds out that it was replaced", "error", err)
		return flush
	}
	log.Info("refusing the changes of the old primary", "address", address)
	return func() { stop(); flush() }
}

// prepareWaiting is like prepare. A standby that accepts changes waits for the first snapshot.
func (p *program) prepareWaiting(ctx context.Context, config follow.Config, s *setting.Settings, o standbyOptions) error {
	for said := false; ; said = true {
		err := p.prepare(ctx, config, s)
		if o.accept == "" || !errors.Is(err, history.ErrNoReplica) && !errors.Is(err, history.ErrEmpty) {
			return err
		}
		if !said {
			say(p.stderr, "waiting for the first snapshot of the primary")
		}
		select {
		case <-time.After(o.every):
		case <-ctx.Done():
			return nil
		}
	}
}

func (p *program) standbyTokenCommand() *cobra.Command {
	var renew, asJSON bool
	c := &cobra.Command{
		Use:   "token",
		Short: "Print the token with which a primary sends its changes to this standby",
		Long: `Print the token for replicate.password of a primary whose replicate.to is this standby.
It contains a secret and the hash of the certificate of the standby. It stays the same
until --new makes another one, which a running standby uses after its next start.

The command works before the first start of the standby.`,
		Example: "  svc standby token --data ./copy",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := p.load(c)
			if err != nil {
				return err
			}
			if err := makeCopyFolder(s.Data); err != nil {
				return err
			}
			token, err := peer.Token(acceptedFolder(s.Data), renew)
			switch {
			case err != nil:
				return err
			case asJSON:
				return printJSON(p.stdout, map[string]string{"token": token})
			}
			_, err = fmt.Fprintln(p.stdout, token)
			return err
		},
	}
	addFolder(c, &asJSON)
	c.Flags().BoolVar(&renew, "new", false, "make another token and certificate; the old ones become invalid")
	return c
}
