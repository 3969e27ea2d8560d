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
	// Status is the state of the feedback.
	Status FeedbackState `json:"status"`
	// Reply is the text of the reply.
	Reply *string `json:"reply"`
	// RepliedAt is the time of the last change of the reply, in Unix seconds.
	RepliedAt *int64 `json:"replied_at"`
}

// FeedbackReplies asks for the replies to the feedback records that this app has sent to the bound
// project, and returns those that have been answered, the oldest feedback first.
//
// [Public.CreateFeedback] keeps the ids and reply tokens of the newest 20 records in the local
// state: in a file with [PersistDevice], and in memory with [PersistSession]. It keeps nothing with
// [PersistNone], after an opt-out, while a required consent is missing, or while collection is
// disabled. In these cases, FeedbackReplies sends no request and returns nothing. [Public.OptOut]
// and [Public.RevokeConsent] delete the ids and tokens. Those of a record that the server has
// deleted are also removed.
func (p *Public) FeedbackReplies(ctx context.Context) ([]FeedbackReply, error) {
	q := p.client.events.queue()
	if q == nil {
		return nil, nil
	}
	project := p.client.ProjectKey() // another project may be bound between two requests
	var replies []FeedbackReply
	for _, sent := range q.sentFeedback() {
		c := p.call(http.MethodGet, "/public/{k}/feedbacks/{id}/reply", sent.ID)
		c.replyToken, c.project = sent.Token, project
		reply, err := fetch[FeedbackReply](ctx, c)
		var refused *APIError
		if errors.As(err, &refused) && refused.Status == http.StatusNotFound {
			// A proxy may answer 404 for a server that is being replaced, but not in JSON.
			if _, ok := refused.Body.(map[string]any); ok {
				q.forgetFeedback(sent.ID)
			}
			continue
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
	// ProjectKey is set only if the namespace does not determine the project.
	ProjectKey string `json:"project_key,omitempty"`
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

// keepFeedback adds feedback that was just sent to the local state, unless collection is off.
func (q *queue) keepFeedback(f sentFeedback) {
	if q.opts.Namespace != "" {
		f.ProjectKey = q.project
	}
	q.changeFeedback(func(list []sentFeedback) []sentFeedback { return withFeedback(list, f) })
}

// forgetFeedback removes the feedback with the given id from the local state.
func (q *queue) forgetFeedback(id string) {
	gone := func(f sentFeedback) bool { return f.ID == id }
	q.mu.Lock()
	q.feedback = slices.DeleteFunc(q.feedback, gone)
	q.mu.Unlock()
	q.changeFeedback(func(list []sentFeedback) []sentFeedback { return slices.DeleteFunc(list, gone) })
}

// changeFeedback replaces the stored list of feedback with the result of the function change. If
// the list cannot be stored, it replaces the list in memory.
func (q *queue) changeFeedback(change func([]sentFeedback) []sentFeedback) {
	q.ready()
	if q.opts.Persistence == PersistNone || q.changeStoredFeedback(change) {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.active() {
		q.feedback = change(q.feedback)
	}
}

// changeStoredFeedback replaces the stored list of feedback with the result of the function change.
// It returns false if the list in memory must be changed instead.
func (q *queue) changeStoredFeedback(change func([]sentFeedback) []sentFeedback) bool {
	if !q.storesFeedback() {
		return false
	}
	merging.Lock()
	defer merging.Unlock()
	// If consent is revoked after this check, the revocation waits for merging and then deletes
	// what is written here.
	q.mu.Lock()
	active := q.active()
	q.mu.Unlock()
	old := q.backing.load()
	if !active || old[q.prefix()+optOutSuffix] == "1" {
		return true
	}
	next := maps.Clone(old)
	if next == nil {
		next = map[string]string{}
	}
	key := q.prefix() + feedbackSuffix
	delete(next, key)
	if list := change(parseFeedback(old[key])); len(list) > 0 {
		text, err := encodeJSON(list)
		if err != nil {
			return true
		}
		next[key] = string(text)
	}
	return equalTexts(old, next) || q.backing.store(old, next) == nil
}

func (q *queue) storesFeedback() bool { return q.opts.Persistence == PersistDevice && q.backing != nil }

// sentFeedback returns the feedback that was kept for the project, the oldest first. While
// collection is off, it returns nothing.
func (q *queue) sentFeedback() []sentFeedback {
	q.ready()
	var texts map[string]string
	if q.storesFeedback() {
		merging.Lock()
		texts = q.backing.load()
		merging.Unlock()
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.active() || texts[q.prefix()+optOutSuffix] == "1" {
		return nil
	}
	list := parseFeedback(texts[q.prefix()+feedbackSuffix])
	for _, f := range q.feedback {
		list = withFeedback(list, f)
	}
	return slices.DeleteFunc(list, func(f sentFeedback) bool { return f.ProjectKey != "" && !sameProject(f.ProjectKey, q.project) })
}
