package cmd

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"

	"svc/api"
	"svc/internal/auth"
	"svc/internal/control"
	"svc/internal/region"
	"svc/internal/setting"
	"svc/store"
)

// instance is a data directory opened by the process that holds its lock.
type instance struct {
	lock    *control.Lock
	db      *store.Store
	handler *api.Server
}

// openInstance builds the parts on a lock, which it owns from here on.
func openInstance(lock *control.Lock, s *setting.Settings, log *slog.Logger) (*instance, error) {
	i := &instance{lock: lock}
	if err := i.open(s, log); err != nil {
		return nil, errors.Join(err, i.close())
	}
	return i, nil
}

func (i *instance) open(s *setting.Settings, log *slog.Logger) error {
	old := exists(s.Data, databaseName)
	// Secrets come first: opening the database makes their file durable too.
	made, err := ensureSecrets(s)
	if err != nil {
		return err
	}
	if made && old {
		log.Warn("secrets were missing beside an existing database and were made anew: logins or API keys made before no longer work", "file", filepath.Join(s.Data, secretsName))
	}
	if i.db, err = store.Open(filepath.Join(s.Data, databaseName), store.Options{Log: log}); err != nil {
		return err
	}
	life, ok := auth.ParseLife(strings.TrimSpace(s.JWTExpiresIn))
	if !ok {
		return fmt.Errorf("lifetime %q was not settled", s.JWTExpiresIn)
	}
	i.handler, err = api.New(api.Config{
		DB:              i.db,
		Log:             log,
		JWTSecret:       []byte(s.JWTSecret),
		JWTLife:         life,
		KeySalt:         []byte(s.APIKeySalt),
		PublicRateLimit: s.PublicRateLimit,
		Proxies:         region.Proxies{Count: s.TrustedProxyCount, Headers: s.ClientIPHeader},
		BootstrapFile:   bootstrapFile(s),
		Version:         version,
	})
	return err
}

// close gives everything back, the lock last.
func (i *instance) close() error {
	var err error
	if i.db != nil {
		err = i.db.Close()
	}
	return errors.Join(err, i.lock.Release())
}

func bootstrapFile(s *setting.Settings) string {
	return filepath.Join(s.BootstrapSecretDir, bootstrapName)
}
