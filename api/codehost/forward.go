package codehost

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"svc/api/web"
	"svc/internal/codehost"
	"svc/internal/fault"
	"svc/internal/limit"
	"svc/store"
)

const (
	// maxForwards bounds the issues that are created at the same time: code hosts count
	// more as an attack. Others wait for their turn within the time of their request.
	maxForwards = 64
	// settleAfter is how long after a call was given up an issue that it has created is
	// certain to be in the list of issues.
	settleAfter = 2 * time.Minute
	// forwardsLive is how long a submission that failed can be repeated and is recognized.
	forwardsLive = 24 * time.Hour
)

// forwarding is what the handlers know of feedback that becomes issues.
type forwarding struct {
	quota *limit.Sliding
	turns chan struct{} // has one for each issue that is being created

	mu      sync.Mutex
	flights map[limit.Key]*flight // submissions in progress; guarded by mu
}

// flight is a submission in progress. The same again waits for it.
type flight struct {
	done chan struct{}
	err  error // set before done is closed
}

func newForwarding(c Config) *forwarding {
	return &forwarding{
		quota: limit.NewSliding(c.ForwardLimit, c.ForwardPeriod, web.LimitedAddresses),
		turns: make(chan struct{}, maxForwards), flights: map[limit.Key]*flight{},
	}
}

// begin registers a submission. If the same is in progress, the result is that one and
// first is false.
func (f *forwarding) begin(key limit.Key) (one *flight, first bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if one := f.flights[key]; one != nil {
		return one, false
	}
	one = &flight{done: make(chan struct{})}
	f.flights[key] = one
	return one, true
}

// alone waits until no other submission of a key is in progress and begins one, which lasts
// until end. If one that it waited for has failed, it fails in the same way.
func (f *forwarding) alone(ctx context.Context, key limit.Key) (end func(error), err error) {
	for {
		one, first := f.begin(key)
		if first {
			return func(err error) { f.end(key, one, err) }, nil
		}
		select {
		case <-one.done:
			if one.err != nil {
				return nil, one.err
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (f *forwarding) end(key limit.Key, one *flight, err error) {
	f.mu.Lock()
	delete(f.flights, key)
	f.mu.Unlock()
	one.err = err
	close(one.done)
}

// forwardTarget is where feedback of a project becomes an issue.
type forwardTarget struct {
	app         *store.CodehostApp
	integration *store.CodehostIntegration
}

func (t forwardTarget) active() bool { return t.integration.FeedbackIssueActive(t.app) }

// inactive says what an administrator has to do before feedback can become an issue, "" where
// that is nothing.
func (t forwardTarget) inactive() string {
	switch {
	case t.active():
		return ""
	case t.integration.Repo == "":
		return "the project has no repository in its code host integration"
	case !t.integration.FeedbackIssue:
		return "forwarding is switched off in the code host integration of the project"
	case !t.app.Configured():
		return "the app of the code host is not configured in the settings of the site"
	default:
		return "the app of the code host does not have the feature feedback_issue in the settings of the site"
	}
}

func (h *Handlers) forwardTarget(p store.ProjectID) (t forwardTarget, err error) {
	err = h.DB.View(func(tx *store.Tx) error {
		var appErr, integrationErr error
		t.app, appErr = tx.CodehostApp()
		t.integration, integrationErr = tx.CodehostIntegration(p)
		return errors.Join(appErr, integrationErr)
	})
	return t, err
}

// ForwardAvailable reports whether feedback of a project can become an issue.
func (h *Handlers) ForwardAvailable(p store.ProjectID) (bool, error) {
	t, err := h.forwardTarget(p)
	return err == nil && t.active(), err
}

// Forward makes an issue of feedback that a visitor has sent, and stores the feedback
// with it. key identifies the submission; without one it is never taken for a duplicate.
// What fails leaves no record that anybody sees.
//
// Issue and record cannot be made at one moment. So the id of the record is stored
// first, as a store.Forward, and the issue contains it. When it stays unknown whether
// there is an issue, because the program was killed or the code host did not answer, the
// same submission, or SettleForwards, looks for the id among the issues.
func (h *Handlers) Forward(r *web.Request, p *store.Project, f *store.Feedback, key *limit.Key) (stored *store.Feedback, err error) {
	to, err := h.forwardTarget(p.ID)
	switch {
	case err != nil:
		return nil, err
	case !to.active():
		return nil, fault.New(fault.Invalid, "feedback of this project cannot be forwarded as an issue; send it without forwarding")
	case f.Contact == nil || strings.TrimSpace(*f.Contact) == "":
		return nil, fault.New(fault.Invalid, "contact must not be empty where feedback is forwarded; say how you can be reached, or send it without forwarding")
	}
	defer web.NoWriteDeadline(r.Writer)()
	if key == nil {
		return h.forward(r, p, to, &store.Forward{Project: p.ID, Feedback: f})
	}
	end, err := h.forwarding.alone(r.Context(), *key)
	if err != nil {
		return nil, err
	}
	defer func() { end(err) }()
	stored, w, err := h.DB.EarlierForward(p.ID, *key)
	if err != nil || stored != nil {
		return stored, err
	}
	if w == nil {
		w = &store.Forward{Project: p.ID, Key: key, Feedback: f}
	}
	return h.forward(r, p, to, w)
}

// ForwardStored makes an issue of feedback that is stored, and returns it with that. Feedback
// that has been forwarded stays as it is: who asks again, because the answer was lost or
// somebody else was faster, gets what there is. What is said of Forward holds here, except
// that whoever may ask is not counted, and that a contact is not needed.
func (h *Handlers) ForwardStored(r *web.Request, p *store.Project, id store.ID) (f *store.Feedback, err error) {
	key := store.StoredKey(id)
	defer web.NoWriteDeadline(r.Writer)()
	end, err := h.forwarding.alone(r.Context(), key)
	if err != nil {
		return nil, err
	}
	defer func() { end(err) }()
	f, err = store.Read(h.DB, func(tx *store.Tx) (*store.Feedback, error) { return tx.Feedback(p.ID, id) })
	if err != nil || f.Forwarded {
		return f, err
	}
	to, err := h.forwardTarget(p.ID)
	if err != nil {
		return nil, err
	}
	if reason := to.inactive(); reason != "" {
		return nil, fault.New(fault.Invalid, "feedback of this project cannot be forwarded: %s", reason)
	}
	_, w, err := h.DB.EarlierForward(p.ID, key)
	if err != nil {
		return nil, err
	}
	if w == nil {
		w = &store.Forward{Project: p.ID, Key: &key, ID: id, Since: h.Now().Unix()}
	}
	w.Feedback = f
	return h.forward(r, p, to, w)
}

// forward makes the issue of a Forward, which is new, or one of which it is not known
// whether it has an issue.
func (h *Handlers) forward(r *web.Request, p *store.Project, to forwardTarget, w *store.Forward) (*store.Feedback, error) {
	app, err := h.app(to.app)
	switch {
	case err != nil && w.Stored():
		return nil, err // says what must be corrected
	case err != nil:
		answer := fault.New(fault.Unavailable, "feedback cannot be forwarded until the operator of this service has corrected its settings; send it without forwarding").After(time.Hour)
		return nil, fmt.Errorf("%w: %w", answer, err)
	}
	if err := h.takeQuota(r, w); err != nil {
		return nil, err
	}
	// Not the context of the request: a visitor who leaves must not leave an issue without
	// a record behind.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), codehost.RequestTime)
	defer cancel()
	select {
	case h.forwarding.turns <- struct{}{}:
		defer func() { <-h.forwarding.turns }()
	case <-ctx.Done():
		return nil, notForwarded(w, fmt.Errorf("%d issues are being created already", maxForwards))
	}
	if w.Tried != 0 {
		issue, err := h.findIssue(ctx, app, w)
		switch {
		case err != nil && (!errors.Is(err, codehost.ErrNotFound) || strings.EqualFold(w.Repo, to.integration.Repo)):
			return nil, notForwarded(w, err) // one that is only hidden from us may have the issue
		case issue != nil:
			return h.DB.CompleteForward(w, issue.Number, web.OrNil(&issue.URL), false)
		}
	}
	template := h.template(ctx, h.Log.With("id", r.ID), to.app, to.integration)
	w.Repo = to.integration.Repo
	if err := h.DB.TryForward(w); err != nil {
		return nil, err
	}
	issue, err := h.Host.Repo(app, w.Repo).CreateIssue(ctx, newIssue(p, w.Feedback, template))
	if err != nil {
		if e, ok := errors.AsType[*codehost.Error](err); !ok || !e.Unclear {
			err = errors.Join(err, h.DB.AbandonForward(w))
		}
		return nil, notForwarded(w, err)
	}
	return h.DB.CompleteForward(w, issue.Number, web.OrNil(&issue.URL), false)
}

// takeQuota counts a visitor who forwards. Who forwards what is stored has a right to that.
func (h *Handlers) takeQuota(r *web.Request, w *store.Forward) error {
	if w.Stored() {
		return nil
	}
	v := h.forwarding.quota.Take(limit.AddrKey(r.Addr), h.Now())
	if v.Allowed {
		return nil
	}
	return fault.New(fault.TooMany, "too much feedback was forwarded from your address: at most %d in %s; try again in %s, or send it without forwarding",
		v.Limit, minutes(h.ForwardPeriod), minutes(v.Reset)).After(v.Reset)
}

// notForwarded is what a visitor, or who forwards what is stored, reads of a code host that
// failed. The rest is for the log.
func notForwarded(w *store.Forward, err error) error {
	text := "the feedback was not stored, because it could not be forwarded; try again later, or send it without forwarding"
	if w.Stored() {
		text = "the code host did not answer as it should, so the feedback was not forwarded; try again later; the log has the details"
	}
	return fmt.Errorf("%w: %w", fault.New(fault.Unavailable, "%s", text).After(time.Minute), err)
}

// newIssue is the issue of feedback.
func newIssue(p *store.Project, f *store.Feedback, template codehost.Template) codehost.NewIssue {
	values := codehost.Feedback{
		ProjectKey: p.Key, ProjectName: p.Name, ID: f.ID.String(), Content: f.Content,
		Contact: valueOf(f.Contact), UserID: valueOf(f.UserID), Rating: valueOf(f.Rating),
		Platform: string(valueOf(f.Platform)), PlatformVersion: valueOf(f.PlatformVersion),
		CreatedAt: time.Unix(store.CreatedAt(f.ID), 0),
	}
	title, body := template.Render(values)
	return codehost.NewIssue{Title: title, Body: strings.TrimRight(body, "\n") + "\n\n" + marker(f.ID), Labels: template.Labels}
}

// marker is in the body of the issue of feedback, whatever its template says, so that
// the issue can be found. Readers do not see it.
func marker(id store.ID) string { return "<!-- svc feedback " + id.String() + " -->" }

// findIssue looks for the issue of a Forward, nil where there is none.
func (h *Handlers) findIssue(ctx context.Context, app *codehost.App, w *store.Forward) (*codehost.Issue, error) {
	return h.Host.Repo(app, w.Repo).FindIssue(ctx, marker(w.ID), time.Unix(w.Begun(), 0))
}

// valueOf is the value behind a pointer, or the zero value.
func valueOf[T any](v *T) (value T) {
	if v != nil {
		value = *v
	}
	return value
}

// minutes is a duration for people.
func minutes(d time.Duration) string {
	if d <= time.Minute {
		return "a minute"
	}
	return fmt.Sprintf("%d minutes", (d+time.Minute-1)/time.Minute)
}

// SettleForwards finds out what has become of feedback whose request ended without
// knowing whether there is an issue. Where there is one, the feedback is stored with it;
// where there is none, nothing is left of it. What the code host does not answer is
// looked up the next time, for a day.
func (h *Handlers) SettleForwards(ctx context.Context) error {
	all, err := h.DB.Forwards()
	if err != nil {
		return err
	}
	var failures []error
	failed := map[string]bool{} // repositories; those behind them would only wait
	for _, w := range all {
		now := h.Now()
		if failed[w.Repo] || now.Sub(time.Unix(w.Tried, 0)) < settleAfter {
			continue
		}
		if w.Stored() && now.Sub(time.Unix(w.Tried, 0)) > forwardsLive {
			continue // whoever forwards it again looks
		}
		if err := h.settle(ctx, w); err != nil {
			failed[w.Repo] = true
			failures = append(failures, fmt.Errorf("look for the issue of feedback %s in %s: %w", w.ID, w.Repo, err))
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return errors.Join(append(failures, h.DB.ForgetForwards(h.Now().Add(-forwardsLive)))...)
}

// settle settles one Forward, unless the same submission is being made at the moment or
// was made since it was read.
func (h *Handlers) settle(ctx context.Context, w *store.Forward) (err error) {
	if w.Key != nil {
		one, first := h.forwarding.begin(*w.Key)
		if !first {
			return nil
		}
		defer func() { h.forwarding.end(*w.Key, one, nil) }()
		_, now, err := h.DB.EarlierForward(w.Project, *w.Key)
		if err != nil || now == nil || now.ID != w.ID || now.Tried != w.Tried {
			return err
		}
	}
	to, err := h.forwardTarget(w.Project)
	if err != nil {
		return err
	}
	app, err := h.app(to.app)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, codehost.RequestTime)
	defer cancel()
	issue, err := h.findIssue(ctx, app, w)
	switch {
	case err != nil:
		return err
	case issue == nil:
		return h.DB.AbandonForward(w)
	}
	_, err = h.DB.CompleteForward(w, issue.Number, web.OrNil(&issue.URL), true)
	if fault.Is(err, fault.NotFound) {
		return nil // its project was deleted meanwhile
	}
	return err
}
