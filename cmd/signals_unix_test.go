//go:build unix

package cmd

import (
	"os"
	"syscall"
)

// signals are those that scripts may send.
var signals = map[string]os.Signal{
	"INT":  syscall.SIGINT,
	"TERM": syscall.SIGTERM,
	"HUP":  syscall.SIGHUP,
	"KILL": syscall.SIGKILL,
	"STOP": syscall.SIGSTOP,
	"CONT": syscall.SIGCONT,
}
