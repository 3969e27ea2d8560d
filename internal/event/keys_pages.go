package event

import (
	"fmt"
	"maps"
	"slices"

	"go.etcd.io/bbolt"
)

// hashPages are the values of a hash index: those of a bucket, with changes that
// are not in it yet. So runs can be merged without keeping others from writing.
type hashPages struct {
	bucket  *bbolt.Bucket
	changed map[string][]byte // nil = deleted
}

// changing is for those who change pages.
func changing(b *bbolt.Bucket) *hashPages { return &hashPages{b, map[string][]byte{}} }

func (p *hashPages) get(key []byte) []byte {
	if raw, ok := p.changed[string(key)]; ok {
		return raw
	}
	return getValue(p.bucket, key)
}

func (p *hashPages) put(key, raw []byte) { p.changed[string(key)] = raw }

func (p *hashPages) delete(key []byte) { p.changed[string(key)] = nil }

// write brings the changes into the bucket, which may be that of a later
// transaction.
func (p *hashPages) write(b *bbolt.Bucket) error {
	for _, key := range slices.Sorted(maps.Keys(p.changed)) {
		var err error
		if raw := p.changed[key]; raw != nil {
			err = putValue(b, []byte(key), raw)
		} else {
			err = deleteValue(b, []byte(key))
		}
		if err != nil {
			return fmt.Errorf("write hash index: %w", err)
		}
	}
	return nil
}
