package cmd

import "os"

// stateSignals are the signals on which a server logs its state. Windows has no such signal.
var stateSignals []os.Signal
