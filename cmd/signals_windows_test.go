package cmd

import "os"

// signals are the signals that scripts may send.
var signals = map[string]os.Signal{"KILL": os.Kill}
