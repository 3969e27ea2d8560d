package control

import (
	"context"
	"errors"
	"path/filepath"

	"svc/api/web"
	"svc/internal/boltfile"
)

// compactInput is the request body of a compaction. A file that would not become smaller is skipped
// unless Always is true.
type compactInput struct {
	Always web.Optional[bool] `json:"always"`
}

// CompactResult is the result of a compaction.
type CompactResult struct {
	Files []CompactedFile `json:"files"`
}

// CompactedFile is the result of the compaction for one data file.
type CompactedFile struct {
	File      string  `json:"file"`
	Before    int64   `json:"before"` // bytes
	After     int64   `json:"after"`  // bytes
	Compacted bool    `json:"compacted"`
	Damage    string  `json:"damage,omitempty"` // reason why it could not be compacted
	Seconds   float64 `json:"seconds"`          // time for which writers of the file waited
}

// compact compacts both data files, one after the other, while the server uses them. Writers wait
// while their file is being compacted. If a file is skipped, its free pages are overwritten
// instead. In either case, the file no longer contains deleted data.
func (h *Handlers) compact(r *web.Request, in compactInput) (v CompactResult, err error) {
	var p web.Problems
	p.Flag("always", in.Always)
	if err := p.Err(); err != nil {
		return v, err
	}
	web.NoDeadlines(r.Writer)
	for _, file := range []struct {
		path    string
		compact func(always bool) (boltfile.Compaction, error)
		zero    func(context.Context) (int64, error)
	}{{h.DB.Path(), h.DB.CompactFile, h.DB.ZeroFreePages}, {h.Events.Path(), h.Events.CompactFile, h.Events.ZeroFreePages}} {
		if err := r.Context().Err(); err != nil {
			return v, err
		}
		c, err := file.compact(in.Always.Or(false))
		name, damage := filepath.Base(file.path), ""
		switch {
		case errors.Is(err, boltfile.ErrDamaged):
			damage = err.Error()
			h.Log.Error("data file is damaged and was not compacted: see svc check, and restore a backup", "file", name, "error", err)
		case err != nil:
			return v, err
		}
		if !c.Done && damage == "" {
			if _, err := file.zero(r.Context()); err != nil {
				return v, err
			}
		}
		if c.Done {
			h.Log.Info("data file compacted", "file", name, "before", c.Before, "after", c.After, "seconds", c.Took.Seconds())
		}
		v.Files = append(v.Files, CompactedFile{name, c.Before, c.After, c.Done, damage, c.Took.Seconds()})
	}
	return v, nil
}
