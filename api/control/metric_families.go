package control

import (
	"runtime"
	"strconv"
	"time"

	"svc/api/web"
	"svc/internal/jobs"
	"svc/internal/meter"
)

// families lists all metrics specific to svc. docs/metrics.md is compared with it.
var families = []family{
	{"svc_build_info", "The version of the program and of Go; always 1.", gauge, []string{"version", "go_version"}, func(h *Handlers, _ *figures, to samples) {
		to.add(1, h.Version, runtime.Version())
	}},
	{"svc_ready", "Whether a check of /readyz is met.", gauge, []string{"check"}, func(_ *Handlers, f *figures, to samples) {
		for _, c := range f.readiness.Checks {
			to.add(boolean(c.OK), c.Name)
		}
	}},

	{"svc_http_requests_total", "Answered requests. A status that is rare here is other, a path without a route too.", counterKind, []string{"route", "method", "status"}, func(h *Handlers, _ *figures, to samples) {
		h.Requests.Each(func(of *web.RouteMetrics, status int, answers uint64) {
			to.add(float64(answers), of.Path, of.Method, statusText(status))
		})
	}},
	{"svc_http_request_seconds", "Time from the header of a request to the end of its answer.", histogram, []string{"route", "method"}, func(h *Handlers, _ *figures, to samples) {
		for _, of := range h.Requests.Routes {
			if d := of.Took.Distribution(); d.Total() > 0 {
				to.spread(d, float64(time.Second), of.Path, of.Method)
			}
		}
	}},
	{"svc_http_requests_in_flight", "Requests that are being answered.", gauge, nil, func(h *Handlers, _ *figures, to samples) {
		to.add(float64(h.Requests.InFlight()))
	}},
	connection("svc_connections", "Open connections but those of the control socket and of metrics.listen.", gauge, func(c *Connections) float64 { return float64(c.Open) }),
	connection("svc_connections_max", "What svc_connections may reach: max_connections.", gauge, func(c *Connections) float64 { return float64(c.Max) }),
	{"svc_connections_closed_total", "Connections that were closed for others: idle ones, those without a complete header, and new ones of an address that has too many.", counterKind, []string{"reason"}, func(h *Handlers, _ *figures, to samples) {
		c := h.connections()
		to.add(float64(c.Idle), "idle")
		to.add(float64(c.Headerless), "header")
		to.add(float64(c.Refused), "address")
	}},
	{"svc_public_body_bytes", "Memory of request bodies whose callers have no credential; those up to 4 KiB do not count.", gauge, nil, func(h *Handlers, _ *figures, to samples) {
		used, _ := h.Bodies.Budget()
		to.add(float64(used))
	}},
	{"svc_public_body_budget_bytes", "What svc_public_body_bytes may reach: public_body_budget_mib.", gauge, nil, func(h *Handlers, _ *figures, to samples) {
		_, size := h.Bodies.Budget()
		to.add(float64(size))
	}},
	{"svc_public_bodies_refused_total", "Request bodies that were refused with 503: the budget was used up, or their address had too many on their way.", counterKind, []string{"reason"}, func(h *Handlers, _ *figures, to samples) {
		budget, address := h.Bodies.Refused()
		to.add(float64(budget), "budget")
		to.add(float64(address), "address")
	}},
	{"svc_answer_bytes", "Memory reserved for large answers in the making; lists up to 64 KiB do not count.", gauge, nil, func(h *Handlers, _ *figures, to samples) {
		used, _ := h.Answers.Budget()
		to.add(float64(used))
	}},
	{"svc_answer_budget_bytes", "What svc_answer_bytes may reach: answer_budget_mib.", gauge, nil, func(h *Handlers, _ *figures, to samples) {
		_, size := h.Answers.Budget()
		to.add(float64(size))
	}},
	{"svc_answers_waiting", "Requests that wait for memory for a large answer.", gauge, nil, func(h *Handlers, _ *figures, to samples) {
		to.add(float64(h.Answers.Waiting()))
	}},
	{"svc_answers_refused_total", "Requests that were refused with 503, because they waited for that memory in vain.", counterKind, nil, func(h *Handlers, _ *figures, to samples) {
		to.add(float64(h.Answers.Refused()))
	}},
	{"svc_request_statistics_dropped_total", "Requests that the request statistics had no room for.", counterKind, nil, func(h *Handlers, _ *figures, to samples) {
		to.add(float64(h.Dropped()))
	}},

	value("svc_store_commits_total", "Commits to svc.db that are on disk.", counterKind, func(f *figures) float64 { return float64(f.store.Commits) }),
	value("svc_store_commit_failures_total", "Commits that svc.db did not take.", counterKind, func(f *figures) float64 { return float64(f.store.Failed) }),
	spread("svc_store_commit_seconds", "Time of a commit to svc.db, from its begin until it is on disk.", time.Second, func(f *figures) meter.Distribution { return f.store.Commit }),
	spread("svc_store_sync_seconds", "The part of a commit to svc.db that writes to the disk and waits for it.", time.Second, func(f *figures) meter.Distribution { return f.store.Sync }),
	spread("svc_store_group_submissions", "Submissions that shared a commit.", 1, func(f *figures) meter.Distribution { return f.store.Group }),
	value("svc_store_waiting_submissions", "Submissions that wait for the next commit.", gauge, func(f *figures) float64 { return float64(f.store.Waiting) }),
	{"svc_store_records_total", "Feedback and logs that were stored.", counterKind, []string{"kind"}, func(_ *Handlers, f *figures, to samples) {
		to.add(float64(f.store.Feedback), "feedback")
		to.add(float64(f.store.Logs), "log")
	}},
	value("svc_store_file_bytes", "Size of svc.db.", gauge, func(f *figures) float64 { return float64(f.store.FileBytes) }),
	value("svc_store_free_bytes", "Room in svc.db for what comes; known from the first commit on.", gauge, func(f *figures) float64 { return float64(f.store.FreeBytes) }),
	value("svc_store_free_pages", "Pages of svc.db that are free or will be; known from the first commit on.", gauge, func(f *figures) float64 { return float64(f.store.FreePages) }),
	value("svc_store_read_transactions", "Transactions that read svc.db now.", gauge, func(f *figures) float64 { return float64(f.store.Transactions) }),
	value("svc_store_oldest_read_seconds", "For how long the oldest of them reads. The file grows with each commit meanwhile.", gauge, func(f *figures) float64 { return f.store.Oldest.Seconds() }),
	value("svc_store_writer_seconds", "For how long the present writer has svc.db; others wait for it. 0 = nobody writes.", gauge, func(f *figures) float64 { return f.store.Locked.Seconds() }),
	{"svc_store_damaged", "Whether damage was found in svc.db since the start.", gauge, nil, func(h *Handlers, _ *figures, to samples) {
		to.add(boolean(h.DB.Damage() != nil))
	}},

	value("svc_events_stored_total", "Events that were stored; those sent again are not counted again.", counterKind, func(f *figures) float64 { return float64(f.events.Events) }),
	value("svc_events_batches_total", "Batches of events that were answered with success.", counterKind, func(f *figures) float64 { return float64(f.events.Batches) }),
	value("svc_events_commits_total", "Commits of batches to events.db that are on disk.", counterKind, func(f *figures) float64 { return float64(f.events.Commits) }),
	value("svc_events_commit_failures_total", "Commits of any kind that events.db did not take.", counterKind, func(f *figures) float64 { return float64(f.events.Failed) }),
	spread("svc_events_commit_seconds", "Time of a commit of batches, from its begin until it is on disk.", time.Second, func(f *figures) meter.Distribution { return f.events.Commit }),
	spread("svc_events_sync_seconds", "The part of a commit of batches that writes to the disk and waits for it.", time.Second, func(f *figures) meter.Distribution { return f.events.Sync }),
	spread("svc_events_group_batches", "Batches that shared a commit.", 1, func(f *figures) meter.Distribution { return f.events.Group }),
	value("svc_events_waiting_batches", "Batches that wait for the next commit.", gauge, func(f *figures) float64 { return float64(f.events.Waiting) }),
	value("svc_events_waiting_bytes", "Size of these batches, roughly.", gauge, func(f *figures) float64 { return float64(f.events.WaitingBytes) }),
	value("svc_events_head_events", "Events in memory that are not in blocks yet.", gauge, func(f *figures) float64 { return float64(f.events.HeadEvents) }),
	value("svc_events_head_bytes", "Memory of these events, roughly.", gauge, func(f *figures) float64 { return float64(f.events.HeadBytes) }),
	value("svc_events_frozen_heads", "Heads that are being written as blocks, 0 or 1.", gauge, func(f *figures) float64 { return float64(f.events.FrozenHeads) }),
	value("svc_events_wal_bytes", "Size of the write-ahead log of events.", gauge, func(f *figures) float64 { return float64(f.events.WALBytes) }),
	value("svc_events_blocks", "Blocks of events in events.db.", gauge, func(f *figures) float64 { return float64(f.events.Blocks) }),
	value("svc_events_unmerged_blocks", "Those of them that are beyond one for each hour of a project, and still to be merged.", gauge, func(f *figures) float64 { return float64(f.events.Blocks - f.events.Hours) }),
	spread("svc_events_query_seconds", "Time of a question about events, without waiting for its turn.", time.Second, func(f *figures) meter.Distribution { return f.events.Queries }),
	{"svc_events_queries", "Questions about events that run, and that wait for their turn.", gauge, []string{"state"}, func(_ *Handlers, f *figures, to samples) {
		to.add(float64(f.events.QueriesRunning), "running")
		to.add(float64(f.events.QueriesWaiting), "waiting")
	}},
	value("svc_events_file_bytes", "Size of events.db.", gauge, func(f *figures) float64 { return float64(f.events.FileBytes) }),
	value("svc_events_free_bytes", "Room in events.db for what comes; known from the first commit on.", gauge, func(f *figures) float64 { return float64(f.events.FreeBytes) }),
	value("svc_events_free_pages", "Pages of events.db that are free or will be; known from the first commit on.", gauge, func(f *figures) float64 { return float64(f.events.FreePages) }),
	value("svc_events_read_transactions", "Transactions that read events.db now.", gauge, func(f *figures) float64 { return float64(f.events.Transactions) }),
	value("svc_events_oldest_read_seconds", "For how long the oldest of them reads. The file grows with each commit meanwhile.", gauge, func(f *figures) float64 { return f.events.Oldest.Seconds() }),
	value("svc_events_writer_seconds", "For how long the present writer has events.db; others wait for it. 0 = nobody writes.", gauge, func(f *figures) float64 { return f.events.Locked.Seconds() }),
	{"svc_events_damaged", "Whether damage was found in events.db since the start.", gauge, nil, func(h *Handlers, _ *figures, to samples) {
		to.add(boolean(h.eventsDamage() != nil))
	}},

	value("svc_search_ready", "Whether searches ask the index; until then they look everywhere.", gauge, func(f *figures) float64 { return boolean(f.search.Ready) }),
	value("svc_search_lag_changes", "Changes that the index has not seen yet.", gauge, func(f *figures) float64 { return float64(f.search.Lag()) }),
	value("svc_search_batches_total", "Batches that were written to the index.", counterKind, func(f *figures) float64 { return float64(f.search.Batches) }),
	value("svc_search_documents_total", "Documents in these batches.", counterKind, func(f *figures) float64 { return float64(f.search.Documents) }),
	value("svc_search_failures_total", "Attempts to bring the index up to date that failed.", counterKind, func(f *figures) float64 { return float64(f.search.Failed) }),
	value("svc_search_failing", "Whether the last attempt failed.", gauge, func(f *figures) float64 { return boolean(f.search.Failure != "") }),

	ofJobs("svc_job_runs_total", "Runs of a job that ended.", counterKind, func(j *jobs.State) float64 { return float64(j.Runs) }),
	ofJobs("svc_job_failures_total", "Runs of a job that failed.", counterKind, func(j *jobs.State) float64 { return float64(j.Failed) }),
	ofJobs("svc_job_running", "Whether a job runs now.", gauge, func(j *jobs.State) float64 { return boolean(j.Running) }),
	ofJobs("svc_job_failing", "Whether the last run of a job failed.", gauge, func(j *jobs.State) float64 { return boolean(j.Failure != "") }),
	ofJobs("svc_job_last_run_timestamp_seconds", "When the last run of a job began; 0 = never.", gauge, func(j *jobs.State) float64 { return timestamp(j.Begun) }),
	ofJobs("svc_job_last_run_seconds", "How long the last run of a job took.", gauge, func(j *jobs.State) float64 { return j.Took.Seconds() }),

	value("svc_backup_last_success_timestamp_seconds", "When the newest backup in backup.dir was made, as far as known; 0 = there is none.", gauge, func(f *figures) float64 { return timestamp(f.backups.Last) }),
	value("svc_backup_bytes", "Size of that backup.", gauge, func(f *figures) float64 { return float64(f.backups.Bytes) }),
	value("svc_backup_interval_seconds", "The setting backup.every; 0 = no backups are scheduled.", gauge, func(f *figures) float64 { return f.backups.Every.Seconds() }),
}

// value returns a metric with one value.
func value(name, help string, k kind, read func(*figures) float64) family {
	return family{name, help, k, nil, func(_ *Handlers, f *figures, to samples) { to.add(read(f)) }}
}

// spread returns a histogram. unit is the value that is exported as 1.
func spread(name, help string, unit time.Duration, read func(*figures) meter.Distribution) family {
	return family{name, help, histogram, nil, func(_ *Handlers, f *figures, to samples) { to.spread(read(f), float64(unit)) }}
}

// connection returns a metric with one value from the figures of the connections.
func connection(name, help string, k kind, read func(*Connections) float64) family {
	return family{name, help, k, nil, func(h *Handlers, _ *figures, to samples) {
		c := h.connections()
		to.add(read(&c))
	}}
}

func ofJobs(name, help string, k kind, value func(*jobs.State) float64) family {
	return family{name, help, k, []string{"job"}, func(_ *Handlers, f *figures, to samples) {
		for i := range f.jobs {
			to.add(value(&f.jobs[i]), f.jobs[i].Name)
		}
	}}
}

// timestamp returns a time in Unix seconds; 0 for the zero time.
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

// statusText returns the label of a status; 0 means all uncommon ones together.
func statusText(status int) string {
	if status == 0 {
		return "other"
	}
	return strconv.Itoa(status)
}
