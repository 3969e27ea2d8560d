package cmd

import (
	"fmt"
	"io"
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
		Long: `Show the role of the server, how far the copy at the target is, and why it is not
further. On a standby, the position is that of the last change that it has applied.

Of an old primary, it shows from which position its data differs from that of the new
one. If no server is running, it shows what the data directory says.`,
		Args: cobra.NoArgs,
		RunE: p.connected(func(c *cobra.Command, _ []string, to connection) error {
			var s replica.Status
			if err := to.call(c.Context(), http.MethodGet, "/control/replication", nil, &s); err != nil {
				return err
			}
			if asJSON {
				return printJSON(p.stdout, s)
			}
			text := fmt.Sprintf("%s\nepoch %d, position %d, at the target %d\n", replicationText(&s), s.Epoch, s.Position, s.Shipped)
			if s.Fenced {
				text += differenceText(&s) + "\n"
			}
			_, err := io.WriteString(p.stdout, text)
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
