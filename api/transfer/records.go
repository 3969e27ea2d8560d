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

// readProject reads the languages and the former keys of the project, and then the project.
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
	if len(im.problems) > 0 { // otherwise the records would be compared with an incomplete project
		return errProblems
	}
	return nil
}

// projectLine reads the project. The languages and former keys of the project must already have
// been read.
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

func (im *importer) distribution(raw json.RawMessage) error {
	d, err := resource.ReadDistribution(raw)
	if err != nil {
		return err
	}
	im.channels = d.Channels
	im.later(func(t *store.ImportTx) error { return t.Distribution(d) })
	return nil
}

func (im *importer) trustKey(raw json.RawMessage) error {
	k, err := resource.ReadTrustKey(raw, im.now.Unix())
	if err != nil {
		return err
	}
	keys := append(im.trustKeys, *k)
	if err := store.CheckTrustKeys(keys); err != nil {
		return err
	}
	im.trustKeys = keys
	im.later(func(t *store.ImportTx) error { return t.TrustKeys(keys) })
	return nil
}

func (im *importer) version(raw json.RawMessage) error {
	v, created, downgradeTo, err := resource.ReadVersion(raw, im.project, im.channels, im.now.Unix())
	if err != nil {
		return err
	}
	if im.versions[v.Version] {
		return fault.New(fault.Invalid, "version %s occurs twice", web.Quote(v.Version))
	}
	im.versions[v.Version] = true
	if v.Yank != nil && downgradeTo != "" {
		im.downgrades[v.Version] = downgradeTo
	}
	im.files.relink(v)
	im.later(func(t *store.ImportTx) error { return t.Version(v, created) })
	return nil
}

func (im *importer) announcement(raw json.RawMessage, now int64) (*store.Announcement, int64, error) {
	return resource.ReadAnnouncement(raw, im.project, now)
}

// records returns a function that imports one line of an archive. The returned function parses the
// line with read and queues a call of write. It is for records that do not depend on each other.
func records[R any](im *importer, read func(json.RawMessage, int64) (record R, created int64, err error),
	write func(t *store.ImportTx, record R, created int64) error) func(json.RawMessage) error {
	return func(raw json.RawMessage) error {
		record, created, err := read(raw, im.now.Unix())
		if err == nil {
			im.later(func(t *store.ImportTx) error { return write(t, record, created) })
		}
		return err
	}
}

func (im *importer) definition(raw json.RawMessage) error {
	d, err := analytics.ReadDefinition(raw, im.now.Unix())
	if err != nil {
		return err
	}
	if im.names[d.Name] {
		return fault.New(fault.Invalid, "name %s occurs twice", web.Quote(d.Name))
	}
	im.names[d.Name] = true
	im.definitions = append(im.definitions, d)
	return nil
}
