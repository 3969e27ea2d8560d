package main

import "context"

// standbyInputs holds the inputs of the step "standbys" that matter for what a standby answers.
var standbyInputs = inputs{
	paths: []string{
		"go.mod", "api/apitest", "api/web", "internal/boltfile", "internal/change", "internal/event", "internal/replica/spool", "search", "store",
	},
	tools: versions.golang,
}

// standbys runs the tests of the API with the build tag "standby". Every server of a test then has a standby, and the
// responses of both to each request are compared. The packages have passed their tests without the tag in the step "tests",
// which also reports what is skipped.
func standbys(ctx context.Context, m *machine) result {
	r, _ := m.unlessUnchanged(ctx, check{"standbys", standbyInputs, func() result {
		r := m.plain(ctx, "", "-tags=standby", "-short", "./api/...")
		r.skipped = nil
		return r
	}})
	return r
}
