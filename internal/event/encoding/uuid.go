package encoding

// The lengths of a UUID and of its shortened form, in bytes. All UUIDs of the same
// version share six bits: the version in the upper half of byte 6, and binary 10 as the
// highest bits of byte 8 (RFC 9562). The other 122 bits take 15 bytes and two bits. In
// the shortened form, byte 6 consists of the lower halves of bytes 6 and 8, and byte 8 is
// left out. Its remaining two bits are stored separately, after the version.
const (
	UUIDLength      = 16
	ShortUUIDLength = 15

	// minShortened is the smallest number of UUIDs for which shortening saves space.
	minShortened = 8
)

// UUIDRestLength returns the number of bytes that the separate data of n shortened UUIDs
// takes: one byte for the version, and two bits for each UUID.
func UUIDRestLength(n int) int { return 1 + (n+3)/4 }

// ShortenUUIDs shortens UUIDs in place if all of them have the same version and there are
// at least minShortened. rest is the separate data of the shortened UUIDs. It is nil if
// they were not shortened.
func ShortenUUIDs(uuids []byte) (shorter, rest []byte) {
	n := len(uuids) / UUIDLength
	if n < minShortened {
		return uuids, nil
	}
	version := uuids[6] >> 4
	for i := range n {
		if u := uuids[i*UUIDLength:]; u[6]>>4 != version || u[8]>>6 != 2 {
			return uuids, nil
		}
	}
	rest = make([]byte, UUIDRestLength(n))
	rest[0] = version
	for i := range n {
		u := [UUIDLength]byte(uuids[i*UUIDLength:])
		short := uuids[i*ShortUUIDLength:][:ShortUUIDLength]
		copy(short, u[:8])
		short[6] = u[6]<<4 | u[8]&15
		copy(short[8:], u[9:])
		rest[1+i/4] |= u[8] >> 4 & 3 << (i % 4 * 2)
	}
	return uuids[:n*ShortUUIDLength], rest
}

// LengthenUUID returns the UUID with index i in full. The other parameters are the
// results of ShortenUUIDs.
func LengthenUUID(uuids, rest []byte, i int) (u [UUIDLength]byte) {
	short := uuids[i*ShortUUIDLength:][:ShortUUIDLength]
	copy(u[:], short[:8])
	u[6] = rest[0]<<4 | short[6]>>4
	u[8] = 2<<6 | rest[1+i/4]>>(i%4*2)&3<<4 | short[6]&15
	copy(u[9:], short[8:])
	return u
}

const hexDigits = "0123456789abcdef"

// uuidOffsets holds the offset, in the text of a UUID, of the two digits of each byte.
var uuidOffsets = [16]int{0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34}

// hexValues holds the value of each lower-case hexadecimal digit, and 255 for every other
// byte.
var hexValues = func() (values [256]byte) {
	for i := range values {
		values[i] = 255
	}
	for value, digit := range []byte(hexDigits) {
		values[digit] = byte(value)
	}
	return values
}()

// PackUUID returns the 16 bytes of a UUID that is in the canonical lower-case form. ok is
// false for any other text, including UUIDs in other forms.
func PackUUID(text string) (packed [16]byte, ok bool) {
	if len(text) != 36 || text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-' {
		return packed, false
	}
	for i, at := range uuidOffsets {
		high, low := hexValues[text[at]], hexValues[text[at+1]]
		if high|low > 15 {
			return packed, false
		}
		packed[i] = high<<4 | low
	}
	return packed, true
}

// UnpackUUID returns the text of a packed UUID.
func UnpackUUID(packed [16]byte) string {
	text := [36]byte{8: '-', 13: '-', 18: '-', 23: '-'}
	for i, at := range uuidOffsets {
		text[at], text[at+1] = hexDigits[packed[i]>>4], hexDigits[packed[i]&15]
	}
	return string(text[:])
}
