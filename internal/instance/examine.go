package instance

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"svc/internal/auth"
	"svc/internal/backup"
	"svc/internal/boltfile"
	"svc/internal/datadir"
	"svc/internal/doctor"
	"svc/internal/event"
	"svc/internal/notify"
	"svc/internal/terms"
	"svc/search"
	"svc/store"
)

var errNoEvents = errors.New("events.db is missing; the next start makes an empty one")

// Examine reads the databases of a data directory and stores the results in installation. salt is
// the configured salt of the API keys. Unless it is nil, Examine also collects the facts that a
// server would report. It does not change the databases. The caller must hold the lock of the
// directory.
func Examine(installation *doctor.Installation, salt []byte) {
	dir := installation.Settings.Data
	events := doctor.Database{Name: datadir.Events, Err: errNoEvents}
	if Has(dir, datadir.Events) {
		events.Err = event.Probe(filepath.Join(dir, datadir.Events))
	}
	records := doctor.Database{Name: datadir.Database, Err: boltfile.ExaminePages(filepath.Join(dir, datadir.Database), nil)}
	if salt != nil && records.Err == nil {
		if records.Skipped = installation.CopyObstacle(); records.Skipped == "" {
			records.Err = examineCopy(installation, salt)
		}
	}
	installation.Databases = []doctor.Database{records, events}
}

// examineCopy collects the facts from a copy of the record database. Opening the
// original, as other commands do, would migrate it to this version, generate secrets, and
// discard an unsuitable index. The administrator must learn about that before it happens.
func examineCopy(installation *doctor.Installation, salt []byte) (err error) {
	data := installation.Settings.Data
	staging := StagingFolder(data)
	if err := os.MkdirAll(staging, 0o700); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(staging, "doctor-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, datadir.Database)
	if err := copyFile(path, filepath.Join(data, datadir.Database)); err != nil {
		return err
	}
	db, err := store.Open(path, store.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	installation.Index = search.Probe(data, db)
	facts, err := Facts(db, salt, time.Now())
	if err != nil {
		return err
	}
	facts.Forwarding.Count, facts.Forwarding.Headers = installation.Settings.TrustedProxyCount, installation.Settings.ClientIPHeader
	if installation.Settings.BackupEvery > 0 {
		folder, err := BackupFolder(db, installation.Settings.BackupDir, data)
		if err == nil {
			_, err = folder.Usable(installation.Now)
		}
		if err != nil {
			facts.BackupFolder = err.Error()
		}
	}
	installation.Facts = &facts
	return nil
}

// Facts returns those facts for svc doctor that can be derived from the records in db. salt is the
// configured salt of the API keys.
func Facts(db *store.Store, salt []byte, now time.Time) (doctor.Facts, error) {
	facts := doctor.Facts{
		LastID: db.LastID(), FailedJobs: []doctor.FailedJob{}, UnpublishedTerms: []string{}, Damaged: []doctor.DamagedDatabase{},
		EventNames: []doctor.EventNames{}, Hooks: []doctor.Hook{},
	}
	mark := auth.SaltMark(salt)
	for _, k := range db.APIKeys() {
		if k.RevokedAt != nil || k.Expired(now.Unix()) {
			continue
		}
		facts.Keys.Active++
		if k.Salt != "" && k.Salt != mark {
			facts.Keys.Other++
		}
	}
	facts.Index.Last = db.LastChange()
	err := db.View(func(tx *store.Tx) (err error) {
		if facts.Submissions, err = submissions(tx, db.Projects()); err != nil {
			return err
		}
		if facts.Hooks, err = hooks(tx, db.Projects()); err != nil {
			return err
		}
		if facts.Files, err = tx.FileCount(); err != nil {
			return err
		}
		facts.UnpublishedTerms, err = unpublishedTerms(tx)
		return err
	})
	return facts, err
}

// unpublishedTerms lists the slugs of the terms documents that still have placeholders.
func unpublishedTerms(tx *store.Tx) ([]string, error) {
	slugs := []string{}
	for _, d := range terms.All() {
		own, err := store.TermsSettings(d.Slug).Get(tx)
		if err != nil {
			return nil, err
		}
		text := d.In(terms.English).Content
		if own.Effective() {
			text = own.Draft
		}
		if !terms.Complete(text) {
			slugs = append(slugs, d.Slug)
		}
	}
	return slugs, nil
}

// hooks describes the hooks of the instance and of all projects.
func hooks(tx *store.Tx, projects []*store.Project) ([]doctor.Hook, error) {
	list := []doctor.Hook{}
	for _, of := range append([]*store.Project{{}}, projects...) {
		known, err := tx.Hooks(of.ID)
		if err != nil {
			return nil, err
		}
		for _, h := range known {
			state, err := tx.HookState(h.ID)
			if err != nil {
				return nil, err
			}
			list = append(list, doctor.Hook{
				Project: of.Key, ID: h.ID.String(), Name: h.Name, Email: h.Kind == notify.Email, Enabled: h.Enabled, Disabled: h.DisabledReason,
				Failing: state.FailingSince,
				Tells:   of.ID == 0 && notify.Selected(h.Events, notify.BackupFailedEvent) && notify.Selected(h.Events, notify.DiskLowEvent),
			})
		}
	}
	return list, nil
}

// submissions returns the sizes, in bytes, of the feedback and of the logs of each project that has
// feedback or logs.
func submissions(tx *store.Tx, projects []*store.Project) ([]doctor.Submissions, error) {
	list := []doctor.Submissions{}
	for _, p := range projects {
		feedback, logs, err := tx.SubmissionBytes(p.ID)
		if err != nil {
			return nil, err
		}
		if feedback+logs == 0 {
			continue
		}
		of := doctor.Submissions{Project: p.Key, Feedback: feedback, Logs: logs}
		if p.LogRetentionDays != nil {
			of.LogRetention = *p.LogRetentionDays
		}
		list = append(list, of)
	}
	return list, nil
}

// BackupFolder describes the folder dir for scheduled backups. data is the path of the data
// directory. If the last backup was written to dir, the result includes the device on which dir was
// then.
func BackupFolder(db *store.Store, dir, data string) (f backup.Folder, err error) {
	f = backup.Folder{Dir: dir, Data: data}
	path, err := filepath.Abs(dir)
	if err != nil {
		return f, err
	}
	err = db.View(func(tx *store.Tx) error {
		last, err := tx.BackupFolder()
		if last != nil && last.Dir == path {
			f.LastDevice, f.Known = last.Device, true
		}
		return err
	})
	return f, err
}

// copyFile copies a file. It does not sync the copy, which is needed only for a short
// time.
func copyFile(to, from string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, source)
	return errors.Join(err, f.Close())
}
