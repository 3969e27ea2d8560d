package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	apicontrol "svc/api/control"
	"svc/internal/backup"
	"svc/internal/boltfile"
	"svc/internal/datadir"
	"svc/internal/event"
	"svc/internal/event/query"
	"svc/internal/instance"
	"svc/store"
)

func (p *program) backupVerifyCommand() *cobra.Command {
	var identity string
	var asJSON bool
	c := &cobra.Command{
		Use:   "verify FILE",
		Short: "Verify that a backup is complete and can be restored",
		Long: `Read the whole archive, compare all checksums, extract both databases to a temporary
directory beside it, check every page, open them and count their records. No data
directory is needed or changed.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			a, err := p.openArchive(c.Context(), args[0], identity)
			if err != nil {
				return err
			}
			r, err := a.try(c.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(p.stdout, r)
			}
			say(p.stderr, "%s is complete: %s", a.path, r)
			p.noteElsewhere(r.SecretsElsewhere)
			return nil
		},
	}
	addIdentity(c, &identity)
	addJSON(c, &asJSON)
	return c
}

func addIdentity(c *cobra.Command, identity *string) {
	c.Flags().StringVar(identity, "identity", "", "file with the age identity that decrypts the archive")
}

// archive is an archive with verified checksums, or a state of a replica.
type archive struct {
	path       string // of the file, or the target of the replica
	identities []backup.Identity
	manifest   *backup.Manifest
	reading    func(*os.File) io.Reader // returns a reader that fails after the context has ended
	replica    *replicaState            // nil for a file; otherwise the manifest is that of its snapshot after stage
}

// openArchive reads an archive to its end and verifies its checksums.
func (p *program) openArchive(ctx context.Context, path, identity string) (a *archive, err error) {
	a = &archive{path: path, reading: func(f *os.File) io.Reader {
		return io.TeeReader(untilDone{ctx, f}, &progress{to: io.Discard, say: p.progressLine("read"), told: time.Now()})
	}}
	if identity != "" {
		if a.identities, err = readIdentities(identity); err != nil {
			return nil, withCode(exitUsage, err)
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if a.manifest, err = backup.Read(a.reading(f), a.identities, nil); err != nil {
		return nil, a.explain(err)
	}
	return a, nil
}

// untilDone is a file that returns an error from Read after the context has ended, so that reading
// a large archive can be cancelled.
type untilDone struct {
	ctx context.Context
	*os.File
}

// Read reads from the file unless the context has ended.
func (r untilDone) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, &fs.PathError{Op: "read", Path: r.Name(), Err: err}
	}
	return r.File.Read(b)
}

func readIdentities(path string) ([]backup.Identity, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := backup.ParseIdentities(f)
	if err != nil {
		return nil, fmt.Errorf("%s is not an age identity file, as written by age-keygen: %w", path, err)
	}
	return list, nil
}

// explain adds advice to an error about an archive that cannot be used.
func (a *archive) explain(err error) error {
	err = fmt.Errorf("%s: %w", a.path, err)
	switch {
	case errors.Is(err, backup.ErrNewer), errors.Is(err, store.ErrNewer):
		return withCode(exitNewer, fmt.Errorf("%w\ninstall the version of svc that wrote it, or a newer one", err))
	case errors.Is(err, backup.ErrSealed):
		return withCode(exitUsage, fmt.Errorf("%w\nname the identity file of one of its recipients with --identity", err))
	case errors.Is(err, backup.ErrDamaged), errors.Is(err, store.ErrDamaged):
		return withCode(exitFailed, fmt.Errorf("%w\nnothing was changed; try another backup", err))
	}
	return err
}

// try unpacks an archive into a temporary folder, opens the data in it and deletes the folder.
func (a *archive) try(ctx context.Context) (r *archiveReport, err error) {
	dir, err := os.MkdirTemp(filepath.Dir(a.path), ".svc-verify-")
	if err != nil { // the folder of the archive may be read-only, so try another one
		dir, err = os.MkdirTemp("", "svc-verify-")
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	data := filepath.Join(dir, "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		return nil, err
	}
	staged, err := a.stage(ctx, data)
	if err != nil {
		return nil, err
	}
	return a.inspect(ctx, staged)
}

// stage unpacks an archive next to the given data directory, or inside it if necessary; see
// backup.Stage. For a replica, it builds the state there.
func (a *archive) stage(ctx context.Context, data string) (*backup.Staged, error) {
	if a.replica != nil {
		return a.stageReplica(ctx, data)
	}
	f, err := os.Open(a.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	staged, err := backup.Stage(data, a.reading(f), a.identities, a.manifest)
	if err != nil {
		return nil, a.explain(err)
	}
	return staged, nil
}

// archiveReport is the JSON form of an archive's contents, as "svc backup verify" prints it.
type archiveReport struct {
	apicontrol.BackupResult

	Projects      int   `json:"projects"`
	Versions      int64 `json:"versions"`
	Announcements int64 `json:"announcements"`
	Feedback      int64 `json:"feedback"`
	Logs          int64 `json:"logs"`
	EventsCounted int64 `json:"events_counted"` // number of events ever counted, including those that have been deleted
}

// String returns the report as a line of text.
func (r *archiveReport) String() string {
	return fmt.Sprintf("%d projects, %d versions, %d announcements, %d feedback, %d logs, %d events counted, as of %s",
		r.Projects, r.Versions, r.Announcements, r.Feedback, r.Logs, r.EventsCounted, r.CreatedAt.Local().Format(time.DateTime))
}

// inspect verifies and opens both databases of an unpacked archive and counts their records. It
// assigns a new id to svc.db, so that no existing search index matches it.
func (a *archive) inspect(ctx context.Context, staged *backup.Staged) (r *archiveReport, err error) {
	r = &archiveReport{BackupResult: apicontrol.NewBackupResult(a.manifest)}
	if a.replica != nil {
		r.CreatedAt = a.replica.time()
	}
	records, events := filepath.Join(staged.Dir(), datadir.Database), filepath.Join(staged.Dir(), datadir.Events)
	if err := boltfile.Verify(records); err != nil {
		return nil, a.explain(err)
	}
	if err := r.countRecords(records); err != nil {
		return nil, a.explain(err)
	}
	if !instance.Has(staged.Dir(), datadir.Events) { // an old version of the program made the archive and had no such file
		return r, nil
	}
	if err := boltfile.Verify(events); err != nil {
		return nil, a.explain(err)
	}
	if err := r.countEvents(ctx, events); err != nil {
		return nil, a.explain(err)
	}
	return r, nil
}

func (r *archiveReport) countRecords(path string) (err error) {
	db, err := store.Open(path, store.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	r.Projects = len(db.Projects())
	err = db.View(func(tx *store.Tx) error {
		versions, err := tx.VersionStatistics()
		if err != nil {
			return err
		}
		feedback, err := tx.FeedbackStatistics()
		if err != nil {
			return err
		}
		logs, err := tx.LogStatistics()
		for _, n := range logs {
			r.Logs += n
		}
		r.Versions, r.Feedback = versions.Versions, feedback.Count
		if err == nil {
			r.Announcements, _, err = tx.AnnouncementStatistics()
		}
		return err
	})
	if err != nil {
		return err
	}
	return db.Renew()
}

func (r *archiveReport) countEvents(ctx context.Context, path string) (err error) {
	events, err := event.Open(path, event.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, events.Close()) }()
	for _, project := range events.Projects() {
		o, err := events.Overview(ctx, project, query.Range{Start: 0, End: math.MaxUint32})
		if err != nil {
			return err
		}
		r.EventsCounted += o.Total
	}
	return nil
}
