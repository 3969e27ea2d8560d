package store

import (
	"bytes"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// maxLinks is the maximum number of entries in the cache of links and assets.
const maxLinks = 4096

// links caches the files to which direct links lead, as of the last commit. When a commit
// may have changed such a file, a new, empty cache replaces it. It also caches the assets
// of versions.
type links struct {
	found  sync.Map     // object key -> *linked
	assets sync.Map     // *Version -> []asset.Asset
	count  atomic.Int32 // entries of both
}

// FileState returns a comparable value. If two calls return equal values, no commit between them
// has made a file ready, changed a ready file or removed one.
func (s *Store) FileState() any { return s.links.Load() }

type linked struct {
	file    *File
	backend *StorageBackend
}

// LinkedFile returns the file with an object key, and its storage, for a direct link. The
// caller must not change either of them. LinkedFile never waits for writers. The error is
// NotFound if the file is not ready.
func (s *Store) LinkedFile(objectKey string) (*File, *StorageBackend, error) {
	known := s.links.Load() // load the cache before the transaction begins, so that the file read is not older than the cache
	if l, ok := known.found.Load(objectKey); ok {
		l := l.(*linked)
		return l.file, l.backend, nil
	}
	l, err := Read(s, func(tx *Tx) (*linked, error) { return tx.linked(objectKey) })
	if err != nil {
		return nil, nil, err
	}
	if known.count.Add(1) > maxLinks {
		s.links.CompareAndSwap(known, &links{}) // the links in use will be cached again
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

// ReplaceLinks replaces an address in every link of a project's versions. The parameter from is the
// old address, and the parameter to is the new one. ReplaceLinks returns the number of versions
// that changed. White space around an address is ignored. The other fields of each link are left
// unchanged.
func (tx *Tx) ReplaceLinks(p ProjectID, from, to string) (changed int, err error) {
	w, err := tx.workOn(p)
	if err != nil {
		return 0, err
	}
	is := func(url string) bool { return strings.TrimSpace(url) == from }
	var ids []ID
	for id, e := range w.entries {
		v := e.Record
		if v.DownloadURL != nil && is(*v.DownloadURL) || slices.ContainsFunc(v.DownloadLinks, func(l DownloadLink) bool { return is(l.URL) }) {
			ids = append(ids, id)
		}
	}
	for _, id := range ids {
		v, err := tx.Version(p, id)
		if err != nil {
			return 0, err
		}
		if v.DownloadURL != nil && is(*v.DownloadURL) {
			v.DownloadURL = &to
		}
		for i := range v.DownloadLinks {
			if is(v.DownloadLinks[i].URL) {
				v.DownloadLinks[i].URL = to
			}
		}
		if err := tx.putVersion(p, v); err != nil {
			return 0, err
		}
	}
	return len(ids), nil
}

// FileReferences returns the versions that link to each of the given files. The keys of
// the result are object keys, and the values are display texts of versions, the newest
// version first. The scheme and host of a link are ignored.
func (s *Snapshot) FileReferences(objectKeys ...string) map[string][]string {
	wanted := make(map[string]bool, len(objectKeys))
	for _, key := range objectKeys {
		wanted[key] = true
	}
	found := map[string][]*Version{}
	for _, e := range s.entries {
		v := e.Record
		note := func(link string) {
			key, ok := linkedKey(link)
			if ok && wanted[key] && !slices.Contains(found[key], v) {
				found[key] = append(found[key], v)
			}
		}
		if v.DownloadURL != nil {
			note(*v.DownloadURL)
		}
		for _, l := range v.DownloadLinks {
			note(l.URL)
		}
	}
	references := make(map[string][]string, len(found))
	for key, versions := range found {
		slices.SortFunc(versions, func(a, b *Version) int { return bytes.Compare(b.ID[:], a.ID[:]) })
		for _, v := range versions {
			references[key] = append(references[key], v.Version)
		}
	}
	return references
}

// LinkedFiles returns the ids of the files to which the version at a position of the
// catalog links, without duplicates. The files may no longer exist.
func (s *Snapshot) LinkedFiles(at int) (ids []FileID) {
	v := s.entries[at].Record
	links := make([]string, 0, 1+len(v.DownloadLinks))
	if v.DownloadURL != nil {
		links = append(links, *v.DownloadURL)
	}
	for _, l := range v.DownloadLinks {
		links = append(links, l.URL)
	}
	for _, link := range links {
		key, ok := linkedKey(link)
		if parts := strings.Split(key, "/"); ok && len(parts) == 4 && !slices.Contains(ids, FileID(parts[2])) {
			ids = append(ids, FileID(parts[2]))
		}
	}
	return ids
}

// linkedKey returns the object key that the path of a link contains. ok is false if the
// link does not lead to an object.
func linkedKey(link string) (key string, ok bool) {
	if !strings.Contains(link, "/f/") {
		return "", false
	}
	u, err := url.Parse(strings.TrimSpace(link))
	if err != nil {
		return "", false
	}
	segments := strings.Split(strings.TrimPrefix(u.EscapedPath(), "/"), "/")
	if len(segments) != 4 || segments[0] != "f" {
		return "", false
	}
	for i, segment := range segments {
		plain, err := url.PathUnescape(segment)
		if err != nil || strings.Contains(plain, "/") {
			return "", false
		}
		segments[i] = plain
	}
	return strings.Join(segments, "/"), true
}
