package store

import "svc/internal/boltfile"

// Setting is a record of settings of the instance or of a project. Before the first save
// it has initial values.
type Setting[T any] struct {
	name    string
	project ProjectID                     // whose settings they are, 0 for the instance
	initial func(v *T)                    // sets what is not the zero value; nil if nothing is
	save    func(before, v *T, now int64) // sets the times before v is stored; nil if it has none
}

// The settings of the instance.
var (
	CDNSettings = Setting[CDN]{
		name:    "cdn",
		initial: func(c *CDN) { c.Provider = CDNAliyun },
		save:    func(_, c *CDN, now int64) { c.UpdatedAt = now },
	}
	CodehostAppSettings = Setting[CodehostApp]{
		name: "codehost_app",
		save: func(_, a *CodehostApp, now int64) { a.UpdatedAt = now },
	}
	TranslationSettings = Setting[Translation]{
		name:    "translation",
		initial: func(t *Translation) { t.Provider = "openai" }, // see package translate
		save:    func(_, t *Translation, now int64) { t.UpdatedAt = now },
	}
	loginSettings = Setting[loginNetworks]{name: "login_networks"}
)

// TermsSettings are those of a terms document.
func TermsSettings(slug string) Setting[TermsDocument] {
	return Setting[TermsDocument]{name: "terms/" + slug, save: dateTerms}
}

// integrationName and webhookName are in the settings of a project.
const (
	integrationName = "codehost_integration"
	webhookName     = "codehost_webhook"
)

// IntegrationSettings are those of a project.
func IntegrationSettings(p ProjectID) Setting[CodehostIntegration] {
	return Setting[CodehostIntegration]{
		name: integrationName, project: p, initial: (*CodehostIntegration).reset,
		save: func(_, i *CodehostIntegration, now int64) { i.UpdatedAt = now },
	}
}

// WebhookSettings are those of a project.
func WebhookSettings(p ProjectID) Setting[Webhook] {
	return Setting[Webhook]{name: webhookName, project: p}
}

// bucket returns the bucket of the settings, or nil if the project is gone.
func (s Setting[T]) bucket(tx *Tx) *boltfile.Bucket {
	if s.project == 0 {
		return tx.bolt.Bucket(settingsBucket)
	}
	return tx.contentBucket(s.project, projectSettingsBucket)
}

// Get reads the settings. Those of a project that is gone are the initial ones.
func (s Setting[T]) Get(tx *Tx) (*T, error) {
	if b := s.bucket(tx); b != nil {
		if v, err := get[T](b, []byte(s.name)); v != nil || err != nil {
			return v, err
		}
	}
	v := new(T)
	if s.initial != nil {
		s.initial(v)
	}
	return v, nil
}

// Put stores the settings. A project that is gone is NotFound.
func (s Setting[T]) Put(tx *Tx, v *T) error {
	b := s.bucket(tx)
	if b == nil {
		return notFound("project")
	}
	if s.save != nil {
		before, err := s.Get(tx)
		if err != nil {
			return err
		}
		s.save(before, v, tx.now.Unix())
	}
	return put(b, []byte(s.name), v)
}

// Delete returns to the initial values.
func (s Setting[T]) Delete(tx *Tx) error {
	b := s.bucket(tx)
	if b == nil {
		return notFound("project")
	}
	return b.Delete([]byte(s.name))
}

// instanceSettings and projectSettings read the settings of a name.
var (
	instanceSettings = map[string]func(name, raw []byte) error{
		CDNSettings.name: readable[CDN], CodehostAppSettings.name: readable[CodehostApp], TranslationSettings.name: readable[Translation], loginSettings.name: readable[loginNetworks],
	}
	projectSettings = map[string]func(name, raw []byte) error{integrationName: readable[CodehostIntegration], webhookName: readable[Webhook]}
)

func readable[T any](name, raw []byte) error {
	_, err := decode[T](name, raw)
	return err
}
