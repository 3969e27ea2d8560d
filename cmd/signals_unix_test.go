//go:build unix

package cmd

import (
	"os"
	"syscall"
)

// signals maps the names of the signals that scripts may send.
var signals = map[string]os.Signal{
	"INT":  syscall.SIGINT,
	"TERM": syscall.SIGTERM,
	"HUP":  syscall.SIGHUP,
	"USR1": syscall.SIGUSR1,
	"KILL": syscall.SIGKILL,
	"STOP": syscall.SIGSTOP,
	"CONT": syscall.SIGCONT,
}
