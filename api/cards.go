package api

import (
	"encoding/json"
	"net/http"
	"time"

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

func viewCard(p *store.Project, c *store.Card) cardView {
	return cardView{c.ID.String(), p.Key, c.Title, c.Description, c.Query, c.Layout, c.SortOrder, store.CreatedAt(c.ID), c.UpdatedAt}
}

type cardInput struct {
	Title       Optional[string]  `json:"title"`
	Description Optional[string]  `json:"description"`
	Query       Optional[object]  `json:"query"`
	Layout      Optional[object]  `json:"layout"`
	SortOrder   Optional[integer] `json:"sort_order"`
}

// check holds the query to the rules of the metric query, so that whatever is
// stored can be asked.
func (in cardInput) check(update bool, now time.Time) error {
	p := problems{update: update}
	p.text("title", in.Title, textRule{max: 128, required: true, filled: true})
	p.text("description", in.Description, textRule{max: 512})
	if p.present("query", in.Query.Sent, in.Query.null(), true, false) {
		p.object("query", in.Query)
	}
	if in.Query.Value != nil {
		var q problems
		q.metric(json.RawMessage(*in.Query.Value), now)
		for _, broken := range q.list {
			p.add("query.%s", broken)
		}
	}
	p.object("layout", in.Layout)
	p.number("sort_order", in.SortOrder, 0, latest, true)
	return p.err()
}

// apply changes the fields that were sent.
func (in cardInput) apply(c *store.Card) {
	keep(&c.Title, in.Title)
	clearable(&c.Description, in.Description)
	if in.Query.Value != nil {
		c.Query = json.RawMessage(*in.Query.Value)
	}
	if in.Layout.Sent {
		c.Layout = json.RawMessage(in.Layout.or(nil))
	}
	c.SortOrder = int64(in.SortOrder.or(integer(c.SortOrder)))
}

func (s *Server) listCards(w http.ResponseWriter, r *request) error {
	views := []cardView{}
	err := s.db.View(func(tx *store.Tx) error {
		p, err := r.project(tx)
		if err != nil {
			return err
		}
		cards, err := tx.Cards(p.ID)
		for _, c := range cards {
			views = append(views, viewCard(p, c))
		}
		return err
	})
	if err != nil {
		return err
	}
	return respond(w, http.StatusOK, pageView{Total: len(views), Data: views})
}

func (s *Server) createCard(w http.ResponseWriter, r *request) error {
	var in cardInput
	if err := decode(r, &in); err != nil {
		return err
	}
	if err := in.check(false, s.now()); err != nil {
		return err
	}
	return s.putCard(w, r, http.StatusCreated, func(*store.Tx, store.ProjectID) (*store.Card, error) {
		c := &store.Card{}
		in.apply(c)
		return c, nil
	})
}

func (s *Server) updateCard(w http.ResponseWriter, r *request) error {
	var in cardInput
	if err := decode(r, &in); err != nil {
		return err
	}
	if err := in.check(true, s.now()); err != nil {
		return err
	}
	return s.putCard(w, r, http.StatusOK, func(tx *store.Tx, p store.ProjectID) (*store.Card, error) {
		c, err := addressedCard(r, tx, p)
		if err == nil {
			in.apply(c)
		}
		return c, err
	})
}

// putCard stores what make makes and answers with it.
func (s *Server) putCard(w http.ResponseWriter, r *request, status int, make func(*store.Tx, store.ProjectID) (*store.Card, error)) error {
	var view cardView
	err := s.db.Update(func(tx *store.Tx) error {
		p, err := r.project(tx)
		if err != nil {
			return err
		}
		c, err := make(tx, p.ID)
		if err != nil {
			return err
		}
		if err := tx.PutCard(p.ID, c); err != nil {
			return err
		}
		view = viewCard(p, c)
		return nil
	})
	if err != nil {
		return err
	}
	return respond(w, status, view)
}

// addressedCard reads the card in the path.
func addressedCard(r *request, tx *store.Tx, p store.ProjectID) (*store.Card, error) {
	id, ok := store.ParseID(r.param("id"))
	if !ok {
		return nil, fault.New(fault.NotFound, "card not found")
	}
	return tx.Card(p, id)
}

func (s *Server) deleteCard(w http.ResponseWriter, r *request) error {
	err := s.db.Update(func(tx *store.Tx) error {
		p, err := r.project(tx)
		if err != nil {
			return err
		}
		c, err := addressedCard(r, tx, p.ID)
		if err != nil {
			return err
		}
		return tx.DeleteCard(p.ID, c)
	})
	if err != nil {
		return err
	}
	return respondDeleted(w)
}
