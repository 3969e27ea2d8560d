package jobs

import (
	"runtime"
	"runtime/metrics"
	"time"
)

const (
	// maxRunnable is the largest number of goroutines that wait for a core while only the backup
	// runs.
	maxRunnable = 6
	// share is the fraction of the time that a backup takes while other work is in progress:
	// 1/share.
	share = 5
	// maxRest limits a single rest.
	maxRest = 50 * time.Millisecond
)

// pace returns the function that a backup calls between its pieces. A backup runs at full speed on
// an idle machine, and rests most of the time while there are writers, which need the disk, or many
// goroutines wait for a core.
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
