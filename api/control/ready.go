package control

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"svc/api/web"
	"svc/internal/control"
	"svc/internal/datadir"
	"svc/internal/disk"
)

// phase is a stage in the lifetime of a server.
type phase int32

const (
	starting phase = iota
	serving
	stopping
)

// life contains the phase of a server and the addresses at which it listens.
type life struct {
	phase     atomic.Int32
	addresses atomic.Pointer[[]string]
}

func (l *life) at() phase { return phase(l.phase.Load()) }

// Started marks the server as serving requests. The given addresses are shown to users.
func (h *Handlers) Started(addresses ...string) {
	h.life.addresses.Store(&addresses)
	h.life.phase.Store(int32(serving))
}

// Stopping marks the server as not ready, so that load balancers stop sending requests to it. It
// continues to answer requests.
func (h *Handlers) Stopping() { h.life.phase.Store(int32(stopping)) }

// ReadinessCheck is the result for one condition of readiness.
type ReadinessCheck struct {
	Name    string `json:"name"`
	OK      bool   `json:"ok"`
	Message string `json:"message"` // "" if the condition is met
}

// Readiness states whether a server should receive requests, and why not. It is the body of
// /readyz.
type Readiness struct {
	Status string           `json:"status"` // ready or unavailable
	Checks []ReadinessCheck `json:"checks"`
}

// ready responds to GET /readyz with the readiness of this server. With reads=1, a standby that is at
// most a minute behind is ready.
func (h *Handlers) ready(w http.ResponseWriter, r *web.Request) error {
	view, status := h.readiness(control.Owner(r.Context()), r.Query("reads") == "1"), http.StatusOK
	if view.Status != "ready" {
		status = http.StatusServiceUnavailable
	}
	return web.Respond(w, status, view)
}

// readiness runs the readiness checks. Messages contain the underlying errors only if owner is
// true, because these errors can name files. If reads is true, the server need not accept writes.
func (h *Handlers) readiness(owner, reads bool) Readiness {
	v := Readiness{Status: "ready"}
	check := func(name, message string, reason error) {
		v.Checks = append(v.Checks, ReadinessCheck{name, message == "", message})
		if message == "" {
			return
		}
		v.Status = "unavailable"
		if owner && reason != nil {
			v.Checks[len(v.Checks)-1].Message += ": " + reason.Error()
		}
	}
	server := [...]string{starting: "the server is starting", serving: "", stopping: "the server is stopping"}
	check("server", server[h.life.at()], nil)
	if h.Replication != nil {
		check("primary", h.Replication.Ready(reads), nil)
	}
	message, err := writable(h.DB)
	check(datadir.Database, message, err)
	if h.Events != nil {
		message, err := writable(h.Events)
		if h.Events.ReadOnly() {
			message, err = "the file is damaged; no events are stored", h.Events.Damage()
		}
		check(datadir.Events, message, err)
	}
	if h.Search != nil && h.life.at() == serving {
		message := ""
		if !h.Search.State().Running {
			message = "nobody keeps the search index up to date"
		}
		check("search", message, nil)
	}
	if h.Data != "" {
		message, err := h.enoughSpace()
		check("disk", message, err)
	}
	return v
}

// stuckAfter is the duration after which a write that has not ended makes the server unready.
const stuckAfter = 30 * time.Second

// writable returns "" if the database can be written. Otherwise it returns a message for users and,
// if there is one, the underlying error.
func writable(db interface {
	Writable() error
	LockedFor() time.Duration
}) (message string, reason error) {
	if held := db.LockedFor(); held >= stuckAfter {
		return fmt.Sprintf("a write has not ended for %d seconds; others wait for it", int(held.Seconds())), nil
	}
	if err := db.Writable(); err != nil {
		return "the last write failed", err
	}
	return "", nil
}

func (h *Handlers) enoughSpace() (message string, reason error) {
	free, err := disk.Free(h.Data)
	switch {
	case err != nil:
		return "the free space is not known", err
	case free < disk.Floor:
		return "the disk has less than 64 MiB of free space", nil
	}
	return "", nil
}

type healthView struct {
	Status    string `json:"status"`
	Timestamp int64  `json:"timestamp"`
}

func (h *Handlers) health(*web.Request) (healthView, error) {
	return healthView{"ok", h.Now().Unix()}, nil
}

func (*Handlers) healthz(w http.ResponseWriter, _ *web.Request) error {
	header := w.Header()
	header.Set("Content-Type", "text/plain; charset=utf-8")
	header.Set("Content-Length", "2")
	_, _ = w.Write([]byte("ok"))
	return nil
}
