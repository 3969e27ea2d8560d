package translate

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"svc/internal/fault"
	"svc/internal/outbound"
)

// The supported providers. OpenAI includes every other service that uses OpenAI's
// protocol.
const (
	OpenAI    = "openai"
	Anthropic = "anthropic"
)

const (
	maxAnswer    = 4 << 20 // number of bytes of a response that are read
	maxRefusal   = 300     // number of characters of a response that an error contains
	maxMalformed = 200     // number of characters of the model's text that an error contains

	anthropicVersion = "2023-06-01"
	minTokens        = 4096
	maxTokens        = 32000
)

// Service identifies a model of a translation service, and holds the API key for the
// service.
type Service struct {
	Provider string // OpenAI or Anthropic
	BaseURL  string
	Model    string
	APIKey   string // "" = the service needs no key
}

// RequestURL returns the URL to which requests are sent, or "" if there is no base URL.
func (s Service) RequestURL() string {
	base := strings.TrimRight(s.BaseURL, "/")
	switch {
	case base == "":
		return ""
	case s.Provider == Anthropic:
		return base + "/v1/messages"
	}
	return base + "/chat/completions"
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type chatRequest struct {
	Model          string            `json:"model"`
	Temperature    float64           `json:"temperature"`
	Messages       []message         `json:"messages"`
	ResponseFormat map[string]string `json:"response_format,omitempty"`
}

type messagesRequest struct {
	Model     string    `json:"model"`
	MaxTokens int       `json:"max_tokens"`
	System    string    `json:"system"`
	Messages  []message `json:"messages"`
}

// body returns the body of a request in the format of the provider. If plain is true, the
// request uses no optional features and allows only a small output, because some services
// do not support the whole protocol, and some models have a smaller maximum output.
func (s Service) body(system, user string, plain bool) any {
	if s.Provider == Anthropic {
		tokens := min(max(utf8.RuneCountInString(user), minTokens), maxTokens)
		if plain {
			tokens = minTokens
		}
		return messagesRequest{s.Model, tokens, system, []message{{"user", user}}}
	}
	r := chatRequest{Model: s.Model, Temperature: 0.2, Messages: []message{{"system", system}, {"user", user}}}
	if !plain {
		r.ResponseFormat = map[string]string{"type": "json_object"}
	}
	return r
}

func (s Service) setHeaders(h http.Header) {
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json")
	if s.Provider == Anthropic {
		h.Set("Anthropic-Version", anthropicVersion)
	}
	switch {
	case s.APIKey == "":
	case s.Provider == Anthropic:
		h.Set("X-Api-Key", s.APIKey)
	default:
		h.Set("Authorization", "Bearer "+s.APIKey)
	}
}

// complete sends a request and returns the output of the model. If the service responds
// with status 400, complete retries once with a body that uses no optional features.
func (c *Client) complete(ctx context.Context, s Service, system, user string) (text string, err error) {
	status, answer, err := c.post(ctx, s, s.body(system, user, false))
	if err == nil && status == http.StatusBadRequest {
		status, answer, err = c.post(ctx, s, s.body(system, user, true))
	}
	switch {
	case fault.Is(err, fault.Unavailable):
		return "", err
	case err != nil:
		return "", fault.New(fault.Unavailable, "the translation service cannot be reached: %v", outbound.Explain(err))
	case status/100 != 2:
		return "", fault.New(fault.Unavailable, "the translation service answered %d%s", status, s.excerpt(string(answer), maxRefusal))
	}
	if text = textOf(s.Provider, answer); strings.TrimSpace(text) == "" {
		return "", fault.New(fault.Unavailable, "the translation service answered without a text%s", s.excerpt(string(answer), maxRefusal))
	}
	return text, nil
}

// post sends a request and returns the status and the body of the response.
func (c *Client) post(ctx context.Context, s Service, body any) (status int, answer []byte, err error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return 0, nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.RequestURL(), bytes.NewReader(raw))
	if err != nil {
		return 0, nil, err
	}
	s.setHeaders(r.Header)
	got, err := c.http.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer got.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(got.Body, maxAnswer+1))
	if err == nil && len(answer) > maxAnswer {
		err = fault.New(fault.Unavailable, "the translation service answered with more than %d MiB", maxAnswer>>20)
	}
	return got.StatusCode, answer, err
}

// textOf returns the output of the model that a response contains, or "" if the response
// has an unexpected form.
func textOf(provider string, answer []byte) string {
	var got struct {
		Choices []struct{ Message struct{ Content string } }
		Content []struct{ Type, Text string }
	}
	if json.Unmarshal(answer, &got) != nil {
		return ""
	}
	if provider == OpenAI {
		if len(got.Choices) == 0 {
			return ""
		}
		return got.Choices[0].Message.Content
	}
	var text strings.Builder
	for _, block := range got.Content {
		if block.Type == "text" {
			text.WriteString(block.Text)
		}
	}
	return text.String()
}

// excerpt returns at most limit characters of a text that the service sent, for the end
// of an error message. The result begins with a colon, is a single line, and does not
// contain the API key, which some services repeat. If the text is empty, the result is
// "".
func (s Service) excerpt(text string, limit int) string {
	if s.APIKey != "" {
		text = strings.ReplaceAll(text, s.APIKey, "***")
	}
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, "\uFFFD"),
		func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if utf8.RuneCountInString(text) > limit {
		text = string([]rune(text)[:limit])
	}
	if text == "" {
		return ""
	}
	return ": " + text
}
