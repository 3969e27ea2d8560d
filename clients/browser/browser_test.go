package browser_test

import (
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
		if integrity := strings.TrimSpace(after); !found || !strings.HasPrefix(integrity, `integrity="`+f.Integrity()+`"`) {
			t.Errorf("README.md does not have %s with %s: run node clients/browser/build.mjs", f.PinnedName(), f.Integrity())
		}
	}
}
