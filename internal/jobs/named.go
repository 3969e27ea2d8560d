package jobs

import (
	"context"
	"errors"
	"sync"
	"time"

	"svc/internal/fault"
	"svc/internal/notify"
	"svc/internal/typo"
	"svc/store"
)

// saveEvery is the minimum interval at which the last run of a frequent job is stored.
// Without it, an idle server would write to the database all the time.
const saveEvery = 10 * time.Minute

// State describes a job and its last run.
type State struct {
	Name    string
	About   string // short description of the job
	Running bool
	Runs    uint64        // number of runs that have ended since the server was started
	Failed  uint64        // number of these runs that failed
	Begun   time.Time     // start of the last run that has ended, possibly before a restart; zero if there is none
	Took    time.Duration // duration of that run
	Failure string        // error of that run; "" if it succeeded
}

// job is work with a name, by which its state can be displayed and it can be run on
// request.
type job struct {
	work func(ctx context.Context) error // called when a run is requested
	busy sync.Mutex                      // held while the job runs, unless its runs may overlap
	// failed is the name of the event that the job writes when a run fails after one that did not.
	// It is "" if there is none.
	failed string

	mu     sync.Mutex
	active int   // number of runs in progress; guarded by mu
	state  State // guarded by mu
	saved  State // the state that svc.db contains; guarded by mu
}

// define creates a job. It loads the job's last run from svc.db. Each name must be defined only
// once.
func (j *Jobs) define(name, about string, work func(ctx context.Context) error) *job {
	one := &job{work: work, state: State{Name: name, About: about}}
	err := j.DB.View(func(tx *store.Tx) error {
		run, err := tx.JobRun(name)
		if run != nil {
			one.state.Begun, one.state.Took, one.state.Failure = run.At(), run.Duration(), run.Failure
		}
		return err
	})
	if err != nil {
		j.Log.Warn("cannot read the last run of a job", "job", name, "error", err)
	}
	one.saved = one.state
	j.named = append(j.named, one)
	return one
}

// do waits until no other run of the job is in progress and then calls the function work as a run
// of the job.
func (j *Jobs) do(ctx context.Context, o *job, work func(ctx context.Context) error) error {
	o.busy.Lock()
	defer o.busy.Unlock()
	return j.run(ctx, o, work)
}

// run is like do, but does not acquire o.busy. The caller must hold o.busy unless runs of the job
// may overlap.
func (j *Jobs) run(ctx context.Context, o *job, work func(ctx context.Context) error) error {
	begun, clock := j.Now(), time.Now()
	o.set(func(s *State) { o.active, s.Running = o.active+1, true })
	err := fault.Catch(func() error { return work(ctx) })
	o.set(func(s *State) {
		o.active--
		s.Running = o.active > 0
		if ctx.Err() != nil { // a run that was stopped is not counted
			return
		}
		s.Runs, s.Begun, s.Took, s.Failure = s.Runs+1, begun, time.Since(clock), ""
		if err != nil {
			s.Failed, s.Failure = s.Failed+1, err.Error()
		}
	})
	j.save(o, saveEvery)
	return err
}

// save stores the job's last run, so that it is known after a restart. While the outcome
// of the runs does not change, it stores a run at most once per interval. If save fails,
// the next run tries again. A standby stores nothing, because only its primary may change the data.
func (j *Jobs) save(o *job, interval time.Duration) {
	o.mu.Lock()
	s, saved := o.state, o.saved
	o.mu.Unlock()
	if j.DB.Following() || s.Begun.Equal(saved.Begun) || s.Failure == saved.Failure && s.Begun.Sub(saved.Begun).Abs() < interval {
		return
	}
	run := store.JobRun{Begun: s.Begun.Unix(), Took: s.Took.Milliseconds(), Failure: s.Failure}
	if err := j.DB.Update(func(tx *store.Tx) error { return o.store(tx, run) }); err != nil {
		j.Log.Warn("cannot store the last run of a job", "job", s.Name, "error", err)
		return
	}
	o.mu.Lock()
	o.saved = s
	o.mu.Unlock()
}

// store stores a run of the job. If the run has failed and the run before it did not, store also
// writes the event named in the field failed, if there is one.
func (o *job) store(tx *store.Tx, run store.JobRun) error {
	last, err := tx.JobRun(o.state.Name) // the name never changes
	if err != nil {
		return err
	}
	if o.failed != "" && run.Failure != "" && (last == nil || last.Failure == "") {
		err = tx.Notify(store.Instance, notify.Event{Name: o.failed, Data: notify.Notice{Message: run.Failure}})
	}
	return errors.Join(err, tx.PutJobRun(o.state.Name, run))
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

// List returns the state of every job.
func (j *Jobs) List() []State {
	list := make([]State, len(j.named))
	for i, one := range j.named {
		list[i] = one.get()
	}
	return list
}

// Run runs a job immediately, even if it is not due, and returns its state afterwards. The error is
// NotFound if the name is unknown, Conflict if the job is already running, and otherwise the error
// of the run.
func (j *Jobs) Run(ctx context.Context, name string) (State, error) {
	for _, one := range j.named {
		if one.state.Name != name { // the name never changes
			continue
		}
		if !one.busy.TryLock() {
			return one.get(), fault.New(fault.Conflict, "the job %s runs already", name)
		}
		defer one.busy.Unlock()
		err := j.run(ctx, one, one.work)
		j.save(one, 0)
		return one.get(), err
	}
	hint := "svc job list shows all jobs"
	if nearest := typo.Nearest(name, j.names()); nearest != "" {
		hint = "did you mean " + nearest + "?"
	}
	return State{}, fault.New(fault.NotFound, "there is no job %s; %s", name, hint)
}

func (j *Jobs) names() []string {
	names := make([]string, len(j.named))
	for i, one := range j.named {
		names[i] = one.state.Name // never changes
	}
	return names
}
