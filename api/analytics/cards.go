package analytics

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"svc/api/web"
	"svc/internal/fault"
	"svc/store"
)

// cardView is a question that people keep on their dashboard.
type cardView struct {
	ID          string          `json:"card_id"`
	ProjectKey  string          `json:"project_key"`
	Title       string          `json:"title"`
	Description *string         `json:"description"`
	Query       json.RawMessage `json:"query"`
	Layout      json.RawMessage `json:"layout"`
	SortOrder   int64           `json:"sort_order"`
	CreatedTime int64           `json:"created_time"`
	UpdatedTime int64           `json:"updated_time"`
}

// ViewCard shows a card of a project.
func ViewCard(p *store.Project, c *store.Card) cardView {
	return cardView{c.ID.String(), p.Key, c.Title, c.Description, c.Query, c.Layout, c.SortOrder, store.CreatedAt(c.ID), c.UpdatedAt}
}

type cardInput struct {
	Title       web.Optional[string]      `json:"title"`
	Description web.Optional[string]      `json:"description"`
	Query       web.Optional[web.Object]  `json:"query"`
	Layout      web.Optional[web.Object]  `json:"layout"`
	SortOrder   web.Optional[web.Integer] `json:"sort_order"`
}

// check holds the query to the rules of the metric query, so that whatever is
// stored can be asked.
func (in cardInput) check(update bool, now time.Time) error {
	p := problems{web.Problems{Update: update}}
	p.Text("title", in.Title, web.TextRule{Min: 1, Max: 128, Required: true})
	p.Text("description", in.Description, web.TextRule{Max: 512})
	if p.Present("query", in.Query.Sent, in.Query.Null(), true, false) {
		p.Object("query", in.Query)
	}
	if in.Query.Value != nil {
		var q problems
		q.metric(json.RawMessage(*in.Query.Value), now)
		for _, broken := range q.List {
			p.Add("query.%s", broken)
		}
	}
	p.Object("layout", in.Layout)
	p.Number("sort_order", in.SortOrder, 0, web.MaxTime, true)
	return p.Err()
}

// apply changes the fields that were sent.
func (in cardInput) apply(c *store.Card) {
	web.Set(&c.Title, in.Title)
	web.SetOrClear(&c.Description, in.Description)
	if in.Query.Value != nil {
		c.Query = json.RawMessage(*in.Query.Value)
	}
	if in.Layout.Sent {
		c.Layout = json.RawMessage(in.Layout.Or(nil))
	}
	c.SortOrder = int64(in.SortOrder.Or(web.Integer(c.SortOrder)))
}

func (h *Handlers) listCards(w http.ResponseWriter, r *web.Request) error {
	views := []cardView{}
	err := h.DB.View(func(tx *store.Tx) error {
		p, err := r.Project(tx)
		if err != nil {
			return err
		}
		cards, err := tx.Cards(p.ID)
		for _, c := range cards {
			views = append(views, ViewCard(p, c))
		}
		return err
	})
	if err != nil {
		return err
	}
	return web.Respond(w, http.StatusOK, web.PageView{Total: len(views), Data: views})
}

func (h *Handlers) createCard(w http.ResponseWriter, r *web.Request) error {
	var in cardInput
	if err := web.Decode(r, &in); err != nil {
		return err
	}
	if err := in.check(false, h.Now()); err != nil {
		return err
	}
	return h.putCard(w, r, http.StatusCreated, func(*store.Tx, store.ProjectID) (*store.Card, error) {
		c := &store.Card{}
		in.apply(c)
		return c, nil
	})
}

func (h *Handlers) updateCard(w http.ResponseWriter, r *web.Request) error {
	var in cardInput
	if err := web.Decode(r, &in); err != nil {
		return err
	}
	if err := in.check(true, h.Now()); err != nil {
		return err
	}
	return h.putCard(w, r, http.StatusOK, func(tx *store.Tx, p store.ProjectID) (*store.Card, error) {
		c, err := addressedCard(r, tx, p)
		if err == nil {
			in.apply(c)
		}
		return c, err
	})
}

// putCard stores what make makes and answers with it.
func (h *Handlers) putCard(w http.ResponseWriter, r *web.Request, status int, make func(*store.Tx, store.ProjectID) (*store.Card, error)) error {
	var view cardView
	err := r.Update(h.DB, func(tx *store.Tx, p *store.Project) error {
		c, err := make(tx, p.ID)
		if err != nil {
			return err
		}
		if err := tx.PutCard(p.ID, c); err != nil {
			return err
		}
		view = ViewCard(p, c)
		return nil
	})
	if err != nil {
		return err
	}
	return web.Respond(w, status, view)
}

// addressedCard reads the card in the path.
func addressedCard(r *web.Request, tx *store.Tx, p store.ProjectID) (*store.Card, error) {
	id, ok := store.ParseID(r.Param("id"))
	if !ok {
		return nil, fault.New(fault.NotFound, "card not found")
	}
	return tx.Card(p, id)
}

func (h *Handlers) deleteCard(w http.ResponseWriter, r *web.Request) error {
	err := r.Update(h.DB, func(tx *store.Tx, p *store.Project) error {
		c, err := addressedCard(r, tx, p.ID)
		if err != nil {
			return err
		}
		return tx.DeleteCard(p.ID, c)
	})
	if err != nil {
		return err
	}
	return web.RespondDeleted(w)
}

// ReadCard reads a card of an archive.
func ReadCard(raw json.RawMessage, now time.Time) (_ *store.Card, created int64, err error) {
	var in cardInput
	var names struct {
		ID      web.Optional[string]      `json:"card_id"`
		Created web.Optional[web.Integer] `json:"created_time"`
		Updated web.Optional[web.Integer] `json:"updated_time"`
	}
	web.Fill(&in, raw)
	web.Fill(&names, raw)
	var p problems
	rec := p.Record(web.RecordInput{ID: names.ID, CreatedAt: names.Created, UpdatedAt: names.Updated}, now.Unix())
	for i, text := range p.List { // a card has names of its own for these
		p.List[i] = strings.NewReplacer("created_at", "created_time", "updated_at", "updated_time", "id ", "card_id ", "in id,", "in card_id,").Replace(text)
	}
	if err := web.JoinValidation(in.check(false, now), p.Err()); err != nil {
		return nil, 0, err
	}
	c := &store.Card{ID: rec.ID, UpdatedAt: rec.Updated}
	in.apply(c)
	return c, rec.Created, nil
}
