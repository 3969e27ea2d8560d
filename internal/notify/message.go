package notify

import (
	"encoding/json"
	"fmt"
	"strings"

	"svc/internal/rollout"
)

// maxText is the maximum length of the text of a message, in characters.
const maxText = 2000

// Message is the text form of an event, for people to read.
type Message struct {
	Event string
	Title string // one line
	Text  string // "" = nothing to add
	URL   string // "" = none
}

// fields contains those fields of all types of Data from which a message is composed.
type fields struct {
	Project  *Project        `json:"project"`
	Version  string          `json:"version"`
	Percent  rollout.Percent `json:"percent"`
	Title    string          `json:"title"`
	Notes    string          `json:"notes"`
	Reason   string          `json:"reason"`
	Content  string          `json:"content"`
	Message  string          `json:"message"`
	Filename string          `json:"filename"`
	Error    string          `json:"error"`
	URL      string          `json:"url"`
	Rule     string          `json:"rule"`
	Count    int64           `json:"count"`
	Limit    int             `json:"limit"`
}

// Read returns the message for an event. body is the result of Event.Body.
func Read(body []byte) (Message, error) {
	var in struct {
		Type string `json:"type"`
		Data fields `json:"data"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Message{}, fmt.Errorf("read an event: %w", err)
	}
	what, text := in.Data.words(in.Type)
	from := "svc"
	if in.Data.Project != nil {
		from = in.Data.Project.Name
	}
	return Message{in.Type, oneLine(from + ": " + what), cutCharacters(text, maxText), in.Data.URL}, nil
}

// words returns a phrase about what happened, for the title of a message, and the text of the
// message, which may be empty.
func (f *fields) words(event string) (what, text string) {
	percent := fmt.Sprintf("%v %%", f.Percent)
	switch event {
	case VersionPublishedEvent:
		if text = f.Notes; f.Title != "" {
			text = strings.TrimSpace(f.Title + "\n" + f.Notes)
		}
		return f.Version + " is published", text
	case VersionYankedEvent:
		return f.Version + " is withdrawn", f.Reason
	case RolloutAdvancedEvent:
		return f.Version + " is at " + percent, ""
	case RolloutPausedEvent:
		return f.Version + " is paused at " + percent, f.Reason
	case RolloutResumedEvent:
		return f.Version + " is resumed at " + percent, f.Reason
	case RolloutCompletedEvent:
		return f.Version + " is rolled out", f.Reason
	case RolloutAbortedEvent:
		return f.Version + " is aborted at " + percent, f.Reason
	case RolloutHeldEvent:
		return f.Version + " is held at " + percent, f.Reason
	case HealthSuspectEvent:
		return f.Version + " may be failing: " + f.Rule, f.Reason
	case HealthFailingEvent:
		return f.Version + " is failing: " + f.Rule, f.Reason
	case AnnouncementPublishedEvent:
		return f.Title, f.Content
	case FeedbackCreatedEvent:
		return "new feedback", f.Content
	case LogGroupCreatedEvent:
		return "new error", f.Title
	case LogGroupRegressedEvent:
		return "an error is back", f.Title
	case LogGroupSpikedEvent:
		return fmt.Sprintf("an error occurs often (%d times)", f.Count), f.Title
	case LogGuardEvent:
		return fmt.Sprintf("more than %d new errors in an hour", f.Limit), "There are no further messages about errors until the hour ends."
	case FileFailedEvent:
		return "the file " + f.Filename + " failed", f.Error
	case TestEvent:
		return "test", f.Message
	}
	return strings.ReplaceAll(strings.TrimPrefix(event, "instance."), "_", " "), f.Message
}

// oneLine replaces line ends and other control characters by spaces.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 {
			return ' '
		}
		return r
	}, text)
}

// cutCharacters returns a text of at most limit characters. A longer text is cut and ends in an
// ellipsis.
func cutCharacters(text string, limit int) string {
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	return string(runes[:limit-1]) + ellipsis
}

// withoutMentions inserts an invisible character after each "@", so that a text from a client
// cannot notify the members of a chat.
func withoutMentions(text string) string { return strings.ReplaceAll(text, "@", "@\u200b") }
