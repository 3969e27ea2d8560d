package distribution

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/files"
	"svc/internal/files/upload"
	"svc/store"
)

// Limits of request bodies that are streamed to disk.
const (
	chunkBodyLimit = 16 << 20
	bodyPiece      = chunkBodyLimit    // a file that is sent in one request has a time limit for each piece of this size
	bodyTime       = 300 * time.Second // time limit of a chunk or a piece
)

func (h *Handlers) uploadRoutes() []web.Route {
	const all, one = filesPath + "/uploads", filesPath + "/uploads/:upload_id"
	write := web.ByScope("files:write")
	look := web.Access{Kind: web.Scoped, Scopes: []string{"files:write", "files:read"}, Project: web.PathProject}
	return []web.Route{
		{Method: "PUT", Path: filesPath, Access: write, Handler: web.Created(h.uploadFile)},
		{Method: "GET", Path: all, Access: look, Handler: web.OK(h.listUploads)},
		{Method: "POST", Path: all, Access: write, Handler: web.Created(web.Decoded(h.createUpload))},
		{Method: "GET", Path: one, Access: look, Handler: web.OK(h.getUpload)},
		{Method: "DELETE", Path: one, Access: write, Handler: web.Done(h.abortUpload)},
		{Method: "PUT", Path: one + "/chunks/:index", Access: write, Handler: web.OK(h.putChunk), BodyLimit: chunkBodyLimit},
		{Method: "POST", Path: one + "/complete", Access: write, Handler: web.OK(h.completeUpload)},
	}
}

// SessionView is the JSON form of an upload session, which is an upload in progress.
type SessionView struct {
	ID          string `json:"upload_id"`
	Filename    string `json:"filename"`
	Size        int64  `json:"size"`
	ChunkSize   int64  `json:"chunk_size"`
	TotalChunks int    `json:"total_chunks"`
	Received    []int  `json:"received_chunks"`
	Backend     string `json:"storage_backend_id"`
	ExpiresAt   int64  `json:"expires_at"`
}

func viewSession(s *upload.Session) SessionView {
	return SessionView{
		ID: s.ID, Filename: s.Filename, Size: s.Size, ChunkSize: upload.ChunkSize, TotalChunks: s.TotalChunks(),
		Received: append([]int{}, s.Received...), Backend: s.Backend, ExpiresAt: s.Expires.Unix(),
	}
}

// announced holds what a client states about a file before it sends the content.
type announced struct {
	filename string // sanitized
	size     int64
	backend  string // "" = use the default
}

// byteCount is like web.Integer, but accepts numbers of any size. Numbers above the range of
// web.Integer become the largest int64, which exceeds every limit.
type byteCount int64

// UnmarshalJSON accepts a whole number in any JSON notation.
func (n *byteCount) UnmarshalJSON(raw []byte) error {
	var whole web.Integer
	err := whole.UnmarshalJSON(raw)
	*n = byteCount(whole)
	if err == nil {
		return nil
	}
	// Every float64 above 2^53 is a whole number. A number that is too large for a float64 is
	// parsed as infinity.
	if f, wrong := strconv.ParseFloat(string(raw), 64); f > 1<<53 && (wrong == nil || errors.Is(wrong, strconv.ErrRange)) {
		*n = math.MaxInt64
		return nil
	}
	return err
}

type uploadInput struct {
	Filename web.Optional[string]    `json:"filename"`
	Size     web.Optional[byteCount] `json:"size"`
	Backend  web.Optional[string]    `json:"storage_backend_id"`
}

func (in uploadInput) check() (a announced, err error) {
	var p web.Problems
	p.Text("filename", in.Filename, web.TextRule{Min: 1, Max: 255, Required: true})
	switch size := in.Size; {
	case size.Wrong || size.Value != nil && *size.Value < 1:
		p.Add("size must be an integer of at least 1")
	case size.Value == nil:
		p.Add("size is required")
	}
	p.Text("storage_backend_id", in.Backend, web.TextRule{Max: 64})
	if err := p.Err(); err != nil {
		return a, err
	}
	a.filename, err = files.CleanName(*in.Filename.Value)
	return announced{a.filename, int64(*in.Size.Value), strings.TrimSpace(in.Backend.Or(""))}, err
}

// admit checks whether an announced file may be uploaded. It returns the request for the upload
// engine, which includes the storage for the file, or an error if the upload is not allowed.
func (h *Handlers) admit(r *web.Request, a announced) (in upload.Request, err error) {
	in = upload.Request{Filename: a.filename, Size: a.size}
	if k := r.Caller.Key; k != nil {
		in.Credential, in.CredentialName = k.ID.String(), k.Name
	}
	err = r.View(h.DB, func(tx *store.Tx, p *store.Project) error {
		b, err := tx.StorageFor(p, a.backend)
		if err != nil {
			return err
		}
		in.Project, in.Backend = uint32(p.ID), b.ID
		in.Pending, err = tx.PendingBytes(p.ID)
		return err
	})
	if err == nil && a.size > h.MaxSize {
		err = fault.New(fault.TooLarge, "the file must have at most %d bytes", h.MaxSize)
	}
	return in, err
}

func (h *Handlers) createUpload(r *web.Request, in uploadInput) (view SessionView, err error) {
	a, err := in.check()
	if err != nil {
		return view, err
	}
	wanted, err := h.admit(r, a)
	if err != nil {
		return view, err
	}
	session, err := h.Uploads.Create(wanted)
	if err != nil {
		return view, err
	}
	return viewSession(session), nil
}

// openUploadView is an element of the list of open uploads.
type openUploadView struct {
	ID            string `json:"upload_id"`
	Filename      string `json:"filename"`
	Size          int64  `json:"size"`
	ReceivedBytes int64  `json:"received_bytes"`
	CreatedAt     int64  `json:"created_at"`
	Credential    string `json:"credential"`
}

// openUploadsView lists all open uploads of a project.
type openUploadsView struct {
	Data []openUploadView `json:"data"`
}

func (h *Handlers) listUploads(r *web.Request) (view openUploadsView, err error) {
	project, err := h.projectID(r)
	if err != nil {
		return view, err
	}
	names := map[string]string{"": "administrator"}
	for _, k := range h.DB.APIKeys() {
		names[k.ID.String()] = k.Name
	}
	view.Data = web.Views(h.Uploads.ListOpen(uint32(project)), func(s *upload.Session) openUploadView {
		name, known := names[s.Credential]
		if !known { // the key no longer exists, because an older backup was restored
			name = s.CredentialName
		}
		return openUploadView{s.ID, s.Filename, s.Size, s.ReceivedBytes(), s.Created().Unix(), name}
	})
	return view, nil
}

// projectID returns the ID of the project in the path.
func (h *Handlers) projectID(r *web.Request) (store.ProjectID, error) {
	p, err := r.Reached(h.DB.FindProject(r.Param("k")))
	if err != nil {
		return 0, err
	}
	return p.ID, nil
}

func (h *Handlers) getUpload(r *web.Request) (view SessionView, err error) {
	project, err := h.projectID(r)
	if err != nil {
		return view, err
	}
	session, err := h.Uploads.Get(uint32(project), r.Param("upload_id"))
	if err != nil {
		return view, err
	}
	return viewSession(session), nil
}

func (h *Handlers) abortUpload(r *web.Request) error {
	project, err := h.projectID(r)
	if err != nil {
		return err
	}
	return h.Uploads.Abort(uint32(project), r.Param("upload_id"))
}

type chunkView struct {
	Index int   `json:"index"`
	Bytes int64 `json:"bytes"`
}

func (h *Handlers) putChunk(r *web.Request) (view chunkView, err error) {
	if limit := r.Route.BodyLimit; r.ContentLength > limit {
		return view, fault.New(fault.TooLarge, "the request body must have at most %d bytes", limit)
	}
	project, err := h.projectID(r)
	if err != nil {
		return view, err
	}
	index, err := strconv.Atoi(r.Param("index"))
	if err != nil {
		index = -1 // no chunk has this index
	}
	defer web.NoWriteDeadline(r.Writer)()
	n, err := h.Uploads.WriteChunk(r.Context(), uint32(project), r.Param("upload_id"), index, r.ContentLength, newBody(r))
	return chunkView{index, n}, err
}

func (h *Handlers) completeUpload(r *web.Request) (view fileView, err error) {
	project, err := h.projectID(r)
	if err != nil {
		return view, err
	}
	defer web.NoWriteDeadline(r.Writer)()
	id, err := h.Uploads.Complete(uint32(project), r.Param("upload_id"), func(c upload.Content) (string, error) {
		_, err := h.Register(r.Context(), project, c)
		return c.FileID, err
	})
	if err != nil {
		return view, err
	}
	return h.showFile(r, store.FileID(id))
}

// uploadFile receives a whole file in one request.
func (h *Handlers) uploadFile(r *web.Request) (view fileView, err error) {
	if r.ContentLength < 0 || r.Header.Get("Content-Length") == "" {
		return view, fault.New(fault.LengthRequired, "Content-Length is required: the number of bytes of the file")
	}
	a, digest, err := announcedFile(r)
	if err != nil {
		return view, err
	}
	wanted, err := h.admit(r, a)
	if err != nil {
		return view, err
	}
	defer web.NoWriteDeadline(r.Writer)()
	id, err := h.Uploads.Receive(r.Context(), wanted, newBody(r), func(c upload.Content) (string, error) {
		if digest != "" && c.SHA256 != digest {
			return "", fault.New(fault.Invalid, "Digest does not match: the received file has the SHA-256 %s", c.SHA256)
		}
		f, err := h.Register(r.Context(), store.ProjectID(wanted.Project), c)
		if err != nil && f != nil {
			h.Discard(r.Context(), f)
		}
		return c.FileID, err
	})
	if err != nil {
		return view, err
	}
	return h.showFile(r, store.FileID(id))
}

// announcedFile parses the query and the headers that describe a file. digest is the SHA-256 of the
// file in hexadecimal, or "" if the request does not contain it.
func announcedFile(r *web.Request) (a announced, digest string, err error) {
	var p web.Problems
	name := r.Query("filename")
	switch n := utf8.RuneCountInString(name); {
	case !r.Sent("filename"):
		p.Add("filename is required, in the query")
	case n < 1 || n > 255:
		p.Add("filename must have 1 to 255 characters")
	}
	if r.ContentLength < 1 {
		p.Add("the file must have at least 1 byte")
	}
	backend := strings.TrimSpace(r.Query("storage_backend_id"))
	if utf8.RuneCountInString(backend) > 64 {
		p.Add("storage_backend_id must have at most 64 characters")
	}
	digest, ok := parseDigest(r.Header["Digest"])
	if !ok {
		p.Add("Digest must be sha-256= and the 32 bytes of the sum in base64")
	}
	if err := p.Err(); err != nil {
		return a, "", err
	}
	name, err = files.CleanName(name)
	return announced{name, r.ContentLength, backend}, digest, err
}

// parseDigest returns the SHA-256 from Digest headers (RFC 3230). The headers may contain other
// checksums as well.
func parseDigest(headers []string) (digest string, ok bool) {
	for one := range strings.SplitSeq(strings.Join(headers, ","), ",") {
		algorithm, value, _ := strings.Cut(strings.TrimSpace(one), "=")
		if !strings.EqualFold(algorithm, "sha-256") {
			continue
		}
		sum, err := base64.StdEncoding.DecodeString(value)
		if err != nil || len(sum) != sha256.Size || digest != "" && digest != hex.EncodeToString(sum) {
			return "", false
		}
		digest = hex.EncodeToString(sum)
	}
	return digest, true
}

// body is a request body with a time limit for each piece of it. The total time of an upload is not
// limited.
type body struct {
	io.Reader
	wire *http.ResponseController
	left int64 // bytes until the time limit is extended
}

func newBody(r *web.Request) *body { return &body{r.Stream(), http.NewResponseController(r.Writer), 0} }

// Read reads from the body and extends the time limit at the beginning of each piece.
func (b *body) Read(p []byte) (int, error) {
	if b.left <= 0 {
		b.left = bodyPiece
		_ = b.wire.SetReadDeadline(time.Now().Add(bodyTime)) // not supported in process
	}
	n, err := b.Reader.Read(p)
	b.left -= int64(n)
	return n, err
}
