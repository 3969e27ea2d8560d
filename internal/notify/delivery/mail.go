package delivery

import (
	"context"
	"errors"

	"svc/internal/notify"
	"svc/store"
)

var errNoMail = errors.New("there is no mail server: set smtp.url and smtp.from")

// mail makes one attempt to send an event by e-mail.
func (e *Engine) mail(ctx context.Context, h *store.Hook, id string, body []byte) Result {
	if e.Mail == nil {
		return Result{Error: errNoMail.Error()}
	}
	answer, err := e.Mail.Send(ctx, h.To, id, body, e.Now())
	r := Result{OK: err == nil, Status: answer.Code, Final: answer.Final()}
	if answer.Code > 0 {
		r.Response = new(notify.Cut(answer.Text, maxResponse))
	}
	if err != nil {
		r.Error = err.Error()
	}
	return r
}
