package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"svc/internal/fault"
	"svc/internal/limit"
	"svc/internal/origin"
	"svc/internal/platform"
	"svc/store"
)

// rememberedSubmissions bounds the memory for duplicates: about 60 MiB when
// full.
const rememberedSubmissions = 250_000

// senderView is what is shown of the client that sent a submission.
type senderView struct {
	IP          *string `json:"ip"`
	UserAgent   *string `json:"user_agent"`
	CountryCode *string `json:"country_code"`
	CountryName *string `json:"country_name"`
	RegionName  *string `json:"region_name"`
	City        *string `json:"city"`
}

// sender describes the client of a request.
func (s *Server) sender(r *request) store.Sender {
	place := s.config.Geo.Place(r.addr)
	sender := store.Sender{
		CountryCode: orNil(&place.CountryCode), CountryName: orNil(&place.CountryName),
		RegionName: orNil(&place.RegionName), City: orNil(&place.City),
	}
	if r.addr.IsValid() {
		ip := r.addr.String()
		sender.IP = &ip
	}
	if agent := shorten(r.UserAgent(), 512); agent != "" {
		sender.UserAgent = &agent
	}
	return sender
}

// storedOrigin is the system that a log is stored with: what request, headers
// and User-Agent say, in that order of trust; nil where nobody knows.
func storedOrigin(r *request, said origin.Source) (*platform.Platform, *string) {
	r.said = said
	return viewOrigin(origin.Detect(r.declared(), r.UserAgent()).Stored())
}

// feedbackOrigin is the system that feedback is stored with. A platform in the
// body, which has been checked, is believed before all else.
func feedbackOrigin(r *request, said origin.Source) (*platform.Platform, *string) {
	r.said = said
	return viewOrigin(origin.Feedback(r.declared(), r.UserAgent()).Stored())
}

func viewOrigin(o origin.Origin) (*platform.Platform, *string) {
	version := strings.Clone(o.Version) // it may share the memory of the request
	if o.Platform == "" {
		return nil, orNil(&version)
	}
	return &o.Platform, orNil(&version)
}

// shorten cuts a text to a number of characters. Headers may hold any bytes.
func shorten(text string, most int) string {
	text = string(bytes.ToValidUTF8([]byte(text), []byte("\uFFFD")))
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most])
}

// fingerprint is the key of a submission for the suppression of duplicates: of
// the caller's address, the project and the compared fields. ok is false where
// nothing is to be compared: a caller without an address.
func fingerprint(r *request, p store.ProjectID, kind string, fields ...any) (key limit.Key, ok bool) {
	if !r.addr.IsValid() {
		return key, false
	}
	all, err := json.Marshal(append([]any{kind, r.addr, p}, fields...))
	if err != nil {
		return key, false
	}
	return limit.Key(sha256.Sum256(all)), true
}

// sorted is a free-form object for comparison: the order of keys does not
// count, numbers stay as they were written.
func sorted(o Optional[object]) any {
	if o.Value == nil {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(*o.Value))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return string(*o.Value)
	}
	return v
}

// submit stores a submission together with those that arrive at the same time,
// unless the same was stored a moment ago: then that record is the answer.
func submit[R any](s *Server, key limit.Key, compare bool, load func(*store.Tx, store.ID) (R, error), add func(*store.Tx) (R, store.ID, error)) (R, error) {
	var answer R
	var refused error // what does not fail the others in the transaction
	added := false
	err := s.db.Submit(func(tx *store.Tx) error {
		if id, ok := s.recent.Find(key, tx.Now()); ok && compare {
			var err error
			if answer, err = load(tx, id); !fault.Is(err, fault.NotFound) {
				return err
			}
		}
		record, id, err := add(tx)
		if fault.Is(err, fault.NotFound) {
			refused = err // the project was deleted meanwhile
			return nil
		}
		if err != nil {
			return err
		}
		answer = record
		if compare {
			s.recent.Add(key, id, tx.Now())
			added = true
		}
		return nil
	})
	if err != nil {
		if added {
			s.recent.Forget(key)
		}
		return answer, err
	}
	return answer, refused
}
