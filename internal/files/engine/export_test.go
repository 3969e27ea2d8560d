package engine

import (
	"context"

	"svc/store"
)

// Unexported steps of the engine for the tests, which are in package engine_test because
// they also use package jobs.
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

// DeletersAtOnce is the number of a storage's objects that are removed concurrently.
const DeletersAtOnce = deletersAtOnce

// PermanentError is the type of failures for which a transfer is not retried.
type PermanentError = permanentError

// BeginTransfer registers a transfer of a file. The transfer ends when the test calls end.
func BeginTransfer(e *Engine, id store.FileID) (end func()) {
	_, cancel := context.WithCancel(context.Background())
	e.transfers.begin(id, cancel)
	return func() {
		cancel()
		e.transfers.end(id)
	}
}
