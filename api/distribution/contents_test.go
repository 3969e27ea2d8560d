package distribution_test

import (
	"crypto/sha1"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"

	"svc/api/apitest"
	"svc/store"
)

// sums returns the JSON of the checksums of a content.
func sums(content string) string {
	one, five := sha1.Sum([]byte(content)), sha512.Sum512([]byte(content))
	return fmt.Sprintf(`{"sha256":%q,"sha1":%q,"sha512":%q}`, sumOf(content), hex.EncodeToString(one[:]), hex.EncodeToString(five[:]))
}

func TestSumsOfUploads(t *testing.T) {
	t.Parallel()
	s := withFiles(t)
	content := alphabet(8<<20 + 5)
	at := begin(t, s, "a.zip", len(content))
	s.Must(t, 200, "PUT", at+"/chunks/1", content[8<<20:])
	s.Must(t, 200, "PUT", at+"/chunks/0", strings.ToUpper(content[:8<<20]))
	s.Must(t, 200, "PUT", at+"/chunks/0", content[:8<<20]) // replaces a chunk whose bytes were already added
	for what, file := range map[string]string{
		"in chunks": s.Must(t, 200, "POST", at+"/complete", ""), "in one request": s.Upload(t, "a", "b.zip", content),
	} {
		if why := apitest.CompareJSON(t, file, sums(content)); why != "" {
			t.Errorf("%s: %s", what, why)
		}
	}
}

// TestContentsStoredBefore checks that a job reads files that an earlier version of the program has
// stored, and only once.
func TestContentsStoredBefore(t *testing.T) {
	t.Parallel()
	s := withFiles(t)
	whole, changed, missing := place(t, s, "a", "a.zip", "content"), place(t, s, "a", "b.zip", "content"), place(t, s, "a", "c.zip", "content")
	if err := os.WriteFile(object(s, changed), []byte("CONTENT"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(object(s, missing)); err != nil {
		t.Fatal(err)
	}
	const unknown = `{"sha1":null,"sha512":null}`
	s.Exchanges(t, []apitest.Exchange{{"before", "GET", fileList + "/" + string(whole.ID), "", 200, unknown}})
	if _, err := background(s).Run(t.Context(), "file-contents"); err == nil || !strings.Contains(err.Error(), string(missing.ID)) {
		t.Errorf("got %v, want that %s cannot be read", err, missing.ID)
	}
	s.Exchanges(t, []apitest.Exchange{
		{"whole", "GET", fileList + "/" + string(whole.ID), "", 200, sums("content")},
		{"changed", "GET", fileList + "/" + string(changed.ID), "", 200, unknown},
		{"missing", "GET", fileList + "/" + string(missing.ID), "", 200, unknown},
	})
	list, err := store.Read(s.DB, func(tx *store.Tx) ([]*store.File, error) { return tx.UnreadFiles("", 10) })
	if err != nil || len(list) != 1 || list[0].ID != missing.ID {
		t.Errorf("left to read are %+v, %v, want only %s", list, err, missing.ID)
	}
}
