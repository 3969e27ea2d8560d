//go:build unix

package httpserver

import "syscall"

// openFiles returns the number of files that the process may have open, or 0 if it is
// unknown. When the program starts, the Go runtime raises this limit as far as possible.
func openFiles() uint64 {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return 0
	}
	return l.Cur
}
