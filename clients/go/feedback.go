package svcsdk

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
)

// FeedbackReply is the reply to feedback that this app has sent.
type FeedbackReply struct {
	// ID is the id of the feedback.
	ID string `json:"id"`
	// Status is the state in which the feedback is.
	Status FeedbackState `json:"status"`
	// Reply is the text of the reply.
	Reply *string `json:"reply"`
	// RepliedAt is the time of the last change of the reply.
	RepliedAt *int64 `json:"replied_at"`
}

// FeedbackReplies returns the replies to the newest 20 feedback records that this app has sent to
// the bound project. It omits feedback without a reply, and begins with the oldest feedback.
//
// [Public.CreateFeedback] stores the id and the token that this method needs: with [PersistDevice]
// in a file, and with [PersistSession] in memory. It stores nothing with [PersistNone] or after
// [Public.OptOut].
func (p *Public) FeedbackReplies(ctx context.Context) ([]FeedbackReply, error) {
	q := p.client.events.queue()
	if q == nil {
		return nil, nil
	}
	var replies []FeedbackReply
	for _, sent := range q.sentFeedback() {
		c := p.call(http.MethodGet, "/public/{k}/feedbacks/{id}/reply", sent.ID)
		c.replyToken = sent.Token
		reply, err := fetch[FeedbackReply](ctx, c)
		var refused *APIError
		if errors.As(err, &refused) && refused.Status == http.StatusNotFound {
			continue // the feedback has been deleted
		}
		if err != nil {
			return nil, err
		}
		if reply != nil && reply.Reply != nil {
			replies = append(replies, *reply)
		}
	}
	return replies, nil
}

// sentFeedback holds the id and the reply token of feedback that the library has submitted.
type sentFeedback struct {
	ID    string `json:"id"`
	Token string `json:"token"`
}

// mostFeedback is the maximum number of feedback records in the local state.
const mostFeedback = 20

// feedbackSuffix is the end of the key under which feedback is stored.
const feedbackSuffix = "feedback"

// parseFeedback parses the stored list of feedback. If the text is not such a list, it returns nil.
func parseFeedback(text string) []sentFeedback {
	var list []sentFeedback
	if json.Unmarshal([]byte(text), &list) != nil {
		return nil
	}
	return slices.DeleteFunc(list, func(f sentFeedback) bool { return f.ID == "" || f.Token == "" })
}

// withFeedback returns the list with f as its newest entry.
func withFeedback(list []sentFeedback, f sentFeedback) []sentFeedback {
	list = append(slices.DeleteFunc(list, func(other sentFeedback) bool { return other.ID == f.ID }), f)
	return list[max(0, len(list)-mostFeedback):]
}

// keepFeedback stores feedback that was just sent, unless the user has opted out. If it cannot be
// stored on the device, it is kept in memory.
func (s *queueState) keepFeedback(f sentFeedback) {
	s.ready()
	s.mu.Lock()
	kept := s.opts.Persistence != PersistNone && !s.optedOut
	stored := s.opts.Persistence == PersistDevice && s.backing != nil
	if kept && !stored {
		s.feedback = withFeedback(s.feedback, f)
	}
	s.mu.Unlock()
	if !kept || !stored {
		return
	}
	merging.Lock()
	defer merging.Unlock()
	old := s.backing.load()
	if old[s.prefix()+optOutSuffix] == "1" {
		return
	}
	next := maps.Clone(old)
	if next == nil {
		next = map[string]string{}
	}
	text, err := encodeJSON(withFeedback(parseFeedback(old[s.prefix()+feedbackSuffix]), f))
	if err != nil {
		return
	}
	next[s.prefix()+feedbackSuffix] = string(text)
	if s.backing.store(old, next) != nil {
		s.mu.Lock()
		s.feedback = withFeedback(s.feedback, f)
		s.mu.Unlock()
	}
}

// sentFeedback returns the stored feedback, the oldest first.
func (s *queueState) sentFeedback() []sentFeedback {
	s.ready()
	var list []sentFeedback
	if s.opts.Persistence == PersistDevice && s.backing != nil {
		merging.Lock()
		texts := s.backing.load()
		merging.Unlock()
		if texts[s.prefix()+optOutSuffix] == "1" {
			return nil
		}
		list = parseFeedback(texts[s.prefix()+feedbackSuffix])
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.feedback {
		list = withFeedback(list, f)
	}
	return list
}
