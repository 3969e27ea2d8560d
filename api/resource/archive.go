package resource

import (
	"encoding/json"
	"maps"
	"math"
	"slices"

	"svc/api/web"
	"svc/internal/asset"
	"svc/internal/locale"
	"svc/internal/release"
	"svc/internal/rollout"
	"svc/store"
)

// An archive contains a line for each record, with the fields that an administrator sees. A line
// also contains the texts in languages that are not registered, which only an import needs. An
// import accepts the fields that the API accepts from an administrator, and checks them by the same
// rules. It also accepts the id and the times of a record.

// ArchiveProject returns the line for a project in an archive, to be encoded as JSON.
func ArchiveProject(p *store.Project) any {
	return struct {
		projectView
		Unregistered []projectTranslationView `json:"unregistered_translations,omitempty"`
	}{viewProjectFully(p), projectTexts.unregistered(p, p.Translations)}
}

// ArchiveVersion returns the line for a version in an archive, to be encoded as JSON. The parameter
// downgradeTo is the display text of the version that replaces v if v is yanked, or "" if none was
// chosen.
func ArchiveVersion(p *store.Project, v *store.Version, downgradeTo string) any {
	return struct {
		versionView
		DowngradeTo  string                    `json:"yank_downgrade_to,omitempty"` // the display text, because an import may give new ids
		Unregistered []versionTranslationView  `json:"unregistered_translations,omitempty"`
		Rollout      *rollout.Rollout          `json:"rollout,omitempty"`
		Assets       map[string]asset.Override `json:"assets,omitempty"` // the fields that were set by hand
	}{viewVersionFully(p, v), downgradeTo, versionTexts.unregistered(p, v.Translations), v.Rollout, v.Assets}
}

// ArchiveAnnouncement returns the line for an announcement in an archive, to be encoded as JSON.
func ArchiveAnnouncement(p *store.Project, a *store.Announcement) any {
	return struct {
		announcementView
		Draft        bool                          `json:"draft,omitempty"`
		Unregistered []announcementTranslationView `json:"unregistered_translations,omitempty"`
	}{viewAnnouncementFully(p, a), a.Draft, announcementTexts.unregistered(p, a.Translations)}
}

// unregisteredInput holds a record's texts in languages that are not registered in its project.
type unregisteredInput struct {
	Unregistered web.Optional[[]json.RawMessage] `json:"unregistered_translations"`
}

// unregisteredTexts returns the translations of a record into languages that are not registered in
// its project. The keys of the map are language tags in the form that locale.Key returns.
func unregisteredTexts[T, V any](p *problems, project *store.Project, of texts[T, V], in web.Optional[[]json.RawMessage]) map[string]T {
	rule := of.during(imports)
	rule.field = "unregistered_translations"
	all, languages := map[string]T{}, project.Locales()
	for _, t := range p.translations(in, rule) {
		if languages.Find(t.tag) >= 0 {
			p.Add("unregistered_translations: %s is a registered language of the project", web.Quote(t.tag))
			continue
		}
		all[locale.Key(t.tag)] = of.stored(t)
	}
	return all
}

// archived reads the fields of an archive line that only an import accepts: the ID, the times and
// the unregistered translations. checked is the error from checking the other fields. The returned
// error contains the problems of all fields.
func archived[T, V any](
	raw json.RawMessage, project *store.Project, of texts[T, V], now int64, checked error,
) (rec web.Record, texts map[string]T, err error) {
	var in struct {
		web.RecordInput
		unregisteredInput
	}
	web.Fill(&in, raw)
	var p problems
	rec = p.Record(in.RecordInput, now)
	texts = unregisteredTexts(&p, project, of, in.Unregistered)
	return rec, texts, web.JoinValidation(checked, p.Err())
}

// addTexts adds the given translations to the translations of a record. It does not replace
// existing translations.
func addTexts[T any](to *map[string]T, texts map[string]T) {
	maps.Copy(texts, *to)
	*to = texts
}

// ReadProject reads a project from an archive into project. The project's languages and aliases
// must already be set. If key is not empty, it replaces the key in the archive.
func ReadProject(raw json.RawMessage, project *store.Project, key string, now int64) error {
	var in struct {
		projectInput
		web.RecordInput
		unregisteredInput
	}
	web.Fill(&in, raw)
	if key != "" {
		in.ProjectKey = web.Optional[string]{Sent: true, Value: &key}
	}
	change, err := in.check(imports)
	var p problems
	rec := p.Record(web.RecordInput{CreatedAt: in.CreatedAt, UpdatedAt: in.UpdatedAt}, now) // a project's id is its key
	texts := unregisteredTexts(&p, project, projectTexts, in.Unregistered)
	if err := web.JoinValidation(err, p.Err()); err != nil {
		return err
	}
	project.Key = change.key
	if err := change.apply(project); err != nil {
		return err
	}
	addTexts(&project.Translations, texts)
	project.CreatedAt, project.UpdatedAt = rec.Created, rec.Updated
	project.Aliases = slices.DeleteFunc(project.Aliases, func(a store.Alias) bool { return a.Name == change.key })
	return nil
}

// ReadLanguage reads a language from an archive and adds it to project.
func ReadLanguage(raw json.RawMessage, project *store.Project, now int64) error {
	var in struct {
		languageInput
		web.RecordInput
	}
	web.Fill(&in, raw)
	edit, err := in.check(creates)
	var p problems
	rec := p.Record(web.RecordInput{CreatedAt: in.CreatedAt}, now)
	if err := web.JoinValidation(err, p.Err()); err != nil {
		return err
	}
	return project.AddLanguage(*edit.Tag, edit, rec.Created)
}

// ReadAlias reads a former key from an archive and adds it to project.
func ReadAlias(raw json.RawMessage, project *store.Project, now int64) error {
	var in struct {
		Alias     web.Optional[string]      `json:"alias"`
		CreatedAt web.Optional[web.Integer] `json:"created_at"`
	}
	web.Fill(&in, raw)
	var p problems
	p.Text("alias", in.Alias, web.TextRule{Max: 64, Required: true, Trim: true, Filled: true})
	rec := p.Record(web.RecordInput{CreatedAt: in.CreatedAt}, now)
	name := store.NormalKey(in.Alias.Or(""))
	p.key("alias", name)
	if project.HasAlias(name) {
		p.Add("alias %s occurs twice", web.Quote(name))
	}
	project.Aliases = append(project.Aliases, store.Alias{Name: name, CreatedAt: rec.Created})
	return p.Err()
}

// ReadVersion reads a version from an archive. channels are the project's own channels.
// downgradeTo is the display text of the version that replaces it if it is yanked, or "".
func ReadVersion(
	raw json.RawMessage, project *store.Project, channels release.Channels, now int64,
) (_ *store.Version, created int64, downgradeTo string, err error) {
	var in struct {
		versionInput
		archivedYank
	}
	web.Fill(&in, raw)
	change, err := in.versionInput.check(imports)
	assets, problem := archivedAssets(raw)
	yank, yankErr := in.archivedYank.check()
	rec, texts, err := archived(raw, project, versionTexts, now, web.JoinValidation(web.JoinValidation(err, problem), yankErr))
	if err != nil {
		return nil, 0, "", err
	}
	v := &store.Version{ID: rec.ID, Assets: assets, Latest: in.IsLatest.Or(false), PublishedAt: rec.Created, Yank: yank}
	if err := change.apply(project, channels, v); err != nil {
		return nil, 0, "", err
	}
	v.Rollout = change.archived
	if addTexts(&v.Translations, texts); in.Platforms.Sent {
		v.Platform, v.Platforms = change.platform, change.platforms
	}
	return v, rec.Created, in.DowngradeTo.Or(""), nil
}

// archivedYank is the withdrawal of a version in an archive.
type archivedYank struct {
	YankedAt    web.Optional[web.Integer] `json:"yanked_at"`
	YankReason  web.Optional[string]      `json:"yank_reason"`
	DowngradeTo web.Optional[string]      `json:"yank_downgrade_to"`
}

// check returns the withdrawal, or nil if there is none.
func (in archivedYank) check() (*release.Yank, error) {
	p := checking(imports)
	p.UnixTime("yanked_at", in.YankedAt, false)
	p.Text("yank_reason", in.YankReason, web.TextRule{Max: 512, Required: in.YankedAt.Value != nil, Filled: true})
	p.Text("yank_downgrade_to", in.DowngradeTo, web.TextRule{Max: 64})
	if in.YankedAt.Value == nil {
		return nil, p.Err()
	}
	return &release.Yank{At: int64(*in.YankedAt.Value), Reason: in.YankReason.Or("")}, p.Err()
}

// archivedAssets reads, from a version's line in an archive, the fields of assets that were set by
// hand. The keys of the map are the names of the assets.
func archivedAssets(raw json.RawMessage) (map[string]asset.Override, error) {
	var in struct {
		Assets web.Optional[map[string]asset.Override] `json:"assets"`
	}
	web.Fill(&in, raw)
	var p problems
	if in.Assets.Wrong {
		p.Add("assets must be an object with the fields of each asset")
	}
	assets := in.Assets.Or(nil)
	if len(assets) > store.MaxOverrides {
		p.Add("assets must have at most %d names", store.MaxOverrides)
	}
	for _, name := range slices.Sorted(maps.Keys(assets)) {
		for _, problem := range assets[name].Problems() {
			p.Add("assets: %s: %s", web.Quote(name), problem)
		}
	}
	return assets, p.Err()
}

// ReadAnnouncement reads an announcement from an archive.
func ReadAnnouncement(raw json.RawMessage, project *store.Project, now int64) (_ *store.Announcement, created int64, err error) {
	var in struct {
		announcementInput
		Draft web.Optional[bool] `json:"draft"`
	}
	web.Fill(&in, raw)
	change, err := in.check(imports)
	var p problems
	p.Flag("draft", in.Draft)
	rec, texts, err := archived(raw, project, announcementTexts, now, web.JoinValidation(err, p.Err()))
	if err != nil {
		return nil, 0, err
	}
	a := &store.Announcement{ID: rec.ID, PublishedAt: rec.Created, UpdatedAt: rec.Updated}
	if err := change.apply(project, a); err != nil {
		return nil, 0, err
	}
	a.Draft = a.Hidden && in.Draft.Or(false)
	addTexts(&a.Translations, texts)
	return a, rec.Created, nil
}

// senderInput is the information about the client that sent a submission.
type senderInput struct {
	IP          web.Optional[string] `json:"ip"`
	UserAgent   web.Optional[string] `json:"user_agent"`
	CountryCode web.Optional[string] `json:"country_code"`
	CountryName web.Optional[string] `json:"country_name"`
	RegionName  web.Optional[string] `json:"region_name"`
	City        web.Optional[string] `json:"city"`
}

// ReadSender reads, from an archive, the information about the client that sent a submission.
func ReadSender(p *web.Problems, raw json.RawMessage) store.Sender {
	var in senderInput
	web.Fill(&in, raw)
	p.Text("ip", in.IP, web.TextRule{Max: 64})
	p.Text("user_agent", in.UserAgent, web.TextRule{Max: 512})
	p.Text("country_code", in.CountryCode, web.TextRule{Max: 16})
	p.Text("country_name", in.CountryName, web.TextRule{Max: 256})
	p.Text("region_name", in.RegionName, web.TextRule{Max: 256})
	p.Text("city", in.City, web.TextRule{Max: 256})
	return store.Sender{
		IP: in.IP.Value, UserAgent: in.UserAgent.Value, CountryCode: in.CountryCode.Value,
		CountryName: in.CountryName.Value, RegionName: in.RegionName.Value, City: in.City.Value,
	}
}

// issueInput describes the issue that was created from feedback.
type issueInput struct {
	Forwarded web.Optional[bool]        `json:"forwarded_to_codehost"`
	Number    web.Optional[web.Integer] `json:"codehost_issue_number"`
	URL       web.Optional[string]      `json:"codehost_issue_url"`
}

func (in issueInput) check(p *problems) {
	p.Flag("forwarded_to_codehost", in.Forwarded)
	p.Number("codehost_issue_number", in.Number, 1, math.MaxInt64, false)
	p.Text("codehost_issue_url", in.URL, web.TextRule{Max: 2048})
	if !in.Forwarded.Or(false) && (in.Number.Value != nil || in.URL.Value != nil) {
		p.Add("codehost_issue_number and codehost_issue_url must be left out where forwarded_to_codehost is not true")
	}
}

// repliedInput is the time of the reply to feedback.
type repliedInput struct {
	RepliedAt web.Optional[web.Integer] `json:"replied_at"`
}

// check returns the time of the reply. A reply without a time gets the current time.
func (in repliedInput) check(p *problems, reply *string, now int64) *int64 {
	p.UnixTime("replied_at", in.RepliedAt, false)
	switch {
	case web.OrNil(reply) != nil:
		return new(int64(in.RepliedAt.Or(web.Integer(now))))
	case in.RepliedAt.Value != nil:
		p.Add("replied_at must be left out where there is no reply")
	}
	return nil
}

// ReadFeedback reads feedback from an archive.
func ReadFeedback(raw json.RawMessage, now int64) (_ *store.Feedback, created int64, err error) {
	var in struct {
		feedbackInput
		web.RecordInput
		issueInput
		repliedInput
	}
	web.Fill(&in, raw)
	change, err := in.checkByAdmin(creates)
	var p problems
	in.issueInput.check(&p)
	replied := in.repliedInput.check(&p, in.Reply.Value, now)
	rec, sender := p.Record(in.RecordInput, now), ReadSender(&p.Problems, raw)
	if err := web.JoinValidation(err, p.Err()); err != nil {
		return nil, 0, err
	}
	f := &store.Feedback{ID: rec.ID}
	change.apply(f, now)
	f.RepliedAt = replied
	f.Sender, f.Forwarded, f.IssueNumber, f.IssueURL = sender, in.Forwarded.Or(false), (*int64)(in.Number.Value), in.URL.Value
	return f, rec.Created, nil
}

// ReadLog reads a log from an archive.
func ReadLog(raw json.RawMessage, now int64) (_ *store.Log, created int64, err error) {
	var in struct {
		logInput
		web.RecordInput
	}
	web.Fill(&in, raw)
	var p problems
	l := in.byAdmin(&p)
	rec := p.Record(in.RecordInput, now)
	l.ID, l.Sender = rec.ID, ReadSender(&p.Problems, raw)
	return l, rec.Created, p.Err()
}
