package cmd

import (
	"fmt"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"svc/internal/replica"
)

func (p *program) replicateStatusCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "status",
		Short: "Show how far the copy at the target is",
		Long: `Show the role of the running server, how far the copy at the target is, and why it is not
further. On a standby, the position is that of the last change that it has applied.`,
		Args: cobra.NoArgs,
		RunE: p.connected(func(c *cobra.Command, _ []string, to connection) error {
			var s replica.Status
			if err := to.call(c.Context(), http.MethodGet, "/control/replication", nil, &s); err != nil {
				return err
			}
			if asJSON {
				return printJSON(p.stdout, s)
			}
			_, err := fmt.Fprintf(p.stdout, "%s\nepoch %d, position %d, at the target %d\n", replicationText(&s), s.Epoch, s.Position, s.Shipped)
			return err
		}),
	}
	addData(c, &asJSON)
	return c
}

func (p *program) replicateSnapshotCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "snapshot",
		Short: "Make a complete copy at the target now",
		Long:  `Make a complete copy of the data at the target of the running server, and wait until it is there.`,
		Args:  cobra.NoArgs,
		RunE: p.connected(func(c *cobra.Command, _ []string, to connection) error {
			var s replica.Status
			if err := to.callUnlimited(c.Context(), http.MethodPost, "/control/replication/snapshot", nil, &s); err != nil {
				return err
			}
			if asJSON {
				return printJSON(p.stdout, s)
			}
			say(p.stderr, "the snapshot is at the target, as of position %d, %s", s.Shipped, time.Unix(s.LastSnapshot, 0).Format(time.DateTime))
			return nil
		}),
	}
	addData(c, &asJSON)
	return c
}
