package distribution_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc/api/apitest"
	"svc/internal/files"
	"svc/store"
)

func TestMain(m *testing.M) { apitest.Main(m, apitest.Distribution) }

// linked is a file that can be downloaded with its direct link.
type linked struct {
	store.File
	path    string // path of its link
	content string
}

// etag returns the file's entity tag.
func (f *linked) etag() string { return `"` + f.SHA256 + `"` }

// place stores a ready file on local storage directly, without uploading it.
func place(t testing.TB, s *apitest.Server, project, name, content string) *linked {
	t.Helper()
	sum := sha256.Sum256([]byte(content))
	id := files.NewID()
	f := &linked{content: content, File: store.File{
		ID: store.FileID(id), Filename: name, ObjectKey: files.ObjectKey(project, id, name), Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:]),
		Status: store.FileReady, Source: store.FileUploaded, Backend: store.LocalStorage,
	}}
	f.path = files.EscapePath(f.ObjectKey)
	staged := filepath.Join(s.Dir, "files", id)
	if err := os.WriteFile(staged, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Storages.Local().Put(t.Context(), f.ObjectKey, staged, f.Size); err != nil {
		t.Fatal(err)
	}
	create(t, s, project, &f.File)
	return f
}

// create stores the record of a file.
func create(t testing.TB, s *apitest.Server, project string, f *store.File) {
	t.Helper()
	err := s.DB.Update(func(tx *store.Tx) error {
		p, err := tx.Project(project)
		if err != nil {
			return err
		}
		return tx.CreateFile(p.ID, f)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// object returns the path of a file's content on local storage.
func object(s *apitest.Server, f *linked) string {
	return filepath.Join(s.Dir, "files", "objects", filepath.FromSlash(f.ObjectKey))
}

// alphabet returns n bytes of text. Each section of the text reveals its position.
func alphabet(n int) string {
	return strings.Repeat("abcdefghijklmnopqrstuvwxyz", n/26+1)[:n]
}
