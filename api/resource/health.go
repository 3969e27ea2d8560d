package resource

import (
	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/health"
	"svc/internal/rollout"
	"svc/store"
)

func (h *Handlers) healthRoutes() []web.Route {
	return []web.Route{{
		Method: "GET", Path: web.V1 + "/admin/projects/:k/versions/:id/health", Access: web.ByScope("versions:read"),
		Handler: web.OK(h.getHealth),
	}}
}

type rolloutHealthView struct {
	State           rollout.HealthState `json:"state"`
	BaselineVersion *string             `json:"baseline_version"`
	Since           *int64              `json:"since"`
	BucketSeconds   int                 `json:"bucket_seconds"`
	Rules           []rolloutRuleView   `json:"rules"`
}

type rolloutRuleView struct {
	Name   string               `json:"name"`
	Metric rollout.Metric       `json:"metric"`
	Event  *string              `json:"event"`
	Action rollout.HealthAction `json:"action"`
	State  rollout.HealthState  `json:"state"`
	EValue float64              `json:"e_value"`
	Limit  float64              `json:"limit"`
	rolloutCountView
	Series []rolloutBucketView `json:"series"`
}

type rolloutCountView struct {
	Exposure         int64 `json:"exposure"`
	Failures         int64 `json:"failures"`
	BaselineExposure int64 `json:"baseline_exposure"`
	BaselineFailures int64 `json:"baseline_failures"`
}

type rolloutBucketView struct {
	Time int64 `json:"t"`
	rolloutCountView
}

// maxHealthSeries is the maximum number of buckets in a response: a week of ten-minute buckets.
const maxHealthSeries = 1008

func viewRolloutCount(c rollout.Count) rolloutCountView {
	return rolloutCountView{c.Exposure, c.Failures, c.BaselineExposure, c.BaselineFailures}
}

func viewRolloutRule(r health.Rule) rolloutRuleView {
	return rolloutRuleView{
		Name: r.Name, Metric: r.Metric, Event: web.OrNull(r.Event), Action: r.Action,
		State: r.State, EValue: r.EValue, Limit: r.Limit, rolloutCountView: viewRolloutCount(r.Total),
		Series: web.Views(r.Series[max(0, len(r.Series)-maxHealthSeries):], func(c rollout.Count) rolloutBucketView {
			return rolloutBucketView{c.Time, viewRolloutCount(c)}
		}),
	}
}

// getHealth returns the health of the rollout of a version.
func (h *Handlers) getHealth(r *web.Request) (view rolloutHealthView, err error) {
	err = h.DB.View(func(tx *store.Tx) error {
		p, v, err := versionRecords.addressed(r, tx)
		if err != nil {
			return err
		}
		if v.Rollout == nil {
			return fault.New(fault.NotFound, "version %s has no rollout", web.Quote(v.Version))
		}
		report, err := h.Health.Report(tx, p.ID, v)
		view = rolloutHealthView{
			State: report.State, BaselineVersion: web.OrNull(report.Baseline), Since: report.Since, BucketSeconds: h.Health.BucketSeconds,
			Rules: web.Views(report.Rules, viewRolloutRule),
		}
		return err
	})
	return view, err
}

// observeCheck counts an update check for the health of a rollout. The parameter current is the
// position of the caller's version in the catalog, or -1 if the catalog does not contain it.
func (h *Handlers) observeCheck(r *web.Request, snap *store.Snapshot, version string, current int) {
	watch := h.Health.Watch(snap.Project.ID)
	if watch == nil || r.DoNotTrack() {
		return
	}
	if current >= 0 {
		version = snap.Catalog.Item(current).Version
	}
	watch.SeeAddress(r.Addr, version, false)
}

// observeLog counts an uploaded log for the health of a rollout. Every error log is a failure, unless
// its group is muted.
func (h *Handlers) observeLog(r *web.Request, p store.ProjectID, l *store.Log) {
	if watch := h.Health.Watch(p); watch != nil && !r.DoNotTrack() {
		watch.SeeAddress(r.Addr, l.AppVersion(), l.Level == errorLevel && !l.Muted)
	}
}

// errorLevel is the level of error logs.
const errorLevel = 3
