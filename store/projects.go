package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"svc/internal/fault"
	"svc/internal/release"
	"svc/internal/searchtext"
)

// ProjectID numbers a project inside this store. It never changes and is never
// used again, whatever the project is called.
type ProjectID uint32

func (p ProjectID) key() []byte { return binary.BigEndian.AppendUint32(nil, uint32(p)) }

// projectOf reads a project number.
func projectOf(raw []byte) (ProjectID, error) {
	n, err := numberOf(raw, 4)
	return ProjectID(n), err
}

// eachProject visits the numbers of all projects, the oldest first. visit must not write.
func (tx *Tx) eachProject(visit func(ProjectID) error) error {
	return tx.bolt.Bucket(projectsBucket).ForEach(func(key, _ []byte) error {
		p, err := projectOf(key)
		if err != nil {
			return err
		}
		return visit(p)
	})
}

// Project is an app that is served. Times are Unix seconds; a nil pointer or a
// zero version is a field without a value.
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
	// LogRetentionDays and FeedbackRetentionDays are nil for those of the instance.
	LogRetentionDays      *int                   `json:"log_retention_days,omitempty"`
	FeedbackRetentionDays *int                   `json:"feedback_retention_days,omitempty"`
	MirrorAssets          bool                   `json:"mirror_assets"`
	StorageBackend        string                 `json:"storage_backend,omitempty"` // id; "" = the default
	Aliases               []Alias                `json:"aliases,omitempty"`         // newest first
	Languages             []Language             `json:"languages,omitempty"`       // in order of registration
	Translations          map[string]ProjectText `json:"translations,omitempty"`    // by tag key
	CreatedAt             int64                  `json:"created_at"`
	UpdatedAt             int64                  `json:"updated_at"`
}

// Alias is a former key of a project.
type Alias struct {
	Name      string `json:"name"`
	CreatedAt int64  `json:"created_at"`
}

// ProjectText is what of a project can be translated.
type ProjectText struct {
	Name        *string `json:"name,omitempty"`
	Description *string `json:"description,omitempty"`
}

// SearchText returns the folded text that search= looks through.
func (p *Project) SearchText() string {
	fields := []*string{&p.Key, &p.Name, p.Description, p.Author, p.RepoURL}
	for i := range p.Aliases {
		fields = append(fields, &p.Aliases[i].Name)
	}
	return searchtext.Fields(fields...)
}

// NormalKey returns the form in which keys and aliases are stored and looked up.
func NormalKey(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// HasAlias reports whether name, in normal form, is a former key.
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

// CreateProject stores a new project and gives it its number and times. A key
// that is a key or an alias already is a Conflict.
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
		tx.makeContent(p.ID),
		tx.bolt.Bucket(namesBucket).Put([]byte(p.Key), p.ID.key()),
		tx.PutProject(p),
	)
}

// makeContent makes the buckets of a new project.
func (tx *Tx) makeContent(p ProjectID) error {
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

// claim fails when the name belongs to a project other than owner.
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

// PutProject stores a changed project. Its key must be the one it has;
// RenameProject changes it. A storage that is not there is Invalid.
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

// RenameProject gives p another key and stores it. The old key becomes its
// newest alias; if the new key was an alias of p, that alias is gone. A key
// that belongs to another project is a Conflict; the key it has changes nothing.
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

// DeleteAlias frees a former key of p.
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

// DeleteProject removes p, its names, and its place in the lists of API keys. Its
// content is unreachable from then on. Purge removes it afterwards, because a million
// logs in one transaction would block all other writers.
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
		tx.forgetProject(p.ID),
	)
}

// ProjectDeleted returns a channel that holds a value when a project has been deleted since
// the last receive. It is for one reader.
func (s *Store) ProjectDeleted() <-chan struct{} { return s.projectDeleted }

// owner is the project of a record that is addressed by its id alone.
func (tx *Tx) owner(id ID) (ProjectID, bool) {
	raw := tx.bolt.Bucket(ownersBucket).Get(id[:])
	p, err := projectOf(raw)
	if err != nil || !tx.alive(raw) { // svc check reports an owner that cannot be read
		return 0, false
	}
	return p, true
}

// OwnerOf finds the project of a record that is addressed by its id alone.
func (s *Store) OwnerOf(id ID) (owner ProjectID, ok bool, err error) {
	err = s.View(func(tx *Tx) error {
		owner, ok = tx.owner(id)
		return nil
	})
	return owner, ok, err
}

// directory is every project by each of its names. It is immutable; the
// projects in it are too.
type directory struct {
	byName map[string]*slot
	byID   map[ProjectID]*slot
	newest []*Project // newest created first
}

// Projects lists all projects, newest created first. The slice and the
// projects must not be changed.
func (s *Store) Projects() []*Project { return s.projects.Load().newest }

// FindProject finds a project by key or alias without a transaction. The
// project must not be changed.
func (s *Store) FindProject(name string) (*Project, error) {
	slot, ok := s.projects.Load().byName[NormalKey(name)]
	if !ok {
		return nil, errNoProject(name)
	}
	return slot.project.Load(), nil
}

// loadProjects makes the directory from the file.
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

// refreshProjects makes the next directory after the given projects changed.
// Readers keep the one they have.
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

// index fills byName and newest from byID.
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

// ProjectByID finds a project by its number. It must not be changed.
func (s *Store) ProjectByID(id ProjectID) (*Project, bool) {
	slot, ok := s.projects.Load().byID[id]
	if !ok {
		return nil, false
	}
	return slot.project.Load(), true
}
