package store

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/google/uuid"

	"svc/store/series"
)

// ID identifies a record. It is a UUIDv7 (RFC 9562), so ids in byte order are
// in order of creation and keys made of them append to a bucket.
type ID = uuid.UUID

// ParseID reads the text form of an id: 36 characters, lower or upper case.
func ParseID(text string) (ID, bool) {
	if len(text) != 36 {
		return ID{}, false
	}
	id, err := uuid.Parse(text)
	return id, err == nil
}

// idOf reads an id that is a key of a bucket.
func idOf(key []byte) (ID, error) {
	if len(key) != len(ID{}) {
		return ID{}, fmt.Errorf("%w: id %x", ErrDamaged, key)
	}
	return ID(key), nil
}

// CreatedAt returns when the id was issued, in Unix seconds. It is the creation time of
// the record, so that order by time and order by id agree.
func CreatedAt(id ID) int64 { return series.CreatedAt(id) }

// LastID returns the time in the last issued id, in Unix milliseconds, or 0 before the
// first. No id is ever issued below it.
func (s *Store) LastID() int64 {
	s.file.Lock()
	defer s.file.Unlock()
	return int64(milliseconds(s.ids.last))
}

func milliseconds(id ID) uint64 {
	return binary.BigEndian.Uint64(id[:8]) >> 16
}

// idSource issues UUIDv7 ids that never go back, also when the clock does:
// within a millisecond, or behind the last one, the random part of the last id
// grows by a random step.
type idSource struct{ last ID }

func (s *idSource) next(now time.Time) ID {
	if ms := uint64(min(max(now.UnixMilli(), 0), 1<<48-1)); ms > milliseconds(s.last) {
		var id ID
		rand.Read(id[6:]) // never fails, see crypto/rand
		binary.BigEndian.PutUint32(id[:4], uint32(ms>>16))
		binary.BigEndian.PutUint16(id[4:6], uint16(ms))
		s.last = stamp(id)
		return s.last
	}
	var step [4]byte
	rand.Read(step[:])
	s.last = plus(s.last, uint64(binary.BigEndian.Uint32(step[:]))+1)
	return s.last
}

// plus adds n to the number that is left when the six fixed bits are taken
// out of the id: 48 bits of time, 12 and 62 random bits.
func plus(id ID, n uint64) ID {
	const randB = 1<<62 - 1
	high := binary.BigEndian.Uint64(id[:8])
	low := binary.BigEndian.Uint64(id[8:])&randB + n
	high = high>>16<<12 | high&0xfff // the time and 12 random bits in one number
	high += low >> 62
	binary.BigEndian.PutUint64(id[:8], high>>12<<16|high&0xfff)
	binary.BigEndian.PutUint64(id[8:], low&randB)
	return stamp(id)
}

// stamp writes version 7 and the RFC variant into the id.
func stamp(id ID) ID {
	id[6] = id[6]&0x0f | 0x70
	id[8] = id[8]&0x3f | 0x80
	return id
}
