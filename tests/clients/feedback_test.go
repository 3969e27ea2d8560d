package clients

import (
	"net/http"
	"net/url"
	"slices"
)

// This file contains the model of replies to feedback, and the scenes about them.

// sentFeedback is feedback whose reply a library can ask for.
type sentFeedback struct{ id, token string }

// mostFeedback is the number of records that a library keeps.
const mostFeedback = 20

// forgetFeedback removes the record with an id.
func (c *collection) forgetFeedback(id string) {
	c.feedback = slices.DeleteFunc(c.feedback, func(f sentFeedback) bool { return f.id == id })
}

// keepFeedback keeps the feedback in the answer to a submission, unless collection is off.
func (s *story) keepFeedback(c call, a answer) {
	if outcome(c, a)["error"] != nil || !s.queue().active() || s.persistence == "none" {
		return
	}
	fields, _ := decodedObject(a.Body)
	id, _ := fields["id"].(string)
	token, _ := fields["reply_token"].(string)
	if id == "" || token == "" {
		return
	}
	q := s.queue()
	q.forgetFeedback(id)
	q.feedback = append(q.feedback, sentFeedback{id, token})
	q.feedback = q.feedback[max(0, len(q.feedback)-mostFeedback):]
}

// feedback sends feedback, mostly a few records, and asks for replies. The user may decide about
// collection in between.
func (s *story) feedback() {
	n := s.random.IntN(4)
	if s.chance(5) {
		n = mostFeedback + 2
	}
	for range n {
		s.emit(callStep("public", "create_feedback", map[string]any{"content": "Nice"}), func() map[string]any {
			c := call{
				verb: http.MethodPost, template: "/public/{k}/feedbacks", path: "/public/" + segment(s.key) + "/feedbacks",
				query: url.Values{}, body: map[string]any{"content": "Nice"},
			}
			a := s.request(c)
			s.keepFeedback(c, a)
			return outcome(c, a)
		})
	}
	if s.chance(40) {
		s.decideOnCollection()
	}
	s.replies()
	if s.chance(50) {
		s.replies() // deleted feedback is not asked for again
	}
}

func (s *story) replies() {
	s.answers = s.replyAnswers()
	s.emit(map[string]any{"do": "feedback_replies"}, func() map[string]any {
		q, replies := s.queue(), []any{}
		var asked []sentFeedback
		if q.active() {
			asked = slices.Clone(q.feedback)
		}
		for _, f := range asked {
			const template = "/public/{k}/feedbacks/{id}/reply"
			path := "/public/" + segment(s.key) + "/feedbacks/" + segment(f.id) + "/reply"
			c := call{verb: http.MethodGet, template: template, path: path, query: url.Values{}, replyToken: f.token}
			a := s.request(c)
			fields, isObject := decodedObject(a.Body)
			if a.Status == http.StatusNotFound {
				if isObject { // otherwise it is not the answer of the server
					q.forgetFeedback(f.id)
				}
				continue
			}
			if failed := outcome(c, a); failed["error"] != nil {
				return failed
			}
			if fields["reply"] != nil {
				reply := map[string]any{}
				for _, name := range []string{"id", "status", "reply", "replied_at"} {
					reply[name] = fields[name]
				}
				replies = append(replies, reply)
			}
		}
		return map[string]any{"replies": replies}
	})
}

// replyAnswers returns the answers to the next requests for replies.
func (s *story) replyAnswers() (out []answer) {
	for range s.random.IntN(4) {
		switch n := s.random.IntN(10); {
		case n < 5:
			out = append(out, answer{}) // the usual one
		case n < 8:
			out = append(out, s.refused(http.StatusNotFound))
		case n == 8:
			out = append(out, s.refused(pick(s.random, 400, 429, 500, 503)))
		default:
			out = append(out, answer{Status: http.StatusOK, Body: `{"cut":"short"`, Cut: true})
		}
	}
	return out
}
