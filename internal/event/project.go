package event

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"svc/internal/boltfile"
	"svc/internal/event/dictionary"
	"svc/internal/event/encoding"
	"svc/internal/event/hashindex"
)

// project is the part of a project's state that is held in memory.
type project struct {
	number Project
	names  *names

	// projectIndexes holds the indexes as of the last commit. Writing them requires both
	// Engine.maintaining and the lock of Engine.file; for reading them, either one
	// suffices.
	projectIndexes

	// vacuumed reports that the dictionaries contain no unreferenced texts. It is
	// false after a start, which may follow an interrupted erasure, and after an
	// erasure that failed. Guarded by Engine.maintaining.
	vacuumed bool
}

// projectIndexes holds the indexes of a project: the index of event IDs, and the
// dictionaries of distinct_ids and session_ids. The indexes are immutable.
type projectIndexes struct {
	keys               *hashindex.Index
	subjects, sessions *dictionary.Dictionary
}

const (
	// The payload of an entry in the index of event IDs has keyPayload bytes: the lower
	// 16 bits of the event's hour and the 15-second slot within the hour.
	keyPayload  = 3
	slotBits    = 8
	slotSeconds = 15
)

// keyOf returns the payload that the index of event IDs stores for an event at the given
// Unix second.
func keyOf(at int64) uint32 {
	return uint32(at/3600)&0xffff<<slotBits | uint32(at%3600/slotSeconds)
}

// loadProjects reads the state of all projects into memory.
func (e *Engine) loadProjects(tx *boltfile.Tx) error {
	all := tx.Bucket(projectsBucket)
	return all.ForEachBucket(func(key []byte) error {
		if len(key) != 4 {
			return fmt.Errorf("%w: project with a key of %d bytes", ErrDamaged, len(key))
		}
		p, err := e.loadProject(all.Bucket(key), Project(binary.BigEndian.Uint32(key)))
		if err != nil {
			return fmt.Errorf("project %d: %w", binary.BigEndian.Uint32(key), err)
		}
		e.projects[p.number] = p
		return nil
	})
}

func (e *Engine) loadProject(b *boltfile.Bucket, number Project) (p *project, err error) {
	for _, name := range projectBuckets {
		if b.Bucket(name) == nil {
			return nil, fmt.Errorf("%w: no bucket %s", ErrDamaged, name)
		}
	}
	p = &project{number: number}
	if p.names, err = loadNames(b.Bucket(namesBucket)); err != nil {
		return nil, err
	}
	p.projectIndexes, err = e.loadIndexes(b)
	return p, err
}

// loadIndexes reads the indexes of a project.
func (e *Engine) loadIndexes(b *boltfile.Bucket) (x projectIndexes, err error) {
	if x.keys, err = hashindex.Load(b.Bucket(keysBucket), keyPayload); err != nil {
		return x, err
	}
	if x.subjects, err = dictionary.Load(b.Bucket(subjectsBucket), e.secret); err != nil {
		return x, err
	}
	x.sessions, err = dictionary.Load(b.Bucket(sessionsBucket), e.secret)
	return x, err
}

// project returns a project, or nil if the project has no stored data.
func (e *Engine) project(number Project) *project {
	e.known.RLock()
	defer e.known.RUnlock()
	return e.projects[number]
}

// Projects returns the projects that have stored data.
func (e *Engine) Projects() []Project {
	e.known.RLock()
	defer e.known.RUnlock()
	return slices.Collect(maps.Keys(e.projects))
}

// addProject creates the buckets of a new project.
func (e *Engine) addProject(tx *boltfile.Tx, number Project) (*project, error) {
	b, err := tx.Bucket(projectsBucket).CreateBucketIfNotExists(encoding.Key32(uint32(number)))
	if err != nil {
		return nil, err
	}
	for _, name := range projectBuckets {
		if _, err := b.CreateBucketIfNotExists(name); err != nil {
			return nil, err
		}
	}
	return e.loadProject(b, number)
}

// projectBucket returns the bucket of a project with the given name, or nil if there is
// none.
func projectBucket(tx *boltfile.Tx, number Project, name []byte) *boltfile.Bucket {
	if b := tx.Bucket(projectsBucket).Bucket(encoding.Key32(uint32(number))); b != nil {
		return b.Bucket(name)
	}
	return nil
}

// Project is the ID of a project in the main database.
type Project uint32
