package store

import (
	"slices"

	"svc/internal/fault"
	"svc/internal/locale"
)

// Language is a language in which a project's texts may be translated.
type Language struct {
	Tag       string   `json:"tag"` // primary tag, as written at registration
	Synonyms  []string `json:"synonyms,omitempty"`
	Label     *string  `json:"label,omitempty"`
	CreatedAt int64    `json:"created_at"`
}

// LanguageEdit is a partial change of a language; nil is a field to keep.
type LanguageEdit struct {
	Tag      *string
	Synonyms *[]string
	Label    **string
}

// Locales returns the set of registered languages; its indexes are those of
// p.Languages.
func (p *Project) Locales() *locale.Set {
	all := make([]locale.Language, len(p.Languages))
	for i, l := range p.Languages {
		all[i] = locale.Language{Tag: l.Tag, Synonyms: l.Synonyms}
	}
	return locale.NewSet(all)
}

// RegisterLanguage adds a language to p, or changes the one that answers to
// the tag already, whose primary tag then stays. It returns the index of the
// language.
func (tx *Tx) RegisterLanguage(p *Project, tag string, edit LanguageEdit) (int, error) {
	at := p.Locales().Find(tag)
	if at < 0 {
		at = len(p.Languages)
		p.Languages = append(p.Languages, Language{Tag: tag, CreatedAt: tx.now.Unix()})
	}
	edit.Tag = nil
	if err := p.editLanguage(at, edit); err != nil {
		return 0, err
	}
	return at, tx.PutProject(p)
}

// UpdateLanguage changes the language at an index of p.Languages. Another
// primary tag takes the stored translations of project and versions along; if
// there are some of a language that is no longer registered in its place,
// that is a Conflict.
func (tx *Tx) UpdateLanguage(p *Project, at int, edit LanguageEdit) error {
	from := locale.Key(p.Languages[at].Tag)
	if err := p.editLanguage(at, edit); err != nil {
		return err
	}
	if to := locale.Key(p.Languages[at].Tag); to != from {
		if err := tx.moveTranslations(p, from, to); err != nil {
			return err
		}
	}
	return tx.PutProject(p)
}

// RemoveLanguage unregisters a language. Its translations stay stored and
// come back with it.
func (tx *Tx) RemoveLanguage(p *Project, at int) error {
	p.Languages = slices.Delete(p.Languages, at, at+1)
	return tx.PutProject(p)
}

// editLanguage applies edit and keeps each tag key with one language.
func (p *Project) editLanguage(at int, edit LanguageEdit) error {
	others := p.Locales()
	taken := func(tag string) bool {
		i := others.Find(tag)
		return i >= 0 && i != at
	}
	l := &p.Languages[at]
	if edit.Tag != nil {
		if taken(*edit.Tag) {
			return fault.New(fault.Invalid, "locale %q belongs to language %q", *edit.Tag, p.Languages[others.Find(*edit.Tag)].Tag)
		}
		l.Tag = *edit.Tag
	}
	synonyms := l.Synonyms
	if edit.Synonyms != nil {
		synonyms = *edit.Synonyms
	}
	l.Synonyms = locale.CleanSynonyms(l.Tag, synonyms)
	for _, s := range l.Synonyms {
		if taken(s) {
			return fault.New(fault.Invalid, "aliases: %q belongs to language %q", s, p.Languages[others.Find(s)].Tag)
		}
	}
	if edit.Label != nil {
		l.Label = *edit.Label
	}
	return nil
}

// moveTranslations renames the tag key under which the texts of a language
// are stored.
func (tx *Tx) moveTranslations(p *Project, from, to string) error {
	if _, err := rename(p.Translations, from, to); err != nil {
		return err
	}
	err := moveTexts(p.ID, tx.EachVersion, tx.putVersion, func(v *Version) (bool, error) { return rename(v.Translations, from, to) })
	if err != nil {
		return err
	}
	return moveTexts(p.ID, tx.EachAnnouncement, tx.PutAnnouncement, func(a *Announcement) (bool, error) { return rename(a.Translations, from, to) })
}

// moveTexts renames a tag key in all records of a kind.
func moveTexts[R any](p ProjectID, each func(ProjectID, func(*R) error) error, put func(ProjectID, *R) error, rename func(*R) (moved bool, err error)) error {
	var changed []*R
	err := each(p, func(rec *R) error {
		moved, err := rename(rec)
		if moved {
			changed = append(changed, rec)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, rec := range changed {
		if err := put(p, rec); err != nil {
			return err
		}
	}
	return nil
}

// rename gives the text of one tag key to another one, which must not have a text.
func rename[T any](texts map[string]T, from, to string) (moved bool, err error) {
	if _, occupied := texts[to]; occupied {
		return false, fault.New(fault.Conflict, "translations of an unregistered language are stored under locale %q; register it first or choose another tag", to)
	}
	text, moved := texts[from]
	if moved {
		texts[to] = text
		delete(texts, from)
	}
	return moved, nil
}
