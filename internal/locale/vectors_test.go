package locale_test

import (
	"testing"

	"svc/clients/vectors"
	"svc/internal/locale"
)

// TestVectors checks the test vectors for keys of tags. TestLanguageMatchVectors in
// package api checks the remaining vectors on a server.
func TestVectors(t *testing.T) {
	t.Parallel()
	for _, c := range vectors.Section[[]struct{ In, Out string }](t, "language_key") {
		if got := locale.Key(c.In); got != c.Out {
			t.Errorf("the key of %q is %q, want %q", c.In, got, c.Out)
		}
	}
}
