// Package replica ships the changes of a data directory to a target, so that another machine has a copy.
//
//	primary.go   Primary: starting, stopping, and what requests ask it
//	state.go     what a primary knows when it starts
//	contact.go   the first contact, epochs, fencing
//	compare.go   where the history of a fenced primary ends
//	ship.go      the loop, and the segments of the log
//	snapshot.go  snapshots
//	retain.go    deleting what no restore needs
//	contents.go  the contents of local files
//	limit.go     time limits of the requests to the target
//	status.go    what svc replicate status and svc promote print
package replica

import "time"

// The roles of a server.
const (
	RolePrimary = "primary"
	RoleStandby = "standby"
)

// Status describes the replication of a server.
type Status struct {
	Role         string  `json:"role"`
	Target       string  `json:"target"` // without credentials
	Mode         string  `json:"mode"`   // async or sync; "" on a standby
	Epoch        uint32  `json:"epoch"`
	Position     uint64  `json:"position"` // of a primary: the last commit; of a standby: the last change that it has applied
	Shipped      uint64  `json:"shipped"`  // the position that is known to be at the target
	LagSeconds   float64 `json:"lag_seconds"`
	LagBytes     int64   `json:"lag_bytes"`
	FailingSince int64   `json:"failing_since"` // Unix seconds; 0 if the last request succeeded
	Failure      string  `json:"failure"`       // the last failure; "" if the last request succeeded
	Fenced       bool    `json:"fenced"`
	// DiffersAfter is the last position that a fenced primary has in common with the new one; nil if it is not known. The
	// fenced primary has nothing of its own unless Position is greater.
	DiffersAfter *uint64 `json:"differs_after,omitempty"`
	CreateOnly   bool    `json:"create_only"`
	LastSnapshot int64   `json:"last_snapshot"` // Unix seconds; 0 = none
	// SnapshotAge is the age of the last snapshot in units of the interval of snapshots; 0 if nothing has changed since.
	// Without a snapshot it is the time since the start.
	SnapshotAge float64 `json:"-"`
	RequestsDay int64   `json:"requests_day"` // in the last 24 hours
	BytesDay    int64   `json:"bytes_day"`    // in the last 24 hours; a primary has sent them, a standby received
}

// Promotion is the result of turning a standby into a primary.
type Promotion struct {
	Epoch    uint32    `json:"epoch"`    // that of the new primary
	Position uint64    `json:"position"` // of the last change that it has
	Time     time.Time `json:"time"`     // of the last commit that it has
}
