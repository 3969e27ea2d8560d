// Package translate translates texts with a language model. It supports two protocols:
// the chat completions of OpenAI, which many services have adopted, and the messages of
// Anthropic.
//
//	translate.go  Translate: the request to the model, and its expected output
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

// timeLimit is the time limit of one translation, including a retry.
const timeLimit = 60 * time.Second

// Kind is the kind of record to which a text belongs.
type Kind string

// The kinds of records with texts to translate.
const (
	Announcement Kind = "announcement"
	Version      Kind = "version"
	Project      Kind = "project"
)

// notes contains, for each kind of record, a description of its fields for the model.
var notes = map[Kind]string{
	Announcement: "The fields belong to an announcement to the users of an app: `title` is a short title, `content` is a body in Markdown.",
	Version: "The fields belong to the release notes of a version of an app, in Markdown. Keep commit hashes, package names and user " +
		"handles such as @name as they are.",
	Project: "The fields belong to an app: `name` is its short name, `description` is a description of one line.",
}

// Texts contains the texts to translate, by the name of their field, and the languages.
type Texts struct {
	Kind   Kind
	Fields map[string]string
	Source string // tag of the source language; "" = not known
	Target string // tag of the target language
	Label  string // display name of the target language; "" = use its tag
}

// Client sends requests to translation services.
type Client struct {
	http  *http.Client
	limit time.Duration // time limit of a translation
}

// New returns a Client. client must have the profile outbound.Operator.
func New(client *http.Client) *Client { return &Client{client, timeLimit} }

// Translate returns the translations of the fields of t into the target language, by
// field name. prompt is the system prompt; it can contain the placeholders in Variables.
//
// The error is a fault with a text for administrators. It is Unavailable if the service
// fails, does not respond within 60 seconds, or responds without a text. It is BadGateway
// if the output of the model does not have the requested form.
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

// message returns the user message for the model.
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

// read parses the output of the model and returns the translated fields.
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

// withoutFence removes the Markdown code fence around a text, if there is one. The fence
// may name a language.
func withoutFence(text string) string {
	text = strings.TrimSpace(text)
	inner, opened := strings.CutPrefix(text, "```")
	inner, closed := strings.CutSuffix(inner, "```")
	if !opened || !closed {
		return text
	}
	return strings.TrimLeftFunc(inner, unicode.IsLetter)
}
