package analytics

import (
	"encoding/json"
	"strings"
	"time"

	"svc/api/web"
	"svc/internal/fault"
	"svc/store"
)

// cardView is the JSON form of a saved query on a dashboard.
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

// ViewCard returns the JSON form of a card.
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

// check validates the fields in the request. The query must be a valid metric query, so that every
// stored card can be evaluated.
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

// apply sets the fields of c that are present in the request.
func (in cardInput) apply(c *store.Card) {
	web.Set(&c.Title, in.Title)
	web.SetOrClear(&c.Description, in.Description)
	if in.Query.Value != nil {
		c.Query = json.RawMessage(*in.Query.Value)
	}
	web.SetIfSent(&c.Layout, in.Layout, json.RawMessage(in.Layout.Or(nil)))
	c.SortOrder = int64(in.SortOrder.Or(web.Integer(c.SortOrder)))
}

func (h *Handlers) listCards(r *web.Request) (web.PageView, error) {
	views := []cardView{}
	err := r.View(h.DB, func(tx *store.Tx, p *store.Project) error {
		cards, err := tx.Cards(p.ID)
		for _, c := range cards {
			views = append(views, ViewCard(p, c))
		}
		return err
	})
	return web.PageView{Total: len(views), Data: views}, err
}

func (h *Handlers) getCard(r *web.Request) (v cardView, err error) {
	err = r.View(h.DB, func(tx *store.Tx, p *store.Project) error {
		c, err := addressedCard(r, tx, p.ID)
		if err != nil {
			return err
		}
		v = ViewCard(p, c)
		return r.Tag(c)
	})
	return v, err
}

func (h *Handlers) createCard(r *web.Request, in cardInput) (cardView, error) {
	return h.putCard(r, in, false, func(*web.Request, *store.Tx, store.ProjectID) (*store.Card, error) { return &store.Card{}, nil })
}

func (h *Handlers) updateCard(r *web.Request, in cardInput) (cardView, error) {
	return h.putCard(r, in, true, addressedCard)
}

// putCard sets the fields of a card that are present in the request body, and stores the card. The
// function find returns the card to change, which is empty if a card is created.
func (h *Handlers) putCard(
	r *web.Request, in cardInput, update bool, find func(*web.Request, *store.Tx, store.ProjectID) (*store.Card, error),
) (v cardView, err error) {
	if err := in.check(update, h.Now()); err != nil {
		return v, err
	}
	err = r.Update(h.DB, func(tx *store.Tx, p *store.Project) error {
		c, err := find(r, tx, p.ID)
		if err == nil && update {
			err = r.Match(c)
		}
		if err != nil {
			return err
		}
		in.apply(c)
		if err := tx.PutCard(p.ID, c); err != nil {
			return err
		}
		v = ViewCard(p, c)
		return r.Tag(c)
	})
	return v, err
}

// addressedCard reads the card that the path identifies.
func addressedCard(r *web.Request, tx *store.Tx, p store.ProjectID) (*store.Card, error) {
	id, ok := store.ParseID(r.Param("id"))
	if !ok {
		return nil, fault.New(fault.NotFound, "card not found")
	}
	return tx.Card(p, id)
}

func (h *Handlers) deleteCard(r *web.Request) error {
	return r.Update(h.DB, func(tx *store.Tx, p *store.Project) error {
		c, err := addressedCard(r, tx, p.ID)
		if err == nil {
			err = r.Match(c)
		}
		if err != nil {
			return err
		}
		return tx.DeleteCard(p.ID, c)
	})
}

// ReadCard parses a card in an archive. It returns the card and the Unix time at which the card was
// created.
func ReadCard(raw json.RawMessage, now int64) (_ *store.Card, created int64, err error) {
	var in struct {
		cardInput
		ID      web.Optional[string]      `json:"card_id"`
		Created web.Optional[web.Integer] `json:"created_time"`
		Updated web.Optional[web.Integer] `json:"updated_time"`
	}
	web.Fill(&in, raw)
	var p problems
	rec := p.Record(web.RecordInput{ID: in.ID, CreatedAt: in.Created, UpdatedAt: in.Updated}, now)
	for i, text := range p.List { // a card uses these field names, the query in it uses others
		p.List[i] = strings.NewReplacer("created_at", "created_time", "updated_at", "updated_time", "id ", "card_id ", "in id,",
			"in card_id,").Replace(text)
	}
	if err := web.JoinValidation(in.check(false, time.Unix(now, 0)), p.Err()); err != nil {
		return nil, 0, err
	}
	c := &store.Card{ID: rec.ID, UpdatedAt: rec.Updated}
	in.apply(c)
	return c, rec.Created, nil
}
