package cmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"svc/api/web"
	"svc/internal/backup"
	"svc/internal/boltfile"
	"svc/internal/datadir"
	"svc/internal/instance"
	"svc/internal/integrity"
	"svc/internal/outbound"
	"svc/internal/replica"
	"svc/internal/replica/follow"
	"svc/internal/replica/format"
	"svc/internal/replica/history"
	"svc/internal/replica/peer"
	"svc/internal/replica/target"
	"svc/internal/setting"
)

// checkReplication returns a setting.Errors if the settings of replication cannot be used.
func checkReplication(s *setting.Settings) error {
	if s.ReplicateTo == "" {
		return nil
	}
	var problems setting.Errors
	note := func(key string, err error) {
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", s.Value(key).Name, err))
		}
	}
	_, err := parseTarget(s.ReplicateTo, s.Data)
	note("replicate.to", err)
	_, err = backup.ParseRecipients(s.ReplicateRecipient)
	note("replicate.recipient", err)
	if len(problems) > 0 {
		return problems
	}
	return nil
}

// parseTarget parses a target. It must be outside the data directory, except for the folder in which a standby stores
// what it accepts.
func parseTarget(text, data string) (target.Location, error) {
	l, err := target.Parse(text)
	if err == nil && l.Directory != peer.Objects(acceptedFolder(data)) {
		err = l.CheckOutside(data)
	}
	return l, err
}

// openTarget opens a target with the credentials in the settings.
func openTarget(text string, s *setting.Settings) (target.Target, target.Location, error) {
	l, err := parseTarget(text, s.Data)
	if err != nil {
		return nil, l, err
	}
	client := outbound.New(outbound.Config{Profile: outbound.Operator, Version: version, Ports: instance.OwnPorts(s)})
	t, err := target.Open(l, target.Credentials{User: s.ReplicateUser, Password: s.ReplicatePassword}, client)
	return t, l, err
}

// hostName returns the name of this machine, for messages of other servers.
func hostName() string {
	name, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return name
}

// replicated returns how a server replicates: nil if it does not. startPrimary sets its functions.
func replicated(s *setting.Settings) *web.Replication {
	if s.ReplicateTo == "" {
		return nil
	}
	return &web.Replication{}
}

// offline returns how commands treat a data directory that no server has open. Only the directories of a standby and of
// a primary that has replicated differ from others.
func offline(s *setting.Settings) (*web.Replication, error) {
	if instance.Has(s.Data, datadir.Standby) {
		return &web.Replication{
			Status:  func() replica.Status { return replica.Status{Role: replica.RoleStandby} },
			Standby: func() (time.Duration, bool) { return 0, true },
		}, nil
	}
	state, found, err := replica.ReadState(filepath.Join(s.Data, datadir.Replicate))
	if err != nil || !found {
		return nil, err
	}
	status := state.Status()
	for _, name := range datadir.Databases {
		at, _, err := boltfile.ReadPosition(filepath.Join(s.Data, name))
		if err == nil { // otherwise the caller cannot open it
			status.Position = max(status.Position, at)
		}
	}
	return &web.Replication{Status: func() replica.Status { return status }}, nil
}

// startPrimary starts the replication of a primary. stop ships the remaining changes.
func (i *service) startPrimary(s *setting.Settings, log *slog.Logger) (stop func(), err error) {
	if s.ReplicateTo == "" {
		return func() {}, nil
	}
	t, l, err := openTarget(s.ReplicateTo, s)
	if err != nil {
		return nil, err
	}
	c := replica.Config{
		Dir: filepath.Join(s.Data, datadir.Replicate), Data: i.Store.ID().String(), Host: hostName(), Target: t, Location: l.String(),
		Spool: i.Spool, Sync: s.ReplicateMode == "sync", SyncTimeout: s.ReplicateSyncTimeout, Lease: s.ReplicateLease,
		Archive: i.archive.Snapshot, Log: log, Tunable: tunable(s),
	}
	if s.ReplicateFiles {
		c.Contents = i.Contents(s.StorageDir)
	}
	p, err := replica.Start(c)
	if errors.Is(err, replica.ErrCreateOnly) {
		return nil, setting.Errors{fmt.Errorf("%s: %w", s.Value("replicate.mode").Name, err)}
	}
	if err != nil {
		return nil, err
	}
	i.primary = p
	r := i.replication
	r.Status, r.Admit, r.Snapshot = p.Status, p.Admit, p.Snapshot
	r.Counters = counters(p.Counters)
	r.ClockOffset = func() (time.Duration, bool) { return target.ClockOffset(t) }
	if c.Sync {
		r.Confirm, r.Position = p.Confirm, i.Spool.Position
	}
	log.Info("replication started", "target", l.String(), "mode", s.ReplicateMode)
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), max(s.ShutdownTimeout, time.Second))
		defer cancel()
		if err := p.Stop(ctx); err != nil {
			log.Warn("replication stopped", "error", err)
		}
	}, nil
}

// counters returns the function web.Replication.Counters.
func counters(of func() target.Counters) func() (requests, failures map[string]uint64, bytes uint64) {
	return func() (requests, failures map[string]uint64, bytes uint64) {
		c := of()
		return c.Requests, c.Failures, c.Bytes
	}
}

// verifyReplicaOf returns the work of the job replica-verification. It is nil if the server is not a primary with a replica.
func verifyReplicaOf(s *setting.Settings, r *web.Replication, staging string, log *slog.Logger) func(context.Context) error {
	if s.ReplicateTo == "" || r == nil || r.Standby != nil {
		return nil
	}
	return func(ctx context.Context) error {
		t, l, err := openTarget(s.ReplicateTo, s)
		if err != nil {
			return err
		}
		v, contents, err := verifyWithoutIdentity(ctx, t, staging)
		if err != nil {
			return fmt.Errorf("%s: %w", l, err)
		}
		log.Info("the replica is intact", "target", l.String(), "snapshots", v.Snapshots, "segments", v.Segments, "decrypted", contents)
		return nil
	}
}

// verifyWithoutIdentity verifies the replica at a target. decrypted is false if parts of it are encrypted, so that only
// their checksums and their order were verified.
func verifyWithoutIdentity(ctx context.Context, t target.Target, staging string) (v history.Verified, decrypted bool, err error) {
	h, err := history.Read(ctx, t)
	if err != nil {
		return v, false, err
	}
	if !slices.ContainsFunc(h.Snapshots, func(m format.Manifest) bool { return m.Encrypted }) {
		if err := os.MkdirAll(staging, 0o700); err != nil {
			return v, false, err
		}
		var report *integrity.Report
		v, report, err = verifyIn(ctx, h, staging)
		if err == nil && !report.Clean() {
			err = fmt.Errorf("the newest state has %d problems; svc replicate verify lists them",
				report.Number(integrity.Damage)+report.Number(integrity.Wrong))
		}
		if !errors.Is(err, format.ErrIdentity) {
			return v, true, err
		}
	}
	v, err = h.VerifySealed(ctx)
	return v, false, err
}

// verifyIn verifies everything in a replica. It builds the newest state in a temporary directory below parent, which is
// the one for temporary files if parent is "".
func verifyIn(ctx context.Context, h *history.History, parent string) (v history.Verified, report *integrity.Report, err error) {
	dir, err := os.MkdirTemp(parent, "svc-verify-")
	if err != nil {
		return v, nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	data := filepath.Join(dir, "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		return v, nil, err
	}
	report = integrity.NewReport(nil)
	v, err = h.Verify(ctx, data, report)
	return v, report, err
}

// tunable returns the settings of replication that take effect on a reload.
func tunable(s *setting.Settings) replica.Tunable {
	return replica.Tunable{
		Every: s.ReplicateEvery, SnapshotEvery: s.ReplicateSnapshotEvery, Retain: s.ReplicateRetain, Recipients: s.ReplicateRecipient,
	}
}

// reloadReplication applies new settings of replication.
func (i *service) reloadReplication(s *setting.Settings) error {
	if _, err := backup.ParseRecipients(s.ReplicateRecipient); err != nil {
		return err
	}
	if i.primary != nil {
		i.primary.Reload(tunable(s))
	}
	return nil
}

// apply applies changes of the primary to the open databases of a standby.
func (i *service) apply(changes []format.Change, position uint64) error {
	return i.Apply(follow.Of(changes, format.Records), follow.Of(changes, format.Events), position)
}

// targetError adds advice to an error of a replica.
func targetError(err error) error {
	if errors.Is(err, format.ErrIdentity) {
		return withCode(exitUsage, fmt.Errorf("%w\nname the file with the age identity with --identity or SVC_REPLICATE_IDENTITY", err))
	}
	return err
}
