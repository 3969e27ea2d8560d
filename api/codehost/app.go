package codehost

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"svc/api/web"
	"svc/internal/codehost"
	"svc/internal/fault"
	"svc/internal/forward"
	"svc/internal/seal"
	"svc/store"
)

// appWebhookPath is the path to which the code host delivers events of the app.
const appWebhookPath = web.V1 + "/webhooks/codehost-app"

func (h *Handlers) appRoutes() []web.Route {
	const one = web.V1 + "/admin/codehost-app"
	login := web.LoginOnly()
	return []web.Route{
		{Method: "GET", Path: one, Access: login, Handler: web.OK(h.getApp)},
		{Method: "PUT", Path: one, Access: login, Handler: web.OK(web.Decoded(h.updateApp))},
		{Method: "DELETE", Path: one, Access: login, Handler: web.OK(h.resetApp)},
		{Method: "POST", Path: one + "/test", Access: login, Handler: web.OK(h.testApp)},
	}
}

// appView is the JSON form of the app's settings, without its secrets.
type appView struct {
	Configured            bool    `json:"configured"`
	AppID                 *string `json:"app_id"`
	HasPrivateKey         bool    `json:"has_private_key"`
	PrivateKeyFingerprint *string `json:"private_key_fingerprint"`
	PrivateKeyUpdatedAt   *int64  `json:"private_key_updated_at"`

	HasWebhookSecret       bool    `json:"has_webhook_secret"`
	WebhookSecretHint      *string `json:"webhook_secret_hint"`
	WebhookSecretLength    *int    `json:"webhook_secret_length"`
	WebhookSecretMasked    *string `json:"webhook_secret_masked"`
	WebhookSecretUpdatedAt *int64  `json:"webhook_secret_updated_at"`
	WebhookPayloadPath     string  `json:"webhook_payload_path"`

	Features []string `json:"enabled_features"`

	CustomTemplate bool     `json:"feedback_issue_custom_template"`
	TitleTemplate  *string  `json:"feedback_issue_title_template"`
	BodyTemplate   *string  `json:"feedback_issue_body_template"`
	BuiltinTitle   string   `json:"builtin_feedback_issue_title_template"`
	BuiltinBody    string   `json:"builtin_feedback_issue_body_template"`
	Variables      []string `json:"feedback_issue_template_variables"`

	UpdatedAt *int64 `json:"updated_at"`
}

// viewApp returns the JSON form of the settings, or err.
func viewApp(a *store.CodehostApp, err error) (appView, error) {
	if err != nil {
		return appView{}, err
	}
	return appView{
		Configured: a.Configured(), AppID: web.OrNull(a.AppID),
		HasPrivateKey: a.PrivateKey != "", PrivateKeyFingerprint: web.OrNull(a.PrivateKeyFingerprint),
		PrivateKeyUpdatedAt: web.OrNull(a.PrivateKeyUpdatedAt),
		HasWebhookSecret:    a.WebhookSecret != "", WebhookSecretHint: web.OrNull(a.WebhookSecretHint),
		WebhookSecretLength:    web.OrNull(a.WebhookSecretLength),
		WebhookSecretMasked:    web.OrNull(masked(a.WebhookSecretHint, a.WebhookSecretLength)),
		WebhookSecretUpdatedAt: web.OrNull(a.WebhookSecretUpdatedAt), WebhookPayloadPath: appWebhookPath,
		Features: append([]string{}, a.Features...), CustomTemplate: a.CustomTemplate,
		TitleTemplate: web.OrNull(a.TitleTemplate), BodyTemplate: web.OrNull(a.BodyTemplate),
		BuiltinTitle: codehost.BuiltinTemplate.Title, BuiltinBody: codehost.BuiltinTemplate.Body, Variables: codehost.Variables,
		UpdatedAt: web.OrNull(a.UpdatedAt),
	}, nil
}

const hintLength = 6 // characters

// hintOf returns the last characters of a secret, so that an administrator can recognize the
// secret. It returns "" for a secret of at most hintLength characters, because the hint would
// reveal all of it.
func hintOf(secret string) string {
	if characters := []rune(secret); len(characters) > hintLength {
		return string(characters[len(characters)-hintLength:])
	}
	return ""
}

// masked returns asterisks followed by the hint. The given length is the secret's length, and
// the result has the same length.
func masked(hint string, length int) string {
	return strings.Repeat("*", length-utf8.RuneCountInString(hint)) + hint
}

func (h *Handlers) getApp(r *web.Request) (appView, error) {
	return viewApp(web.GetSettings(r, h.DB, store.CodehostAppSettings))
}

type appInput struct {
	AppID          web.Optional[string]            `json:"app_id"`
	PrivateKey     web.Optional[string]            `json:"private_key"`
	WebhookSecret  web.Optional[string]            `json:"webhook_secret"`
	Features       web.Optional[[]json.RawMessage] `json:"enabled_features"`
	CustomTemplate web.Optional[bool]              `json:"feedback_issue_custom_template"`
	TitleTemplate  web.Optional[string]            `json:"feedback_issue_title_template"`
	BodyTemplate   web.Optional[string]            `json:"feedback_issue_body_template"`
}

// Maximum lengths of issue templates, in characters.
const (
	maxTitleTemplate = 256
	maxBodyTemplate  = 8192
)

// check validates the request. It returns the features in it without duplicates, or an error that
// names every violated rule.
func (in appInput) check() (features []string, err error) {
	p := web.Problems{Update: true}
	p.Text("app_id", in.AppID, web.TextRule{Max: 32, Trim: true})
	p.Text("private_key", in.PrivateKey, web.TextRule{Max: 16384, Trim: true})
	if key := strings.TrimSpace(in.PrivateKey.Or("")); key != "" && !strings.Contains(key, "PRIVATE KEY") {
		p.Add("private_key must be a private key in PEM form: the whole file, from -----BEGIN to the end")
	}
	p.Text("webhook_secret", in.WebhookSecret, web.TextRule{Max: 256, Trim: true})
	p.Flag("feedback_issue_custom_template", in.CustomTemplate)
	p.Text("feedback_issue_title_template", in.TitleTemplate, web.TextRule{Max: maxTitleTemplate, Trim: true})
	p.Text("feedback_issue_body_template", in.BodyTemplate, web.TextRule{Max: maxBodyTemplate, Trim: true})
	for _, feature := range p.Texts("enabled_features", in.Features, 0, 64) {
		switch {
		case !slices.Contains(store.CodehostFeatures, feature):
			p.Add("enabled_features must be of %s", strings.Join(store.CodehostFeatures, ", "))
		case !slices.Contains(features, feature):
			features = append(features, feature)
		}
	}
	return features, p.Err()
}

func (h *Handlers) updateApp(r *web.Request, in appInput) (appView, error) {
	features, err := in.check()
	if err != nil {
		return appView{}, err
	}
	return viewApp(web.PutSettings(r, h.DB, store.CodehostAppSettings, func(tx *store.Tx, a *store.CodehostApp) {
		web.SetText(&a.AppID, in.AppID)
		if in.PrivateKey.Sent {
			key := strings.TrimSpace(in.PrivateKey.Or(""))
			a.PrivateKey, a.PrivateKeyFingerprint = h.Keys.Seal(seal.AppPrivateKey, key), seal.Fingerprint(key)
			a.PrivateKeyUpdatedAt = timeOf(tx, key)
		}
		if in.WebhookSecret.Sent {
			secret := strings.TrimSpace(in.WebhookSecret.Or(""))
			a.WebhookSecret, a.WebhookSecretHint = h.Keys.Seal(seal.AppWebhookSecret, secret), hintOf(secret)
			a.WebhookSecretLength, a.WebhookSecretUpdatedAt = utf8.RuneCountInString(secret), timeOf(tx, secret)
		}
		web.SetIfSent(&a.Features, in.Features, features)
		web.Set(&a.CustomTemplate, in.CustomTemplate)
		web.SetText(&a.TitleTemplate, in.TitleTemplate)
		web.SetText(&a.BodyTemplate, in.BodyTemplate)
	}))
}

// timeOf returns the time at which a secret was set, which is the transaction's time. It returns 0
// if secret is empty, because the secret is then being cleared.
func timeOf(tx *store.Tx, secret string) int64 {
	if secret == "" {
		return 0
	}
	return tx.Now().Unix()
}

func (h *Handlers) resetApp(r *web.Request) (appView, error) {
	return viewApp(web.DeleteSettings(r, h.DB, store.CodehostAppSettings))
}

// appTestView is the JSON form of the app's registration at the code host.
type appTestView struct {
	OK                 bool     `json:"ok"`
	Name               *string  `json:"name"`
	Slug               *string  `json:"slug"`
	MissingPermissions []string `json:"missing_permissions"`
	MissingEvents      []string `json:"missing_events"`
	LatencyMS          int64    `json:"latency_ms"`
	Error              *string  `json:"error"`
}

func (h *Handlers) testApp(r *web.Request) (appTestView, error) {
	view := appTestView{MissingPermissions: []string{}, MissingEvents: []string{}}
	a, err := store.Read(h.DB, store.CodehostAppSettings.Get)
	if err != nil {
		return view, err
	}
	if err := h.testAs(r, a, &view); err != nil {
		view.Error = web.OrNull(h.explain(h.Log.With("id", r.ID), err))
		return view, nil
	}
	view.OK = len(view.MissingPermissions) == 0 && len(view.MissingEvents) == 0
	if !view.OK {
		missing := slices.Concat(view.MissingPermissions, view.MissingEvents)
		view.Error = new("for its features the app lacks: " + strings.Join(missing, ", "))
	}
	return view, nil
}

// testAs queries the code host with the app's saved credentials. It sets the app's name in view,
// and lists the missing permissions and events there.
func (h *Handlers) testAs(r *web.Request, a *store.CodehostApp, view *appTestView) error {
	if !a.Configured() {
		return fault.New(fault.Invalid, "app_id and private_key are needed: save them first")
	}
	app, err := forward.OpenApp(h.Keys, a)
	if err != nil {
		return err
	}
	ctx, done := forRequest(r)
	defer done()
	begin := time.Now()
	known, err := h.Host.Test(ctx, app)
	view.LatencyMS = time.Since(begin).Milliseconds()
	if e, ok := errors.AsType[*codehost.Error](err); ok && e.Status == http.StatusUnauthorized {
		return fmt.Errorf("%w: %w",
			fault.New(fault.Invalid, "the code host does not accept this app: app_id and private_key do not belong together"), err)
	}
	if err != nil {
		return codehost.Explain(err, "the code host has no app with this app_id", h.Now())
	}
	view.Name, view.Slug = web.OrNull(known.Name), web.OrNull(known.Slug)
	for _, feature := range a.Features {
		needs := featureNeeds[feature]
		for _, p := range needs.permissions {
			if text := p.name + ": " + p.level; !known.Grants(p.name, p.level) && !slices.Contains(view.MissingPermissions, text) {
				view.MissingPermissions = append(view.MissingPermissions, text)
			}
		}
		for _, event := range needs.events {
			if !slices.Contains(known.Events, event) {
				view.MissingEvents = append(view.MissingEvents, event)
			}
		}
	}
	return nil
}

type permission struct{ name, level string }

// featureNeeds holds the permissions and events that a feature requires; docs/codehost.md explains
// each.
var featureNeeds = map[string]struct {
	permissions []permission
	events      []string
}{
	store.FeatureFeedbackIssue:   {permissions: []permission{{"issues", "write"}, {"contents", "read"}}},
	store.FeatureCommentCommands: {permissions: []permission{{"actions", "write"}, {"issues", "write"}}, events: []string{"issue_comment"}},
}

// explain returns the text of err for the administrator. If err comes from the code host or has no
// text for users, explain also logs err, including the code host's own message.
func (h *Handlers) explain(log *slog.Logger, err error) string {
	f, ok := errors.AsType[*fault.Error](err)
	if _, outside := errors.AsType[*codehost.Error](err); outside || !ok {
		log.Warn("query of the code host failed", "error", err)
	}
	if !ok {
		return "the server could not ask the code host; the log has the details"
	}
	return f.Error()
}
