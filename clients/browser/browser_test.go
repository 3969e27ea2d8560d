package browser_test

import (
	"crypto/sha512"
	"encoding/base64"
	"os"
	"strings"
	"testing"

	"svc/clients/browser"
)

// TestReadmeHasTheHashes checks that the README names the committed files with their hashes. The
// script check, which needs Node, compares the files with a fresh build.
func TestReadmeHasTheHashes(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range browser.Files() {
		_, after, found := strings.Cut(string(readme), f.PinnedName()+`" crossorigin`)
		sum := sha512.Sum384([]byte(f.Text)) // W3C Subresource Integrity
		integrity := "sha384-" + base64.StdEncoding.EncodeToString(sum[:])
		if !found || !strings.HasPrefix(strings.TrimSpace(after), `integrity="`+integrity+`"`) {
			t.Errorf("README.md does not have %s with %s: run node clients/browser/build.mjs", f.PinnedName(), integrity)
		}
	}
}
