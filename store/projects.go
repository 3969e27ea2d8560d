package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"svc/internal/boltfile"
	"svc/internal/fault"
	"svc/internal/locale"
	"svc/internal/release"
	"svc/internal/searchtext"
)

// ProjectID is the number of a project inside this store. It never changes, not even when
// the project is renamed, and is not reused after the project has been deleted.
type ProjectID uint32

func (p ProjectID) key() []byte { return binary.BigEndian.AppendUint32(nil, uint32(p)) }

// projectOf decodes a project number.
func projectOf(raw []byte) (ProjectID, error) {
	n, err := numberOf(raw, 4)
	return ProjectID(n), err
}

// eachProject calls visit with the number of each project, the oldest first. visit must
// not write.
func (tx *Tx) eachProject(visit func(ProjectID) error) error {
	return tx.bolt.Bucket(projectsBucket).ForEach(func(key, _ []byte) error {
		p, err := projectOf(key)
		if err != nil {
			return err
		}
		return visit(p)
	})
}

// Project is an app that the server serves. Times are Unix seconds. A nil pointer or a
// zero version means that a field has no value.
type Project struct {
	ID                 ProjectID     `json:"-"`
	Key                string        `json:"key"`
	Name               string        `json:"name"`
	RepoURL            *string       `json:"repo_url,omitempty"`
	Description        *string       `json:"description,omitempty"`
	Author             *string       `json:"author,omitempty"`
	AuthorHomepageURL  *string       `json:"author_homepage_url,omitempty"`
	IconURL            *string       `json:"icon_url,omitempty"`
	WebsiteURL         *string       `json:"website_url,omitempty"`
	DocsURL            *string       `json:"docs_url,omitempty"`
	PublishedAt        *int64        `json:"published_at,omitempty"`
	OptionalUpdate     release.Range `json:"optional_update"`
	StatsRetentionDays int           `json:"stats_retention_days"`
	CollectEvents      bool          `json:"collect_events"`
	EventRetentionDays int           `json:"event_retention_days"`
	// LogRetentionDays and FeedbackRetentionDays are nil if the project has no setting of
	// its own. The setting of the instance then applies.
	LogRetentionDays      *int                   `json:"log_retention_days,omitempty"`
	FeedbackRetentionDays *int                   `json:"feedback_retention_days,omitempty"`
	MirrorAssets          bool                   `json:"mirror_assets"`
	StorageBackend        string                 `json:"storage_backend,omitempty"` // id of its own storage; "" = the default
	Aliases               []Alias                `json:"aliases,omitempty"`         // newest first
	Languages             []Language             `json:"languages,omitempty"`       // registered languages, in order of registration
	Translations          map[string]ProjectText `json:"translations,omitempty"`    // translated texts by locale.Key of their language's tag
	CreatedAt             int64                  `json:"created_at"`
	UpdatedAt             int64                  `json:"updated_at"`
}

// Alias is a former key of a project.
type Alias struct {
	Name      string `json:"name"`
	CreatedAt int64  `json:"created_at"`
}

// ProjectText is the translatable part of a project.
type ProjectText struct {
	Name        *string `json:"name,omitempty"`
	Description *string `json:"description,omitempty"`
}

// SearchText returns the folded text that the query parameter search= is matched against.
func (p *Project) SearchText() string {
	fields := []*string{&p.Key, &p.Name, p.Description, p.Author, p.RepoURL}
	for i := range p.Aliases {
		fields = append(fields, &p.Aliases[i].Name)
	}
	return searchtext.Fields(fields...)
}

// NormalKey returns the normal form of a key or alias, in which it is stored and looked
// up.
func NormalKey(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// HasAlias reports whether the given name, in normal form, is a former key of p.
func (p *Project) HasAlias(name string) bool {
	return slices.ContainsFunc(p.Aliases, func(a Alias) bool { return a.Name == name })
}

// Project finds a project by key or alias.
func (tx *Tx) Project(name string) (*Project, error) {
	raw := tx.bolt.Bucket(namesBucket).Get([]byte(NormalKey(name)))
	if raw == nil {
		return nil, errNoProject(name)
	}
	id, err := projectOf(raw)
	if err != nil {
		return nil, err
	}
	return tx.projectByID(id)
}

func errNoProject(name string) error {
	if runes := []rune(name); len(runes) > 64 {
		name = string(runes[:64]) + "…"
	}
	return fault.New(fault.NotFound, "project %q not found", name)
}

func (tx *Tx) projectByID(id ProjectID) (*Project, error) {
	p, err := get[Project](tx.bolt.Bucket(projectsBucket), id.key())
	if err != nil {
		return nil, err
	}
	if p == nil {
		return nil, notFound("project")
	}
	p.ID = id
	return p, nil
}

// CreateProject stores a new project and gives it its number and times. The error is a
// Conflict if the key is already a key or an alias.
func (tx *Tx) CreateProject(p *Project) error {
	if err := tx.claim(p.Key, 0); err != nil {
		return err
	}
	projects := tx.bolt.Bucket(projectsBucket)
	n, err := projects.NextSequence()
	if err != nil {
		return err
	}
	p.ID = ProjectID(n)
	p.CreatedAt = tx.now.Unix()
	return errors.Join(
		makeContent(tx, p.ID),
		tx.bolt.Bucket(namesBucket).Put([]byte(p.Key), p.ID.key()),
		tx.PutProject(p),
	)
}

// lastWithContent returns the greatest number of a project that has content. Deleted projects count
// until their content has been removed.
func (tx *Tx) lastWithContent() uint64 {
	key, _ := tx.bolt.Bucket(contentBucket).Cursor().Last()
	if len(key) != 4 {
		return 0
	}
	return uint64(binary.BigEndian.Uint32(key))
}

// makeContent creates the buckets for the content of a new project.
func makeContent(tx *Tx, p ProjectID) error {
	content, err := tx.bolt.Bucket(contentBucket).CreateBucket(p.key())
	if err != nil {
		return err
	}
	for _, name := range contentBuckets {
		if _, err := content.CreateBucket(name); err != nil {
			return err
		}
	}
	return nil
}

// claim checks that a project, the parameter owner, may use a name. It returns a Conflict if the
// name belongs to another project.
func (tx *Tx) claim(name string, owner ProjectID) error {
	raw := tx.bolt.Bucket(namesBucket).Get([]byte(name))
	if raw == nil {
		return nil
	}
	id, err := projectOf(raw)
	if err != nil || id == owner {
		return err
	}
	holder, err := tx.projectByID(id)
	if err != nil {
		return err
	}
	if holder.Key == name {
		return fault.New(fault.Conflict, "project_key %q is taken by another project", name)
	}
	return fault.New(fault.Conflict, "project_key %q is an alias of project %q", name, holder.Key)
}

// PutProject stores a changed project. Its key must be unchanged; use RenameProject to
// change it. The error is Invalid if its storage does not exist.
func (tx *Tx) PutProject(p *Project) error {
	if p.StorageBackend != "" {
		if _, err := tx.StorageBackend(p.StorageBackend); fault.Is(err, fault.NotFound) {
			return fault.Validation(fmt.Sprintf("storage_backend_id: there is no storage backend %q", p.StorageBackend))
		} else if err != nil {
			return err
		}
	}
	p.UpdatedAt = tx.now.Unix()
	tx.touchProject(p.ID)
	if err := tx.record(Change{Kind: KindProject, Project: p.ID}); err != nil {
		return err
	}
	return put(tx.bolt.Bucket(projectsBucket), p.ID.key(), p)
}

func (tx *Tx) touchProject(id ProjectID) {
	if tx.projectChanged == nil {
		tx.projectChanged = map[ProjectID]bool{}
	}
	tx.projectChanged[id] = true
}

// RenameProject changes the key of p and stores p. The old key becomes the newest alias.
// If the new key was an alias of p, that alias is removed. The error is a Conflict if the
// key belongs to another project. If the key is unchanged, RenameProject only stores p.
func (tx *Tx) RenameProject(p *Project, key string) error {
	if key == p.Key {
		return tx.PutProject(p)
	}
	if err := tx.claim(key, p.ID); err != nil {
		return err
	}
	p.Aliases = slices.DeleteFunc(p.Aliases, func(a Alias) bool { return a.Name == key })
	p.Aliases = slices.Insert(p.Aliases, 0, Alias{Name: p.Key, CreatedAt: tx.now.Unix()})
	p.Key = key
	if err := tx.bolt.Bucket(namesBucket).Put([]byte(key), p.ID.key()); err != nil {
		return err
	}
	return tx.PutProject(p)
}

// DeleteAlias removes a former key of p, so that other projects can use it.
func (tx *Tx) DeleteAlias(p *Project, name string) error {
	name = NormalKey(name)
	if !p.HasAlias(name) {
		return notFound("alias")
	}
	p.Aliases = slices.DeleteFunc(p.Aliases, func(a Alias) bool { return a.Name == name })
	if err := tx.bolt.Bucket(namesBucket).Delete([]byte(name)); err != nil {
		return err
	}
	return tx.PutProject(p)
}

// DeleteProject removes p, its names, and its entries in the project lists of API keys.
// The project's content is unreachable from then on. Purge removes it later, because
// removing a million logs in one transaction would block all other writers.
func (tx *Tx) DeleteProject(p *Project) error {
	names := tx.bolt.Bucket(namesBucket)
	err := names.Delete([]byte(p.Key))
	for _, a := range p.Aliases {
		err = errors.Join(err, names.Delete([]byte(a.Name)))
	}
	tx.touchProject(p.ID)
	tx.projectDeleted, tx.filesWaiting = true, true
	return errors.Join(
		err,
		tx.bolt.Bucket(projectsBucket).Delete(p.ID.key()),
		tx.record(Change{Kind: KindProject, Project: p.ID}),
		tx.noteErasure(),
		forgetProject(tx, p.ID),
		deleteHooks(tx, p.ID),
	)
}

// ProjectDeleted returns a channel that receives a value when a project has been deleted.
// Only one goroutine may receive from it.
func (s *Store) ProjectDeleted() <-chan struct{} { return s.projectDeleted }

// owner returns the project that owns a record, given only the record's id. ok is false
// if the record does not exist or its project has been deleted.
func (tx *Tx) owner(id ID) (ProjectID, bool) {
	raw := tx.bolt.Bucket(ownersBucket).Get(id[:])
	p, err := projectOf(raw)
	if err != nil || !tx.alive(raw) { // svc check reports an owner entry that cannot be read
		return 0, false
	}
	return p, true
}

// OwnerOf returns the project that owns a record, given only the record's id. ok is false
// if the record does not exist or its project has been deleted.
func (s *Store) OwnerOf(id ID) (owner ProjectID, ok bool, err error) {
	err = s.View(func(tx *Tx) error {
		owner, ok = tx.owner(id)
		return nil
	})
	return owner, ok, err
}

// directory finds a project by its number, key or alias. The directory and the projects
// in it are immutable.
type directory struct {
	byName map[string]*slot
	byID   map[ProjectID]*slot
	newest []*Project // sorted by creation, the newest first
}

// Projects returns all projects, the newest first. The caller must not change the slice
// or the projects.
func (s *Store) Projects() []*Project { return s.projects.Load().newest }

// FindProject finds a project by key or alias. It needs no transaction. The caller must
// not change the project.
func (s *Store) FindProject(name string) (*Project, error) {
	slot, ok := s.projects.Load().byName[NormalKey(name)]
	if !ok {
		return nil, errNoProject(name)
	}
	return slot.project.Load(), nil
}

// loadProjects builds the directory from the file.
func (s *Store) loadProjects(tx *Tx) error {
	d := &directory{byName: map[string]*slot{}, byID: map[ProjectID]*slot{}}
	err := tx.bolt.Bucket(projectsBucket).ForEach(func(key, raw []byte) error {
		p, err := decode[Project](key, raw)
		if err != nil {
			return err
		}
		if p.ID, err = projectOf(key); err != nil {
			return err
		}
		d.byID[p.ID] = newSlot(p)
		return nil
	})
	if err != nil {
		return err
	}
	d.index()
	s.projects.Store(d)
	return nil
}

// refreshProjects builds the next directory from the current one, after the given
// projects have changed. Readers of the current directory are not affected.
func (s *Store) refreshProjects(tx *Tx, changed map[ProjectID]bool) error {
	if len(changed) == 0 {
		return nil
	}
	old := s.projects.Load()
	d := &directory{byName: make(map[string]*slot, len(old.byName)), byID: maps.Clone(old.byID)}
	for id := range changed {
		p, err := tx.projectByID(id)
		switch {
		case fault.Is(err, fault.NotFound):
			if slot, ok := d.byID[id]; ok {
				s.snapshots.drop(slot)
				delete(d.byID, id)
			}
		case err != nil:
			return err
		case d.byID[id] == nil:
			d.byID[id] = newSlot(p)
		default:
			d.byID[id].project.Store(p)
		}
	}
	d.index()
	s.projects.Store(d)
	return nil
}

// index builds byName and newest from byID.
func (d *directory) index() {
	for _, slot := range d.byID {
		p := slot.project.Load()
		d.newest = append(d.newest, p)
		d.byName[p.Key] = slot
		for _, a := range p.Aliases {
			d.byName[a.Name] = slot
		}
	}
	slices.SortFunc(d.newest, func(a, b *Project) int { return int(b.ID) - int(a.ID) })
}

// ProjectByID finds a project by its number. The caller must not change the project.
func (s *Store) ProjectByID(id ProjectID) (*Project, bool) {
	slot, ok := s.projects.Load().byID[id]
	if !ok {
		return nil, false
	}
	return slot.project.Load(), true
}

// Language is a language into which a project's texts can be translated.
type Language struct {
	Tag       string   `json:"tag"` // the primary tag, spelled as it was at registration
	Synonyms  []string `json:"synonyms,omitempty"`
	Label     *string  `json:"label,omitempty"`
	CreatedAt int64    `json:"created_at"`
}

// LanguageEdit is a partial change of a language. A nil field is left unchanged.
type LanguageEdit struct {
	Tag      *string
	Synonyms *[]string
	Label    **string
}

// Locales returns the set of registered languages, with the same indexes as p.Languages.
func (p *Project) Locales() *locale.Set {
	all := make([]locale.Language, len(p.Languages))
	for i, l := range p.Languages {
		all[i] = locale.Language{Tag: l.Tag, Synonyms: l.Synonyms}
	}
	return locale.NewSet(all)
}

// RegisterLanguage adds a language to p. If tag already belongs to a language, it changes
// that language instead, but not the language's primary tag. It returns the index of the
// language in p.Languages.
func (tx *Tx) RegisterLanguage(p *Project, tag string, edit LanguageEdit) (int, error) {
	at := p.Locales().Find(tag)
	if at < 0 {
		at = len(p.Languages)
		p.Languages = append(p.Languages, Language{Tag: tag, CreatedAt: tx.now.Unix()})
	}
	edit.Tag = nil
	if err := p.editLanguage(at, edit); err != nil {
		return 0, err
	}
	return at, tx.PutProject(p)
}

// UpdateLanguage applies edit to p.Languages[at]. If the language's primary tag changes,
// the stored translations of the project, its versions and its announcements move to the
// new tag. The error is a Conflict if translations of an unregistered language are
// already stored under the new tag.
func (tx *Tx) UpdateLanguage(p *Project, at int, edit LanguageEdit) error {
	from := locale.Key(p.Languages[at].Tag)
	if err := p.editLanguage(at, edit); err != nil {
		return err
	}
	if to := locale.Key(p.Languages[at].Tag); to != from {
		if err := moveTranslations(tx, p, from, to); err != nil {
			return err
		}
	}
	return tx.PutProject(p)
}

// RemoveLanguage unregisters the language p.Languages[at]. Its translations stay in the
// file, and are visible again if the language is registered again.
func (tx *Tx) RemoveLanguage(p *Project, at int) error {
	p.Languages = slices.Delete(p.Languages, at, at+1)
	return tx.PutProject(p)
}

// editLanguage applies edit to p.Languages[at]. The error is Invalid if a tag in edit
// belongs to another language.
func (p *Project) editLanguage(at int, edit LanguageEdit) error {
	others := p.Locales()
	taken := func(tag string) bool {
		i := others.Find(tag)
		return i >= 0 && i != at
	}
	l := &p.Languages[at]
	if edit.Tag != nil {
		if taken(*edit.Tag) {
			return fault.New(fault.Invalid, "locale %q belongs to language %q", *edit.Tag, p.Languages[others.Find(*edit.Tag)].Tag)
		}
		l.Tag = *edit.Tag
	}
	synonyms := l.Synonyms
	if edit.Synonyms != nil {
		synonyms = *edit.Synonyms
	}
	l.Synonyms = locale.CleanSynonyms(l.Tag, synonyms)
	for _, s := range l.Synonyms {
		if taken(s) {
			return fault.New(fault.Invalid, "aliases: %q belongs to language %q", s, p.Languages[others.Find(s)].Tag)
		}
	}
	if edit.Label != nil {
		l.Label = *edit.Label
	}
	return nil
}

// moveTranslations moves the texts of a language, in all records of a project, from one
// key to another. A key is the locale.Key of a language tag.
func moveTranslations(tx *Tx, p *Project, from, to string) error {
	if _, err := rename(p.Translations, from, to); err != nil {
		return err
	}
	err := moveTexts(p.ID, tx.EachVersion, tx.putVersion, func(v *Version) (bool, error) { return rename(v.Translations, from, to) })
	if err != nil {
		return err
	}
	return moveTexts(p.ID, tx.EachAnnouncement, tx.PutAnnouncement,
		func(a *Announcement) (bool, error) { return rename(a.Translations, from, to) })
}

// moveTexts calls rename for all records of one kind, and stores those in which it moved
// a text.
func moveTexts[R any](
	p ProjectID, each func(ProjectID, func(*R) error) error, put func(ProjectID, *R) error, rename func(*R) (moved bool, err error),
) error {
	var changed []*R
	err := each(p, func(rec *R) error {
		moved, err := rename(rec)
		if moved {
			changed = append(changed, rec)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, rec := range changed {
		if err := put(p, rec); err != nil {
			return err
		}
	}
	return nil
}

// rename moves the text under one key, if there is one, to another key. The parameter
// from is the old key, and the parameter to is the new one. The error is a Conflict if
// there is already a text under the new key.
func rename[T any](texts map[string]T, from, to string) (moved bool, err error) {
	if _, occupied := texts[to]; occupied {
		return false, fault.New(fault.Conflict,
			"translations of an unregistered language are stored under locale %q; register it first or choose another tag", to)
	}
	text, moved := texts[from]
	if moved {
		texts[to] = text
		delete(texts, from)
	}
	return moved, nil
}

// purgeStep is the maximum number of keys that one transaction of Purge removes.
const purgeStep = 1000

// Purge removes the content of deleted projects and of abandoned imports, and the deliveries of
// deleted hooks. It works in small transactions, so that other writers can run in between. After a
// crash, it can be run again.
func (s *Store) Purge() error {
	for more := true; more; {
		err := s.Update(func(tx *Tx) (err error) {
			more, err = tx.purge()
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// purge is one step of Purge. It removes up to purgeStep keys and reports whether there
// may be more. It removes the files of all deleted projects before other content, because
// their objects on the storages and their copies in the CDN have to be removed, too.
func (tx *Tx) purge() (more bool, err error) {
	all := tx.bolt.Bucket(contentBucket)
	var orphans []ProjectID
	err = all.ForEachBucket(func(key []byte) error {
		p, err := projectOf(key)
		if err == nil && !tx.alive(key) && !tx.store.imports[p] {
			orphans = append(orphans, p)
		}
		return err
	})
	if err != nil {
		return false, err
	}
	left, err := tx.purgeDeliveries(purgeStep)
	if err != nil || len(orphans) == 0 || left <= 0 {
		return left <= 0, err
	}
	for _, orphan := range orphans {
		left, err = purgeFiles(tx, orphan, left)
		if err != nil || left <= 0 {
			return true, err
		}
	}
	orphan := orphans[0].key()
	content := all.Bucket(orphan)
	touched := false
	for _, name := range slices.Concat(contentBuckets, laterBuckets) {
		b := content.Bucket(name)
		if b == nil {
			continue // an earlier step deleted it
		}
		var nested bool
		if left, nested, err = drain(tx, b, name, left); err != nil {
			return true, err
		}
		if left <= 0 || nested { // bbolt would lose pages if the bucket were deleted in the same transaction as its nested buckets
			return true, nil
		}
		if err := content.DeleteBucket(name); err != nil {
			return true, err
		}
		touched = true
	}
	if touched {
		return true, nil // the parent is deleted in another transaction, for the same reason
	}
	return true, all.DeleteBucket(orphan)
}

// alive reports whether the project to which the given key of the content bucket belongs
// still exists.
func (tx *Tx) alive(project []byte) bool {
	return tx.bolt.Bucket(projectsBucket).Get(project) != nil
}

// drain deletes up to limit keys of a bucket, and the owner entries of its records. left
// is the unused part of the limit. nested reports whether any of the keys were buckets.
func drain(tx *Tx, b *boltfile.Bucket, name []byte, limit int) (left int, nested bool, err error) {
	var keys, owned [][]byte
	cursor := b.Cursor()
	for key, value := cursor.First(); key != nil && len(keys) < limit; key, value = cursor.Next() {
		keys = append(keys, key)
		switch {
		case value == nil: // a bucket
			nested = true
		case string(name) == string(versionsBucket), string(name) == string(announcementsBucket):
			owned = append(owned, key)
		case string(name) == string(feedbackSeries.Records):
			owned = append(owned, value[:min(len(ID{}), len(value))]) // damage can make the value too short
		}
	}
	owners := tx.bolt.Bucket(ownersBucket)
	for _, id := range owned {
		if err := owners.Delete(id); err != nil {
			return 0, nested, err
		}
	}
	for _, key := range keys {
		if b.Bucket(key) != nil {
			err = b.DeleteBucket(key)
		} else {
			err = b.Delete(key)
		}
		if err != nil {
			return 0, nested, err
		}
	}
	return limit - len(keys), nested, nil
}
