package web

import "svc/store"

// RecordInput contains the fields that all records share when they are imported from an archive.
type RecordInput struct {
	ID        Optional[string]  `json:"id"`
	CreatedAt Optional[Integer] `json:"created_at"`
	UpdatedAt Optional[Integer] `json:"updated_at"`
}

// Record is a checked RecordInput.
type Record struct {
	ID               store.ID // the zero ID if the record does not have one yet
	Created, Updated int64    // Unix seconds
}

// Record checks the fields that all records share. The default for created_at is the parameter now,
// and the default for updated_at is created_at.
func (p *Problems) Record(in RecordInput, now int64) Record {
	p.UnixTime("created_at", in.CreatedAt, true)
	p.UnixTime("updated_at", in.UpdatedAt, true)
	created := int64(in.CreatedAt.Or(Integer(now)))
	rec := Record{Created: created, Updated: int64(in.UpdatedAt.Or(Integer(created)))}
	p.Text("id", in.ID, TextRule{})
	if in.ID.Value == nil {
		return rec
	}
	var ok bool
	if rec.ID, ok = store.ParseID(*in.ID.Value); !ok {
		p.Add("id must be a UUIDv7 of 36 characters")
		return rec
	}
	if in.CreatedAt.Value != nil && created != store.CreatedAt(rec.ID) {
		p.Add("created_at must be the time in id, %d, or left out", store.CreatedAt(rec.ID))
	}
	return rec
}

// MaxAhead is the number of seconds by which a time may be ahead of the server's clock.
const MaxAhead = 300 // seconds

// Past checks a time in Unix seconds, which must not be more than MaxAhead seconds after the
// parameter now.
func (p *Problems) Past(field string, o Optional[Integer], now int64, required bool) {
	switch {
	case required && o.Value == nil && !o.Wrong:
		p.Add("%s is required", field)
	case o.Value != nil && int64(*o.Value) > now+MaxAhead:
		p.Add("%s must not lie in the future", field)
	default:
		p.UnixTime(field, o, false)
	}
}
