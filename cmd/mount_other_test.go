//go:build !linux

package cmd

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func canMount(*testing.T) bool { return false }

func tmpfs(ts *testscript.TestScript, _ bool, _ []string) { ts.Fatalf("nothing can be mounted here") }
