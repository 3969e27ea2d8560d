package api

import (
	"log/slog"
	"net/netip"
	"sync/atomic"
	"time"

	"svc/internal/doctor"
	"svc/internal/origin"
)

// looksPerSecond bounds what looking at forwarding headers costs: the first
// requests of each second tell enough.
const looksPerSecond = 16

// forwarding remembers what requests said about the proxies they came through,
// for svc doctor, and warns once of what is likely a mistake.
type forwarding struct {
	proxies origin.Proxies
	gateway netip.Addr // of the container we run in; the zero Addr elsewhere
	log     *slog.Logger

	second, looks atomic.Int64 // looks are left in this second

	last, ignored  atomic.Pointer[doctor.Chain]
	throughGateway atomic.Bool
	warned         atomic.Bool
}

// see looks at a request that is not from the control connection.
func (f *forwarding) see(r *request) {
	if !f.due(r.received) {
		return
	}
	peer := origin.Peer(r.RemoteAddr)
	if f.gateway.IsValid() && peer == f.gateway && f.throughGateway.CompareAndSwap(false, true) {
		f.log.Warn("requests come from the gateway of the container: who reaches the published port directly can forge an address; see svc doctor", "peer", peer.String())
	}
	lines, counted := f.proxies.Forwarded(r.RemoteAddr, r.Header)
	if lines == nil {
		return
	}
	chain := &doctor.Chain{At: r.received.Unix(), Peer: r.RemoteAddr, Headers: lines, Client: r.addr.String()}
	if peer.IsValid() {
		chain.Peer = peer.String()
	}
	f.last.Store(chain)
	if counted {
		return
	}
	f.ignored.Store(chain)
	if f.warned.CompareAndSwap(false, true) {
		f.log.Warn("a forwarding header did not count, so its sender was taken for the caller; see svc doctor", "peer", chain.Peer, "headers", lines)
	}
}

// due says whether there is a look left.
func (f *forwarding) due(now time.Time) bool {
	if second := now.Unix(); f.second.Load() != second {
		f.second.Store(second)
		f.looks.Store(looksPerSecond)
	}
	return f.looks.Load() > 0 && f.looks.Add(-1) >= 0
}

func (f *forwarding) view() doctor.Forwarding {
	v := doctor.Forwarding{Count: f.proxies.Count, Headers: f.proxies.Headers, Last: f.last.Load(), Ignored: f.ignored.Load()}
	if f.throughGateway.Load() {
		v.Gateway = f.gateway.String()
	}
	return v
}
