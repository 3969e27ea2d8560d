package hooks

import (
	"encoding/json"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/notify"
	"svc/store"
)

// deliveryView is the JSON form of a delivery.
type deliveryView struct {
	ID            string              `json:"id"`
	Event         string              `json:"event"`
	State         store.DeliveryState `json:"state"`
	Attempts      int                 `json:"attempts"`
	CreatedAt     int64               `json:"created_at"`
	NextAttemptAt *int64              `json:"next_attempt_at"`
	DeliveredAt   *int64              `json:"delivered_at"`
	LastStatus    *int                `json:"last_status"`
	LastError     *string             `json:"last_error"`
	Response      *string             `json:"response"`
}

func viewDelivery(d *store.HookDelivery) deliveryView {
	return deliveryView{
		ID: d.MessageID(), Event: d.Event, State: d.State, Attempts: d.Attempts, CreatedAt: d.CreatedAt(),
		NextAttemptAt: web.OrNull(d.NextAt / 1000), DeliveredAt: web.OrNull(d.DeliveredAt), LastStatus: d.LastStatus,
		LastError: web.OrNull(d.LastError), Response: d.Response,
	}
}

// deliveriesView is the JSON form of a page of deliveries.
type deliveriesView struct {
	Total int            `json:"total"`
	Data  []deliveryView `json:"data"`
}

func (h *Handlers) listDeliveries(r *web.Request) (view deliveriesView, err error) {
	var p web.Problems
	page := p.Page(r)
	states := make([]string, len(store.DeliveryStates))
	for i, s := range store.DeliveryStates {
		states[i] = string(s)
	}
	filter := store.DeliveryFilter{
		State: store.DeliveryState(p.OneOf(r, "state", "", states...)), Event: p.OneOf(r, "event", "", notify.Names...),
	}
	if err := p.Err(); err != nil {
		return view, err
	}
	err = h.DB.View(func(tx *store.Tx) error {
		hook, err := find(r, tx)
		if err != nil {
			return err
		}
		list, total, err := tx.HookDeliveries(hook.ID, filter, page.Offset, page.Limit)
		view = deliveriesView{total, web.Views(list, viewDelivery)}
		return err
	})
	return view, err
}

// findDelivery returns the delivery that the request path identifies.
func findDelivery(r *web.Request, tx *store.Tx) (*store.HookDelivery, error) {
	hook, err := find(r, tx)
	if err != nil {
		return nil, err
	}
	id, ok := store.ParseMessageID(r.Param("did"))
	if !ok {
		return nil, fault.New(fault.NotFound, "delivery not found")
	}
	return tx.HookDelivery(hook.ID, id)
}

// wholeDeliveryView is the JSON form of a delivery with the body of its event.
type wholeDeliveryView struct {
	deliveryView
	Payload json.RawMessage `json:"payload"`
}

func (h *Handlers) getDelivery(r *web.Request) (view wholeDeliveryView, err error) {
	err = h.DB.View(func(tx *store.Tx) error {
		d, err := findDelivery(r, tx)
		if err != nil {
			return err
		}
		body, err := tx.HookBody(d)
		view = wholeDeliveryView{viewDelivery(d), body}
		return err
	})
	return view, err
}

func (h *Handlers) sendAgain(r *web.Request) (view deliveryView, err error) {
	err = h.DB.Update(func(tx *store.Tx) error {
		d, err := findDelivery(r, tx)
		if err != nil {
			return err
		}
		if d, err = tx.SendAgain(d.Hook, d.ID); err != nil {
			return err
		}
		view = viewDelivery(d)
		return nil
	})
	return view, err
}
