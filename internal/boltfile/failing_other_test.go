//go:build !linux

package boltfile_test

// writeWhileFailing is for systems on which calls can be made to fail.
func writeWhileFailing() {}
