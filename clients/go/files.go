package svcsdk

import (
	"context"
	"iter"
	"net/http"
	"strconv"
)

// ListFiles lists the files of a project, newest first. search looks at the name, the id and the
// SHA-256.
func (a *Admin) ListFiles(ctx context.Context, opts *ListFilesOptions) (*Page[File], error) {
	return fetch[Page[File]](ctx, a.call(http.MethodGet, "/admin/projects/{k}/files").where(opts))
}

// IterFiles walks all pages of ListFiles, a hundred entries at a time, and ignores the Limit and
// Offset of opts. It ends with the first error.
func (a *Admin) IterFiles(ctx context.Context, opts *ListFilesOptions) iter.Seq2[File, error] {
	return walk(opts, func(o *ListFilesOptions) (*Page[File], error) { return a.ListFiles(ctx, o) })
}

// GetFile reads a file's record.
func (a *Admin) GetFile(ctx context.Context, id string) (*File, error) {
	return fetch[File](ctx, a.call(http.MethodGet, "/admin/projects/{k}/files/{id}", id))
}

// DeleteFile deletes a file. Its link answers 404 at once. Copies that a CDN holds outlive the
// deletion unless they are refreshed, which is tried here when the refresh is set up. Versions
// that refer to the file stay as they are.
func (a *Admin) DeleteFile(ctx context.Context, id string) (*FileDeleted, error) {
	return fetch[FileDeleted](ctx, a.call(http.MethodDelete, "/admin/projects/{k}/files/{id}", id))
}

// RetryFile tries again what has failed. 409 when the file has not failed, 400 when what was
// uploaded is no longer kept: upload it again.
func (a *Admin) RetryFile(ctx context.Context, id string) (*File, error) {
	return fetch[File](ctx, a.call(http.MethodPost, "/admin/projects/{k}/files/{id}/retry", id))
}

// RefreshFileCDN makes the CDN forget its copies of a file. 400 when the refresh is switched off,
// lacks its credentials, or there is no distribution address.
func (a *Admin) RefreshFileCDN(ctx context.Context, id string) (*CDNRefresh, error) {
	return fetch[CDNRefresh](ctx, a.call(http.MethodPost, "/admin/projects/{k}/files/{id}/refresh-cdn", id))
}

// CreateUpload begins an upload in chunks. A session lives for 24 hours. Send its chunks in any
// order, in parallel and again if need be, then complete it. 413 when the file is larger than the
// server takes, 404 also for a storage that there is not.
func (a *Admin) CreateUpload(ctx context.Context, in UploadCreate) (*UploadSession, error) {
	return fetch[UploadSession](ctx, a.call(http.MethodPost, "/admin/projects/{k}/files/uploads").body(in))
}

// ListUploads lists the open uploads of the project, newest first, with the credential that began
// each. AbortUpload of one gives back its space and its place.
func (a *Admin) ListUploads(ctx context.Context) (*List[OpenUpload], error) {
	return fetch[List[OpenUpload]](ctx, a.call(http.MethodGet, "/admin/projects/{k}/files/uploads"))
}

// GetUpload reads which chunks of an upload have arrived.
func (a *Admin) GetUpload(ctx context.Context, uploadID string) (*UploadSession, error) {
	return fetch[UploadSession](ctx, a.call(http.MethodGet, "/admin/projects/{k}/files/uploads/{upload_id}", uploadID))
}

// PutUploadChunk sends a chunk of an upload. Each has chunk_size bytes, the last one the
// remainder. A chunk that arrives whole is kept for good; one that breaks off leaves what was
// there. Sending an index again replaces it; a request that is still sending it then gets 409, as
// one does that comes while the upload is being completed. The body may have 16 MiB and take 300
// seconds.
func (a *Admin) PutUploadChunk(ctx context.Context, uploadID string, index int, chunk []byte) (*ChunkReceipt, error) {
	return fetch[ChunkReceipt](ctx, a.call(http.MethodPut, "/admin/projects/{k}/files/uploads/{upload_id}/chunks/{index}", uploadID, strconv.Itoa(index)).raw(chunk))
}

// CompleteUpload makes a file of an upload. Safe to repeat: until the session expires the same
// file is the answer. On local storage the file is ready at once, elsewhere it is pending until it
// was moved there. 409 while chunks are missing.
func (a *Admin) CompleteUpload(ctx context.Context, uploadID string) (*File, error) {
	return fetch[File](ctx, a.call(http.MethodPost, "/admin/projects/{k}/files/uploads/{upload_id}/complete", uploadID))
}

// AbortUpload gives up an upload.
func (a *Admin) AbortUpload(ctx context.Context, uploadID string) error {
	return perform(ctx, a.call(http.MethodDelete, "/admin/projects/{k}/files/uploads/{upload_id}", uploadID))
}

// FileStatus says whether a file can be downloaded. Values that this library does not know
// are kept.
type FileStatus string

// The states of files.
const (
	FilePending FileStatus = "pending"
	FileReady   FileStatus = "ready"
	FileFailed  FileStatus = "failed"
)

// File is the record of a file that people download.
type File struct {
	// Id of the file. It is part of the link.
	ID string `json:"id"`
	// Current key of its project.
	ProjectKey string `json:"project_key"`
	// Its name.
	Filename string `json:"filename"`
	// Bytes; 0 while an attachment is not fetched yet.
	Size int64 `json:"size"`
	// Sum of the whole content; null until it is known.
	SHA256 *string `json:"sha256"`
	// Bytes of a part where it is stored in parts.
	PartSize *int64 `json:"part_size"`
	// What downloads are served as.
	ContentType string `json:"content_type"`
	// `ready` can be downloaded, `pending` is being written or fetched.
	Status FileStatus `json:"status"`
	// Where it comes from.
	Source string `json:"source"`
	// Address of the attachment that it copies.
	SourceURL *string `json:"source_url"`
	// Why it failed last.
	Error *string `json:"error"`
	// Id of the storage that it is on.
	StorageBackendID string `json:"storage_backend_id"`
	// Name of the storage that it is on.
	StorageBackendName string `json:"storage_backend_name"`
	// Path of its link, percent-encoded. It never changes.
	Path string `json:"path"`
	// The whole link; null without a distribution address: join `path` to the address of the site.
	URL *string `json:"url"`
	// Versions of the project that link to it, newest first.
	ReferencedBy []string `json:"referenced_by"`
	// When it was made.
	CreatedAt int64 `json:"created_at"`
	// When it was last changed.
	UpdatedAt int64 `json:"updated_at"`
}

// FileDeleted says what became of the copies of a deleted file.
type FileDeleted struct {
	// It is deleted.
	Success bool `json:"success"`
	// What became of the copies in the CDN; null where none was asked.
	CDNRefresh *CDNRefresh `json:"cdn_refresh"`
}

// CDNRefresh is the answer of a CDN that was told to forget its copies.
type CDNRefresh struct {
	// Whether the CDN took it.
	Ok bool `json:"ok"`
	// The links that it was told.
	URLs []string `json:"urls"`
	// What the CDN calls its work.
	TaskIDs []string `json:"task_ids"`
	// Why it did not.
	Error *string `json:"error"`
}

// UploadCreate is a file to be uploaded in chunks.
type UploadCreate struct {
	// Its name. Characters that file systems do not take become `_`.
	Filename string `json:"filename"`
	// Bytes.
	Size int64 `json:"size"`
	// Where it goes. Left out or blank, it is the storage of the project.
	StorageBackendID Opt[string] `json:"storage_backend_id,omitzero"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// UploadSession is an upload in chunks.
type UploadSession struct {
	// Id of the session.
	UploadID string `json:"upload_id"`
	// The name that the file will have.
	Filename string `json:"filename"`
	// Bytes of the file.
	Size int64 `json:"size"`
	// Bytes of each chunk but the last, which has the rest.
	ChunkSize int64 `json:"chunk_size"`
	// How many chunks there are.
	TotalChunks int64 `json:"total_chunks"`
	// Those that have arrived, ascending.
	ReceivedChunks []int64 `json:"received_chunks"`
	// Where the file goes.
	StorageBackendID string `json:"storage_backend_id"`
	// When what has arrived is thrown away.
	ExpiresAt int64 `json:"expires_at"`
}

// OpenUpload is an upload that is not complete.
type OpenUpload struct {
	// Id of the session.
	UploadID string `json:"upload_id"`
	// The name that the file will have.
	Filename string `json:"filename"`
	// Bytes of the file.
	Size int64 `json:"size"`
	// Bytes in the chunks that have arrived.
	ReceivedBytes int64 `json:"received_bytes"`
	// When it was begun.
	CreatedAt int64 `json:"created_at"`
	// Name of the API key that began it, or administrator.
	Credential string `json:"credential"`
}

// ChunkReceipt is a chunk that arrived.
type ChunkReceipt struct {
	// Number of the chunk.
	Index int64 `json:"index"`
	// How many it has.
	Bytes int64 `json:"bytes"`
}

// ListFilesOptions choose a page of files.
type ListFilesOptions struct {
	// 1 to 100; 20 when 0.
	Limit int `query:"limit"`
	// How many to leave out at the beginning.
	Offset int `query:"offset"`
	// Only what contains this text, in any case of letters.
	Search string `query:"search"`
	// Only this status.
	Status FileStatus `query:"status"`
}

func (o *ListFilesOptions) page() (limit, offset *int) { return &o.Limit, &o.Offset }
