package web

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"svc/internal/fault"
)

// ErrStale rejects a write to a record that has changed since the caller read it.
var ErrStale = fault.New(fault.Stale,
	"the record was changed since it was read: it does not match If-Match; read it again and repeat the change")

// Conditional reports whether the request has an If-Match header, so that it must only be executed
// if the record is in the state that the header names.
func (r *Request) Conditional() bool { return len(r.Header["If-Match"]) > 0 }

// Match returns ErrStale if the request has an If-Match header that does not match the record's
// state. The state is the stored JSON of the record. Match must be called in the transaction that
// changes the record.
func (r *Request) Match(state any) error {
	if !r.Conditional() {
		return nil
	}
	tag, err := stateTag(state)
	if err != nil {
		return err
	}
	for wanted := range strings.SplitSeq(strings.Join(r.Header["If-Match"], ","), ",") {
		if wanted = strings.TrimSpace(wanted); wanted == "*" || wanted == tag {
			return nil
		}
	}
	return ErrStale
}

// Tag sets the ETag header of the response to the tag of the given state. Error responses have no
// tag.
func (r *Request) Tag(state any) error {
	tag, err := stateTag(state)
	if err == nil {
		r.Writer.Header()["Etag"] = []string{tag}
	}
	return err
}

// stateTag returns the entity tag of a state. Different states have different tags.
func stateTag(state any) (string, error) {
	encoded, err := Encode(state)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(encoded)
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:15]) + `"`, nil
}
