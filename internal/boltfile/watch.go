package boltfile

import (
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// SlowTx is the age from which an open transaction is reported. A forgotten reader makes
// the file grow with every commit.
const SlowTx = time.Second

// watch reports a transaction that is still open after SlowTx, with the code that opened
// it. The returned function ends the watch.
func (w *Writer) watch() (stop func() bool) {
	var stack [8]uintptr
	n := runtime.Callers(3, stack[:])
	return time.AfterFunc(SlowTx, func() {
		frame := opener(stack[:n])
		w.log.Warn("transaction open for too long", "longer_than", SlowTx, "file", filepath.Base(w.db.Path()), "function", frame.Function, "line", frame.Line)
	}).Stop
}

// passing lists the functions between a transaction and the code that requested it.
var passing = []string{"svc/internal/boltfile.", "svc/store.(*Store).View", "svc/store.(*Store).Update", "svc/store.(*Store).commit", "svc/store.Read["}

// opener returns the first function of a stack that does more than pass on a transaction,
// or the last known one.
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
