package resource

import (
	"encoding/json"

	"svc/api/web"
	"svc/internal/fault"
	"svc/store"
)

// maxBulk is the maximum number of records that one request changes.
const maxBulk = 100

// bulkInput is the body of a request that changes several records of a project in the same way.
type bulkInput struct {
	IDs    web.Optional[[]json.RawMessage] `json:"ids"`
	Hidden web.Optional[bool]              `json:"hidden"`
	Status web.Optional[string]            `json:"status"` // for feedback only
}

// bulkChange is a checked bulkInput.
type bulkChange struct {
	ids    []string
	hidden *bool
	status *store.FeedbackStatus
}

// updatedView holds the number of records in the request, including those that already had the
// requested values.
type updatedView struct {
	Updated int `json:"updated"`
}

// ids returns the ids in a list after checking it. A text that cannot be an id is not reported as a
// problem, because the lookup of the record will fail anyway. Two spellings of an id count as the
// same id.
func (p *problems) ids(o web.Optional[[]json.RawMessage]) (ids []string) {
	list := o.Or(nil)
	if o.Wrong || len(list) == 0 || len(list) > maxBulk {
		p.Add("ids must be a list of 1 to %d ids", maxBulk)
		return nil
	}
	seen := map[string]bool{}
	for i, raw := range list {
		var text string
		if err := json.Unmarshal(raw, &text); err != nil || string(raw) == "null" {
			p.Add("ids[%d] must be a string", i)
			continue
		}
		key := text
		if id, ok := store.ParseID(text); ok {
			key = id.String()
		}
		if seen[key] {
			p.Add("ids[%d] occurs twice", i)
		}
		seen[key] = true
		ids = append(ids, text)
	}
	return ids
}

// parsed converts the ids from text. If a text cannot be an id, the error states that there is no
// such record. name is the name of the record's kind.
func (c bulkChange) parsed(name string) ([]store.ID, error) {
	ids := make([]store.ID, len(c.ids))
	for i, text := range c.ids {
		var ok bool
		if ids[i], ok = store.ParseID(text); !ok {
			return nil, fault.New(fault.NotFound, "%s %s not found", name, web.Quote(text))
		}
	}
	return ids, nil
}

func (in bulkInput) checkFeedback(how write) (bulkChange, error) {
	p := checking(how)
	c := bulkChange{ids: p.ids(in.IDs), hidden: in.Hidden.Value}
	p.Flag("hidden", in.Hidden)
	c.status = p.feedbackStatus(in.Status)
	if !in.Hidden.Sent && !in.Status.Sent {
		p.Add("status or hidden is required")
	}
	return c, p.Err()
}

func (in bulkInput) checkLogs(how write) (bulkChange, error) {
	p := checking(how)
	c := bulkChange{ids: p.ids(in.IDs), hidden: in.Hidden.Value}
	p.Flag("hidden", in.Hidden)
	if !in.Hidden.Sent {
		p.Add("hidden is required")
	}
	return c, p.Err()
}

// updateFeedbacks sets the status and the visibility of several feedback records.
func (h *Handlers) updateFeedbacks(r *web.Request) (updatedView, error) {
	return h.bulk(r, "feedback", bulkInput.checkFeedback, func(tx *store.Tx, p *store.Project, ids []store.ID, c bulkChange) error {
		return tx.MarkFeedback(p.ID, ids, c.status, c.hidden)
	})
}

// updateLogs sets the visibility of several logs.
func (h *Handlers) updateLogs(r *web.Request) (updatedView, error) {
	return h.bulk(r, "log", bulkInput.checkLogs, func(tx *store.Tx, p *store.Project, ids []store.ID, c bulkChange) error {
		return tx.HideLogs(p.ID, ids, *c.hidden)
	})
}

// bulk changes records in one transaction. If one of them is missing, nothing changes.
func (h *Handlers) bulk(
	r *web.Request, name string, check func(bulkInput, write) (bulkChange, error),
	change func(*store.Tx, *store.Project, []store.ID, bulkChange) error,
) (v updatedView, err error) {
	c, err := web.Check(r, check, updates)
	if err != nil {
		return v, err
	}
	err = r.Update(h.DB, func(tx *store.Tx, p *store.Project) error {
		ids, err := c.parsed(name)
		if err != nil {
			return err
		}
		v.Updated = len(ids)
		return change(tx, p, ids, c)
	})
	return v, err
}
