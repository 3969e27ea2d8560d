package store

import (
	"context"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"

	"svc/internal/boltfile"
	"svc/internal/finding"
)

// fixesAtOnce bounds what one transaction of a repair puts right.
const fixesAtOnce = 20_000

// Repair puts right what Check finds and what can be derived from the records, in
// a file that nobody else has open. It does it in steps, each of which is whole:
// when it fails or is stopped in the middle, it can be repeated. The errors are
// those of Open, or that of ctx.
func Repair(ctx context.Context, path string) (err error) {
	db, err := boltfile.Open(path, boltfile.Options{})
	if err != nil {
		return fmt.Errorf("repair %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, boltfile.Close(db)) }()
	if err := layout.RefuseOlder(db); err != nil {
		return fmt.Errorf("repair %s: %w", path, err)
	}
	left := -1 // as many fixes as the last step found
	for {
		found := 0
		err := db.Update(func(t *bbolt.Tx) (err error) {
			found, err = repairStep(ctx, t)
			return err
		})
		if err != nil {
			return fmt.Errorf("repair %s: %w", path, err)
		}
		// What does not become less contradicts itself, such as two versions with
		// the same text; another check says so.
		if found == 0 || left >= 0 && found >= left {
			return nil
		}
		left = found
	}
}

// repairStep looks for what is wrong and puts some of it right, and returns how
// much it has found.
func repairStep(ctx context.Context, t *bbolt.Tx) (found int, err error) {
	var fixes []func() error
	c := newChecker(ctx, &Tx{bolt: t}, finding.NewReport(nil))
	c.fix = func(fix func() error) {
		if found++; found <= fixesAtOnce {
			fixes = append(fixes, fix)
		}
	}
	if err := c.run(); err != nil {
		return 0, err
	}
	for _, fix := range fixes {
		if err := fix(); err != nil {
			return 0, err
		}
	}
	return found, nil
}
