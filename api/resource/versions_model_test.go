package resource_test

import (
	"cmp"
	"maps"
	"strings"
)

// record is a version, with only the properties that the rules depend on.
type record struct {
	id                          string
	edition                         // text, comparable version, flags, published; created is in seconds
	seq                         int // position in creation order
	flagged                     bool
	title, content, custom, url any
	links, platforms            []any
	platform                    any
}

// model holds all versions by id. It is immutable, so each write returns a new model.
type model map[string]*record

// outcome is the expected result of a write. The status must be one of the given statuses. On
// success, outcome also holds the next model and the record that was written.
type outcome struct {
	statuses []int
	next     model
	written  *record
}

func refused(statuses ...int) outcome { return outcome{statuses: statuses} }

// view returns the JSON fields of a record.
func (v *record) view() map[string]any {
	links := v.links
	if len(links) == 0 {
		links = []any{}
		if v.url != nil {
			links = []any{map[string]any{"url": v.url}}
		}
	}
	platforms := v.platforms
	if len(platforms) == 0 {
		platforms = []any{}
	}
	return map[string]any{
		"id": v.id, "version": v.text, "comparable_version": v.comparable, "title": v.title, "content": v.content,
		"download_url": v.url, "download_links": links, "forced": false, "is_latest": v.flagged, "is_preview": v.preview,
		"is_milestone": v.milestone, "is_deprecated": v.deprecated, "platform": v.platform, "platforms": platforms,
		"custom_data": v.custom, "published_at": v.published, "created_at": v.created, "locale": nil,
	}
}

// order compares two records by comparable version, then by publication, then by creation.
func (v *record) order(w *record) int {
	return cmp.Or(v.compare(&w.edition), v.newer(w))
}

// newer compares two records by publication, then by creation.
func (v *record) newer(w *record) int {
	return cmp.Or(cmp.Compare(v.published, w.published), cmp.Compare(v.seq, w.seq))
}

// best returns the greatest record for which fits returns true, or nil if there is none.
func (m model) best(order func(v, w *record) int, fits func(*record) bool) (best *record) {
	for _, v := range m {
		if fits(v) && (best == nil || order(v, best) > 0) {
			best = v
		}
	}
	return best
}

// latest returns the record with the latest flag. If there is none, it returns the official record
// that was published last, or else the record that was published last.
func (m model) latest() *record {
	for _, fits := range []func(*record) bool{
		func(v *record) bool { return v.flagged },
		func(v *record) bool { return !v.preview },
		func(*record) bool { return true },
	} {
		if v := m.best((*record).newer, fits); v != nil {
			return v
		}
	}
	return nil
}

func (m model) latestPreview() *record {
	return m.best((*record).order, func(v *record) bool { return v.preview })
}

// heir returns the record that inherits the latest flag when v loses it.
func (m model) heir(v *record) *record {
	return m.best((*record).order, func(w *record) bool { return w.id != v.id && !w.preview && !w.deprecated })
}

// replaceable reports whether there is an official version that is greater than v and not
// deprecated.
func (m model) replaceable(v *record) bool {
	heir := m.heir(v)
	return heir != nil && heir.compare(&v.edition) > 0
}

func (m model) named(text string) *record {
	return m.best((*record).order, func(v *record) bool { return v.text == text })
}

// create models a POST request.
func (m model) create(body map[string]any) outcome {
	body = sent(body)
	if body["version"] == nil || body["comparable_version"] == nil {
		return refused(400)
	}
	return m.add(body["version"].(string), body)
}

// sent returns a body without the fields that are null. On creation, these count as not sent.
func sent(body map[string]any) map[string]any {
	body = maps.Clone(body)
	maps.DeleteFunc(body, func(_ string, value any) bool { return value == nil })
	return body
}

func (m model) add(text string, body map[string]any) outcome {
	v := &record{seq: m.youngest() + 1}
	v.text, v.published = text, -1 // -1: now
	if !v.apply(body) {
		return refused(400)
	}
	holder := m.best((*record).newer, func(w *record) bool { return w.flagged })
	v.flagged = !v.preview && !v.deprecated && (holder == nil || holder.compare(&v.edition) <= 0)
	if latest, ok := body["is_latest"]; ok {
		v.flagged = latest.(bool)
	}
	bad := v.flagged && v.deprecated || v.deprecated && !m.replaceable(v)
	switch taken := m.named(text) != nil; {
	case bad && taken:
		return refused(400, 409) // the status depends on which rule is checked first
	case bad:
		return refused(400)
	case taken:
		return refused(409)
	}
	next := m.copy()
	if v.flagged {
		next.unflag()
	}
	return outcome{[]int{201}, next, v} // the caller adds the version when its id is known
}

func (m model) youngest() (seq int) {
	for _, v := range m {
		seq = max(seq, v.seq)
	}
	return seq
}

// publish models a PUT request.
func (m model) publish(text string, body map[string]any) outcome {
	body = maps.Clone(body)
	if name := body["version"]; name != nil && strings.TrimSpace(name.(string)) != text {
		return refused(400)
	}
	delete(body, "version")
	if v := m.named(text); v != nil {
		return m.edit(v, body)
	}
	return m.add(text, sent(body))
}

// update models a PATCH request.
func (m model) update(id string, body map[string]any) outcome {
	if m[id] == nil {
		if wrong(body) {
			return refused(400)
		}
		return refused(404)
	}
	return m.edit(m[id], body)
}

// wrong reports whether an update with the given body must be rejected with status 400, regardless
// of the stored version.
func wrong(body map[string]any) bool {
	for _, name := range []string{"version", "published_at", "is_latest", "is_preview", "is_milestone", "is_deprecated"} {
		if value, sent := body[name]; sent && value == nil {
			return true
		}
	}
	return body["comparable_version"] == "x"
}

func (m model) edit(before *record, body map[string]any) outcome {
	next := m.copy()
	v := next[before.id]
	if wrong(body) || !v.apply(body) {
		return refused(400)
	}
	if body["is_preview"] == true {
		v.flagged = false
	}
	if latest, ok := body["is_latest"]; ok {
		v.flagged = latest.(bool)
	}
	checked := v.deprecated && (!before.deprecated || v.compare(&before.edition) != 0)
	bad := v.flagged && v.deprecated || checked && !m.replaceable(v)
	other := m.named(v.text)
	switch taken := other != nil && other.id != v.id; {
	case bad && taken:
		return refused(400, 409)
	case bad:
		return refused(400)
	case taken:
		return refused(409)
	}
	next.pass(before, v)
	return outcome{[]int{200}, next, v}
}

// remove models a DELETE request.
func (m model) remove(id string) outcome {
	v := m[id]
	if v == nil {
		return refused(404)
	}
	next := m.copy()
	delete(next, id)
	if v.flagged {
		next.elect(v)
	}
	return outcome{[]int{200}, next, nil}
}

// pass moves the latest flag, if necessary, after an edit.
func (m model) pass(before, after *record) {
	switch {
	case after.flagged:
		m.unflag()
		after.flagged = true
	case before.flagged:
		m.elect(after)
	}
}

func (m model) elect(instead *record) {
	if heir := m.heir(instead); heir != nil {
		heir.flagged = true
	}
}

func (m model) unflag() {
	for _, v := range m {
		v.flagged = false
	}
}

func (m model) copy() model {
	next := model{}
	for id, v := range m {
		kept := *v
		next[id] = &kept
	}
	return next
}

// apply sets those fields of the record that are present in the body. null clears a field that can
// be null. It returns false if the record has no comparable version after that.
func (v *record) apply(body map[string]any) bool {
	if !v.number(body) {
		return false
	}
	for name, to := range map[string]*any{"title": &v.title, "content": &v.content, "custom_data": &v.custom} {
		if value, sent := body[name]; sent {
			*to = value
		}
	}
	for name, to := range map[string]*bool{"is_preview": &v.preview, "is_milestone": &v.milestone, "is_deprecated": &v.deprecated} {
		if value, sent := body[name]; sent {
			*to = value.(bool)
		}
	}
	if value, sent := body["published_at"]; sent {
		v.published = int64(value.(int))
	}
	v.download(body)
	v.run(body)
	return true
}

func (v *record) number(body map[string]any) bool {
	text := v.text
	if name, sent := body["version"]; sent {
		text = name.(string)
	}
	value, sent := body["comparable_version"]
	switch {
	case value != nil:
	case text != v.text || sent || v.comparable == "":
		value = text
	default:
		return true
	}
	number, ok := newEdition(value.(string))
	if ok {
		v.text, v.comparable, v.core, v.tag, v.tagged = text, number.comparable, number.core, number.tag, number.tagged
	}
	return ok
}

func (v *record) download(body map[string]any) {
	address, addressSent := body["download_url"]
	links, linksSent := body["download_links"]
	switch {
	case linksSent:
		v.links, _ = links.([]any)
		v.url = address
		if !addressSent && len(v.links) > 0 {
			v.url = v.links[0].(map[string]any)["url"]
		}
	case addressSent:
		v.url, v.links = address, nil
		if address != nil {
			v.links = []any{map[string]any{"url": address}}
		}
	}
}

func (v *record) run(body map[string]any) {
	platform, platformSent := body["platform"]
	platforms, platformsSent := body["platforms"]
	if platformSent {
		v.platform = platform
	}
	if platformSent || platformsSent {
		v.platforms, _ = platforms.([]any)
		if len(v.platforms) == 0 && platform != nil {
			v.platforms = []any{platform}
		}
	}
}
