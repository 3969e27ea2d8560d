//go:build unix

package cmd

import (
	"os"
	"syscall"
)

// stateSignals are the signals on which a server logs its state.
var stateSignals = []os.Signal{syscall.SIGUSR1}
