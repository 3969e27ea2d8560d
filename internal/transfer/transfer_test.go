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

// entry is a file of a zip archive.
type entry struct{ name, text string }

// pack is a zip archive of files in their order.
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

// listed is a file as a manifest has it.
func listed(e entry) transfer.File {
	sum := sha256.Sum256([]byte(e.text))
	return transfer.File{Name: e.name, Records: int64(strings.Count(e.text, "\n")), Bytes: int64(len(e.text)), SHA256: hex.EncodeToString(sum[:])}
}

// manifest lists files.
func manifest(t testing.TB, files ...transfer.File) entry {
	t.Helper()
	text, err := json.Marshal(transfer.Manifest{Format: 1, ProjectKey: "a", Files: files})
	if err != nil {
		t.Fatal(err)
	}
	return entry{transfer.ManifestFile, string(text)}
}

// check opens an archive and reads all of it.
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
	return lines, nil
}

func TestArchive(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := transfer.NewWriter(&b, transfer.Manifest{Program: "svc test", CreatedAt: 1700000000, ProjectKey: "app"})
	long := strings.Repeat("é<", 200_000) // longer than what is read at once
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

// What an archive says of itself is held against what it is.
func TestArchiveIsRefused(t *testing.T) {
	t.Parallel()
	project := entry{transfer.ProjectFile, "{}\n"}
	logs := entry{transfer.LogsFile, "{}\n{}\n"}
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
		{"no zip", []byte("svc"), "the file is not a zip archive, or not a whole one: "},
		{"no manifest", pack(t, project), "the archive has no manifest.json"},
		{"manifest is no JSON", pack(t, project, entry{"manifest.json", "format: 1"}), `manifest.json must be a JSON object with the number of the format in "format"`},
		{"manifest without a format", pack(t, project, entry{"manifest.json", "{}"}), `manifest.json must be a JSON object with the number of the format in "format"`},
		{"format 0", pack(t, project, entry{"manifest.json", `{"format":0}`}), `manifest.json must be a JSON object with the number of the format in "format"`},
		{"manifest of another shape", pack(t, project, entry{"manifest.json", `{"format":1,"files":{}}`}), "manifest.json is not as it must be: "},
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
		{"other sums", pack(t, project, manifest(t, wrong(project, func(f *transfer.File) { f.SHA256 = zeros }))), "project.json is damaged: its SHA-256 is not that of manifest.json"},
		{"no sums", pack(t, project, manifest(t, wrong(project, func(f *transfer.File) { f.SHA256 = "" }))), "manifest.json: sha256 of project.json must be 64 hex digits"},
		{"other lengths", pack(t, project, manifest(t, wrong(project, func(f *transfer.File) { f.Bytes++ }))), "project.json has 3 bytes, manifest.json says 4"},
		{"negative lengths", pack(t, project, manifest(t, wrong(project, func(f *transfer.File) { f.Bytes = -1 }))), "manifest.json: bytes and records of project.json must be at least 0"},
		{"other numbers of records", pack(t, project, manifest(t, wrong(project, func(f *transfer.File) { f.Records = 2 }))), "project.json has 1 lines, manifest.json says 2 records"},
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

// A file that unpacks to more than it says ends where it should have.
func TestArchiveThatUnpacksToMore(t *testing.T) {
	t.Parallel()
	bomb := entry{transfer.ProjectFile, strings.Repeat("{}\n", 1<<20)}
	small := entry{transfer.ProjectFile, "{}\n"}
	archive := pack(t, bomb, manifest(t, listed(small)))
	// The size in the directory of the archive says what the manifest says.
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

// Any byte that is changed is noticed, or makes no difference to what is read.
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
	f.Fuzz(func(t *testing.T, archive []byte) {
		_, err := check(t.Context(), archive)
		if err != nil && !fault.Is(err, fault.Invalid) && !errors.Is(err, transfer.ErrNewer) {
			t.Errorf("got %v, which is no error about an archive", err)
		}
	})
}
