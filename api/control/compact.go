package control

import (
	"net/http"
	"path/filepath"

	"svc/api/web"
	"svc/internal/boltfile"
)

// compactInput says whether files are compacted that have not shrunk inside, too.
type compactInput struct {
	Always web.Optional[bool] `json:"always"`
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
func (h *Handlers) compact(w http.ResponseWriter, r *web.Request) error {
	var in compactInput
	if err := web.Decode(r, &in); err != nil {
		return err
	}
	var p web.Problems
	p.Flag("always", in.Always)
	if err := p.Err(); err != nil {
		return err
	}
	web.NoDeadlines(w)
	var view CompactResult
	for _, file := range []struct {
		path    string
		compact func(always bool) (boltfile.Compaction, error)
	}{{h.DB.Path(), h.DB.CompactFile}, {h.Events.Path(), h.Events.CompactFile}} {
		if err := r.Context().Err(); err != nil {
			return err
		}
		c, err := file.compact(in.Always.Or(false))
		if err != nil {
			return err
		}
		name := filepath.Base(file.path)
		if c.Done {
			h.Log.Info("data file compacted", "file", name, "before", c.Before, "after", c.After, "seconds", c.Took.Seconds())
		}
		view.Files = append(view.Files, CompactedFile{name, c.Before, c.After, c.Done, c.Took.Seconds()})
	}
	return web.Respond(w, http.StatusOK, view)
}
