package resource

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/locale"
	"svc/store"
)

// translation is an entry of a translations list. It contains two texts in one language. For a
// project, these are the name and the description. For a version or an announcement, they are the
// title and the content.
type translation struct {
	tag           string
	first, second *string
	hidden        bool // for announcements only
}

// texts specifies how to check, store and show the translations of one kind of record.
type texts[T, V any] struct {
	translationRule
	stored func(translation) T
	view   func(tag string, t T) V
}

// translationRule holds the names of the two texts and their length limits in characters, where 0
// means no limit.
type translationRule struct {
	first, second       string
	firstMax, secondMax int
	hideable            bool // an entry may set is_hidden, even without a text

	field string // the list's field name; "" = translations
	max   int    // maximum number of entries; 0 = maxTranslations
}

// maxImportedTexts is the maximum number of entries of a list in an archive.
const maxImportedTexts = 1000

// during returns the rule that applies to the given kind of write.
func (r translationRule) during(how write) translationRule {
	if how == imports {
		r.max = maxImportedTexts
	}
	return r
}

var (
	projectTexts = texts[store.ProjectText, projectTranslationView]{
		translationRule{first: "name", second: "description", firstMax: 128, secondMax: 1024},
		func(t translation) store.ProjectText { return store.ProjectText{Name: t.first, Description: t.second} },
		func(tag string, t store.ProjectText) projectTranslationView {
			return projectTranslationView{tag, t.Name, t.Description}
		},
	}
	versionTexts = texts[store.VersionText, versionTranslationView]{
		translationRule{first: "title", second: "content", firstMax: 128},
		func(t translation) store.VersionText { return store.VersionText{Title: t.first, Content: t.second} },
		func(tag string, t store.VersionText) versionTranslationView {
			return versionTranslationView{tag, t.Title, t.Content}
		},
	}
	announcementTexts = texts[store.AnnouncementText, announcementTranslationView]{
		translationRule{first: "title", second: "content", firstMax: 128, hideable: true},
		func(t translation) store.AnnouncementText {
			return store.AnnouncementText{Title: t.first, Content: t.second, Hidden: t.hidden}
		},
		func(tag string, t store.AnnouncementText) announcementTranslationView {
			return announcementTranslationView{tag, t.Title, t.Content, t.Hidden}
		},
	}
)

// views returns the translations into the project's languages.
func (k texts[T, V]) views(p *store.Project, all map[string]T) []V {
	views := []V{}
	for _, l := range p.Languages {
		if t, ok := all[locale.Key(l.Tag)]; ok {
			views = append(views, k.view(l.Tag, t))
		}
	}
	return views
}

// unregistered returns the translations into languages that are not registered in the project,
// ordered by language tag.
func (k texts[T, V]) unregistered(p *store.Project, all map[string]T) (views []V) {
	known := map[string]bool{}
	for _, l := range p.Languages {
		known[locale.Key(l.Tag)] = true
	}
	for _, tag := range slices.Sorted(maps.Keys(all)) {
		if !known[tag] {
			views = append(views, k.view(tag, all[tag]))
		}
	}
	return views
}

// inLanguage returns the texts of a record in one of the project's languages, and the tag of that
// language. language is the index of the language. It is -1 for the default texts, for which the
// results are zero values.
func (k texts[T, V]) inLanguage(p *store.Project, all map[string]T, language int) (t T, tag *string) {
	if language < 0 {
		return t, nil
	}
	tag = &p.Languages[language].Tag
	return all[locale.Key(*tag)], tag
}

// replace returns the translations to store. The keys of the map are language tags in the form that
// locale.Key returns. The result contains the translations in the list, and the previous
// translations into languages that are not registered in the project, because a list cannot change
// those.
func (k texts[T, V]) replace(p *store.Project, before map[string]T, list []translation) (map[string]T, error) {
	all := maps.Clone(before)
	if all == nil {
		all = map[string]T{}
	}
	for _, l := range p.Languages {
		delete(all, locale.Key(l.Tag))
	}
	languages := p.Locales()
	seen := map[int]bool{}
	for _, t := range list {
		at := languages.Find(t.tag)
		if at < 0 {
			return nil, fault.Validation("translations: " + web.Quote(t.tag) + " is not a registered language of the project")
		}
		if seen[at] {
			return nil, fault.Validation("translations: two entries for language " + web.Quote(p.Languages[at].Tag))
		}
		seen[at] = true
		all[locale.Key(p.Languages[at].Tag)] = k.stored(t)
	}
	return all, nil
}

// apply replaces the translations of a record if the request contains a list.
func (k texts[T, V]) apply(p *store.Project, to *map[string]T, sent web.Optional[[]json.RawMessage], list []translation) (err error) {
	if sent.Sent {
		*to, err = k.replace(p, *to, list)
	}
	return err
}

// maxTranslations is the maximum number of entries in a list.
const maxTranslations = 32

// translations checks a translations list and returns its entries. It checks the form of the list,
// the tags and the texts, but not whether the project has the languages. Blank texts count as
// unset.
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

// trimmed returns the text without surrounding white space, or nil if the result is empty.
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
