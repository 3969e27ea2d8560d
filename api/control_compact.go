package api

import (
	"net/http"
	"path/filepath"

	"svc/internal/boltfile"
)

// compactInput says whether files are compacted that have not shrunk inside, too.
type compactInput struct {
	Always Optional[bool] `json:"always"`
}

// CompactResult is what became of the data files.
type CompactResult struct {
	Files []CompactedFile `json:"files"`
}

// CompactedFile is what became of one of them.
type CompactedFile struct {
	File      string  `json:"file"`
	Before    int64   `json:"before"` // bytes
	After     int64   `json:"after"`  // bytes
	Compacted bool    `json:"compacted"`
	Seconds   float64 `json:"seconds"` // in which nobody could write to the file
}

// compact moves the data to smaller files while they are in use, one after the
// other. Whoever writes waits.
func (s *Server) compact(w http.ResponseWriter, r *request) error {
	var in compactInput
	if err := decode(r, &in); err != nil {
		return err
	}
	var p problems
	p.flag("always", in.Always)
	if err := p.err(); err != nil {
		return err
	}
	unlimited(w)
	var view CompactResult
	for _, file := range []struct {
		path    string
		compact func(always bool) (boltfile.Compaction, error)
	}{{s.db.Path(), s.db.CompactFile}, {s.config.Events.Path(), s.config.Events.CompactFile}} {
		if err := r.Context().Err(); err != nil {
			return err
		}
		c, err := file.compact(in.Always.or(false))
		if err != nil {
			return err
		}
		name := filepath.Base(file.path)
		if c.Done {
			s.log.Info("data file compacted", "file", name, "before", c.Before, "after", c.After, "seconds", c.Took.Seconds())
		}
		view.Files = append(view.Files, CompactedFile{name, c.Before, c.After, c.Done, c.Took.Seconds()})
	}
	return respond(w, http.StatusOK, view)
}
