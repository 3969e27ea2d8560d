package store

import (
	"bytes"
	"encoding/binary"
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
	for _, part := range []func() error{c.fileOrder, c.fileSources, c.filePending, c.fileDeletions, c.cdnRefreshes} {
		if err := part(); err != nil {
			return err
		}
	}
	return c.fileCounts(on)
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
		c.fix(func() error { return mendDefault(b) })
	}
	for id, p := range c.projects {
		if p == nil || p.StorageBackend == "" || known[p.StorageBackend] {
			continue
		}
		c.report.Add(integrity.FileHome, integrity.Path(projectsBucket, id.key()), "there is no storage backend %q", p.StorageBackend)
		c.fix(func() error {
			p.StorageBackend = ""
			return put(c.bucket(projectsBucket), id.key(), p)
		})
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
func (c *checker) eachFile(backends map[string]bool) (on map[string]int64, err error) {
	on = map[string]int64{}
	err = c.each(c.bucket(filesBucket), func(key, raw []byte) error {
		where := integrity.Path(filesBucket, key)
		f, err := decode[File](key, raw)
		if err != nil || !validFileID(FileID(key)) || !slices.Contains(FileStatuses, f.Status) {
			c.filesUnread = true
			c.report.Add(integrity.Record, where, "it is no file: %v", err)
			return nil
		}
		f.ID = FileID(key)
		on[f.Backend]++
		counts := c.files[f.Project]
		if counts == nil {
			counts = map[countName]int64{}
			c.files[f.Project] = counts
		}
		counts[countFiles(f.Status)]++
		if !backends[f.Backend] {
			c.report.Add(integrity.FileHome, where, "there is no storage backend %q", f.Backend)
		}
		c.fileEntry(where, fileOrderBucket, f.orderKey(), f.orderValue())
		if f.Status == FilePending {
			c.fileEntry(where, filePendingBucket, dueKey(f.RetryAt, f.ID), []byte{})
		}
		if f.SourceURL != "" {
			c.sourceEntry(where, f)
		}
		return nil
	})
	return on, err
}

// fileEntry checks that an index has an entry.
func (c *checker) fileEntry(where string, index, key, want []byte) {
	b := c.bucket(index)
	if got := b.Get(key); got != nil && bytes.Equal(got, want) {
		return
	}
	c.report.Add(integrity.FileIndex, where, "its entry in %s is missing or wrong", index)
	c.fix(func() error { return b.Put(key, want) })
}

// sourceEntry checks that a file is found by its source address.
func (c *checker) sourceEntry(where string, f *File) {
	b := c.bucket(fileSourcesBucket)
	key := sourceKey(f.Project, f.SourceURL)
	if slices.ContainsFunc(slices.Collect(slices.Chunk(b.Get(key), fileIDLength)), func(id []byte) bool { return string(id) == string(f.ID) }) {
		return
	}
	c.report.Add(integrity.FileIndex, where, "its source address does not lead to it")
	c.fix(func() error { return b.Put(key, append(bytes.Clone(b.Get(key)), f.ID...)) })
}

// fileAt reads a file for an index entry; nil when there is none.
func (c *checker) fileAt(id []byte) *File {
	f, err := c.tx.file(id)
	if err != nil {
		return nil
	}
	return f
}

// extra reports an index entry that leads to no file, and has it removed.
func (c *checker) extra(index, key []byte) {
	if c.filesUnread {
		return // it may be that of one that cannot be decoded
	}
	c.report.Add(integrity.FileIndex, integrity.Path(index, key), "it leads to no such file")
	b, key := c.bucket(index), bytes.Clone(key)
	c.fix(func() error { return b.Delete(key) })
}

func (c *checker) fileOrder() error {
	return c.each(c.bucket(fileOrderBucket), func(key, _ []byte) error {
		if f := c.fileAt(key[min(12, len(key)):]); f == nil || !bytes.Equal(f.orderKey(), key) {
			c.extra(fileOrderBucket, key)
		}
		return nil
	})
}

func (c *checker) filePending() error {
	return c.each(c.bucket(filePendingBucket), func(key, _ []byte) error {
		if f := c.fileAt(key[min(8, len(key)):]); f == nil || f.Status != FilePending || !bytes.Equal(dueKey(f.RetryAt, f.ID), key) {
			c.extra(filePendingBucket, key)
		}
		return nil
	})
}

func (c *checker) fileSources() error {
	return c.each(c.bucket(fileSourcesBucket), func(key, ids []byte) error {
		var kept []byte
		for id := range slices.Chunk(ids, fileIDLength) {
			if f := c.fileAt(id); f != nil && f.SourceURL != "" && bytes.Equal(sourceKey(f.Project, f.SourceURL), key) {
				kept = append(kept, id...)
			}
		}
		if bytes.Equal(kept, ids) && len(ids) > 0 || c.filesUnread {
			return nil
		}
		c.report.Add(integrity.FileIndex, integrity.Path(fileSourcesBucket, key), "it leads to no such file")
		b, key := c.bucket(fileSourcesBucket), bytes.Clone(key)
		c.fix(func() error {
			if kept == nil {
				return b.Delete(key)
			}
			return b.Put(key, kept)
		})
		return nil
	})
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

// fileCounts compares the numbers of files that are kept of storages.
func (c *checker) fileCounts(on map[string]int64) error {
	if c.filesUnread {
		return nil
	}
	b := c.bucket(fileCountsBucket)
	wrong := func(id string, kept any) {
		n := on[id]
		c.report.Add(integrity.Miscount, integrity.Path(fileCountsBucket, []byte(id)), "%v is kept, %d are there", kept, n)
		c.fix(func() error { return b.Put([]byte(id), binary.BigEndian.AppendUint64(nil, uint64(n))) })
	}
	err := c.each(b, func(key, raw []byte) error {
		switch {
		case len(raw) != 8:
			wrong(string(key), "a number of "+integrity.Key(raw))
		case counted(raw) != on[string(key)]:
			wrong(string(key), counted(raw))
		}
		return nil
	})
	for id, n := range on {
		if n != 0 && b.Get([]byte(id)) == nil {
			wrong(id, "nothing")
		}
	}
	return err
}
