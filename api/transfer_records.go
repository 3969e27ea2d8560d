package api

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"svc/internal/fault"
	"svc/internal/locale"
	"svc/internal/transfer"
	"svc/store"
)

// What a line of an archive may be is what the interface takes from an
// administrator, checked by the same rules, and id and times besides.

// recordInput is what all records have.
type recordInput struct {
	ID           Optional[string]            `json:"id"`
	CreatedAt    Optional[integer]           `json:"created_at"`
	UpdatedAt    Optional[integer]           `json:"updated_at"`
	Unregistered Optional[[]json.RawMessage] `json:"unregistered_translations"`
}

// record is a checked recordInput.
type record struct {
	id               store.ID // the zero ID when it has none yet
	created, updated int64    // Unix seconds
}

// record checks what all records have. Without an id or times the record is one
// of now.
func (p *problems) record(in recordInput, now int64) record {
	p.moment("created_at", in.CreatedAt, true)
	p.moment("updated_at", in.UpdatedAt, true)
	created := int64(in.CreatedAt.or(integer(now)))
	rec := record{created: created, updated: int64(in.UpdatedAt.or(integer(created)))}
	p.text("id", in.ID, textRule{})
	if in.ID.Value == nil {
		return rec
	}
	var ok bool
	if rec.id, ok = store.ParseID(*in.ID.Value); !ok {
		p.add("id must be a UUIDv7 of 36 characters")
		return rec
	}
	if in.CreatedAt.Value != nil && created != store.CreatedAt(rec.id) {
		p.add("created_at must be the time in id, %d, or left out", store.CreatedAt(rec.id))
	}
	return rec
}

// mostImportedTexts is how many translations a record may have, those into
// languages that are not registered included.
const mostImportedTexts = 1000

// importedTexts reads the translations of a record, by tag key: those into the
// languages of the project, and those into others.
func importedTexts[T any](p *problems, project *store.Project, in, others Optional[[]json.RawMessage], rule translationRule, text func(translation) T) map[string]T {
	rule.most = mostImportedTexts
	texts, err := chosen(project, p.translations(in, rule), nil, text)
	if f, ok := errors.AsType[*fault.Error](err); ok {
		p.list = append(p.list, f.Messages...)
	}
	rule.field = "unregistered_translations"
	languages := project.Locales()
	for _, t := range p.translations(others, rule) {
		if languages.Find(t.tag) >= 0 {
			p.add("unregistered_translations: %s is a registered language of the project", quote(t.tag))
			continue
		}
		if texts != nil {
			texts[locale.Key(t.tag)] = text(t)
		}
	}
	return texts
}

// readProject reads the project, its languages and its former keys.
func (im *importer) readProject() error {
	if f, _ := im.archive.Manifest.File(transfer.ProjectFile); f.Records != 1 {
		return fault.New(fault.Invalid, "%s must have one line, it has %d", transfer.ProjectFile, f.Records)
	}
	project := newProject()
	im.project = &project
	if err := im.file(transfer.LanguagesFile, im.language); err != nil {
		return err
	}
	if err := im.file(transfer.AliasesFile, im.alias); err != nil {
		return err
	}
	if err := im.file(transfer.ProjectFile, im.projectLine); err != nil {
		return err
	}
	if len(im.problems) > 0 { // the records would be held against half a project
		return errProblems
	}
	return nil
}

func (im *importer) projectLine(raw json.RawMessage) error {
	var in projectInput
	var base recordInput
	fill(&in, raw)
	fill(&base, raw)
	if im.newKey != "" {
		in.ProjectKey = Optional[string]{Sent: true, Value: &im.newKey}
	}
	translations := in.Translations
	in.Translations, base.ID = Optional[[]json.RawMessage]{}, Optional[string]{} // the id of a project is its key
	change, err := in.check(false)
	var p problems
	rec := p.record(base, im.now.Unix())
	texts := importedTexts(&p, im.project, translations, base.Unregistered, translationRule{first: "name", second: "description", firstMax: 128, secondMax: 1024},
		func(t translation) store.ProjectText { return store.ProjectText{Name: t.first, Description: t.second} })
	if err := joined(err, p.err()); err != nil {
		return err
	}
	im.project.Key = change.key
	if err := change.apply(im.project); err != nil {
		return err
	}
	im.project.Translations, im.project.CreatedAt, im.project.UpdatedAt = texts, rec.created, rec.updated
	im.project.Aliases = slices.DeleteFunc(im.project.Aliases, func(a store.Alias) bool { return a.Name == change.key })
	im.later(func(t *store.ImportTx) error { return t.CheckKey(change.key) })
	return nil
}

func (im *importer) language(raw json.RawMessage) error {
	var in languageInput
	var base recordInput
	fill(&in, raw)
	fill(&base, raw)
	edit, err := in.check(false)
	var p problems
	rec := p.record(recordInput{CreatedAt: base.CreatedAt}, im.now.Unix())
	if err := joined(err, p.err()); err != nil {
		return err
	}
	return im.project.AddLanguage(*edit.Tag, edit, rec.created)
}

func (im *importer) alias(raw json.RawMessage) error {
	var in struct {
		Alias     Optional[string]  `json:"alias"`
		CreatedAt Optional[integer] `json:"created_at"`
	}
	fill(&in, raw)
	var p problems
	p.text("alias", in.Alias, textRule{max: 64, required: true, trim: true, filled: true})
	rec := p.record(recordInput{CreatedAt: in.CreatedAt}, im.now.Unix())
	name := store.NormalKey(in.Alias.or(""))
	p.key("alias", name)
	if im.project.HasAlias(name) {
		p.add("alias %s is there twice", quote(name))
	}
	im.project.Aliases = append(im.project.Aliases, store.Alias{Name: name, CreatedAt: rec.created})
	return p.err()
}

func (im *importer) version(raw json.RawMessage) error {
	var in versionInput
	var base recordInput
	fill(&in, raw)
	fill(&base, raw)
	in.dropCopiedLink()
	translations := in.Translations
	in.Translations = Optional[[]json.RawMessage]{}
	change, err := in.check(creates)
	var p problems
	rec := p.record(base, im.now.Unix())
	texts := importedTexts(&p, im.project, translations, base.Unregistered, translationRule{first: "title", second: "content", firstMax: 128},
		func(t translation) store.VersionText { return store.VersionText{Title: t.first, Content: t.second} })
	if err := joined(err, p.err()); err != nil {
		return err
	}
	v := &store.Version{ID: rec.id, Latest: in.IsLatest.or(false), PublishedAt: rec.created}
	if err := change.apply(im.project, v); err != nil {
		return err
	}
	if v.Translations = texts; in.Platforms.Sent {
		v.Platform, v.Platforms = change.platform, change.platforms
	}
	if im.versions[v.Version] {
		return fault.New(fault.Invalid, "version %s is there twice", quote(v.Version))
	}
	im.versions[v.Version] = true
	im.later(func(t *store.ImportTx) error { return t.Version(v, rec.created) })
	return nil
}

// dropCopiedLink drops a list of links that says no more than the single
// address, which need not be a URL.
func (in *versionInput) dropCopiedLink() {
	if in.DownloadURL.Value == nil || len(in.DownloadLinks.or(nil)) != 1 {
		return
	}
	var link struct {
		URL      Optional[string] `json:"url"`
		Name     Optional[string] `json:"name"`
		Platform Optional[string] `json:"platform"`
	}
	if only := (*in.DownloadLinks.Value)[0]; only[0] == '{' {
		fill(&link, only)
	}
	if link.URL.or("") == *in.DownloadURL.Value && link.Name.or("") == "" && link.Platform.or("") == "" {
		in.DownloadLinks = Optional[[]json.RawMessage]{}
	}
}

func (im *importer) announcement(raw json.RawMessage) error {
	var in announcementInput
	var base recordInput
	fill(&in, raw)
	fill(&base, raw)
	translations := in.Translations
	in.Translations = Optional[[]json.RawMessage]{}
	change, err := in.check(false)
	var p problems
	rec := p.record(base, im.now.Unix())
	texts := importedTexts(&p, im.project, translations, base.Unregistered, translationRule{first: "title", second: "content", firstMax: 128, hideable: true},
		func(t translation) store.AnnouncementText {
			return store.AnnouncementText{Title: t.first, Content: t.second, Hidden: t.hidden}
		})
	if err := joined(err, p.err()); err != nil {
		return err
	}
	a := &store.Announcement{ID: rec.id, PublishedAt: rec.created, UpdatedAt: rec.updated}
	if err := change.apply(im.project, a); err != nil {
		return err
	}
	a.Translations = texts
	im.later(func(t *store.ImportTx) error { return t.Announcement(a, rec.created) })
	return nil
}

// senderInput is what is known of the client that sent something.
type senderInput struct {
	IP          Optional[string] `json:"ip"`
	UserAgent   Optional[string] `json:"user_agent"`
	CountryCode Optional[string] `json:"country_code"`
	CountryName Optional[string] `json:"country_name"`
	RegionName  Optional[string] `json:"region_name"`
	City        Optional[string] `json:"city"`
}

func (p *problems) sender(raw json.RawMessage) store.Sender {
	var in senderInput
	fill(&in, raw)
	p.text("ip", in.IP, textRule{max: 64})
	p.text("user_agent", in.UserAgent, textRule{max: 512})
	p.text("country_code", in.CountryCode, textRule{max: 16})
	p.text("country_name", in.CountryName, textRule{max: 256})
	p.text("region_name", in.RegionName, textRule{max: 256})
	p.text("city", in.City, textRule{max: 256})
	return store.Sender{
		IP: in.IP.Value, UserAgent: in.UserAgent.Value, CountryCode: in.CountryCode.Value,
		CountryName: in.CountryName.Value, RegionName: in.RegionName.Value, City: in.City.Value,
	}
}

func (im *importer) feedback(raw json.RawMessage) error {
	var in feedbackInput
	var base recordInput
	fill(&in, raw)
	fill(&base, raw)
	change, err := in.checkByAdmin(false)
	var p problems
	rec, sender := p.record(base, im.now.Unix()), p.sender(raw)
	if err := joined(err, p.err()); err != nil {
		return err
	}
	f := &store.Feedback{ID: rec.id}
	change.apply(f)
	f.Sender = sender
	im.later(func(t *store.ImportTx) error { return t.Feedback(f, rec.created) })
	return nil
}

func (im *importer) log(raw json.RawMessage) error {
	var in logInput
	var base recordInput
	fill(&in, raw)
	fill(&base, raw)
	var p problems
	l := in.byAdmin(&p)
	rec := p.record(base, im.now.Unix())
	l.ID, l.Sender = rec.id, p.sender(raw)
	if err := p.err(); err != nil {
		return err
	}
	im.later(func(t *store.ImportTx) error { return t.Log(l, rec.created) })
	return nil
}

func (im *importer) card(raw json.RawMessage) error {
	var in cardInput
	var names struct {
		ID      Optional[string]  `json:"card_id"`
		Created Optional[integer] `json:"created_time"`
		Updated Optional[integer] `json:"updated_time"`
	}
	fill(&in, raw)
	fill(&names, raw)
	var p problems
	rec := p.record(recordInput{ID: names.ID, CreatedAt: names.Created, UpdatedAt: names.Updated}, im.now.Unix())
	for i, text := range p.list { // a card has names of its own for these
		p.list[i] = strings.NewReplacer("created_at", "created_time", "updated_at", "updated_time", "id ", "card_id ", "in id,", "in card_id,").Replace(text)
	}
	if err := joined(in.check(false, im.now), p.err()); err != nil {
		return err
	}
	c := &store.Card{ID: rec.id, UpdatedAt: rec.updated}
	in.apply(c)
	im.later(func(t *store.ImportTx) error { return t.Card(c, rec.created) })
	return nil
}
