package instance

import (
	"os"
	"sync"

	"svc/internal/datadir"
	"svc/internal/files"
	"svc/internal/replica"
	"svc/store"
)

// Contents returns access to the contents of the local files, for the replica.
func (i *Instance) Contents(dir string) *replica.Contents {
	var mu sync.Mutex
	keys := map[string]string{} // object keys by SHA-256; guarded by mu
	return &replica.Contents{
		List: func() (sums []string, err error) {
			found := map[string]string{}
			err = i.EachLocalFile(func(f *store.File) error {
				found[f.SHA256] = f.ObjectKey
				return nil
			})
			for sum := range found {
				sums = append(sums, sum)
			}
			mu.Lock()
			defer mu.Unlock()
			keys = found
			return sums, err
		},
		Open: func(sum string) (*os.File, error) {
			mu.Lock()
			key, known := keys[sum]
			mu.Unlock()
			if !known {
				return nil, os.ErrNotExist
			}
			return os.Open(LocalPath(dir, key))
		},
	}
}

// LocalPath returns the path of the content with an object key in a directory of local files.
func LocalPath(dir, key string) string { return below(dir, datadir.Objects+"/"+files.DiskPath(key)) }

// EachLocalFile calls visit for each file with content in the directory of local files. No transaction is open
// during these calls.
func (i *Instance) EachLocalFile(visit func(*store.File) error) error {
	for last := store.FileID(""); ; {
		page, err := store.Read(i.Store, func(tx *store.Tx) ([]*store.File, error) { return tx.FilesAfter(last, pageOfFiles) })
		if err != nil || len(page) == 0 {
			return err
		}
		for _, f := range page {
			last = f.ID
			if f.Backend != store.LocalStorage || f.Status != store.FileReady || f.SHA256 == "" {
				continue
			}
			if err := visit(f); err != nil {
				return err
			}
		}
	}
}
