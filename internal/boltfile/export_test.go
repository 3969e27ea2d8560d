package boltfile

import "errors"

// Exchange puts a file in the place of the one that is open, as Compact does.
func (d *DB) Exchange(temp string) error {
	old, err := d.exchange(temp)
	if old != nil {
		err = errors.Join(err, old.Close())
	}
	return err
}
