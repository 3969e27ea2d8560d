package cmd

import "os"

// stateSignals ask a server to write its state to the log. There are none here.
var stateSignals []os.Signal
