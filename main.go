// Command svc is the server for app authors: update checks, releases, feedback, logs and events.
package main

import (
	_ "embed"
	"os"
	_ "time/tzdata" // embeds the time zones, for images that contain none

	"svc/cmd"
)

//go:embed openapi.yaml
var openapi []byte

func main() {
	os.Exit(cmd.Main(os.Args, os.Stdin, os.Stdout, os.Stderr, openapi))
}
