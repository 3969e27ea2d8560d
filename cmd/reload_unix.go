//go:build unix

package cmd

import (
	"os"
	"syscall"
)

// stateSignals ask a server to write its state to the log.
var stateSignals = []os.Signal{syscall.SIGUSR1}
