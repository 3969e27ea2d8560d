//go:build !linux

package boltfile_test

// writeWhileFailing does nothing, because system calls cannot be made to fail on this
// system.
func writeWhileFailing() {}
