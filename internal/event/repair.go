package event

import (
	"context"
	"encoding/binary"
	"maps"
	"slices"

	"svc/internal/boltfile"
	"svc/internal/event/block"
	"svc/internal/event/hashindex"
	"svc/internal/integrity"
)

// Repair repairs, in one transaction, the damage that Check finds, if the correct state
// can be derived from blocks and texts. No other process may have the file open. The
// memory that Repair uses grows with the index of event IDs, by about 6 bytes per event.
// The error is one of the errors of Open or the error of ctx.
func Repair(ctx context.Context, path string, recorder boltfile.Recorder) error {
	return boltfile.Repair(path, boltfile.Options{MapSize: mapSize, Recorder: recorder}, layout, func(file *boltfile.Writer) error {
		return file.Update(func(tx *boltfile.Tx) error {
			fixes := map[string]func() error{}
			c := newChecker(ctx, tx, integrity.NewReport(nil))
			c.fix = func(name string, fix func() error) { fixes[name] = fix }
			if err := c.run(); err != nil {
				return err
			}
			for _, name := range slices.Sorted(maps.Keys(fixes)) {
				if err := fixes[name](); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// renewKeys rebuilds the index of event IDs from the readable blocks.
func (p *projectCheck) renewKeys() error {
	m, err := hashindex.Rebuild(p.bucket, keysBucket, keyPayload)
	if err != nil {
		return err
	}
	blocks := p.bucket.Bucket(blocksBucket)
	cursor := blocks.Cursor()
	for key, raw := cursor.First(); key != nil; key, raw = cursor.Next() {
		if err := p.ctx.Err(); err != nil {
			return err
		}
		if len(key) != 8 {
			continue
		}
		hour := int64(binary.BigEndian.Uint32(key)) * 3600
		r, err := block.Decode(hour, blocks.ValueAt(key, raw))
		if err != nil {
			continue // already in the report
		}
		for row, id := range r.IDs {
			if err := m.Add(hashindex.Entry{Hash: p.secret.Hash(id), Payload: keyOf(hour + int64(r.Seconds[row]))}); err != nil {
				return err
			}
		}
	}
	return m.Flush()
}
