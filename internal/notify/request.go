package notify

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"time"
)

// Kind is the type of the receiver to which a hook sends events.
type Kind string

// The kinds of hooks.
const (
	Webhook Kind = "webhook"
	Ntfy    Kind = "ntfy"
	Slack   Kind = "slack"
	Discord Kind = "discord"
	Email   Kind = "email" // see package smtp
)

// Kinds lists all kinds.
var Kinds = []Kind{Webhook, Ntfy, Slack, Discord, Email}

// Authorized reports whether hooks of the kind can set the header Authorization.
func (k Kind) Authorized() bool { return k == Webhook || k == Ntfy }

// SecretURL reports whether the URL of a hook of the kind is enough to send messages, so that it
// must be kept secret.
func (k Kind) SecretURL() bool { return k == Slack || k == Discord }

// Target describes where and how a hook sends events.
type Target struct {
	Kind          Kind
	URL           string
	Authorization string   // "" = none
	Secrets       []string // keys for the signatures of a webhook, the newest first
}

// Request returns the request that sends the event with the given body. id identifies the event for
// the receiver.
func (t Target) Request(ctx context.Context, id string, body []byte, now time.Time) (*http.Request, error) {
	sent, header := body, http.Header{}
	if t.Kind == Webhook {
		sign(header, id, now, body, t.Secrets)
	} else {
		m, err := Read(body)
		if err != nil {
			return nil, err
		}
		switch t.Kind {
		case Ntfy:
			sent = m.ntfy(header)
		case Slack:
			sent, err = m.slack(header)
		case Discord:
			sent, err = m.discord(header)
		default:
			err = fmt.Errorf("hooks of kind %q cannot be sent", t.Kind)
		}
		if err != nil {
			return nil, err
		}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, t.URL, bytes.NewReader(sent))
	if err != nil {
		return nil, err
	}
	r.Header = header
	if t.Authorization != "" {
		r.Header.Set("Authorization", t.Authorization)
	}
	return r, nil
}
