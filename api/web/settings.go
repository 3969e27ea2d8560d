package web

import "svc/store"

// GetSettings returns the stored settings and sets the entity tag of the response.
func GetSettings[T any](r *Request, db *store.Store, s store.Setting[T]) (*T, error) {
	return settings(r, db.View, s, func(*store.Tx, *T) error { return nil })
}

// PutSettings applies the given change to the settings and stores the result. Like GetSettings, it
// returns the settings and sets the entity tag.
func PutSettings[T any](r *Request, db *store.Store, s store.Setting[T], change func(*store.Tx, *T)) (*T, error) {
	return settings(r, db.Update, s, func(tx *store.Tx, v *T) error {
		change(tx, v)
		return s.Put(tx, v)
	})
}

// DeleteSettings resets the settings to their initial values. Like GetSettings, it returns the
// settings and sets the entity tag.
func DeleteSettings[T any](r *Request, db *store.Store, s store.Setting[T]) (*T, error) {
	return settings(r, db.Update, s, func(tx *store.Tx, _ *T) error { return s.Delete(tx) })
}

// settings calls the function run, which begins a transaction, and applies the given change to the
// settings in that transaction. It returns the settings after the change.
func settings[T any](
	r *Request, run func(func(*store.Tx) error) error, s store.Setting[T], change func(*store.Tx, *T) error,
) (v *T, err error) {
	err = run(func(tx *store.Tx) (err error) {
		if v, err = s.Get(tx); err != nil {
			return err
		}
		if err = r.Match(v); err != nil {
			return err
		}
		if err = change(tx, v); err != nil {
			return err
		}
		v, err = s.Get(tx)
		return err
	})
	if err == nil {
		err = r.Tag(v)
	}
	return v, err
}
