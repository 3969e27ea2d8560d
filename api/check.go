package api

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"svc/internal/fault"
	"svc/internal/platform"
	"svc/internal/release"
)

// problems collects every broken rule of a request, so that one answer names
// them all.
type problems struct {
	list []string
	// update is true where a stored record changes: null clears a field there
	// and is refused for one that cannot be empty. On creation null is the
	// same as not sent.
	update bool
}

func (p *problems) add(format string, args ...any) {
	p.list = append(p.list, fmt.Sprintf(format, args...))
}

func (p *problems) err() error {
	if len(p.list) == 0 {
		return nil
	}
	return fault.Validation(p.list...)
}

// textRule is what a text field must keep to. Lengths count characters.
type textRule struct {
	min, max int
	required bool // on creation it must be sent; never null
	fixed    bool // optional, but never null
	trim     bool // white space around it does not count
	filled   bool // must not be blank
}

// text checks a text field.
func (p *problems) text(field string, o Optional[string], rule textRule) {
	if !p.present(field, o.Sent, o.null(), rule.required, rule.fixed) {
		return
	}
	if o.Wrong {
		p.add("%s must be a string", field)
		return
	}
	if o.Value == nil {
		return
	}
	text := *o.Value
	if rule.trim {
		text = strings.TrimSpace(text)
	}
	n := utf8.RuneCountInString(text)
	switch {
	case rule.filled && strings.TrimSpace(text) == "":
		p.add("%s must not be empty", field)
	case rule.max > 0 && n > rule.max:
		p.add("%s must have at most %d characters", field, rule.max)
	case n < rule.min:
		p.add("%s must have at least %d characters", field, rule.min)
	}
}

// present reports whether there is a value left to check, and adds what is
// wrong with its absence.
func (p *problems) present(field string, sent, null, required, fixed bool) bool {
	switch {
	case null && p.update && (required || fixed):
		p.add("%s must not be null", field)
	case required && !p.update && (!sent || null):
		p.add("%s is required", field)
	}
	return sent && !null
}

// url checks a field that holds an absolute address.
func (p *problems) url(field string, o Optional[string], limit int) {
	before := len(p.list)
	p.text(field, o, textRule{max: limit})
	if o.Value != nil && len(p.list) == before && !isURL(*o.Value) {
		p.add("%s must be an absolute URL with scheme http, https or ftp", field)
	}
}

func isURL(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" {
		return false
	}
	return u.Scheme == "http" || u.Scheme == "https" || u.Scheme == "ftp"
}

// flag checks a boolean field, which is never null.
func (p *problems) flag(field string, o Optional[bool]) {
	if p.present(field, o.Sent, o.null(), false, true) && o.Wrong {
		p.add("%s must be true or false", field)
	}
}

// looseFlag checks a boolean field that may come as text.
func (p *problems) looseFlag(field string, o Optional[looseBool]) {
	if p.present(field, o.Sent, o.null(), false, true) && o.Wrong {
		p.add("%s must be true or false", field)
	}
}

// days checks a number of days that may come as text and is never null.
func (p *problems) days(field string, o Optional[looseInteger]) {
	if !p.present(field, o.Sent, o.null(), false, true) {
		return
	}
	if o.Wrong || *o.Value < 1 || *o.Value > 365 {
		p.add("%s must be an integer from 1 to 365", field)
	}
}

// number checks an integer field.
func (p *problems) number(field string, o Optional[integer], least, most int64, fixed bool) {
	if !p.present(field, o.Sent, o.null(), false, fixed) {
		return
	}
	if o.Wrong || int64(*o.Value) < least || int64(*o.Value) > most {
		p.add("%s must be an integer from %d to %d", field, least, most)
	}
}

// moment checks a time in Unix seconds.
func (p *problems) moment(field string, o Optional[integer], fixed bool) {
	if p.present(field, o.Sent, o.null(), false, fixed) && (o.Wrong || *o.Value < 0) {
		p.add("%s must be an integer of at least 0 (Unix seconds)", field)
	}
}

// comparable checks a comparable version. Null and, where blank is true, a
// blank text are no version.
func (p *problems) comparable(field string, o Optional[string], blank bool) release.Comparable {
	if o.Wrong {
		p.add("%s must be a string", field)
		return release.Comparable{}
	}
	if o.Value == nil || blank && strings.TrimSpace(*o.Value) == "" {
		return release.Comparable{}
	}
	c, ok := release.Parse(*o.Value)
	if !ok {
		p.add("%s must be a comparable version of at most 64 characters, such as 1.2.3 or 1.2.3-rc.1", field)
	}
	return c
}

// platform checks a platform field; null is none.
func (p *problems) platform(o Optional[string]) *platform.Platform {
	if o.Wrong {
		p.add("platform must be a string")
		return nil
	}
	if o.Value == nil {
		return nil
	}
	value, ok := platform.Parse(*o.Value)
	if !ok {
		p.add("platform must be one of %s", platformNames)
		return nil
	}
	return &value
}

const platformNames = "windows, linux, macos, ios, android, web, others"

// platforms checks a list of platforms and drops repetitions.
func (p *problems) platforms(field string, o Optional[[]json.RawMessage]) []platform.Platform {
	if o.Wrong {
		p.add("%s must be a list", field)
		return nil
	}
	list := o.or(nil)
	if len(list) > 8 {
		p.add("%s must have at most 8 entries", field)
		return nil
	}
	var all []platform.Platform
	for i, raw := range list {
		var text string
		if err := json.Unmarshal(raw, &text); err != nil || string(raw) == "null" {
			p.add("%s[%d] must be a string", field, i)
			continue
		}
		value, ok := platform.Parse(text)
		if !ok {
			p.add("%s[%d] must be one of %s", field, i, platformNames)
			continue
		}
		if !slices.Contains(all, value) {
			all = append(all, value)
		}
	}
	return all
}

// texts checks a list of strings of a length each.
func (p *problems) texts(field string, o Optional[[]json.RawMessage], most, limit int) []string {
	if o.Wrong {
		p.add("%s must be a list", field)
		return nil
	}
	list := o.or(nil)
	if most > 0 && len(list) > most {
		p.add("%s must have at most %d entries", field, most)
		return nil
	}
	all := make([]string, 0, len(list))
	for i, raw := range list {
		var text string
		switch err := json.Unmarshal(raw, &text); {
		case err != nil || string(raw) == "null":
			p.add("%s[%d] must be a string", field, i)
		case utf8.RuneCountInString(strings.TrimSpace(text)) > limit:
			p.add("%s[%d] must have at most %d characters", field, i, limit)
		default:
			all = append(all, strings.TrimSpace(text))
		}
	}
	return all
}

// object checks a free-form object; null is none.
func (p *problems) object(field string, o Optional[object]) {
	if o.Wrong {
		p.add("%s must be a JSON object of at most %d levels", field, deepest)
	}
}

// orNil is the text, or nil when it is blank.
func orNil(text *string) *string {
	if text == nil || strings.TrimSpace(*text) == "" {
		return nil
	}
	return text
}
