//go:build unix

package cmd

import "syscall"

// privateFiles makes every file that this process creates accessible to its owner only.
func privateFiles() { syscall.Umask(0o077) }
