package store

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"

	"svc/internal/fault"
)

// LocalStorage is the id of the built-in storage, which exists from the first start.
const LocalStorage = "local"

// localName is the initial name of the built-in storage.
const localName = "Local"

// The kinds of storage.
const (
	StorageLocal  = "local"
	StorageWebDAV = "webdav"
	StorageS3     = "s3"
)

// StorageBackend describes a place in which the contents of files are stored. Times are
// Unix seconds. A field that is "" or 0 has no value.
type StorageBackend struct {
	ID                  string `json:"-"`
	Name                string `json:"name"`
	Kind                string `json:"kind"`
	Default             bool   `json:"default,omitempty"`
	BaseURL             string `json:"base_url,omitempty"`
	Username            string `json:"username,omitempty"`
	Password            string `json:"password,omitempty"` // sealed, see package seal
	PasswordFingerprint string `json:"password_fingerprint,omitempty"`
	PartSizeKB          int    `json:"part_size_kb,omitempty"`
	Region              string `json:"region,omitempty"`
	Bucket              string `json:"bucket,omitempty"`
	PathPrefix          string `json:"path_prefix,omitempty"`
	PathStyle           bool   `json:"path_style,omitempty"`
	Public              bool   `json:"public,omitempty"` // the last probe could read objects without credentials
	CreatedAt           int64  `json:"created_at"`
	UpdatedAt           int64  `json:"updated_at"`
}

// Builtin reports whether the storage is the built-in one.
func (b *StorageBackend) Builtin() bool { return b.ID == LocalStorage }

func errNoBackend() error { return fault.New(fault.NotFound, "storage backend not found") }

// StorageBackend reads the storage with the given id.
func (tx *Tx) StorageBackend(id string) (*StorageBackend, error) {
	if id == "" || len(id) > 64 {
		return nil, errNoBackend()
	}
	b, err := get[StorageBackend](tx.bolt.Bucket(storageBackendsBucket), []byte(id))
	if err != nil {
		return nil, err
	}
	if b == nil {
		return nil, errNoBackend()
	}
	b.ID = id
	return b, nil
}

// StorageBackends returns all storages, the oldest first.
func (tx *Tx) StorageBackends() (list []*StorageBackend, err error) {
	list, err = listOf(tx.bolt.Bucket(storageBackendsBucket), nil, math.MaxInt, func(b *StorageBackend, key []byte) error {
		b.ID = string(key)
		return nil
	})
	slices.SortFunc(list, func(a, b *StorageBackend) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), strings.Compare(a.order(), b.order()))
	})
	return list, err
}

// order returns the key by which storages that were created in the same second are
// sorted.
func (b *StorageBackend) order() string {
	if b.Builtin() {
		return ""
	}
	return b.ID
}

// StorageFor returns the storage in which a new file of a project is to be stored. It is
// the requested storage if requested is not empty, otherwise the project's own storage if
// it has one, and otherwise the default. The error is NotFound if the requested storage
// does not exist.
func (tx *Tx) StorageFor(p *Project, requested string) (*StorageBackend, error) {
	if requested != "" {
		return tx.StorageBackend(requested)
	}
	if p.StorageBackend != "" {
		b, err := tx.StorageBackend(p.StorageBackend)
		if !fault.Is(err, fault.NotFound) {
			return b, err
		}
	}
	list, err := tx.StorageBackends()
	if err != nil {
		return nil, err
	}
	for _, b := range list {
		if b.Default {
			return b, nil
		}
	}
	return tx.StorageBackend(LocalStorage)
}

// PutStorageBackend stores a new or changed storage. It gives a new one its id. If the
// storage is the default, the previous default becomes an ordinary storage. The error is
// Invalid if the caller unsets the default, changes the kind of a storage, or changes the
// connection of the built-in storage.
func (tx *Tx) PutStorageBackend(b *StorageBackend) error {
	before := &StorageBackend{Kind: b.Kind, CreatedAt: tx.now.Unix()}
	if b.ID == "" {
		b.ID = tx.newID().String()
	} else {
		var err error
		if before, err = tx.StorageBackend(b.ID); err != nil {
			return err
		}
	}
	switch {
	case b.Kind != before.Kind || b.Builtin() != (b.Kind == StorageLocal):
		return fault.Validation("kind must not be changed, and only the built-in storage is local")
	case b.Builtin() && (b.connection() != StorageBackend{} || b.PartSizeKB != 0):
		return fault.Validation("the built-in storage has only a name: base_url, username, password and part_size_kb cannot be set")
	case before.Default && !b.Default:
		return fault.Validation("is_default must be true: make another storage the default instead")
	case b.Kind == StorageS3 && b.PartSizeKB != 0:
		return fault.Validation("part_size_kb must be null for a storage of kind s3")
	}
	if b.connection() != before.connection() {
		b.Public = false // unknown until the next probe
	}
	if b.Default && !before.Default {
		if err := unsetDefault(tx); err != nil {
			return err
		}
	}
	b.CreatedAt, b.UpdatedAt = before.CreatedAt, tx.now.Unix()
	tx.storageChanged = true
	return put(tx.bolt.Bucket(storageBackendsBucket), []byte(b.ID), b)
}

// connection returns a copy of a storage with only those fields that determine how its
// objects are accessed. Two storages with equal copies access the same objects.
func (b *StorageBackend) connection() StorageBackend {
	return StorageBackend{
		BaseURL: b.BaseURL, Username: b.Username, Password: b.Password,
		Region: b.Region, Bucket: b.Bucket, PathPrefix: b.PathPrefix, PathStyle: b.PathStyle,
	}
}

// unsetDefault makes the default storage an ordinary one.
func unsetDefault(tx *Tx) error {
	list, err := tx.StorageBackends()
	if err != nil {
		return err
	}
	for _, b := range list {
		if !b.Default {
			continue
		}
		b.Default, b.UpdatedAt = false, tx.now.Unix()
		if err := put(tx.bolt.Bucket(storageBackendsBucket), []byte(b.ID), b); err != nil {
			return err
		}
	}
	return nil
}

// DeleteStorageBackend removes a storage. The error is a Conflict if the storage has files, is the
// default, or has objects that no job has tried to remove yet. Projects that used the storage use
// the default afterwards. Objects of deleted files that could not be removed from the storage
// remain there.
func (tx *Tx) DeleteStorageBackend(id string) error {
	b, err := tx.StorageBackend(id)
	if err != nil {
		return err
	}
	n, err := tx.FilesOn(id)
	if err != nil {
		return err
	}
	switch {
	case b.Builtin():
		return fault.New(fault.Invalid, "the built-in storage cannot be deleted")
	case b.Default:
		return fault.New(fault.Conflict, "the storage is the default; make another one the default first")
	case n > 0:
		return fault.New(fault.Conflict, "the storage has %d files; delete them first", n)
	}
	if err := untriedOn(tx, id); err != nil {
		return err
	}
	for _, p := range tx.store.Projects() {
		if p.StorageBackend != id {
			continue
		}
		changed, err := tx.projectByID(p.ID)
		if err != nil {
			return err
		}
		changed.StorageBackend = ""
		if err := tx.PutProject(changed); err != nil {
			return err
		}
	}
	return errors.Join(
		tx.bolt.Bucket(fileCountsBucket).Delete([]byte(id)),
		tx.bolt.Bucket(storageBackendsBucket).Delete([]byte(id)),
	)
}

// untriedOn returns a Conflict if an object on the storage must be removed and no attempt
// to remove it has been made. Deleting the storage now would leave the object there
// forever. After a failed attempt the storage can be deleted, because the place may no
// longer exist.
func untriedOn(tx *Tx, backend string) error {
	return tx.bolt.Bucket(fileDeletionsBucket).ForEach(func(key, raw []byte) error {
		d, err := decode[FileDeletion](key, raw)
		if err == nil && d.Backend == backend && d.Attempts == 0 {
			err = fault.New(fault.Conflict, "objects of deleted files are being removed from the storage; try again in a minute")
		}
		return err
	})
}
