package cmd

import "os"

// stateSignals make a server log its state. Windows has none.
var stateSignals []os.Signal
