package feeds_test

import (
	"encoding/base64"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"testing"

	"svc/internal/signature"
)

// judged reports whether the server accepts a signature of a file under a key. Both are texts of
// minisign.
func judged(t *testing.T, key signature.Key, text, content string, blake2b []byte) bool {
	t.Helper()
	s, err := signature.Parse(text)
	if err != nil {
		return false
	}
	keys, known := []signature.TrustedKey{{Key: key, State: signature.Active}}, &signature.Content{BLAKE2b: blake2b, Checks: map[string]signature.Result{}}
	for _, k := range s.Unread(keys, known) {
		check := s.NewCheck(k)
		_, _ = check.Write([]byte(content)) // never fails
		known.Checks[check.ID] = check.Result()
	}
	status, _ := s.Judge(keys, known)
	return status == signature.Valid
}

// withBit returns a signature of minisign with another bit in one of its four lines. In a line of
// base64 it is a bit of the decoded bytes.
func withBit(t *testing.T, text string, line, at int) string {
	t.Helper()
	lines := strings.Split(text, "\n")
	if line == 2 {
		changed := []byte(lines[line])
		changed[len(changed)-1-at] ^= 1
		lines[line] = string(changed)
	} else {
		raw, err := base64.StdEncoding.DecodeString(lines[line])
		if err != nil {
			t.Fatal(err)
		}
		raw[at] ^= 1
		lines[line] = base64.StdEncoding.EncodeToString(raw)
	}
	return strings.Join(lines, "\n")
}

// TestMinisignVerifyAgrees checks that the package minisign-verify, which the updater of Tauri uses,
// accepts the same signatures as the server: those of an independent implementation, and the same with
// one bit changed, under each of two keys.
func TestMinisignVerifyAgrees(t *testing.T) {
	t.Parallel()
	client := tauri(t)
	v := loadVectors(t)
	blake2b, err := hex.DecodeString(v.BLAKE2b)
	if err != nil {
		t.Fatal(err)
	}
	var names, signatures []string
	add := func(name, text string) { names, signatures = append(names, name), append(signatures, text) }
	for _, name := range slices.Sorted(maps.Keys(v.Signatures)) {
		text := v.Signatures[name]
		if !strings.HasPrefix(text, "untrusted comment:") {
			continue
		}
		add(name, text)
		for what, changed := range map[string]string{
			"algorithm": withBit(t, text, 1, 1), "key number": withBit(t, text, 1, 2), "R": withBit(t, text, 1, 10), "S": withBit(t, text, 1, 42),
			"trusted comment": withBit(t, text, 2, 0), "global signature": withBit(t, text, 3, 0), "its end": withBit(t, text, 3, 63),
		} {
			add(name+", another bit in: "+what, changed)
		}
	}
	content := strings.Repeat(v.Line, v.Lines)
	path, valid := file(t, content), 0
	for _, k := range v.MinisignKeys {
		key, err := signature.ParseKey(signature.Minisign, k["file"])
		if err != nil {
			t.Fatal(err)
		}
		var accepted []bool
		run(t, &accepted, t.TempDir(), client, append([]string{"verify", k["file"], path}, signatures...)...)
		if len(accepted) != len(signatures) {
			t.Fatalf("got %d results for %d signatures", len(accepted), len(signatures))
		}
		for i, text := range signatures {
			if got := judged(t, key, text, content, blake2b); got != accepted[i] {
				t.Errorf("%s under key %s: valid %v, minisign-verify says %v", names[i], key.ID(), got, accepted[i])
			} else if got {
				valid++
			}
		}
	}
	if valid == 0 || len(v.MinisignKeys) < 2 || valid == len(signatures)*len(v.MinisignKeys) {
		t.Errorf("%d of %d signatures are valid under %d keys, want some and not all", valid, len(signatures), len(v.MinisignKeys))
	}
}
