package notify

import "net/http"

// maxDiscordTitle is the maximum length of the title of a message on Discord, in characters.
const maxDiscordTitle = 256

type discordEmbed struct {
	Title       string `json:"title"`
	Description string `json:"description"`
	URL         string `json:"url,omitempty"`
}

// discord returns the body of a request to Discord and sets the headers of the request.
func (m Message) discord(h http.Header) ([]byte, error) {
	h.Set("Content-Type", "application/json")
	return encode(struct {
		Embeds   []discordEmbed `json:"embeds"`
		Mentions struct {
			Parse []string `json:"parse"`
		} `json:"allowed_mentions"`
	}{
		[]discordEmbed{{cutCharacters(withoutMentions(m.Title), maxDiscordTitle), withoutMentions(m.Text), m.URL}},
		struct {
			Parse []string `json:"parse"`
		}{[]string{}},
	})
}
