//go:build !linux

package boltfile_test

// writeWhileFailing does nothing: on this system, calls cannot be made to fail.
func writeWhileFailing() {}
