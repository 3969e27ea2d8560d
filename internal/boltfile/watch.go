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

// watch logs a transaction that is still open after SlowTx, with the function that
// requested it. The returned function ends the watch.
func (w *Writer) watch() (stop func() bool) {
	var stack [8]uintptr
	n := runtime.Callers(3, stack[:])
	return time.AfterFunc(SlowTx, func() {
		frame := opener(stack[:n])
		w.log.Warn("transaction open for too long", "longer_than", SlowTx, "file", filepath.Base(w.db.Path()), "function", frame.Function, "line",
			frame.Line)
	}).Stop
}

// passing lists prefixes of the names of functions that only pass a transaction on to the
// code that requested it.
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
