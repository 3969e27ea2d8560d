package notify

import (
	"net/http"
	"strings"
)

var slackEntities = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// slack returns the body of a request to Slack, Mattermost, Rocket.Chat or Zulip, and sets the
// headers of the request.
func (m Message) slack(h http.Header) ([]byte, error) {
	quote := func(text string) string { return withoutMentions(slackEntities.Replace(text)) }
	text := "*" + quote(m.Title) + "*"
	if m.Text != "" {
		text += "\n" + quote(m.Text)
	}
	if m.URL != "" {
		text += "\n<" + m.URL + ">"
	}
	h.Set("Content-Type", "application/json")
	return encode(struct {
		Text string `json:"text"`
	}{text})
}
