// Package notify contains the forms in which others are told of events: the body of a signed
// webhook, and the requests to ntfy, Slack and Discord. It has no state and no side effects.
//
//	event.go    the events, and their JSON form
//	names.go    the names of events, and the lists that select them
//	link.go     links to the console and to public pages
//	message.go  a stored event as a title and a text for people
//	request.go  the request of each kind of hook
//	webhook.go  Standard Webhooks: secrets and signatures
//	ntfy.go     ntfy
//	slack.go    Slack, and services with the same interface
//	discord.go  Discord
//	schedule.go when a delivery is attempted again
package notify

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"svc/internal/rollout"
)

// The maximum sizes of an event and of the texts in it, in bytes.
const (
	maxBody     = 20 << 10 // the whole event
	maxContent  = 8 << 10
	maxFeedback = 2 << 10
	maxLine     = 1 << 10
)

// Data is the content of an event. Each event has one of the types of this package.
type Data interface {
	// limited returns the data with texts of at most the given number of bytes.
	limited(limit int) Data
}

// Event is something that happened, about which hooks send messages.
type Event struct {
	Name string // one of Names, or TestEvent
	Data Data
}

// Project identifies the project of an event.
type Project struct {
	Key  string `json:"key"`
	Name string `json:"name"`
}

// Body returns the JSON form of an event. p is nil for an event of the instance. Body cuts long
// texts to keep the result within maxBody.
func (e Event) Body(p *Project, at time.Time) ([]byte, error) {
	for limit := maxContent; ; limit /= 2 {
		data, err := encode(e.Data.limited(limit))
		if err != nil {
			return nil, err
		}
		if p != nil {
			project, err := encode(p)
			if err != nil {
				return nil, err
			}
			data = append(append(append([]byte(`{"project":`), project...), ','), data[1:]...)
		}
		body, err := encode(struct {
			Type      string          `json:"type"`
			Timestamp string          `json:"timestamp"`
			Data      json.RawMessage `json:"data"`
		}{e.Name, at.UTC().Format("2006-01-02T15:04:05Z"), data})
		if err != nil || len(body) <= maxBody || limit == 1 {
			return body, err
		}
	}
}

// encode returns JSON without HTML escapes.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

const ellipsis = "…"

// Cut returns a text of at most limit bytes. A longer text is cut between characters and ends in
// an ellipsis.
func Cut(text string, limit int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= limit {
		return text
	}
	at := max(limit-len(ellipsis), 0)
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return text[:at] + ellipsis
}

// cutAll replaces each text that is not nil by the result of Cut.
func cutAll(limit int, texts ...**string) {
	for _, t := range texts {
		if *t != nil {
			short := Cut(**t, limit)
			*t = &short
		}
	}
}

// VersionPublished is the data of version.published.
type VersionPublished struct {
	Version           string          `json:"version"`
	ComparableVersion string          `json:"comparable_version"`
	Channel           string          `json:"channel"`
	Title             *string         `json:"title"`
	Notes             *string         `json:"notes"`
	URL               *string         `json:"url"`
	Percent           rollout.Percent `json:"percent"`
}

func (d VersionPublished) limited(limit int) Data {
	cutAll(min(limit, maxLine), &d.Title)
	cutAll(limit, &d.Notes)
	return d
}

// VersionYanked is the data of version.yanked.
type VersionYanked struct {
	Version     string  `json:"version"`
	Reason      string  `json:"reason"`
	DowngradeTo *string `json:"downgrade_to"` // display text
}

func (d VersionYanked) limited(limit int) Data {
	d.Reason = Cut(d.Reason, min(limit, maxLine))
	return d
}

// RolloutAdvanced is the data of rollout.advanced.
type RolloutAdvanced struct {
	Version string          `json:"version"`
	Percent rollout.Percent `json:"percent"`
	Step    int             `json:"step"`
	By      string          `json:"by"`
}

func (d RolloutAdvanced) limited(int) Data { return d }

// RolloutChanged is the data of the events about a change of the state of a rollout, except
// rollout.held.
type RolloutChanged struct {
	Version string          `json:"version"`
	Percent rollout.Percent `json:"percent"`
	By      string          `json:"by"`
	Reason  *string         `json:"reason"`
}

func (d RolloutChanged) limited(limit int) Data {
	cutAll(min(limit, maxLine), &d.Reason)
	return d
}

// Health is the data of rollout.held, health.suspect and health.failing.
type Health struct {
	Version          string          `json:"version"`
	Percent          rollout.Percent `json:"percent"`
	Rule             string          `json:"rule"`
	Metric           rollout.Metric  `json:"metric"`
	EValue           float64         `json:"e_value"`
	Failures         int64           `json:"failures"`
	Exposure         int64           `json:"exposure"`
	BaselineFailures int64           `json:"baseline_failures"`
	BaselineExposure int64           `json:"baseline_exposure"`
	BaselineVersion  string          `json:"baseline_version"`
	Reason           string          `json:"reason"`
}

func (d Health) limited(limit int) Data {
	d.Reason = Cut(d.Reason, min(limit, maxLine))
	return d
}

// AnnouncementPublished is the data of announcement.published.
type AnnouncementPublished struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	Content string `json:"content"`
}

func (d AnnouncementPublished) limited(limit int) Data {
	d.Title, d.Content = Cut(d.Title, min(limit, maxLine)), Cut(d.Content, limit)
	return d
}

// FeedbackCreated is the data of feedback.created.
type FeedbackCreated struct {
	ID       string  `json:"id"`
	Rating   *int    `json:"rating"`
	Content  string  `json:"content"`
	Platform *string `json:"platform"`
	URL      *string `json:"url"`
}

func (d FeedbackCreated) limited(limit int) Data {
	d.Content = Cut(d.Content, min(limit, maxFeedback))
	return d
}

// LogGroup is the data of log.group_created, log.group_regressed and log.group_spiked.
type LogGroup struct {
	ID         string  `json:"id"`
	Title      string  `json:"title"`
	Level      int     `json:"level"`
	Source     *string `json:"source"`
	AppVersion *string `json:"app_version"`
	Count      int64   `json:"count"`
	URL        *string `json:"url"`
}

func (d LogGroup) limited(limit int) Data {
	d.Title = Cut(d.Title, min(limit, maxLine))
	cutAll(min(limit, maxLine), &d.Source, &d.AppVersion)
	return d
}

// LogGuard is the data of log.guard.
type LogGuard struct {
	Limit int   `json:"limit"` // maximum number of events about new and reopened groups in an hour
	Hour  int64 `json:"hour"`  // its start, Unix seconds
}

func (d LogGuard) limited(int) Data { return d }

// FileFailed is the data of file.failed.
type FileFailed struct {
	ID       string `json:"id"`
	Filename string `json:"filename"`
	Error    string `json:"error"`
}

func (d FileFailed) limited(limit int) Data {
	d.Filename, d.Error = Cut(d.Filename, min(limit, maxLine)), Cut(d.Error, min(limit, maxLine))
	return d
}

// Notice is the data of the events of the instance and of hook.test.
type Notice struct {
	Message string `json:"message"`
}

func (d Notice) limited(limit int) Data {
	d.Message = Cut(d.Message, min(limit, maxLine))
	return d
}
