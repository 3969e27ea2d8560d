package store

// instanceSettings and projectSettings say how settings are read, by their names.
var (
	instanceSettings = map[string]func(name, raw []byte) error{
		string(cdnKey): readable[CDN], string(codehostAppKey): readable[CodehostApp], string(loginNetworksKey): readable[loginNetworks],
	}
	projectSettings = map[string]func(name, raw []byte) error{
		string(codehostIntegrationKey): readable[CodehostIntegration], string(webhookKey): readable[Webhook],
	}
)

func readable[T any](name, raw []byte) error {
	_, err := decode[T](name, raw)
	return err
}

// setting reads settings of the instance by their name, nil before they were saved.
func setting[T any](tx *Tx, name []byte) (*T, error) {
	return get[T](tx.bolt.Bucket(settingsBucket), name)
}

func putSetting(tx *Tx, name []byte, v any) error {
	return put(tx.bolt.Bucket(settingsBucket), name, v)
}

// projectSetting reads settings of a project by their name, nil before they were saved
// and for a project that is gone.
func projectSetting[T any](tx *Tx, p ProjectID, name []byte) (*T, error) {
	b := tx.contentBucket(p, projectSettingsBucket)
	if b == nil {
		return nil, nil
	}
	return get[T](b, name)
}

// putProjectSetting stores settings of a project. A project that is gone is NotFound.
func putProjectSetting(tx *Tx, p ProjectID, name []byte, v any) error {
	b := tx.contentBucket(p, projectSettingsBucket)
	if b == nil {
		return notFound("project")
	}
	return put(b, name, v)
}
