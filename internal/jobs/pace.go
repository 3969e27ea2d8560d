package jobs

import (
	"runtime"
	"runtime/metrics"
	"time"
)

const (
	// maxRunnable is the number of goroutines that wait for a CPU at most while nothing but
	// the backup is running. A larger number means that there is other work.
	maxRunnable = 6
	// share limits a backup to 1/share of the time while other work is in progress.
	share = 5
	// maxRest limits the duration of a single pause.
	maxRest = 50 * time.Millisecond
)

// pace returns a function that a backup calls after each piece of work, with the time
// that the piece has taken. On an idle machine, the function returns immediately. If
// there are writers, which need the disk, or if many goroutines wait for a CPU, the
// function pauses, so that the backup is idle most of the time.
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
