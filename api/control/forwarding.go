package control

import (
	"log/slog"
	"net/netip"
	"sync/atomic"
	"time"

	"svc/api/web"
	"svc/internal/doctor"
	"svc/internal/proxy"
)

// samplesPerSecond is the maximum number of requests per second in which forwarding headers are
// examined. The limit keeps the cost low, and the first requests of each second are a sufficient
// sample.
const samplesPerSecond = 16

// Forwarding records forwarding headers of requests for svc doctor. It logs a warning once if the
// configuration of the reverse proxy is likely to be wrong.
type Forwarding struct {
	proxies proxy.Proxies
	gateway netip.Addr // gateway of the container; the zero Addr outside of a container
	log     *slog.Logger

	second, samples atomic.Int64 // samples is the number of requests that may still be examined in the current second.

	last, ignored  atomic.Pointer[doctor.Chain]
	throughGateway atomic.Bool
	warned         atomic.Bool
}

// NewForwarding returns a Forwarding for the given trusted proxies. gateway is the address of the
// gateway if this program runs in a container, and the zero Addr otherwise.
func NewForwarding(proxies proxy.Proxies, gateway netip.Addr, log *slog.Logger) *Forwarding {
	return &Forwarding{proxies: proxies, gateway: gateway, log: log}
}

// Observe examines a request. It ignores clients that ask not to be tracked, because it logs the
// headers that it finds. The caller must not pass requests from the control connection.
func (f *Forwarding) Observe(r *web.Request) {
	if r.DoNotTrack() || !f.due(r.Received) {
		return
	}
	peer := proxy.Peer(r.RemoteAddr)
	if f.gateway.IsValid() && peer == f.gateway && f.throughGateway.CompareAndSwap(false, true) {
		f.log.Warn("requests come from the gateway of the container: clients that reach the published port directly can forge an address; see "+
			"svc doctor", "peer", peer.String())
	}
	lines, counted := f.proxies.Forwarded(r.RemoteAddr, r.Header)
	if lines == nil {
		return
	}
	chain := &doctor.Chain{At: r.Received.Unix(), Peer: r.RemoteAddr, Headers: lines, Client: r.Addr.String()}
	if peer.IsValid() {
		chain.Peer = peer.String()
	}
	f.last.Store(chain)
	if counted {
		return
	}
	f.ignored.Store(chain)
	if f.warned.CompareAndSwap(false, true) {
		f.log.Warn("forwarding header ignored, so its sender counts as the client; see svc doctor", "peer", chain.Peer, "headers", lines)
	}
}

// due reports whether another request may be examined in the current second. If so, it counts that
// request.
func (f *Forwarding) due(now time.Time) bool {
	if second := now.Unix(); f.second.Load() != second {
		f.second.Store(second)
		f.samples.Store(samplesPerSecond)
	}
	return f.samples.Load() > 0 && f.samples.Add(-1) >= 0
}

func (f *Forwarding) view() doctor.Forwarding {
	v := doctor.Forwarding{Count: f.proxies.Count, Headers: f.proxies.Headers, Last: f.last.Load(), Ignored: f.ignored.Load()}
	if f.throughGateway.Load() {
		v.Gateway = f.gateway.String()
	}
	return v
}
