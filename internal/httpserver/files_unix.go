//go:build unix

package httpserver

import "syscall"

// openFiles is how many files the process may have open; 0 when nobody says. Go
// has raised the limit as far as it may when the program began.
func openFiles() uint64 {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return 0
	}
	return l.Cur
}
