package cmd

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc/internal/control"
	"svc/internal/datadir"
	"svc/internal/fault"
	"svc/internal/instance"
	"svc/internal/replica"
	"svc/internal/replica/follow"
	"svc/internal/replica/peer"
	"svc/internal/setting"
)

// promoteOptions are the flags of "svc promote".
type promoteOptions struct {
	oldPrimaryIsDown bool
	identity         string
	json             bool
}

func (p *program) promoteCommand() *cobra.Command {
	var o promoteOptions
	c := &cobra.Command{
		Use:   "promote",
		Short: "Turn a standby into the primary",
		Long: `Turn the standby of the data directory into the primary. All changes at the target are
applied first, and from then on the old primary accepts no writes. A running standby
accepts writes on the same address afterwards. One that is stopped is served with
"svc serve" and the same target.

If another standby was first, or the target cannot be reached, the exit code is 1 and
nothing has changed.`,
		Example: "  svc promote --data ./copy",
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return p.promote(c, o) },
	}
	addData(c, &o.json)
	c.Flags().BoolVar(&o.oldPrimaryIsDown, "old-primary-is-down", false,
		"do not wait for the lease of the old primary, and accept a target that cannot refuse its writes")
	addReplicaIdentity(c, &o.identity)
	return c
}

func (p *program) promote(c *cobra.Command, o promoteOptions) error {
	s, lock, server, err := p.findOrLock(c)
	if err != nil {
		return err
	}
	var done replica.Promotion
	if server != nil {
		client := control.Client(s.Data)
		defer client.CloseIdleConnections()
		done, err = promoteServer(c.Context(), connection{client: client}, o.oldPrimaryIsDown)
	} else {
		done, err = p.promoteStopped(c.Context(), s, o)
		err = errors.Join(err, lock.Release())
	}
	if err != nil {
		return err
	}
	if o.json {
		return printJSON(p.stdout, done)
	}
	_, err = fmt.Fprintf(p.stdout, "primary of epoch %d at position %d, with everything until %s\n",
		done.Epoch, done.Position, done.Time.Local().Format(time.DateTime))
	return err
}

// promoteServer promotes a running standby, and waits until it accepts writes.
func promoteServer(ctx context.Context, to connection, oldPrimaryIsDown bool) (done replica.Promotion, err error) {
	body := map[string]bool{"old_primary_is_down": oldPrimaryIsDown}
	if err := to.callUnlimited(ctx, http.MethodPost, "/control/replication/promote", body, &done); err != nil {
		return done, err
	}
	limited, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	for {
		var status replica.Status
		err := to.call(limited, http.MethodGet, "/control/replication", nil, &status)
		if err == nil && status.Role == replica.RolePrimary {
			return done, nil
		}
		select {
		case <-time.After(retryInterval):
		case <-limited.Done():
			return done, fmt.Errorf("the standby is the primary of epoch %d, but does not accept writes yet; see its log", done.Epoch)
		}
	}
}

// promoteStopped promotes a standby that no server has open. The caller must hold the lock of the data directory.
func (p *program) promoteStopped(ctx context.Context, s *setting.Settings, o promoteOptions) (done replica.Promotion, err error) {
	if !instance.Has(s.Data, datadir.Standby) {
		return done, fmt.Errorf("%s is not the data directory of a standby", s.Data)
	}
	from, err := follow.TargetOf(s.Data)
	if err != nil {
		return done, err
	}
	if strings.HasSuffix(from, "/"+filepath.ToSlash(peer.Objects(datadir.Accepted))) { // the directory may have been moved
		from = acceptedTarget(s.Data)
	}
	config, err := followConfig(s, from, o.identity)
	if err != nil {
		return done, err
	}
	if err := staysEncrypted(s, config); err != nil {
		return done, err
	}
	config.Log = commandLog(p.stderr)
	f, err := follow.Open(ctx, config)
	if err != nil {
		return done, targetError(err)
	}
	files, err := follow.OpenFiles(s.Data)
	if err != nil {
		return done, err
	}
	f.Use(files.Apply)
	done, err = f.Promote(ctx, o.oldPrimaryIsDown)
	if err := errors.Join(targetError(err), files.Close()); err != nil {
		return done, err
	}
	return done, f.Finish()
}

// staysEncrypted returns a fault if the follower can read an encrypted replica, but would continue it unencrypted as the
// primary.
func staysEncrypted(s *setting.Settings, c follow.Config) error {
	if len(c.Identities) == 0 || len(s.ReplicateRecipient) > 0 {
		return nil
	}
	return fault.New(fault.Conflict, "replicate.recipient is not set on this server, so that it would continue the replica unencrypted; "+
		"set it as on the old primary, or start without an identity if the replica is not encrypted")
}
