package hooks

import (
	"svc/api/web"
	"svc/store"
)

// ProbeView is the JSON form of the outcome of a test.
type ProbeView struct {
	OK        bool    `json:"ok"`
	Status    int     `json:"status"` // 0 = no answer
	LatencyMS int64   `json:"latency_ms"`
	Response  *string `json:"response"`
	Error     *string `json:"error"`
}

// test sends a test event to the receiver of the hook in the request path, once and immediately.
// Nothing is stored.
func (h *Handlers) test(r *web.Request) (view ProbeView, err error) {
	hook, err := store.Read(h.DB, func(tx *store.Tx) (*store.Hook, error) { return find(r, tx) })
	if err != nil {
		return view, err
	}
	defer web.NoWriteDeadline(r.Writer)()
	out, err := h.Engine.Test(r.Context(), hook)
	return ProbeView{out.OK, out.Status, out.Took.Milliseconds(), out.Response, web.OrNull(out.Error)}, err
}
