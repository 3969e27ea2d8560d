// Package forward creates issues at the code host from feedback. It limits the number of
// issues per client address and processes identical submissions one at a time. If it is
// unknown whether an issue was created, it looks for the issue later.
//
//	forward.go   Engine, and forwarding of new and stored feedback
//	settle.go    submissions for which it is unknown whether an issue exists
//	template.go  issue templates and their cache
package forward

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"sync"
	"time"

	"svc/internal/codehost"
	"svc/internal/fault"
	"svc/internal/limit"
	"svc/internal/seal"
	"svc/store"
)

const (
	// maxIssues limits the number of issues that are created at the same time, because code
	// hosts regard more as an attack. Further submissions wait, within the time limit of
	// their request.
	maxIssues = 64
	// maxAddresses limits the number of client addresses for which issues are counted.
	maxAddresses = 100_000
)

// Config contains the settings and dependencies of an Engine.
type Config struct {
	DB   *store.Store
	Log  *slog.Logger
	Now  func() time.Time
	Keys *seal.Keys       // keys that decrypt the credentials of the app
	Host *codehost.Client // client for the code host

	Limit  int           // maximum number of issues from one client address per Period
	Period time.Duration // length of the sliding window for Limit
}

// Engine creates issues from feedback. It is safe for concurrent use.
type Engine struct {
	Config
	quota     *limit.Sliding
	slots     chan struct{} // contains one value for each issue that is being created
	templates templateCache

	mu       sync.Mutex
	inFlight map[limit.Key]*submission // the submissions that are being processed; guarded by mu
}

// submission is a submission that is being processed. Identical submissions wait for its
// end.
type submission struct {
	done chan struct{}
	err  error // result; set before done is closed
}

// New returns an engine. It does not connect to the code host.
func New(c Config) *Engine {
	return &Engine{
		Config: c, quota: limit.NewSliding(c.Limit, c.Period, maxAddresses),
		slots: make(chan struct{}, maxIssues), inFlight: map[limit.Key]*submission{},
	}
}

// Caller describes the request that forwards feedback.
type Caller struct {
	Addr      netip.Addr
	RequestID string // id of the request, for the log
}

// begin registers a new submission and returns it; first is then true. If an identical submission
// is already being processed, begin returns that one, and first is false.
func (e *Engine) begin(key limit.Key) (one *submission, first bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if one := e.inFlight[key]; one != nil {
		return one, false
	}
	one = &submission{done: make(chan struct{})}
	e.inFlight[key] = one
	return one, true
}

// alone waits until no other submission with the same key is being processed, and then registers a
// new one. The caller must call end with the result of the new submission. If one of the
// submissions for which alone waited has failed, it returns the error of that submission.
func (e *Engine) alone(ctx context.Context, key limit.Key) (end func(error), err error) {
	for {
		one, first := e.begin(key)
		if first {
			return func(err error) { e.end(key, one, err) }, nil
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

func (e *Engine) end(key limit.Key, one *submission, err error) {
	e.mu.Lock()
	delete(e.inFlight, key)
	e.mu.Unlock()
	one.err = err
	close(one.done)
}

// target contains the settings that determine where the feedback of a project is forwarded: those
// of the site for the app of the code host, and those of the project, which name the repository.
type target struct {
	app         *store.CodehostApp
	integration *store.CodehostIntegration
}

func (t target) active() bool { return t.integration.FeedbackIssueActive(t.app) }

// inactive describes the setting that an administrator must change before the project's
// feedback can become issues. It returns "" if the settings are complete.
func (t target) inactive() string {
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

func (e *Engine) target(p store.ProjectID) (t target, err error) {
	err = e.DB.View(func(tx *store.Tx) error {
		var appErr, integrationErr error
		t.app, appErr = store.CodehostAppSettings.Get(tx)
		t.integration, integrationErr = store.IntegrationSettings(p).Get(tx)
		return errors.Join(appErr, integrationErr)
	})
	return t, err
}

// Available reports whether issues can be created from a project's feedback.
func (e *Engine) Available(p store.ProjectID) (bool, error) {
	t, err := e.target(p)
	return err == nil && t.active(), err
}

// Submit creates an issue from feedback that a visitor has sent, and stores the feedback
// with the number and address of the issue. key identifies identical submissions; if it
// is nil, the submission is never treated as a duplicate. A failure leaves no visible
// record.
//
// The issue and the record cannot be created atomically. Submit therefore first stores
// the id of the record, in a store.Forward, and writes this id into the issue. If the
// process is killed or the code host does not respond, it is unknown whether the issue
// exists. The next identical submission, or Settle, then looks for an issue with the id.
func (e *Engine) Submit(
	ctx context.Context, by Caller, p *store.Project, f *store.Feedback, key *limit.Key,
) (stored *store.Feedback, err error) {
	to, err := e.target(p.ID)
	switch {
	case err != nil:
		return nil, err
	case !to.active():
		return nil, fault.New(fault.Invalid, "feedback of this project cannot be forwarded as an issue; send it without forwarding")
	case f.Contact == nil || strings.TrimSpace(*f.Contact) == "":
		return nil, fault.New(fault.Invalid,
			"contact must not be empty where feedback is forwarded; say how you can be reached, or send it without forwarding")
	}
	if key == nil {
		return e.forward(ctx, by, p, to, &store.Forward{Project: p.ID, Feedback: f})
	}
	end, err := e.alone(ctx, *key)
	if err != nil {
		return nil, err
	}
	defer func() { end(err) }()
	stored, w, err := e.DB.EarlierForward(p.ID, *key)
	if err != nil || stored != nil {
		return stored, err
	}
	if w == nil {
		w = &store.Forward{Project: p.ID, Key: key, Feedback: f}
	}
	return e.forward(ctx, by, p, to, w)
}

// Stored creates an issue from feedback that has been stored without one, and returns the
// feedback with the number and address of the issue. If the feedback already has an
// issue, Stored returns it unchanged, so that a caller can retry after a lost response.
// Otherwise it works like Submit, but without a limit per address, and the feedback needs
// no contact.
func (e *Engine) Stored(ctx context.Context, by Caller, p *store.Project, id store.ID) (f *store.Feedback, err error) {
	key := store.StoredKey(id)
	end, err := e.alone(ctx, key)
	if err != nil {
		return nil, err
	}
	defer func() { end(err) }()
	f, err = store.Read(e.DB, func(tx *store.Tx) (*store.Feedback, error) { return tx.Feedback(p.ID, id) })
	if err != nil || f.Forwarded {
		return f, err
	}
	to, err := e.target(p.ID)
	if err != nil {
		return nil, err
	}
	if reason := to.inactive(); reason != "" {
		return nil, fault.New(fault.Invalid, "feedback of this project cannot be forwarded: %s", reason)
	}
	_, w, err := e.DB.EarlierForward(p.ID, key)
	if err != nil {
		return nil, err
	}
	if w == nil {
		w = &store.Forward{Project: p.ID, Key: &key, ID: id, Since: e.Now().Unix()}
	}
	w.Feedback = f
	return e.forward(ctx, by, p, to, w)
}

// forward creates the issue of a store.Forward. If an earlier attempt may have created
// the issue, forward first looks for it.
func (e *Engine) forward(ctx context.Context, by Caller, p *store.Project, to target, w *store.Forward) (*store.Feedback, error) {
	app, err := OpenApp(e.Keys, to.app)
	switch {
	case err != nil && w.Stored():
		return nil, err // the error names the setting to correct
	case err != nil:
		answer := fault.New(fault.Unavailable,
			"feedback cannot be forwarded until the operator of this service has corrected its settings; send it "+
				"without forwarding").After(time.Hour)
		return nil, fmt.Errorf("%w: %w", answer, err)
	}
	if err := e.takeQuota(by, w); err != nil {
		return nil, err
	}
	// do not use the context of the request: if the visitor disconnects, there must not be
	// an issue without a record
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), codehost.RequestTime)
	defer cancel()
	select {
	case e.slots <- struct{}{}:
		defer func() { <-e.slots }()
	case <-ctx.Done():
		return nil, notForwarded(w, fmt.Errorf("%d issues are being created already", maxIssues))
	}
	if w.Tried != 0 {
		issue, err := e.findIssue(ctx, app, w)
		switch {
		case err != nil && (!errors.Is(err, codehost.ErrNotFound) || strings.EqualFold(w.Repo, to.integration.Repo)):
			return nil, notForwarded(w, err) // the repository may be hidden from the app, so the issue may exist
		case issue != nil:
			return e.DB.CompleteForward(w, issue.Number, linkOf(issue), false)
		}
	}
	template := e.template(ctx, e.Log.With("id", by.RequestID), to.app, to.integration)
	w.Repo = to.integration.Repo
	if err := e.DB.TryForward(w); err != nil {
		return nil, err
	}
	issue, err := e.Host.Repo(app, w.Repo).CreateIssue(ctx, newIssue(p, w.Feedback, template))
	if err != nil {
		if failed, ok := errors.AsType[*codehost.Error](err); !ok || !failed.Unclear {
			err = errors.Join(err, e.DB.AbandonForward(w))
		}
		return nil, notForwarded(w, err)
	}
	return e.DB.CompleteForward(w, issue.Number, linkOf(issue), false)
}

// takeQuota counts a submission for its client address and returns an error if the limit is
// exceeded. It does not count feedback that was stored before, because an authorized user forwards
// it.
func (e *Engine) takeQuota(by Caller, w *store.Forward) error {
	if w.Stored() {
		return nil
	}
	v := e.quota.Take(limit.AddrKey(by.Addr), e.Now())
	if v.Allowed {
		return nil
	}
	return fault.New(fault.TooMany, "too much feedback was forwarded from your address: at most %d in %s; try again in %s, or send it "+
		"without forwarding",
		v.Limit, minutes(e.Period), minutes(v.Reset)).After(v.Reset)
}

// notForwarded returns the error that tells the client that the code host failed. It wraps err for
// the log; the client does not see the text of err.
func notForwarded(w *store.Forward, err error) error {
	text := "the feedback was not stored, because it could not be forwarded; try again later, or send it without forwarding"
	if w.Stored() {
		text = "the code host returned an unexpected answer, so the feedback was not forwarded; try again later; the log has the details"
	}
	return fmt.Errorf("%w: %w", fault.New(fault.Unavailable, "%s", text).After(time.Minute), err)
}

// newIssue returns the issue to create from feedback.
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

// marker returns an HTML comment that identifies the issue of a feedback record. It is appended to
// the body of every issue, where it is not displayed, so that the issue can be found by it.
func marker(id store.ID) string { return "<!-- svc feedback " + id.String() + " -->" }

// findIssue looks for the issue of a store.Forward at the code host. It returns nil if
// there is none.
func (e *Engine) findIssue(ctx context.Context, app *codehost.App, w *store.Forward) (*codehost.Issue, error) {
	return e.Host.Repo(app, w.Repo).FindIssue(ctx, marker(w.ID), time.Unix(w.Begun(), 0))
}

// linkOf returns the address of an issue, or nil if the code host has not returned one.
func linkOf(issue *codehost.Issue) *string {
	if strings.TrimSpace(issue.URL) == "" {
		return nil
	}
	return &issue.URL
}

// OpenApp returns the code host app that the settings configure, or nil if they configure none. If
// the app's private key cannot be decrypted, the error is of kind Invalid and asks the
// administrator to enter the key again.
func OpenApp(keys *seal.Keys, settings *store.CodehostApp) (*codehost.App, error) {
	if !settings.Configured() {
		return nil, nil
	}
	key, err := keys.Open(seal.AppPrivateKey, settings.PrivateKey)
	if err != nil {
		return nil, err
	}
	return codehost.NewApp(settings.AppID, key)
}

// valueOf returns *v, or the zero value if v is nil.
func valueOf[T any](v *T) (value T) {
	if v != nil {
		value = *v
	}
	return value
}

// minutes formats a duration for display, rounded up to minutes.
func minutes(d time.Duration) string {
	if d <= time.Minute {
		return "a minute"
	}
	return fmt.Sprintf("%d minutes", (d+time.Minute-1)/time.Minute)
}
