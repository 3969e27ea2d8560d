package health

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"svc/internal/fault"
	"svc/internal/rollout"
	"svc/store"
)

// Config contains the dependencies and settings of an Engine.
type Config struct {
	DB  *store.Store
	Log *slog.Logger
	Now func() time.Time
	// BucketSeconds is the length of a bucket; 0 stands for 600.
	BucketSeconds int
}

const defaultBucketSeconds = 600

// Engine observes the rollouts of all projects. It is safe for concurrent use.
type Engine struct {
	Config
	counter *counter
	watches atomic.Pointer[map[store.ProjectID]*Watch]

	running sync.Mutex // held during a run
	written int64      // start of the first bucket that the last run did not write; guarded by running
}

// New returns an engine that watches nothing until the first run.
func New(c Config) *Engine {
	if c.BucketSeconds == 0 {
		c.BucketSeconds = defaultBucketSeconds
	}
	e := &Engine{Config: c, counter: newCounter(c.Now, int64(c.BucketSeconds))}
	e.watches.Store(&map[store.ProjectID]*Watch{})
	return e
}

// Watch returns the Watch of a project, or nil if no version of the project is being rolled out. For
// most projects this lookup is all that a request costs.
func (e *Engine) Watch(p store.ProjectID) *Watch { return (*e.watches.Load())[p] }

// Next returns the time until the next bucket closes. It returns false if nothing is watched.
func (e *Engine) Next() (time.Duration, bool) {
	if len(*e.watches.Load()) == 0 {
		return 0, false
	}
	now := e.Now()
	return time.Unix(e.start(now.Unix())+e.counter.width, 0).Sub(now), true
}

// start returns the start of the bucket that contains a time. Both are Unix times in seconds.
func (e *Engine) start(at int64) int64 { return at / e.counter.width * e.counter.width }

// Run finds out which versions are being rolled out. If a bucket has closed since the last run, it
// also writes the counts and evaluates the rules.
func (e *Engine) Run(ctx context.Context) error {
	e.running.Lock()
	defer e.running.Unlock()
	open, err := e.refresh()
	if err != nil {
		return err
	}
	current := e.start(e.Now().Unix())
	if current == e.written {
		return nil
	}
	if err := e.write(); err != nil {
		return err
	}
	for _, o := range open {
		if ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		err = errors.Join(err, e.act(o))
	}
	if err == nil {
		e.written = current
	}
	return err
}

// refresh reads from the store which rollouts have started and are running or paused, and returns
// them. It replaces the Watch of every project, so that only requests for these rollouts are
// counted.
func (e *Engine) refresh() (watched []store.OpenRollout, err error) {
	open, err := e.DB.OpenRollouts()
	if err != nil {
		return nil, err
	}
	watches := map[store.ProjectID]*Watch{}
	for _, o := range open {
		r := o.Version.Rollout
		if r.StartedAt == nil || r.State != rollout.Running && r.State != rollout.Paused {
			continue
		}
		watched = append(watched, o)
		w := watches[o.Project]
		if w == nil {
			if w, err = e.newWatch(o.Project); err != nil {
				return nil, err
			}
			if w == nil {
				continue // deleted meanwhile
			}
			watches[o.Project] = w
		}
		if err := w.add(e.DB, r, o.Version.Version); err != nil {
			return nil, err
		}
	}
	e.watches.Store(&watches)
	return watched, nil
}

// write stores the counts of the buckets that are closed. If that fails, they stay in memory.
func (e *Engine) write() error {
	watches := *e.watches.Load()
	changed := e.counter.take(func(p store.ProjectID) bool { return watches[p] != nil })
	if len(changed) == 0 {
		return nil
	}
	err := e.DB.Update(func(tx *store.Tx) error {
		for _, c := range changed {
			if err := tx.PutHealth(c.project, c.version, c.start, c.HealthCount); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		e.counter.restore(changed)
		return fmt.Errorf("write health counts: %w", err)
	}
	return nil
}

// act holds a rollout if a rule with the action hold is failing. For other rules that are suspect
// or failing, it only records the state and sends an event.
func (e *Engine) act(o store.OpenRollout) error {
	if !o.Version.Rollout.Health {
		return nil
	}
	report, err := store.Read(e.DB, func(tx *store.Tx) (Report, error) { return e.Report(tx, o.Project, o.Version) })
	if err != nil || report.failing() == nil && !report.news(o.Version.Rollout) {
		return err
	}
	held := ""
	err = e.DB.Update(func(tx *store.Tx) error {
		v, err := tx.Version(o.Project, o.Version.ID)
		if err != nil {
			return err
		}
		// An administrator may have changed the rollout or the rules since the report.
		r := v.Rollout
		if r == nil || !r.Health || r.State != rollout.Running && r.State != rollout.Paused {
			return nil
		}
		report, err := e.Report(tx, o.Project, v)
		if err != nil {
			return err
		}
		for i := range report.Rules {
			if rule := &report.Rules[i]; rule.noted() {
				if err := tx.NoteHealth(o.Project, v, rule.State, report.about(rule)); err != nil {
					return err
				}
			}
		}
		rule := report.failing()
		if rule == nil {
			return nil
		}
		why := report.about(rule)
		held = why.Reason
		return tx.HoldRollout(o.Project, v, why)
	})
	if fault.Is(err, fault.NotFound) {
		return nil // the version has been deleted meanwhile
	}
	if err == nil && held != "" {
		e.Log.Warn("rollout held", "version", o.Version.Version, "id", o.Version.ID.String(), "reason", held)
	}
	return err
}

// Step returns the facts that decide whether a rollout may take its next step. exposure is the
// number of addresses that were first seen on its version since the current step started. suspect
// reports whether a health rule is suspect or failing. After a restart of the server, exposure no
// longer includes addresses of the bucket in which the step started.
func (e *Engine) Step(o store.OpenRollout) (exposure int64, suspect bool, err error) {
	r := o.Version.Rollout
	if r.StepStartedAt == nil {
		return 0, false, nil
	}
	since := *r.StepStartedAt
	inMemory := e.counter.since(o.Project, o.Version.ID, since)
	for _, addresses := range inMemory {
		exposure += addresses
	}
	err = e.DB.View(func(tx *store.Tx) error {
		if r.Health {
			report, err := e.Report(tx, o.Project, o.Version)
			if err != nil {
				return err
			}
			suspect = report.State == rollout.Suspect || report.State == rollout.Failing
		}
		return tx.EachHealth(o.Project, o.Version.ID, since, func(at int64, c store.HealthCount) {
			if _, counted := inMemory[at]; !counted {
				exposure += c.Addresses
			}
		})
	})
	return exposure, suspect, err
}
