package cmd

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"svc/internal/backup"
	"svc/internal/replica/history"
	"svc/internal/setting"
)

// replicaState is a state of a replica that is restored.
type replicaState struct {
	*source
	until  history.Until
	staged *history.Staged // nil before archive.stage
}

// openRestored opens what a restore restores: the archive that args names, or the replica at o.from.
func (p *program) openRestored(ctx context.Context, s *setting.Settings, args []string, o restoreOptions) (*archive, error) {
	switch {
	case o.from == "" && (o.at != "" || o.atPosition != 0):
		return nil, withCode(exitUsage, errors.New("--at and --at-position are for a replica: name it with --from"))
	case o.from == "":
		return p.openArchive(ctx, args[0], o.identity)
	case len(args) > 0:
		return nil, withCode(exitUsage, errors.New("name either FILE or --from TARGET"))
	case o.at != "" && o.atPosition != 0:
		return nil, withCode(exitUsage, errors.New("name either --at or --at-position"))
	}
	until := history.Until{Position: o.atPosition}
	if o.at != "" {
		var err error
		if until.Time, err = parseAt(o.at); err != nil {
			return nil, withCode(exitUsage, err)
		}
	}
	r, err := p.openReplica(ctx, s, o.from, o.identity)
	if err != nil {
		return nil, err
	}
	if err := r.Check(ctx, until); err != nil {
		return nil, r.explain(err)
	}
	return &archive{
		path:    r.location.String(),
		replica: &replicaState{source: r, until: until},
		// The records name the local files, so it is not known yet whether there are any.
		manifest: &backup.Manifest{Files: true},
	}, nil
}

// parseAt parses a time as RFC 3339 or Unix seconds and returns it in Unix milliseconds.
func parseAt(text string) (int64, error) {
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil && seconds > 0 && seconds < 1<<40 {
		return seconds * 1000, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil || at.UnixMilli() <= 0 {
		return 0, fmt.Errorf("--at must be a time such as 2026-11-29T17:00:00Z, or Unix seconds, not %.40q", text)
	}
	return at.UnixMilli(), nil
}

// stageReplica builds the state beside a data directory.
func (a *archive) stageReplica(ctx context.Context, data string) (*backup.Staged, error) {
	staged, err := a.replica.Stage(ctx, data, a.replica.until)
	if err != nil {
		return nil, a.replica.explain(err)
	}
	a.replica.staged, a.manifest = staged, staged.Manifest()
	return staged.Staged, nil
}

// time returns the time of the last change of the state.
func (r *replicaState) time() time.Time {
	return time.UnixMilli(r.staged.Time).UTC().Truncate(time.Second)
}

// complete adds the contents of local files to the staged state, and describes the state in the report.
func (r *replicaState) complete(ctx context.Context, report *restoreReport) error {
	contents, err := r.FetchContents(ctx, r.staged.Dir())
	if err != nil {
		return r.explain(err)
	}
	if contents.Files > contents.Missing {
		r.staged.AddedFiles()
		report.Files = true
	}
	report.Position, report.MissingContents = r.staged.Position, contents.Missing
	return nil
}

// noteReplica prints what a restored replica does not have.
func (p *program) noteReplica(a *archive, r *restoreReport) {
	if a.replica == nil {
		return
	}
	if gap := a.replica.staged.Gap; gap != nil {
		say(p.stderr, "note: later changes cannot be restored: %s", gap)
	}
	if r.MissingContents > 0 {
		say(p.stderr, "note: the replica does not have the contents of %d local files", r.MissingContents)
	}
}
