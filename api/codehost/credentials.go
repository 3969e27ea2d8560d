package codehost

import (
	"svc/internal/codehost"
	"svc/internal/seal"
	"svc/store"
)

// app is the app of the settings, nil where it is not configured. Where the key cannot be
// opened the error, of kind Invalid, says that it must be entered again.
func (h *Handlers) app(settings *store.CodehostApp) (*codehost.App, error) {
	if !settings.Configured() {
		return nil, nil
	}
	key, err := h.Keys.Open(seal.AppPrivateKey, settings.PrivateKey)
	if err != nil {
		return nil, err
	}
	return codehost.NewApp(settings.AppID, key)
}
