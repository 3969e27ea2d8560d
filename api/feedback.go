package api

import (
	"encoding/json"
	"net/http"
	"slices"

	"svc/internal/fault"
	"svc/internal/origin"
	"svc/internal/platform"
	"svc/store"
)

func (s *Server) feedbackRoutes() []route {
	const all = v1 + "/admin/projects/:k/feedbacks"
	const compat = v1 + "/admin/feedbacks"
	read, write := key("feedbacks:read"), key("feedbacks:write")
	return []route{
		{method: "GET", path: v1 + "/feedbacks/_status", access: anyone(), handler: moduleStatus("feedbacks")},
		{method: "GET", path: v1 + "/public/:k/feedbacks/options", access: anyone(), handler: s.feedbackOptions},
		s.limited(route{method: "POST", path: v1 + "/public/:k/feedbacks", access: anyone(), handler: s.submitFeedback, counts: "FEEDBACK_SUBMIT"}),
		{method: "GET", path: all, access: read, handler: s.listFeedback},
		{method: "POST", path: all, access: write, handler: s.createFeedback},
		{method: "GET", path: all + "/:id", access: read, handler: s.getFeedback},
		{method: "PATCH", path: all + "/:id", access: write, handler: s.updateFeedback},
		{method: "DELETE", path: all + "/:id", access: write, handler: s.deleteFeedback},
		{method: "GET", path: compat + "/statistics", access: wide("feedbacks:read"), handler: s.feedbackStatistics},
		{method: "PATCH", path: compat + "/:id", access: write.from(pathRecord), handler: s.updateFeedback},
		{method: "DELETE", path: compat + "/:id", access: write.from(pathRecord), handler: s.deleteFeedback},
		{method: "GET", path: v1 + "/admin/projects/:k/stats/feedbacks", access: read, handler: s.feedbackRatings},
	}
}

// feedbackStatuses are the words for the states, in their order.
var feedbackStatuses = []string{"open", "in_progress", "resolved", "closed"}

type feedbackView struct {
	ID              string             `json:"id"`
	UserID          *string            `json:"user_id"`
	Rating          *int               `json:"rating"`
	Content         string             `json:"content"`
	Contact         *string            `json:"contact"`
	IsHidden        bool               `json:"is_hidden"`
	Status          string             `json:"status"`
	Result          *string            `json:"result"`
	Platform        *platform.Platform `json:"platform"`
	PlatformVersion *string            `json:"platform_version"`
	CustomData      json.RawMessage    `json:"custom_data"`
	Forwarded       bool               `json:"forwarded_to_codehost"`
	IssueNumber     *int64             `json:"codehost_issue_number"`
	IssueURL        *string            `json:"codehost_issue_url"`
	senderView
	CreatedAt int64 `json:"created_at"`
}

func viewFeedback(f *store.Feedback) feedbackView {
	return feedbackView{
		ID: f.ID.String(), UserID: f.UserID, Rating: f.Rating, Content: f.Content, Contact: f.Contact,
		IsHidden: f.Hidden, Status: feedbackStatuses[f.Status], Result: f.Result,
		Platform: f.Platform, PlatformVersion: f.PlatformVersion, CustomData: f.CustomData,
		senderView: senderView(f.Sender), CreatedAt: store.CreatedAt(f.ID),
	}
}

// feedbackOptions says whether feedback can become an issue at the code host,
// which this program cannot do yet.
func (s *Server) feedbackOptions(w http.ResponseWriter, r *request) error {
	p, err := s.db.FindProject(r.param("k"))
	if err != nil {
		return err
	}
	return respond(w, http.StatusOK, struct {
		ProjectKey      string `json:"project_key"`
		Available       bool   `json:"codehost_forward_available"`
		ContactRequired bool   `json:"contact_required_for_forward"`
	}{p.Key, false, false})
}

type feedbackInput struct {
	UserID          Optional[string]  `json:"user_id"`
	Rating          Optional[integer] `json:"rating"`
	Content         Optional[string]  `json:"content"`
	Contact         Optional[string]  `json:"contact"`
	IsHidden        Optional[bool]    `json:"is_hidden"`
	Status          Optional[string]  `json:"status"`
	Result          Optional[string]  `json:"result"`
	Platform        Optional[string]  `json:"platform"`
	PlatformVersion Optional[string]  `json:"platform_version"`
	CustomData      Optional[object]  `json:"custom_data"`
	Forward         Optional[bool]    `json:"forward_to_codehost"`
}

// feedbackChange is a checked feedbackInput.
type feedbackChange struct {
	in       feedbackInput
	platform *platform.Platform
	status   int // -1 = keep
}

// check checks the fields that clients and administrators may send; what only
// one of them may is checked where that is known.
func (in feedbackInput) check(p *problems) feedbackChange {
	c := feedbackChange{in: in, status: -1}
	p.text("user_id", in.UserID, textRule{max: 64})
	p.number("rating", in.Rating, 1, 5, false)
	p.text("content", in.Content, textRule{max: 4096, required: true})
	p.text("contact", in.Contact, textRule{max: 128})
	c.platform = p.platform(in.Platform)
	p.text("platform_version", in.PlatformVersion, textRule{max: 32})
	p.object("custom_data", in.CustomData)
	return c
}

func (in feedbackInput) checkByAdmin(update bool) (feedbackChange, error) {
	p := problems{update: update}
	c := in.check(&p)
	p.flag("is_hidden", in.IsHidden)
	p.text("status", in.Status, textRule{fixed: true})
	if in.Status.Value != nil {
		if c.status = slices.Index(feedbackStatuses, *in.Status.Value); c.status < 0 {
			p.add("status must be one of open, in_progress, resolved, closed")
		}
	}
	p.text("result", in.Result, textRule{max: 4096})
	return c, p.err()
}

// apply changes the fields that were sent.
func (c feedbackChange) apply(f *store.Feedback) {
	in := c.in
	clearable(&f.UserID, in.UserID)
	if in.Rating.Sent {
		f.Rating = nil
		if in.Rating.Value != nil {
			stars := int(*in.Rating.Value)
			f.Rating = &stars
		}
	}
	keep(&f.Content, in.Content)
	clearable(&f.Contact, in.Contact)
	keep(&f.Hidden, in.IsHidden)
	if c.status >= 0 {
		f.Status = store.FeedbackStatus(c.status)
	}
	clearable(&f.Result, in.Result)
	if in.Platform.Sent {
		f.Platform = c.platform
	}
	clearable(&f.PlatformVersion, in.PlatformVersion)
	if in.CustomData.Sent {
		f.CustomData = json.RawMessage(in.CustomData.or(nil))
	}
}

// submitFeedback takes feedback from a client.
func (s *Server) submitFeedback(w http.ResponseWriter, r *request) error {
	var in feedbackInput
	if err := decode(r, &in); err != nil {
		return err
	}
	var p problems
	in.IsHidden, in.Status, in.Result = Optional[bool]{}, Optional[string]{}, Optional[string]{}
	change := in.check(&p)
	p.flag("forward_to_codehost", in.Forward)
	if err := p.err(); err != nil {
		return err
	}
	project, err := s.db.FindProject(r.param("k"))
	if err != nil {
		return err
	}
	if in.Forward.or(false) {
		return fault.New(fault.Invalid, "this project does not forward feedback to a code host; send it without forward_to_codehost")
	}
	f := &store.Feedback{}
	change.apply(f)
	f.Platform, f.PlatformVersion = feedbackOrigin(r, origin.Source{Platform: bodyText(in.Platform), Version: bodyText(in.PlatformVersion)})
	f.Sender = s.sender(r)
	key, compare := fingerprint(r, project.ID, "feedback", f.UserID, f.Rating, f.Content, f.Contact, false, sorted(in.CustomData))
	f, err = submit(s, key, compare,
		func(tx *store.Tx, id store.ID) (*store.Feedback, error) { return tx.Feedback(project.ID, id) },
		func(tx *store.Tx) (*store.Feedback, store.ID, error) {
			err := tx.AddFeedback(project.ID, f)
			return f, f.ID, err
		})
	if err != nil {
		return err
	}
	return respond(w, http.StatusCreated, viewFeedback(f))
}

func (s *Server) createFeedback(w http.ResponseWriter, r *request) error {
	var in feedbackInput
	if err := decode(r, &in); err != nil {
		return err
	}
	change, err := in.checkByAdmin(false)
	if err != nil {
		return err
	}
	f := &store.Feedback{}
	change.apply(f)
	err = s.db.Update(func(tx *store.Tx) error {
		project, err := r.project(tx)
		if err != nil {
			return err
		}
		return tx.AddFeedback(project.ID, f)
	})
	if err != nil {
		return err
	}
	return respond(w, http.StatusCreated, viewFeedback(f))
}

// addressedFeedback reads the feedback in the path and its project, on the
// paths with a project as well as on those with the id alone.
func (s *Server) addressedFeedback(r *request, tx *store.Tx) (*store.Project, *store.Feedback, error) {
	id, ok := store.ParseID(r.param("id"))
	errNone := fault.New(fault.NotFound, "feedback not found")
	if r.param("k") == "" {
		if !ok {
			return nil, nil, errNone
		}
		p, f, err := tx.OwnedFeedback(id)
		if err != nil {
			return nil, nil, err
		}
		_, err = r.reached(p, nil)
		return p, f, err
	}
	p, err := r.project(tx)
	if err != nil {
		return nil, nil, err
	}
	if !ok {
		return nil, nil, errNone
	}
	f, err := tx.Feedback(p.ID, id)
	return p, f, err
}

func (s *Server) getFeedback(w http.ResponseWriter, r *request) error {
	var f *store.Feedback
	err := s.db.View(func(tx *store.Tx) (err error) {
		_, f, err = s.addressedFeedback(r, tx)
		return err
	})
	if err != nil {
		return err
	}
	return respond(w, http.StatusOK, viewFeedback(f))
}

func (s *Server) updateFeedback(w http.ResponseWriter, r *request) error {
	var in feedbackInput
	if err := decode(r, &in); err != nil {
		return err
	}
	change, err := in.checkByAdmin(true)
	if err != nil {
		return err
	}
	var f *store.Feedback
	err = s.db.Update(func(tx *store.Tx) error {
		p, stored, err := s.addressedFeedback(r, tx)
		if err != nil {
			return err
		}
		f = stored
		change.apply(f)
		return tx.PutFeedback(p.ID, f)
	})
	if err != nil {
		return err
	}
	return respond(w, http.StatusOK, viewFeedback(f))
}

func (s *Server) deleteFeedback(w http.ResponseWriter, r *request) error {
	err := s.db.Update(func(tx *store.Tx) error {
		p, f, err := s.addressedFeedback(r, tx)
		if err != nil {
			return err
		}
		return tx.DeleteFeedback(p.ID, f)
	})
	if err != nil {
		return err
	}
	return respondDeleted(w)
}

func (s *Server) listFeedback(w http.ResponseWriter, r *request) error {
	var p problems
	page, find := p.page(r), p.search(r)
	q := store.FeedbackSelection{Selection: p.selection(r, page), Rating: p.exact(r, "rating", 1, 5)}
	if text := r.query("status"); text != "" {
		at := slices.Index(feedbackStatuses, text)
		if at < 0 {
			p.add("status must be one of open, in_progress, resolved, closed")
		}
		status := store.FeedbackStatus(max(at, 0))
		q.Status = &status
	}
	if err := p.err(); err != nil {
		return err
	}
	project, err := r.reached(s.db.FindProject(r.param("k")))
	if err != nil {
		return err
	}
	list, found, err := listed(s, r, store.KindFeedback, project.ID, find, func(tx *store.Tx, f *store.Find) ([]*store.Feedback, store.Found, error) {
		q.Find = f
		return tx.ListFeedback(project.ID, q)
	})
	if err != nil {
		return err
	}
	views := []feedbackView{}
	for _, f := range list {
		views = append(views, viewFeedback(f))
	}
	return respond(w, http.StatusOK, pageView{Total: found.Total, Estimate: found.Estimate, Data: views})
}

func (s *Server) feedbackStatistics(w http.ResponseWriter, _ *request) error {
	var st store.FeedbackStatistics
	err := s.db.View(func(tx *store.Tx) (err error) {
		st, err = tx.FeedbackStatistics()
		return err
	})
	if err != nil {
		return err
	}
	return respond(w, http.StatusOK, struct {
		Count     int64    `json:"count"`
		RateCount int64    `json:"rate_count"`
		RateAvg   *float64 `json:"rate_avg"`
	}{st.Count, st.Rated, mean(st.Ratings, st.Rated)})
}

// mean is nil for nothing.
func mean(sum, n int64) *float64 {
	if n == 0 {
		return nil
	}
	m := float64(sum) / float64(n)
	return &m
}

// ratingView is the number of feedback with one rating.
type ratingView struct {
	Rating int `json:"rating"`
	Count  int `json:"count"`
}

func (s *Server) feedbackRatings(w http.ResponseWriter, r *request) error {
	var p problems
	span := p.span(r, s.now())
	if err := p.err(); err != nil {
		return err
	}
	project, err := r.reached(s.db.FindProject(r.param("k")))
	if err != nil {
		return err
	}
	var ratings [6]int
	err = s.db.View(func(tx *store.Tx) (err error) {
		ratings, err = tx.FeedbackRatings(project.ID, span.start, span.end)
		return err
	})
	if err != nil {
		return err
	}
	total, sum, views := ratings[0], 0, []ratingView{}
	for rating, n := range ratings[1:] {
		total += n
		sum += n * (rating + 1)
		views = append(views, ratingView{rating + 1, n})
	}
	return respond(w, http.StatusOK, struct {
		StartTime     int64        `json:"start_time"`
		EndTime       int64        `json:"end_time"`
		Total         int          `json:"total"`
		Unrated       int          `json:"unrated"`
		AverageRating *float64     `json:"average_rating"`
		ByRating      []ratingView `json:"by_rating"`
	}{span.start, span.end, total, ratings[0], mean(int64(sum), int64(total-ratings[0])), views})
}
