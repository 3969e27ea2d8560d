package jobs

import (
	"runtime"
	"runtime/metrics"
	"time"
)

const (
	// maxRunnable is how many goroutines wait for a core at most while only ours run.
	maxRunnable = 6
	// share is the part of the time that is left to a backup while others have
	// work: one in so many.
	share = 5
	// maxRest bounds a single rest, whatever the clock says.
	maxRest = 50 * time.Millisecond
)

// pace is how a backup goes on: at full speed on an idle machine, and mostly
// resting while somebody writes, who needs the disk, or many wait for a core. A
// backup has time, requests have not.
func (a *Archiver) pace() func(worked time.Duration) {
	waiting := []metrics.Sample{{Name: "/sched/goroutines/runnable:goroutines"}}
	written := a.DB.Commits() + a.Events.Commits()
	return func(worked time.Duration) {
		runtime.Gosched()
		metrics.Read(waiting)
		busy := waiting[0].Value.Kind() == metrics.KindUint64 && waiting[0].Value.Uint64() > maxRunnable
		if now := a.DB.Commits() + a.Events.Commits(); now != written || busy {
			written = now
			<-time.After(min((share-1)*worked, maxRest))
		}
	}
}
