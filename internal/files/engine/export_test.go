package engine

import (
	"context"

	"svc/store"
)

// The steps of the engine, for tests in package engine_test, which also use the jobs.
var (
	TransferOne  = (*Engine).transferOne
	Transfer     = (*Engine).transfer
	DueTransfers = (*Engine).dueTransfers
	FetchContent = (*Engine).fetch
	RefreshEarly = (*Engine).refreshEarly
	CleanStaged  = (*Engine).cleanStaged
	SweepLocal   = (*Engine).sweepLocal
	IsGone       = isGone
)

// DeletersAtOnce is the number of objects of a storage that are removed at the same time.
const DeletersAtOnce = deletersAtOnce

// PermanentError is a failure that another attempt would not change.
type PermanentError = permanentError

// BeginTransfer registers a transfer of a file until end is called.
func BeginTransfer(e *Engine, id store.FileID) (end func()) {
	_, cancel := context.WithCancel(context.Background())
	e.transfers.begin(id, cancel)
	return func() {
		cancel()
		e.transfers.end(id)
	}
}
