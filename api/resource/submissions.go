package resource

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/limit"
	"svc/internal/platform"
	"svc/internal/useragent"
	"svc/store"
)

// decodeSubmission is like web.Decode, but also limits the total size of the named objects to
// DataMax, which applies to each public submission. The size is the number of bytes that the client
// has sent for these objects.
func (h *Handlers) decodeSubmission(r *web.Request, in any, objects ...string) error {
	body, err := r.ReadBody()
	if err != nil {
		return err
	}
	if int64(len(body)) > h.DataMax {
		sizes := map[string]int64{}
		web.EachField(body, func(name string, raw json.RawMessage) { sizes[name] = int64(len(raw)) })
		var together int64
		for _, name := range objects {
			together += sizes[name]
		}
		if together > h.DataMax {
			return fault.New(fault.TooLarge, "%s: at most %d bytes in a public submission", strings.Join(objects, " and "), h.DataMax)
		}
	}
	return web.Decode(r, in)
}

// senderView is the JSON form of a store.Sender, the client that sent a submission.
type senderView struct {
	IP          *string `json:"ip"`
	UserAgent   *string `json:"user_agent"`
	CountryCode *string `json:"country_code"`
	CountryName *string `json:"country_name"`
	RegionName  *string `json:"region_name"`
	City        *string `json:"city"`
}

// sender returns the information about the client to store with a submission.
func sender(r *web.Request) store.Sender {
	place := r.Client().Place()
	sender := store.Sender{
		CountryCode: web.OrNil(&place.CountryCode), CountryName: web.OrNil(&place.CountryName),
		RegionName: web.OrNil(&place.RegionName), City: web.OrNil(&place.City),
	}
	if r.Addr.IsValid() {
		sender.IP = new(r.Addr.String())
	}
	if agent := web.Shorten(r.UserAgent(), 512); agent != "" {
		sender.UserAgent = &agent
	}
	return sender
}

// declaration returns the facts about the client that the body of a submission states: its platform
// and platform version.
func declaration(on, version web.Optional[string]) web.Declaration {
	return web.Declaration{System: useragent.Source{Platform: web.BodyText(on), Version: web.BodyText(version)}}
}

// viewOrigin returns the platform and the platform version to store with a submission. Each is nil
// if it is unknown.
func viewOrigin(o useragent.System) (*platform.Platform, *string) {
	o = o.Stored()
	version := strings.Clone(o.Version) // it may share the memory of the request
	if o.Platform == "" {
		return nil, web.OrNil(&version)
	}
	return &o.Platform, web.OrNil(&version)
}

// checkQuota returns an error if the feedback and logs of a project have reached their size limit.
func (h *Handlers) checkQuota(p *store.Project) error {
	if h.SubmissionMax <= 0 {
		return nil
	}
	taken, err := store.Read(h.DB, func(tx *store.Tx) (int64, error) {
		feedback, logs, err := tx.SubmissionBytes(p.ID)
		return feedback + logs, err
	})
	if err != nil || taken < h.SubmissionMax {
		return err
	}
	return fault.New(fault.NoSpace, "the feedback and logs of this project have reached their limit of %d MiB; nothing was stored",
		h.SubmissionMax>>20).After(time.Hour)
}

// withinQuota returns a handler that enforces the project's quota for requests with API keys before
// it calls the function add. The administrator can exceed the quota.
func (h *Handlers) withinQuota(add web.Handler) web.Handler {
	return func(w http.ResponseWriter, r *web.Request) error {
		if !r.Caller.Administrator {
			p, err := h.DB.FindProject(r.Param("k"))
			if err == nil {
				err = h.checkQuota(p)
			}
			if err != nil {
				return err
			}
		}
		return add(w, r)
	}
}

// fingerprint returns a key that is equal for duplicate submissions. The key depends on the
// caller's address, the project, the kind and the fields. If the caller has no address, ok is
// false, and the submission must not be compared with others.
func fingerprint(r *web.Request, p store.ProjectID, kind string, fields ...any) (key limit.Key, ok bool) {
	if !r.Addr.IsValid() {
		return key, false
	}
	all := make([]byte, 0, 1024)
	all = append(all, kind...) // safe without a length, because no kind is a prefix of another
	all = binary.BigEndian.AppendUint32(all, uint32(p))
	all = appendField(all, r.Addr.String())
	for _, field := range fields {
		all = appendField(all, field)
	}
	return limit.Key(sha256.Sum256(all)), true
}

// appendField appends the encoding of a field. The encoding begins with the type and the length of
// the field, so that different lists of fields never have the same encoding.
func appendField(to []byte, field any) []byte {
	switch v := field.(type) {
	case nil:
		return append(to, '0')
	case *string:
		if v == nil {
			return append(to, '0')
		}
		return appendField(to, *v)
	case *int:
		if v == nil {
			return append(to, '0')
		}
		return appendField(to, *v)
	case string:
		to = binary.AppendUvarint(append(to, 't'), uint64(len(v)))
		return append(to, v...)
	case int:
		return binary.AppendVarint(append(to, 'i'), int64(v))
	case json.RawMessage:
		to = binary.AppendUvarint(append(to, 'o'), uint64(len(v)))
		return append(to, v...)
	}
	panic(fmt.Sprintf("fingerprint of a %T", field))
}

// sorted returns a free-form object with sorted keys, so that it can be compared. It does not
// change the notation of numbers. It returns nil if there is no object.
func sorted(o web.Optional[web.Object]) any {
	if o.Value == nil {
		return nil
	}
	if isSorted(*o.Value) {
		return json.RawMessage(*o.Value)
	}
	d := json.NewDecoder(bytes.NewReader(*o.Value))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return string(*o.Value)
	}
	inOrder, err := web.Encode(v)
	if err != nil {
		return string(*o.Value)
	}
	return json.RawMessage(inOrder)
}

// isSorted reports whether sorting an object would leave it unchanged. It only recognizes the
// common case, in which the keys are in order and there are no nested values. In other cases, it
// may return false for a sorted object.
func isSorted(object web.Object) bool {
	if bytes.ContainsAny(object, "\\\u2028\u2029") { // the last two are encoded as escapes
		return false
	}
	last, first, sorted := "", true, true
	web.EachField(json.RawMessage(object), func(name string, raw json.RawMessage) {
		sorted = sorted && (first || last < name) && raw[0] != '{' && raw[0] != '['
		last, first = name, false
	})
	return sorted
}
