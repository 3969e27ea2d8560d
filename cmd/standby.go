package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"

	"svc/api/web"
	"svc/internal/backup"
	"svc/internal/control"
	"svc/internal/datadir"
	"svc/internal/geo"
	"svc/internal/instance"
	"svc/internal/replica"
	"svc/internal/replica/follow"
	"svc/internal/replica/target"
	"svc/internal/setting"
	"svc/store"
)

// standbyOptions are the flags of "svc standby".
type standbyOptions struct {
	from, accept, identity string
	every                  time.Duration
}

func (p *program) standbyCommand() *cobra.Command {
	var o standbyOptions
	c := &cobra.Command{
		Use:   "standby --from TARGET | --accept ADDRESS",
		Short: "Run a copy that follows a primary and can take over",
		Long: `Run a server with a copy of the data of another one, the primary, which replicates to
TARGET with replicate.to. The standby answers everything that changes nothing, and
refuses the rest with 503. "svc promote" makes it the primary.

A new data directory begins with the newest snapshot at the target; an existing copy
is continued. replicate.user and replicate.password are the credentials of the target.

With --accept the standby is the target itself: it listens on ADDRESS for one primary,
whose replicate.to is svc://HOST:PORT and whose replicate.password is the token that
"svc standby token" prints. A new copy waits for the first snapshot.`,
		Example: "  svc standby --data ./copy --from file:///mnt/replica --listen :4000\n" +
			"  svc standby --data ./copy --from s3://backups/svc?region=eu-central-1 --identity key.txt\n" +
			"  svc standby --data ./copy --accept :4002 --listen :4000",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return p.standby(c, o) },
	}
	addSettings(c)
	c.Flags().StringVar(&o.from, "from", "", "target of the primary, as in replicate.to")
	addReplicaIdentity(c, &o.identity)
	c.Flags().DurationVar(&o.every, "every", time.Second, "how often to look for changes, from 100ms to 1h")
	c.Flags().StringVar(&o.accept, "accept", "", "address on which to accept the changes of a primary, such as :4002")
	c.MarkFlagsOneRequired("from", "accept")
	c.MarkFlagsMutuallyExclusive("from", "accept")
	c.AddCommand(p.standbyTokenCommand())
	return c
}

// addReplicaIdentity adds the flag for the identity that decrypts a replica.
func addReplicaIdentity(c *cobra.Command, identity *string) {
	c.Flags().StringVar(identity, "identity", os.Getenv("SVC_REPLICATE_IDENTITY"),
		"file with the age identity that decrypts the replica ($SVC_REPLICATE_IDENTITY)")
	c.Flags().Lookup("identity").DefValue = ""
}

// standby runs a standby until it is interrupted. After a promotion, it runs the primary.
func (p *program) standby(c *cobra.Command, o standbyOptions) error {
	ctx := c.Context()
	if o.every < 100*time.Millisecond || o.every > time.Hour {
		return withCode(exitUsage, errors.New("--every must be a duration from 100ms to 1h, such as 1s"))
	}
	if o.accept != "" {
		stop, err := p.accept(c, &o)
		if err != nil {
			return err
		}
		defer stop()
	}
	for address := ""; ; {
		s, err := p.loadStandby(c, o, address)
		if err != nil {
			return err
		}
		config, err := followConfig(s, o.from, o.identity)
		if err != nil {
			return err
		}
		config.Every = o.every
		if err := p.prepareWaiting(ctx, config, s, o); err != nil {
			return err
		}
		if s, err = p.loadStandby(c, o, address); err != nil { // the snapshot can contain a configuration
			return err
		}
		r := &standbyRun{config: config}
		err = p.run(ctx, s, func() (*setting.Settings, error) { return p.loadStandby(c, o, address) }, p.announce, r)
		address = r.address
		switch {
		case errors.Is(r.ended, follow.ErrPromoted):
			if err != nil {
				return err
			}
			if err := p.finishPromotion(ctx, config); err != nil {
				return err
			}
			load := func() (*setting.Settings, error) { return p.loadStandby(c, o, address) }
			if s, err = load(); err != nil {
				return err
			}
			return p.serve(ctx, s, load, p.announce)
		case errors.Is(r.ended, follow.ErrNeedsSnapshot) && err == nil && ctx.Err() == nil:
			say(p.stderr, "%v", r.ended)
		default:
			return errors.Join(err, targetError(r.ended))
		}
	}
}

// loadStandby reads the settings. A promoted standby replicates to the target that it has followed. address is the
// address on which the standby already listens, or "".
func (p *program) loadStandby(c *cobra.Command, o standbyOptions, address string) (*setting.Settings, error) {
	s, err := p.load(c)
	if err == nil {
		err = s.Put("replicate.to", o.from, setting.FromFlag, "--from")
	}
	if err == nil && address != "" {
		err = s.Put("listen", address, setting.FromFlag, "--listen")
	}
	return s, err
}

// followConfig returns the configuration of a follower of the replica at a target.
func followConfig(s *setting.Settings, from, identity string) (c follow.Config, err error) {
	c = follow.Config{Data: s.Data, Host: hostName(), Every: time.Second, Log: slog.New(slog.DiscardHandler)}
	t, l, err := openTarget(from, s)
	if err != nil {
		return c, setting.Errors{fmt.Errorf("--from: %w", err)}
	}
	c.Target, c.Address = target.Count(t), l.String()
	if identity != "" {
		var list []backup.Identity
		if list, err = readIdentities(identity); err != nil {
			return c, withCode(exitUsage, fmt.Errorf("--identity: %w", err))
		}
		c.Identities = list
	}
	return c, nil
}

// prepare begins or continues the copy in the data directory, which must be new or a copy.
func (p *program) prepare(ctx context.Context, config follow.Config, s *setting.Settings) (err error) {
	if err := checkCopyFolder(s.Data); err != nil {
		return err
	}
	if !instance.Has(s.Data, datadir.Standby) { // do not create files that a failure would leave behind
		if err := follow.Probe(ctx, config); err != nil {
			return err
		}
	}
	if err := makeCopyFolder(s.Data); err != nil {
		return err
	}
	lock, err := lockStopped(ctx, s.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	config.Log = commandLog(p.stderr)
	_, err = follow.Open(ctx, config)
	if errors.Is(err, follow.ErrOther) {
		return withCode(exitStandby, err)
	}
	return targetError(err)
}

// checkCopyFolder refuses a data directory with other data than a copy.
func checkCopyFolder(data string) error {
	if !instance.Has(data, datadir.Standby) && instance.Has(data, datadir.Database) {
		return withCode(exitStandby, fmt.Errorf("%s has data of its own, so it cannot follow another server\n"+
			"use an empty directory; this one works with: %s serve --data %s", data, self, quoted(data)))
	}
	return instance.CheckForeign(data)
}

// makeCopyFolder makes the data directory of a standby, unless it exists.
func makeCopyFolder(data string) error {
	if err := checkCopyFolder(data); err != nil {
		return err
	}
	privateFiles()
	_, err := instance.MakeFolder(data)
	return err
}

// lockStopped locks a data directory that no server may have open.
func lockStopped(ctx context.Context, data string) (*control.Lock, error) {
	lock, server, err := connectOrLock(ctx, data)
	if server != nil {
		return nil, fmt.Errorf("%w\na server is running", server.held)
	}
	return lock, err
}

// finishPromotion makes the directory of a standby that has been promoted that of a primary.
func (p *program) finishPromotion(ctx context.Context, config follow.Config) (err error) {
	lock, err := lockStopped(ctx, config.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	f, err := follow.Open(ctx, config)
	if err != nil {
		return err
	}
	return f.Finish()
}

// standbyRun is one run of the server of a standby.
type standbyRun struct {
	config  follow.Config
	end     context.CancelCauseFunc // stops the server
	copy    *follow.Follower        // nil until the data directory is open
	address string                  // on which it has listened
	ended   error                   // why it stopped following; nil if it was interrupted or has failed
}

// begin returns a context that also ends when the standby stops on its own. The caller must call done, which notes why it
// did. For nil, a server that is not a standby, begin returns ctx.
func (r *standbyRun) begin(ctx context.Context) (running context.Context, done func()) {
	if r == nil {
		return ctx, func() {}
	}
	running, r.end = context.WithCancelCause(ctx)
	return running, func() {
		r.end(nil)
		if cause := context.Cause(running); ctx.Err() == nil && !errors.Is(cause, context.Canceled) {
			r.ended = cause
		}
	}
}

// open opens the data directory of the standby. It takes ownership of the lock.
func (r *standbyRun) open(
	ctx context.Context, lock *control.Lock, s *setting.Settings, geo *geo.Locator, openapi []byte, log *slog.Logger,
) (*service, error) {
	config := r.config
	config.Log = log
	f, err := follow.Open(ctx, config)
	if err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	r.copy = f
	return openService(lock, s, geo, openapi, &web.Replication{
		Status: f.Status, Standby: func() (time.Duration, bool) { return f.Lag(), true }, Counters: counters(f.Counters),
	}, log)
}

// follow makes a server follow its primary until stop is called. If it cannot go on, or has become the primary, the
// server stops.
func (r *standbyRun) follow(ctx context.Context, i *service) (stop func()) {
	f := r.copy
	f.Use(i.apply)
	i.replication.Promote = func(ctx context.Context, oldPrimaryIsDown bool) (replica.Promotion, error) {
		if err := staysEncrypted(i.settings.Load(), r.config); err != nil {
			return replica.Promotion{}, err
		}
		p, err := f.Promote(ctx, oldPrimaryIsDown)
		if err == nil {
			r.end(follow.ErrPromoted)
		}
		return p, err
	}
	stopContents := background(ctx, func(ctx context.Context) { i.fetchContents(ctx, f) })
	stopRun := background(ctx, func(ctx context.Context) {
		err := f.Run(ctx)
		if errors.Is(err, follow.ErrNeedsSnapshot) {
			err = errors.Join(err, f.Restart())
		}
		r.end(err)
	})
	return func() {
		stopRun()
		stopContents()
	}
}

const (
	// contentsEvery is the shortest interval at which a standby looks for local files without content.
	contentsEvery = 5 * time.Second
	// contentsShare limits the part of the time that is spent on that to 1/contentsShare.
	contentsShare = 50
)

// fetchContents stores the contents of local files that the primary has added, until ctx ends.
func (i *service) fetchContents(ctx context.Context, f *follow.Follower) {
	dir := i.settings.Load().StorageDir
	for failing := false; ; {
		begun := time.Now()
		err := i.EachLocalFile(func(file *store.File) error {
			path := instance.LocalPath(dir, file.ObjectKey)
			if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			err := f.FetchContent(ctx, file.SHA256, path)
			if errors.Is(err, target.ErrMissing) {
				return nil
			}
			return err
		})
		if err != nil && !failing && ctx.Err() == nil {
			slog.Warn("contents of local files were not copied from the replica; trying again", "error", err)
		}
		failing = err != nil
		select {
		case <-ctx.Done():
			return
		case <-time.After(max(contentsEvery, contentsShare*time.Since(begun))):
		}
	}
}
