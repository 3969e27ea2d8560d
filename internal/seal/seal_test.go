package seal_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"svc/internal/fault"
	"svc/internal/seal"
)

func TestSealedValueOpensForItsPurposeAndSecretOnly(t *testing.T) {
	t.Parallel()
	keys := seal.NewKeys([]byte("the first secret of at least 32 bytes"))
	sealed := keys.Seal(seal.StoragePassword, "pässword")
	if got, err := keys.Open(seal.StoragePassword, sealed); got != "pässword" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	parts := strings.Split(sealed, ":")
	if len(parts) != 4 || parts[0] != "v1" || strings.Contains(sealed, "word") {
		t.Errorf("got the form %q", sealed)
	}
	for i, length := range map[int]int{1: 12, 2: 16, 3: len("pässword")} {
		if b, err := base64.StdEncoding.DecodeString(parts[i]); err != nil || len(b) != length {
			t.Errorf("part %d is %q, want %d bytes in base64", i, parts[i], length)
		}
	}
	if again := keys.Seal(seal.StoragePassword, "pässword"); again == sealed {
		t.Error("the same secret is sealed to the same text twice")
	}
	other := seal.NewKeys([]byte("another secret of at least 32 bytes"))
	damaged := parts[0] + ":" + parts[1] + ":" + parts[2] + ":" + base64.StdEncoding.EncodeToString([]byte("password!"))
	for name, open := range map[string]func() (string, error){
		"another secret":   func() (string, error) { return other.Open(seal.StoragePassword, sealed) },
		"another purpose":  func() (string, error) { return keys.Open(seal.CDNKeySecret, sealed) },
		"other data":       func() (string, error) { return keys.Open(seal.StoragePassword, damaged) },
		"a later version":  func() (string, error) { return keys.Open(seal.StoragePassword, "v2"+sealed[2:]) },
		"parts are absent": func() (string, error) { return keys.Open(seal.StoragePassword, "v1:::") },
		"plain text":       func() (string, error) { return keys.Open(seal.StoragePassword, "pässword") },
	} {
		got, err := open()
		if got != "" || !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "enter it again") {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
}

func TestTokenIsOfItsRecordPurposeAndSecretOnly(t *testing.T) {
	t.Parallel()
	keys := seal.NewKeys([]byte("the first secret of at least 32 bytes"))
	token := keys.Token(seal.FeedbackReply, []byte("id"))
	if raw, err := base64.RawURLEncoding.DecodeString(token); err != nil || len(raw) != 16 {
		t.Errorf("got the token %q, want 128 bits in base64url", token)
	}
	if token != keys.Token(seal.FeedbackReply, []byte("id")) || !keys.Grants(seal.FeedbackReply, token, []byte("id")) {
		t.Error("the token of a record changes")
	}
	other := seal.NewKeys([]byte("another secret of at least 32 bytes"))
	for name, granted := range map[string]bool{
		"another record":  keys.Grants(seal.FeedbackReply, token, []byte("ie")),
		"another purpose": keys.Grants(seal.WebhookSecret, token, []byte("id")),
		"another secret":  other.Grants(seal.FeedbackReply, token, []byte("id")),
		"a part":          keys.Grants(seal.FeedbackReply, token[:21], []byte("id")),
		"nothing":         keys.Grants(seal.FeedbackReply, "", []byte("id")),
	} {
		if granted {
			t.Errorf("%s: the token grants access", name)
		}
	}
}

func TestNothingIsSealedToNothing(t *testing.T) {
	t.Parallel()
	keys := seal.NewKeys([]byte("secret"))
	got, err := keys.Open(seal.CDNKeySecret, keys.Seal(seal.CDNKeySecret, ""))
	if keys.Seal(seal.CDNKeySecret, "") != "" || got != "" || err != nil || seal.Fingerprint("") != "" {
		t.Errorf("an empty secret is something: %q, %v", got, err)
	}
	if got := seal.Fingerprint("abc"); got != "ba7816bf8f01cfea" {
		t.Errorf("got fingerprint %s", got)
	}
}

func FuzzOpen(f *testing.F) {
	keys := seal.NewKeys([]byte("secret"))
	f.Add(keys.Seal(seal.StoragePassword, "abc"))
	f.Add("v1:AAAA:BBBB:")
	f.Add(":::")
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := keys.Open(seal.StoragePassword, text); err != nil && !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v", text, err)
		}
	})
}
