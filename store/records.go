package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"svc/internal/boltfile"
	"svc/internal/fault"
)

// identified is a pointer to a record that has its id outside of its value: as its
// key, or in front of it.
type identified[R any] interface {
	*R
	identify(ID)
}

func notFound(what string) error { return fault.New(fault.NotFound, "%s not found", what) }

// read reads the record with an id from a bucket, nil when there is none such.
// The error is NotFound when it is not there, and calls it what.
func read[R any, T identified[R]](b *boltfile.Bucket, id ID, what string) (T, error) {
	if b == nil {
		return nil, notFound(what)
	}
	rec, err := get[R](b, id[:])
	if err != nil {
		return nil, err
	}
	if rec == nil {
		return nil, notFound(what)
	}
	T(rec).identify(id)
	return rec, nil
}

// eachRecord visits the records of a bucket, which have their ids as keys, the
// oldest first. visit must not write.
func eachRecord[R any, T identified[R]](b *boltfile.Bucket, visit func(T) error) error {
	return b.ForEach(func(key, raw []byte) error {
		rec, err := decode[R](key, raw)
		if err != nil {
			return err
		}
		id, err := idOf(key)
		if err != nil {
			return err
		}
		T(rec).identify(id)
		return visit(rec)
	})
}

// owned reads a record and its project by the id of the record alone.
func owned[R any](tx *Tx, id ID, what string, read func(ProjectID, ID) (*R, error)) (*Project, *R, error) {
	owner, ok := tx.owner(id)
	if !ok {
		return nil, nil, notFound(what)
	}
	p, err := tx.projectByID(owner)
	if err != nil {
		return nil, nil, err
	}
	rec, err := read(owner, id)
	return p, rec, err
}

// write stores a record in a bucket of its project, and returns it as it will be
// read back: it shares nothing with rec, which is the caller's.
func write[R any, T identified[R]](tx *Tx, bucket []byte, c Change, rec T) (stored T, err error) {
	raw, err := encode(rec)
	if err != nil {
		return nil, err
	}
	if stored, err = decode[R](c.ID[:], raw); err != nil {
		return nil, err
	}
	stored.identify(c.ID)
	return stored, errors.Join(tx.content(c.Project).Bucket(bucket).Put(c.ID[:], raw), tx.record(c))
}

// erase removes a record, which has an owner, from a bucket of its project.
func (tx *Tx) erase(bucket []byte, c Change) error {
	return errors.Join(
		tx.content(c.Project).Bucket(bucket).Delete(c.ID[:]),
		tx.bolt.Bucket(ownersBucket).Delete(c.ID[:]),
		tx.record(c),
	)
}

// get decodes the value at key. It returns nil when there is none.
func get[T any](b *boltfile.Bucket, key []byte) (*T, error) {
	raw := b.Get(key)
	if raw == nil {
		return nil, nil
	}
	return decode[T](key, raw)
}

// decode reads the value that was found at key.
func decode[T any](key, raw []byte) (*T, error) {
	v := new(T)
	if err := json.Unmarshal(raw, v); err != nil {
		return nil, fmt.Errorf("%w: decode %T at %x: %w", ErrDamaged, *v, key, err)
	}
	return v, nil
}

// numberOf reads a number that is a key, a value or a part of one. It has size bytes unless
// the file is damaged.
func numberOf(raw []byte, size int) (n uint64, err error) {
	if len(raw) != size {
		return 0, fmt.Errorf("%w: %x is no number of %d bytes", ErrDamaged, raw, size)
	}
	for _, b := range raw {
		n = n<<8 | uint64(b)
	}
	return n, nil
}

// deleteNumbers deletes up to limit of the first keys, which are numbers of size bytes, as
// long as goes is true, and returns how many it has deleted.
func deleteNumbers(b *boltfile.Bucket, limit, size int, goes func(uint64) bool) (int, error) {
	var damaged error
	n, err := b.DeleteFirst(limit, func(key []byte) bool {
		number, err := numberOf(key, size)
		damaged = err
		return err == nil && goes(number)
	})
	return n, errors.Join(err, damaged)
}

// put stores v at key.
func put(b *boltfile.Bucket, key []byte, v any) error {
	raw, err := encode(v)
	if err != nil {
		return err
	}
	return b.Put(key, raw)
}

// encode is JSON without escapes that only HTML needs, so that a free-form
// object is read back as it was written.
func encode(v any) ([]byte, error) {
	var raw bytes.Buffer
	e := json.NewEncoder(&raw)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return bytes.TrimSuffix(raw.Bytes(), []byte("\n")), nil
}
