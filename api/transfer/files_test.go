package transfer_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"svc/api/apitest"
	"svc/internal/control"
	"svc/internal/files"
	"svc/internal/files/digest"
	"svc/internal/files/storage"
	"svc/internal/files/storage/storagetest"
	"svc/store"
)

// sumOf returns the SHA-256 of a content in hexadecimal.
func sumOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// link returns the path of an uploaded file, given the response to the upload.
func link(t testing.TB, file string) string { return apitest.Field[string](t, file, "path") }

// wantLink requests a direct link and checks the status and the content of the response.
func wantLink(t testing.TB, s *apitest.Server, path string, status int, content string) {
	t.Helper()
	got, answer, _ := s.Send(t, "GET", path, nil, "")
	if got != status || status == 200 && answer != content {
		t.Errorf("%s: got %d and %d bytes, want %d and %d", path, got, len(answer), status, len(content))
	}
}

// inStorage lists everything that an import of files can leave behind: the files in the storage
// directory, the records of files, and the records of deletions.
func inStorage(t testing.TB, s *apitest.Server) (list []string) {
	t.Helper()
	dir := filepath.Join(s.Dir, "files")
	for _, folder := range []string{"objects", "staging/files"} {
		err := filepath.WalkDir(filepath.Join(dir, folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return nil
			}
			list = append(list, strings.TrimPrefix(path, dir))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	err := s.DB.View(func(tx *store.Tx) error {
		all, err := tx.FilesAfter("", 1000)
		for _, f := range all {
			list = append(list, fmt.Sprintf("%s %s %s", f.ID, f.ObjectKey, f.Status))
		}
		if err != nil {
			return err
		}
		deletions, err := tx.FileDeletions(1000)
		for _, d := range deletions {
			list = append(list, "deleted "+d.ObjectKey)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// addFile stores the record of a file in the given project.
func addFile(t testing.TB, s *apitest.Server, project string, f *store.File) {
	t.Helper()
	err := s.DB.Update(func(tx *store.Tx) error {
		p, err := tx.Project(project)
		if err != nil {
			return err
		}
		f.ObjectKey = files.ObjectKey(project, string(f.ID), f.Filename)
		return tx.CreateFile(p.ID, f)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// addNAS starts a WebDAV server and adds it as a storage of s. It returns the ID and the back end
// of the storage.
func addNAS(t testing.TB, s *apitest.Server, isDefault bool) (id string, nas storage.Backend) {
	t.Helper()
	dav := httptest.NewServer(storagetest.Handler(t.TempDir()))
	t.Cleanup(dav.Close)
	answer := s.Must(t, 201, "POST", "/admin/storage/backends", fmt.Sprintf(`{"name":"NAS","kind":"webdav","base_url":%q,"username":%q,"password":%q,"part_size_kb":64,"is_default":%v}`,
		dav.URL, storagetest.User, storagetest.Password, isDefault))
	nas, err := s.Storages.Open(storage.Config{Kind: storage.KindWebDAV, BaseURL: dav.URL, Username: storagetest.User, Password: storagetest.Password, PartSize: 64 << 10})
	if err != nil {
		t.Fatal(err)
	}
	return apitest.Field[string](t, answer, "id"), nas
}

// addOn stores a file with the status ready in the project "demo", with its content on the given
// back end.
func addOn(t testing.TB, s *apitest.Server, id string, b storage.Backend, name, content string) *store.File {
	t.Helper()
	f := &store.File{ID: store.FileID(files.NewID()), Filename: name, Size: int64(len(content)), SHA256: sumOf(content), Status: store.FileReady, Source: store.FileUploaded, Backend: id}
	hash := digest.New()
	hash.Begin([]byte(content))()
	f.SHA1, f.SHA512 = hash.Sums().SHA1, hash.Sums().SHA512
	staged := filepath.Join(t.TempDir(), "content")
	if err := os.WriteFile(staged, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	o, err := b.Put(t.Context(), files.ObjectKey("demo", string(f.ID), name), staged, f.Size)
	if err != nil {
		t.Fatal(err)
	}
	f.PartSize = o.PartSize
	addFile(t, s, "demo", f)
	return f
}

// shownFiles returns the files of a project as the API shows them, without the fields that differ
// between installations.
func shownFiles(t testing.TB, s *apitest.Server, key string) []string {
	t.Helper()
	var lines []string
	for _, f := range apitest.Field[[]map[string]any](t, s.Must(t, 200, "GET", "/admin/projects/"+key+"/files", ""), "data") {
		for _, field := range []string{"updated_at", "part_size", "storage_backend_id", "storage_backend_name", "error"} {
			delete(f, field)
		}
		line, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	return lines
}

// TestFilesMove checks that files and the links to them are transferred, whichever storage the
// files were in.
func TestFilesMove(t *testing.T) {
	t.Parallel()
	from := apitest.NewServer(t)
	from.Project(t, "demo")
	contents := map[string]string{}
	for i, name := range []string{"a b.zip", "größe.txt", "c.bin"} {
		content := strings.Repeat(name, 1+i*20_000)
		path := link(t, from.Upload(t, "demo", name, content))
		contents[path] = content
		from.Must(t, 201, "POST", "/admin/projects/demo/versions", fmt.Sprintf(`{"version":"%d","comparable_version":"%[1]d","download_url":%q}`, i, "https://dl.example"+path))
		from.Clock.Advance(1e9)
	}
	id, nas := addNAS(t, from, false)
	remote := addOn(t, from, id, nas, "remote.zip", strings.Repeat("remote", 30_000)) // a file of three parts
	contents[files.EscapePath(remote.ObjectKey)] = strings.Repeat("remote", 30_000)
	shown := shownFiles(t, from, "demo")

	// Files without content in the archive are transferred too, as failed.
	addFile(t, from, "demo", &store.File{ID: "pending00000", Filename: "asset.zip", Status: store.FilePending, Source: store.FileMirrored,
		SourceURL: "https://code.example/o/r/releases/download/1/asset.zip", Backend: store.LocalStorage})
	lost := addOn(t, from, id, nas, "lost.zip", "lost")
	if err := nas.Delete(t.Context(), storage.Object{Key: lost.ObjectKey, Size: lost.Size, PartSize: lost.PartSize}); err != nil {
		t.Fatal(err)
	}
	broken := from.Upload(t, "demo", "broken.zip", "broken")
	object := filepath.Join(from.Dir, "files", "objects", filepath.FromSlash(link(t, broken)))
	if err := os.WriteFile(object, []byte("BROKEN"), 0o600); err != nil {
		t.Fatal(err)
	}

	archive, trailer := exportFiles(t, from, "demo", "")
	if trailer.Files != 4 || trailer.Omitted != 3 || len(trailer.Which) != 3 || !slices.Contains(trailer.Which, "pending00000") {
		t.Errorf("contents: got %+v", trailer)
	}
	text := strings.Join(unpacked(t, archive), "\n")
	for _, want := range []string{`"status":"pending","content":false,"problem":"the file is pending"`, "its storage does not have it", "its size or SHA-256 differs"} {
		if !strings.Contains(text, want) {
			t.Errorf("files.jsonl does not have %s: %s", want, text)
		}
	}

	to := apitest.NewServer(t)
	mustBringIn(t, to, archive, "dry_run=true")
	if left := inStorage(t, to); left != nil {
		t.Errorf("a dry run left %q", left)
	}
	for range 2 { // the second time, immediately after the project has been deleted
		if got := mustBringIn(t, to, archive, ""); got.Failed != 3 || got.Records["files.jsonl"] != 7 {
			t.Errorf("import: got %+v", got)
		}
		for path, content := range contents {
			wantLink(t, to, path, 200, content)
		}
		got := slices.DeleteFunc(shownFiles(t, to, "demo"), func(line string) bool { return strings.Contains(line, `"status":"failed"`) })
		compareAnswers(t, got, shown)
		for _, failed := range []string{"pending00000", string(lost.ID), apitest.Field[string](t, broken, "id")} {
			answer := to.Must(t, 200, "GET", "/admin/projects/demo/files/"+failed, "")
			if apitest.Field[string](t, answer, "status") != "failed" || apitest.Field[string](t, answer, "error") != "the content was not in the archive of the import" {
				t.Errorf("without content: got %s", answer)
			}
		}
		again, trailer := exportFiles(t, to, "demo", "")
		lines := slices.DeleteFunc(unpacked(t, again), func(line string) bool { return strings.Contains(line, `"day":`) }) // leave out the counters of the downloads above
		if trailer.Files != 4 || len(lines) != len(unpacked(t, archive)) {
			t.Errorf("exported again: got %+v", trailer)
		}
		to.Must(t, 200, "DELETE", "/admin/projects/demo", "")
	}

	// Without contents, all files are listed.
	bare, trailer := exportFiles(t, from, "demo", "?files=false")
	if trailer.Files != 0 || trailer.Omitted != 0 || len(bare) > len(archive)/10 {
		t.Errorf("without contents: got %d bytes, %+v", len(bare), trailer)
	}
	if got := mustBringIn(t, apitest.NewServer(t), bare, ""); got.Failed != 7 {
		t.Errorf("import without contents: got %+v", got)
	}
}

type contentsTrailer struct {
	Files, Bytes, Omitted int64
	Which                 []string
}

// exportFiles exports a project and returns the archive and the summary of its contents.
func exportFiles(t testing.TB, s *apitest.Server, project, query string) ([]byte, contentsTrailer) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", "http://svc/control/export/"+project+query, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := control.InProcess(s.Handler).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	archive, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	var c contentsTrailer
	if err := json.Unmarshal([]byte(answer.Trailer.Get("Svc-Contents")), &c); err != nil {
		t.Fatalf("%v: %s", err, answer.Trailer.Get("Svc-Error"))
	}
	return archive, c
}

// TestFilesBesideTheOriginal checks that an imported copy of a project has separate files, and that
// its versions link to those files.
func TestFilesBesideTheOriginal(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "demo")
	path := link(t, s.Upload(t, "demo", "a b.zip", "content"))
	s.Must(t, 201, "POST", "/admin/projects/demo/versions", fmt.Sprintf(`{"version":"1","comparable_version":"1","download_links":[{"url":"https://other.example/x"},{"url":%q,"name":"N"},{"url":"https://dl.example/f/demo/000000000000/a%%20b.zip"}]}`, "http://dl.example"+path+"?x=1#y"))
	archive, _ := exportFiles(t, s, "demo", "")
	before := inStorage(t, s)
	for _, query := range []string{"key=copy", "key=copy&dry_run=true"} {
		got := bringIn(t, s, archive, query)
		if got.Done || !slices.ContainsFunc(got.Problems, func(p string) bool {
			return strings.HasPrefix(p, "files.jsonl, line 1: id ") && strings.HasSuffix(p, `is that of a file of project "demo"`)
		}) {
			t.Errorf("%s: got %+v", query, got)
		}
	}
	if after := inStorage(t, s); !slices.Equal(after, before) {
		t.Errorf("refused imports: got %q, want %q", after, before)
	}
	mustBringIn(t, s, archive, "key=copy&new_ids=true")
	copied := apitest.Field[[]map[string]any](t, s.Must(t, 200, "GET", "/admin/projects/copy/files", ""), "data")
	if len(copied) != 1 || copied[0]["path"] == path || !strings.HasPrefix(fmt.Sprint(copied[0]["path"]), "/f/copy/") {
		t.Fatalf("got %v", copied)
	}
	to := fmt.Sprint(copied[0]["path"])
	wantLink(t, s, to, 200, "content")
	wantLink(t, s, path, 200, "content")
	links := apitest.Field[[]map[string]any](t, s.Must(t, 200, "GET", "/public/copy/versions/latest", ""), "download_links")
	var urls []string
	for _, l := range links {
		urls = append(urls, fmt.Sprint(l["url"]))
	}
	if want := []string{"https://other.example/x", "http://dl.example" + to + "?x=1#y", "https://dl.example/f/demo/000000000000/a%20b.zip"}; !slices.Equal(urls, want) {
		t.Errorf("links: got %q, want %q", urls, want)
	}
	if answer := s.Must(t, 200, "GET", "/public/demo/versions/latest", ""); !strings.Contains(answer, path) {
		t.Errorf("the original: got %s", answer)
	}
}

// TestFilesMoveToTheDefaultStorage checks that contents are staged for a job if the default storage
// is not the built-in one.
func TestFilesMoveToTheDefaultStorage(t *testing.T) {
	t.Parallel()
	from := apitest.NewServer(t)
	from.Project(t, "demo")
	file := from.Upload(t, "demo", "a.zip", "content")
	archive, _ := exportFiles(t, from, "demo", "")
	to := apitest.NewServer(t)
	id, _ := addNAS(t, to, true)
	mustBringIn(t, to, archive, "")
	answer := to.Must(t, 200, "GET", "/admin/projects/demo/files/"+apitest.Field[string](t, file, "id"), "")
	if why := apitest.CompareJSON(t, answer, fmt.Sprintf(`{"status":"pending","storage_backend_id":%q,"path":%q,"error":null}`, id, link(t, file))); why != "" {
		t.Error(why)
	}
	staged, err := os.ReadFile(to.Storages.Local().Staged(apitest.Field[string](t, file, "id")))
	if err != nil || string(staged) != "content" {
		t.Errorf("staged: got %q, %v", staged, err)
	}
	select {
	case <-to.DB.FilesWaiting():
	default:
		t.Error("nothing wakes the job")
	}
}

// withContents returns a hand-made archive with the given lines of files.jsonl and the given
// contents.
func withContents(t testing.TB, lines string, contents ...[2]string) []byte {
	t.Helper()
	return repack(t, handMade(t, map[string]string{"files.jsonl": lines}), contents...)
}

// repack returns a copy of an archive with additional files.
func repack(t testing.TB, archive []byte, more ...[2]string) []byte {
	t.Helper()
	a, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range a.File {
		if err := z.Copy(f); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range more {
		w, err := z.CreateHeader(&zip.FileHeader{Name: c[0], Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, c[1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// fileLine returns a line of files.jsonl for the given content. Fields in changed replace the usual
// values, and nil removes a field.
func fileLine(t testing.TB, content string, changed map[string]any) string {
	t.Helper()
	fields := map[string]any{
		"id": "00000000000a", "filename": "a.zip", "size": len(content), "sha256": sumOf(content), "source": "upload", "source_url": nil,
		"object_key": "f/made/00000000000a/a.zip", "created_at": 1700000000, "status": "ready", "content": true,
	}
	maps.Copy(fields, changed)
	line, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return string(line) + "\n"
}

// TestImportRefusesFiles checks that an import is refused if contents do not match their records. A
// refused import must not leave any files.
func TestImportRefusesFiles(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	good, content := fileLine(t, "content", nil), [2]string{"files/00000000000a", "content"}
	with := func(name string, value any) []byte {
		return withContents(t, fileLine(t, "content", map[string]any{name: value}), content)
	}
	other := fileLine(t, "content", map[string]any{"id": "00000000000b", "object_key": "f/made/00000000000b/a.zip"})
	for _, row := range []struct {
		name    string
		archive []byte
		want    string
	}{
		{"a content that is missing", withContents(t, good), "files.jsonl, line 1: the archive has no files/00000000000a"},
		{"a content that is there twice", withContents(t, good, content, content), "the archive has files/00000000000a twice"},
		{"a content that is not listed", withContents(t, good, content, [2]string{"files/00000000000b", ""}), "the archive has files/00000000000b, which files.jsonl does not list"},
		{"a path upwards", withContents(t, good, content, [2]string{"files/../../x", ""}), `the archive has a file "files/../../x", which is not part of the format`},
		{"another size", withContents(t, good, [2]string{content[0], "contents"}), "files.jsonl, line 1: files/00000000000a has 8 bytes, but files.jsonl lists 7"},
		{"another content", withContents(t, good, [2]string{content[0], "CONTENT"}), "files/00000000000a is damaged: its SHA-256 does not match files.jsonl"},
		{"another content behind a good one", withContents(t, good+other, content, [2]string{"files/00000000000b", "CONTENT"}), "files/00000000000b is damaged: its SHA-256 does not match files.jsonl"},
		{"a file twice", withContents(t, good+good, content), "files.jsonl, line 2: id 00000000000a occurs twice"},
		{"no id", with("id", nil), "files.jsonl, line 1: id is required"},
		{"an id of another form", with("id", "00000000000A"), "files.jsonl, line 1: id must be 12 characters 0-9 and a-z"},
		{"a name with a path", with("filename", "../a.zip"), "files.jsonl, line 1: filename must be a name as uploads get it"},
		{"a name that is no text", with("filename", 7), "files.jsonl, line 1: filename must be a string"},
		{"an object key of another file", with("object_key", "f/made/00000000000b/a.zip"), "files.jsonl, line 1: object_key must have the form f/{project}/{id}/{filename}"},
		{"an object key upwards", with("object_key", "f/../00000000000a/a.zip"), "files.jsonl, line 1: object_key must have the form f/{project}/{id}/{filename}"},
		{"a negative size", with("size", -1), "files.jsonl, line 1: size must be an integer from 0 to 9007199254740992"},
		{"no sum", with("sha256", nil), "files.jsonl, line 1: size and sha256 are required for a file with content"},
		{"a short sum", with("sha256", "00"), "files.jsonl, line 1: sha256 must be 64 hex digits"},
		{"an unknown source", with("source", "fax"), "files.jsonl, line 1: source must be one of upload, codehost_release"},
		{"a mirrored one without address", with("source", "codehost_release"), "files.jsonl, line 1: source_url must be there for source codehost_release and for no other"},
		{"of the future", with("created_at", 1<<40), "files.jsonl, line 1: created_at must not lie in the future"},
		{"content is a flag", with("content", "yes"), "files.jsonl, line 1: content must be true or false"},
	} {
		t.Run(row.name, func(t *testing.T) {
			for _, query := range []string{"dry_run=true", "", "new_ids=true"} {
				got := bringIn(t, s, row.archive, query)
				if got.Done || !slices.ContainsFunc(got.Problems, func(p string) bool { return strings.HasPrefix(p, row.want) }) {
					t.Errorf("%q: got %+v, want %q", query, got, row.want)
				}
				if left := inStorage(t, s); left != nil {
					t.Errorf("%q: left over: %q", query, left)
				}
			}
			if left := leftovers(t, s); left != "[] []" {
				t.Errorf("left over: %s", left)
			}
		})
	}
	// Afterwards the same IDs are free. This line has only the fields that another
	// program must write.
	least := fmt.Sprintf(`{"id":"00000000000a","filename":"a.zip","size":7,"sha256":%q,"content":true}`, sumOf("content"))
	mustBringIn(t, s, withContents(t, least, content), "")
	wantLink(t, s, "/f/made/00000000000a/a.zip", 200, "content")
}

// TestImportRefusesPrivateKeys checks that an archive cannot bring a private key as a companion.
func TestImportRefusesPrivateKeys(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	const private = "untrusted comment: minisign encrypted secret key\nRWRTY0IyAAAA\n"
	line := fileLine(t, private, map[string]any{"filename": "a.exe.sig", "object_key": "f/made/00000000000a/a.exe.sig"})
	got := bringIn(t, s, withContents(t, line, [2]string{"files/00000000000a", private}), "")
	if got.Done || !strings.Contains(fmt.Sprint(got.Problems), "contains a private key; keep it in your CI") {
		t.Errorf("got %+v", got)
	}
	if left := inStorage(t, s); left != nil {
		t.Errorf("left over: %q", left)
	}
	if left := leftovers(t, s); left != "[] []" {
		t.Errorf("left over: %s", left)
	}
}

// TestImportOfFilesGivenUp checks that an import leaves nothing behind if it is cancelled while it
// stores contents.
func TestImportOfFilesGivenUp(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	var lines strings.Builder
	var contents [][2]string
	for i := range 200 {
		id := fmt.Sprintf("%012d", i)
		lines.WriteString(fileLine(t, "content", map[string]any{"id": id, "object_key": "f/made/" + id + "/a.zip"}))
		contents = append(contents, [2]string{"files/" + id, "content"})
	}
	archive := withContents(t, lines.String(), contents...)
	ctx, giveUp := context.WithCancel(t.Context())
	defer giveUp()
	r, err := http.NewRequestWithContext(ctx, "POST", "http://svc/control/import", bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		answer, err := control.InProcess(s.Handler).Do(r)
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		_ = answer.Body.Close()
	}()
	first := filepath.Join(s.Dir, "files", "objects", "f", "made", contents[0][0][len("files/"):])
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
			if _, err := os.Stat(first); err == nil {
				running = false
			}
			runtime.Gosched()
		}
	}
	giveUp()
	<-done
	if _, err := s.DB.FindProject("made"); err == nil {
		return // the import was faster than the cancellation
	}
	if left := inStorage(t, s); left != nil {
		t.Errorf("left over: %q", left)
	}
	mustBringIn(t, s, archive, "")
	wantLink(t, s, "/f/made/000000000199/a.zip", 200, "content")
}

// TestImportAfterKilledImport checks that an import removes the remains of a killed import if both
// use the same IDs. Other remains are removed by the jobs.
func TestImportAfterKilledImport(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	const id = "00000000000a"
	i, err := s.DB.BeginImport(store.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f := &store.File{ID: id, Filename: "a.zip", Size: 3, SHA256: sumOf("old"), ObjectKey: "f/made/" + id + "/a.zip", Source: store.FileUploaded, Backend: store.LocalStorage}
	if err := i.Update(func(tx *store.ImportTx) error { return tx.File(f) }); err != nil {
		t.Fatal(err)
	}
	staged := filepath.Join(s.Dir, "files", "staged")
	if err := os.WriteFile(staged, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Storages.Local().Put(t.Context(), f.ObjectKey, staged, 3); err != nil {
		t.Fatal(err)
	}
	i.Abandon() // like a process that is killed
	mustBringIn(t, s, withContents(t, fileLine(t, "content", nil), [2]string{"files/" + id, "content"}), "")
	wantLink(t, s, "/f/made/"+id+"/a.zip", 200, "content")
	if left := inStorage(t, s); len(left) != 2 {
		t.Errorf("got %q, want one object and one record", left)
	}
}
