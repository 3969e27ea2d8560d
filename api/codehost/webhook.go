package codehost

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"svc/api/web"
	"svc/internal/codehost"
	"svc/internal/fault"
	"svc/internal/files"
	"svc/internal/seal"
	"svc/store"
)

const (
	minSecret, maxSecret = 16, 256 // characters
	maxGrace             = 1440    // minutes
	generatedPrefix      = "whsec_"
	generatedBytes       = 24 // random bytes; the secret has twice as many hex digits

	deliveryLimit = 25 << 20 // bytes; code hosts do not send more
	// deliveryKept is how long a delivery is remembered, so that a repetition is recognized.
	deliveryKept = 7 * 24 * time.Hour
	// maxEcho limits the length, in characters, of a code host's text that is repeated in a
	// response.
	maxEcho = 64
)

const releaseHooks = web.V1 + "/webhooks/codehost/"

func (h *Handlers) webhookRoutes() []web.Route {
	const one = web.V1 + "/admin/projects/:k/codehost-webhook"
	read, write := web.ByScope("projects:read"), web.ByScope("projects:write")
	regenerate := web.Checked(webhookInput.check, false, h.regenerateWebhookSecret)
	return []web.Route{
		{Method: "GET", Path: one, Access: read, Handler: web.OK(h.getWebhook)},
		{Method: "PUT", Path: one, Access: write, Handler: web.OK(web.Checked(webhookInput.check, true, h.setWebhookSecret))},
		{Method: "POST", Path: one + "/regenerate", Access: write, Handler: web.OK(regenerate)},
		{Method: "DELETE", Path: one, Access: write, Handler: web.OK(h.clearWebhook)},
		{Method: "POST", Path: releaseHooks + ":k", Access: web.BySignature(), BodyLimit: deliveryLimit, Handler: web.OK(h.receiveRelease)},
	}
}

// webhookView is the JSON form of a webhook's settings, without its secret.
type webhookView struct {
	Enabled         bool    `json:"enabled"`
	PayloadPath     string  `json:"payload_path"`
	ContentType     string  `json:"content_type"`
	SecretHint      *string `json:"secret_hint"`
	SecretLength    *int    `json:"secret_length"`
	SecretUpdatedAt *int64  `json:"secret_updated_at"`
	// LastDelivery is the last delivery with a valid signature. It shows the administrator that the
	// code host uses the right address and the right secret.
	LastDelivery *deliveryView `json:"last_delivery"`
}

type deliveryView struct {
	ReceivedAt int64   `json:"received_at"`
	Event      string  `json:"event"`
	Status     string  `json:"status"`
	Reason     *string `json:"reason"`
}

// revealedView is a webhookView that includes the secret. The server reveals a secret only once.
type revealedView struct {
	webhookView
	Secret string `json:"secret"`
}

func viewWebhook(p *store.Project, w *store.Webhook) webhookView {
	v := webhookView{Enabled: w.Secret != "", PayloadPath: releaseHooks + url.PathEscape(p.Key), ContentType: "application/json"}
	if v.Enabled {
		v.SecretHint, v.SecretLength, v.SecretUpdatedAt = &w.Hint, &w.Length, &w.UpdatedAt
		if d := w.Last; d != nil {
			v.LastDelivery = &deliveryView{ReceivedAt: d.At, Event: d.Event, Status: d.Status}
			if d.Reason != "" {
				v.LastDelivery.Reason = &d.Reason
			}
		}
	}
	return v
}

func (h *Handlers) getWebhook(r *web.Request) (view webhookView, err error) {
	err = r.View(h.DB, func(tx *store.Tx, p *store.Project) error {
		w, err := store.WebhookSettings(p.ID).Get(tx)
		if err == nil {
			view = viewWebhook(p, w)
		}
		return err
	})
	return view, err
}

func (h *Handlers) clearWebhook(r *web.Request) (view webhookView, err error) {
	err = r.Update(h.DB, func(tx *store.Tx, p *store.Project) error {
		view = viewWebhook(p, &store.Webhook{})
		return store.WebhookSettings(p.ID).Put(tx, &store.Webhook{})
	})
	return view, err
}

type webhookInput struct {
	Secret web.Optional[string]      `json:"secret"`
	Grace  web.Optional[web.Integer] `json:"grace_minutes"`
}

func (in webhookInput) check(secret bool) (webhookInput, error) {
	var p web.Problems
	if secret {
		p.Text("secret", in.Secret, web.TextRule{Min: minSecret, Max: maxSecret, Required: true, Trim: true})
	}
	p.Number("grace_minutes", in.Grace, 0, maxGrace, false)
	return in, p.Err()
}

func (h *Handlers) setWebhookSecret(r *web.Request, in webhookInput) (revealedView, error) {
	return h.replaceWebhookSecret(r, strings.TrimSpace(in.Secret.Or("")), in.Grace)
}

func (h *Handlers) regenerateWebhookSecret(r *web.Request, in webhookInput) (revealedView, error) {
	random := make([]byte, generatedBytes)
	rand.Read(random) // never fails, see crypto/rand
	return h.replaceWebhookSecret(r, generatedPrefix+hex.EncodeToString(random), in.Grace)
}

// replaceWebhookSecret stores a new secret. The previous secret remains valid for the given grace
// period in minutes.
func (h *Handlers) replaceWebhookSecret(r *web.Request, secret string, grace web.Optional[web.Integer]) (view revealedView, err error) {
	err = r.Update(h.DB, func(tx *store.Tx, p *store.Project) error {
		w, err := store.WebhookSettings(p.ID).Get(tx)
		if err != nil {
			return err
		}
		w.Replace(h.Keys.Seal(seal.WebhookSecret, secret), hintOf(secret), utf8.RuneCountInString(secret), time.Duration(grace.Or(0))*time.Minute,
			tx.Now())
		view = revealedView{viewWebhook(p, w), secret}
		return store.WebhookSettings(p.ID).Put(tx, w)
	})
	return view, err
}

// opened returns the plain texts of the sealed secrets that can be decrypted. It returns an error
// if there are none.
func (h *Handlers) opened(purpose seal.Purpose, sealed []string) (secrets []string, err error) {
	for _, one := range sealed {
		secret, cannot := h.Keys.Open(purpose, one)
		if cannot != nil {
			err = fault.New(fault.Forbidden, "%s", cannot)
			continue
		}
		secrets = append(secrets, secret)
	}
	if len(secrets) > 0 {
		return secrets, nil
	}
	return nil, err
}

// delivery reads the delivery in r, which must be signed with one of the secrets. It verifies the
// signature before it parses the body.
func delivery(r *web.Request, secrets []string) (*codehost.Delivery, error) {
	signature := r.Header.Get(codehost.SignatureHeader)
	if !codehost.WellFormed(signature) {
		return nil, fault.New(fault.Unauthorized, "a signature is needed in %s: sha256= and 64 hex digits", codehost.SignatureHeader)
	}
	raw, err := r.ReadBody()
	if err != nil {
		return nil, err
	}
	if !codehost.Verify(raw, signature, secrets...) {
		return nil, fault.New(fault.Unauthorized, "the signature in %s does not match the body and the secret of this webhook",
			codehost.SignatureHeader)
	}
	return codehost.ReadDelivery(r.Header, raw)
}

// Values of the status in the response to a delivery.
const (
	statusPong    = "pong"
	statusIgnored = "ignored"
	statusSynced  = "synced"
)

// outcome is the part of a response to a delivery that all kinds of deliveries share.
type outcome struct {
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"` // why it was ignored
	Event  string `json:"event"`
}

// eventPing is the event that a code host sends to test a webhook.
const eventPing = "ping"

func begin(d *codehost.Delivery) outcome {
	return outcome{Status: statusPong, Event: web.Shorten(d.Event, maxEcho)}
}

func (o *outcome) ignore(reason string) { o.Status, o.Reason = statusIgnored, reason }

// releaseOutcome is the response to a delivery about a release.
type releaseOutcome struct {
	outcome
	Action       *string `json:"action,omitempty"`
	Version      *string `json:"version,omitempty"`
	Created      *bool   `json:"created,omitempty"`
	MirrorQueued *int    `json:"mirror_queued,omitempty"`
}

func (h *Handlers) receiveRelease(r *web.Request) (done releaseOutcome, err error) {
	p, secrets, err := h.webhookSecrets(r)
	if err != nil {
		return done, err
	}
	d, err := delivery(r, secrets)
	if err != nil {
		return done, err
	}
	if done, err = h.takeRelease(r, p, d); err != nil {
		return done, err
	}
	note := store.WebhookDelivery{Event: done.Event, Status: done.Status, Reason: done.Reason}
	if err := h.DB.Update(func(tx *store.Tx) error { return tx.NoteDelivery(p.ID, note) }); err != nil {
		// The delivery has been processed, and repeating it would change nothing. So only log the
		// error.
		h.Log.Warn("last delivery not stored", "error", err, "path", r.LoggedPath(), "id", r.ID)
	}
	return done, nil
}

// takeRelease processes a delivery about a release of project p.
func (h *Handlers) takeRelease(r *web.Request, p *store.Project, d *codehost.Delivery) (done releaseOutcome, err error) {
	done.outcome = begin(d)
	if d.Event == eventPing {
		return done, nil
	}
	taken, err := h.delivered(p.ID, d.ID)
	if err != nil {
		return done, err
	}
	if taken {
		done.ignore("duplicate_delivery")
		return done, nil
	}
	if d.Event != "release" {
		done.ignore("unsupported_event")
		return done, nil
	}
	e := d.ReleaseEvent()
	draft, reason := readRelease(e, &done)
	if reason != "" {
		done.ignore(reason)
		return done, nil
	}
	return done, h.publish(r, d.ID, e, draft, &done)
}

// webhookSecrets returns the project of a delivery and the secrets with which the delivery may be
// signed. It returns an error for a project without secrets.
func (h *Handlers) webhookSecrets(r *web.Request) (p *store.Project, secrets []string, err error) {
	var sealed []string
	err = h.DB.View(func(tx *store.Tx) error {
		if p, err = r.Project(tx); err != nil {
			return err
		}
		w, err := store.WebhookSettings(p.ID).Get(tx)
		if err == nil {
			sealed = w.Accepted(tx.Now())
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if len(sealed) == 0 {
		return nil, nil, fault.New(fault.Forbidden, "the webhook of project %q has no secret, so it accepts nothing: set one", p.Key)
	}
	secrets, err = h.opened(seal.WebhookSecret, sealed)
	return p, secrets, err
}

// delivered reports whether a delivery has been processed before. A delivery without an id is never
// recognized.
func (h *Handlers) delivered(p store.ProjectID, id string) (bool, error) {
	return store.Read(h.DB, func(tx *store.Tx) (bool, error) { return id != "" && tx.Delivered(p, id), nil })
}

// readRelease maps the release in e to a version, or returns the reason for ignoring it. It stores
// what it knows about the release in the parameter done.
func readRelease(e codehost.ReleaseEvent, done *releaseOutcome) (draft codehost.Draft, reason string) {
	done.Action = new(web.Shorten(e.Action, maxEcho))
	switch {
	case !slices.Contains(codehost.ReleaseActions, e.Action):
		return draft, "unsupported_action"
	case e.Release == nil:
		return draft, "missing_release"
	case e.Release.Draft:
		return draft, "draft_release"
	}
	draft = codehost.NewDraft(e.Release)
	if draft.Version == "" {
		return draft, "missing_tag"
	}
	done.Version = new(web.Shorten(draft.Version, maxEcho))
	if draft.Comparable.IsZero() {
		return draft, "unparsable_version"
	}
	return draft, ""
}

// releaseData is the custom data of a version that was made by a delivery.
type releaseData struct {
	Source     string `json:"source"`
	Repository string `json:"repository"`
	Tag        string `json:"release_tag"`
	Action     string `json:"event_action"`
	SyncedAt   int64  `json:"synced_at"`
}

// publish stores the version of a release in one transaction. The transaction also queues copies of
// the attachments, if the project is configured for that, and records the delivery. If the
// attachments cannot be queued, publish stores the version without copies.
func (h *Handlers) publish(r *web.Request, id string, e codehost.ReleaseEvent, draft codehost.Draft, done *releaseOutcome) error {
	var unmirrored error
	take := func(mirror bool) error {
		return r.Update(h.DB, func(tx *store.Tx, p *store.Project) error {
			done.Created, done.MirrorQueued = nil, nil
			if id != "" && tx.Delivered(p.ID, id) { // an identical delivery was processed concurrently
				done.ignore("duplicate_delivery")
				done.Action, done.Version = nil, nil
				return nil
			}
			created, stale, err := h.writeRelease(tx, p, e, draft)
			if err != nil {
				return err
			}
			if stale {
				done.ignore("stale_delivery")
				return nil
			}
			done.Status, done.Created = statusSynced, &created
			if mirror && p.MirrorAssets && h.Mirror != nil {
				var queued int
				if queued, unmirrored = h.Mirror(tx, p, addresses(draft.Links)); unmirrored != nil {
					return unmirrored
				}
				done.MirrorQueued = &queued
			}
			if id == "" {
				return nil
			}
			return tx.RememberDelivery(p.ID, id, deliveryKept)
		})
	}
	err := take(true)
	if unmirrored != nil {
		h.Log.Warn("attachments of a release not queued for copying", "error", unmirrored, "path", r.LoggedPath(), "id", r.ID)
		err = take(false)
	}
	return err
}

// writeRelease stores the version of a release. If an attachment has been copied before, the
// version links to the copy, so that a delivery never undoes the replacement of links. stale
// reports that nothing was changed, because a later state of the release has already been stored.
func (h *Handlers) writeRelease(
	tx *store.Tx, p *store.Project, e codehost.ReleaseEvent, draft codehost.Draft,
) (created, stale bool, err error) {
	data, err := json.Marshal(releaseData{"codehost-webhook", web.Shorten(e.Repository, maxRepository), draft.Tag, e.Action, tx.Now().Unix()})
	if err != nil {
		return false, false, err
	}
	release := &store.Release{
		Version: draft.Version, Comparable: draft.Comparable, Title: draft.Title, Content: draft.Content, DownloadURL: draft.DownloadURL,
		Preview: draft.Preview, PublishedAt: draft.PublishedAt, UpdatedAt: e.Release.UpdatedAt, CustomData: data,
	}
	for _, link := range draft.Links {
		address, err := h.direct(tx, p, link.URL)
		if err != nil {
			return false, false, err
		}
		release.DownloadLinks = append(release.DownloadLinks, store.DownloadLink{URL: address, Name: link.Name})
	}
	if len(release.DownloadLinks) > 0 {
		release.DownloadURL = &release.DownloadLinks[0].URL
	}
	_, created, stale, err = tx.PublishRelease(p.ID, release)
	return created, stale, err
}

// maxRepository is the maximum length of owner/name, in characters.
const maxRepository = 140

// direct returns the direct link to the copy of an attachment, or address if there is no copy.
func (h *Handlers) direct(tx *store.Tx, p *store.Project, address string) (string, error) {
	if h.BaseURL == "" {
		return address, nil
	}
	f, err := tx.FileBySource(p.ID, address)
	if err != nil || f == nil || f.Status != store.FileReady {
		return address, err
	}
	return h.BaseURL + files.EscapePath(f.ObjectKey), nil
}

func addresses(links []codehost.Link) []string {
	all := make([]string, len(links))
	for i, link := range links {
		all[i] = link.URL
	}
	return all
}
