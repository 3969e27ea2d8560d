package signature_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"svc/internal/signature"
)

// vectors contains keys and signatures that an independent implementation has made.
type vectors struct {
	Line         string            `json:"line"`
	Lines        int               `json:"lines"`
	BLAKE2b      string            `json:"blake2b"`
	MinisignKeys []keyVector       `json:"minisign_keys"`
	SparkleKeys  []keyVector       `json:"sparkle_keys"`
	Signatures   map[string]string `json:"signatures"`
	SecretBody   string            `json:"secret_key_body"`
}

type keyVector struct {
	ID    string `json:"id"`
	Line  string `json:"line"`
	File  string `json:"file"`
	Tauri string `json:"tauri"`
}

func load(t testing.TB) (v vectors) {
	t.Helper()
	text, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func (v vectors) content(t testing.TB) *signature.Content {
	t.Helper()
	sum, err := hex.DecodeString(v.BLAKE2b)
	if err != nil {
		t.Fatal(err)
	}
	return &signature.Content{BLAKE2b: sum, Checks: map[string]signature.Result{}}
}

// read writes the file to checks of the keys that need it, and stores their results in content.
func (v vectors) read(s *signature.Signature, keys []signature.TrustedKey, content *signature.Content) (reads int) {
	for _, k := range s.Unread(keys, content) {
		c := s.NewCheck(k)
		for range v.Lines {
			_, _ = c.Write([]byte(v.Line)) // never fails
		}
		content.Checks[c.ID] = c.Result()
		reads++
	}
	return reads
}

func parseKey(t testing.TB, scheme signature.Scheme, text string) signature.Key {
	t.Helper()
	k, err := signature.ParseKey(scheme, text)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func parse(t testing.TB, text string) *signature.Signature {
	t.Helper()
	s, err := signature.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestJudge(t *testing.T) {
	t.Parallel()
	v := load(t)
	minisign := parseKey(t, signature.Minisign, v.MinisignKeys[0].Line)
	other := parseKey(t, signature.Minisign, v.MinisignKeys[1].Line)
	sparkle := parseKey(t, signature.Sparkle, v.SparkleKeys[0].Line)
	for _, tc := range []struct {
		name  string
		keys  []signature.TrustedKey
		want  signature.Status
		reads int
	}{
		{"hashed", []signature.TrustedKey{{other, signature.Active}, {minisign, signature.Active}}, signature.Valid, 0},
		{"hashed", []signature.TrustedKey{{other, signature.Active}, {sparkle, signature.Active}}, signature.Untrusted, 0},
		{"hashed", []signature.TrustedKey{{minisign, signature.Retired}}, signature.Untrusted, 0},
		{"hashed", []signature.TrustedKey{{minisign, signature.Revoked}}, signature.Untrusted, 0},
		{"hashed", nil, signature.Untrusted, 0},
		{"hashed of the changed file", []signature.TrustedKey{{minisign, signature.Active}}, signature.Invalid, 0},
		{"hashed by the other key", []signature.TrustedKey{{minisign, signature.Active}}, signature.Untrusted, 0},
		{"hashed by the other key under this number", []signature.TrustedKey{{minisign, signature.Active}}, signature.Invalid, 0},
		{"legacy", []signature.TrustedKey{{minisign, signature.Active}}, signature.Valid, 1},
		{"legacy of the changed file", []signature.TrustedKey{{minisign, signature.Active}}, signature.Invalid, 1},
		{"legacy by the other key", []signature.TrustedKey{{minisign, signature.Active}}, signature.Untrusted, 0},
		{"sparkle", []signature.TrustedKey{{minisign, signature.Active}, {sparkle, signature.Active}}, signature.Valid, 1},
		{"sparkle", []signature.TrustedKey{{sparkle, signature.Revoked}}, signature.Untrusted, 1},
		{"sparkle", nil, signature.Untrusted, 0},
		{"sparkle of the changed file", []signature.TrustedKey{{sparkle, signature.Active}}, signature.Invalid, 1},
		{"sparkle by the other key", []signature.TrustedKey{{sparkle, signature.Active}}, signature.Invalid, 1},
		{
			"sparkle by the other key",
			[]signature.TrustedKey{{sparkle, signature.Active}, {parseKey(t, signature.Sparkle, v.SparkleKeys[1].Line), signature.Retired}},
			signature.Untrusted, 2,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s, content := parse(t, v.Signatures[tc.name]), v.content(t)
			if reads := v.read(s, tc.keys, content); reads != tc.reads {
				t.Errorf("the file is read for %d keys, want %d", reads, tc.reads)
			}
			status, by := s.Judge(tc.keys, content)
			if status != tc.want || (by != nil) != (status == signature.Valid) {
				t.Errorf("status %s by %v, want %s", status, by, tc.want)
			}
		})
	}
}

// TestUnchecked checks that a signature is neither valid nor invalid before its file is read.
func TestUnchecked(t *testing.T) {
	t.Parallel()
	v := load(t)
	keys := []signature.TrustedKey{
		{parseKey(t, signature.Minisign, v.MinisignKeys[0].Line), signature.Active},
		{parseKey(t, signature.Sparkle, v.SparkleKeys[0].Line), signature.Active},
	}
	for _, name := range []string{"hashed", "legacy", "sparkle", "legacy of the changed file", "sparkle by the other key"} {
		s := parse(t, v.Signatures[name])
		if status, _ := s.Judge(keys, nil); status != signature.Unchecked {
			t.Errorf("%s of a file elsewhere: %s", name, status)
		}
		if status, _ := s.Judge(keys, &signature.Content{}); status != signature.Unchecked {
			t.Errorf("%s of a file that was not read: %s", name, status)
		}
	}
	comment := strings.Replace(v.Signatures["legacy"], "Demo-2.3.0", "Demo-2.4.0", 1)
	if status, _ := parse(t, comment).Judge(keys, nil); status != signature.Invalid {
		t.Errorf("another trusted comment: %s, want invalid without the file", status)
	}
}

// TestKept checks that a signature stays valid when its key is retired, but not when it is revoked.
func TestKept(t *testing.T) {
	t.Parallel()
	v := load(t)
	key := parseKey(t, signature.Minisign, v.MinisignKeys[0].File)
	s, content := parse(t, v.Signatures["hashed"]), v.content(t)
	content.Checks[s.CheckID(key)] = signature.Kept
	for state, want := range map[signature.State]signature.Status{
		signature.Active: signature.Valid, signature.Retired: signature.Valid, signature.Revoked: signature.Untrusted,
	} {
		if status, _ := s.Judge([]signature.TrustedKey{{key, state}}, content); status != want {
			t.Errorf("key %s: %s, want %s", state, status, want)
		}
	}
}

// TestChangedBits changes each bit of signatures.
func TestChangedBits(t *testing.T) {
	t.Parallel()
	v := load(t)
	keys := []signature.TrustedKey{
		{parseKey(t, signature.Minisign, v.MinisignKeys[0].Line), signature.Active},
		{parseKey(t, signature.Sparkle, v.SparkleKeys[0].Line), signature.Active},
	}
	for _, name := range []string{"hashed", "sparkle"} {
		lines := strings.Split(v.Signatures[name], "\n")
		at := len(lines) / 4 // the line with the signature
		raw, err := base64.StdEncoding.DecodeString(lines[at])
		if err != nil {
			t.Fatal(err)
		}
		for bit := range 8 * len(raw) {
			raw[bit/8] ^= 1 << (bit % 8)
			lines[at] = base64.StdEncoding.EncodeToString(raw)
			raw[bit/8] ^= 1 << (bit % 8)
			s, err := signature.Parse(strings.Join(lines, "\n"))
			if err != nil {
				continue
			}
			content := v.content(t)
			if name == "sparkle" && bit%37 != 0 { // each of them reads the file
				continue
			}
			v.read(s, keys, content)
			if status, _ := s.Judge(keys, content); status == signature.Valid {
				t.Errorf("%s is valid although bit %d was changed", name, bit)
			}
		}
	}
}

// TestForms reads signatures in all forms in which tools print them.
func TestForms(t *testing.T) {
	t.Parallel()
	v := load(t)
	text, short := v.Signatures["hashed"], v.Signatures["sparkle"]
	value := base64.StdEncoding.EncodeToString([]byte(text))
	for _, tc := range []struct{ name, text, want string }{
		{"four lines", text, value},
		{"without the last line feed", strings.TrimSpace(text), value},
		{"carriage returns", strings.ReplaceAll(text, "\n", "\r\n"), value},
		{"base64, as Tauri writes it", value, value},
		{"base64 in lines", value[:76] + "\n" + value[76:] + "\n", value},
		{"a signature of Sparkle", short + "\n", short},
		{"the output of sign_update", `sparkle:edSignature="` + short + `" length="135000"`, short},
		{"three lines", strings.Join(strings.Split(text, "\n")[:3], "\n"), ""},
		{"five lines", text + "more", ""},
		{"no trusted comment", strings.Replace(text, "\ntrusted", "\nTrusted", 1), ""},
		{"another algorithm", strings.Replace(text, "\nRU", "\nRW", 1)[:80], ""},
		{"a short signature", short[:80], ""},
		{"OpenPGP", "-----BEGIN PGP SIGNATURE-----\n\niQ==\n-----END PGP SIGNATURE-----\n", ""},
		{"too long", "untrusted comment: " + strings.Repeat("x", signature.MaxText) + text[18:], ""},
		{"nothing", "", ""},
	} {
		s, err := signature.Parse(tc.text)
		switch {
		case tc.want == "" && err == nil:
			t.Errorf("%s is read as %s", tc.name, s.Scheme)
		case tc.want != "" && (err != nil || s.Value != tc.want):
			t.Errorf("%s: %v, %+v", tc.name, err, s)
		}
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	v := load(t)
	for _, k := range v.MinisignKeys {
		for _, text := range []string{k.Line, k.File, k.Tauri, strings.ReplaceAll(k.File, "\n", "\r\n")} {
			if got := parseKey(t, signature.Minisign, text); got.ID() != k.ID || !got.Same(parseKey(t, signature.Minisign, k.Line)) {
				t.Errorf("%q: key %s, want %s", text, got.ID(), k.ID)
			}
		}
	}
	for _, k := range v.SparkleKeys {
		entry := "<key>SUPublicEDKey</key>\n<string>" + k.Line + "</string>"
		for _, text := range []string{k.Line, " " + k.Line + "\n", entry} {
			if got := parseKey(t, signature.Sparkle, text); got.ID() != k.ID {
				t.Errorf("%q: key %s, want %s", text, got.ID(), k.ID)
			}
		}
	}
	if parseKey(t, signature.Sparkle, v.SparkleKeys[0].Line).Same(parseKey(t, signature.Sparkle, v.SparkleKeys[1].Line)) {
		t.Error("different keys are the same")
	}
	for _, tc := range []struct {
		scheme signature.Scheme
		text   string
	}{
		{signature.Minisign, ""},
		{signature.Minisign, v.SparkleKeys[0].Line},
		{signature.Minisign, v.MinisignKeys[0].Line[:40]},
		{signature.Sparkle, v.MinisignKeys[0].Line},
		{signature.Sparkle, base64.StdEncoding.EncodeToString(make([]byte, 31))},
		{signature.Sparkle, base64.StdEncoding.EncodeToString(append([]byte{2}, make([]byte, 31)...))}, // no point
		{signature.Sparkle, strings.Repeat("A", signature.MaxKeyText+1)},
	} {
		if k, err := signature.ParseKey(tc.scheme, tc.text); err == nil {
			t.Errorf("%q is read as the %s key %s", tc.text, tc.scheme, k.ID())
		}
	}
}

func TestPrivateKeys(t *testing.T) {
	t.Parallel()
	v := load(t)
	encode := base64.StdEncoding.EncodeToString
	minisign := "untrusted comment: minisign encrypted secret key\n" + v.SecretBody + "\n"
	rsign := "untrusted comment: rsign encrypted secret key\n" + v.SecretBody + "\n"
	pem := "-----BEGIN " + "PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA==\n-----END " + "PRIVATE KEY-----\n"
	texts := []string{minisign, rsign, pem, encode([]byte(minisign)), encode([]byte(rsign)), encode([]byte(pem)), v.SecretBody}
	for _, prefix := range []string{"x", "xy", "xyz", "key="} {
		texts = append(texts, prefix+encode([]byte(rsign)), encode([]byte(prefix+rsign)), prefix+pem)
	}
	for _, text := range texts {
		broken := text
		if len(text) > 76 {
			broken = text[:76] + "\r\n " + text[76:]
		}
		if !signature.IsPrivate(text) || !strings.Contains(text, "secret") && !signature.IsPrivate(broken) {
			t.Errorf("not recognized: %q", text)
		}
		for _, scheme := range signature.Schemes {
			if _, err := signature.ParseKey(scheme, text); err == nil || strings.Contains(err.Error(), text) {
				t.Errorf("%q as a %s key: %v", text, scheme, err)
			}
		}
	}
	for _, size := range []int{64, 96} { // as Sparkle exported them
		if _, err := signature.ParseKey(signature.Sparkle, encode(make([]byte, size))); err == nil || err.Error() != signature.ErrPrivate.Error() {
			t.Errorf("key of %d bytes: %v", size, err)
		}
	}
	for _, text := range []string{"", v.MinisignKeys[0].File, v.MinisignKeys[0].Tauri, v.SparkleKeys[0].Line, v.Signatures["hashed"], v.Signatures["sparkle"]} {
		if signature.IsPrivate(text) {
			t.Errorf("%q is taken for a private key", text)
		}
	}
}

// FuzzMinisign checks that reading a signature never panics, and that its value is read as the same
// signature again.
func FuzzMinisign(f *testing.F) {
	v := load(f)
	for _, text := range v.Signatures {
		f.Add(text)
		f.Add(base64.StdEncoding.EncodeToString([]byte(text)))
		f.Add(`sparkle:edSignature="` + text + `"`)
	}
	keys := []signature.TrustedKey{
		{parseKey(f, signature.Minisign, v.MinisignKeys[0].Line), signature.Active},
		{parseKey(f, signature.Sparkle, v.SparkleKeys[0].Line), signature.Active},
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := signature.Parse(text)
		if err != nil {
			return
		}
		again, err := signature.Parse(s.Value)
		if err != nil || again.Scheme != s.Scheme || again.Value != s.Value {
			t.Fatalf("%q is read as %v, %+v", s.Value, err, again)
		}
		_, _ = s.Judge(keys, v.content(t))
	})
}

// FuzzKey checks that reading a key never panics, and that no private key is read as a public one.
func FuzzKey(f *testing.F) {
	v := load(f)
	for _, k := range append(v.MinisignKeys, v.SparkleKeys...) {
		f.Add(k.Line)
		f.Add(k.File)
		f.Add(k.Tauri)
	}
	f.Add(v.SecretBody)
	f.Fuzz(func(t *testing.T, text string) {
		private := signature.IsPrivate(text)
		for _, scheme := range signature.Schemes {
			if k, err := signature.ParseKey(scheme, text); err == nil && (private || k.ID() == "") {
				t.Errorf("%q is read as the %s key %q", text, scheme, k.ID())
			}
		}
	})
}
