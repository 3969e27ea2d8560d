package control_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"svc/api/apitest"
	"svc/store"
)

// TestCheckOfFilesBesideAServer checks the findings of a check while a server is running. A file
// without its content is damage, and a content without a file is a note. Uploads and deletions
// during the check cause no findings.
func TestCheckOfFilesBesideAServer(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Must(t, 201, "POST", "/admin/projects", `{"project_key":"app","name":"A"}`)
	found := func(want string) {
		t.Helper()
		status, answer := s.Owner(t, "POST", "/control/check/files", "")
		if status != http.StatusOK {
			t.Fatalf("got %d %s", status, answer)
		}
		if why := apitest.CompareJSON(t, answer, want); why != "" {
			t.Error(why)
		}
	}
	found(`{"findings":null,"counts":null}`)
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(s.Dir, "files", "objects", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	whole := ready(t, s, "000000000001")
	write(whole.ObjectKey, "content")
	found(`{"findings":null,"counts":null}`)
	lost := ready(t, s, "000000000002")
	write("f/app/000000000003/a.zip", "content")
	found(`{"findings":[
		{"kind":"object","file":"files","where":"f/app/000000000002/a.zip","severity":"damage"},
		{"kind":"spare-object","file":"files","where":"objects/f/app/000000000003/a.zip","severity":"note"}]}`)
	s.Must(t, 200, "DELETE", "/admin/projects/app/files/"+string(lost.ID), "")
	found(`{"findings":[{"kind":"spare-object"}],"counts":[{"kind":"spare-object","count":1}]}`)
}

// ready creates the record of a file that is in local storage and has the status ready.
func ready(t *testing.T, s *apitest.Server, id string) *store.File {
	t.Helper()
	f := &store.File{
		ID: store.FileID(id), ObjectKey: "f/app/" + id + "/a.zip", Filename: "a.zip", Size: 7,
		Status: store.FileReady, Source: store.FileUploaded, Backend: store.LocalStorage,
	}
	err := s.DB.Update(func(tx *store.Tx) error {
		p, err := tx.Project("app")
		if err != nil {
			return err
		}
		return tx.CreateFile(p.ID, f)
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}
