package transfer

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"svc/api/web"
	"svc/internal/disk"
	"svc/internal/durable"
	"svc/internal/fault"
	"svc/internal/files"
	"svc/internal/files/digest"
	"svc/internal/files/storage"
	"svc/internal/transfer"
	"svc/store"
)

// importedFiles contains the files of a project that is being imported. Their records are written
// first, with the status failed, so that they can be found if the import fails. Their contents are
// stored afterwards.
type importedFiles struct {
	backend string          // ID of the storage for the contents
	known   map[string]bool // IDs in the archive that have been read
	content []importedContent
	moved   map[string]string       // maps the object keys in the archive to the new ones, where they differ
	renamed map[string]store.FileID // maps the IDs in the archive to the new ones, where they differ
	stored  map[store.FileID]string // object keys of records that have been written
}

// importedContent is the content of a file in the archive.
type importedContent struct {
	from string // ID in the archive
	file *store.File
}

// readFiles reads the records of files. It must run before versions are read, because versions may
// link to files.
func (im *importer) readFiles() error {
	im.files = importedFiles{
		known: map[string]bool{}, moved: map[string]string{}, renamed: map[string]store.FileID{}, stored: map[store.FileID]string{},
	}
	err := im.handlers.DB.View(func(tx *store.Tx) error {
		b, err := tx.StorageFor(im.project, "")
		if err == nil {
			im.files.backend = b.ID
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := im.file(transfer.FilesFile, im.fileLine); err != nil {
		return err
	}
	for _, id := range im.archive.Contents() {
		if !im.files.known[id] && len(im.problems) == 0 {
			return fault.New(fault.Invalid, "the archive has %s%s, which %s does not list", transfer.ContentFolder, id, transfer.FilesFile)
		}
	}
	return nil
}

// fileInput is a line of the archive that describes a file.
type fileInput struct {
	ID        web.Optional[string]      `json:"id"`
	Filename  web.Optional[string]      `json:"filename"`
	Size      web.Optional[web.Integer] `json:"size"`
	SHA256    web.Optional[string]      `json:"sha256"`
	Source    web.Optional[string]      `json:"source"`
	SourceURL web.Optional[string]      `json:"source_url"`
	ObjectKey web.Optional[string]      `json:"object_key"`
	CreatedAt web.Optional[web.Integer] `json:"created_at"`
	Content   web.Optional[bool]        `json:"content"`

	Kept web.Optional[[]json.RawMessage] `json:"kept_signatures"`
}

// The limits of what an archive says about signatures of a file.
const (
	maxKept  = 4096 // signatures of one file
	keptSize = 22   // characters of signature.Signature.CheckID
)

// record validates the line and returns the record of the file.
func (in *fileInput) record(projectKey string, now int64) (*store.File, error) {
	var p problems
	f := &store.File{
		ID: store.FileID(in.ID.Or("")), Filename: in.Filename.Or(""), Size: int64(in.Size.Or(0)), SHA256: strings.ToLower(in.SHA256.Or("")),
		Source: store.FileSource(in.Source.Or(string(store.FileUploaded))), SourceURL: in.SourceURL.Or(""),
		CreatedAt: int64(in.CreatedAt.Or(web.Integer(now))),
		Error:     "the content was not in the archive of the import",
	}
	p.Text("id", in.ID, web.TextRule{Required: true})
	if f.ID != "" && !files.ValidID(string(f.ID)) {
		p.Add("id must be 12 characters 0-9 and a-z")
	}
	p.Text("filename", in.Filename, web.TextRule{Required: true})
	if clean, err := files.CleanName(f.Filename); in.Filename.Value != nil && (err != nil || clean != f.Filename) {
		p.Add("filename must be a name as uploads get it: at most 180 characters, without / \\ : * ? \" < > |, control characters and dots at " +
			"its ends")
	}
	p.Number("size", in.Size, 0, 1<<53, false)
	p.Text("sha256", in.SHA256, web.TextRule{})
	if sum, err := hex.DecodeString(f.SHA256); f.SHA256 != "" && (err != nil || len(sum) != 32) {
		p.Add("sha256 must be 64 hex digits")
	}
	p.Text("source", in.Source, web.TextRule{})
	if f.Source != store.FileUploaded && f.Source != store.FileMirrored {
		p.Add("source must be one of %s, %s", store.FileUploaded, store.FileMirrored)
	}
	p.URL("source_url", in.SourceURL, 2048)
	if (f.Source == store.FileMirrored) != (f.SourceURL != "") {
		p.Add("source_url must be there for source %s and for no other", store.FileMirrored)
	}
	p.Past("created_at", in.CreatedAt, now, false)
	p.Flag("content", in.Content)
	if in.Content.Or(false) && (f.SHA256 == "" || in.Size.Value == nil) {
		p.Add("size and sha256 are required for a file with content")
	}
	if kept := p.Texts("kept_signatures", in.Kept, maxKept, keptSize); len(kept) > 0 {
		f.KeepSignatures(kept)
	}
	p.Text("object_key", in.ObjectKey, web.TextRule{})
	if f.ObjectKey = in.ObjectKey.Or(files.ObjectKey(projectKey, string(f.ID), f.Filename)); len(p.List) == 0 && !ownKey(f) {
		p.Add("object_key must have the form f/{project}/{id}/{filename}, with the id and filename of the file")
	}
	return f, p.Err()
}

// ownKey reports whether the object key of a file contains the ID and the name of that file.
func ownKey(f *store.File) bool {
	segments := strings.Split(f.ObjectKey, "/")
	if len(segments) != 4 {
		return false
	}
	project, err := files.CleanName(segments[1])
	return err == nil && project == segments[1] && f.ObjectKey == "f/"+project+"/"+string(f.ID)+"/"+f.Filename
}

func (im *importer) fileLine(raw json.RawMessage) error {
	var in fileInput
	web.Fill(&in, raw)
	f, err := in.record(im.project.Key, im.now.Unix())
	if err != nil {
		return err
	}
	id := string(f.ID)
	if im.files.known[id] {
		return fault.New(fault.Invalid, "id %s occurs twice", id)
	}
	im.files.known[id] = true
	if im.options.NewIDs {
		from := f.ObjectKey
		f.ID = store.FileID(files.NewID())
		f.ObjectKey = files.ObjectKey(im.project.Key, string(f.ID), f.Filename)
		im.files.moved[from], im.files.renamed[id] = f.ObjectKey, f.ID
	}
	f.Backend = im.files.backend
	if in.Content.Or(false) {
		if err := im.archive.CheckContent(id, f.Size); err != nil {
			return err
		}
		im.files.content = append(im.files.content, importedContent{id, f})
	} else {
		im.answer.Failed++
	}
	im.later(func(t *store.ImportTx) error {
		err := t.File(f)
		if err == nil {
			im.files.stored[f.ID] = f.ObjectKey
		}
		return err
	})
	return nil
}

// relink updates the links of a version that point to files with a changed object key. It does not
// change the host of a link.
func (l *importedFiles) relink(v *store.Version) {
	if len(l.moved) == 0 {
		return
	}
	if v.DownloadURL != nil {
		v.DownloadURL = new(l.link(*v.DownloadURL))
	}
	for i := range v.DownloadLinks {
		v.DownloadLinks[i].URL = l.link(v.DownloadLinks[i].URL)
	}
}

func (l *importedFiles) link(text string) string {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil {
		return text
	}
	key, ok := files.ParseLink(u.EscapedPath())
	to := l.moved[key]
	if !ok || to == "" {
		return text
	}
	u.Path, u.RawPath = "/"+to, files.EscapePath(to)
	return u.String()
}

// storeContents stores the contents of all files. The files become visible only afterwards. In a
// dry run, it only reads the contents.
func (im *importer) storeContents() error {
	if len(im.files.content) == 0 {
		return nil
	}
	im.answer.Phase, im.read, im.total = "storing", 0, 0
	for _, c := range im.files.content {
		im.total += c.file.Size
	}
	local := im.handlers.Files.Storages.Local()
	if !im.options.DryRun {
		folder := local.Staged("")
		if err := durable.MkdirAll(folder, 0o700); err != nil {
			return err
		}
		if err := disk.Need(folder, uint64(im.total)+disk.Reserve, contentsPurpose); err != nil {
			return err
		}
	}
	var stored []*store.File
	for _, c := range im.files.content {
		if err := im.storeContent(local, c); err != nil {
			return fault.Disk(err)
		}
		stored = append(stored, c.file)
	}
	if im.options.DryRun {
		return nil
	}
	return inSteps(im.into.Update, stored, (*store.ImportTx).FileStored)
}

// inSteps passes each element of a list to the given function, in several transactions of limited
// size.
func inSteps[Tx, E any](update func(func(Tx) error) error, list []E, one func(Tx, E) error) error {
	for chunk := range slices.Chunk(list, transferRecords) {
		err := update(func(tx Tx) error {
			for _, e := range chunk {
				if err := one(tx, e); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// storeContent reads one content and stores it in the local storage. For another storage, it stages
// the content, and a job uploads it later.
func (im *importer) storeContent(local *storage.Local, c importedContent) error {
	from, err := im.archive.Content(c.from, c.file.Size, c.file.SHA256)
	if err != nil {
		return err
	}
	in := &watched{im, from}
	if im.options.DryRun {
		_, err := io.Copy(io.Discard, in)
		return errors.Join(err, from.Close())
	}
	staged := local.Staged(string(c.file.ID))
	hash := digest.New()
	if err := cmp.Or(writeContent(staged, io.TeeReader(in, hash), c.file.Size), from.Close()); err != nil {
		return err
	}
	if err := im.handlers.Files.Describe(c.file, hash.Sums(), staged); err != nil {
		return errors.Join(fault.New(fault.Invalid, "file %s %v", c.file.ID, err), os.Remove(staged))
	}
	if c.file.Backend != store.LocalStorage {
		return durable.SyncDir(filepath.Dir(staged))
	}
	_, err = local.Put(im.ctx, c.file.ObjectKey, staged, c.file.Size)
	return err
}

// watched is a reader that reports the progress of an import. It returns an error once the import
// has been cancelled.
type watched struct {
	im *importer
	io.Reader
}

// Read reads from the wrapped reader and reports the progress.
func (w *watched) Read(room []byte) (int, error) {
	if err := w.im.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := w.Reader.Read(room)
	w.im.advance(int64(n))
	w.im.tell()
	return n, err
}

// contentsPurpose describes the contents of files in errors about a full disk.
const contentsPurpose = "the files of the project"

// writeContent writes a new file and returns when its content is on disk.
func writeContent(path string, from io.Reader, size int64) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = disk.Fill(f, from, size, contentsPurpose)
	return errors.Join(err, f.Close())
}

// dropContents removes the contents that a failed import has stored, and the records of their
// deletion. A job removes any contents that remain.
func (im *importer) dropContents(ctx context.Context) error {
	if len(im.files.stored) == 0 {
		return nil
	}
	return im.handlers.removeContents(ctx, func(d *store.FileDeletion) bool { return im.files.stored[d.ID] == d.ObjectKey })
}

// freeIDs frees the IDs of the archive's files. Such an ID can still be in use by an object that
// waits for its deletion. The object belongs to an earlier state of the project, which has been
// deleted, or to an import that was killed.
func (im *importer) freeIDs() error {
	ids := map[store.FileID]bool{}
	err := im.archive.Lines(im.ctx, transfer.FilesFile, func(_ int64, text []byte) error {
		var f struct {
			ID store.FileID `json:"id"`
		}
		if json.Unmarshal(text, &f) == nil { // otherwise the line is refused later
			ids[f.ID] = true
		}
		return nil
	})
	if err != nil || len(ids) == 0 {
		return err
	}
	now := im.handlers.Now().Unix() // the import may have begun before the project was purged
	return im.handlers.removeContents(im.ctx, func(d *store.FileDeletion) bool {
		return ids[d.ID] && d.Backend == store.LocalStorage && d.RetryAt <= now
	})
}

// removeContents removes the local objects and staged contents of the deleted files that the given
// function selects. It does nothing if another goroutine is removing or using such contents.
func (h *Handlers) removeContents(ctx context.Context, which func(*store.FileDeletion) bool) error {
	release, ok := h.Files.TryHold()
	if !ok {
		return nil
	}
	defer release()
	list, err := store.Read(h.DB, func(tx *store.Tx) ([]*store.FileDeletion, error) { return tx.FileDeletions(math.MaxInt) })
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(d *store.FileDeletion) bool { return !which(d) })
	local := h.Files.Storages.Local()
	for _, d := range list {
		if err := local.Delete(ctx, storage.Object{Key: d.ObjectKey, Size: d.Size}); err != nil {
			return err
		}
		if err := os.Remove(local.Staged(string(d.ID))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove the content of a deleted file: %w", err)
		}
	}
	return inSteps(h.DB.Update, list, (*store.Tx).DropFileDeletion)
}
