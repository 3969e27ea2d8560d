package jobs

import (
	"context"
	"sync"
	"time"

	"svc/internal/fault"
)

// State is how a job stands.
type State struct {
	Name    string
	About   string // what it does, in a few words
	Running bool
	Runs    uint64        // that ended
	Failed  uint64        // of them
	Begun   time.Time     // of the last run that ended; zero when there was none
	Took    time.Duration // of the last run that ended
	Failure string        // of the last run that ended; "" when it went well
}

// job is work with a name, so that people can see how it goes and ask for it.
type job struct {
	work func(ctx context.Context) error // when somebody asks for it
	busy sync.Mutex                      // held while it runs

	mu    sync.Mutex
	state State // guarded by mu
}

// define gives a job its name, once.
func (j *Jobs) define(name, about string, work func(ctx context.Context) error) *job {
	one := &job{work: work, state: State{Name: name, About: about}}
	j.named = append(j.named, one)
	return one
}

// do runs work as a run of the job, after one that is under way.
func (o *job) do(ctx context.Context, now func() time.Time, work func(ctx context.Context) error) error {
	o.busy.Lock()
	defer o.busy.Unlock()
	return o.run(ctx, now, work)
}

// run is do for those who hold busy.
func (o *job) run(ctx context.Context, now func() time.Time, work func(ctx context.Context) error) error {
	begun, clock := now(), time.Now()
	o.set(func(s *State) { s.Running = true })
	err := work(ctx)
	o.set(func(s *State) {
		s.Running = false
		if ctx.Err() != nil { // it was stopped, which says nothing
			return
		}
		s.Runs, s.Begun, s.Took, s.Failure = s.Runs+1, begun, time.Since(clock), ""
		if err != nil {
			s.Failed, s.Failure = s.Failed+1, err.Error()
		}
	})
	return err
}

func (o *job) set(change func(*State)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	change(&o.state)
}

func (o *job) get() State {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.state
}

// List is how the jobs stand.
func (j *Jobs) List() []State {
	list := make([]State, len(j.named))
	for i, one := range j.named {
		list[i] = one.get()
	}
	return list
}

// Run runs a job now, whether it is due or not, and tells how it stands then. A
// name that there is not is NotFound, and one that runs already a Conflict; any
// other error is that of the work.
func (j *Jobs) Run(ctx context.Context, name string) (State, error) {
	for _, one := range j.named {
		if one.state.Name != name { // which never changes
			continue
		}
		if !one.busy.TryLock() {
			return one.get(), fault.New(fault.Conflict, "the job %s runs already", name)
		}
		defer one.busy.Unlock()
		err := one.run(ctx, j.Now, one.work)
		return one.get(), err
	}
	return State{}, fault.New(fault.NotFound, "there is no job %s; svc job list shows those there are", name)
}
