package event

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"svc/internal/boltfile"
)

// Look says why a file that nobody has open could not be opened, as Open does,
// and changes nothing in it. All of its pages are read.
func Look(path string) error {
	format, found := uint32(0), false
	err := boltfile.ExaminePages(path, func(key, value []byte) {
		// The first bucket of the file is that of the marks, so the first of its
		// keys that has this name is the one.
		if !found && bytes.Equal(key, formatKey) && len(value) == 4 {
			format, found = binary.BigEndian.Uint32(value), true
		}
	})
	switch {
	case err != nil:
		return err
	case !found:
		return fmt.Errorf("examine %s: %w: no format number", path, ErrDamaged)
	case format > Format:
		return fmt.Errorf("examine %s: format %d, this program reads up to %d: %w", path, format, Format, ErrNewer)
	}
	return nil
}
