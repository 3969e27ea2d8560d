package main

import "context"

// shadowInputs holds the inputs of the step "shadows" that matter for what is recorded.
var shadowInputs = inputs{
	paths: []string{"go.mod", "internal/boltfile", "internal/change", "internal/event", "store"},
	tools: versions.golang,
}

// shadows runs the tests of the packages that write to the data files with the build tag "shadow".
// Every file that they open then has a copy in memory that receives the recorded changes only, and is
// compared with it when it is closed. The packages have passed their tests without the tag in the
// step "tests", which also reports what is skipped. With -all, the tests of the API run as well.
func shadows(ctx context.Context, m *machine) result {
	args := []string{"-tags=shadow", "-short", "./internal/boltfile/...", "./internal/event", "./store/..."}
	if m.all {
		args = append(args, "./api/...")
	}
	r, _ := m.unlessUnchanged(ctx, check{"shadows", shadowInputs, func() result {
		r := m.plain(ctx, "", args...)
		r.skipped = nil
		return r
	}})
	return r
}
