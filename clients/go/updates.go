package svcsdk

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Decision is the recommended reaction to an update.
type Decision string

// The decisions.
const (
	// NoUpdate: what is installed is up to date.
	NoUpdate Decision = "none"
	// OptionalUpdate: there is something newer.
	OptionalUpdate Decision = "optional"
	// RequiredUpdate: the app must update before it goes on.
	RequiredUpdate Decision = "required"
	// MilestoneUpdate: there is something newer, and the target is a version that must not be
	// skipped on the way there.
	MilestoneUpdate Decision = "milestone"
)

// Updates finds out whether the app should update. See [Client.Updates].
type Updates struct {
	client *Client

	mu      sync.Mutex
	running map[string]*updateCheck // by namespace and key
	memory  map[string]string       // by namespace, where nothing can be written
}

// updateCheck is a request that several goroutines may wait for.
type updateCheck struct {
	done   chan struct{}
	update *Update
	err    error
}

// CheckOptions change an update check. The zero value asks for the version of [WithAppVersion].
type CheckOptions struct {
	// Interval is how long an answer is remembered, 6 hours when 0. Up to a fifth is added by
	// chance, so that not all apps ask at once.
	Interval time.Duration
	// Force asks the server whatever is remembered.
	Force bool
	// IncludePreview is whether previews may be offered.
	IncludePreview bool
	// Locale is the language of the texts. Left out: that of the client.
	Locale Opt[string]
	// CurrentVersion is the version that is installed, that of the client when empty.
	CurrentVersion string
	// CurrentComparableVersion is the comparable version that is installed.
	CurrentComparableVersion string
}

// Update is the result of a check.
type Update struct {
	Decision Decision
	// Target is the version to install, nil when there is none.
	Target *VersionInfo
	// Link is where the target can be downloaded for this platform and architecture, nil when
	// there is nothing that fits.
	Link *DownloadLink
	// ReasonCodes are the reasons.
	ReasonCodes []ReasonCode
	// Answer is the whole answer of the server.
	Answer *UpdateCheck
	// CheckedAt is the time of the answer.
	CheckedAt int64
	// Remembered is true when no request was made.
	Remembered bool

	client *Client
}

const (
	defaultUpdateInterval = 6 * time.Hour
	updateSpread          = 0.2
	mostRemembered        = 256 << 10
)

// Check asks whether there is an update, at most once in an interval: the answer is remembered,
// also by the next start of the app. Errors are those of [Public.CheckUpdate], and are not
// remembered. Without any version of the app the error is a [*UsageError]. A version that was never
// published is compared by its numbers, as 1.4.0 or v1.4.0; one without any is an [*APIError] with
// status 400 unless CurrentComparableVersion is given.
func (u *Updates) Check(ctx context.Context, opts *CheckOptions) (*Update, error) {
	var o CheckOptions
	if opts != nil {
		o = *opts
	}
	setDefault(&o.Interval, defaultUpdateInterval)
	s := u.client.settings.Load()
	if o.CurrentVersion == "" && o.CurrentComparableVersion == "" {
		o.CurrentVersion = s.appVersion
	}
	switch {
	case o.Interval < 0:
		return nil, usage("interval must be greater than 0")
	case u.client.closing.Err() != nil:
		return nil, errClosed
	case s.project == "":
		return nil, usage("no project is bound: see WithProject and SetProjectKey")
	case strings.TrimSpace(o.CurrentVersion+o.CurrentComparableVersion) == "":
		return nil, usage("an update check needs the current version: see WithAppVersion")
	}
	if o.Locale.IsZero() && s.locale != "" {
		o.Locale = Set(s.locale)
	}
	m := u.memoryOf(s.project)
	key := o.key()
	if !o.Force {
		if r := parseMemory(m.read()); r != nil && r.Key == key && !r.due(o.Interval, u.client.clock.now().Unix()) {
			return u.update(r.answer, *r.CheckedAt, true), nil
		}
	}
	return u.share(ctx, m.namespace+"\n"+key, func() (*Update, error) { return u.ask(ctx, &o, m, key) })
}

// share lets goroutines that check the same thing at the same time wait for one request.
func (u *Updates) share(ctx context.Context, key string, ask func() (*Update, error)) (*Update, error) {
	for {
		u.mu.Lock()
		if u.running == nil {
			u.running = map[string]*updateCheck{}
		}
		check, joined := u.running[key]
		if !joined {
			check = &updateCheck{done: make(chan struct{})}
			u.running[key] = check
		}
		u.mu.Unlock()
		if !joined {
			check.update, check.err = ask()
			u.mu.Lock()
			delete(u.running, key)
			u.mu.Unlock()
			close(check.done)
			return check.update, check.err
		}
		select {
		case <-check.done:
		case <-ctx.Done():
			return nil, &ConnectionError{
				Message: "cancelled while an update check was running", Cause: context.Cause(ctx),
				Timeout: errors.Is(ctx.Err(), context.DeadlineExceeded),
			}
		}
		// A cancelled context of the asking goroutine does not concern this one.
		if errors.Is(check.err, context.Canceled) || errors.Is(check.err, context.DeadlineExceeded) {
			continue
		}
		return check.update, check.err
	}
}

// ask asks the server and remembers the answer.
func (u *Updates) ask(ctx context.Context, o *CheckOptions, m updateMemory, key string) (*Update, error) {
	in := UpdateCheckInput{Locale: o.Locale, IncludePreview: &o.IncludePreview}
	if o.CurrentVersion != "" {
		in.CurrentVersion = Set(o.CurrentVersion)
	}
	if o.CurrentComparableVersion != "" {
		in.CurrentComparableVersion = Set(o.CurrentComparableVersion)
	}
	answer, err := u.client.Public.CheckUpdate(ctx, in)
	if refused, ok := errors.AsType[*APIError](err); ok && refused.Status == http.StatusBadRequest && o.CurrentComparableVersion == "" {
		// The version may never have been published; its numbers can be compared.
		if comparable, ok := deriveComparable(o.CurrentVersion); ok {
			in.CurrentComparableVersion = Set(comparable)
			answer, err = u.client.Public.CheckUpdate(ctx, in)
		}
	}
	if err != nil {
		return nil, err
	}
	if answer == nil {
		return nil, &APIError{
			Status: http.StatusOK, Message: "the answer to the update check is empty", Method: http.MethodPost,
			Path: "/public/{k}/versions/check-update",
		}
	}
	now := u.client.clock.now().Unix()
	interval := o.Interval.Seconds()
	next := now + int64(interval*(1+updateSpread*u.client.clock.random()))
	m.write(encodeMemory(now, next, key, answer))
	return u.update(answer, now, false), nil
}

// update makes the answer of a check.
func (u *Updates) update(a *UpdateCheck, checkedAt int64, remembered bool) *Update {
	out := &Update{
		Decision: decide(a), Target: a.TargetVersion, ReasonCodes: a.ReasonCodes,
		Answer: a, CheckedAt: checkedAt, Remembered: remembered, client: u.client,
	}
	if a.TargetVersion != nil {
		platform, _ := u.client.settings.Load().declared()
		out.Link = pickLink(string(platform), architecture(runtime.GOARCH), a.TargetVersion.DownloadLinks)
	}
	return out
}

// decide makes a decision of an answer.
func decide(a *UpdateCheck) Decision {
	switch {
	case a.Required:
		return RequiredUpdate
	case a.ShouldUpdate && a.Milestone.TargetIsMilestone:
		return MilestoneUpdate
	case a.ShouldUpdate:
		return OptionalUpdate
	}
	return NoUpdate
}

// key distinguishes checks with different answers.
func (o *CheckOptions) key() string {
	locale, _ := o.Locale.Get()
	return strings.Join([]string{o.CurrentVersion, o.CurrentComparableVersion, strconv.FormatBool(o.IncludePreview), locale}, "|")
}

// remembered is the last answer about updates.
type remembered struct {
	CheckedAt *int64          `json:"checked_at"`
	NextAt    *int64          `json:"next_at"`
	Key       string          `json:"key"`
	Answer    json.RawMessage `json:"answer"`
	answer    *UpdateCheck
}

// parseMemory reads what was remembered, nil when it cannot be used.
func parseMemory(text string) *remembered {
	var r remembered
	if json.Unmarshal([]byte(text), &r) != nil || r.CheckedAt == nil || r.NextAt == nil {
		return nil
	}
	if json.Unmarshal(r.Answer, &r.answer) != nil || r.answer == nil {
		return nil
	}
	return &r
}

// due reports whether what is remembered is too old, or from a clock that was wrong.
func (r *remembered) due(interval time.Duration, now int64) bool {
	latest := *r.CheckedAt + int64(interval.Seconds()*(1+updateSpread))
	return now >= *r.NextAt || now < *r.CheckedAt || now >= latest
}

// encodeMemory is the text of an answer to be remembered. The long texts of a large answer are
// left out.
func encodeMemory(checkedAt, nextAt int64, key string, answer *UpdateCheck) string {
	encoded, err := encodeJSON(answer)
	if err == nil && len(encoded) > mostRemembered {
		short := *answer
		short.LatestVersion.Content = nil
		for _, v := range []**VersionInfo{&short.LatestPreviewVersion, &short.TargetVersion} {
			if *v != nil {
				version := **v
				version.Content = nil
				*v = &version
			}
		}
		encoded, err = encodeJSON(&short)
	}
	if err != nil {
		return ""
	}
	text, err := encodeJSON(remembered{CheckedAt: &checkedAt, NextAt: &nextAt, Key: key, Answer: encoded})
	if err != nil {
		return ""
	}
	return string(text)
}

// updateMemory is where the last answer of a namespace is kept.
type updateMemory struct {
	updates   *Updates
	namespace string
	backing   backing // nil: in memory
}

func (u *Updates) memoryOf(project string) updateMemory {
	o := &u.client.config.analytics
	m := updateMemory{updates: u, namespace: o.Namespace}
	if m.namespace == "" {
		m.namespace = namespace(u.client.base, project)
	}
	if o.Persistence != PersistNone {
		m.backing = newBacking(o, m.namespace, ".updates", m.key())
	}
	return m
}

func (m updateMemory) key() string { return "svc.updates." + m.namespace + ".last" }

func (m updateMemory) read() string {
	m.updates.mu.Lock()
	defer m.updates.mu.Unlock()
	if text, ok := m.updates.memory[m.namespace]; ok || m.backing == nil {
		return text
	}
	return m.backing.load()[m.key()]
}

// write remembers a text: on the device, or in memory when that cannot be written.
func (m updateMemory) write(text string) {
	m.updates.mu.Lock()
	defer m.updates.mu.Unlock()
	if m.backing != nil {
		err := m.backing.store(m.backing.load(), map[string]string{m.key(): text})
		if err == nil {
			delete(m.updates.memory, m.namespace)
			return
		}
		m.updates.client.logger.Debug("the update check cannot be remembered on the device")
	}
	if m.updates.memory == nil {
		m.updates.memory = map[string]string{}
	}
	m.updates.memory[m.namespace] = text
}
