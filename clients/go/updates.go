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

// Decision is the recommended reaction to the result of an update check.
type Decision string

// The values of Decision.
const (
	// NoUpdate means that the installed version is up to date.
	NoUpdate Decision = "none"
	// OptionalUpdate means that there is a newer version.
	OptionalUpdate Decision = "optional"
	// RequiredUpdate means that the app must update before it continues.
	RequiredUpdate Decision = "required"
	// MilestoneUpdate means that there is a newer version, and that the target is an intermediate
	// version that must not be skipped.
	MilestoneUpdate Decision = "milestone"
)

// Updates checks for updates of the app. See [Client.Updates].
type Updates struct {
	client *Client

	mu      sync.Mutex
	running map[string]*updateCheck // the requests in progress, by namespace and key
	memory  map[string]string       // remembered responses, by namespace, that cannot be stored on the device
}

// updateCheck is a request that several goroutines can wait for.
type updateCheck struct {
	done   chan struct{}
	update *Update
	err    error
}

// CheckOptions configures an update check. The zero value checks the version given by
// [WithAppVersion].
type CheckOptions struct {
	// Interval is the time for which a response is remembered. The default is 6 hours. Up to a
	// fifth is added at random, so that not all apps ask the server at the same time.
	Interval time.Duration
	// Force asks the server even if a response is remembered.
	Force bool
	// IncludePreview permits previews as updates.
	IncludePreview bool
	// Locale is the language of the texts in the response. The default is the client's locale.
	Locale Opt[string]
	// CurrentVersion is the installed version. The default is the client's app version.
	CurrentVersion string
	// CurrentComparableVersion is the comparable version of the installed version.
	CurrentComparableVersion string
}

// Update is the result of an update check.
type Update struct {
	Decision Decision
	// Target is the version to install, or nil if there is none.
	Target *VersionInfo
	// Link is the download link of the target for this platform and architecture, or nil if no link
	// fits.
	Link *DownloadLink
	// ReasonCodes holds the reasons for the decision.
	ReasonCodes []ReasonCode
	// Answer is the complete response of the server.
	Answer *UpdateCheck
	// CheckedAt is the time of the response in Unix seconds.
	CheckedAt int64
	// Remembered reports whether the result comes from a remembered response.
	Remembered bool

	client *Client
}

const (
	defaultUpdateInterval = 6 * time.Hour
	updateSpread          = 0.2
	mostRemembered        = 256 << 10
)

// Check checks whether there is an update. It asks the server at most once per interval and
// remembers the response, even after a restart of the app. It returns the errors of
// [Public.CheckUpdate] and does not remember them. If no version of the app is given, the error is
// a [*UsageError]. A version that was never published is compared by its numbers, as in 1.4.0 or
// v1.4.0. If it has no numbers and CurrentComparableVersion is not set, the error is an [*APIError]
// with status 400.
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
	if s.channel != "" {
		key += "|" + s.channel
	}
	if !o.Force {
		if r := parseMemory(m.read()); r != nil && r.Key == key && !r.due(o.Interval, u.client.clock.now().Unix()) {
			return u.update(r.answer, *r.CheckedAt, true), nil
		}
	}
	return u.share(ctx, m.namespace+"\n"+key, func() (*Update, error) { return u.ask(ctx, &o, m, key) })
}

// share calls the function ask, unless another goroutine is already doing so for the same key. In
// that case, share waits and returns the result of that call.
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
		// The context of the goroutine that sent the request has ended, but this one's has not: try
		// again.
		if errors.Is(check.err, context.Canceled) || errors.Is(check.err, context.DeadlineExceeded) {
			continue
		}
		return check.update, check.err
	}
}

// ask asks the server and remembers the response.
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
		// The server may not know the version, which was perhaps never published. Ask again with
		// its numbers.
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

// update builds the result of a check from a response.
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

// decide derives a decision from a response.
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

// key returns a text that identifies the options that affect the response. A remembered response is
// only used for checks with the same key.
func (o *CheckOptions) key() string {
	locale, _ := o.Locale.Get()
	return strings.Join([]string{o.CurrentVersion, o.CurrentComparableVersion, strconv.FormatBool(o.IncludePreview), locale}, "|")
}

// remembered is the stored form of the last response to an update check.
type remembered struct {
	CheckedAt *int64          `json:"checked_at"`
	NextAt    *int64          `json:"next_at"`
	Key       string          `json:"key"`
	Answer    json.RawMessage `json:"answer"`
	answer    *UpdateCheck
}

// parseMemory parses a remembered response. It returns nil if the text cannot be used.
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

// due reports whether the server must be asked again: the remembered response is too old, or it was
// stored while the clock was wrong.
func (r *remembered) due(interval time.Duration, now int64) bool {
	latest := *r.CheckedAt + int64(interval.Seconds()*(1+updateSpread))
	return now >= *r.NextAt || now < *r.CheckedAt || now >= latest
}

// encodeMemory returns the text in which a response is remembered. It omits the long texts of a
// large response.
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

// updateMemory stores the last response to an update check in a namespace.
type updateMemory struct {
	updates   *Updates
	namespace string
	backing   backing // nil if the response is stored in memory
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

// write stores a text on the device, or in memory if the device is not writable.
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
