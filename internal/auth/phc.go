package auth

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/crypto/argon2"
)

// errPHC is returned for a stored hash that cannot be parsed.
var errPHC = errors.New("not an argon2id hash")

// The limits of the parameters of a stored hash. Without them, a damaged record could
// cause all memory of the machine to be allocated.
const (
	maxMemory = 1 << 20 // KiB
	maxPasses = 64
	maxLanes  = 16
	minSalt   = 8
	minKey    = 16
	maxBytes  = 64 // maximum length of the salt and of the key
)

// cost contains the parameters that determine how much it costs to compute a hash, and
// thus to guess a password.
type cost struct {
	memory uint32 // in KiB
	passes uint32
	lanes  uint8
	salt   int // length in bytes
	key    int // length in bytes
}

// below reports whether c is weaker than want in any respect. It does not compare the
// lanes, because they only determine how the work can be divided.
func (c cost) below(want cost) bool {
	return c.memory < want.memory || c.passes < want.passes || c.salt < want.salt || c.key < want.key
}

// phc is a hash with the parameters that are needed to verify a password.
type phc struct {
	cost      cost
	saltBytes []byte
	keyBytes  []byte
}

func (p phc) derive(password string) []byte {
	return argon2.IDKey([]byte(password), p.saltBytes, p.cost.passes, p.cost.memory, p.cost.lanes, uint32(p.cost.key))
}

// String returns the form that the Password Hashing Competition defines:
// $argon2id$v=19$m=KiB,t=passes,p=lanes$salt$key, where salt and key are in unpadded
// base64.
func (p phc) String() string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, p.cost.memory, p.cost.passes, p.cost.lanes,
		base64.RawStdEncoding.EncodeToString(p.saltBytes), base64.RawStdEncoding.EncodeToString(p.keyBytes))
}

// parsePHC parses exactly the form that String returns. It rejects parameters in another
// order, blanks, leading zeros, and other spellings of the same bytes.
func parsePHC(text string) (phc, error) {
	part := strings.Split(text, "$")
	if len(part) != 6 || part[0] != "" || part[1] != "argon2id" || part[2] != "v="+strconv.Itoa(argon2.Version) {
		return phc{}, errPHC
	}
	var p phc
	if err := p.cost.parse(part[3]); err != nil {
		return phc{}, err
	}
	var err error
	if p.saltBytes, err = parseBytes(part[4], minSalt); err != nil {
		return phc{}, err
	}
	if p.keyBytes, err = parseBytes(part[5], minKey); err != nil {
		return phc{}, err
	}
	p.cost.salt, p.cost.key = len(p.saltBytes), len(p.keyBytes)
	return p, nil
}

func (c *cost) parse(text string) error {
	part := strings.Split(text, ",")
	if len(part) != 3 {
		return errPHC
	}
	lanes, lanesOK := parseNumber(part[2], "p=", 1, maxLanes)
	// the algorithm needs eight blocks of 1 KiB per lane
	memory, memoryOK := parseNumber(part[0], "m=", 8*lanes, maxMemory)
	passes, passesOK := parseNumber(part[1], "t=", 1, maxPasses)
	if !lanesOK || !memoryOK || !passesOK {
		return errPHC
	}
	c.memory, c.passes, c.lanes = memory, passes, uint8(lanes)
	return nil
}

func parseNumber(text, prefix string, least, most uint32) (uint32, bool) {
	digits, ok := strings.CutPrefix(text, prefix)
	if !ok || digits == "" || digits[0] < '1' || digits[0] > '9' {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 32)
	return uint32(n), err == nil && uint32(n) >= least && uint32(n) <= most
}

func parseBytes(text string, least int) ([]byte, error) {
	// the decoder skips line breaks even in strict mode
	if strings.ContainsAny(text, "\r\n") || len(text) > base64.RawStdEncoding.EncodedLen(maxBytes) {
		return nil, errPHC
	}
	b, err := base64.RawStdEncoding.Strict().DecodeString(text)
	if err != nil || len(b) < least {
		return nil, errPHC
	}
	return b, nil
}
