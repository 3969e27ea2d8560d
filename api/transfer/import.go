package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"
	"unicode/utf8"

	"svc/api/analytics"
	"svc/api/resource"
	"svc/api/web"
	"svc/internal/disk"
	"svc/internal/event"
	"svc/internal/fault"
	"svc/internal/release"
	"svc/internal/transfer"
	"svc/store"
)

// importView is a line of the response to an import. It reports the progress. The last line
// contains the result in Done or Problems.
type importView struct {
	Phase   string  `json:"phase"`   // verifying, reading, storing
	Portion float64 `json:"portion"` // completed part of the phase, 0 to 1
	Seconds float64 `json:"seconds"`

	Done       bool             `json:"done,omitempty"`
	DryRun     bool             `json:"dry_run,omitempty"`
	ProjectKey string           `json:"project_key,omitempty"`
	Records    map[string]int64 `json:"records,omitempty"`         // number of imported records, by file in the archive
	Repeated   int64            `json:"events_repeated,omitempty"` // duplicate events that were omitted
	Aliases    []string         `json:"aliases_taken,omitempty"`   // aliases that were omitted because another project has them
	Failed     int64            `json:"files_failed,omitempty"`    // files without content in the archive

	Problems []string `json:"problems,omitempty"`
	Newer    bool     `json:"newer,omitempty"` // the archive requires a newer program
}

// importProject creates a project from the archive in the request body. It may take longer than
// other requests and reports its progress every second. The project becomes visible as a whole or
// not at all.
func (h *Handlers) importProject(w http.ResponseWriter, r *web.Request) error {
	var p problems
	dry, fresh := p.Bool(r, "dry_run"), p.Bool(r, "new_ids")
	newKey := r.Query("key")
	if r.Sent("key") {
		p.Text("key", web.Optional[string]{Sent: true, Value: &newKey}, web.TextRule{Max: 64, Trim: true, Filled: true})
	}
	if err := p.Err(); err != nil {
		return err
	}
	web.NoDeadlines(w)
	spool, err := h.spool(r)
	if err != nil {
		return err
	}
	defer func() {
		if err := errors.Join(spool.Close(), os.Remove(spool.Name())); err != nil {
			h.Log.Error("cannot remove archive of an import", "error", err, "id", r.ID)
		}
	}()
	begin, last := h.Now(), h.Now()
	w.Header().Set("Content-Type", "application/x-ndjson")
	im := &importer{
		handlers: h, ctx: r.Context(), newKey: newKey, now: h.Now(),
		options: store.ImportOptions{NewIDs: fresh != nil && *fresh, DryRun: dry != nil && *dry},
	}
	im.tell = func() {
		if now := h.Now(); im.answer.Done || im.answer.Problems != nil || now.Sub(last) >= time.Second {
			last = now
			im.answer.Seconds = now.Sub(begin).Seconds()
			_ = json.NewEncoder(w).Encode(im.answer) // an error means that the client has disconnected
			_ = http.NewResponseController(w).Flush()
		}
	}
	if err = im.run(spool); err == nil && !im.options.DryRun {
		err = r.Confirm() // the response may have begun
	}
	switch f, ok := errors.AsType[*fault.Error](err); {
	case err == nil:
		im.answer.Done, im.answer.Portion = true, 1
	case ok && len(im.problems) == 0:
		im.problems = f.Messages
	case !errors.Is(err, errProblems) && !errors.Is(err, transfer.ErrNewer):
		h.Log.Error("project not imported", "error", err, "id", r.ID)
		im.problems = append(im.problems, err.Error())
	case errors.Is(err, transfer.ErrNewer):
		im.problems, im.answer.Newer = []string{err.Error()}, true
	}
	im.answer.Problems = im.problems
	im.tell()
	return nil
}

// spool writes the archive in the request body to a temporary file, because its parts are not read
// in the order in which they arrive.
func (h *Handlers) spool(r *web.Request) (*os.File, error) {
	if err := os.MkdirAll(h.Staging, 0o700); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(h.Staging, "import-*.zip")
	if err != nil {
		return nil, err
	}
	if _, err := disk.Fill(f, r.Stream(), r.ContentLength, "the archive"); err != nil {
		return nil, errors.Join(fmt.Errorf("receive the archive: %w", err), f.Close(), os.Remove(f.Name()))
	}
	return f, nil
}

// maxProblems is the number of invalid lines after which an import ends.
const maxProblems = 20

// errProblems reports that the archive is invalid. The importer's problems contain the details.
var errProblems = errors.New("the archive is invalid")

// importer creates a project from the lines of an archive.
type importer struct {
	handlers *Handlers
	ctx      context.Context
	options  store.ImportOptions
	newKey   string // "" = the key in the archive
	now      time.Time
	tell     func() // sends the progress to the client, at most once a second until the import ends

	archive  *transfer.Reader
	into     *store.Import
	load     *event.Importer
	project  *store.Project
	channels release.Channels // the project's own channels

	trustKeys []store.TrustKey
	versions  map[string]bool // version texts that have been read

	downgrades map[string]string // the replacements of yanked versions, both as display texts

	names    map[string]bool // event names that have been defined
	read     int64           // bytes read in the current phase
	total    int64           // bytes to read in the current phase
	files    importedFiles
	answer   importView
	problems []string
	at       string // the line being read, for messages

	writes      []func(*store.ImportTx) error // writes to be performed in the next transaction
	pending     int                           // total size in bytes of the lines in these queues
	definitions []event.Definition            // definitions to be written in the next transaction
	batches     []*event.Batch                // events to be written in the next transaction
	counts      []event.Count                 // counts to be written in the next transaction
	hits        map[store.RequestCounter]uint64
}

func (im *importer) run(spool *os.File) (err error) {
	info, err := spool.Stat()
	if err != nil {
		return err
	}
	if im.archive, err = transfer.Open(spool, info.Size()); err != nil {
		return err
	}
	im.answer.Phase, im.total = "verifying", im.archive.Manifest.Bytes()
	err = im.archive.Verify(im.ctx, func(n int64) {
		im.advance(n)
		im.tell()
	})
	if err != nil {
		return err
	}
	im.answer.Phase, im.read = "reading", 0
	// Remains of an earlier import have the same IDs as this one's records.
	if err := im.handlers.DB.Purge(); err != nil {
		return err
	}
	if !im.options.DryRun && !im.options.NewIDs {
		if err := im.freeIDs(); err != nil {
			return err
		}
	}
	if im.into, err = im.handlers.DB.BeginImport(im.options); err != nil {
		return err
	}
	defer func() {
		im.into.Abandon()
		if err != nil && !im.options.DryRun {
			im.cleanUp()
		}
	}()
	if err := im.readAll(); err != nil {
		return err
	}
	if err := im.storeContents(); err != nil {
		return err
	}
	return im.finish()
}

// advance records that n more bytes have been read.
func (im *importer) advance(n int64) {
	im.read += n
	im.answer.Portion = float64(im.read) / float64(max(1, im.total))
}

// cleanUp removes the data of a project after a failed import. If that fails, the next start
// removes the rest. If the project is already visible, cleanUp keeps it, because in that case only
// the confirmation by the disk has failed.
func (im *importer) cleanUp() {
	number := im.into.Project()
	if _, alive := im.handlers.DB.ProjectByID(number); alive {
		return
	}
	ctx := context.WithoutCancel(im.ctx)
	err := errors.Join(im.handlers.Events.DropProject(ctx, event.Project(number)), im.handlers.DB.Purge(), im.dropContents(ctx))
	if err != nil {
		im.handlers.Log.Error("partially imported project not removed; retrying later", "error", err)
	}
}

// readAll reads the files of the archive in the order of their dependencies.
func (im *importer) readAll() error {
	im.versions, im.names, im.downgrades = map[string]bool{}, map[string]bool{}, map[string]string{}
	im.hits, im.answer.Records = map[store.RequestCounter]uint64{}, map[string]int64{}
	if err := im.readProject(); err != nil {
		return err
	}
	if err := im.readFiles(); err != nil {
		return err
	}
	_, counted := im.archive.Manifest.File(transfer.EventCountersFile)
	im.load = im.handlers.Events.NewImporter(event.Project(im.into.Project()), counted)
	for _, file := range []struct {
		name string
		line func(json.RawMessage) error
	}{
		{transfer.DistributionFile, im.distribution},
		{transfer.TrustKeysFile, im.trustKey},
		{transfer.VersionsFile, im.version},
		{transfer.AnnouncementsFile, records(im, im.announcement, (*store.ImportTx).Announcement)},
		{transfer.FeedbacksFile, records(im, resource.ReadFeedback, (*store.ImportTx).Feedback)},
		{transfer.LogsFile, records(im, resource.ReadLog, (*store.ImportTx).Log)},
		{transfer.CardsFile, records(im, analytics.ReadCard, (*store.ImportTx).Card)},
		{transfer.DefinitionsFile, im.definition},
		{transfer.EventsFile, im.event},
		{transfer.EventCountersFile, im.counter},
		{transfer.RequestsFile, im.requests},
		{transfer.SystemVersionsFile, im.systems(store.CountSystem)},
		{transfer.ClientVersionsFile, im.systems(store.CountClient)},
		{transfer.DownloadsFile, im.downloads},
		{transfer.HealthFile, im.health},
		{transfer.LogGroupsFile, im.logGroup},
	} {
		if err := im.file(file.name, file.line); err != nil {
			return err
		}
	}
	if len(im.problems) > 0 {
		return errProblems
	}
	return nil
}

// logGroup reads a line with a group of logs.
func (im *importer) logGroup(raw json.RawMessage) error {
	g, err := resource.ReadLogGroup(raw, im.now.Unix())
	if err == nil {
		im.later(func(t *store.ImportTx) error { return t.LogGroup(g) })
	}
	return err
}

// finish completes the import by making the project visible.
func (im *importer) finish() error {
	im.answer.ProjectKey, im.answer.DryRun = im.project.Key, im.options.DryRun
	if im.options.DryRun {
		return nil
	}
	if err := im.load.Finish(); err != nil {
		return err
	}
	if len(im.downgrades) > 0 {
		if err := im.into.Update(func(t *store.ImportTx) error { return t.Downgrades(im.downgrades) }); err != nil {
			return err
		}
	}
	taken, err := im.into.Reveal(im.project)
	im.answer.Aliases = taken
	return err
}

// The limits on the amount of data that is written in one transaction.
const (
	transferRecords = 1000
	transferBytes   = 1 << 20 // total size of the lines, in bytes
	transferCounts  = 8192
)

// file reads the lines of a file in the archive and passes each one to the given function. If a
// line is invalid, file records the problem and continues with the next line, so that one response
// lists several problems. After the first problem, file does not write any further data.
func (im *importer) file(name string, one func(json.RawMessage) error) error {
	err := im.archive.Lines(im.ctx, name, func(line int64, text []byte) error {
		im.at = fmt.Sprintf("%s, line %d: ", name, line)
		err := checkLine(text)
		if err == nil {
			err = one(text)
		}
		if err := im.note(located(im.at, err)); err != nil {
			return err
		}
		im.answer.Records[name]++
		im.advance(int64(len(text)) + 1)
		im.tell()
		if im.pending += len(text); im.pending >= transferBytes || len(im.writes)+len(im.batches) >= transferRecords ||
			len(im.counts)+len(im.hits) >= transferCounts {
			return im.note(im.write())
		}
		return nil
	})
	if err != nil {
		return err
	}
	return im.note(im.write())
}

// checkLine returns an error unless a line is a JSON object.
func checkLine(text []byte) error {
	switch {
	case len(text) == 0:
		return fault.New(fault.Invalid, "the line is empty; it must be a JSON object")
	case !utf8.Valid(text):
		return fault.New(fault.Invalid, "the line must be UTF-8")
	case !json.Valid(text):
		var raw json.RawMessage
		return fault.New(fault.Invalid, "the line is not JSON: %s", json.Unmarshal(text, &raw))
	case text[0] != '{':
		return fault.New(fault.Invalid, "the line must be a JSON object")
	}
	return nil
}

// located adds the given position in the archive to each message of err if err is a fault. It
// returns any other error unchanged.
func located(at string, err error) error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return err
	}
	g := *f
	g.Messages = make([]string, len(f.Messages))
	for i, text := range f.Messages {
		g.Messages[i] = at + text
	}
	return &g
}

// note records err as a problem if the archive is the cause. It returns any other error unchanged,
// and returns errProblems if there are too many problems. A returned error ends the import.
func (im *importer) note(err error) error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Kind != fault.Invalid && f.Kind != fault.Conflict {
		return err
	}
	im.problems = append(im.problems, f.Messages...)
	if len(im.problems) < maxProblems {
		return nil
	}
	return errProblems
}

// later queues the write of a record for the next transaction.
func (im *importer) later(write func(*store.ImportTx) error) {
	at := im.at
	im.writes = append(im.writes, func(t *store.ImportTx) error { return located(at, write(t)) })
}

// write performs the queued writes.
func (im *importer) write() error {
	defer func() {
		im.writes, im.definitions, im.batches, im.counts, im.pending = nil, nil, nil, nil, 0
		clear(im.hits)
	}()
	if len(im.problems) > 0 {
		return nil
	}
	if len(im.writes) > 0 || len(im.hits) > 0 {
		err := im.into.Update(func(t *store.ImportTx) error {
			for _, write := range im.writes {
				if err := write(t); err != nil {
					return err
				}
			}
			return t.Requests(im.hits)
		})
		if err != nil {
			return err
		}
	}
	if im.options.DryRun {
		return nil
	}
	if len(im.definitions) > 0 {
		if err := im.load.Define(im.definitions); err != nil {
			return err
		}
	}
	if len(im.batches) > 0 {
		accepted, err := im.load.Add(im.batches)
		im.answer.Repeated += int64(len(im.batches) - accepted)
		if err != nil {
			return err
		}
	}
	if len(im.counts) > 0 {
		return im.load.Count(im.counts)
	}
	return nil
}
