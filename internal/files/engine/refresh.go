package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"svc/internal/cdn"
	"svc/internal/fault"
	"svc/internal/files"
	"svc/store"
)

// refreshesAtOnce is the maximum number of links that are refreshed before their results
// are stored.
const refreshesAtOnce = 100

// RefreshProblem returns the reason why links cannot be refreshed in the CDN, or nil if they can.
func (e *Engine) RefreshProblem(c *store.CDN) error {
	switch {
	case !c.Enabled:
		return fault.New(fault.Invalid, "the CDN refresh is switched off")
	case !c.Configured():
		return fault.New(fault.Invalid, "the credentials of the CDN are incomplete: access_key_id and access_key_secret are needed")
	case e.BaseURL == "":
		return fault.New(fault.Invalid, "copies cannot be refreshed without a distribution address: set SVC_DIST_BASE_URL")
	}
	return nil
}

// refreshes reports whether links can be refreshed in the CDN, that is, whether RefreshProblem
// returns nil.
func (e *Engine) refreshes(tx *store.Tx) (bool, error) {
	c, err := store.CDNSettings.Get(tx)
	return err == nil && e.RefreshProblem(c) == nil, err
}

// DueRefreshes returns the refreshes that are due at the given time. next is the time
// until the next one becomes due, but at most an hour.
func (e *Engine) DueRefreshes(by time.Time) (due []*store.CDNRefresh, next time.Duration, err error) {
	all, err := store.Read(e.DB, (*store.Tx).CDNRefreshes)
	next = time.Hour
	for _, r := range all {
		if left := time.Unix(r.RetryAt, 0).Sub(by); left > 0 {
			next = min(next, left)
		} else {
			due = append(due, r)
		}
	}
	return due, next, err
}

// RefreshAll attempts all pending refreshes, whether they are due or not.
func (e *Engine) RefreshAll(ctx context.Context) error {
	all, _, err := e.DueRefreshes(time.Unix(math.MaxInt32, 0))
	if err != nil {
		return err
	}
	return e.RefreshLinks(ctx, all)
}

// RefreshLinks refreshes links in the CDN and records the results. Failed refreshes are
// retried later. If ctx ends, the records of the remaining links are left unchanged.
func (e *Engine) RefreshLinks(ctx context.Context, all []*store.CDNRefresh) error {
	var errs []error
	failed, gaveUp := 0, 0
	var reason error
	for list := range slices.Chunk(all, refreshesAtOnce) {
		failures, cause := e.notifyCDN(ctx, list)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if cause != nil {
			failed, reason = failed+len(failures), cause
		}
		errs = append(errs, e.DB.Update(func(tx *store.Tx) error {
			for _, r := range list {
				given, err := tx.SettleCDNRefresh(r, e.Now(), failures[r.ID])
				if err != nil {
					return err
				}
				if given {
					gaveUp++
				}
			}
			return nil
		}))
	}
	if gaveUp > 0 {
		e.Log.Error("links of deleted files could not be refreshed in the CDN for 24 hours; it may serve its copies until they expire", "links",
			gaveUp, "error", reason)
	}
	if failed > 0 {
		errs = append(errs, fmt.Errorf("%d of %d links were not refreshed in the CDN: %w", failed, len(all), reason))
	}
	return errors.Join(errs...)
}

// notifyCDN asks the CDN to purge the links in list. For each link that was not purged, failures
// maps the file of the link to the reason. cause is the error of the whole request, or nil.
func (e *Engine) notifyCDN(ctx context.Context, list []*store.CDNRefresh) (failures map[store.FileID]string, cause error) {
	links, of := make([]string, len(list)), map[string]store.FileID{}
	for i, r := range list {
		links[i] = e.BaseURL + files.EscapePath(r.ObjectKey)
		of[links[i]] = r.ID
	}
	done := e.refresh(ctx, links)
	if done.Error != "" {
		cause = errors.New(done.Error)
	}
	failures = map[store.FileID]string{}
	for _, link := range done.Failed {
		failures[of[link]] = done.Error
	}
	return failures, cause
}

// refresh asks the CDN provider to purge its copies of the given links.
func (e *Engine) refresh(ctx context.Context, links []string) cdn.Refreshed {
	c, err := store.Read(e.DB, store.CDNSettings.Get)
	if err == nil {
		err = e.RefreshProblem(c)
	}
	var who cdn.Credentials
	if err == nil {
		who, err = e.Credentials(c)
	}
	if err != nil {
		return cdn.Refreshed{TaskIDs: []string{}, Failed: links, Error: err.Error()}
	}
	return e.CDN.Refresh(ctx, who, links)
}

// RefreshLink refreshes the link of a file in the CDN and records the result in the pending
// refresh, if there is one. If the refresh fails, a job retries it.
func (e *Engine) RefreshLink(ctx context.Context, f *store.File, pending *store.CDNRefresh) (link string, done cdn.Refreshed) {
	link = e.BaseURL + files.EscapePath(f.ObjectKey)
	done = e.refresh(context.WithoutCancel(ctx), []string{link})
	if done.Error == "" && pending == nil {
		return link, done
	}
	err := e.DB.Update(func(tx *store.Tx) (err error) {
		if pending == nil {
			return tx.RetryCDNRefresh(f, done.Error)
		}
		_, err = tx.SettleCDNRefresh(pending, tx.Now(), done.Error)
		return err
	})
	if err != nil {
		e.Log.Warn("cannot note how a refresh in the CDN ended", "file", f.ID, "error", err)
	}
	return link, done
}
