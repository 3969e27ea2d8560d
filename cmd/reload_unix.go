//go:build unix

package cmd

import (
	"os"
	"syscall"
)

// stateSignals make a server log its state.
var stateSignals = []os.Signal{syscall.SIGUSR1}
