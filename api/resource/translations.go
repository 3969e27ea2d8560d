package resource

import (
	"cmp"
	"encoding/json"
	"maps"
	"strings"

	"svc/api/web"
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
	max   int    // entries; maxTranslations when 0
}

// maxTranslations is how many entries a list may have.
const maxTranslations = 32

// translations checks a translations list as far as that needs no project:
// form, tags and texts. Blank texts count as unset.
func (p *problems) translations(o web.Optional[[]json.RawMessage], rule translationRule) []translation {
	type entry struct {
		Locale  web.Optional[string] `json:"locale"`
		Name    web.Optional[string] `json:"name"`
		Desc    web.Optional[string] `json:"description"`
		Title   web.Optional[string] `json:"title"`
		Content web.Optional[string] `json:"content"`
		Hidden  web.Optional[bool]   `json:"is_hidden"`
	}
	field := cmp.Or(rule.field, "translations")
	var list []translation
	for i, e := range web.Entries[entry](&p.Problems, field, o, cmp.Or(rule.max, maxTranslations)) {
		first, second := e.Title, e.Content
		if rule.first == "name" {
			first, second = e.Name, e.Desc
		}
		p.Text(web.EntryField(field, i, rule.first), first, web.TextRule{Max: rule.firstMax, Trim: true})
		p.Text(web.EntryField(field, i, rule.second), second, web.TextRule{Max: rule.secondMax, Trim: true})
		t := translation{tag: p.tag(web.EntryField(field, i, "locale"), e.Locale), first: trimmed(first.Value), second: trimmed(second.Value)}
		if rule.hideable {
			p.Flag(web.EntryField(field, i, "is_hidden"), e.Hidden)
			t.hidden = e.Hidden.Or(false)
		}
		if t.first == nil && t.second == nil && !t.hidden && !first.Wrong && !second.Wrong {
			p.Add("%s[%d] must set %s or %s", field, i, rule.first, rule.second)
		}
		list = append(list, t)
	}
	return list
}

// tag checks a required language tag and returns it trimmed.
func (p *problems) tag(field string, o web.Optional[string]) string {
	if o.Wrong {
		p.Add("%s must be a string", field)
		return ""
	}
	if o.Value == nil {
		p.Add("%s is required", field)
		return ""
	}
	tag, ok := locale.CleanTag(*o.Value)
	if !ok {
		p.Add(`%s must have 1 to 35 characters, without control characters, / and \`, field)
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
			return nil, fault.Validation("translations: two entries for language " + web.Quote(p.Languages[at].Tag))
		}
		seen[at] = true
		texts[locale.Key(p.Languages[at].Tag)] = text(t)
	}
	return texts, nil
}
