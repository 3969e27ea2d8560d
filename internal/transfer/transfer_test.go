package transfer_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"svc/internal/fault"
	"svc/internal/transfer"
)

// entry is a file in a zip archive.
type entry struct{ name, text string }

// pack returns a zip archive that contains the given files, in order.
func pack(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range entries {
		w, err := z.Create(e.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, e.text); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// listed returns the entry of a manifest that describes a file.
func listed(e entry) transfer.File {
	sum := sha256.Sum256([]byte(e.text))
	return transfer.File{Name: e.name, Records: int64(strings.Count(e.text, "\n")), Bytes: int64(len(e.text)), SHA256: hex.EncodeToString(sum[:])}
}

// manifest returns a manifest that lists the given files.
func manifest(t testing.TB, files ...transfer.File) entry {
	t.Helper()
	text, err := json.Marshal(transfer.Manifest{Format: 1, ProjectKey: "a", Files: files})
	if err != nil {
		t.Fatal(err)
	}
	return entry{transfer.ManifestFile, string(text)}
}

// check opens an archive, reads all of it, and returns the number of lines.
func check(ctx context.Context, archive []byte) (lines int, err error) {
	a, err := transfer.Open(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return 0, err
	}
	if err := a.Verify(ctx, func(int64) {}); err != nil {
		return 0, err
	}
	for _, name := range transfer.Files() {
		err := a.Lines(ctx, name, func(line int64, _ []byte) error {
			lines++
			return nil
		})
		if err != nil {
			return lines, err
		}
	}
	return lines, checkContents(ctx, a)
}

// listedContent is a line of files.jsonl that lists the content of a file.
type listedContent struct {
	ID, SHA256 string
	Size       int64
}

// checkContents reads all contents that files.jsonl lists.
func checkContents(ctx context.Context, a *transfer.Reader) error {
	return a.Lines(ctx, transfer.FilesFile, func(_ int64, text []byte) error {
		var f listedContent
		if json.Unmarshal(text, &f) != nil {
			return nil
		}
		r, err := a.Content(f.ID, f.Size, f.SHA256)
		if err != nil {
			return err
		}
		n, err := io.Copy(io.Discard, r)
		if err == nil && n != f.Size {
			err = fmt.Errorf("%d bytes of a content of %d", n, f.Size)
		}
		return errors.Join(err, r.Close())
	})
}

func TestArchive(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := transfer.NewWriter(&b, transfer.Manifest{Program: "svc test", CreatedAt: 1700000000, ProjectKey: "app"})
	long := strings.Repeat("é<", 200_000) // longer than a single Read returns
	for _, name := range transfer.Files() {
		if err := w.Begin(name); err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			if err := w.Line(map[string]any{"name": name, "i": i, "long": long[:300_000*i]}); err != nil {
				t.Fatal(err)
			}
		}
	}
	m, err := w.Close()
	if err != nil {
		t.Fatal(err)
	}
	a, err := transfer.Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(a.Manifest) != fmt.Sprint(m) || m.Format != 1 || len(m.Files) != len(transfer.Files()) || m.CreatedAt != 1700000000 {
		t.Errorf("manifest: got %+v, written %+v", a.Manifest, m)
	}
	read := int64(0)
	if err := a.Verify(t.Context(), func(n int64) { read += n }); err != nil || read != m.Bytes() {
		t.Errorf("verified %d of %d bytes: %v", read, m.Bytes(), err)
	}
	for _, name := range transfer.Files() {
		next := 0
		err := a.Lines(t.Context(), name, func(line int64, text []byte) error {
			var record struct {
				Name, Long string
				I          int
			}
			if err := json.Unmarshal(text, &record); err != nil || record.Name != name || record.I != next || record.Long != long[:300_000*next] || line != int64(next)+1 {
				t.Errorf("%s, line %d: got %.100s, %v", name, line, text, err)
			}
			next++
			return nil
		})
		if err != nil || next != 3 {
			t.Errorf("%s: %d lines, %v", name, next, err)
		}
	}
	stop := errors.New("stop")
	if err := a.Lines(t.Context(), transfer.LogsFile, func(int64, []byte) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("an error of the caller: got %v", err)
	}
}

// contents returns a files.jsonl that lists the given contents.
func contents(t testing.TB, list ...entry) entry {
	t.Helper()
	var text strings.Builder
	for _, e := range list {
		line, err := json.Marshal(listedContent{ID: strings.TrimPrefix(e.name, "files/"), SHA256: listed(e).SHA256, Size: int64(len(e.text))})
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(line, '\n'))
	}
	return entry{transfer.FilesFile, text.String()}
}

// withFiles returns an archive with the given files.jsonl and contents.
func withFiles(t testing.TB, files entry, list ...entry) []byte {
	t.Helper()
	project := entry{transfer.ProjectFile, "{}\n"}
	return pack(t, slices.Concat([]entry{project, files}, list, []entry{manifest(t, listed(project), listed(files))})...)
}

// TestContents checks that contents are read back unchanged, and that they are not
// compressed.
func TestContents(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := transfer.NewWriter(&b, transfer.Manifest{ProjectKey: "app"})
	if err := w.Begin(transfer.ProjectFile); err != nil {
		t.Fatal(err)
	}
	long := entry{"files/00000000000b", strings.Repeat("content ", 100_000)}
	for _, e := range []entry{long, {"files/00000000000c", ""}} {
		if size, sum, err := w.Content(strings.TrimPrefix(e.name, "files/"), strings.NewReader(e.text)); err != nil || size != int64(len(e.text)) || sum != listed(e).SHA256 {
			t.Fatalf("%s: got %d bytes, %s, %v", e.name, size, sum, err)
		}
	}
	m, err := w.Close()
	if err != nil || len(m.Files) != 1 {
		t.Fatalf("got %+v, %v", m, err)
	}
	if b.Len() < len(long.text) {
		t.Errorf("%d bytes for a content of %d", b.Len(), len(long.text))
	}
	a, err := transfer.Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(a.Contents()); got != "[00000000000b 00000000000c]" {
		t.Errorf("contents: got %s", got)
	}
	r, err := a.Content("00000000000b", int64(len(long.text)), strings.ToUpper(listed(long).SHA256))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != nil || string(got) != long.text {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
}

// TestArchiveIsRefused checks that an archive is rejected if it does not match its
// manifest.
func TestArchiveIsRefused(t *testing.T) {
	t.Parallel()
	project := entry{transfer.ProjectFile, "{}\n"}
	logs := entry{transfer.LogsFile, "{}\n{}\n"}
	first := entry{"files/00000000000a", "content"}
	files := contents(t, first)
	wrong := func(e entry, change func(*transfer.File)) transfer.File {
		f := listed(e)
		change(&f)
		return f
	}
	const zeros = "0000000000000000000000000000000000000000000000000000000000000000"
	for _, row := range []struct {
		name    string
		archive []byte
		want    string
	}{
		{"no zip", []byte("svc"), "the file is not a zip archive, or is incomplete: "},
		{"no manifest", pack(t, project), "the archive has no manifest.json"},
		{"manifest is no JSON", pack(t, project, entry{"manifest.json", "format: 1"}), `manifest.json must be a JSON object with the number of the format in "format"`},
		{"manifest without a format", pack(t, project, entry{"manifest.json", "{}"}), `manifest.json must be a JSON object with the number of the format in "format"`},
		{"format 0", pack(t, project, entry{"manifest.json", `{"format":0}`}), `manifest.json must be a JSON object with the number of the format in "format"`},
		{"manifest of another shape", pack(t, project, entry{"manifest.json", `{"format":1,"files":{}}`}), "manifest.json is invalid: "},
		{"manifest without end", pack(t, project, entry{"manifest.json", `{"format":1,"x":"` + strings.Repeat("x", 1<<20) + `"}`}), "manifest.json must have at most 1048576 bytes"},
		{"no project", pack(t, logs, manifest(t, listed(logs))), "the archive has no project.json"},
		{"a file that is not listed", pack(t, project, logs, manifest(t, listed(project))), "manifest.json does not list logs.jsonl"},
		{"a file that is listed only", pack(t, project, manifest(t, listed(project), listed(logs))), `manifest.json lists "logs.jsonl", which the archive does not have`},
		{"a file that is listed twice", pack(t, project, manifest(t, listed(project), listed(project))), `manifest.json lists "project.json" twice`},
		{"a file that is there twice", pack(t, project, project, manifest(t, listed(project))), "the archive has project.json twice"},
		{"a manifest that lists itself", pack(t, project, manifest(t, listed(project), transfer.File{Name: "manifest.json"})), `manifest.json lists "manifest.json", which the archive does not have`},
		{"a file of no use", pack(t, project, entry{"notes.txt", "x"}, manifest(t, listed(project))), `the archive has a file "notes.txt", which is not part of the format`},
		{"a path upwards", pack(t, project, entry{"../../etc/passwd", "x"}, manifest(t, listed(project))), `the archive has a file "../../etc/passwd", which is not part of the format`},
		{"an absolute path", pack(t, project, entry{"/project.json", "x"}, manifest(t, listed(project))), `the archive has a file "/project.json", which is not part of the format`},
		{"a path of Windows", pack(t, project, entry{`..\logs.jsonl`, "x"}, manifest(t, listed(project))), `the archive has a file `},
		{"other sums", pack(t, project, manifest(t, wrong(project, func(f *transfer.File) { f.SHA256 = zeros }))), "project.json is damaged: its SHA-256 does not match manifest.json"},
		{"no sums", pack(t, project, manifest(t, wrong(project, func(f *transfer.File) { f.SHA256 = "" }))), "manifest.json: sha256 of project.json must be 64 hex digits"},
		{"other lengths", pack(t, project, manifest(t, wrong(project, func(f *transfer.File) { f.Bytes++ }))), "project.json has 3 bytes, but manifest.json lists 4"},
		{"negative lengths", pack(t, project, manifest(t, wrong(project, func(f *transfer.File) { f.Bytes = -1 }))), "manifest.json: bytes and records of project.json must be at least 0"},
		{"a content that is there twice", pack(t, project, first, first, manifest(t, listed(project))), "the archive has files/00000000000a twice"},
		{"a content of no id", pack(t, project, entry{"files/0", "x"}, manifest(t, listed(project))), `the archive has a file "files/0", which is not part of the format`},
		{"a content with a path upwards", pack(t, project, entry{"files/../00000000000a", "x"}, manifest(t, listed(project))), `the archive has a file "files/../00000000000a", which is not part of the format`},
		{"a content in a folder", pack(t, project, entry{"files/00000000000a/x", "x"}, manifest(t, listed(project))), `the archive has a file "files/00000000000a/x", which is not part of the format`},
		{"a content in the manifest", pack(t, project, first, manifest(t, listed(project), listed(first))), `manifest.json lists "files/00000000000a", which the archive does not have`},
		{"a content that is listed only", withFiles(t, files), "the archive has no files/00000000000a"},
		{"a content of another size", withFiles(t, files, entry{first.name, first.text + "x"}), "files/00000000000a has 8 bytes, but files.jsonl lists 7"},
		{"a content with another sum", withFiles(t, files, entry{first.name, "CONTENT"}), "files/00000000000a is damaged: its SHA-256 does not match files.jsonl"},
		{"other numbers of records", pack(t, project, manifest(t, wrong(project, func(f *transfer.File) { f.Records = 2 }))), "project.json has 1 lines, but manifest.json lists 2 records"},
	} {
		_, err := check(t.Context(), row.archive)
		if !fault.Is(err, fault.Invalid) || !strings.HasPrefix(err.Error(), row.want) {
			t.Errorf("%s: got %v, want %q", row.name, err, row.want)
		}
	}
	_, err := check(t.Context(), pack(t, entry{"manifest.json", `{"format":2,"files":7}`}))
	if !errors.Is(err, transfer.ErrNewer) {
		t.Errorf("a newer format: got %v", err)
	}
}

// TestArchiveThatUnpacksToMore checks that if a file unpacks to more than its listed
// size, only that many bytes of it are read.
func TestArchiveThatUnpacksToMore(t *testing.T) {
	t.Parallel()
	bomb := entry{transfer.ProjectFile, strings.Repeat("{}\n", 1<<20)}
	small := entry{transfer.ProjectFile, "{}\n"}
	archive := pack(t, bomb, manifest(t, listed(small)))
	// the size in the archive's directory agrees with the manifest
	from, to := make([]byte, 4), []byte{3, 0, 0, 0}
	from[0], from[1], from[2], from[3] = 0, 0, 0x30, 0
	at := bytes.LastIndex(archive, from)
	if at < 0 {
		t.Fatal("no size in the directory")
	}
	copy(archive[at:], to)
	if _, err := check(t.Context(), archive); !fault.Is(err, fault.Invalid) {
		t.Errorf("got %v, want that it is refused", err)
	}
}

// TestArchiveWithOneByteChanged checks that a changed byte is either detected, or does
// not affect the content that is read.
func TestArchiveWithOneByteChanged(t *testing.T) {
	t.Parallel()
	files := []entry{{transfer.ProjectFile, "{\"project_key\":\"a\"}\n"}, {transfer.LogsFile, "{\"n\":1}\n{\"n\":2}\n"}}
	whole := pack(t, files[0], files[1], manifest(t, listed(files[0]), listed(files[1])))
	read := func(archive []byte) (text string, err error) {
		a, err := transfer.Open(bytes.NewReader(archive), int64(len(archive)))
		if err != nil {
			return "", err
		}
		if err := a.Verify(t.Context(), func(int64) {}); err != nil {
			return "", err
		}
		for _, name := range transfer.Files() {
			err := a.Lines(t.Context(), name, func(_ int64, line []byte) error {
				text += name + string(line)
				return nil
			})
			if err != nil {
				return "", err
			}
		}
		return text, nil
	}
	want, err := read(whole)
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		changed := slices.Clone(whole)
		changed[i] ^= 1 << (i % 8)
		if got, err := read(changed); err == nil && got != want {
			t.Errorf("byte %d changed: got %q", i, got)
		}
	}
}

func FuzzArchive(f *testing.F) {
	project := entry{transfer.ProjectFile, "{}\n"}
	f.Add(pack(f, project, manifest(f, listed(project))))
	f.Add(pack(f, entry{"../x", "y"}, project))
	f.Add([]byte("PK\x05\x06"))
	content := entry{"files/00000000000a", "content"}
	f.Add(withFiles(f, contents(f, content), content))
	f.Add(withFiles(f, contents(f, content, content), content, entry{"files/00000000000b", ""}))
	f.Fuzz(func(t *testing.T, archive []byte) {
		_, err := check(t.Context(), archive)
		if err != nil && !fault.Is(err, fault.Invalid) && !errors.Is(err, transfer.ErrNewer) {
			t.Errorf("got %v, which is no error about an archive", err)
		}
	})
}
