// Command svc tells apps whether they must update, and takes their releases.
package main

import (
	_ "embed"
	"os"
	_ "time/tzdata" // images without one have no table of time zones

	"svc/cmd"
)

//go:embed openapi.yaml
var openapi []byte

func main() {
	os.Exit(cmd.Main(os.Args, os.Stdin, os.Stdout, os.Stderr, openapi))
}
