package cmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"svc/api"
	"svc/internal/auth"
	"svc/internal/control"
	"svc/internal/event"
	"svc/internal/origin"
	"svc/internal/setting"
	"svc/search"
	"svc/store"
)

// instance is a data directory opened by the process that holds its lock.
type instance struct {
	lock    *control.Lock
	db      *store.Store
	index   *search.Index
	events  *event.Engine
	handler *api.Server
}

// openInstance builds the parts on a lock, which it owns from here on. Without a
// geo no places are looked up.
func openInstance(lock *control.Lock, s *setting.Settings, geo *origin.Geo, log *slog.Logger) (*instance, error) {
	i := &instance{lock: lock}
	if err := i.open(s, geo, log); err != nil {
		return nil, errors.Join(err, i.close())
	}
	return i, nil
}

func (i *instance) open(s *setting.Settings, geo *origin.Geo, log *slog.Logger) error {
	if err := removeCheckCopies(s.Data); err != nil {
		return err
	}
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
	if i.index, err = search.Open(s.Data, i.db, log); err != nil {
		return err
	}
	if i.events, err = event.Open(filepath.Join(s.Data, eventsName), event.Options{Log: log}); err != nil {
		return err
	}
	life, ok := auth.ParseLife(strings.TrimSpace(s.JWTExpiresIn))
	if !ok {
		return fmt.Errorf("lifetime %q was not settled", s.JWTExpiresIn)
	}
	i.handler, err = api.New(api.Config{
		DB:              i.db,
		Search:          i.index,
		Events:          i.events,
		Log:             log,
		JWTSecret:       []byte(s.JWTSecret),
		JWTLife:         life,
		KeySalt:         []byte(s.APIKeySalt),
		PublicRateLimit: s.PublicRateLimit,
		DedupWindow:     time.Duration(s.DedupWindowSeconds) * time.Second,
		Proxies:         origin.Proxies{Count: s.TrustedProxyCount, Headers: s.ClientIPHeader},
		Geo:             geo,
		EventBatchMax:   s.EventBatchMax,
		EventClockSkew:  time.Duration(s.EventClockSkew) * time.Second,
		EventIPStorage:  s.EventIPStorage,
		BootstrapFile:   bootstrapFile(s),
		Staging:         stagingFolder(s.Data),
		Version:         version,
	})
	return err
}

// close gives everything back, the lock last.
func (i *instance) close() error {
	var err error
	if i.events != nil {
		err = i.events.Close()
	}
	if i.index != nil {
		err = errors.Join(err, i.index.Close())
	}
	if i.db != nil {
		err = errors.Join(err, i.db.Close())
	}
	return errors.Join(err, i.lock.Release())
}

// follow keeps the search index up to date until the returned function is
// called, which waits for the end.
func (i *instance) follow(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { i.index.Run(ctx) })
	return func() {
		cancel()
		running.Wait()
	}
}

// stagingFolder is where files are that are only there while they are needed.
func stagingFolder(dir string) string { return absolute(filepath.Join(dir, "files", "staging")) }

func bootstrapFile(s *setting.Settings) string {
	return filepath.Join(s.BootstrapSecretDir, bootstrapName)
}
