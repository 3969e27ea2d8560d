package crash

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"

	"svc/internal/files/storage/storagetest"
)

// The ways in which a file reaches the server.
const (
	inChunks = iota
	inOneRequest
	mirrored
)

// fileView holds the fields of a file that these tests use.
type fileView struct {
	ID       string  `json:"id"`
	Filename string  `json:"filename"`
	Size     int64   `json:"size"`
	SHA256   string  `json:"sha256"`
	Status   string  `json:"status"`
	Error    *string `json:"error"`
	Storage  string  `json:"storage_backend_id"`
	Path     string  `json:"path"`
}

// object returns the directory of the file's object.
func (f *fileView) object() string { return f.Path[1:strings.LastIndexByte(f.Path, '/')] }

// deposit is a file that a depositor uploads or makes the server mirror.
type deposit struct {
	name    string // unique name
	seed    uint64 // seed from which the content is generated
	size    int64
	sum     string // SHA-256 in hexadecimal
	way     int
	storage string // "" means the default
	content []byte // nil except during the upload

	session string       // id of the upload; "" until the server has returned it
	chunk   int64        // the size of its chunks
	chunks  map[int]bool // acknowledged chunks
	version string       // the version that links to the attachment

	asked    bool   // its creation was requested, so it may exist
	there    bool   // its creation was acknowledged, so it must exist
	removing bool   // its deletion was requested
	gone     bool   // its deletion was acknowledged
	id, path string // "" if not known
	compared bool   // its bytes have been compared
}

// of adds the name and the state of the deposit to an error.
func (s *deposit) of(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s (%d bytes, way %d, storage %q, id %q): %w", s.name, s.size, s.way, s.storage, s.id, err)
}

// total returns the number of chunks.
func (s *deposit) total() int { return int(max(1, (s.size-1)/s.chunk+1)) }

// missing returns the numbers of the chunks that have not been acknowledged.
func (s *deposit) missing() (list []int) {
	for i := range s.total() {
		if !s.chunks[i] {
			list = append(list, i)
		}
	}
	return list
}

// bytes returns the content. It generates the content on the first call.
func (s *deposit) bytes() []byte {
	if s.content == nil {
		s.content = storagetest.Content(s.seed, s.size)
	}
	return s.content
}

// arrived records that the file exists, as described by f.
func (s *deposit) arrived(f fileView) error {
	if s.id != "" && s.id != f.ID {
		return s.of(fmt.Errorf("its id was acknowledged and is %s now", f.ID))
	}
	s.there, s.id, s.path, s.content = true, f.ID, f.Path, nil
	if s.way == mirrored && f.Status != "ready" {
		return nil
	}
	if f.Size != s.size || f.SHA256 != s.sum {
		return s.of(fmt.Errorf("the file has %d bytes and the sum %s, sent was %s", f.Size, f.SHA256, s.sum))
	}
	return nil
}

// depositor is a client that uploads, reads and deletes files of its own project.
type depositor struct {
	name     string
	random   *rand.Rand
	storages []string // ids; "" means the default
	host     string   // URL of the code host

	project          string // key of the current project
	number           int    // projects and deposits created so far
	asked, made      bool   // asked: the project may exist; made: the project exists
	removing         bool   // the deletion of the project was requested
	deposits, former []*deposit
	ready            []fileView // files that existed when the server had finished all work
}

func (d *depositor) path() string { return projects.list + "/" + d.project }

func (d *depositor) files() string { return d.path() + "/files" }

func (d *depositor) uploads() string { return d.files() + "/uploads" }

// step makes one or a few requests.
func (d *depositor) step(c *client) error {
	if !d.made {
		return d.begin(c)
	}
	open := slices.IndexFunc(d.deposits, func(s *deposit) bool { return s.session != "" && !s.there })
	alive := slices.DeleteFunc(slices.Clone(d.deposits), func(s *deposit) bool { return !s.there || s.gone })
	switch roll := d.random.IntN(20); {
	case open >= 0 && roll < 14:
		return d.proceed(c, d.deposits[open])
	case len(alive) > 7, len(alive) > 0 && roll > 16:
		return d.remove(c, alive[d.random.IntN(len(alive))])
	case roll == 16 && len(alive) > 2 && d.random.IntN(3) == 0:
		return d.end(c)
	case roll < 6:
		return d.announce(c)
	case roll < 9:
		return d.mirror(c)
	}
	return d.put(c)
}

// begin creates a project.
func (d *depositor) begin(c *client) error {
	d.number++
	d.project, d.asked = fmt.Sprintf("%s-%d", d.name, d.number), true
	_, err := c.must(201, "POST", projects.list, map[string]any{"project_key": d.project, "name": d.project})
	d.made = err == nil
	return err
}

// end deletes the project with all its content.
func (d *depositor) end(c *client) error {
	d.removing = true
	if _, err := c.must(200, "DELETE", d.path(), nil); err != nil {
		return err
	}
	d.ended()
	return nil
}

func (d *depositor) ended() {
	d.asked, d.made, d.removing = false, false, false
	d.former = append(d.former, d.deposits...)
	d.deposits = nil
}

// think returns a new deposit with random properties, which will reach the server in the given way.
func (d *depositor) think(way int) *deposit {
	d.number++
	s := &deposit{name: fmt.Sprintf("%s %d ä.zip", d.name, d.number), seed: d.random.Uint64(), size: 1 + d.random.Int64N(100_000), way: way, chunks: map[int]bool{}}
	if way == inChunks && d.random.IntN(3) == 0 {
		s.size += 8 << 20
	}
	if way == mirrored {
		s.name = fmt.Sprintf("%s-%d-%d.zip", d.name, d.number, s.size)
		s.seed = uint64(s.size)
	}
	sum := sha256.Sum256(s.bytes())
	s.sum = hex.EncodeToString(sum[:])
	s.storage = d.storages[d.random.IntN(len(d.storages))]
	d.deposits = append(d.deposits, s)
	return s
}

// abandon cancels the uploads that the server started but could not acknowledge before it was
// killed. Without this, they would use up the number of open uploads that a credential may have.
func (d *depositor) abandon(c *client) error {
	var open struct {
		Data []struct {
			ID string `json:"upload_id"`
		} `json:"data"`
	}
	if err := c.get(d.uploads(), &open); err != nil {
		return err
	}
	for _, u := range open.Data {
		if slices.ContainsFunc(d.deposits, func(s *deposit) bool { return s.session == u.ID }) {
			continue
		}
		if _, err := c.must(200, "DELETE", d.uploads()+"/"+u.ID, nil); err != nil {
			return err
		}
	}
	return nil
}

// announce starts a chunked upload.
func (d *depositor) announce(c *client) error {
	if err := d.abandon(c); err != nil {
		return err
	}
	s := d.think(inChunks)
	body := map[string]any{"filename": s.name, "size": s.size}
	if s.storage != "" {
		body["storage_backend_id"] = s.storage
	}
	answer, err := c.must(201, "POST", d.uploads(), body)
	if err != nil {
		return s.of(err)
	}
	var got struct {
		ID    string `json:"upload_id"`
		Chunk int64  `json:"chunk_size"`
	}
	err = json.Unmarshal(answer, &got)
	s.session, s.chunk = got.ID, got.Chunk
	return s.of(err)
}

// proceed sends the next chunks of a chunked upload, or completes the upload.
func (d *depositor) proceed(c *client, s *deposit) error {
	missing := s.missing()
	if len(missing) == 0 {
		return d.complete(c, s)
	}
	d.random.Shuffle(len(missing), func(i, j int) { missing[i], missing[j] = missing[j], missing[i] })
	missing = missing[:1+d.random.IntN(len(missing))] // a random number of chunks, sent concurrently
	if d.random.IntN(4) == 0 && len(s.chunks) > 0 {   // and one that was already acknowledged
		missing = append(missing, d.random.IntN(s.total()))
	}
	content := s.bytes()
	statuses, errs := make([]int, len(missing)), make([]error, len(missing))
	var senders sync.WaitGroup
	for n, i := range missing {
		senders.Go(func() {
			piece := content[int64(i)*s.chunk : min(s.size, int64(i+1)*s.chunk)]
			statuses[n], _, errs[n] = c.send("PUT", fmt.Sprintf("%s%s/%s/chunks/%d", c.base, d.uploads(), s.session, i), piece)
		})
	}
	senders.Wait()
	for n, i := range missing {
		if errs[n] == nil && statuses[n] == http.StatusOK {
			s.chunks[i] = true
		}
	}
	for n, i := range missing {
		// If a chunk is sent twice concurrently, the server may refuse one of the two requests.
		if errs[n] == nil && statuses[n] != http.StatusOK && (statuses[n] != http.StatusConflict || !s.chunks[i]) {
			errs[n] = fmt.Errorf("chunk %d: got %d", i, statuses[n])
		}
	}
	return s.of(errors.Join(errs...))
}

func (d *depositor) complete(c *client, s *deposit) error {
	s.asked = true
	answer, err := c.must(200, "POST", d.uploads()+"/"+s.session+"/complete", nil)
	if err != nil {
		return s.of(err)
	}
	return s.acknowledged(answer)
}

// acknowledged records the file described by a response.
func (s *deposit) acknowledged(answer []byte) error {
	var f fileView
	if err := json.Unmarshal(answer, &f); err != nil {
		return s.of(err)
	}
	return s.arrived(f)
}

// put uploads a file in one request.
func (d *depositor) put(c *client) error {
	s := d.think(inOneRequest)
	s.asked = true
	address := c.base + d.files() + "?filename=" + strings.ReplaceAll(s.name, " ", "%20") + "&storage_backend_id=" + s.storage
	status, answer, err := c.send("PUT", address, s.bytes())
	if err == nil && status != http.StatusCreated {
		err = fmt.Errorf("got %d %.300s", status, answer)
	}
	if err != nil {
		return s.of(err)
	}
	return s.acknowledged(answer)
}

// attachment returns the URL of a file at the code host.
func (d *depositor) attachment(s *deposit) string {
	return d.host + "/o/r/releases/download/v1/" + s.name
}

// mirror makes the server fetch the attachment of a version.
func (d *depositor) mirror(c *client) error {
	s := d.think(mirrored)
	s.storage = ""
	number := fmt.Sprintf("1.%d.0", d.number)
	answer, err := c.must(201, "POST", d.path()+versions.list, map[string]any{
		"version": number, "comparable_version": number, "download_links": []any{map[string]string{"url": d.attachment(s), "name": "kept"}},
	})
	if err != nil {
		return s.of(err)
	}
	var made view
	if err := json.Unmarshal(answer, &made); err != nil {
		return s.of(err)
	}
	s.asked, s.version = true, number
	if answer, err = c.must(200, "POST", d.path()+versions.list+"/"+made.ID+"/mirror-assets", nil); err != nil {
		return s.of(err)
	}
	if !bytes.Contains(answer, []byte(`"queued":1`)) {
		return s.of(fmt.Errorf("mirroring: got %s, want one queued", answer))
	}
	s.there = true
	return nil
}

// remove deletes a file. If the file's ID is not known, remove looks it up first.
func (d *depositor) remove(c *client, s *deposit) error {
	if s.id == "" {
		list, err := pages[fileView](c, d.files()+"?")
		if err != nil {
			return err
		}
		at := slices.IndexFunc(list, func(f fileView) bool { return f.Filename == s.name })
		if at < 0 {
			return s.of(fmt.Errorf("it was queued and is not in the list"))
		}
		return s.arrived(list[at])
	}
	s.removing = true
	if _, err := c.must(200, "DELETE", d.files()+"/"+s.id, nil); err != nil {
		return s.of(err)
	}
	s.gone = true
	return s.of(s.absent(c))
}

// absent verifies that the file's link returns 404.
func (s *deposit) absent(c *client) error {
	status, _, err := c.send("GET", c.site()+s.path, nil)
	if err == nil && status != http.StatusNotFound {
		err = fmt.Errorf("its link answers %d after the deletion", status)
	}
	return err
}
