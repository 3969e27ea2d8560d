package feeds_test

import (
	"encoding/xml"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"svc/api/apitest"
	"svc/internal/jobs"
)

// node is the Ed25519 of Node.js.
type node struct{ program string }

func newNode(t *testing.T) node {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("needs Node.js for another implementation of Ed25519: install it")
	}
	return node{source(t, "sparkle/ed25519.cjs")}
}

// file writes content to a file.
func file(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "content")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// sign signs content with the key of a seed of one digit.
func (n node) sign(t *testing.T, seed, content string) (signed struct{ Key, Signature string }) {
	t.Helper()
	run(t, &signed, t.TempDir(), "node", n.program, "sign", strings.Repeat(seed, 64), file(t, content))
	return signed
}

func (n node) verifies(t *testing.T, key, signature, content string) bool {
	t.Helper()
	var result struct{ Verified bool }
	run(t, &result, t.TempDir(), "node", n.program, "verify", key, signature, file(t, content))
	return result.Verified
}

// enclosure is the file of an item.
type enclosure struct {
	URL       string `xml:"url,attr"`
	Length    int    `xml:"length,attr"`
	Signature string `xml:"http://www.andymatuschak.org/xml-namespaces/sparkle edSignature,attr"`
	System    string `xml:"http://www.andymatuschak.org/xml-namespaces/sparkle os,attr"`
}

// appcast reads the items of a feed. The key of each is its version.
func appcast(t *testing.T, s *apitest.Server, path string) map[string][]enclosure {
	t.Helper()
	var feed struct {
		Items []struct {
			Version    string      `xml:"http://www.andymatuschak.org/xml-namespaces/sparkle version"`
			Enclosures []enclosure `xml:"enclosure"`
		} `xml:"channel>item"`
	}
	status, body, _ := get(t, s, path, nil)
	if err := xml.Unmarshal([]byte(body), &feed); err != nil || status != 200 {
		t.Fatalf("%s: got %d %s, %v", path, status, body, err)
	}
	items := map[string][]enclosure{}
	for _, i := range feed.Items {
		items[i.Version] = i.Enclosures
	}
	return items
}

// readSigned verifies the signatures that need the whole file, as the server does in the background.
func readSigned(t *testing.T, s *apitest.Server) {
	t.Helper()
	runner := jobs.New(jobs.Config{DB: s.DB, Log: slog.New(slog.DiscardHandler), Files: s.Files})
	if _, err := runner.Run(t.Context(), "signatures"); err != nil {
		t.Fatal(err)
	}
}

// TestSparkleSignaturesOfNode publishes files that Node.js has signed, and verifies with Node.js what
// Sparkle and WinSparkle would download.
func TestSparkleSignaturesOfNode(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	s := newServer(t)
	s.Project(t, "demo")
	key := ""
	publish := func(version, seed string) {
		t.Helper()
		contents := map[string][]byte{}
		for _, name := range []string{"Demo-" + version + ".dmg", "Demo-" + version + "-x64.exe"} {
			signed := n.sign(t, seed, name)
			contents[name] = []byte(name)
			contents[name+".edsig"] = []byte(signed.Signature)
			if strings.HasSuffix(name, ".dmg") { // what sign_update prints
				contents[name+".edsig"] = fmt.Appendf(nil, "sparkle:edSignature=%q length=\"%d\"\n", signed.Signature, len(name))
			}
			if seed == "1" {
				key = signed.Key
			}
		}
		upload(t, s, version, contents)
	}
	publish("2.2.1", "1")
	publish("2.3.0", "1")
	publish("2.4.0", "2") // by another key
	expect := func(sparkle, winSparkle string) {
		t.Helper()
		for path, want := range map[string]string{"demo/sparkle/stable/appcast.xml": sparkle, "demo/winsparkle/stable/appcast.xml": winSparkle} {
			items := appcast(t, s, path)
			for version := range strings.FieldsSeq(want) {
				if len(items[version]) != 1 {
					t.Fatalf("%s: got %v, want %s", path, items, want)
				}
				e := items[version][0]
				_, content, _ := s.Send(t, "GET", strings.TrimPrefix(e.URL, site), nil, "")
				if len(content) != e.Length || n.verifies(t, key, e.Signature, content) != (version != "2.4.0") || len(e.Signature) != 88 {
					t.Errorf("%s: %s: got %+v with %q", path, version, e, content)
				}
			}
			if got := len(strings.Fields(want)); len(items) != got {
				t.Errorf("%s: got %d items, want %d", path, len(items), got)
			}
		}
	}
	expect("2.4.0 2.3.0 2.2.1", "2.4.0") // without a key of the project, only the app verifies
	s.Must(t, 201, "POST", "/admin/projects/demo/trust-keys", fmt.Sprintf(`{"scheme":"sparkle","public_key":%q}`, key))
	expect("", "") // nothing counts before the files have been read
	readSigned(t, s)
	expect("2.3.0 2.2.1", "2.3.0")
}
