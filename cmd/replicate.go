package cmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"svc/internal/backup"
	"svc/internal/outbound"
	"svc/internal/replica/format"
	"svc/internal/replica/history"
	"svc/internal/replica/target"
	"svc/internal/setting"
)

func (p *program) replicateCommand() *cobra.Command {
	return group("replicate", "Manage the copy of the data at another place",
		p.replicateStatusCommand(),
		p.replicateSnapshotCommand(),
		p.replicatePointsCommand(),
		p.replicateVerifyCommand(),
	)
}

// source is a replica that a command reads.
type source struct {
	*history.History
	location target.Location
}

// openReplica reads the history of the replica at the target from. The parameter identity names the
// file with the age identity; "" means none.
func (p *program) openReplica(ctx context.Context, s *setting.Settings, from, identity string) (r *source, err error) {
	r = &source{}
	if r.location, err = target.Parse(from); err != nil {
		return nil, withCode(exitUsage, fmt.Errorf("--from: %w", err))
	}
	var identities []backup.Identity
	if identity != "" {
		if identities, err = readIdentities(identity); err != nil {
			return nil, withCode(exitUsage, err)
		}
	}
	credentials := target.Credentials{User: s.ReplicateUser, Password: s.ReplicatePassword}
	t, err := target.Open(r.location, credentials, outbound.New(outbound.Config{Profile: outbound.Operator, Version: version}))
	if err != nil {
		return nil, withCode(exitUsage, fmt.Errorf("--from: %w", err))
	}
	if r.History, err = history.Read(ctx, t, identities...); err != nil {
		return nil, r.explain(err)
	}
	return r, nil
}

// explain adds advice to an error about a replica.
func (r *source) explain(err error) error {
	if err == nil {
		return nil
	}
	err = fmt.Errorf("%s: %w", r.location, err)
	if errors.Is(err, format.ErrIdentity) {
		return withCode(exitUsage, fmt.Errorf("%w\nname the identity file of one of its recipients with --identity", err))
	}
	return err
}

func addFrom(c *cobra.Command, from *string, required bool) {
	c.Flags().StringVar(from, "from", "", "replica to read: s3://…, webdav+https://… or file:///…, as in replicate.to")
	if required {
		_ = c.MarkFlagRequired("from") // fails only for an unknown flag
	}
}

func (p *program) replicatePointsCommand() *cobra.Command {
	var from string
	var asJSON bool
	c := &cobra.Command{
		Use:   "points --from TARGET",
		Short: "Show to which points in time a replica can be restored",
		Long: `Print the first and the last point in time to which "svc restore --from" can restore
a replica, and its snapshots. No key is needed for an encrypted replica. Nothing is
verified; see "svc replicate verify".`,
		Example: "  svc replicate points --from file:///mnt/nas/svc",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := p.load(c)
			if err != nil {
				return err
			}
			r, err := p.openReplica(c.Context(), s, from, "")
			if err != nil {
				return err
			}
			points, err := r.Points(c.Context())
			if err != nil {
				return r.explain(err)
			}
			return p.printPoints(points, asJSON)
		},
	}
	addFolder(c, &asJSON)
	addFrom(c, &from, true)
	return c
}

func (p *program) printPoints(points history.Points, asJSON bool) error {
	if asJSON {
		return printJSON(p.stdout, points)
	}
	if len(points.Snapshots) == 0 {
		say(p.stderr, "the replica has no complete snapshot yet")
		return nil
	}
	if _, err := fmt.Fprintf(p.stdout, "from      %s\nto        %s\nposition  %d\nepoch     %d\n",
		utc(points.From), utc(points.To), points.Position, points.Epoch); err != nil {
		return err
	}
	for _, s := range points.Snapshots {
		if _, err := fmt.Fprintf(p.stdout, "snapshot  %s  position %d  %s\n", utc(s.Time), s.Position, mebibytes(s.Bytes)); err != nil {
			return err
		}
	}
	return nil
}

// utc returns a time in Unix seconds in a form that --at accepts.
func utc(seconds int64) string { return time.Unix(seconds, 0).UTC().Format(time.RFC3339) }

func (p *program) replicateVerifyCommand() *cobra.Command {
	var from, identity string
	var asJSON bool
	c := &cobra.Command{
		Use:   "verify --from TARGET",
		Short: "Verify that a replica is intact and can be restored",
		Long: `Read the whole replica, compare all checksums, and follow the log from each snapshot
to the next one and to its end. Build the newest state in the directory for temporary
files ($TMPDIR), check it like "svc check", and print its position and digests, as
"svc check --digest" does. No data directory is needed or changed.

The exit code is 0 if everything is intact, and 1 with the first bad object if not.`,
		Example: "  svc replicate verify --from file:///mnt/nas/svc --identity key.txt",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := p.load(c)
			if err != nil {
				return err
			}
			r, err := p.openReplica(c.Context(), s, from, identity)
			if err != nil {
				return err
			}
			return p.verifyReplica(c.Context(), r, asJSON)
		},
	}
	addFolder(c, &asJSON)
	addFrom(c, &from, true)
	c.Flags().StringVar(&identity, "identity", "", "file with the age identity that decrypts the replica")
	return c
}

func (p *program) verifyReplica(ctx context.Context, r *source, asJSON bool) error {
	v, report, err := verifyIn(ctx, r.History, "")
	if err != nil {
		return r.explain(err)
	}
	if !report.Clean() {
		check := &checkRun{program: p, report: report}
		return errors.Join(fmt.Errorf("%s: the newest state is not intact", r.location), check.print(false, true))
	}
	if asJSON {
		return printJSON(p.stdout, v)
	}
	say(p.stderr, "%s is intact up to %s (snapshots: %d, segments: %d, contents of files: %d)",
		r.location, utc(v.Time), v.Snapshots, v.Segments, v.Contents)
	if v.Gaps > 0 {
		say(p.stderr, "note: states in gaps of the log cannot be restored (gaps: %d)", v.Gaps)
	}
	if v.Missing > 0 {
		say(p.stderr, "note: contents of local files are missing at the target (files: %d)", v.Missing)
	}
	return (&checkRun{program: p, digests: v.Digests}).printDigest(false)
}
