package resource

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/forward"
	"svc/internal/platform"
	"svc/internal/seal"
	"svc/store"
)

func (h *Handlers) feedbackRoutes() []web.Route {
	const all = web.V1 + "/admin/projects/:k/feedbacks"
	const compat = web.V1 + "/admin/feedbacks"
	read, write := web.ByScope("feedbacks:read"), web.ByScope("feedbacks:write")
	feedback := kind[store.Feedback]{"feedback", (*store.Tx).Feedback, (*store.Tx).OwnedFeedback, (*store.Tx).DeleteFeedback}
	view := func(_ *store.Project, f *store.Feedback) feedbackView { return ViewFeedback(f) }
	update, remove := updateRecord(h, feedback, feedbackInput.checkByAdmin, view), deleteRecord(h, feedback)
	return []web.Route{
		{Method: "GET", Path: web.V1 + "/feedbacks/_status", Access: web.Anyone(), Handler: web.ModuleStatus("feedbacks")},
		{Method: "GET", Path: web.V1 + "/public/:k/feedbacks/options", Access: web.Anyone(), Handler: web.OK(h.feedbackOptions)},
		{
			Method: "POST", Path: web.V1 + "/public/:k/feedbacks", Access: web.Anyone(), Handler: h.submitFeedback, Submits: true,
			Counts: "FEEDBACK_SUBMIT", Rate: web.PublicRate,
		},
		{Method: "GET", Path: web.V1 + "/public/:k/feedbacks/:id/reply", Access: web.Anyone(), Handler: web.OK(h.feedbackReply)},
		{Method: "GET", Path: all, Access: read, Handler: web.Listed(h.listFeedback)},
		{Method: "POST", Path: all, Access: write, Handler: h.withinQuota(createRecord(h, feedbackInput.checkByAdmin, view))},
		{Method: "GET", Path: all + "/timeseries", Access: read, Handler: web.OK(h.feedbackSeries)},
		{Method: "PATCH", Path: all, Access: write, Handler: web.OK(h.updateFeedbacks)},
		{Method: "GET", Path: all + "/:id", Access: read, Handler: getRecord(h, feedback, view)},
		{Method: "PATCH", Path: all + "/:id", Access: write, Handler: update},
		{Method: "DELETE", Path: all + "/:id", Access: write, Handler: remove},
		{Method: "POST", Path: all + "/:id/forward", Access: write, Handler: web.OK(h.forwardStored(feedback))},
		{Method: "GET", Path: compat + "/statistics", Access: web.AcrossProjects("feedbacks:read"), Handler: web.OK(h.feedbackStatistics)},
		{Method: "PATCH", Path: compat + "/:id", Access: write.From(web.PathRecord), Handler: update},
		{Method: "DELETE", Path: compat + "/:id", Access: write.From(web.PathRecord), Handler: remove},
		{Method: "GET", Path: web.V1 + "/admin/projects/:k/stats/feedbacks", Access: read, Handler: web.OK(h.feedbackRatings)},
	}
}

// feedbackStatuses holds the API names of the statuses, indexed by store.FeedbackStatus.
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
	Reply           *string            `json:"reply"`
	RepliedAt       *int64             `json:"replied_at"`
	Platform        *platform.Platform `json:"platform"`
	PlatformVersion *string            `json:"platform_version"`
	CustomData      json.RawMessage    `json:"custom_data"`
	Forwarded       bool               `json:"forwarded_to_codehost"`
	IssueNumber     *int64             `json:"codehost_issue_number"`
	IssueURL        *string            `json:"codehost_issue_url"`
	senderView
	CreatedAt  int64  `json:"created_at"`
	ReplyToken string `json:"reply_token,omitempty"` // set only in the response to the sender
}

// ViewFeedback returns the view for administrators.
func ViewFeedback(f *store.Feedback) feedbackView {
	return feedbackView{
		ID: f.ID.String(), UserID: f.UserID, Rating: f.Rating, Content: f.Content, Contact: f.Contact,
		IsHidden: f.Hidden, Status: feedbackStatuses[f.Status], Result: f.Result, Reply: f.Reply, RepliedAt: f.RepliedAt,
		Platform: f.Platform, PlatformVersion: f.PlatformVersion, CustomData: f.CustomData,
		Forwarded: f.Forwarded, IssueNumber: f.IssueNumber, IssueURL: f.IssueURL,
		senderView: senderView(f.Sender), CreatedAt: store.CreatedAt(f.ID),
	}
}

type feedbackOptionsView struct {
	ProjectKey      string `json:"project_key"`
	Available       bool   `json:"codehost_forward_available"`
	ContactRequired bool   `json:"contact_required_for_forward"`
}

// feedbackOptions reports whether feedback to the project in the path can be forwarded to the code
// host as an issue.
func (h *Handlers) feedbackOptions(r *web.Request) (v feedbackOptionsView, err error) {
	p, err := h.DB.FindProject(r.Param("k"))
	if err != nil {
		return v, err
	}
	available, err := h.Forward.Available(p.ID)
	return feedbackOptionsView{p.Key, available, available}, err
}

type feedbackInput struct {
	UserID          web.Optional[string]      `json:"user_id"`
	Rating          web.Optional[web.Integer] `json:"rating"`
	Content         web.Optional[string]      `json:"content"`
	Contact         web.Optional[string]      `json:"contact"`
	IsHidden        web.Optional[bool]        `json:"is_hidden"`
	Status          web.Optional[string]      `json:"status"`
	Result          web.Optional[string]      `json:"result"`
	Reply           web.Optional[string]      `json:"reply"`
	Platform        web.Optional[string]      `json:"platform"`
	PlatformVersion web.Optional[string]      `json:"platform_version"`
	CustomData      web.Optional[web.Object]  `json:"custom_data"`
	Forward         web.Optional[bool]        `json:"forward_to_codehost"`
}

// feedbackChange is a checked feedbackInput.
type feedbackChange struct {
	in       feedbackInput
	platform *platform.Platform
	status   *store.FeedbackStatus // nil = unchanged
}

// check checks the fields that both clients and administrators may send. The callers check the
// other fields.
func (in feedbackInput) check(p *problems) feedbackChange {
	c := feedbackChange{in: in}
	p.Text("user_id", in.UserID, web.TextRule{Max: 64})
	p.Number("rating", in.Rating, 1, 5, false)
	p.Text("content", in.Content, web.TextRule{Max: 4096, Required: true})
	p.Text("contact", in.Contact, web.TextRule{Max: 128})
	c.platform = p.Platform(in.Platform)
	p.Text("platform_version", in.PlatformVersion, web.TextRule{Max: 32})
	p.Object("custom_data", in.CustomData)
	return c
}

// feedbackStatus validates a status and returns it. It returns nil if there is no valid status.
func (p *problems) feedbackStatus(o web.Optional[string]) *store.FeedbackStatus {
	p.Text("status", o, web.TextRule{Fixed: true})
	if o.Value == nil {
		return nil
	}
	at := slices.Index(feedbackStatuses, *o.Value)
	if at < 0 {
		p.Add("status must be one of %s", strings.Join(feedbackStatuses, ", "))
		return nil
	}
	return new(store.FeedbackStatus(at))
}

func (in feedbackInput) checkByAdmin(how write) (feedbackChange, error) {
	p := checking(how)
	c := in.check(&p)
	p.Flag("is_hidden", in.IsHidden)
	c.status = p.feedbackStatus(in.Status)
	p.Text("result", in.Result, web.TextRule{Max: 4096})
	p.Text("reply", in.Reply, web.TextRule{Max: 4096})
	return c, p.Err()
}

// apply sets those fields of the feedback that are present in the request. The parameter now
// becomes the time of a new reply, in Unix seconds.
func (c feedbackChange) apply(f *store.Feedback, now int64) {
	in := c.in
	web.SetOrClear(&f.UserID, in.UserID)
	setInt(&f.Rating, in.Rating)
	web.Set(&f.Content, in.Content)
	web.SetOrClear(&f.Contact, in.Contact)
	web.Set(&f.Hidden, in.IsHidden)
	if c.status != nil {
		f.Status = *c.status
	}
	web.SetOrClear(&f.Result, in.Result)
	if in.Reply.Sent {
		f.SetReply(web.OrNil(in.Reply.Value), now)
	}
	web.SetIfSent(&f.Platform, in.Platform, c.platform)
	web.SetOrClear(&f.PlatformVersion, in.PlatformVersion)
	web.SetIfSent(&f.CustomData, in.CustomData, json.RawMessage(in.CustomData.Or(nil)))
}

// create stores feedback that an administrator has entered.
func (c feedbackChange) create(tx *store.Tx, p *store.Project, _ string) (*store.Feedback, error) {
	f := &store.Feedback{}
	c.apply(f, tx.Now().Unix())
	return f, tx.AddFeedback(p.ID, f)
}

func (c feedbackChange) update(tx *store.Tx, p *store.Project, f *store.Feedback) error {
	c.apply(f, tx.Now().Unix())
	return tx.PutFeedback(p.ID, f)
}

// submitFeedback stores feedback from a client, and forwards it to the code host if the client asks
// for that.
func (h *Handlers) submitFeedback(w http.ResponseWriter, r *web.Request) error {
	var in feedbackInput
	if err := h.decodeSubmission(r, &in, "custom_data"); err != nil {
		return err
	}
	var p problems
	in.IsHidden, in.Status, in.Result, in.Reply = web.Optional[bool]{}, web.Optional[string]{}, web.Optional[string]{}, web.Optional[string]{}
	change := in.check(&p)
	p.Flag("forward_to_codehost", in.Forward)
	if err := p.Err(); err != nil {
		return err
	}
	project, err := h.DB.FindProject(r.Param("k"))
	if err != nil {
		return err
	}
	if err := h.checkQuota(project); err != nil {
		return err
	}
	f := &store.Feedback{}
	change.apply(f, 0)
	r.Declare(declaration(in.Platform, in.PlatformVersion))
	f.Platform, f.PlatformVersion = viewOrigin(r.Client().FeedbackSystem())
	f.Sender = sender(r)
	if in.Forward.Or(false) {
		f, err = h.forward(r, project, f, sorted(in.CustomData))
	} else {
		f, err = h.storeFeedback(r, project, f, sorted(in.CustomData))
	}
	if err != nil {
		return err
	}
	view := ViewFeedback(f)
	view.ReplyToken = h.Keys.Token(seal.FeedbackReply, f.ID[:])
	return web.Respond(w, http.StatusCreated, view)
}

type feedbackReplyView struct {
	ID        string  `json:"id"`
	Status    string  `json:"status"`
	Reply     *string `json:"reply"`
	RepliedAt *int64  `json:"replied_at"`
}

// feedbackReply responds with the reply to the feedback in the path. The request needs the token
// from the response to the submission. All refusals are identical, so that they reveal nothing
// about other senders' feedback. The reply stays readable after the feedback has been hidden.
func (h *Handlers) feedbackReply(r *web.Request) (v feedbackReplyView, err error) {
	project, err := h.DB.FindProject(r.Param("k"))
	if err != nil {
		return v, err
	}
	id, ok := store.ParseID(r.Param("id"))
	token := r.Header["X-Reply-Token"]
	if !ok || len(token) != 1 || !h.Keys.Grants(seal.FeedbackReply, token[0], id[:]) {
		return v, fault.New(fault.NotFound, "feedback not found")
	}
	f, err := store.Read(h.DB, func(tx *store.Tx) (*store.Feedback, error) { return tx.Feedback(project.ID, id) })
	if err != nil {
		return v, err
	}
	return feedbackReplyView{f.ID.String(), feedbackStatuses[f.Status], f.Reply, f.RepliedAt}, nil
}

// forward creates an issue from feedback and returns the stored feedback.
func (h *Handlers) forward(r *web.Request, p *store.Project, f *store.Feedback, custom any) (*store.Feedback, error) {
	key, compare := fingerprint(r, p.ID, "forwarded feedback", f.UserID, f.Rating, f.Content, f.Contact, custom)
	defer web.NoWriteDeadline(r.Writer)()
	if !compare {
		return h.Forward.Submit(r.Context(), callerOf(r), p, f, nil)
	}
	return h.Forward.Submit(r.Context(), callerOf(r), p, f, &key)
}

// callerOf returns the caller of a request in the form that package forward uses for its limits and
// logs.
func callerOf(r *web.Request) forward.Caller { return forward.Caller{Addr: r.Addr, RequestID: r.ID} }

// forwardStored returns a handler that creates an issue from the feedback in the path.
func (h *Handlers) forwardStored(of kind[store.Feedback]) func(*web.Request) (feedbackView, error) {
	return func(r *web.Request) (v feedbackView, err error) {
		var p *store.Project
		var f *store.Feedback
		err = h.DB.View(func(tx *store.Tx) (err error) {
			p, f, err = of.addressed(r, tx)
			return err
		})
		if err != nil {
			return v, err
		}
		defer web.NoWriteDeadline(r.Writer)()
		if f, err = h.Forward.Stored(r.Context(), callerOf(r), p, f.ID); err != nil {
			return v, err
		}
		return ViewFeedback(f), r.Tag(f)
	}
}

// storeFeedback stores feedback. If the client has already sent the same feedback, storeFeedback
// returns the stored record.
func (h *Handlers) storeFeedback(r *web.Request, p *store.Project, f *store.Feedback, custom any) (*store.Feedback, error) {
	key, compare := fingerprint(r, p.ID, "feedback", f.UserID, f.Rating, f.Content, f.Contact, custom)
	encoded, err := f.Encode()
	if err != nil {
		return nil, err
	}
	return store.SubmitOnce(h.DB, key, compare,
		func(tx *store.Tx, id store.ID) (*store.Feedback, error) { return tx.Feedback(p.ID, id) },
		func(tx *store.Tx) (*store.Feedback, store.ID, error) {
			err := tx.ReceiveFeedback(p.ID, f, encoded)
			return f, f.ID, err
		})
}

func (h *Handlers) listFeedback(r *web.Request) (web.List, error) {
	var p problems
	page, find := p.Page(r), p.Search(r)
	q := p.feedbackSelection(r, page)
	switch sort := p.Sort(r, "created_at", "rating"); sort.By {
	case "created_at":
		q.Oldest = sort.Ascending
	case "rating":
		q.ByRating = direction(sort)
	}
	return listPage(h, r, &p, store.KindFeedback, find,
		func(tx *store.Tx, project store.ProjectID, f *store.Find) ([]*store.Feedback, store.Found, error) {
			q.Find = f
			return tx.ListFeedback(project, q)
		}, (*store.Tx).UnreadFeedback, ViewFeedback)
}

// feedbackSelection reads the filters of feedback.
func (p *problems) feedbackSelection(r *web.Request, page web.Page) store.FeedbackSelection {
	q := store.FeedbackSelection{Selection: p.selection(r, page), Rating: p.exact(r, "rating", 1, 5)}
	if text := r.Query("status"); text != "" {
		q.Status = p.feedbackStatus(web.Optional[string]{Sent: true, Value: &text})
	}
	return q
}

type feedbackStatisticsView struct {
	Count     int64    `json:"count"`
	RateCount int64    `json:"rate_count"`
	RateAvg   *float64 `json:"rate_avg"`
}

func (h *Handlers) feedbackStatistics(*web.Request) (feedbackStatisticsView, error) {
	st, err := store.Read(h.DB, (*store.Tx).FeedbackStatistics)
	return feedbackStatisticsView{st.Count, st.Rated, mean(st.Ratings, st.Rated)}, err
}

// mean returns sum divided by n, or nil if n is 0.
func mean(sum, n int64) *float64 {
	if n == 0 {
		return nil
	}
	return new(float64(sum) / float64(n))
}

type ratingsView struct {
	web.SpanView
	Total         int          `json:"total"`
	Unrated       int          `json:"unrated"`
	AverageRating *float64     `json:"average_rating"`
	ByRating      []ratingView `json:"by_rating"`
}

// ratingView holds the number of feedback records with one rating.
type ratingView struct {
	Rating int `json:"rating"`
	Count  int `json:"count"`
}

func (h *Handlers) feedbackRatings(r *web.Request) (v ratingsView, err error) {
	span, ratings, err := countOver(h, r, (*store.Tx).FeedbackRatings)
	if err != nil {
		return v, err
	}
	v = ratingsView{SpanView: span.View(), Total: ratings[0], Unrated: ratings[0]}
	sum := 0
	for i, n := range ratings[1:] {
		v.Total += n
		sum += n * (i + 1)
		v.ByRating = append(v.ByRating, ratingView{i + 1, n})
	}
	v.AverageRating = mean(int64(sum), int64(v.Total-v.Unrated))
	return v, nil
}
