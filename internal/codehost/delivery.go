package codehost

import (
	"encoding/json"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"svc/internal/fault"
)

// Delivery is a request that a code host sends to a webhook. Its signature must have
// been verified.
type Delivery struct {
	Event   string // what it is about; "" when it does not say
	ID      string // the same when the delivery is repeated; "" when it has none
	Payload json.RawMessage

	updatesAreEdits bool // the action updated is what others call edited
}

// ReadDelivery reads the headers and the body of a delivery, which is JSON or a form
// whose field payload is. Any other body is Invalid.
func ReadDelivery(h http.Header, raw []byte) (*Delivery, error) {
	d := &Delivery{
		Event: strings.TrimSpace(h.Get("X-GitHub-Event")), ID: strings.TrimSpace(h.Get("X-GitHub-Delivery")), Payload: raw,
		updatesAreEdits: h.Get("X-Gitea-Event") != "",
	}
	if isForm(h) {
		if form, err := url.ParseQuery(string(raw)); err == nil && form.Has("payload") {
			d.Payload = json.RawMessage(form.Get("payload"))
		}
	}
	if !utf8.Valid(d.Payload) || !json.Valid(d.Payload) {
		return nil, fault.New(fault.Invalid, "the body must be JSON, or a form whose field payload is JSON")
	}
	return d, nil
}

func isForm(h http.Header) bool {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && kind == "application/x-www-form-urlencoded"
}

// ReleaseEvent is the payload of a delivery about a release. What is missing, or is not
// of the type that it should be, is empty.
type ReleaseEvent struct {
	Action     string
	Release    *Release // nil when there is none
	Repository string   // owner/name
}

// ReleaseActions are the actions after which a release is as the payload says. They do
// not include those that remove one: a version that was published stays.
var ReleaseActions = []string{"published", "released", "prereleased", "created", "edited"}

// ReleaseEvent reads what the delivery says about a release.
func (d *Delivery) ReleaseEvent() ReleaseEvent {
	payload := objectOf(d.Payload)
	e := ReleaseEvent{Action: payload.text("action"), Repository: payload.object("repository").text("full_name")}
	if d.updatesAreEdits && e.Action == "updated" {
		e.Action = "edited"
	}
	if release := payload.object("release"); release != nil {
		e.Release = releaseOf(release)
	}
	return e
}

// CommentEvent is the payload of a delivery about a comment on an issue. What is
// missing, or is not of the type that it should be, is empty.
type CommentEvent struct {
	Action      string
	Repository  string // owner/name
	Issue       int64  // its number; 0 = unknown
	Comment     int64  // its id; 0 = unknown
	Body        string
	Association string // of the author with the repository, such as MEMBER
	Login       string // of the author
}

// CommentEvent reads what the delivery says about a comment.
func (d *Delivery) CommentEvent() CommentEvent {
	payload := objectOf(d.Payload)
	comment := payload.object("comment")
	return CommentEvent{
		Action: payload.text("action"), Repository: payload.object("repository").text("full_name"),
		Issue: payload.object("issue").number("number"), Comment: comment.number("id"),
		Body: comment.text("body"), Association: comment.text("author_association"), Login: comment.object("user").text("login"),
	}
}

var commandLine = regexp.MustCompile(`^/svc-([a-z0-9][a-z0-9-]*)(?:\s+(.*))?$`)

// ParseCommand reads the command in the first line of a comment that is not empty:
// /svc- and a name, then whatever the workflow is to be given.
func ParseCommand(body string) (name, argument string, ok bool) {
	for line := range strings.SplitSeq(body, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		found := commandLine.FindStringSubmatch(line)
		if found == nil {
			return "", "", false
		}
		return found[1], strings.TrimSpace(found[2]), true
	}
	return "", "", false
}
