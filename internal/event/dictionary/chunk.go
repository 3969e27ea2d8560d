package dictionary

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"

	"svc/internal/event/encoding"
)

// A chunk of a dictionary has up to 1,024 slots for consecutive numbers. A slot holds the
// text with its number, or is empty. The parts of an encoded chunk are:
//
//	CRC-32C of the rest   4 bytes
//	version               1 byte: 1
//	slots                 2 bytes: number of slots; all slots after these are empty
//	kinds                 1 byte for each slot: 0 empty, 1 UUID, 2 text
//	UUIDs                 16 bytes for each slot of kind 1
//	ends                  4 bytes for each slot of kind 2: the offset at which its text ends
//	texts                 concatenated
//
// All integers are little endian. Only UUIDs in the canonical form, in lower case with
// four hyphens, are of kind 1.
const (
	chunkVersion = 1
	chunkHeader  = 7

	slotEmpty = 0
	slotUUID  = 1
	slotText  = 2
)

var errChunk = errors.New("texts are inconsistent")

// textChunk is a chunk that is read in place or is being built. The zero value has no
// slots.
type textChunk struct {
	raw   []byte // the encoded chunk; nil while it is being built
	kinds []byte
	uuids []byte
	ends  []byte
	texts []byte
}

// packedText is a text in the form in which a slot stores it: as a UUID or as a plain
// text.
type packedText struct {
	kind byte
	uuid [16]byte
	text string
}

func packText(text string) packedText {
	if uuid, ok := encoding.PackUUID(text); ok {
		return packedText{kind: slotUUID, uuid: uuid}
	}
	return packedText{kind: slotText, text: text}
}

// openChunk reads a chunk. It verifies that all slots can be read, but not the checksum.
func openChunk(raw []byte) (textChunk, error) {
	if len(raw) < chunkHeader || raw[4] != chunkVersion {
		return textChunk{}, errChunk
	}
	c := encoding.Reader{Rest: raw[chunkHeader:]}
	chunk := textChunk{raw: raw, kinds: c.Take(int(binary.LittleEndian.Uint16(raw[5:])))}
	chunk.uuids = c.Take(16 * bytes.Count(chunk.kinds, []byte{slotUUID}))
	chunk.ends = c.Take(4 * bytes.Count(chunk.kinds, []byte{slotText}))
	chunk.texts = c.Rest
	last := uint32(0)
	for at := 0; at < len(chunk.ends); at += 4 {
		end := binary.LittleEndian.Uint32(chunk.ends[at:])
		if end < last {
			return textChunk{}, errChunk
		}
		last = end
	}
	known := len(chunk.uuids)/16 + len(chunk.ends)/4 + bytes.Count(chunk.kinds, []byte{slotEmpty})
	if c.Bad || len(chunk.kinds) > chunkSlots || known != len(chunk.kinds) || uint64(last) != uint64(len(chunk.texts)) {
		return textChunk{}, errChunk
	}
	return chunk, nil
}

// verify verifies the checksum.
func (c *textChunk) verify() error {
	if c.raw != nil && binary.LittleEndian.Uint32(c.raw) != encoding.Checksum(c.raw[4:]) {
		return encoding.ErrChecksum
	}
	return nil
}

// encode returns the encoded chunk.
func (c *textChunk) encode() []byte {
	raw := make([]byte, chunkHeader, chunkHeader+len(c.kinds)+len(c.uuids)+len(c.ends)+len(c.texts))
	raw[4] = chunkVersion
	binary.LittleEndian.PutUint16(raw[5:], uint16(len(c.kinds)))
	for _, piece := range [][]byte{c.kinds, c.uuids, c.ends, c.texts} {
		raw = append(raw, piece...)
	}
	binary.LittleEndian.PutUint32(raw, encoding.Checksum(raw[4:]))
	return raw
}

// has reports whether a slot has a text.
func (c *textChunk) has(slot int) bool { return slot < len(c.kinds) && c.kinds[slot] != slotEmpty }

// empty reports whether no slot has a text.
func (c *textChunk) empty() bool { return bytes.Count(c.kinds, []byte{slotEmpty}) == len(c.kinds) }

// uuid returns the UUID in a slot of kind slotUUID.
func (c *textChunk) uuid(slot int) [16]byte {
	before := bytes.Count(c.kinds[:slot], []byte{slotUUID})
	return [16]byte(c.uuids[16*before:])
}

// plain returns the text in a slot of kind slotText, in place.
func (c *textChunk) plain(slot int) []byte {
	before := bytes.Count(c.kinds[:slot], []byte{slotText})
	start := uint32(0)
	if before > 0 {
		start = binary.LittleEndian.Uint32(c.ends[4*before-4:])
	}
	return c.texts[start:binary.LittleEndian.Uint32(c.ends[4*before:])]
}

// is reports whether a slot contains the wanted text.
func (c *textChunk) is(slot int, wanted *packedText) bool {
	switch {
	case slot >= len(c.kinds) || c.kinds[slot] != wanted.kind:
		return false
	case wanted.kind == slotUUID:
		return c.uuid(slot) == wanted.uuid
	}
	return string(c.plain(slot)) == wanted.text
}

// text returns the text in a slot. ok is false if the slot is empty.
func (c *textChunk) text(slot int) (text string, ok bool) {
	if slot >= len(c.kinds) {
		return "", false
	}
	switch c.kinds[slot] {
	case slotUUID:
		return encoding.UnpackUUID(c.uuid(slot)), true
	case slotText:
		return string(c.plain(slot)), true
	}
	return "", false
}

// with returns a copy of the chunk with texts added. The first of them is stored in the
// given slot, and the others in the following slots. The slot must come after all used
// slots.
func (c *textChunk) with(slot int, texts []string) textChunk {
	next := textChunk{
		kinds: slices.Clone(c.kinds), uuids: slices.Clone(c.uuids),
		ends: slices.Clone(c.ends), texts: slices.Clone(c.texts),
	}
	for len(next.kinds) < slot {
		next.kinds = append(next.kinds, slotEmpty)
	}
	for _, text := range texts {
		next.append(packText(text))
	}
	return next
}

func (c *textChunk) append(text packedText) {
	c.kinds = append(c.kinds, text.kind)
	if text.kind == slotUUID {
		c.uuids = append(c.uuids, text.uuid[:]...)
		return
	}
	c.texts = append(c.texts, text.text...)
	c.ends = binary.LittleEndian.AppendUint32(c.ends, uint32(len(c.texts)))
}

// without returns a copy of the chunk with the given slots emptied. removed is the number
// of these slots that contained a text.
func (c *textChunk) without(slots []int) (next textChunk, removed int) {
	for slot, kind := range c.kinds {
		switch {
		case kind == slotEmpty:
			next.kinds = append(next.kinds, slotEmpty)
		case slices.Contains(slots, slot):
			next.kinds = append(next.kinds, slotEmpty)
			removed++
		default:
			text, _ := c.text(slot)
			next.append(packText(text))
		}
	}
	return next, removed
}
