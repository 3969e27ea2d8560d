package store

import (
	"errors"
	"slices"

	"svc/internal/boltfile"
	"svc/internal/integrity"
)

// storage checks storage backends, files and the indexes of files.
func (c *checker) storage() error {
	backends, err := c.backends()
	if err != nil {
		return err
	}
	on, err := c.eachFile(backends)
	if err != nil {
		return err
	}
	if err := c.settings(c.bucket(settingsBucket), integrity.Path(settingsBucket), instanceSettings); err != nil {
		return err
	}
	for _, part := range []func() error{c.fileDeletions, c.cdnRefreshes} {
		if err := part(); err != nil {
			return err
		}
	}
	return c.counted(c.bucket(fileCountsBucket), integrity.Path(fileCountsBucket), on, func(countName) bool { return !c.filesUnread })
}

// backends checks the storages and which project names them, and lists their ids.
func (c *checker) backends() (known map[string]bool, err error) {
	b := c.bucket(storageBackendsBucket)
	known, whole, defaults := map[string]bool{}, true, 0
	err = c.each(b, func(key, raw []byte) error {
		known[string(key)] = true
		backend, err := decode[StorageBackend](key, raw)
		if err != nil {
			whole = false
			c.report.Add(integrity.Record, integrity.Path(storageBackendsBucket, key), "%v", err)
			return nil
		}
		if id, ok := ParseID(string(key)); ok {
			c.use(id)
		}
		if backend.Default {
			defaults++
		}
		return nil
	})
	if whole && (defaults != 1 || !known[LocalStorage]) {
		c.report.Add(integrity.FileHome, "/storage_backends", "%d storages are the default, not one, or the built-in one is missing", defaults)
		if err == nil && c.repair {
			err = mendDefault(b)
		}
	}
	for id, p := range c.projects {
		if p == nil || p.StorageBackend == "" || known[p.StorageBackend] {
			continue
		}
		c.report.Add(integrity.FileHome, integrity.Path(projectsBucket, id.key()), "there is no storage backend %q", p.StorageBackend)
		p.StorageBackend = ""
		raw, encoded := encode(p)
		err = errors.Join(err, encoded, c.put(c.bucket(projectsBucket), id.key(), raw))
	}
	return known, err
}

// mendDefault makes the built-in storage the only default.
func mendDefault(b *boltfile.Bucket) error {
	changed := map[string]*StorageBackend{LocalStorage: {Name: localName, Kind: StorageLocal}}
	err := b.ForEach(func(key, raw []byte) error {
		backend, err := decode[StorageBackend](key, raw)
		changed[string(key)] = backend
		return err
	})
	for id, backend := range changed {
		if err != nil {
			return err
		}
		backend.Default = id == LocalStorage
		err = put(b, []byte(id), backend)
	}
	return err
}

// eachFile checks each file and that it is found by what leads to it, and counts the
// files of each project and storage.
func (c *checker) eachFile(backends map[string]bool) (on map[countName]int64, err error) {
	on = map[countName]int64{}
	order, pending, sources := map[string][]byte{}, map[string][]byte{}, map[string][]byte{}
	err = c.each(c.bucket(filesBucket), func(key, raw []byte) error {
		where := integrity.Path(filesBucket, key)
		f, err := decode[File](key, raw)
		if err != nil || !validFileID(FileID(key)) || !slices.Contains(FileStatuses, f.Status) {
			c.filesUnread = true
			c.report.Add(integrity.Record, where, "it is no file: %v", err)
			return nil
		}
		f.ID = FileID(key)
		on[countName(f.Backend)]++
		counts := c.files[f.Project]
		if counts == nil {
			counts = map[countName]int64{}
			c.files[f.Project] = counts
		}
		counts[countFiles(f.Status)]++
		if !backends[f.Backend] {
			c.report.Add(integrity.FileHome, where, "there is no storage backend %q", f.Backend)
		}
		order[string(f.orderKey())] = f.orderValue()
		if f.Status == FilePending {
			pending[string(dueKey(f.RetryAt, f.ID))] = []byte{}
		}
		if f.SourceURL != "" {
			key := string(sourceKey(f.Project, f.SourceURL))
			sources[key] = append(sources[key], f.ID...)
		}
		return nil
	})
	if c.filesUnread {
		clear(sources) // values may have ids of files that cannot be read
	}
	for key, ids := range sources {
		if kept := c.bucket(fileSourcesBucket).Get([]byte(key)); slices.Equal(sortedIDs(kept), sortedIDs(ids)) {
			sources[key] = kept // in order of creation
		}
	}
	return on, errors.Join(err,
		c.derived(integrity.FileIndex, c.bucket(fileOrderBucket), integrity.Path(fileOrderBucket), order, c.filesUnread),
		c.derived(integrity.FileIndex, c.bucket(filePendingBucket), integrity.Path(filePendingBucket), pending, c.filesUnread),
		c.derived(integrity.FileIndex, c.bucket(fileSourcesBucket), integrity.Path(fileSourcesBucket), sources, c.filesUnread),
	)
}

// sortedIDs returns the ids in a value of file_sources.
func sortedIDs(ids []byte) (list []string) {
	for id := range slices.Chunk(ids, fileIDLength) {
		list = append(list, string(id))
	}
	slices.Sort(list)
	return list
}

func (c *checker) fileDeletions() error {
	return c.each(c.bucket(fileDeletionsBucket), func(key, raw []byte) error {
		if _, err := decode[FileDeletion](key, raw); err != nil || len(key) != 8+fileIDLength {
			c.report.Add(integrity.Record, integrity.Path(fileDeletionsBucket, key), "it is no object to remove: %v", err)
		}
		return nil
	})
}

func (c *checker) cdnRefreshes() error {
	return c.each(c.bucket(cdnRefreshesBucket), func(key, raw []byte) error {
		if _, err := decode[CDNRefresh](key, raw); err != nil || !validFileID(FileID(key)) {
			c.report.Add(integrity.Record, integrity.Path(cdnRefreshesBucket, key), "it is no link to refresh: %v", err)
		}
		return nil
	})
}
