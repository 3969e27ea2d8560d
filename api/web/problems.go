package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"svc/internal/fault"
	"svc/internal/platform"
	"svc/internal/release"
	"svc/store"
)

// Problems collects the problems of a request, which are the messages of its validation errors, so
// that one response reports all of them. Methods that check a field add a problem if it is not
// valid.
type Problems struct {
	List []string
	// Update is true if the request changes a stored record. In that case, null clears a field, and
	// is a problem if the field cannot be empty. When a record is created, null means that the
	// field was not sent.
	Update bool
}

// Add adds a problem with the given message.
func (p *Problems) Add(format string, args ...any) {
	p.List = append(p.List, fmt.Sprintf(format, args...))
}

// Err returns one validation error for all problems, or nil if there are none.
func (p *Problems) Err() error {
	if len(p.List) == 0 {
		return nil
	}
	return fault.Validation(p.List...)
}

// Project returns the project in the path. If p contains problems, Project returns them as an error
// instead, so that the result of validation does not depend on stored data.
func (p *Problems) Project(r *Request, db *store.Store) (*store.Project, error) {
	if err := p.Err(); err != nil {
		return nil, err
	}
	return r.Reached(db.FindProject(r.Param("k")))
}

// TextRule holds the constraints of a text field. Min and Max count characters. If Max is 0, there
// is no maximum.
type TextRule struct {
	Min, Max int
	Required bool // must be sent on creation, and must never be null
	Fixed    bool // optional, but never null
	Trim     bool // surrounding white space does not count
	Filled   bool // must not be blank
}

// Text checks that a text field satisfies the rule.
func (p *Problems) Text(field string, o Optional[string], rule TextRule) {
	if !p.Present(field, o.Sent, o.Null(), rule.Required, rule.Fixed) {
		return
	}
	if o.Wrong {
		p.Add("%s must be a string", field)
		return
	}
	if o.Value == nil {
		return
	}
	text := *o.Value
	if rule.Trim {
		text = strings.TrimSpace(text)
	}
	n := utf8.RuneCountInString(text)
	switch {
	case rule.Filled && strings.TrimSpace(text) == "", rule.Min == 1 && n == 0:
		p.Add("%s must not be empty", field)
	case rule.Max > 0 && n > rule.Max:
		p.Add("%s must have at most %d characters", field, rule.Max)
	case n < rule.Min:
		p.Add("%s must have at least %d characters", field, rule.Min)
	}
}

// Present reports whether a field has a value to check. It adds a problem if a required field was
// not sent, or if a field is null that must not be null. The parameters required and fixed have the
// same meaning as in TextRule.
func (p *Problems) Present(field string, sent, null, required, fixed bool) bool {
	switch {
	case null && p.Update && (required || fixed):
		p.Add("%s must not be null", field)
	case required && !p.Update && (!sent || null):
		p.Add("%s is required", field)
	}
	return sent && !null
}

// URL checks a field that holds an absolute URL. The parameter limit is its maximum length in
// characters.
func (p *Problems) URL(field string, o Optional[string], limit int) {
	before := len(p.List)
	p.Text(field, o, TextRule{Max: limit})
	if o.Value != nil && len(p.List) == before && !IsURL(*o.Value) {
		p.Add("%s must be an absolute URL with scheme http, https or ftp", field)
	}
}

// IsURL reports whether text is an absolute URL with a host and the scheme http, https or ftp.
func IsURL(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" {
		return false
	}
	return u.Scheme == "http" || u.Scheme == "https" || u.Scheme == "ftp"
}

// BaseURL checks a text field that holds a base URL, to which paths are appended.
func (p *Problems) BaseURL(field string, o Optional[string], rule TextRule) {
	before := len(p.List)
	p.Text(field, o, rule)
	if text := OrNil(o.Value); text != nil && len(p.List) == before && !plainBase(strings.TrimSpace(*text)) {
		p.Add("%s must be an http or https URL without user name, query and fragment", field)
	}
}

// plainBase reports whether address is a valid base URL, which has the scheme http or https and no
// user name, query or fragment.
func plainBase(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || strings.ContainsAny(address, "?#") {
		return false
	}
	if u.Port() != "" {
		_, err = net.LookupPort("tcp", u.Port())
	}
	return err == nil
}

// Flag checks a boolean field, which must not be null.
func (p *Problems) Flag(field string, o Optional[bool]) {
	if p.Present(field, o.Sent, o.Null(), false, true) && o.Wrong {
		p.Add("%s must be true or false", field)
	}
}

// LooseFlag checks a boolean field that may be sent as text. It must not be null.
func (p *Problems) LooseFlag(field string, o Optional[LooseBool]) {
	if p.Present(field, o.Sent, o.Null(), false, true) && o.Wrong {
		p.Add("%s must be true or false", field)
	}
}

// Days checks a number of days from 1 to 365, which may be sent as text. It must not be null.
func (p *Problems) Days(field string, o Optional[LooseInteger]) {
	if !p.Present(field, o.Sent, o.Null(), false, true) {
		return
	}
	if o.Wrong || *o.Value < 1 || *o.Value > 365 {
		p.Add("%s must be an integer from 1 to 365", field)
	}
}

// Number checks an integer field. Its value must be in the range [least, most]. If fixed is true,
// it must not be null.
func (p *Problems) Number(field string, o Optional[Integer], least, most int64, fixed bool) {
	if !p.Present(field, o.Sent, o.Null(), false, fixed) {
		return
	}
	if o.Wrong || int64(*o.Value) < least || int64(*o.Value) > most {
		p.Add("%s must be an integer from %d to %d", field, least, most)
	}
}

// UnixTime checks a time in Unix seconds. If fixed is true, it must not be null.
func (p *Problems) UnixTime(field string, o Optional[Integer], fixed bool) {
	if p.Present(field, o.Sent, o.Null(), false, fixed) && (o.Wrong || *o.Value < 0) {
		p.Add("%s must be an integer of at least 0 (Unix seconds)", field)
	}
}

// ComparableVersion checks a comparable version. It returns the zero value if the field was not
// sent or is null, or if it is a blank text and the parameter blank is true.
func (p *Problems) ComparableVersion(field string, o Optional[string], blank bool) release.Comparable {
	if o.Wrong {
		p.Add("%s must be a string", field)
		return release.Comparable{}
	}
	if o.Value == nil || blank && strings.TrimSpace(*o.Value) == "" {
		return release.Comparable{}
	}
	c, ok := release.Parse(*o.Value)
	if !ok {
		p.Add("%s must be a comparable version of at most 64 characters, such as 1.2.3 or 1.2.3-rc.1", field)
	}
	return c
}

// VersionRange is the error message for a version range whose lower end exceeds its upper end.
const VersionRange = "optional_update_min_comparable_version must not be greater than optional_update_max_comparable_version"

// Platform checks a platform field. It returns nil if the field was not sent, is null or is not
// valid.
func (p *Problems) Platform(o Optional[string]) *platform.Platform {
	if o.Wrong {
		p.Add("platform must be a string")
		return nil
	}
	if o.Value == nil {
		return nil
	}
	value, ok := platform.Parse(*o.Value)
	if !ok {
		p.Add("platform must be one of %s", platformNames)
		return nil
	}
	return &value
}

const platformNames = "windows, linux, macos, ios, android, web, others"

// Platforms checks a list of platforms and returns it without duplicates.
func (p *Problems) Platforms(field string, o Optional[[]json.RawMessage]) []platform.Platform {
	if o.Wrong {
		p.Add("%s must be a list", field)
		return nil
	}
	list := o.Or(nil)
	if len(list) > 8 {
		p.Add("%s must have at most 8 entries", field)
		return nil
	}
	var all []platform.Platform
	for i, raw := range list {
		var text string
		if err := json.Unmarshal(raw, &text); err != nil || string(raw) == "null" {
			p.Add("%s[%d] must be a string", field, i)
			continue
		}
		value, ok := platform.Parse(text)
		if !ok {
			p.Add("%s[%d] must be one of %s", field, i, platformNames)
			continue
		}
		if !slices.Contains(all, value) {
			all = append(all, value)
		}
	}
	return all
}

// Texts checks a list of strings and returns them without surrounding white space. The parameter
// most is the maximum number of strings, where 0 means no maximum. The parameter limit is the
// maximum length of each string in characters.
func (p *Problems) Texts(field string, o Optional[[]json.RawMessage], most, limit int) []string {
	if o.Wrong {
		p.Add("%s must be a list", field)
		return nil
	}
	list := o.Or(nil)
	if most > 0 && len(list) > most {
		p.Add("%s must have at most %d entries", field, most)
		return nil
	}
	all := make([]string, 0, len(list))
	for i, raw := range list {
		var text string
		switch err := json.Unmarshal(raw, &text); {
		case err != nil || string(raw) == "null":
			p.Add("%s[%d] must be a string", field, i)
		case utf8.RuneCountInString(strings.TrimSpace(text)) > limit:
			p.Add("%s[%d] must have at most %d characters", field, i, limit)
		default:
			all = append(all, strings.TrimSpace(text))
		}
	}
	return all
}

// Object checks a free-form object, which may be null.
func (p *Problems) Object(field string, o Optional[Object]) {
	if o.Wrong {
		p.Add("%s must be a JSON object of at most %d levels", field, maxDepth)
	}
}

// OrNil returns its argument, or nil if the text is nil or blank.
func OrNil(text *string) *string {
	if text == nil || strings.TrimSpace(*text) == "" {
		return nil
	}
	return text
}

// Quote returns a text in quotation marks, for use in a message. It truncates the text to 64
// characters.
func Quote(text string) string {
	if runes := []rune(text); len(runes) > 64 {
		text = string(runes[:64]) + "…"
	}
	return `"` + strings.ToValidUTF8(text, "�") + `"`
}

// JoinValidation joins two validation errors, each of which may be nil. If a or b is another kind
// of error, JoinValidation returns that error.
func JoinValidation(a, b error) error {
	var all []string
	for _, err := range []error{a, b} {
		if err == nil {
			continue
		}
		f, ok := errors.AsType[*fault.Error](err)
		if !ok || !f.Validation {
			return err
		}
		all = append(all, f.Messages...)
	}
	if all == nil {
		return nil
	}
	return fault.Validation(all...)
}

// Shorten truncates a text to the given number of characters. The text may contain invalid UTF-8,
// as headers may, which it replaces with U+FFFD.
func Shorten(text string, limit int) string {
	text = string(bytes.ToValidUTF8([]byte(text), []byte("\uFFFD")))
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit])
}

// OrEmpty returns the text, or "" for nil.
func OrEmpty(t *string) string {
	if t == nil {
		return ""
	}
	return *t
}
