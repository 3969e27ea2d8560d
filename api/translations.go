package api

import (
	"cmp"
	"encoding/json"
	"maps"
	"strings"

	"svc/internal/fault"
	"svc/internal/locale"
	"svc/store"
)

// translation is an entry of a translations list: two texts in a language. Of
// a project they are name and description, of a version title and content.
type translation struct {
	tag           string
	first, second *string
	hidden        bool // of an announcement
}

// translationRule names the two texts and their limits in characters; 0 is no
// limit.
type translationRule struct {
	first, second       string
	firstMax, secondMax int
	hideable            bool // an entry may hide, and may do only that

	field string // the list; translations when empty
	most  int    // entries; mostTranslations when 0
}

// mostTranslations is how many entries a list may have.
const mostTranslations = 32

// translations checks a translations list as far as that needs no project:
// form, tags and texts. Blank texts count as unset.
func (p *problems) translations(o Optional[[]json.RawMessage], rule translationRule) []translation {
	type entry struct {
		Locale  Optional[string] `json:"locale"`
		Name    Optional[string] `json:"name"`
		Desc    Optional[string] `json:"description"`
		Title   Optional[string] `json:"title"`
		Content Optional[string] `json:"content"`
		Hidden  Optional[bool]   `json:"is_hidden"`
	}
	field := cmp.Or(rule.field, "translations")
	var list []translation
	for i, e := range entries[entry](p, field, o, cmp.Or(rule.most, mostTranslations)) {
		first, second := e.Title, e.Content
		if rule.first == "name" {
			first, second = e.Name, e.Desc
		}
		p.text(label(field, i, rule.first), first, textRule{max: rule.firstMax, trim: true})
		p.text(label(field, i, rule.second), second, textRule{max: rule.secondMax, trim: true})
		t := translation{tag: p.tag(label(field, i, "locale"), e.Locale), first: trimmed(first.Value), second: trimmed(second.Value)}
		if rule.hideable {
			p.flag(label(field, i, "is_hidden"), e.Hidden)
			t.hidden = e.Hidden.or(false)
		}
		if t.first == nil && t.second == nil && !t.hidden && !first.Wrong && !second.Wrong {
			p.add("%s[%d] must set %s or %s", field, i, rule.first, rule.second)
		}
		list = append(list, t)
	}
	return list
}

// tag checks a required language tag and returns it trimmed.
func (p *problems) tag(field string, o Optional[string]) string {
	if o.Wrong {
		p.add("%s must be a string", field)
		return ""
	}
	if o.Value == nil {
		p.add("%s is required", field)
		return ""
	}
	tag, ok := locale.CleanTag(*o.Value)
	if !ok {
		p.add(`%s must have 1 to 35 characters, without control characters, / and \`, field)
	}
	return tag
}

// trimmed is the text without white space around it; nil when nothing is left.
func trimmed(text *string) *string {
	if text == nil {
		return nil
	}
	t := strings.TrimSpace(*text)
	if t == "" {
		return nil
	}
	return &t
}

// chosen makes the translations to store, by tag key: those of the list, and
// from before those of languages that are not registered now, which are out of
// the list's reach.
func chosen[T any](p *store.Project, list []translation, before map[string]T, text func(translation) T) (map[string]T, error) {
	texts := maps.Clone(before)
	if texts == nil {
		texts = map[string]T{}
	}
	for _, l := range p.Languages {
		delete(texts, locale.Key(l.Tag))
	}
	languages := p.Locales()
	seen := map[int]bool{}
	for _, t := range list {
		at := languages.Find(t.tag)
		if at < 0 {
			return nil, errNoLanguage("translations", t.tag)
		}
		if seen[at] {
			return nil, fault.Validation("translations: two entries for language " + quote(p.Languages[at].Tag))
		}
		seen[at] = true
		texts[locale.Key(p.Languages[at].Tag)] = text(t)
	}
	return texts, nil
}
