package typo_test

import (
	"testing"

	"svc/internal/typo"
)

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"", "ab", 2}, {"listen", "listen", 0}, {"lisen", "listen", 1}, {"lissten", "listen", 1},
		{"sevre", "serve", 1}, {"ba", "ab", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3}, {"größe", "grösse", 2},
	} {
		if got := typo.Distance(tc.a, tc.b); got != tc.want {
			t.Errorf("%q, %q: got %d, want %d", tc.a, tc.b, got, tc.want)
		}
		if got := typo.Distance(tc.b, tc.a); got != tc.want {
			t.Errorf("%q, %q: got %d, want %d", tc.b, tc.a, got, tc.want)
		}
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	commands := []string{"serve", "demo", "apikey", "backup", "restore", "check", "compact", "config"}
	for word, want := range map[string]string{
		"sevre": "serve", "SERVE": "serve", "apikeys": "apikey", "api-key": "apikey", "bakcup": "backup", "back": "backup", "chek": "check",
		"nonsense": "", "x": "", "": "", "co": "", "restart": "restore", "zzzzzzzzzzzzzzzz": "",
	} {
		if got := typo.Nearest(word, commands); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
	if got := typo.Nearest("version:write", []string{"versions:read", "versions:write", "projects:write"}); got != "versions:write" {
		t.Errorf("got %q", got)
	}
}

func FuzzNearest(f *testing.F) {
	f.Add("sevre", "serve", "check")
	f.Fuzz(func(t *testing.T, word, one, other string) {
		if got := typo.Nearest(word, []string{one, other}); got != "" && got != one && got != other {
			t.Errorf("%q is none of the known words", got)
		}
	})
}
