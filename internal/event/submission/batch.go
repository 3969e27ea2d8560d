package submission

import (
	"time"

	"svc/internal/platform"
)

// Client holds the stored attributes of the client that sent a batch. An empty text means that the
// attribute is not known.
type Client struct {
	Platform        platform.Platform
	PlatformVersion string
	Region          string // ISO 3166-1 alpha-2 code, or LOCAL
	CountryName     string
	RegionName      string
	City            string
	Address         string
	UserAgent       string
}

// Item is one event of a batch.
type Item struct {
	ID         string // event_id, 1 to 128 characters
	Name       string // normalized
	At         int64  // Unix second, after the correction for the client's clock
	Properties []byte // a compact JSON object without duplicate keys; nil = none
}

const (
	// maxAhead is the maximum number of seconds by which a time may be ahead of the
	// server's clock.
	maxAhead = 300
	// maxTime is the greatest time that is accepted. It is the greatest integer that every
	// JSON parser represents exactly.
	maxTime = 1 << 53
)

// Accept returns the events that can be stored, with the times to store. It adds clock.Correction()
// to the time of each event. If an event was sent without a time, or if its corrected time is more
// than skew before the receipt or more than five minutes after it, Accept uses the time of receipt
// instead. received is the time of receipt in Unix seconds.
func (r *Request) Accept(received int64, clock Clock, skew time.Duration) []Item {
	items := make([]Item, 0, len(r.Items))
	correction := int64(clock.Correction() / time.Second)
	earliest := max(0, received-int64(skew/time.Second))
	for i := range r.Items {
		item := &r.Items[i]
		if !item.Usable {
			continue
		}
		at := received
		if item.HasTime && item.At <= maxTime {
			if at = item.At + correction; at < earliest || at > received+maxAhead {
				at = received
			}
		}
		items = append(items, Item{ID: item.ID, Name: item.Name, At: at, Properties: item.Properties})
	}
	return items
}
