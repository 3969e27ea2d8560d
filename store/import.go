package store

import (
	"errors"
	"math"
	"slices"
	"time"

	"svc/internal/fault"
)

// maxAhead is the maximum time by which the time in an id may be ahead of the clock. Ids
// only ascend, so an id from the far future would also give all later ids a time in the
// future.
const maxAhead = 5 * time.Minute

// ImportOptions configure an import.
type ImportOptions struct {
	// NewIDs gives the records new ids, which contain the same times as the old ones.
	NewIDs bool
	// DryRun checks everything and writes nothing.
	DryRun bool
}

// Import imports a project. The project is invisible and not counted until Reveal is
// called, because its content has no project record yet. Purge removes the content of an
// abandoned or interrupted import. Import is not safe for concurrent use.
type Import struct {
	ImportOptions
	store  *Store
	id     ProjectID
	ids    map[string]*idSource // the source of new ids for each kind of record
	latest bool                 // whether a version has the latest flag
}

// dryProject is the project number used by all dry runs. No project ever gets this
// number.
const dryProject = ProjectID(math.MaxUint32)

// BeginImport reserves a project number and creates the buckets of the project.
func (s *Store) BeginImport(o ImportOptions) (*Import, error) {
	i := &Import{ImportOptions: o, store: s, ids: map[string]*idSource{}}
	if o.DryRun {
		i.id = dryProject
		return i, nil
	}
	s.file.Lock()
	defer s.file.Unlock()
	err := s.commit(func(tx *Tx) error {
		n, err := tx.bolt.Bucket(projectsBucket).NextSequence()
		if err != nil {
			return err
		}
		i.id = ProjectID(n)
		return makeContent(tx, i.id)
	})
	if err != nil {
		return nil, err
	}
	if s.imports == nil {
		s.imports = map[ProjectID]bool{}
	}
	s.imports[i.id] = true
	return i, nil
}

// errDry rolls back a transaction of a dry run.
var errDry = errors.New("dry run")

// Project returns the number that the project will have. In a dry run, the number has no
// meaning.
func (i *Import) Project() ProjectID { return i.id }

// Abandon ends the import and leaves the imported content to Purge. It does nothing after
// Reveal.
func (i *Import) Abandon() {
	i.store.file.Lock()
	defer i.store.file.Unlock()
	delete(i.store.imports, i.id)
}

// Importing reports whether a project is being imported.
func (s *Store) Importing(p ProjectID) bool {
	s.file.Lock()
	defer s.file.Unlock()
	return s.imports[p]
}

// Update runs fn in a write transaction that can write to the imported project. In a dry
// run, each transaction begins with an empty project.
func (i *Import) Update(fn func(*ImportTx) error) error {
	err := i.store.Update(func(tx *Tx) error {
		tx.hidden = i.id
		if !i.DryRun {
			return fn(&ImportTx{tx: tx, in: i})
		}
		if err := makeContent(tx, i.id); err != nil {
			return err
		}
		if err := fn(&ImportTx{tx: tx, in: i}); err != nil {
			return err
		}
		return errDry
	})
	if errors.Is(err, errDry) {
		return nil
	}
	return err
}

// ImportTx is a transaction of an import. Its methods retain the ids and times of records. Records
// of each kind must be added in the order of their ids, or of their times if they have no id yet. A
// method returns Invalid if the order is wrong, if an id is not a UUIDv7, or if a time is in the
// future. It returns a Conflict if another record has the id.
type ImportTx struct {
	tx *Tx
	in *Import

	deleted map[FileID]bool // files with objects that are to be removed; nil = not read yet
}

// id returns the id under which a record is to be stored. It is the given id, if there is
// one, unless NewIDs is set. Otherwise it is a new id with the time of the given id, or
// with the time createdAt, in Unix seconds, if there is no given id.
func (t *ImportTx) id(kind string, given ID, createdAt int64) (ID, error) {
	source := t.in.ids[kind]
	if source == nil {
		source = &idSource{}
		t.in.ids[kind] = source
	}
	at := time.UnixMilli(int64(milliseconds(given)))
	switch {
	case given == ID{}:
		if createdAt < 0 {
			return ID{}, fault.New(fault.Invalid, "created_at must be at least 0")
		}
		at = time.Unix(min(createdAt, 1<<40), 0)
	case stamp(given) != given:
		return ID{}, fault.New(fault.Invalid, "id must be a UUIDv7")
	}
	switch {
	case at.After(t.tx.now.Add(maxAhead)):
		return ID{}, fault.New(fault.Invalid, "the record must not be from the future: it is of %s", at.UTC().Format(time.RFC3339))
	case at.UnixMilli() < int64(milliseconds(source.last)):
		return ID{}, fault.New(fault.Invalid, "the record must not be older than the one before")
	case given == ID{} || t.in.NewIDs:
		given = source.next(at)
	case slices.Compare(given[:], source.last[:]) <= 0:
		return ID{}, fault.New(fault.Invalid, "id must be greater than that of the record before")
	}
	source.last = given
	if slices.Compare(given[:], t.tx.ids.last[:]) > 0 {
		t.tx.ids.last = given
	}
	return given, nil
}

// own stores that the imported project owns the record with the given id. The error is a
// Conflict if a record of another project has the id.
func (t *ImportTx) own(id ID) error {
	owners := t.tx.bolt.Bucket(ownersBucket)
	raw := owners.Get(id[:])
	switch {
	case raw == nil:
		return owners.Put(id[:], t.in.id.key())
	case slices.Equal(raw, t.in.id.key()):
		return fault.New(fault.Invalid, "id %s is that of another record of the project", id)
	}
	p, alive := t.tx.owner(id)
	if !alive {
		return fault.New(fault.Conflict, "id %s is that of a record of a project that was deleted a moment ago; try again later", id)
	}
	holder, err := t.tx.projectByID(p)
	if err != nil {
		return err
	}
	return fault.New(fault.Conflict, "id %s is that of a record of project %q", id, holder.Key)
}

// Version stores a version. At most one version may have the latest flag. A version that
// is deprecated, is yanked, or has an incomplete rollout must not have it.
func (t *ImportTx) Version(v *Version, createdAt int64) (err error) {
	if v.ID, err = t.id("version", v.ID, createdAt); err != nil {
		return err
	}
	if err := checkText(v.Version); err != nil {
		return err
	}
	switch {
	case v.Latest && v.Deprecated:
		return fault.New(fault.Invalid, "is_latest must not be true for a version that is deprecated")
	case v.Latest && !v.Rollout.Complete():
		return fault.New(fault.Invalid, "is_latest must not be true for a version whose rollout is not completed")
	case v.Latest && v.Yank != nil:
		return fault.New(fault.Invalid, "is_latest must not be true for a version that is yanked")
	case v.Latest && t.in.latest:
		return fault.New(fault.Invalid, "is_latest must be true for one version at most")
	}
	t.in.latest = t.in.latest || v.Latest
	content := t.tx.content(t.in.id)
	names := content.Bucket(versionNamesBucket)
	if names.Get([]byte(v.Version)) != nil {
		return errVersionExists(v.Version)
	}
	t.tx.count(t.in.id, countVersions, 1)
	t.tx.count(t.in.id, countRollouts, v.openRollouts())
	return errors.Join(t.own(v.ID), names.Put([]byte(v.Version), v.ID[:]), put(content.Bucket(versionsBucket), v.ID[:], v))
}

// Announcement stores an announcement.
func (t *ImportTx) Announcement(a *Announcement, createdAt int64) (err error) {
	if a.ID, err = t.id("announcement", a.ID, createdAt); err != nil {
		return err
	}
	t.tx.count(t.in.id, countAnnouncements, 1)
	t.tx.count(t.in.id, countPinned, pinned(a))
	return errors.Join(t.own(a.ID), put(t.tx.content(t.in.id).Bucket(announcementsBucket), a.ID[:], a))
}

// Feedback stores feedback.
func (t *ImportTx) Feedback(f *Feedback, createdAt int64) (err error) {
	if f.ID, err = t.id("feedback", f.ID, createdAt); err != nil {
		return err
	}
	countRating(t.tx, t.in.id, f.rating(), 1)
	if err := t.own(f.ID); err != nil {
		return err
	}
	e, err := f.Encode()
	if err != nil {
		return err
	}
	return feedbackSeries.of(t.tx, t.in.id).Add(f.ID, e)
}

// Log stores a log.
func (t *ImportTx) Log(l *Log, createdAt int64) (err error) {
	if l.ID, err = t.id("log", l.ID, createdAt); err != nil {
		return err
	}
	t.tx.count(t.in.id, countLevel(l.Level), 1)
	e, err := l.Encode()
	if err != nil {
		return err
	}
	return logSeries.of(t.tx, t.in.id).Add(l.ID, e)
}

// Card stores a card.
func (t *ImportTx) Card(c *Card, createdAt int64) (err error) {
	if c.ID, err = t.id("card", c.ID, createdAt); err != nil {
		return err
	}
	return put(t.tx.content(t.in.id).Bucket(cardsBucket), c.ID[:], c)
}

// File stores a file as failed, without its content; see FileStored. Files may be added
// in any order. The error is a Conflict if the id is in use, or if the object of a
// deleted file with this id has not been removed yet.
func (t *ImportTx) File(f *File) error {
	if !validFileID(f.ID) {
		return fault.New(fault.Invalid, "id must be 12 characters 0-9 and a-z")
	}
	if _, err := t.tx.StorageBackend(f.Backend); err != nil {
		return err
	}
	known, err := t.tx.file([]byte(f.ID))
	if err != nil {
		return err
	}
	if t.deleted == nil {
		t.deleted = map[FileID]bool{}
		deletions, err := t.tx.FileDeletions(math.MaxInt)
		if err != nil {
			return err
		}
		for _, d := range deletions {
			t.deleted[d.ID] = true
		}
	}
	switch {
	case t.deleted[f.ID] || known != nil && known.Project != t.in.id && !t.tx.alive(known.Project.key()):
		return fault.New(fault.Conflict, "id %s is that of a file that was deleted a moment ago; try again later", f.ID)
	case known != nil && known.Project == t.in.id:
		return fault.New(fault.Invalid, "id %s is that of another file of the project", f.ID)
	case known != nil:
		holder, err := t.tx.projectByID(known.Project)
		if err != nil {
			return err
		}
		return fault.New(fault.Conflict, "id %s is that of a file of project %q", f.ID, holder.Key)
	}
	f.Project, f.Status = t.in.id, FileFailed
	return addFile(t.tx, f)
}

// FileStored records that the content of a file has been stored. It copies the checksums and Facts
// of the parameter stored to the file's record. A file in the built-in storage becomes ready. For
// any other storage, the content has been staged for a job that transfers it, and the file is
// pending until the transfer ends.
func (t *ImportTx) FileStored(stored *File) error {
	f, err := t.tx.file([]byte(stored.ID))
	if err != nil || f == nil {
		return errors.Join(err, errNoFile())
	}
	t.tx.changeSigned(f.Project)
	f.SHA1, f.SHA512, f.BLAKE2b, f.Facts = stored.SHA1, stored.SHA512, stored.BLAKE2b, stored.Facts
	t.tx.count(f.Project, countFiles(f.Status), -1)
	if f.Status, f.Error = FilePending, ""; f.Backend == LocalStorage {
		f.Status = FileReady
	}
	t.tx.count(f.Project, countFiles(f.Status), 1)
	return t.tx.writeFile(f)
}

// Health stores the health counts of a version in the bucket that starts at the given time, in Unix
// seconds. The parameter version is the display text of the version, which must already have been
// added, in this transaction or in an earlier one.
func (t *ImportTx) Health(version string, at int64, c HealthCount) error {
	id, err := idOf(t.tx.content(t.in.id).Bucket(versionNamesBucket).Get([]byte(version)))
	if err != nil {
		return err
	}
	return t.tx.PutHealth(t.in.id, id, at, c)
}

// Requests adds the counts to the stored request counters.
func (t *ImportTx) Requests(counts map[RequestCounter]uint64) error { return t.tx.AddRequests(counts) }

// CheckKey returns a Conflict if another project has the key as its key or alias.
func (t *ImportTx) CheckKey(key string) error { return t.tx.claim(key, t.in.id) }

// Reveal makes the project visible, with p as its record. The error is a Conflict if
// another project uses the key. Aliases that other projects use are removed from p and
// returned.
func (i *Import) Reveal(p *Project) (taken []string, err error) {
	s := i.store
	s.file.Lock()
	defer s.file.Unlock()
	err = s.commit(func(tx *Tx) error {
		if err := tx.claim(p.Key, i.id); err != nil {
			return err
		}
		names := tx.bolt.Bucket(namesBucket)
		if err := names.Put([]byte(p.Key), i.id.key()); err != nil {
			return err
		}
		var free []Alias
		for _, a := range p.Aliases {
			switch claimed := tx.claim(a.Name, i.id); {
			case fault.Is(claimed, fault.Conflict):
				taken = append(taken, a.Name)
				continue
			case claimed != nil:
				return claimed
			}
			free = append(free, a)
			if err := names.Put([]byte(a.Name), i.id.key()); err != nil {
				return err
			}
		}
		p.ID, p.Aliases = i.id, free
		if _, err := tx.StorageBackend(p.StorageBackend); fault.Is(err, fault.NotFound) {
			p.StorageBackend = "" // the storage existed only in the installation from which the project comes
		} else if err != nil {
			return err
		}
		tx.touchProject(i.id)
		tx.changeSigned(i.id)
		tx.filesWaiting = true // wake the jobs, which have ignored the files of the import until now
		return errors.Join(put(tx.bolt.Bucket(projectsBucket), i.id.key(), p), recordAll(tx, i.id), tx.HoldSweeps())
	})
	if err == nil {
		delete(s.imports, i.id)
	}
	return taken, err
}

// recordAll records everything in a project as changed, so that the search index reads
// it.
func recordAll(tx *Tx, p ProjectID) error {
	content := tx.content(p)
	changes := []Change{{Kind: KindProject, Project: p}}
	note := func(kind Kind) func(key, _ []byte) error {
		return func(key, _ []byte) error {
			id, err := idOf(key)
			changes = append(changes, Change{Kind: kind, Project: p, ID: id})
			return err
		}
	}
	err := errors.Join(
		content.Bucket(versionsBucket).ForEach(note(KindVersion)),
		content.Bucket(announcementsBucket).ForEach(note(KindAnnouncement)),
	)
	if err != nil {
		return err
	}
	for block := range uint32(feedbackSeries.of(tx, p).Blocks()) {
		changes = append(changes, Change{Kind: KindFeedback, Project: p, Block: block})
	}
	for block := range uint32(logSeries.of(tx, p).Blocks()) {
		changes = append(changes, Change{Kind: KindLog, Project: p, Block: block})
	}
	for _, c := range changes {
		if err := tx.record(c); err != nil {
			return err
		}
	}
	return nil
}

// AddLanguage registers a language that the project does not have yet. The error is
// Invalid if the tag belongs to another language.
func (p *Project) AddLanguage(tag string, edit LanguageEdit, createdAt int64) error {
	if other := p.Locales().Find(tag); other >= 0 {
		return fault.New(fault.Invalid, "locale %q belongs to language %q", tag, p.Languages[other].Tag)
	}
	p.Languages = append(p.Languages, Language{Tag: tag, CreatedAt: createdAt})
	edit.Tag = nil
	return p.editLanguage(len(p.Languages)-1, edit)
}
