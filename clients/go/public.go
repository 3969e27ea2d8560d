package svcsdk

import (
	"context"
	"net/http"
	"strings"
)

// CheckUpdate checks whether there is an update, and whether it is required. If the input specifies
// no version, the version from [WithAppVersion] is sent. If that is not set either, the error is a
// [*UsageError]. For a version that was never published, the input must contain a comparable
// version. The channel and the rollout key of the client are sent unless the input contains other
// values. If a field of the input is null, no value is sent.
//
// [Updates.Check] makes this request at most once per interval, and recommends a decision.
func (p *Public) CheckUpdate(ctx context.Context, in UpdateCheckInput) (*UpdateCheck, error) {
	s := p.client.settings.Load()
	if in.CurrentVersion.IsZero() && in.CurrentComparableVersion.IsZero() && s.appVersion != "" {
		in.CurrentVersion = Set(s.appVersion)
	}
	if in.Locale.IsZero() && s.locale != "" {
		in.Locale = Set(s.locale)
	}
	if in.Channel.IsZero() && s.channel != "" {
		in.Channel = Set(s.channel)
	}
	for _, o := range []*Opt[string]{&in.CurrentVersion, &in.CurrentComparableVersion, &in.Locale, &in.Channel} {
		if o.IsNull() {
			*o = Opt[string]{}
		}
	}
	current, _ := in.CurrentVersion.Get()
	comparable, _ := in.CurrentComparableVersion.Get()
	if strings.TrimSpace(current+comparable) == "" {
		return nil, usage("an update check needs the current version: see WithAppVersion")
	}
	switch {
	case in.RolloutKey.IsNull():
		in.RolloutKey = Opt[string]{}
	case in.RolloutKey.IsZero() && s.rolloutKey != "":
		in.RolloutKey = Set(s.rolloutKey)
	case in.RolloutKey.IsZero() && s.project != "":
		in.RolloutKey = Set(p.client.events.rolloutKey())
	}
	return fetch[UpdateCheck](ctx, p.call(http.MethodPost, "/public/{k}/versions/check-update").body(in))
}

// CreateFeedback sends feedback. Feedback that is to be forwarded to the code host needs a contact;
// without one, the error is a [*UsageError]. If the same content is sent again from the same
// address within a minute, the server creates no second record and returns the existing one.
// [Public.FeedbackReplies] returns the replies.
func (p *Public) CreateFeedback(ctx context.Context, in FeedbackInput) (*Feedback, error) {
	contact, _ := in.Contact.Get()
	if later, replaced := in.Extra["contact"]; replaced {
		contact, _ = later.(string)
	}
	if in.ForwardToCodehost != nil && *in.ForwardToCodehost && strings.TrimSpace(contact) == "" {
		return nil, usage("feedback that is forwarded to the code host needs a contact")
	}
	q := p.client.events.queue() // before the request, because another project may be bound during it
	f, err := fetch[Feedback](ctx, p.call(http.MethodPost, "/public/{k}/feedbacks").body(in))
	if f != nil && f.ReplyToken != "" && q != nil {
		q.keepFeedback(sentFeedback{ID: f.ID, Token: f.ReplyToken})
	}
	return f, err
}

// CreateProject creates a project. If the input has no key, the new project gets the key that the
// client is bound to. The error has status 409 if a project has or had that key. API keys that are
// limited to certain projects cannot create projects.
func (a *Admin) CreateProject(ctx context.Context, in ProjectCreate) (*Project, error) {
	if in.ProjectKey == "" {
		in.ProjectKey = a.client.ProjectKey()
	}
	if in.ProjectKey == "" && in.Extra["project_key"] == nil {
		return nil, usage("a project needs a key: set ProjectKey or bind the client")
	}
	return fetch[Project](ctx, a.call(http.MethodPost, "/admin/projects").body(in))
}
