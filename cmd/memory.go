package cmd

import (
	"os"
	"runtime/debug"

	"svc/internal/doctor"
)

// limitMemory lets the collector work harder near the limit of the container or
// service, before the system ends the process. GOMEMLIMIT wins over it.
func limitMemory() {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	if limit, ok := doctor.MemoryLimit(os.DirFS("/"), "self"); ok {
		debug.SetMemoryLimit(limit / 10 * 9)
	}
}
