package control

import (
	"runtime"
	"strconv"
	"time"

	"svc/api/web"
	"svc/internal/jobs"
	"svc/internal/meter"
	"svc/internal/replica"
	"svc/store"
)

// families lists all metrics that are specific to svc. A test compares it with docs/metrics.md.
var families = []family{
	{"svc_build_info", "Always 1. The labels are the versions of the program and of Go.", gauge, []string{"version", "go_version"},
		func(h *Handlers, _ *figures, to samples) {
			to.add(1, h.Version, runtime.Version())
		}},
	{"svc_ready", "Whether a check of /readyz passes.", gauge, []string{"check"}, func(_ *Handlers, f *figures, to samples) {
		for _, c := range f.readiness.Checks {
			to.add(boolean(c.OK), c.Name)
		}
	}},

	{"svc_http_requests_total", "Answered requests. The status is other for rare statuses, the route is other " +
		"for unknown paths.", counterKind, []string{"route", "method", "status"},
		func(h *Handlers, _ *figures, to samples) {
			h.Requests.Each(func(of *web.RouteMetrics, status int, answers uint64) {
				to.add(float64(answers), of.Path, of.Method, statusText(status))
			})
		}},
	{"svc_http_request_seconds", "Time from the header of a request to the end of its answer.", histogram, []string{"route", "method"},
		func(h *Handlers, _ *figures, to samples) {
			for _, of := range h.Requests.Routes {
				if d := of.Took.Distribution(); d.Total() > 0 {
					to.addDistribution(d, float64(time.Second), of.Path, of.Method)
				}
			}
		}},
	current("svc_http_requests_in_flight", "Requests being answered.", gauge,
		func(h *Handlers) float64 { return float64(h.Requests.InFlight()) }),
	current("svc_connections", "Open connections, except those of the control socket and metrics.listen.", gauge,
		func(h *Handlers) float64 { return float64(h.connections().Open) }),
	current("svc_connections_max", "Limit of svc_connections: max_connections.", gauge,
		func(h *Handlers) float64 { return float64(h.connections().Max) }),
	{"svc_connections_closed_total", "Connections closed to protect others: idle ones, those without a complete header, and new ones from " +
		"an address with too many.", counterKind, []string{"reason"},
		func(h *Handlers, _ *figures, to samples) {
			c := h.connections()
			to.add(float64(c.Idle), "idle")
			to.add(float64(c.Headerless), "header")
			to.add(float64(c.Refused), "address")
		}},
	current("svc_public_body_bytes", "Memory of request bodies from callers without a credential, except bodies of up to 4 KiB.", gauge,
		func(h *Handlers) float64 {
			used, _ := h.Bodies.Budget()
			return float64(used)
		}),
	current("svc_public_body_budget_bytes", "Limit of svc_public_body_bytes: public_body_budget_mib.", gauge, func(h *Handlers) float64 {
		_, size := h.Bodies.Budget()
		return float64(size)
	}),
	{"svc_public_bodies_refused_total", "Request bodies rejected with 503, because the budget was used up or their address was sending too " +
		"many.", counterKind, []string{"reason"},
		func(h *Handlers, _ *figures, to samples) {
			budget, address := h.Bodies.Refused()
			to.add(float64(budget), "budget")
			to.add(float64(address), "address")
		}},
	current("svc_answer_bytes", "Memory reserved for large answers in progress, except lists of up to 64 KiB.", gauge,
		func(h *Handlers) float64 {
			used, _ := h.Answers.Budget()
			return float64(used)
		}),
	current("svc_answer_budget_bytes", "Limit of svc_answer_bytes: answer_budget_mib.", gauge, func(h *Handlers) float64 {
		_, size := h.Answers.Budget()
		return float64(size)
	}),
	current("svc_answers_waiting", "Requests waiting for memory for a large answer.", gauge,
		func(h *Handlers) float64 { return float64(h.Answers.Waiting()) }),
	current("svc_answers_refused_total", "Requests rejected with 503 after waiting for that memory.", counterKind,
		func(h *Handlers) float64 { return float64(h.Answers.Refused()) }),
	current("svc_request_statistics_dropped_total", "Requests not counted in the request statistics for lack of room.", counterKind,
		func(h *Handlers) float64 { return float64(h.Dropped()) }),

	value("svc_store_commits_total", "Successful commits to svc.db.", counterKind,
		func(f *figures) float64 { return float64(f.store.Commits) }),
	value("svc_store_commit_failures_total", "Failed commits to svc.db.", counterKind,
		func(f *figures) float64 { return float64(f.store.Failed) }),
	distribution("svc_store_commit_seconds", "Time of a commit to svc.db, from its beginning until it is on disk.", time.Second,
		func(f *figures) meter.Distribution { return f.store.Commit }),
	distribution("svc_store_sync_seconds", "Time of a commit to svc.db spent writing to the disk and waiting for it.", time.Second,
		func(f *figures) meter.Distribution { return f.store.Sync }),
	distribution("svc_store_group_submissions", "Number of submissions that shared a commit.", 1,
		func(f *figures) meter.Distribution { return f.store.Group }),
	value("svc_store_waiting_submissions", "Submissions waiting for the next commit.", gauge,
		func(f *figures) float64 { return float64(f.store.Waiting) }),
	{"svc_store_records_total", "Stored feedback and logs.", counterKind, []string{"kind"}, func(_ *Handlers, f *figures, to samples) {
		to.add(float64(f.store.Feedback), "feedback")
		to.add(float64(f.store.Logs), "log")
	}},
	{"svc_hook_deliveries_total", "Deliveries of hooks that have reached a state; one is retrying once for each failed attempt.", counterKind,
		[]string{"state"}, func(_ *Handlers, f *figures, to samples) {
			for i, state := range store.DeliveryStates {
				to.add(float64(f.store.Deliveries[i]), string(state))
			}
		}},
	value("svc_hook_deliveries_waiting", "Deliveries of all hooks that have not ended.", gauge,
		func(f *figures) float64 { return float64(f.store.DeliveriesWaiting) }),
	value("svc_store_file_bytes", "Size of svc.db.", gauge, func(f *figures) float64 { return float64(f.store.FileBytes) }),
	value("svc_store_free_bytes", "Reusable space in svc.db; known after the first commit.", gauge,
		func(f *figures) float64 { return float64(f.store.FreeBytes) }),
	value("svc_store_free_pages", "Pages of svc.db that are free or will be; known after the first commit.", gauge,
		func(f *figures) float64 { return float64(f.store.FreePages) }),
	value("svc_store_read_transactions", "Open read transactions of svc.db.", gauge,
		func(f *figures) float64 { return float64(f.store.Transactions) }),
	value("svc_store_oldest_read_seconds", "Age of the oldest read transaction of svc.db. The file grows with every commit while one is open.",
		gauge, func(f *figures) float64 { return f.store.Oldest.Seconds() }),
	value("svc_store_writer_seconds", "Age of the current write transaction of svc.db, for which other writers wait; 0 if there is none.",
		gauge, func(f *figures) float64 { return f.store.Locked.Seconds() }),
	current("svc_store_damaged", "Whether damage has been found in svc.db since the start.", gauge,
		func(h *Handlers) float64 { return boolean(h.DB.Damage() != nil) }),

	value("svc_events_stored_total", "Stored events; repeated ones are not counted again.", counterKind,
		func(f *figures) float64 { return float64(f.events.Events) }),
	value("svc_events_batches_total", "Accepted batches of events.", counterKind,
		func(f *figures) float64 { return float64(f.events.Batches) }),
	value("svc_events_commits_total", "Successful commits of batches to events.db.", counterKind,
		func(f *figures) float64 { return float64(f.events.Commits) }),
	value("svc_events_commit_failures_total", "Failed commits of any kind to events.db.", counterKind,
		func(f *figures) float64 { return float64(f.events.Failed) }),
	distribution("svc_events_commit_seconds", "Time of a commit of batches, from its beginning until it is on disk.", time.Second,
		func(f *figures) meter.Distribution { return f.events.Commit }),
	distribution("svc_events_sync_seconds", "Time of a commit of batches spent writing to the disk and waiting for it.", time.Second,
		func(f *figures) meter.Distribution { return f.events.Sync }),
	distribution("svc_events_group_batches", "Number of batches that shared a commit.", 1,
		func(f *figures) meter.Distribution { return f.events.Group }),
	value("svc_events_waiting_batches", "Batches waiting for the next commit.", gauge,
		func(f *figures) float64 { return float64(f.events.Waiting) }),
	value("svc_events_waiting_bytes", "Approximate size of these batches.", gauge,
		func(f *figures) float64 { return float64(f.events.WaitingBytes) }),
	value("svc_events_head_events", "Events in memory that are not yet in blocks.", gauge,
		func(f *figures) float64 { return float64(f.events.HeadEvents) }),
	value("svc_events_head_bytes", "Approximate memory of these events.", gauge,
		func(f *figures) float64 { return float64(f.events.HeadBytes) }),
	value("svc_events_frozen_heads", "Heads being written as blocks, 0 or 1.", gauge,
		func(f *figures) float64 { return float64(f.events.FrozenHeads) }),
	value("svc_events_wal_bytes", "Size of the write-ahead log of events.", gauge,
		func(f *figures) float64 { return float64(f.events.WALBytes) }),
	value("svc_events_blocks", "Blocks of events in events.db.", gauge, func(f *figures) float64 { return float64(f.events.Blocks) }),
	value("svc_events_unmerged_blocks", "Blocks beyond one per hour and project, which are still to be merged.", gauge,
		func(f *figures) float64 { return float64(f.events.Blocks - f.events.Hours) }),
	distribution("svc_events_query_seconds", "Time of an event query, without the time in the queue.", time.Second,
		func(f *figures) meter.Distribution { return f.events.Queries }),
	{"svc_events_queries", "Event queries that are running, and that are waiting in the queue.", gauge, []string{"state"},
		func(_ *Handlers, f *figures, to samples) {
			to.add(float64(f.events.QueriesRunning), "running")
			to.add(float64(f.events.QueriesWaiting), "waiting")
		}},
	value("svc_events_file_bytes", "Size of events.db.", gauge, func(f *figures) float64 { return float64(f.events.FileBytes) }),
	value("svc_events_free_bytes", "Reusable space in events.db; known after the first commit.", gauge,
		func(f *figures) float64 { return float64(f.events.FreeBytes) }),
	value("svc_events_free_pages", "Pages of events.db that are free or will be; known after the first commit.", gauge,
		func(f *figures) float64 { return float64(f.events.FreePages) }),
	value("svc_events_read_transactions", "Open read transactions of events.db.", gauge,
		func(f *figures) float64 { return float64(f.events.Transactions) }),
	value("svc_events_oldest_read_seconds",
		"Age of the oldest read transaction of events.db. The file grows with every commit while one is open.", gauge,
		func(f *figures) float64 { return f.events.Oldest.Seconds() }),
	value("svc_events_writer_seconds", "Age of the current write transaction of events.db, for which other writers wait; 0 if there is none.",
		gauge, func(f *figures) float64 { return f.events.Locked.Seconds() }),
	current("svc_events_damaged", "Whether damage has been found in events.db since the start.", gauge,
		func(h *Handlers) float64 { return boolean(h.eventsDamage() != nil) }),

	value("svc_search_ready", "Whether searches use the index; otherwise they scan all records.", gauge,
		func(f *figures) float64 { return boolean(f.search.Ready) }),
	value("svc_search_lag_changes", "Changes that are not yet in the index.", gauge,
		func(f *figures) float64 { return float64(f.search.Lag()) }),
	value("svc_search_batches_total", "Batches written to the index.", counterKind,
		func(f *figures) float64 { return float64(f.search.Batches) }),
	value("svc_search_documents_total", "Documents in these batches.", counterKind,
		func(f *figures) float64 { return float64(f.search.Documents) }),
	value("svc_search_failures_total", "Failed attempts to update the index.", counterKind,
		func(f *figures) float64 { return float64(f.search.Failed) }),
	value("svc_search_failing", "Whether the last attempt failed.", gauge,
		func(f *figures) float64 { return boolean(f.search.Failure != "") }),

	ofJobs("svc_job_runs_total", "Completed runs of a job.", counterKind, func(j *jobs.State) float64 { return float64(j.Runs) }),
	ofJobs("svc_job_failures_total", "Failed runs of a job.", counterKind, func(j *jobs.State) float64 { return float64(j.Failed) }),
	ofJobs("svc_job_running", "Whether a job is running.", gauge, func(j *jobs.State) float64 { return boolean(j.Running) }),
	ofJobs("svc_job_failing", "Whether the last run of a job failed.", gauge, func(j *jobs.State) float64 { return boolean(j.Failure != "") }),
	ofJobs("svc_job_last_run_timestamp_seconds", "Start of the last run of a job; 0 if it has not run.", gauge,
		func(j *jobs.State) float64 { return timestamp(j.Begun) }),
	ofJobs("svc_job_last_run_seconds", "Duration of the last run of a job.", gauge, func(j *jobs.State) float64 { return j.Took.Seconds() }),

	value("svc_backup_last_success_timestamp_seconds", "Time of the newest backup in backup.dir; 0 if none is known.", gauge,
		func(f *figures) float64 { return timestamp(f.backups.Last) }),
	value("svc_backup_bytes", "Size of that backup.", gauge, func(f *figures) float64 { return float64(f.backups.Bytes) }),
	value("svc_backup_interval_seconds", "The setting backup.every; 0 if no backups are scheduled.", gauge,
		func(f *figures) float64 { return f.backups.Every.Seconds() }),

	ofPrimary("svc_replication_lag_seconds", "Age of the oldest commit that is not at replicate.to; 0 when all are.",
		func(r *replica.Status) float64 { return r.LagSeconds }),
	ofPrimary("svc_replication_lag_bytes", "Size of the changes that are not at the target.",
		func(r *replica.Status) float64 { return float64(r.LagBytes) }),
	ofReplica("svc_replication_position", "Position of the last commit, or of the last change that a standby has applied.",
		func(r *replica.Status) float64 { return float64(r.Position) }),
	ofReplica("svc_replication_epoch", "Number of the current epoch; each promotion begins one.",
		func(r *replica.Status) float64 { return float64(r.Epoch) }),
	{"svc_replication_requests_total", "Requests to the target.", counterKind, []string{"operation"},
		func(h *Handlers, _ *figures, to samples) {
			requests, _, _ := h.replicationCounters()
			to.addEach(requests)
		}},
	{"svc_replication_failures_total", "Failed requests to the target.", counterKind, []string{"operation"},
		func(h *Handlers, _ *figures, to samples) {
			_, failures, _ := h.replicationCounters()
			to.addEach(failures)
		}},
	{"svc_replication_bytes_total", "Bytes sent to the target.", counterKind, nil, func(h *Handlers, f *figures, to samples) {
		if f.replication != nil {
			_, _, bytes := h.replicationCounters()
			to.add(float64(bytes))
		}
	}},
	ofPrimary("svc_replication_snapshot_timestamp_seconds", "Time of the newest snapshot at the target; 0 if there is none.",
		func(r *replica.Status) float64 { return float64(r.LastSnapshot) }),
	ofPrimary("svc_replication_snapshot_age_intervals",
		"Age of that snapshot in intervals of replicate.snapshot_every; 0 if nothing has changed since.",
		func(r *replica.Status) float64 { return r.SnapshotAge }),
	ofPrimary("svc_replication_fenced", "Whether another server has become the primary, so that this one accepts no writes.",
		func(r *replica.Status) float64 { return boolean(r.Fenced) }),
	ofReplica("svc_replication_failing", "Whether the last request to the target failed.",
		func(r *replica.Status) float64 { return boolean(r.FailingSince != 0) }),
	{"svc_standby_lag_seconds", "Seconds since the last contact of the primary that a standby knows.", gauge, nil,
		func(h *Handlers, _ *figures, to samples) {
			if behind, standby := h.Replication.Behind(); standby {
				to.add(behind.Seconds())
			}
		}},
}

// ofReplica returns a family with one sample on a server with replication.
func ofReplica(name, help string, read func(*replica.Status) float64) family {
	return family{name, help, gauge, nil, func(_ *Handlers, f *figures, to samples) {
		if f.replication != nil {
			to.add(read(f.replication))
		}
	}}
}

// ofPrimary returns a family with one sample on a primary with replication.
func ofPrimary(name, help string, read func(*replica.Status) float64) family {
	return family{name, help, gauge, nil, func(_ *Handlers, f *figures, to samples) {
		if f.replication != nil && f.replication.Role == replica.RolePrimary {
			to.add(read(f.replication))
		}
	}}
}

// addEach adds a sample for each value of a label.
func (s samples) addEach(values map[string]uint64) {
	for label, value := range values {
		s.add(float64(value), label)
	}
}

// value returns a family with a single sample. The function read returns the value of the sample.
func value(name, help string, k kind, read func(*figures) float64) family {
	return family{name, help, k, nil, func(_ *Handlers, f *figures, to samples) { to.add(read(f)) }}
}

// distribution returns a family with one histogram. unit is the duration that is exported as 1.
func distribution(name, help string, unit time.Duration, read func(*figures) meter.Distribution) family {
	return family{name, help, histogram, nil, func(_ *Handlers, f *figures, to samples) { to.addDistribution(read(f), float64(unit)) }}
}

// current is like value, but read returns the sample itself and does not take it from a snapshot of
// the state.
func current(name, help string, k kind, read func(*Handlers) float64) family {
	return family{name, help, k, nil, func(h *Handlers, _ *figures, to samples) { to.add(read(h)) }}
}

func ofJobs(name, help string, k kind, value func(*jobs.State) float64) family {
	return family{name, help, k, []string{"job"}, func(_ *Handlers, f *figures, to samples) {
		for i := range f.jobs {
			to.add(value(&f.jobs[i]), f.jobs[i].Name)
		}
	}}
}

// timestamp returns a time in Unix seconds. It returns 0 for the zero time.
func timestamp(at time.Time) float64 {
	if at.IsZero() {
		return 0
	}
	return float64(at.UnixMilli()) / 1000
}

func boolean(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// statusText returns the label for an HTTP status. All uncommon statuses share the label "other"
// and are passed as 0.
func statusText(status int) string {
	if status == 0 {
		return "other"
	}
	return strconv.Itoa(status)
}
