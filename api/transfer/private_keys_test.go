package transfer_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"svc/api"
	"svc/api/apitest"
)

// buffer is a bytes.Buffer that several goroutines may write.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer // guarded by mu
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) Bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bytes.Clone(b.text.Bytes())
}

// traces returns the forms in which a secret can occur in a text: plain, in both alphabets of base64,
// and encoded twice. An encoded secret may begin at any position of the encoded bytes.
func traces(secret []byte) (all [][]byte) {
	encoded := func(encoding *base64.Encoding, raw []byte) (forms [][]byte) {
		for offset := range 3 {
			text := encoding.EncodeToString(append(make([]byte, offset), raw...))
			forms = append(forms, []byte(text[4:len(text)-4])) // the ends depend on what is beside the secret
		}
		return forms
	}
	all = append([][]byte{secret}, encoded(base64.URLEncoding, secret)...)
	for _, once := range encoded(base64.StdEncoding, secret) {
		all = append(append(all, once), encoded(base64.StdEncoding, once)...)
	}
	return all
}

// occurs reports whether a text contains a private key in any form.
func occurs(key privateKey, text []byte) bool {
	return slices.ContainsFunc(traces(key.secret), func(trace []byte) bool { return bytes.Contains(text, trace) })
}

// privateKey is a private key in the form in which a tool writes it.
type privateKey struct {
	name, text string
	secret     []byte // a part of the key that must not occur anywhere
	bare       bool   // only recognized where a public key is expected
}

func privateKeys(t testing.TB) []privateKey {
	t.Helper()
	random := func(n int) []byte {
		b := make([]byte, n)
		rand.Read(b)
		return b
	}
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	minisign, rsign, old, older := append([]byte("EdScB2"), random(152)...), append([]byte("EdScB2"), random(152)...), random(64), random(96)
	base64Of := base64.StdEncoding.EncodeToString
	file := func(tool string, raw []byte) string {
		return "untrusted comment: " + tool + " encrypted secret key\n" + base64Of(raw) + "\n"
	}
	return []privateKey{
		{name: "PEM", text: string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), secret: key.Seed()},
		{name: "minisign", text: file("minisign", minisign), secret: minisign[40:100]},
		{name: "minisign in base64", text: base64Of([]byte(file("minisign", minisign))), secret: minisign[40:100]},
		{name: "second line of minisign", text: base64Of(minisign), secret: minisign[40:100]},
		{name: "rsign", text: file("rsign", rsign), secret: rsign[40:100]},
		{name: "Tauri", text: base64Of([]byte(file("rsign", rsign))), secret: rsign[40:100]},
		{name: "Sparkle, 64 bytes", text: base64Of(old), secret: old, bare: true},
		{name: "Sparkle, 96 bytes", text: base64Of(older), secret: older, bare: true},
	}
}

// TestPrivateKeysLeaveNoTrace sends private keys in every way in which a text can come, and then
// searches the answers, the log and all files of the data directory for them.
func TestPrivateKeysLeaveNoTrace(t *testing.T) {
	t.Parallel()
	keys := privateKeys(t)
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for i := range keys {
			if strings.HasSuffix(r.URL.Path, fmt.Sprintf("/%d.sig", i)) {
				_, _ = w.Write([]byte(keys[i].text))
			}
		}
	}))
	t.Cleanup(host.Close)
	var log buffer
	s := apitest.NewServer(t, apitest.WithConfig(func(c *api.Config) {
		c.Log = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		c.Files.BaseURL, c.Files.CodeHost = "https://dl.example", host.URL
	}))
	s.Project(t, "app")
	const (
		project = "/admin/projects/app"
		files   = project + "/files"
		control = "a label that is stored"
		sparkle = "eGVygzLgOmO2RCtC75jusdS+/R6cUDK4PXD2Tl9VGlA="
	)
	trusted := s.Must(t, 201, "POST", project+"/trust-keys", `{"scheme":"sparkle","public_key":"`+sparkle+`","label":"`+control+`"}`)
	trusted = project + "/trust-keys/" + apitest.Field[string](t, trusted, "id")
	app := apitest.Field[string](t, s.Upload(t, "app", "app.exe", "content"), "path")
	version := s.Must(t, 201, "POST", project+"/versions", `{"version":"1.0","comparable_version":"1.0","download_links":[{"url":"https://dl.example`+app+`"}]}`)
	version = project + "/versions/" + apitest.Field[string](t, version, "id")

	var answers strings.Builder
	send := func(want int, method, path, body string) string {
		t.Helper()
		status, answer := s.Ask(t, method, path, body)
		answers.WriteString(answer)
		if status != want {
			t.Errorf("%s %s: got %d %s, want %d", method, path, status, answer, want)
		}
		return answer
	}
	refused := func(archive []byte) {
		t.Helper()
		got := fmt.Sprint(bringIn(t, s, archive, ""))
		answers.WriteString(got)
		if !strings.Contains(got, "private key; keep it in your CI") {
			t.Errorf("import: got %s", got)
		}
	}
	for i, key := range keys {
		if !occurs(key, []byte(key.text)) {
			t.Errorf("%s: the key is not found in its own file", key.name)
		}
		text := apitest.Quoted(key.text)
		send(400, "POST", project+"/trust-keys", `{"scheme":"sparkle","public_key":`+text+`}`)
		refused(handMade(t, map[string]string{"trust_keys.jsonl": `{"scheme":"sparkle","state":"active","public_key":` + text + `}`}))
		if key.bare {
			continue
		}
		send(400, "POST", project+"/trust-keys", `{"scheme":"minisign","public_key":`+text+`}`)
		send(400, "POST", project+"/trust-keys", `{"scheme":"sparkle","public_key":"`+sparkle+`","label":`+text+`}`)
		send(400, "PATCH", trusted, `{"label":`+text+`}`)
		send(400, "PUT", project+"/distribution", `{"health":{"rules":[{"name":`+text+`,"metric":"error_logs"}]}}`)
		send(400, "POST", version+"/yank", `{"reason":`+text+`}`)
		send(400, "PATCH", version+"/assets/app.exe", `{"variant":`+text+`}`)
		for _, scheme := range []string{"minisign", "sparkle"} {
			send(400, "PUT", version+"/assets/app.exe/signatures/"+scheme, key.text)
		}
		for _, name := range []string{"a.minisig", "a.sig", "a.edsig", "a.exe.blockmap"} {
			send(201, "PUT", files+"?filename="+name, key.text)
		}
		session := s.Must(t, 201, "POST", files+"/uploads", fmt.Sprintf(`{"filename":"b.sig","size":%d}`, len(key.text)))
		session = files + "/uploads/" + apitest.Field[string](t, session, "upload_id")
		send(200, "PUT", session+"/chunks/0", key.text)
		send(200, "POST", session+"/complete", "")

		link := s.Must(t, 201, "POST", project+"/versions", fmt.Sprintf(
			`{"version":"2.%d","comparable_version":"2.%[1]d","download_links":[{"url":"%[2]s/o/r/releases/download/v1/%[1]d.sig"}]}`, i, host.URL))
		send(200, "POST", project+"/versions/"+apitest.Field[string](t, link, "id")+"/mirror-assets", "")

		companion := fileLine(t, key.text, map[string]any{"filename": "a.exe.sig", "object_key": "f/made/00000000000a/a.exe.sig"})
		refused(withContents(t, companion, [2]string{"files/00000000000a", key.text}))
		refused(handMade(t, map[string]string{"versions.jsonl": `{"version":"1.0","assets":{"app.exe":{"minisign":` + text + `}}}`}))
	}
	for {
		transfers, _, err := s.Files.BeginTransfers(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(transfers) == 0 {
			break
		}
		for _, transfer := range transfers {
			transfer()
		}
	}
	failed := 0
	for _, f := range apitest.Field[[]map[string]any](t, send(200, "GET", files+"?limit=100", ""), "data") {
		if f["status"] == "failed" && f["error"] == "the file contains a private key; keep it in your CI" {
			failed++
		} else if f["filename"] != "app.exe" {
			t.Errorf("%v is %v: %v", f["filename"], f["status"], f["error"])
		}
	}
	if want := 6 * (len(keys) - 2); failed != want {
		t.Errorf("%d files failed, want %d", failed, want)
	}

	content := map[string][]byte{
		"the answers": []byte(answers.String()), "the log": log.Bytes(), "the data of the project": []byte(s.WholeState(t, "app")),
	}
	err := filepath.WalkDir(s.Dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content[path], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	stored := false
	for where, text := range content {
		stored = stored || strings.HasPrefix(where, s.Dir) && bytes.Contains(text, []byte(control))
		for _, key := range keys {
			if occurs(key, text) {
				t.Errorf("%s is in %s", key.name, where)
			}
		}
	}
	if !stored || !bytes.Contains(content["the log"], []byte("/signatures/minisign")) {
		t.Error("what is stored and logged was not found, so private keys would not have been either")
	}
}
