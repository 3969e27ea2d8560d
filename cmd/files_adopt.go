package cmd

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"svc/internal/datadir"
	"svc/internal/instance"
	"svc/internal/setting"
)

// adoptReport is the JSON form of the result of "svc files adopt".
type adoptReport struct {
	StorageDir string `json:"storage_dir"`
	Data       string `json:"data"`             // the data directory that owns the storage now
	Before     string `json:"before,omitempty"` // the data directory that owned it before
}

func (p *program) filesAdopt() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "adopt",
		Short: "Take over a storage directory of another data directory",
		Long: `Make the storage directory of the settings (storage_dir) belong to this data
directory. No server may use either of them.

A storage directory belongs to the database that has the records of its files. A start
with another database is refused, because the files would have no record there. Take
over the directory if its files belong to this database, for example after a restore of
an archive of another installation.

For a day after that, files without a record are not moved away.`,
		Example: "  svc files adopt --data /var/lib/svc",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) (err error) {
			s, lock, server, err := p.findOrLock(c)
			if err != nil {
				return err
			}
			if server != nil {
				return fmt.Errorf("%w\nstop the server first: it is using its storage directory", server.held)
			}
			defer func() { err = errors.Join(err, lock.Release()) }()
			return p.adopt(s, asJSON)
		},
	}
	addData(c, &asJSON)
	return c
}

func (p *program) adopt(s *setting.Settings, asJSON bool) error {
	if err := p.finishRestore(s.Data); err != nil {
		return err
	}
	if !instance.Has(s.Data, datadir.Database) {
		return noData(s.Data)
	}
	before, err := instance.AdoptStorage(s)
	if err != nil {
		return err
	}
	r := adoptReport{StorageDir: absolute(s.StorageDir), Data: absolute(s.Data), Before: before}
	if asJSON {
		return printJSON(p.stdout, r)
	}
	if before == "" {
		say(p.stderr, "%s belongs to %s", r.StorageDir, r.Data)
		return nil
	}
	say(p.stderr, "%s belongs to %s; it belonged to %s", r.StorageDir, r.Data, before)
	return nil
}
