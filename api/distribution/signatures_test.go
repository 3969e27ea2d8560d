package distribution_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"svc/api/apitest"
	"svc/store"
)

// vectors contains keys and signatures that an independent implementation has made, of a file that
// consists of a repeated line.
type vectors struct {
	Line         string              `json:"line"`
	Lines        int                 `json:"lines"`
	MinisignKeys []map[string]string `json:"minisign_keys"`
	SparkleKeys  []map[string]string `json:"sparkle_keys"`
	Signatures   map[string]string   `json:"signatures"`
	SecretBody   string              `json:"secret_key_body"`
}

func loadVectors(t testing.TB) (v vectors) {
	t.Helper()
	text, err := os.ReadFile("../../internal/signature/testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func (v vectors) content() string { return strings.Repeat(v.Line, v.Lines) }

func (v vectors) private() string {
	return "untrusted comment: minisign encrypted secret key\n" + v.SecretBody + "\n"
}

const trustKeys = "/admin/projects/a/trust-keys"

// trust adds a trust key to the project and returns its path.
func trust(t testing.TB, s *apitest.Server, scheme, key string) string {
	t.Helper()
	answer := s.Must(t, 201, "POST", trustKeys, fmt.Sprintf(`{"scheme":%q,"public_key":%q}`, scheme, key))
	return trustKeys + "/" + apitest.Field[string](t, answer, "id")
}

// signed returns the signature of the only asset of a version, as "status key", and whether the asset
// has the problem signature_invalid.
func signed(t testing.TB, s *apitest.Server, version, scheme string) (status string, invalid bool) {
	t.Helper()
	list := apitest.Field[[]map[string]any](t, s.Must(t, 200, "GET", version+"/assets", ""), "data")
	if len(list) != 1 {
		t.Fatalf("assets are %v, want one", list)
	}
	signatures, _ := list[0]["signatures"].(map[string]any)
	found, _ := signatures[scheme].(map[string]any)
	if found == nil {
		return "", false
	}
	key, _ := found["key_id"].(string)
	return strings.TrimSpace(fmt.Sprint(found["status"], " ", key)), strings.Contains(fmt.Sprint(list[0]["problems"]), "signature_invalid")
}

// TestCompanionsSign uploads signatures beside a file. The last letters of their names do not tell
// their schemes.
func TestCompanionsSign(t *testing.T) {
	t.Parallel()
	v := loadVectors(t)
	s := withFiles(t)
	file := apitest.Field[string](t, s.Upload(t, "a", "Demo.AppImage", v.content()), "path")
	count := 0
	one := func(name, ending string) string {
		count++
		path := apitest.Field[string](t, s.Upload(t, "a", "Demo.AppImage"+ending, v.Signatures[name]), "path")
		return publish(t, s, fmt.Sprintf("1.%d", count), file, path)
	}
	expect := func(version, scheme, want string) {
		t.Helper()
		if got, invalid := signed(t, s, version, scheme); got != want || invalid != (want == "invalid") {
			t.Errorf("%s of %s: got %q, problem %v, want %q", scheme, version, got, invalid, want)
		}
	}
	hashed, changed, legacy, other := one("hashed", ".edsig"), one("hashed of the changed file", ".sig"), one("legacy", ".minisig"), one("hashed by the other key", ".SIG")
	sparkle, changedSparkle := one("sparkle", ".minisig"), one("sparkle of the changed file", ".sig")
	unread := publish(t, s, "2.0", file, apitest.Field[string](t, s.Upload(t, "a", "Demo.AppImage.sig", "-----BEGIN PGP SIGNATURE-----"), "path"))
	for _, version := range []string{hashed, changed, legacy, other} {
		expect(version, "minisign", "untrusted")
	}
	expect(sparkle, "sparkle", "untrusted")
	expect(unread, "minisign", "")

	minisign, ed := v.MinisignKeys[0]["id"], v.SparkleKeys[0]["id"]
	key := trust(t, s, "minisign", v.MinisignKeys[0]["file"])
	edKey := trust(t, s, "sparkle", v.SparkleKeys[0]["line"])
	expect(hashed, "minisign", "valid "+minisign)
	expect(changed, "minisign", "invalid")
	expect(other, "minisign", "untrusted")
	expect(legacy, "minisign", "unchecked") // the file has to be read
	expect(sparkle, "sparkle", "unchecked")
	if _, err := background(s).Run(t.Context(), "signatures"); err != nil {
		t.Fatal(err)
	}
	expect(legacy, "minisign", "valid "+minisign)
	expect(sparkle, "sparkle", "valid "+ed)
	expect(changedSparkle, "sparkle", "invalid")

	s.Must(t, 200, "PATCH", key, `{"state":"retired"}`)
	s.Must(t, 200, "PATCH", edKey, `{"state":"retired"}`)
	later := one("hashed", ".minisig")
	s.Must(t, 200, "PUT", later+"/assets/Demo.AppImage/signatures/sparkle", v.Signatures["sparkle"])
	again := apitest.Field[string](t, s.Upload(t, "a", "Demo.AppImage", v.content()), "path")
	late := publish(t, s, "3.0", again, apitest.Field[string](t, s.Upload(t, "a", "Demo.AppImage.sig", v.Signatures["hashed"]), "path"))
	expect(hashed, "minisign", "valid "+minisign)
	expect(legacy, "minisign", "valid "+minisign)
	expect(sparkle, "sparkle", "valid "+ed)
	expect(changed, "minisign", "untrusted")
	expect(late, "minisign", "untrusted")
	s.Must(t, 200, "PATCH", key, `{"state":"active"}`)
	expect(late, "minisign", "valid "+minisign)
	s.Must(t, 200, "PATCH", key, `{"state":"revoked"}`)
	for _, version := range []string{hashed, changed, legacy, other, late} {
		expect(version, "minisign", "untrusted")
	}
}

func TestSentSignatures(t *testing.T) {
	t.Parallel()
	v := loadVectors(t)
	s := withFiles(t, apitest.WithConfig(distributed))
	file := apitest.Field[string](t, s.Upload(t, "a", "Demo.AppImage", v.content()), "path")
	version := publish(t, s, "1.0", file, "https://else.example/Other.AppImage")
	trust(t, s, "minisign", v.MinisignKeys[0]["line"])
	trust(t, s, "sparkle", v.SparkleKeys[0]["line"])
	one, other := version+"/assets/Demo.AppImage/signatures/", version+"/assets/Other.AppImage/signatures/"
	value := func(name string) string { return base64.StdEncoding.EncodeToString([]byte(v.Signatures[name])) }
	put := func(name, path, signature, want string) apitest.Exchange {
		return apitest.Exchange{Name: name, Method: "PUT", Path: path, Body: signature, Status: 200, Want: `{"signatures":` + want + `}`}
	}
	valid := fmt.Sprintf(`{"status":"valid","key_id":%q,"value":%q}`, v.MinisignKeys[0]["id"], value("hashed"))
	s.Exchanges(t, []apitest.Exchange{
		put("minisign", one+"minisign", v.Signatures["hashed"], `{"minisign":`+valid+`}`),
		put("of another key", one+"minisign", v.Signatures["hashed by the other key"], `{"minisign":{"status":"untrusted","key_id":null}}`),
		put("which reads the file", one+"minisign", v.Signatures["legacy"], `{"minisign":{"status":"valid","value":"`+value("legacy")+`"}}`),
		put("as Tauri writes it", one+"minisign", value("hashed"), `{"minisign":`+valid+`}`),
		put("Sparkle", one+"sparkle", `sparkle:edSignature="`+v.Signatures["sparkle"]+`" length="1"`,
			`{"minisign":`+valid+`,"sparkle":{"status":"valid","key_id":"`+v.SparkleKeys[0]["id"]+`","value":"`+v.Signatures["sparkle"]+`"}}`),
		put("of a file elsewhere", other+"sparkle", v.Signatures["sparkle by the other key"], `{"sparkle":{"status":"unchecked","key_id":null}}`),
		{Name: "public", Method: "GET", Path: "/public/a/versions/by-version/1.0/assets", Status: 200,
			Want: `{"data":[{"signatures":{"minisign":` + valid + `,"sparkle":{"status":"valid"}}},{"signatures":{"sparkle":{"status":"unchecked"}}}]}`},
	})
	s.Refusals(t, version+"/assets", []apitest.Refusal{
		{"the changed file", "PUT", one + "minisign", v.Signatures["hashed of the changed file"], 400, "the signature does not verify"},
		{"the changed file, read", "PUT", one + "minisign", v.Signatures["legacy of the changed file"], 400, "the signature does not verify"},
		{"another key of Sparkle", "PUT", one + "sparkle", v.Signatures["sparkle by the other key"], 400, "the signature does not verify"},
		{"a comment", "PUT", other + "minisign", strings.Replace(v.Signatures["hashed"], "2.3.0", "2.4.0", 1), 400, "the signature does not verify"},
		{"unreadable", "PUT", one + "minisign", "x", 400, "the signature is unreadable"},
		{"empty", "PUT", one + "minisign", "", 400, "the signature is unreadable"},
		{"the other scheme", "PUT", one + "sparkle", v.Signatures["hashed"], 400, "the signature is one of minisign, not of sparkle"},
		{"private", "PUT", one + "minisign", v.private(), 400, "the signature contains a private key; keep it in your CI"},
		{"private in base64", "PUT", one + "sparkle", base64.StdEncoding.EncodeToString([]byte(v.private())), 400, "contains a private key; keep it in your CI"},
		{"too large", "PUT", one + "minisign", strings.Repeat("x", 16<<10+1), 413, "16384"},
		{"an unknown scheme", "PUT", one + "gpg", v.Signatures["hashed"], 404, "there is no scheme"},
		{"no asset", "PUT", version + "/assets/none/signatures/minisign", v.Signatures["hashed"], 404, "the version has no asset"},
		{"no version", "PUT", "/admin/projects/a/versions/none/assets/Demo.AppImage/signatures/minisign", "x", 404, "version not found"},
		{"none was sent", "DELETE", other + "minisign", "", 404, "no signature of minisign was sent for the asset"},
		{"none of no asset", "DELETE", version + "/assets/none/signatures/minisign", "", 404, "the version has no asset"},
	})
	for _, method := range []string{"PUT", "DELETE"} {
		headers := map[string]string{"Authorization": "Bearer " + s.Admin, "If-Match": `"x"`}
		if status, answer, _ := s.Send(t, method, "/api/v1"+one+"minisign", headers, v.Signatures["hashed"]); status != 412 {
			t.Errorf("%s: got %d %s, want 412", method, status, answer)
		}
	}
	if status, answer, _ := s.Do(t, "PUT", one+"minisign", "none", v.Signatures["hashed"]); status != 401 {
		t.Errorf("without a valid credential: got %d %s, want 401", status, answer)
	}
	s.Must(t, 200, "PUT", "/admin/projects/a/versions/by-version/1.0", `{"download_links":[]}`)
	publish(t, s, "1.0", file) // what was sent survives the replacement of links
	s.Exchanges(t, []apitest.Exchange{
		{Name: "after the links were replaced", Method: "GET", Path: version + "/assets", Status: 200, Want: `{"data":[{"signatures":{"minisign":` + valid + `}}]}`},
		{Name: "remove", Method: "DELETE", Path: one + "minisign", Status: 200, Want: `{"signatures":{"sparkle":{"status":"valid"}}}`},
	})
	if got, _ := signed(t, s, version, "minisign"); got != "" {
		t.Errorf("a removed signature is %q", got)
	}
}

// TestPrivateKeysAreNotStored tries to store private keys as companions, in every way in which files
// come.
func TestPrivateKeysAreNotStored(t *testing.T) {
	t.Parallel()
	v := loadVectors(t)
	s := withFiles(t)
	text := base64.StdEncoding.EncodeToString([]byte(v.private()))
	failed := func(record string) string {
		t.Helper()
		want := `{"status":"failed","error":"the file contains a private key; keep it in your CI","sha256":null,"sha512":null}`
		if why := apitest.CompareJSON(t, record, want); why != "" {
			t.Error(why)
		}
		return apitest.Field[string](t, record, "id")
	}
	for _, name := range []string{"a.minisig", "a.SIG", "a.edsig", "a.exe.blockmap"} {
		failed(s.Upload(t, "a", name, v.private()))
		failed(s.Upload(t, "a", name, text))
	}
	at := begin(t, s, "b.sig", len(text))
	s.Must(t, 200, "PUT", at+"/chunks/0", text)
	failed(s.Must(t, 200, "POST", at+"/complete", ""))

	before := place(t, s, "a", "c.minisig", v.private()) // an earlier version of the program has stored it
	if _, err := background(s).Run(t.Context(), "file-contents"); err != nil {
		t.Fatal(err)
	}
	failed(s.Must(t, 200, "GET", fileList+"/"+string(before.ID), ""))
	if _, err := background(s).Run(t.Context(), "file-deletions"); err != nil {
		t.Fatal(err)
	}

	large := strings.Repeat("x", 64<<10) + v.private() // too large for a signature
	if record := s.Upload(t, "a", "d.sig", large); apitest.Field[string](t, record, "status") != "ready" {
		t.Errorf("got %s", record)
	}
	stored := 0
	err := s.DB.View(func(tx *store.Tx) error {
		p, err := tx.Project("a")
		if err != nil {
			return err
		}
		return tx.EachFile(p.ID, func(f *store.File) error {
			if _, err := os.Stat(object(s, &linked{File: *f})); err == nil {
				stored++
			}
			return nil
		})
	})
	if err != nil || stored != 1 {
		t.Errorf("%d contents are stored, %v, want only the large one", stored, err)
	}
}
