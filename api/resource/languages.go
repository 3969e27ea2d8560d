package resource

import (
	"encoding/json"
	"strings"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/locale"
	"svc/store"
)

func (h *Handlers) languageRoutes() []web.Route {
	const all = web.V1 + "/admin/projects/:k/locales"
	read, write := web.ByScope("projects:read"), web.ByScope("projects:write")
	return []web.Route{
		{Method: "GET", Path: all, Access: read, Handler: projectAnswer(h, viewLanguages)},
		{Method: "POST", Path: all, Access: write, Handler: web.Created(web.Checked(languageInput.check, creates, h.registerLanguage))},
		{Method: "PATCH", Path: all + "/:locale", Access: write, Handler: web.OK(web.Checked(languageInput.check, updates, h.updateLanguage))},
		{Method: "DELETE", Path: all + "/:locale", Access: write, Handler: web.Done(h.deleteLanguage)},
	}
}

type languageView struct {
	Locale    string   `json:"locale"`
	Aliases   []string `json:"aliases"`
	Label     *string  `json:"label"`
	CreatedAt int64    `json:"created_at"`
}

// ViewLanguage returns the JSON form of a project's language.
func ViewLanguage(l store.Language) languageView {
	v := languageView{Locale: l.Tag, Aliases: l.Synonyms, Label: l.Label, CreatedAt: l.CreatedAt}
	if v.Aliases == nil {
		v.Aliases = []string{}
	}
	return v
}

type languageInput struct {
	Locale  web.Optional[string]            `json:"locale"`
	Aliases web.Optional[[]json.RawMessage] `json:"aliases"`
	Label   web.Optional[string]            `json:"label"`
}

// maxSynonyms is the maximum number of synonyms of a language.
const maxSynonyms = 16

func (in languageInput) check(how write) (store.LanguageEdit, error) {
	p, update := checking(how), how == updates
	var edit store.LanguageEdit
	switch {
	case !update || in.Locale.Value != nil || in.Locale.Wrong:
		edit.Tag = new(p.tag("locale", in.Locale))
	case in.Locale.Null():
		p.Add("locale must not be null")
	}
	if in.Aliases.Sent && (update || !in.Aliases.Null()) {
		edit.Synonyms = new(p.synonyms(in.Aliases))
	}
	p.Text("label", in.Label, web.TextRule{Max: 64, Trim: true})
	if in.Label.Sent && (update || !in.Label.Null()) {
		edit.Label = new(trimmed(in.Label.Value))
	}
	return edit, p.Err()
}

func (p *problems) synonyms(o web.Optional[[]json.RawMessage]) []string {
	synonyms := []string{}
	for i, text := range p.Texts("aliases", o, maxSynonyms, 35) {
		tag, ok := locale.CleanTag(text)
		if !ok {
			p.Add(`aliases[%d] must have 1 to 35 characters, without control characters, / and \`, i)
		}
		synonyms = append(synonyms, tag)
	}
	return synonyms
}

func viewLanguages(p *store.Project) web.ListView {
	return web.ListView{Data: web.Views(p.Languages, ViewLanguage)}
}

func (h *Handlers) registerLanguage(r *web.Request, edit store.LanguageEdit) (v languageView, err error) {
	err = r.Update(h.DB, func(tx *store.Tx, p *store.Project) error {
		at, err := tx.RegisterLanguage(p, *edit.Tag, edit)
		if err == nil {
			v = ViewLanguage(p.Languages[at])
		}
		return err
	})
	return v, err
}

func (h *Handlers) updateLanguage(r *web.Request, edit store.LanguageEdit) (v languageView, err error) {
	err = h.editLanguage(r, func(tx *store.Tx, p *store.Project, at int) error {
		err := tx.UpdateLanguage(p, at, edit)
		v = ViewLanguage(p.Languages[at])
		return err
	})
	return v, err
}

func (h *Handlers) deleteLanguage(r *web.Request) error {
	return h.editLanguage(r, (*store.Tx).RemoveLanguage)
}

// editLanguage finds the language in the path, by its primary tag or a synonym, and calls edit with
// the language's index. Both happen in one transaction.
func (h *Handlers) editLanguage(r *web.Request, edit func(tx *store.Tx, p *store.Project, at int) error) error {
	return r.Update(h.DB, func(tx *store.Tx, p *store.Project) error {
		at := p.Locales().Find(strings.TrimSpace(r.Param("locale")))
		if at < 0 {
			return fault.New(fault.NotFound, "the project has no language %s", web.Quote(r.Param("locale")))
		}
		return edit(tx, p, at)
	})
}
