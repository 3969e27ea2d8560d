package cmd

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc/internal/backup"
	"svc/internal/control"
	"svc/internal/datadir"
	"svc/internal/instance"
	"svc/internal/setting"
)

// restoreOptions are the flags of "svc restore".
type restoreOptions struct {
	identity            string
	dryRun, force, json bool
	from, at            string // of a replica
	atPosition          uint64
}

func (p *program) restoreCommand() *cobra.Command {
	var o restoreOptions
	c := &cobra.Command{
		Use:   "restore FILE",
		Short: "Restore a backup, or a replica to a point in time",
		Long: `Restore an archive to the data directory. The archive is verified like in "svc
backup verify" and extracted beside the data directory before anything in it is
touched. Existing content is moved aside, not deleted. After an interruption the
data directory has its old content, or the next command or start completes the
restore.

The server must be stopped. A directory that is not empty needs --force. Files in it
that are not part of svc are not moved.

With --from TARGET instead of FILE, restore a replica: its newest state, or with --at
the state with every change up to that time, or with --at-position up to that
position. "svc replicate points" prints what is kept. The result is a server of its
own, which does not continue the replica.`,
		Example: "  svc restore svc.tar.zst --data ./data\n" +
			"  svc restore svc.tar.zst.age --identity key.txt --data ./data --force\n" +
			"  svc restore --from file:///mnt/nas/svc --at 2026-11-29T17:00:00Z --data ./data",
		Args: func(c *cobra.Command, args []string) error {
			if o.from != "" {
				return cobra.MaximumNArgs(1)(c, args)
			}
			return cobra.ExactArgs(1)(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			s, err := p.load(c)
			if err != nil {
				return err
			}
			a, err := p.openRestored(c.Context(), s, args, o)
			if err != nil {
				return err
			}
			return p.restore(c, s, a, o)
		},
	}
	addData(c, &o.json)
	addIdentity(c, &o.identity)
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "verify the archive and print what would be done")
	c.Flags().BoolVar(&o.force, "force", false, "move the content of the data directory aside")
	addFrom(c, &o.from, false)
	c.Flags().StringVar(&o.at, "at", "", "with --from: time of the state, as RFC 3339 or Unix seconds")
	c.Flags().Uint64Var(&o.atPosition, "at-position", 0, "with --from: position of the state")
	return c
}

// restoreReport is the JSON form of a restore's result.
type restoreReport struct {
	*archiveReport
	Data   string   `json:"data"`
	DryRun bool     `json:"dry_run"`
	Moved  []string `json:"moved,omitempty"` // names of the previous contents of the data directory
	Kept   string   `json:"kept,omitempty"`  // folder that contains them now
	// Foreign lists the names in the data directory that svc did not create. The restore does not
	// touch them.
	Foreign []string `json:"foreign,omitempty"`
	// StorageDir is the directory of local files if it is outside Data. The user must move the
	// archive's files there.
	StorageDir string `json:"storage_dir,omitempty"`
	// Position is the position of the restored state in the replica. MissingContents is the number of
	// local files without content, because the replica does not have it.
	Position        uint64 `json:"position,omitempty"`
	MissingContents int    `json:"missing_contents,omitempty"`
}

// placeFiles sets StorageDir if the configured directory of local files is not the one in which the
// restore has put them.
func (r *restoreReport) placeFiles(s *setting.Settings) {
	if dir := absolute(s.StorageDir); r.Files && dir != filepath.Join(r.Data, datadir.Files) {
		r.StorageDir = dir
	}
}

func (p *program) restore(c *cobra.Command, s *setting.Settings, a *archive, o restoreOptions) (err error) {
	r, files := &restoreReport{Data: absolute(s.Data), DryRun: o.dryRun}, a.manifest.Files
	if o.dryRun {
		if r.archiveReport, err = a.try(c.Context()); err != nil {
			return err
		}
		r.Moved = backup.Present(s.Data, files)
		if r.Foreign, err = backup.Foreign(s.Data); err != nil {
			return err
		}
		r.placeFiles(s)
		return p.reportRestore(a, r, o)
	}
	foreign, err := backup.Foreign(s.Data)
	if err != nil {
		return err
	}
	if len(foreign) > 0 && !o.force { // refuse before anything is created there
		return &instance.ForeignError{Dir: s.Data, Names: foreign}
	}
	privateFiles()
	if _, err := instance.MakeFolder(s.Data); err != nil {
		return err
	}
	lock, err := p.lockForRestore(c, s.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	if r.Moved = backup.Present(s.Data, files); len(r.Moved) > 0 && !o.force {
		return withCode(exitUsage,
			fmt.Errorf("%s is not empty: it has %s\nuse --force to move that aside, or name another directory with --data", s.Data,
				strings.Join(r.Moved, ", ")))
	}
	staged, err := a.stage(c.Context(), s.Data)
	if err != nil {
		return err
	}
	if r.archiveReport, err = a.inspect(c.Context(), staged); err == nil && a.replica != nil {
		err = a.replica.complete(c.Context(), r)
	}
	if err == nil {
		err = c.Context().Err()
	}
	if err == nil {
		r.Kept, err = staged.Swap(time.Now())
	}
	if err != nil {
		return errors.Join(err, staged.Discard())
	}
	if restored, err := loadShown(c); err == nil { // the archive may contain a configuration; the next start reports its errors
		s = restored
	}
	r.placeFiles(s)
	return p.reportRestore(a, r, o)
}

// lockForRestore acquires the lock of a data directory. It returns an error if a server is running.
func (p *program) lockForRestore(c *cobra.Command, data string) (*control.Lock, error) {
	lock, server, err := connectOrLock(c.Context(), data)
	if err != nil {
		return nil, err
	}
	if err := refuseStandby(data); err != nil {
		if lock != nil {
			err = errors.Join(err, lock.Release())
		}
		return nil, err
	}
	if server != nil {
		return nil, fmt.Errorf("%w\nstop the server first: a restore replaces its data", server.held)
	}
	if err := p.finishRestore(data); err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	return lock, nil
}

// finishRestore completes an interrupted restore. It must be called before the data is opened, and
// the caller must hold the lock.
func (p *program) finishRestore(data string) error {
	finished, kept, err := backup.FinishSwap(data)
	if finished {
		say(p.stderr, "note: interrupted restore completed%s", keptText(kept))
	}
	return err
}

func keptText(kept string) string {
	if kept == "" {
		return ""
	}
	return "; the previous content is in " + kept
}

func (p *program) reportRestore(a *archive, r *restoreReport, o restoreOptions) error {
	if o.json {
		return printJSON(p.stdout, r)
	}
	if r.DryRun {
		say(p.stderr, "%s is complete and would be restored to %s: %s", a.path, r.Data, r.archiveReport)
		if len(r.Moved) > 0 {
			say(p.stderr, "files that would be moved aside with --force: %s", strings.Join(r.Moved, ", "))
		}
		if len(r.Foreign) > 0 {
			say(p.stderr, "files that are not part of svc would be kept with --force: %s", strings.Join(r.Foreign, ", "))
		}
		if r.StorageDir != "" {
			say(p.stderr, "storage_dir is %s: the local files would be restored to %s, and you would have to move them there", r.StorageDir,
				filepath.Join(r.Data, datadir.Files))
		}
		return nil
	}
	say(p.stderr, "%s was restored from %s: %s%s", r.Data, a.path, r.archiveReport, keptText(r.Kept))
	if !r.Files && a.replica == nil {
		say(p.stderr, "note: the archive has no local files; those in the directory are kept")
	}
	if r.StorageDir != "" {
		say(p.stderr,
			"note: storage_dir is %s, but the local files of the archive are in %s\nbefore the start, move the content of the former aside, and "+
				"the content of the latter into it", r.StorageDir, filepath.Join(r.Data, datadir.Files))
	}
	p.noteElsewhere(r.SecretsElsewhere)
	p.noteReplica(a, r)
	say(p.stderr, "start it: %s serve --data %s", self, quoted(r.Data))
	return nil
}
