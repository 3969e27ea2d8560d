// Package translate has texts translated by a language model: the chat completions of
// OpenAI, which many services imitate, and the messages of Anthropic.
//
//	translate.go  Translate: what the model is asked and what it must answer
//	prompt.go     the built-in prompt
//	service.go    the two protocols
package translate

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"

	"svc/internal/fault"
	"svc/internal/placeholder"
)

// timeLimit is for one translation, with its repetition.
const timeLimit = 60 * time.Second

// Kind is what a text is about.
type Kind string

// The kinds.
const (
	Announcement Kind = "announcement"
	Version      Kind = "version"
	Project      Kind = "project"
)

// notes tell the model about the fields of a kind.
var notes = map[Kind]string{
	Announcement: "The fields belong to an announcement to the users of an app: `title` is a short title, `content` is a body in Markdown.",
	Version:      "The fields belong to the release notes of a version of an app, in Markdown. Keep commit hashes, package names and user handles such as @name as they are.",
	Project:      "The fields belong to an app: `name` is its short name, `description` is a description of one line.",
}

// Texts are what is to be translated.
type Texts struct {
	Kind   Kind
	Fields map[string]string
	Source string // tag of their language; "" = not known
	Target string // tag of the language they are translated into
	Label  string // what people call that language; "" = its tag
}

// Client asks translation services.
type Client struct {
	http  *http.Client
	limit time.Duration // of a translation
}

// New makes a client. The HTTP client is one of profile outbound.Operator.
func New(client *http.Client) *Client { return &Client{client, timeLimit} }

// Translate returns the fields of the texts in the target language. The prompt is for
// the system and may have the placeholders of Variables.
//
// An error is a fault with a text for administrators: Unavailable when the service
// fails, does not answer within 60 seconds, or answers without a text; BadGateway when
// the text of the model is not what it was asked for.
func (c *Client) Translate(ctx context.Context, s Service, prompt string, t Texts) (map[string]string, error) {
	ctx, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	message, err := t.message()
	if err != nil {
		return nil, err
	}
	answer, err := c.complete(ctx, s, placeholder.Expand(prompt, t.variables()), message)
	if err != nil {
		return nil, err
	}
	return t.read(s, answer)
}

// message is what the user says to the model.
func (t *Texts) message() (string, error) {
	var fields strings.Builder
	e := json.NewEncoder(&fields)
	e.SetEscapeHTML(false)
	if err := e.Encode(t.Fields); err != nil {
		return "", err
	}
	parts := []string{notes[t.Kind]}
	if t.Source != "" {
		parts = append(parts, "The source language is "+t.Source+".")
	}
	return strings.Join(append(parts, strings.TrimSpace(fields.String())), "\n\n"), nil
}

// read takes the translated fields from what the model wrote.
func (t *Texts) read(s Service, answer string) (map[string]string, error) {
	malformed := func(what string) error {
		return fault.New(fault.BadGateway, "the model's answer %s%s", what, s.excerpt(answer, maxMalformed))
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(withoutFence(answer)), &object); err != nil || object == nil {
		return nil, malformed("is not a JSON object")
	}
	translated := make(map[string]string, len(t.Fields))
	for name := range t.Fields {
		var text *string
		if err := json.Unmarshal(object[name], &text); err != nil || text == nil {
			return nil, malformed(fmt.Sprintf("has no text %q", name))
		}
		translated[name] = *text
	}
	return translated, nil
}

// withoutFence is a text without the code fence around it, which may name the language.
func withoutFence(text string) string {
	text = strings.TrimSpace(text)
	inner, opened := strings.CutPrefix(text, "```")
	inner, closed := strings.CutSuffix(inner, "```")
	if !opened || !closed {
		return text
	}
	return strings.TrimLeftFunc(inner, unicode.IsLetter)
}
