package control

import (
	"encoding/json"
	"net/http"
	"time"

	"svc/api/web"
	"svc/internal/backup"
	"svc/internal/fault"
)

// BackupTrailer is the name of the HTTP trailer that follows a backup. Its value is the JSON of a
// BackupResult. An archive without the trailer is incomplete.
const BackupTrailer = "Svc-Backup"

// BackupResult describes the contents of an archive. If the archive is incomplete, it contains the
// reason.
type BackupResult struct {
	Version          string    `json:"version"` // version of svc that made the archive
	CreatedAt        time.Time `json:"created_at"`
	Members          int       `json:"members"` // files in the archive
	Bytes            int64     `json:"bytes"`   // their size before compression
	Files            bool      `json:"files"`   // local files were requested
	SecretsElsewhere []string  `json:"secrets_elsewhere,omitempty"`
	Error            string    `json:"error,omitempty"`
}

// NewBackupResult describes a complete archive.
func NewBackupResult(m *backup.Manifest) BackupResult {
	return BackupResult{
		Version: m.Version, CreatedAt: m.CreatedAt, Members: len(m.Members), Bytes: m.Bytes(),
		Files: m.Files, SecretsElsewhere: m.SecretsElsewhere,
	}
}

const maxRecipients = 20

// backup streams an archive of all data. An error before the first byte gets an ordinary error
// response. A later error is reported in the trailer, and the archive is then incomplete.
func (h *Handlers) backup(w http.ResponseWriter, r *web.Request) error {
	if h.Backup == nil {
		return fault.New(fault.Unavailable, "backups cannot be made here")
	}
	var in struct {
		Recipients web.Optional[[]json.RawMessage] `json:"recipients"`
		Files      web.Optional[bool]              `json:"files"`
	}
	if err := web.Decode(r, &in); err != nil {
		return err
	}
	var p web.Problems
	p.Flag("files", in.Files)
	o := backup.Options{Files: in.Files.Or(true), Recipients: p.Texts("recipients", in.Recipients, maxRecipients, 4096)}
	if err := p.Err(); err != nil {
		return err
	}
	web.NoDeadlines(w)
	body := &archiveBody{w: w}
	m, err := h.Backup(r.Context(), body, o)
	if err != nil && !body.begun {
		return err
	}
	var result BackupResult
	if err != nil {
		result.Error = err.Error()
		if r.Context().Err() == nil { // a client that disconnects is not an error of the server
			h.Log.Error("backup interrupted", "error", err, "id", r.ID)
		}
	} else {
		result = NewBackupResult(m)
	}
	text, err := json.Marshal(result)
	if err != nil {
		return err
	}
	w.Header().Set(http.TrailerPrefix+BackupTrailer, string(text))
	return nil
}

// archiveBody writes an archive to a response. It sends the headers together with the first byte of
// the archive, so that an earlier error can still get an error response.
type archiveBody struct {
	w     http.ResponseWriter
	begun bool
}

// Write sends b. On the first call, it sends the headers first.
func (a *archiveBody) Write(b []byte) (int, error) {
	if !a.begun {
		a.begun = true
		a.w.Header().Set("Content-Type", "application/octet-stream")
		// The flush prevents a Content-Length: a response with a known length has no trailer.
		_ = http.NewResponseController(a.w).Flush()
	}
	return a.w.Write(b)
}
