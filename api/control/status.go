package control

import (
	"os"
	"runtime"
	"strconv"

	"svc/api/web"
	"svc/internal/jobs"
	"svc/internal/replica"
)

// Status summarizes a running server. Counters start at zero when the server starts.
type Status struct {
	Version       string   `json:"version"`
	PID           int      `json:"pid"`
	StartedAt     int64    `json:"started_at"` // Unix seconds
	UptimeSeconds int64    `json:"uptime_seconds"`
	Addresses     []string `json:"addresses"`
	Ready         bool     `json:"ready"`
	Problems      []string `json:"problems"` // reasons why it is not ready

	Requests RequestsStatus `json:"requests"`
	Store    StoreStatus    `json:"store"`
	Events   EventsStatus   `json:"events"`
	Search   SearchStatus   `json:"search"`
	Memory   MemoryStatus   `json:"memory"`
	Jobs     []JobStatus    `json:"jobs"`
	Backup   *BackupStatus  `json:"backup"` // null if no backup is known yet

	Replication *replica.Status `json:"replication"` // null without replication
}

// BackupStatus is the state of the scheduled backups.
type BackupStatus struct {
	LastAt  int64  `json:"last_at"` // Unix second of the newest backup; 0 if there is none
	Bytes   int64  `json:"bytes"`   // size of the newest backup
	Failure string `json:"failure"` // error of the last attempt; "" if it succeeded
}

// RequestsStatus counts the requests that the server has answered.
type RequestsStatus struct {
	Total    uint64            `json:"total"`
	InFlight uint64            `json:"in_flight"`
	ByClass  map[string]uint64 `json:"by_class"` // 2xx, 3xx, 4xx, 5xx, and other
}

// StoreStatus counts the writes to svc.db.
type StoreStatus struct {
	Commits     uint64 `json:"commits"`
	Failures    uint64 `json:"failures"`
	Submissions int64  `json:"submissions"` // submissions stored in shared commits
	Feedback    uint64 `json:"feedback"`
	Logs        uint64 `json:"logs"`
	Waiting     int    `json:"waiting"` // submissions in the queue
	FileBytes   int64  `json:"file_bytes"`
	FreeBytes   int64  `json:"free_bytes"` // free space in the file
}

// EventsStatus counts the writes to events.db.
type EventsStatus struct {
	Stored     uint64  `json:"stored"`
	Batches    uint64  `json:"batches"`
	Commits    uint64  `json:"commits"`
	Failures   uint64  `json:"failures"`
	PerSecond  float64 `json:"per_second"`  // stored events per second, mean of the last minute
	Waiting    int     `json:"waiting"`     // batches in the queue
	HeadEvents int     `json:"head_events"` // events in memory that are not yet in blocks
	HeadBytes  int     `json:"head_bytes"`  // their approximate size in memory
	WALBytes   int     `json:"wal_bytes"`   // their size in the write-ahead log
	Blocks     int     `json:"blocks"`      // blocks of events in the file
	Hours      int     `json:"hours"`       // distinct hours of projects that have blocks
	FileBytes  int64   `json:"file_bytes"`
	FreeBytes  int64   `json:"free_bytes"` // free space in the file
}

// SearchStatus is the state of the search index.
type SearchStatus struct {
	Ready   bool   `json:"ready"`
	Lag     uint64 `json:"lag_changes"`
	Failure string `json:"failure"` // error of the last attempt to catch up; "" if it succeeded
}

// MemoryStatus is the memory of the process, without mapped files.
type MemoryStatus struct {
	HeapBytes  uint64 `json:"heap_bytes"`  // in use by the Go heap
	TotalBytes uint64 `json:"total_bytes"` // held by Go, without memory returned to the system
	Goroutines int    `json:"goroutines"`
}

// Status returns the current status. Values that cannot be read are 0.
func (h *Handlers) Status() Status {
	f := h.figures()
	now := h.Now()
	v := Status{
		Version: h.Version, PID: os.Getpid(), StartedAt: h.started.Unix(), UptimeSeconds: int64(now.Sub(h.started).Seconds()),
		Addresses: []string{}, Ready: f.readiness.Status == "ready", Problems: []string{},
		Requests: RequestsStatus{InFlight: h.Requests.InFlight(), ByClass: map[string]uint64{"2xx": 0, "3xx": 0, "4xx": 0, "5xx": 0, "other": 0}},
		Store: StoreStatus{
			Commits: f.store.Commits, Failures: f.store.Failed, Submissions: f.store.Group.Sum,
			Feedback: f.store.Feedback, Logs: f.store.Logs, Waiting: f.store.Waiting,
			FileBytes: f.store.FileBytes, FreeBytes: f.store.FreeBytes,
		},
		Events: EventsStatus{
			Stored: f.events.Events, Batches: f.events.Batches, Commits: f.events.Commits, Failures: f.events.Failed,
			PerSecond: f.events.PerSecond, Waiting: f.events.Waiting,
			HeadEvents: f.events.HeadEvents, HeadBytes: f.events.HeadBytes, WALBytes: f.events.WALBytes,
			Blocks: f.events.Blocks, Hours: f.events.Hours, FileBytes: f.events.FileBytes, FreeBytes: f.events.FreeBytes,
		},
		Search: SearchStatus{Ready: f.search.Ready, Lag: f.search.Lag(), Failure: f.search.Failure},
		Memory: memoryStatus(),
		Jobs:   h.jobViews(),

		Replication: f.replication,
	}
	if b := f.backups; b != (jobs.BackupState{}) {
		v.Backup = &BackupStatus{Bytes: b.Bytes, Failure: b.LastError}
		if !b.Last.IsZero() {
			v.Backup.LastAt = b.Last.Unix()
		}
	}
	if addresses := h.life.addresses.Load(); addresses != nil {
		v.Addresses = *addresses
	}
	for _, c := range f.readiness.Checks {
		if !c.OK {
			v.Problems = append(v.Problems, c.Name+": "+c.Message)
		}
	}
	h.Requests.Each(func(_ *web.RouteMetrics, status int, answers uint64) {
		v.Requests.Total += answers
		v.Requests.ByClass[statusClass(status)] += answers
	})
	return v
}

func statusClass(status int) string {
	if status < 200 || status > 599 {
		return "other"
	}
	return strconv.Itoa(status/100) + "xx"
}

func memoryStatus() MemoryStatus {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return MemoryStatus{HeapBytes: m.HeapAlloc, TotalBytes: m.Sys - m.HeapReleased, Goroutines: runtime.NumGoroutine()}
}

func (h *Handlers) showStatus(*web.Request) (Status, error) { return h.Status(), nil }
