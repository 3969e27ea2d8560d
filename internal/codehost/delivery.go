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

// Delivery is a message from a code host to a webhook. The caller must have verified its
// signature.
type Delivery struct {
	Event   string // type of the event; "" if missing
	ID      string // id of the delivery, which is the same if the host repeats it; "" if missing
	Payload json.RawMessage

	updatesAreEdits bool // the code host uses the action "updated" instead of "edited"
}

// ReadDelivery parses the headers and the body of a delivery. The body must be JSON or a form with
// the field payload. For any other body the error is a fault of kind Invalid.
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

// ReleaseEvent is the payload of a delivery about a release. A field that is missing or
// has the wrong type is empty.
type ReleaseEvent struct {
	Action     string
	Release    *Release // nil if missing
	Repository string   // owner/name
}

// ReleaseActions lists the actions that require the release in the payload to be stored.
// They do not include removals, because a version stays published when its release is
// removed.
var ReleaseActions = []string{"published", "released", "prereleased", "created", "edited"}

// ReleaseEvent parses the payload of a delivery about a release.
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

// CommentEvent is the payload of a delivery about a comment on an issue. A field that is
// missing or has the wrong type is empty.
type CommentEvent struct {
	Action      string
	Repository  string // owner/name
	Issue       int64  // number of the issue; 0 if unknown
	Comment     int64  // id of the comment; 0 if unknown
	Body        string
	Association string // relation of the author to the repository, such as MEMBER
	Login       string // user name of the author
}

// CommentEvent parses the payload of a delivery about a comment.
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

// ParseCommand parses the command in the first non-empty line of a comment: /svc- and a
// name, followed by an argument for the workflow. ok is false if there is no command.
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
