package cmd

import "os"

// signals maps the names of the signals that scripts may send.
var signals = map[string]os.Signal{"KILL": os.Kill}
