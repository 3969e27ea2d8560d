//go:build unix

package cmd

import "syscall"

// privateFiles makes everything that this process creates readable for its
// owner only.
func privateFiles() { syscall.Umask(0o077) }
