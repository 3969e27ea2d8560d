package codehost_test

import (
	"net/url"
	"strings"
	"testing"

	"svc/internal/codehost"
)

// TestRepoAddress checks which addresses are recognized as repositories.
func TestRepoAddress(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ web, address, want string }{
		{"https://github.com", "https://github.com/lumen-works/beacon", "lumen-works/beacon"},
		{"https://github.com", "http://github.com/lumen-works/beacon", "lumen-works/beacon"},
		{"https://github.com", "https://GitHub.com/Lumen-Works/Beacon/", "Lumen-Works/Beacon"},
		{"https://github.com", "  https://github.com/lumen-works/beacon.git\n", "lumen-works/beacon"},
		{"https://github.com", "https://github.com/lumen-works/beacon.git/", "lumen-works/beacon"},
		{"https://github.com", "https://github.com:443/lumen-works/beacon", "lumen-works/beacon"},
		{"https://github.com", "https://github.com/lumen-works/beacon/tree/main/a?b=c#d", "lumen-works/beacon"},
		{"https://github.com", "https://github.com/a_b/c.d-e_f", "a_b/c.d-e_f"},
		{"http://code.example:3000", "http://code.example:3000/a/b", "a/b"},
		{"https://github.com", "https://github.com/lumen-works", ""},
		{"https://github.com", "https://github.com/lumen-works/", ""},
		{"https://github.com", "https://github.com//beacon", ""},
		{"https://github.com", "https://github.com/lumen-works/.git", ""},
		{"https://github.com", "https://github.com/../beacon", ""},
		{"https://github.com", "https://github.com/lumen-works/..", ""},
		{"https://github.com", "https://github.com/lumen-works/%2e%2e", ""},
		{"https://github.com", "https://github.com/lumen-works%2Fbeacon", ""},
		{"https://github.com", "https://github.com/lumen works/beacon", ""},
		{"https://github.com", "https://github.com/lumen-works/beacon%3Fx", ""},
		{"https://github.com", "https://github.com/" + strings.Repeat("a", 101) + "/b", ""},
		{"https://github.com", "https://github.com.evil.example/a/b", ""},
		{"https://github.com", "https://evil.example/github.com/a/b", ""},
		{"https://github.com", "https://github.com@evil.example/a/b", ""},
		{"https://github.com", "https://www.github.com/a/b", ""},
		{"https://github.com", "https://github.com:8443/a/b", ""},
		{"http://code.example:3000", "http://code.example/a/b", ""},
		{"https://github.com", "ssh://git@github.com/a/b", ""},
		{"https://github.com", "git@github.com:a/b.git", ""},
		{"https://github.com", "//github.com/a/b", ""},
		{"https://github.com", "github.com/a/b", ""},
		{"https://github.com", "a/b", ""},
		{"https://github.com", "", ""},
		{"https://github.com", "https://github.com/%zz/b", ""},
	} {
		c := codehost.New(codehost.Config{Web: tc.web})
		if name, ok := c.ParseRepo(tc.address); ok != (tc.want != "") || ok && name != tc.want {
			t.Errorf("%s at %s: got %q, %v; want %q", tc.address, tc.web, name, ok, tc.want)
		}
	}
}

// FuzzRepoAddress checks that ParseRepo returns exactly one owner and one repository, which need no
// escaping in a path. Parsing an address built from the result must return the same name.
func FuzzRepoAddress(f *testing.F) {
	for _, seed := range []string{"https://github.com/a/b", "https://github.com/a/b.git.git", "http://github.com:80/a/../b", "https://github.com/%61/b", "https://u:p@github.com/a/b"} {
		f.Add(seed)
	}
	c := codehost.New(codehost.Config{Web: "https://github.com"})
	f.Fuzz(func(t *testing.T, address string) {
		name, ok := c.ParseRepo(address)
		if !ok {
			return
		}
		owner, repo, _ := strings.Cut(name, "/")
		if url.PathEscape(owner) != owner || url.PathEscape(repo) != repo || strings.Contains(repo, "/") || strings.Trim(owner, ".") == "" || strings.Trim(repo, ".") == "" {
			t.Errorf("%q gives %q", address, name)
		}
		if again, ok := c.ParseRepo("https://github.com/" + name); !strings.HasSuffix(repo, ".git") && (!ok || again != name) {
			t.Errorf("%q gives %q and then %q", address, name, again)
		}
	})
}
