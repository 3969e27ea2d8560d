package notify

import (
	"mime"
	"net/http"
)

// ntfy returns the body of a request to ntfy and sets the headers of the request.
func (m Message) ntfy(h http.Header) []byte {
	priority := "3"
	if urgent(m.Event) {
		priority = "5"
	}
	h.Set("Title", mime.QEncoding.Encode("utf-8", m.Title))
	h.Set("Priority", priority)
	h.Set("Tags", m.Event)
	if m.URL != "" {
		h.Set("Click", m.URL)
	}
	h.Set("Content-Type", "text/plain; charset=utf-8")
	if m.Text == "" {
		return []byte(m.Title)
	}
	return []byte(m.Text)
}
