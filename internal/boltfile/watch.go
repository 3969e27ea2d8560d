package boltfile

import (
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// SlowTx is the age at which an open transaction is logged. A read transaction that stays
// open makes the file grow with every commit.
const SlowTx = time.Second

// watch logs a transaction if it is still open after SlowTx, together with the name of
// the function that requested it. The caller must call stop when the transaction ends.
func (w *Writer) watch() (stop func() bool) {
	var stack [8]uintptr
	n := runtime.Callers(3, stack[:])
	return time.AfterFunc(SlowTx, func() {
		frame := opener(stack[:n])
		w.log.Warn("transaction open for too long", "longer_than", SlowTx, "file", filepath.Base(w.db.Path()), "function", frame.Function, "line",
			frame.Line)
	}).Stop
}

// passing lists prefixes of function names. These functions only pass a transaction on,
// so they are not the ones that requested it.
var passing = []string{
	"svc/internal/boltfile.", "svc/store.(*Store).View", "svc/store.(*Store).Update", "svc/store.(*Store).commit", "svc/store.Read[",
}

// opener returns the first function of a stack that is not listed in passing, or the last
// known function.
func opener(stack []uintptr) (frame runtime.Frame) {
	frames := runtime.CallersFrames(stack)
	for more := true; more; {
		frame, more = frames.Next()
		passes := false
		for _, name := range passing {
			passes = passes || strings.HasPrefix(frame.Function, name)
		}
		if !passes {
			return frame
		}
	}
	return frame
}
