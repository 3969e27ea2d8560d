package backup_test

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"svc/internal/backup"
)

// sealedBy appends a valid trailer, as docs/format/backup.md describes it, to compressed
// data.
func sealedBy(packed []byte) []byte {
	sum := sha256.Sum256(packed)
	packed = append(packed, 0x5B, 0x2A, 0x4D, 0x18, 40, 0, 0, 0)
	packed = append(packed, "svc:sum1"...)
	return append(packed, sum[:]...)
}

// hostile returns an archive with members that a Writer would not write. The size in each
// header is the size of the content.
func hostile(t *testing.T, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(z)
	for _, m := range members {
		if m.Typeflag == 0 {
			m.Typeflag = tar.TypeReg
		}
		m.Mode, m.Size = 0o600, int64(len(m.text))
		if err := w.WriteHeader(&m.Header); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(m.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return sealedBy(b.Bytes())
}

type member struct {
	tar.Header
	text string
}

func plain(name, text string) member { return member{tar.Header{Name: name}, text} }

// entry returns the JSON with which a manifest describes a member.
func entry(name, text string) string {
	return fmt.Sprintf(`{"name":%q,"size":%d,"mode":"0600","sha256":"%x"}`, name, len(text), sha256.Sum256([]byte(text)))
}

func manifest(entries ...string) member {
	return plain("manifest.json", `{"format":1,"version":"x","created_at":"2026-01-01T00:00:00Z","files":true,"members":[`+strings.Join(entries, ",")+`]}`)
}

func TestHostileArchivesAreRefused(t *testing.T) {
	t.Parallel()
	db, ev := plain("svc.db", "a"), plain("events.db", "b")
	both := []string{entry("svc.db", "a"), entry("events.db", "b")}
	for _, tc := range []struct {
		name    string
		members []member
		want    error
		says    string
	}{
		{"what is right is accepted", []member{db, ev, manifest(both...)}, nil, ""},
		{"no manifest", []member{db, ev}, backup.ErrDamaged, "unexpected EOF"},
		{"no database", []member{ev, manifest(both[1])}, backup.ErrDamaged, "does not have svc.db"},
		{"member that the manifest lacks", []member{db, ev, plain("files/x", "c"), manifest(both...)}, backup.ErrDamaged, `"files/x"`},
		{"member that is missing", []member{db, ev, manifest(append(both, entry("files/x", "c"))...)}, backup.ErrDamaged, "missing"},
		{"other content", []member{plain("svc.db", "z"), ev, manifest(both...)}, backup.ErrDamaged, `"svc.db" does not match`},
		{"twice the same", []member{db, db, ev, manifest(both...)}, backup.ErrDamaged, `"svc.db"`},
		{"something behind the manifest", []member{db, ev, manifest(both...), plain("files/x", "c")}, backup.ErrDamaged, "after its manifest"},
		{"out of the folder", []member{db, ev, plain("../x", "c"), manifest(append(both, entry("../x", "c"))...)}, backup.ErrDamaged, "unexpected file"},
		{"absolute", []member{db, ev, plain("/etc/passwd", "c"), manifest(append(both, entry("/etc/passwd", "c"))...)}, backup.ErrDamaged, "unexpected file"},
		{"link", []member{db, ev, {tar.Header{Name: "files/x", Typeflag: tar.TypeSymlink, Linkname: "/etc"}, ""}, manifest(both...)}, backup.ErrDamaged, "regular file"},
		{"folder", []member{db, ev, {tar.Header{Name: "files/x/", Typeflag: tar.TypeDir}, ""}, manifest(both...)}, backup.ErrDamaged, "regular file"},
		{"newer format", []member{db, ev, plain("manifest.json", `{"format":2,"more":[]}`)}, backup.ErrNewer, "format 2; this program reads formats up to 1"},
		{"no format", []member{db, ev, plain("manifest.json", `{}`)}, backup.ErrDamaged, "manifest"},
		{"unknown field", []member{db, ev, plain("manifest.json", `{"format":1,"x":1}`)}, backup.ErrDamaged, "manifest"},
		{"manifest without end", []member{db, ev, plain("manifest.json", `{"format":1,`+strings.Repeat(" ", 1<<20))}, backup.ErrDamaged, "manifest has"},
	} {
		m, _, err := read(hostile(t, tc.members...))
		if !errors.Is(err, tc.want) || err != nil && !strings.Contains(err.Error(), tc.says) || (m == nil) != (err != nil) {
			t.Errorf("%s: got %v, want %v that says %q", tc.name, err, tc.want, tc.says)
		}
	}
}

func TestOtherFilesAreNoArchives(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{"empty": "", "short": "x", "text": strings.Repeat("svc ", 1000), "gzip": "\x1f\x8b" + strings.Repeat("x", 100)} {
		if _, _, err := read([]byte(content)); !errors.Is(err, backup.ErrNoArchive) {
			t.Errorf("%s: got %v, want %v", name, err, backup.ErrNoArchive)
		}
	}
}

// TestDataBehindTheEnd checks that an archive is refused if data follows the end of the
// tar file, even if its checksum is right. zstd would skip such data or decompress it.
func TestDataBehindTheEnd(t *testing.T) {
	t.Parallel()
	archive := write(t, small())
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	more := z.EncodeAll([]byte("more"), nil)
	if _, _, err := read(sealedBy(append(archive[:len(archive)-48:len(archive)-48], more...))); !errors.Is(err, backup.ErrDamaged) {
		t.Errorf("got %v, want %v", err, backup.ErrDamaged)
	}
}

// FuzzRead checks that no input makes the reader panic, and that an archive that is
// accepted contains only names that are allowed in a data directory. Each input is also
// read with a valid trailer appended, so that the fuzzer reaches the code that parses the
// content.
func FuzzRead(f *testing.F) {
	archive := write(f, small())
	f.Add(archive[:len(archive)-48])
	f.Add([]byte("age-encryption.org/v1\n-> X25519 x\n"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, packed []byte) {
		for _, archive := range [][]byte{packed, sealedBy(slices.Clip(packed))} {
			m, files, err := read(archive)
			if err != nil {
				continue
			}
			if len(files) != len(m.Members) || len(files) < 1 {
				t.Errorf("%d files, %d in the manifest", len(files), len(m.Members))
			}
			for _, f := range files {
				if !backup.Contained(f.name) {
					t.Errorf("accepted %q", f.name)
				}
			}
		}
	})
}
