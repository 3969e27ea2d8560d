package event

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"svc/internal/boltfile"
)

// Probe returns the error that Open would return, but does not change the file. No
// process may have the file open. Probe reads all pages.
func Probe(path string) error {
	format, found := uint32(0), false
	err := boltfile.ExaminePages(path, func(key, value []byte) {
		// The first bucket of the file is meta, so the first key of this name belongs
		// to it.
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
