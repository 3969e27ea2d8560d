package hooks

import (
	"encoding/json"
	"net/mail"
	"net/url"
	"slices"
	"strings"

	"svc/api/web"
	"svc/internal/notify"
	"svc/internal/seal"
	"svc/store"
)

// The limits of the fields of a hook. maxEvents and maxRecipients limit the number of entries in a
// list. The other limits are in characters.
const (
	maxName          = 64
	maxURL           = 1024
	maxEvents        = 32
	maxRecipients    = 20
	maxRecipient     = 254
	maxAuthorization = 512
)

// input is the body of a new or changed hook.
type input struct {
	Name          web.Optional[string]            `json:"name"`
	Kind          web.Optional[string]            `json:"kind"`
	Enabled       web.Optional[bool]              `json:"enabled"`
	URL           web.Optional[string]            `json:"url"`
	Events        web.Optional[[]json.RawMessage] `json:"events"`
	To            web.Optional[[]json.RawMessage] `json:"to"`
	Authorization web.Optional[string]            `json:"authorization"`
	Secret        web.Optional[string]            `json:"secret"`
}

// change is an input with fields that have been validated one by one.
type change struct {
	input
	update     bool        // whether the request changes an existing hook
	kind       notify.Kind // "" = not sent
	url        string      // "" = none
	events, to []string
	secret     string
}

// check validates the input, except for what depends on the kind of a stored hook. The parameter
// update is true if the request changes a hook, and false if it creates one.
func (in input) check(update bool) (change, error) {
	p := web.Problems{Update: update}
	p.Text("name", in.Name, web.TextRule{Max: maxName, Required: true, Trim: true, Filled: true})
	p.Flag("enabled", in.Enabled)
	p.Text("url", in.URL, web.TextRule{Max: maxURL, Trim: true})
	p.Text("authorization", in.Authorization, web.TextRule{Max: maxAuthorization, Trim: true})
	if strings.ContainsFunc(strings.TrimSpace(in.Authorization.Or("")), func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		p.Add("authorization must not contain line ends or other control characters")
	}
	checkSecret(&p, in.Secret)
	c := change{
		input: in, update: update, kind: kindOf(&p, in.Kind), url: strings.TrimSpace(in.URL.Or("")), secret: in.Secret.Or(""),
		events: eventsOf(&p, in.Events), to: recipientsOf(&p, in.To),
	}
	if err := p.Err(); err != nil || update {
		return c, err
	}
	return c, c.checkKind(c.kind, true)
}

func kindOf(p *web.Problems, o web.Optional[string]) notify.Kind {
	if !p.Present("kind", o.Sent, o.Null(), true, true) {
		return ""
	}
	kind := notify.Kind(o.Or(""))
	if !slices.Contains(notify.Kinds, kind) {
		names := make([]string, len(notify.Kinds))
		for i, k := range notify.Kinds {
			names[i] = string(k)
		}
		p.Add("kind must be one of: %s", strings.Join(names, ", "))
	}
	return kind
}

func checkSecret(p *web.Problems, o web.Optional[string]) {
	if !p.Present("secret", o.Sent, o.Null(), false, true) {
		return
	}
	if o.Wrong {
		p.Add("secret must be a string")
		return
	}
	if err := notify.CheckSecret(*o.Value); err != nil {
		p.Add("secret %v", err)
	}
}

// eventsOf checks the event selectors in o and returns them without duplicates.
func eventsOf(p *web.Problems, o web.Optional[[]json.RawMessage]) (events []string) {
	if !p.Present("events", o.Sent, o.Null(), false, true) {
		return nil
	}
	if !o.Wrong && len(o.Or(nil)) == 0 {
		p.Add("events must have at least one entry")
	}
	for i, text := range p.Texts("events", o, maxEvents, maxName) {
		switch {
		case !notify.IsSelector(text):
			p.Add("events[%d] must be the name of an event, the first word of one followed by .*, or *", i)
		case !slices.Contains(events, text):
			events = append(events, text)
		}
	}
	return events
}

// recipientsOf checks the e-mail addresses in o and returns them without duplicates.
func recipientsOf(p *web.Problems, o web.Optional[[]json.RawMessage]) (to []string) {
	for i, text := range p.Texts("to", o, maxRecipients, maxRecipient) {
		switch {
		case !isRecipient(text):
			p.Add("to[%d] must be an e-mail address, such as team@example.com", i)
		case !slices.Contains(to, text):
			to = append(to, text)
		}
	}
	return to
}

// isRecipient reports whether a text is an e-mail address in ASCII, without a display name and
// without quotes.
func isRecipient(text string) bool {
	a, err := mail.ParseAddress(text)
	unusual := func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"<>`, r) }
	return err == nil && a.Address == text && !strings.ContainsFunc(text, unusual)
}

// checkKind checks the fields that only some kinds have. create is true if the hook is new.
func (c change) checkKind(kind notify.Kind, create bool) error {
	p := web.Problems{Update: !create}
	if kind == notify.Email {
		if c.url != "" {
			p.Add("url must be null for hooks of kind email")
		}
		if len(c.to) == 0 && (create || c.To.Sent) {
			p.Add("to must have 1 to %d addresses for hooks of kind email", maxRecipients)
		}
	} else {
		if len(c.to) > 0 {
			p.Add("to must be empty: only hooks of kind email have recipients")
		}
		c.checkURL(&p, kind, create)
	}
	if !kind.Authorized() && strings.TrimSpace(c.Authorization.Or("")) != "" {
		p.Add("authorization is only for hooks of kind webhook and ntfy")
	}
	if kind != notify.Webhook && c.secret != "" {
		p.Add("secret is only for hooks of kind webhook")
	}
	return p.Err()
}

// checkURL checks the address of a receiver.
func (c change) checkURL(p *web.Problems, kind notify.Kind, create bool) {
	if !c.URL.Sent && !create {
		return
	}
	u, err := url.Parse(c.url)
	switch {
	case c.url == "" && create:
		p.Add("url is required")
	case c.url == "":
		p.Add("url must not be empty")
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		p.Add("url must be an absolute URL with scheme http or https")
	case u.User != nil:
		p.Add("url must not contain a user name or a password")
	case kind.SecretURL() && strings.Contains(c.url, hidden):
		p.Add("url must be the whole address: parts of it are replaced by %s", hidden)
	}
}

// apply sets the fields of hook that are present in the request. The caller must store the hook.
// The error lists all invalid fields.
func (h *Handlers) apply(tx *store.Tx, in change, hook *store.Hook) error {
	p := web.Problems{Update: in.update}
	if in.kind != "" && in.kind != hook.Kind {
		p.Add("kind must not be changed: create another hook instead")
	}
	keep := in.update && in.url != "" && hook.Kind.SecretURL() && in.url == h.shown(hook)
	if keep {
		in.URL.Sent = false // what the caller has read
	}
	if starts := !in.update || in.Enabled.Or(false); starts && hook.Kind == notify.Email && h.Engine.Mail == nil {
		p.Add("kind email needs a mail server: set smtp.url and smtp.from")
	}
	err := p.Err()
	if in.update { // a new hook has been checked already
		err = web.JoinValidation(err, in.checkKind(hook.Kind, false))
	}
	if err != nil {
		return err
	}
	web.SetText(&hook.Name, in.Name)
	web.Set(&hook.Enabled, in.Enabled)
	if in.url != "" && !keep {
		hook.URL = h.sealed(hook, in.url)
	}
	if in.Events.Value != nil {
		hook.Events = in.events
	}
	if in.To.Sent {
		hook.To = in.to
	}
	if in.Authorization.Sent {
		hook.Authorization = h.Keys.Seal(seal.HookAuthorization, strings.TrimSpace(in.Authorization.Or("")))
	}
	if in.secret != "" {
		h.putSecret(tx, hook, in.secret, 0)
	}
	return nil
}
