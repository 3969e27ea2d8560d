package api

import (
	"encoding/json"
	"net/http"
	"strings"

	"svc/internal/fault"
	"svc/internal/locale"
	"svc/store"
)

func (s *Server) languageRoutes() []route {
	const all = v1 + "/admin/projects/:k/locales"
	return []route{
		{method: "GET", path: all, access: key("projects:read"), handler: s.listLanguages},
		{method: "POST", path: all, access: key("projects:write"), handler: s.registerLanguage},
		{method: "PATCH", path: all + "/:locale", access: key("projects:write"), handler: s.updateLanguage},
		{method: "DELETE", path: all + "/:locale", access: key("projects:write"), handler: s.deleteLanguage},
	}
}

type languageView struct {
	Locale    string   `json:"locale"`
	Aliases   []string `json:"aliases"`
	Label     *string  `json:"label"`
	CreatedAt int64    `json:"created_at"`
}

func viewLanguage(l store.Language) languageView {
	v := languageView{Locale: l.Tag, Aliases: l.Synonyms, Label: l.Label, CreatedAt: l.CreatedAt}
	if v.Aliases == nil {
		v.Aliases = []string{}
	}
	return v
}

type languageInput struct {
	Locale  Optional[string]            `json:"locale"`
	Aliases Optional[[]json.RawMessage] `json:"aliases"`
	Label   Optional[string]            `json:"label"`
}

// mostSynonyms is how many synonyms a language may have.
const mostSynonyms = 16

func (in languageInput) check(update bool) (store.LanguageEdit, error) {
	p := problems{update: update}
	var edit store.LanguageEdit
	switch {
	case !update || in.Locale.Value != nil || in.Locale.Wrong:
		tag := p.tag("locale", in.Locale)
		edit.Tag = &tag
	case in.Locale.null():
		p.add("locale must not be null")
	}
	if in.Aliases.Sent && (update || !in.Aliases.null()) {
		synonyms := p.synonyms(in.Aliases)
		edit.Synonyms = &synonyms
	}
	p.text("label", in.Label, textRule{max: 64, trim: true})
	if in.Label.Sent && (update || !in.Label.null()) {
		label := trimmed(in.Label.Value)
		edit.Label = &label
	}
	return edit, p.err()
}

func (p *problems) synonyms(o Optional[[]json.RawMessage]) []string {
	synonyms := []string{}
	for i, text := range p.texts("aliases", o, mostSynonyms, 35) {
		tag, ok := locale.CleanTag(text)
		if !ok {
			p.add(`aliases[%d] must have 1 to 35 characters, without control characters, / and \`, i)
		}
		synonyms = append(synonyms, tag)
	}
	return synonyms
}

func (s *Server) listLanguages(w http.ResponseWriter, r *request) error {
	p, err := r.reached(s.db.FindProject(r.param("k")))
	if err != nil {
		return err
	}
	views := []languageView{}
	for _, l := range p.Languages {
		views = append(views, viewLanguage(l))
	}
	return respond(w, http.StatusOK, listView{Data: views})
}

func (s *Server) registerLanguage(w http.ResponseWriter, r *request) error {
	var in languageInput
	if err := decode(r, &in); err != nil {
		return err
	}
	edit, err := in.check(false)
	if err != nil {
		return err
	}
	var registered store.Language
	err = s.db.Update(func(tx *store.Tx) error {
		p, err := r.project(tx)
		if err != nil {
			return err
		}
		at, err := tx.RegisterLanguage(p, *edit.Tag, edit)
		if err != nil {
			return err
		}
		registered = p.Languages[at]
		return nil
	})
	if err != nil {
		return err
	}
	return respond(w, http.StatusCreated, viewLanguage(registered))
}

func (s *Server) updateLanguage(w http.ResponseWriter, r *request) error {
	var in languageInput
	if err := decode(r, &in); err != nil {
		return err
	}
	edit, err := in.check(true)
	if err != nil {
		return err
	}
	var changed store.Language
	err = s.editLanguage(r, func(tx *store.Tx, p *store.Project, at int) error {
		if err := tx.UpdateLanguage(p, at, edit); err != nil {
			return err
		}
		changed = p.Languages[at]
		return nil
	})
	if err != nil {
		return err
	}
	return respond(w, http.StatusOK, viewLanguage(changed))
}

func (s *Server) deleteLanguage(w http.ResponseWriter, r *request) error {
	err := s.editLanguage(r, func(tx *store.Tx, p *store.Project, at int) error {
		return tx.RemoveLanguage(p, at)
	})
	if err != nil {
		return err
	}
	return respondDeleted(w)
}

// editLanguage finds the language in the path, by primary tag or synonym, and
// changes it in one transaction.
func (s *Server) editLanguage(r *request, edit func(tx *store.Tx, p *store.Project, at int) error) error {
	return s.db.Update(func(tx *store.Tx) error {
		p, err := r.project(tx)
		if err != nil {
			return err
		}
		at := p.Locales().Find(strings.TrimSpace(r.param("locale")))
		if at < 0 {
			return fault.New(fault.NotFound, "the project has no language %s", quote(r.param("locale")))
		}
		return edit(tx, p, at)
	})
}
