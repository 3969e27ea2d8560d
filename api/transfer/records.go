package transfer

import (
	"encoding/json"

	"svc/api/analytics"
	"svc/api/resource"
	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/transfer"
	"svc/store"
)

// readProject reads the project, its languages and its former keys.
func (im *importer) readProject() error {
	if f, _ := im.archive.Manifest.File(transfer.ProjectFile); f.Records != 1 {
		return fault.New(fault.Invalid, "%s must have one line, it has %d", transfer.ProjectFile, f.Records)
	}
	project := resource.NewProject()
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

// projectLine reads the project, after its languages and former keys.
func (im *importer) projectLine(raw json.RawMessage) error {
	if err := resource.ReadProject(raw, im.project, im.newKey, im.now.Unix()); err != nil {
		return err
	}
	key := im.project.Key
	im.later(func(t *store.ImportTx) error { return t.CheckKey(key) })
	return nil
}

func (im *importer) language(raw json.RawMessage) error {
	return resource.ReadLanguage(raw, im.project, im.now.Unix())
}

func (im *importer) alias(raw json.RawMessage) error {
	return resource.ReadAlias(raw, im.project, im.now.Unix())
}

func (im *importer) version(raw json.RawMessage) error {
	v, created, err := resource.ReadVersion(raw, im.project, im.now.Unix())
	if err != nil {
		return err
	}
	if im.versions[v.Version] {
		return fault.New(fault.Invalid, "version %s is there twice", web.Quote(v.Version))
	}
	im.versions[v.Version] = true
	im.later(func(t *store.ImportTx) error { return t.Version(v, created) })
	return nil
}

func (im *importer) announcement(raw json.RawMessage) error {
	a, created, err := resource.ReadAnnouncement(raw, im.project, im.now.Unix())
	if err == nil {
		im.later(func(t *store.ImportTx) error { return t.Announcement(a, created) })
	}
	return err
}

func (im *importer) feedback(raw json.RawMessage) error {
	f, created, err := resource.ReadFeedback(raw, im.now.Unix())
	if err == nil {
		im.later(func(t *store.ImportTx) error { return t.Feedback(f, created) })
	}
	return err
}

func (im *importer) log(raw json.RawMessage) error {
	l, created, err := resource.ReadLog(raw, im.now.Unix())
	if err == nil {
		im.later(func(t *store.ImportTx) error { return t.Log(l, created) })
	}
	return err
}

func (im *importer) card(raw json.RawMessage) error {
	c, created, err := analytics.ReadCard(raw, im.now)
	if err == nil {
		im.later(func(t *store.ImportTx) error { return t.Card(c, created) })
	}
	return err
}

func (im *importer) definition(raw json.RawMessage) error {
	d, err := analytics.ReadDefinition(raw, im.now.Unix())
	if err != nil {
		return err
	}
	if im.names[d.Name] {
		return fault.New(fault.Invalid, "name %s is there twice", web.Quote(d.Name))
	}
	im.names[d.Name] = true
	im.definitions = append(im.definitions, d)
	return nil
}
