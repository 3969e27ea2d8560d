package upload

import (
	"time"

	"svc/internal/disk"
	"svc/internal/fault"
)

// Limits on the number of sessions that may be open at the same time.
const (
	MaxPerCredential = 8
	MaxPerProject    = 32
)

// spaceWait is the value of Retry-After in a response that refuses an upload because
// there is too little disk space. Space becomes free when uploads end and when files have
// been moved to their storage.
const spaceWait = time.Minute

// count returns a TooMany error if the credential or the project of a request has reached its limit
// of open sessions.
func (s *Sessions) count(r Request) error {
	var ofCredential, ofProject []*session
	for _, u := range s.list() {
		if !u.isOpen(s.now()) {
			continue
		}
		if u.owner == r.Credential {
			ofCredential = append(ofCredential, u)
		}
		if u.project == r.Project {
			ofProject = append(ofProject, u)
		}
	}
	const advice = "complete or delete one, or wait until one expires"
	if n := len(ofCredential); n >= MaxPerCredential {
		return fault.New(fault.TooMany, "this credential has %d open uploads, at most %d are allowed: %s", n, MaxPerCredential,
			advice).After(s.untilExpiry(ofCredential))
	}
	if n := len(ofProject); n >= MaxPerProject {
		return fault.New(fault.TooMany, "the project has %d open uploads, at most %d are allowed: %s", n, MaxPerProject,
			advice).After(s.untilExpiry(ofProject))
	}
	return nil
}

// untilExpiry returns the time until the first session in list expires.
func (s *Sessions) untilExpiry(list []*session) time.Duration {
	left := Life
	for _, u := range list {
		left = min(left, u.expires.Sub(s.now()))
	}
	return left
}

// Room returns a NoSpace error if a project may not use additional disk space of the given size in
// bytes. The sessions and pending files of a project may use half of the free space beyond the
// reserve. In this calculation, the space that they already use is treated as free. pending is the
// total size of the project's pending files, in bytes.
func (s *Sessions) Room(project uint32, size, pending int64) error {
	free, err := disk.Free(s.dir)
	if err != nil {
		return err
	}
	// floating-point numbers, because a client may announce any number of bytes
	total, taken := float64(size)+float64(pending), float64(pending)
	for _, u := range s.list() {
		if u.project == project {
			whole, arrived := u.space()
			if !s.now().Before(u.expires) {
				whole = arrived // the session does not accept any further chunks
			}
			total += float64(whole)
			taken += float64(arrived)
		}
	}
	half := max(float64(free)+taken-float64(s.reserve), 0) / 2
	if total <= half {
		return nil
	}
	const mib = 1 << 20
	return fault.New(fault.NoSpace, "not enough disk space: with this file of %.0f MiB the open uploads and pending files of the project "+
		"would have %.0f MiB, and may have half of the free space, %.0f MiB",
		float64(size)/mib, total/mib, half/mib).After(spaceWait)
}
