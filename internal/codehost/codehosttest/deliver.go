package codehosttest

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"testing"
)

//go:embed testdata/*.json
var payloads embed.FS

// Delivery is a message to a webhook.
type Delivery struct {
	Event   string
	ID      string // "" = a new id
	Payload []byte
	Secret  string      // secret for the signature; "" = send no signature
	Form    bool        // whether to send the payload as a form field instead of JSON
	Header  http.Header // headers that replace the default ones; a value of nil removes the header
}

// Deliver sends a delivery to the given address and returns the response.
func Deliver(t testing.TB, address string, d Delivery) (status int, answer string) {
	t.Helper()
	body, kind := d.Payload, "application/json"
	if d.Form {
		body, kind = []byte(url.Values{"payload": {string(d.Payload)}}.Encode()), "application/x-www-form-urlencoded"
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if d.ID == "" {
		d.ID = rand.Text()
	}
	r.Header = http.Header{
		"Content-Type": {kind}, "User-Agent": {"GitHub-Hookshot/044aadd"}, "Accept": {"*/*"},
		"X-Github-Event": {d.Event}, "X-Github-Delivery": {d.ID}, "X-Github-Hook-Id": {"292430182"},
		"X-Github-Hook-Installation-Target-Id": {"79929171"}, "X-Github-Hook-Installation-Target-Type": {"repository"},
	}
	if d.Secret != "" {
		r.Header.Set("X-Hub-Signature-256", Sign(body, d.Secret))
	}
	for name, values := range d.Header {
		if r.Header[name] = values; values == nil {
			r.Header.Del(name)
		}
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// Sign returns the signature of a body.
func Sign(body []byte, secret string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// Payload returns the recorded payload with the given name, release or issue_comment,
// with some changes. Each key of changes is a path of field names, separated by dots. A
// value of nil removes the field.
func Payload(t testing.TB, name string, changes map[string]any) []byte {
	t.Helper()
	text, err := payloads.ReadFile("testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var payload map[string]any
	if err := json.Unmarshal(text, &payload); err != nil {
		t.Fatal(err)
	}
	for _, path := range slices.Sorted(maps.Keys(changes)) { // sorted, so that parents come before their children
		set(payload, path, changes[path])
	}
	if text, err = json.Marshal(payload); err != nil {
		t.Fatal(err)
	}
	return text
}

// set changes or removes the value at a path in nested objects.
func set(object map[string]any, path string, value any) {
	first, rest, nested := bytes.Cut([]byte(path), []byte("."))
	key := string(first)
	switch {
	case nested:
		below, ok := object[key].(map[string]any)
		if !ok {
			below = map[string]any{}
			object[key] = below
		}
		set(below, string(rest), value)
	case value == nil:
		delete(object, key)
	default:
		object[key] = value
	}
}

// ReleasePayload returns the payload of a delivery about a release of the repository.
func (r *Repository) ReleasePayload(t testing.TB, action, tag string) []byte {
	t.Helper()
	r.host.mu.Lock()
	at := slices.IndexFunc(r.releases, func(one *Release) bool { return one.Tag == tag })
	if at < 0 {
		r.host.mu.Unlock()
		t.Fatalf("%s has no release %s", r.Name, tag)
	}
	changes := map[string]any{"action": action, "release": r.host.viewRelease(r, r.releases[at]), "repository": r.host.viewRepository(r)}
	r.host.mu.Unlock()
	return Payload(t, "release", changes)
}

// CommentPayload returns the payload of a delivery about a comment on an issue of the repository.
func (r *Repository) CommentPayload(t testing.TB, issue int64, c Comment, association string) []byte {
	t.Helper()
	r.host.mu.Lock()
	changes := map[string]any{
		"issue": r.host.viewIssue(r, r.issues[issue-1]), "repository": r.host.viewRepository(r), "sender": r.host.user(c.Author, "User"),
		"comment.id": c.ID, "comment.body": c.Body, "comment.user": r.host.user(c.Author, "User"), "comment.author_association": association,
	}
	r.host.mu.Unlock()
	return Payload(t, "issue_comment", changes)
}
