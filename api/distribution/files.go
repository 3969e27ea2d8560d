package distribution

import (
	"math"
	"os"
	"strings"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/files"
	"svc/internal/files/engine"
	"svc/store"
)

const filesPath = web.V1 + "/admin/projects/:k/files"

func (h *Handlers) fileRoutes() []web.Route {
	read, write := web.ByScope("files:read"), web.ByScope("files:write")
	return []web.Route{
		{Method: "GET", Path: filesPath, Access: read, Handler: web.OK(h.listFiles)},
		{Method: "GET", Path: filesPath + "/:id", Access: read, Handler: web.OK(h.getFile)},
		{Method: "DELETE", Path: filesPath + "/:id", Access: write, Handler: web.OK(h.deleteFile)},
		{Method: "POST", Path: filesPath + "/:id/retry", Access: write, Handler: web.OK(h.retryFile)},
		{Method: "POST", Path: filesPath + "/:id/refresh-cdn", Access: write, Handler: web.OK(h.refreshFile)},
		{Method: "POST", Path: web.V1 + "/admin/projects/:k/versions/:id/mirror-assets", Access: write, Handler: web.OK(h.mirrorAssets)},
	}
}

// fileView is the JSON form of a file.
type fileView struct {
	ID           string           `json:"id"`
	ProjectKey   string           `json:"project_key"`
	Filename     string           `json:"filename"`
	Size         int64            `json:"size"`
	SHA256       *string          `json:"sha256"`
	SHA1         *string          `json:"sha1"`
	SHA512       *string          `json:"sha512"`
	PartSize     *int64           `json:"part_size"`
	ContentType  string           `json:"content_type"`
	Status       store.FileStatus `json:"status"`
	Source       store.FileSource `json:"source"`
	SourceURL    *string          `json:"source_url"`
	Error        *string          `json:"error"`
	Backend      string           `json:"storage_backend_id"`
	BackendName  string           `json:"storage_backend_name"`
	Path         string           `json:"path"`
	URL          *string          `json:"url"`
	ReferencedBy []string         `json:"referenced_by"`
	CreatedAt    int64            `json:"created_at"`
	Downloads    int64            `json:"download_count"`
	UpdatedAt    int64            `json:"updated_at"`
}

func (h *Handlers) viewFiles(tx *store.Tx, p *store.Project, list ...*store.File) ([]fileView, error) {
	backends, err := tx.StorageBackends()
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, b := range backends {
		names[b.ID] = b.Name
	}
	downloads, err := countDownloads(tx, p.ID, list)
	if err != nil {
		return nil, err
	}
	return web.Views(list, func(f *store.File) fileView {
		v := fileView{
			Downloads: downloads[f.ID],
			ID:        string(f.ID), ProjectKey: p.Key, Filename: f.Filename, Size: f.Size,
			SHA256: web.OrNull(f.SHA256), SHA1: web.OrNull(f.SHA1), SHA512: web.OrNull(f.SHA512), PartSize: web.OrNull(f.PartSize),
			ContentType: files.ContentType(f.Filename), Status: f.Status, Source: f.Source, SourceURL: web.OrNull(f.SourceURL),
			Backend: f.Backend, BackendName: names[f.Backend], Path: files.EscapePath(f.ObjectKey), ReferencedBy: []string{},
			CreatedAt: f.CreatedAt, UpdatedAt: f.UpdatedAt,
		}
		if f.Status == store.FileFailed { // for a pending file, the error is that of an attempt which the job will repeat
			v.Error = web.OrNull(f.Error)
		}
		if h.BaseURL != "" {
			v.URL = web.OrNull(h.BaseURL + v.Path)
		}
		return v
	}), nil
}

// countDownloads returns the number of downloads of each listed file, over the whole period for
// which statistics are kept. It reads one value for each day on which any file of the project was
// downloaded.
func countDownloads(tx *store.Tx, p store.ProjectID, list []*store.File) (map[store.FileID]int64, error) {
	counts := make(map[store.FileID]int64, len(list))
	for _, f := range list {
		counts[f.ID] = 0
	}
	err := tx.EachDownload(p, 0, math.MaxUint32, func(_ store.Hour, file []byte, n int64) {
		if before, listed := counts[store.FileID(file)]; listed {
			counts[store.FileID(file)] = before + n
		}
	})
	return counts, err
}

// addReferences sets in each view the versions that link to the file.
func (h *Handlers) addReferences(r *web.Request, views []fileView, list []*store.File) error {
	if len(list) == 0 {
		return nil
	}
	snap, err := h.DB.Snapshot(r.Param("k"))
	if err != nil {
		return err
	}
	keys := make([]string, len(list))
	for i, f := range list {
		keys[i] = f.ObjectKey
	}
	found := snap.FileReferences(keys...)
	for i, key := range keys {
		if versions := found[key]; versions != nil {
			views[i].ReferencedBy = versions
		}
	}
	return nil
}

// fileOrders maps the values of the parameter sort to the orders of a list of files.
var fileOrders = map[string]store.FileOrder{"name": store.FilesByName, "size": store.FilesBySize}

func (h *Handlers) listFiles(r *web.Request) (view web.PageView, err error) {
	var p web.Problems
	page, find := p.Page(r), p.Search(r)
	sort := p.Sort(r, "created_at", "name", "size")
	wanted := store.FileSelection{
		Offset: page.Offset, Limit: page.Limit, Status: fileStatus(&p, r), By: fileOrders[sort.By], Ascending: sort.Ascending,
	}
	if find != "" {
		wanted.Terms = []string{find}
	}
	project, err := p.Project(r, h.DB)
	if err != nil {
		return view, err
	}
	var list []*store.File
	var views []fileView
	err = h.DB.View(func(tx *store.Tx) error {
		if list, view.Total, err = tx.ListFiles(project.ID, wanted); err != nil {
			return err
		}
		views, err = h.viewFiles(tx, project, list...)
		return err
	})
	if err != nil {
		return view, err
	}
	view.Data = views
	return view, h.addReferences(r, views, list)
}

// fileStatus parses the query parameter that selects files by their status. It returns "" if the
// query has no such parameter.
func fileStatus(p *web.Problems, r *web.Request) store.FileStatus {
	text := strings.ToLower(strings.TrimSpace(r.Query("status")))
	if text == "" {
		return ""
	}
	for _, known := range store.FileStatuses {
		if text == string(known) {
			return known
		}
	}
	p.Add("status must be one of pending, ready, failed")
	return ""
}

// showFile returns the JSON form of a file of the project in the path, with the versions that link
// to the file.
func (h *Handlers) showFile(r *web.Request, id store.FileID) (view fileView, err error) {
	var f *store.File
	var views []fileView
	err = r.View(h.DB, func(tx *store.Tx, p *store.Project) error {
		if f, err = tx.File(p.ID, id); err != nil {
			return err
		}
		views, err = h.viewFiles(tx, p, f)
		return err
	})
	if err != nil {
		return view, err
	}
	err = h.addReferences(r, views, []*store.File{f})
	return views[0], err
}

func (h *Handlers) getFile(r *web.Request) (fileView, error) {
	return h.showFile(r, store.FileID(r.Param("id")))
}

// retryFile marks a failed file as pending, so that a job tries to transfer it again. If the file
// was uploaded, its content must still exist.
func (h *Handlers) retryFile(r *web.Request) (fileView, error) {
	id := store.FileID(r.Param("id"))
	err := r.Update(h.DB, func(tx *store.Tx, p *store.Project) error {
		f, err := tx.RetryFile(p.ID, id)
		if err != nil || f.Source != store.FileUploaded {
			return err
		}
		info, err := os.Stat(h.Storages.Local().Staged(string(id)))
		if err != nil || info.Size() != f.Size {
			return fault.New(fault.Invalid, "the uploaded content is no longer kept; delete the file and upload it again")
		}
		return nil
	})
	if err != nil {
		return fileView{}, err
	}
	return h.showFile(r, id)
}

type fileDeletedView struct {
	Success bool         `json:"success"`
	Refresh *refreshView `json:"cdn_refresh"`
}

// deleteFile deletes a file in three steps. It deletes the record first, so that the link stops
// working immediately. Then it deletes the object, and finally it purges the copies in the CDN. The
// copies are purged last, because a CDN that reads directly from the storage could fetch the object
// again as long as it exists. Jobs retry the steps that fail. If the file is pending, a job deletes
// the object, because a transfer may still be writing the object.
func (h *Handlers) deleteFile(r *web.Request) (view fileDeletedView, err error) {
	var f *store.File
	var deletion *store.FileDeletion
	err = r.Update(h.DB, func(tx *store.Tx, p *store.Project) (err error) {
		if f, err = tx.File(p.ID, store.FileID(r.Param("id"))); err == nil {
			deletion, err = h.DeleteRecord(tx, f)
		}
		return err
	})
	if err != nil {
		return view, err
	}
	view.Success = true
	if f.Status == store.FilePending {
		return view, nil
	}
	defer web.NoWriteDeadline(r.Writer)()
	pending := h.DeleteNow(r.Context(), deletion)
	if deletion.Refresh {
		view.Refresh = new(h.refreshLink(r, f, pending))
	}
	return view, nil
}

// refreshFile asks the CDN to purge its copies of a file. If that fails, the response is
// nevertheless successful and contains the error, and a job retries the refresh.
func (h *Handlers) refreshFile(r *web.Request) (view refreshView, err error) {
	var f *store.File
	var pending *store.CDNRefresh
	err = r.View(h.DB, func(tx *store.Tx, p *store.Project) error {
		if f, err = tx.File(p.ID, store.FileID(r.Param("id"))); err != nil {
			return err
		}
		if pending, err = tx.CDNRefresh(f.ID); err != nil {
			return err
		}
		config, err := store.CDNSettings.Get(tx)
		if err != nil {
			return err
		}
		return h.RefreshProblem(config)
	})
	if err != nil {
		return view, err
	}
	defer web.NoWriteDeadline(r.Writer)()
	return h.refreshLink(r, f, pending), nil
}

// refreshView is the JSON form of the result of a refresh.
type refreshView struct {
	OK      bool     `json:"ok"`
	URLs    []string `json:"urls"`
	TaskIDs []string `json:"task_ids"`
	Error   *string  `json:"error"`
}

// refreshLink refreshes the link of a file in the CDN and records the result in the pending
// refresh.
func (h *Handlers) refreshLink(r *web.Request, f *store.File, pending *store.CDNRefresh) refreshView {
	link, done := h.RefreshLink(r.Context(), f, pending)
	return refreshView{done.Error == "", []string{link}, done.TaskIDs, web.OrNull(done.Error)}
}

func (h *Handlers) mirrorAssets(r *web.Request) (done engine.Mirrored, err error) {
	if h.BaseURL == "" {
		return done, fault.New(fault.Invalid, "attachments cannot be copied without a distribution address: set SVC_DIST_BASE_URL")
	}
	id, ok := store.ParseID(r.Param("id"))
	var here []*store.File
	err = r.View(h.DB, func(tx *store.Tx, p *store.Project) error {
		if !ok {
			return fault.New(fault.NotFound, "version not found")
		}
		v, err := tx.Version(p.ID, id)
		if err == nil {
			here, err = engine.CopiesOf(tx, p, linksOf(v))
		}
		return err
	})
	if err != nil {
		return done, err
	}
	outdated := h.Outdated(r.Context(), here)
	err = r.Update(h.DB, func(tx *store.Tx, p *store.Project) error {
		v, err := tx.Version(p.ID, id)
		if err == nil {
			done, err = h.Mirror(tx, p, linksOf(v), outdated)
		}
		return err
	})
	return done, err
}

// linksOf returns the addresses to which a version links.
func linksOf(v *store.Version) (addresses []string) {
	if v.DownloadURL != nil {
		addresses = append(addresses, *v.DownloadURL)
	}
	for _, l := range v.DownloadLinks {
		addresses = append(addresses, l.URL)
	}
	return addresses
}
