package backup_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"

	"svc/internal/backup"
	"svc/internal/datadir"
)

var moment = time.Date(2026, 11, 21, 22, 45, 0, 0, time.UTC)

// file is a member of an archive: its name and its content.
type file struct{ name, text string }

// small returns the members of a very small archive, which includes one local file.
func small() []file {
	return []file{{datadir.Database, "records"}, {datadir.Events, "events"}, {datadir.Secrets, "x = 'y'"}, {"files/objects/a b.zip", "file"}}
}

// write returns an archive of the given files, encrypted for the recipients if there are any.
func write(t testing.TB, files []file, recipients ...age.Recipient) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := backup.NewWriter(&b, "1.2.3", moment, recipients...)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if err := w.Add(backup.Member{Name: f.name, Size: int64(len(f.text)), Mode: 0o600}, strings.NewReader(f.text)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Close(true, []string{"JWT_SECRET"}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// read reads an archive and returns its manifest and its members.
func read(archive []byte, identities ...backup.Identity) (m *backup.Manifest, files []file, err error) {
	m, err = backup.Read(bytes.NewReader(archive), identities, func(m backup.Member, content io.Reader) error {
		text, err := io.ReadAll(content)
		files = append(files, file{m.Name, string(text)})
		return err
	})
	return m, files, err
}

func identity(t testing.TB) *age.X25519Identity {
	t.Helper()
	id, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestArchiveComesBack(t *testing.T) {
	t.Parallel()
	id, other := identity(t), identity(t)
	for name, archive := range map[string][]byte{
		"open":                   write(t, small()),
		"sealed":                 write(t, small(), id.Recipient()),
		"sealed for one of many": write(t, small(), other.Recipient(), id.Recipient()),
	} {
		m, files, err := read(archive, id)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !slices.Equal(files, small()) {
			t.Errorf("%s: got %v, want %v", name, files, small())
		}
		if m.Version != "1.2.3" || !m.CreatedAt.Equal(moment) || !m.Files || m.Bytes() != 24 || !slices.Equal(m.SecretsElsewhere, []string{"JWT_SECRET"}) {
			t.Errorf("%s: got manifest %+v", name, m)
		}
	}
}

func TestSealedNeedsItsIdentity(t *testing.T) {
	t.Parallel()
	archive := write(t, small(), identity(t).Recipient())
	if _, _, err := read(archive); !errors.Is(err, backup.ErrSealed) {
		t.Errorf("without an identity: got %v, want %v", err, backup.ErrSealed)
	}
	if _, _, err := read(archive, identity(t)); !errors.Is(err, backup.ErrSealed) {
		t.Errorf("with another identity: got %v, want %v", err, backup.ErrSealed)
	}
	for _, f := range small() {
		if bytes.Contains(archive, []byte(f.text)) {
			t.Errorf("the archive shows %q", f.text)
		}
	}
}

// TestEveryByteCounts checks that a small archive cannot be read if any of its bytes is
// changed or if it is truncated.
func TestEveryByteCounts(t *testing.T) {
	t.Parallel()
	id := identity(t)
	for name, archive := range map[string][]byte{"open": write(t, small()), "sealed": write(t, small(), id.Recipient())} {
		for i := range archive {
			bits := byte(1) << (i % 8)
			archive[i] ^= bits
			if _, _, err := read(archive, id); err == nil {
				t.Errorf("%s: byte %d of %d changed by %#x is accepted", name, i, len(archive), bits)
			}
			archive[i] ^= bits
			if i%7 != 0 {
				continue
			}
			if _, _, err := read(archive[:i], id); err == nil {
				t.Errorf("%s: the first %d of %d bytes are accepted", name, i, len(archive))
			}
		}
		if _, _, err := read(append(slices.Clone(archive), 0), id); err == nil {
			t.Errorf("%s: a byte behind the end is accepted", name)
		}
		if _, _, err := read(append(slices.Clone(archive), archive...), id); err == nil {
			t.Errorf("%s: the archive twice is accepted", name)
		}
		if _, _, err := read(archive, id); err != nil {
			t.Errorf("%s: unchanged: %v", name, err)
		}
	}
}

// TestEveryRegionCounts checks that an archive with many zstd blocks cannot be read if a
// byte is changed in any region of 64 KiB.
func TestEveryRegionCounts(t *testing.T) {
	t.Parallel()
	archive := write(t, large(4<<20))
	for i := 0; i < len(archive); i += 64 << 10 {
		at := min(i+rand.IntN(64<<10), len(archive)-1)
		archive[at] ^= 0x10
		if _, _, err := read(archive); !errors.Is(err, backup.ErrDamaged) {
			t.Errorf("byte %d of %d: got %v, want %v", at, len(archive), err, backup.ErrDamaged)
		}
		archive[at] ^= 0x10
	}
}

// large returns the members of a large archive. Half of their content is compressible.
func large(size int) []file {
	random := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, size)
	for i := range b {
		if b[i] = byte(i >> 8); i>>16%2 == 0 {
			b[i] = byte(random.Uint32())
		}
	}
	return []file{{datadir.Database, string(b)}, {datadir.Events, string(b[:size/3])}}
}

func TestLargeArchiveComesBack(t *testing.T) {
	t.Parallel()
	want := large(3 << 20)
	if _, got, err := read(write(t, want)); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %d files, %v; want the same content", len(got), err)
	}
}

// TestOrdinaryTools checks that tar and zstd can unpack an archive, although they know
// nothing about its manifest and trailer.
func TestOrdinaryTools(t *testing.T) {
	t.Parallel()
	z, err := zstd.NewReader(bytes.NewReader(write(t, small())))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var names []string
	r := tar.NewReader(z)
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, fmt.Sprintf("%s %o", h.Name, h.Mode))
	}
	want := []string{"svc.db 600", "events.db 600", "secrets.toml 600", "files/objects/a b.zip 600", "manifest.json 600"}
	if !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
	if _, err := io.Copy(io.Discard, z); err != nil {
		t.Errorf("zstd does not skip the trailer: %v", err)
	}
}

func TestWriterRefuses(t *testing.T) {
	t.Parallel()
	w, err := backup.NewWriter(io.Discard, "", moment)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if err := w.Add(backup.Member{Name: "../svc.db"}, strings.NewReader("")); err == nil {
		t.Error("a name outside is accepted")
	}
	if err := w.Add(backup.Member{Name: "svc.db", Size: 5}, strings.NewReader("four")); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a file that became shorter: got %v, want %v", err, io.ErrUnexpectedEOF)
	}
}

func TestContained(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"svc.db": true, "events.db": true, "secrets.toml": true, "config.toml": true, "files/objects/x": true, "files/ünï.zip": true,
		"": false, ".": false, "..": false, "/svc.db": false, "./svc.db": false, "svc.lock": false, "search.bleve/x": false,
		"files": false, "files/": false, "files//x": false, "files/../svc.db": false, "files/./x": false, "files/x/": false,
		`files\x`: false, `files/a\b`: false, "files/c:x": false, "files/a\x00b": false, "files/a\nb": false,
		"files/staging/x": false, "files/staging/uploads/x": false, "files/staging/files/0123456789ab": true, "files/staging/files": false, "files/a�": true, "files/cache/x": false, "backups/x": false, "files/" + strings.Repeat("x", 1100): false,
		"manifest.json": false, "restore.json": false, "files/\xff": false,
	} {
		if got := backup.Contained(name); got != want {
			t.Errorf("%.40q: got %v, want %v", name, got, want)
		}
	}
}

// begin starts an archive that contains the members required in every archive.
func begin(t *testing.T, to io.Writer) *backup.Writer {
	t.Helper()
	w, err := backup.NewWriter(to, "", moment)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range small()[:2] {
		if err := w.Add(backup.Member{Name: f.name, Size: int64(len(f.text))}, strings.NewReader(f.text)); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// TestAddFolder checks that AddFolder adds all regular files except temporary ones, and only those
// staged files that the caller names.
func TestAddFolder(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	for _, name := range []string{"files/objects/p/1.zip", "files/a", "files/staging/part", "files/staging/files/one", "files/staging/files/two", "files/staging/uploads/x/content", "files/cache/slice", "files/.probe-X", "other"} {
		path := filepath.Join(data, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	w := begin(t, &b)
	if err := errors.Join(w.AddFolder(filepath.Join(data, "files"), []string{"two", "gone"}), w.AddFolder(filepath.Join(data, "nothing"), nil)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Close(true, nil); err != nil {
		t.Fatal(err)
	}
	_, files, err := read(b.Bytes())
	want := append(small()[:2], file{"files/a", "files/a"}, file{"files/objects/p/1.zip", "files/objects/p/1.zip"}, file{"files/staging/files/two", "files/staging/files/two"})
	if err != nil || !slices.Equal(files, want) {
		t.Errorf("got %v, %v; want %v", files, err, want)
	}
	if w, err = backup.NewWriter(&b, "", moment); err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if err := os.Symlink(filepath.Join(data, "other"), filepath.Join(data, "files", "link")); err != nil {
		t.Skipf("needs symbolic links: on Windows turn the developer mode on: %v", err)
	}
	if err = w.AddFolder(filepath.Join(data, "files"), nil); err == nil || !strings.Contains(err.Error(), "link") {
		t.Errorf("a link: got %v, want an error that names it", err)
	}
}

// TestAddFileThatIsALink checks that AddFile adds the target of a symbolic link, because a
// configuration file may be kept outside of the data directory.
func TestAddFileThatIsALink(t *testing.T) {
	t.Parallel()
	elsewhere, data := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(elsewhere, "svc.toml"), []byte("x = 1"), 0o600); err != nil {
		t.Fatal(err)
	}
	relative, err := filepath.Rel(data, filepath.Join(elsewhere, "svc.toml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{filepath.Join(elsewhere, "svc.toml"), relative} {
		path := filepath.Join(data, datadir.Config)
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, path); err != nil {
			t.Skipf("needs symbolic links: on Windows turn the developer mode on: %v", err)
		}
		var b bytes.Buffer
		w := begin(t, &b)
		if err := w.AddFile(datadir.Config, path); err != nil {
			t.Errorf("a link to %s: %v", target, err)
		}
		if _, err := w.Close(true, nil); err != nil {
			t.Fatal(err)
		}
		_, files, err := read(b.Bytes())
		if want := append(small()[:2], file{datadir.Config, "x = 1"}); err != nil || !slices.Equal(files, want) {
			t.Errorf("a link to %s: got %v, %v; want %v", target, files, err, want)
		}
	}
}
