package forward

import (
	"context"
	"errors"
	"fmt"
	"time"

	"svc/internal/codehost"
	"svc/internal/fault"
	"svc/store"
)

const (
	// settleAfter is the time after the last attempt before Settle looks for the issue. If
	// the attempt created the issue, the code host's list of issues certainly contains it by
	// then.
	settleAfter = 2 * time.Minute
	// retryTime is the time for which a failed submission is remembered, so that a
	// repetition of it is recognized.
	retryTime = 24 * time.Hour
)

// Settle processes the submissions for which it is unknown whether an issue was created. If it
// finds the issue, it stores the feedback with the number and address of the issue. Otherwise it
// removes the store.Forward that records the submission, so that nothing of a visitor's submission
// remains. If the code host does not respond, later calls retry for a day.
func (e *Engine) Settle(ctx context.Context) error {
	all, err := e.DB.Forwards()
	if err != nil {
		return err
	}
	var failures []error
	failed := map[string]bool{} // repositories that have failed; more requests to them would only wait
	for _, w := range all {
		now := e.Now()
		if failed[w.Repo] || now.Sub(time.Unix(w.Tried, 0)) < settleAfter {
			continue
		}
		if w.Stored() && now.Sub(time.Unix(w.Tried, 0)) > retryTime {
			continue // Stored looks for the issue at the next attempt
		}
		if err := e.settle(ctx, w); err != nil {
			failed[w.Repo] = true
			failures = append(failures, fmt.Errorf("look for the issue of feedback %s in %s: %w", w.ID, w.Repo, err))
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return errors.Join(append(failures, e.DB.ForgetForwards(e.Now().Add(-retryTime)))...)
}

// settle processes one store.Forward. It does nothing if an identical submission is being
// processed, or has been processed since w was read.
func (e *Engine) settle(ctx context.Context, w *store.Forward) (err error) {
	if w.Key != nil {
		one, first := e.begin(*w.Key)
		if !first {
			return nil
		}
		defer func() { e.end(*w.Key, one, nil) }()
		_, now, err := e.DB.EarlierForward(w.Project, *w.Key)
		if err != nil || now == nil || now.ID != w.ID || now.Tried != w.Tried {
			return err
		}
	}
	to, err := e.target(w.Project)
	if err != nil {
		return err
	}
	app, err := OpenApp(e.Keys, to.app)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, codehost.RequestTime)
	defer cancel()
	issue, err := e.findIssue(ctx, app, w)
	switch {
	case err != nil:
		return err
	case issue == nil:
		return e.DB.AbandonForward(w)
	}
	_, err = e.DB.CompleteForward(w, issue.Number, linkOf(issue), true)
	if fault.Is(err, fault.NotFound) {
		return nil // the project has been deleted in the meantime
	}
	return err
}
