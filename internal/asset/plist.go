package asset

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf16"
)

// plistTexts returns the text values of the given keys in the top dictionary of a property
// list, which is XML or binary. It ignores values that are longer than maxText.
//
// The known libraries build the whole tree. The author of the file determines its size and
// depth, so the tree could exhaust the memory or the stack.
func plistTexts(raw []byte, keys ...string) (map[string]string, error) {
	if bytes.HasPrefix(raw, []byte("bplist0")) {
		return binaryTexts(raw, keys)
	}
	return xmlTexts(raw, keys)
}

// xmlTexts does the work of plistTexts for the XML format:
// <plist><dict><key>name</key><string>text</string>...
func xmlTexts(raw []byte, keys []string) (map[string]string, error) {
	texts := map[string]string{}
	d := xml.NewDecoder(bytes.NewReader(raw))
	depth, key, dictionary := 0, "", false
	var text strings.Builder
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) && dictionary {
			return texts, nil
		}
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if depth++; depth > maxDepth || depth == 2 && t.Name.Local != "dict" {
				return nil, fmt.Errorf("%w: a property list without a dictionary", errContent)
			}
			dictionary = dictionary || depth == 2
			text.Reset()
		case xml.CharData:
			text.Write(t)
		case xml.EndElement:
			switch {
			case depth != 3:
			case t.Name.Local == "key":
				key = text.String()
			default:
				if t.Name.Local == "string" && slices.Contains(keys, key) && text.Len() <= maxText {
					texts[key] = text.String()
				}
				key = ""
			}
			depth--
			text.Reset()
		}
	}
}

// binaryPlist is a property list in Apple's binary format.
type binaryPlist struct {
	objects    []byte // the header and the objects
	table      []byte // the offset of each object
	offsetSize int    // bytes that an offset takes
	refSize    int    // bytes that the number of an object takes
}

// binaryTexts does the work of plistTexts for the binary format.
func binaryTexts(raw []byte, keys []string) (map[string]string, error) {
	const trailer = 32
	if len(raw) < 8+trailer {
		return nil, errContent
	}
	end := raw[len(raw)-trailer:]
	body := raw[:len(raw)-trailer]
	count, top, tableAt := binary.BigEndian.Uint64(end[8:]), binary.BigEndian.Uint64(end[16:]), binary.BigEndian.Uint64(end[24:])
	p := binaryPlist{offsetSize: int(end[6]), refSize: int(end[7])}
	if p.offsetSize < 1 || p.offsetSize > 8 || p.refSize < 1 || p.refSize > 8 ||
		tableAt > uint64(len(body)) || count > (uint64(len(body))-tableAt)/uint64(p.offsetSize) {
		return nil, errContent
	}
	p.objects, p.table = body[:tableAt], body[tableAt:][:count*uint64(p.offsetSize)]
	kind, entries, rest, ok := p.object(top)
	if !ok || kind != 0xd || entries > uint64(len(rest))/uint64(2*p.refSize) {
		return nil, fmt.Errorf("%w: a property list without a dictionary", errContent)
	}
	texts := map[string]string{}
	for i := range entries {
		at := func(i uint64) uint64 { return bigEndian(rest[i*uint64(p.refSize):][:p.refSize]) }
		if key := p.text(at(i)); slices.Contains(keys, key) {
			texts[key] = p.text(at(entries + i))
		}
	}
	return texts, nil
}

// object returns the kind of the object with the given number, the count of its elements, and
// all bytes from its first element on. ok is false if there is no such object.
func (p *binaryPlist) object(number uint64) (kind byte, count uint64, rest []byte, ok bool) {
	if number >= uint64(len(p.table)/p.offsetSize) {
		return 0, 0, nil, false
	}
	offset := bigEndian(p.table[number*uint64(p.offsetSize):][:p.offsetSize])
	if offset >= uint64(len(p.objects)) {
		return 0, 0, nil, false
	}
	mark, rest := p.objects[offset], p.objects[offset+1:]
	kind, count = mark>>4, uint64(mark&0xf)
	if count != 0xf {
		return kind, count, rest, true
	}
	if len(rest) == 0 || rest[0]>>4 != 1 || rest[0]&0xf > 3 || len(rest) < 1+1<<(rest[0]&0xf) { // an integer with the count must follow
		return 0, 0, nil, false
	}
	length := 1 << (rest[0] & 0xf)
	return kind, bigEndian(rest[1:][:length]), rest[1+length:], true
}

// text returns the object with the given number if it is a text of at most maxText characters,
// and "" otherwise.
func (p *binaryPlist) text(number uint64) string {
	kind, count, rest, ok := p.object(number)
	switch {
	case !ok || count > maxText:
	case kind == 5 && count <= uint64(len(rest)): // ASCII
		return string(rest[:count])
	case kind == 6 && 2*count <= uint64(len(rest)): // UTF-16
		units := make([]uint16, count)
		for i := range units {
			units[i] = binary.BigEndian.Uint16(rest[2*i:])
		}
		return string(utf16.Decode(units))
	}
	return ""
}

// bigEndian decodes a big-endian number of at most 8 bytes.
func bigEndian(b []byte) (n uint64) {
	for _, one := range b {
		n = n<<8 | uint64(one)
	}
	return n
}
