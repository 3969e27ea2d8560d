package store

import (
	"strings"
	"sync"
	"sync/atomic"
)

// maxLinks is how many links are kept.
const maxLinks = 4096

// links are the files that direct links lead to, as the last commit left them. They are
// found again after a commit that may change that.
type links struct {
	found sync.Map // object key -> *linked
	count atomic.Int32
}

type linked struct {
	file    *File
	backend *StorageBackend
}

// LinkedFile finds the file with an object key, and its storage, for a direct link.
// Neither must be changed. It takes no lock that writers hold. One that is not ready is
// NotFound.
func (s *Store) LinkedFile(objectKey string) (*File, *StorageBackend, error) {
	known := s.links.Load() // before the transaction, which may then be newer, but not older
	if l, ok := known.found.Load(objectKey); ok {
		l := l.(*linked)
		return l.file, l.backend, nil
	}
	l, err := Read(s, func(tx *Tx) (*linked, error) { return tx.linked(objectKey) })
	if err != nil {
		return nil, nil, err
	}
	if known.count.Add(1) > maxLinks {
		s.links.CompareAndSwap(known, &links{}) // those in use come back
	} else {
		known.found.Store(objectKey, l)
	}
	return l.file, l.backend, nil
}

func (tx *Tx) linked(objectKey string) (*linked, error) {
	parts := strings.Split(objectKey, "/")
	if len(parts) != 4 {
		return nil, errNoFile()
	}
	f, err := tx.file([]byte(parts[2]))
	if err != nil {
		return nil, err
	}
	if f == nil || f.ObjectKey != objectKey || f.Status != FileReady || !tx.alive(f.Project.key()) {
		return nil, errNoFile()
	}
	b, err := tx.StorageBackend(f.Backend)
	return &linked{f, b}, err
}
