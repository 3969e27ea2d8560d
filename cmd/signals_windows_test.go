package cmd

import "os"

// signals are those that scripts may send.
var signals = map[string]os.Signal{"KILL": os.Kill}
