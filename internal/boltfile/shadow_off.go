//go:build !shadow

package boltfile

import "go.etcd.io/bbolt"

// shadowed returns o.Recorder. With the build tag "shadow", it also compares it with the file.
func (o Options) shadowed(*bbolt.DB) Recorder { return o.Recorder }
