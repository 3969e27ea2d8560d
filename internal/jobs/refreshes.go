package jobs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"svc/internal/files"
	"svc/store"
)

// refreshesAtOnce is how many links are refreshed between two notes of what became of them.
const refreshesAtOnce = 100

// refreshes reports whether links are refreshed in the CDN.
func (j *Jobs) refreshes(tx *store.Tx) (bool, error) {
	c, err := tx.CDN()
	return err == nil && j.Files.BaseURL != "" && c.Enabled && c.Configured(), err
}

// keepRefreshing refreshes links in the CDN when that is due.
func (j *Jobs) keepRefreshing(ctx context.Context, more <-chan struct{}) {
	for {
		due, next, err := j.dueRefreshes(j.Now())
		if err == nil && len(due) > 0 {
			err = j.do(ctx, j.cdnRefreshes, func(ctx context.Context) error { return j.refreshLinks(ctx, due) })
			next = 0 // there may be others by now
		}
		if err != nil {
			if ctx.Err() == nil {
				j.Log.Warn("links not refreshed in the CDN; retrying", "error", err)
			}
			next = time.Minute
		}
		if wait(ctx, next, more, nil) != nil {
			return
		}
	}
}

// dueRefreshes lists the links to refresh by a time, and says how long after it the next
// other one is due.
func (j *Jobs) dueRefreshes(by time.Time) (due []*store.CDNRefresh, next time.Duration, err error) {
	all, err := store.Read(j.DB, (*store.Tx).CDNRefreshes)
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

// refreshAll refreshes all links, whether that is due or not.
func (j *Jobs) refreshAll(ctx context.Context) error {
	all, _, err := j.dueRefreshes(time.Unix(math.MaxInt32, 0))
	if err != nil {
		return err
	}
	return j.refreshLinks(ctx, all)
}

// refreshLinks refreshes links in the CDN. Those that fail are tried again later. When ctx
// ends, the others stay as they are.
func (j *Jobs) refreshLinks(ctx context.Context, all []*store.CDNRefresh) error {
	var errs []error
	failed, gaveUp := 0, 0
	var reason error
	for list := range slices.Chunk(all, refreshesAtOnce) {
		failures, cause := j.notifyCDN(ctx, list)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if cause != nil {
			failed, reason = failed+len(failures), cause
		}
		errs = append(errs, j.DB.Update(func(tx *store.Tx) error {
			for _, r := range list {
				given, err := tx.SettleCDNRefresh(r, j.Now(), failures[r.ID])
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
		j.Log.Error("links of deleted files could not be refreshed in the CDN for 24 hours; it may serve its copies until they expire", "links", gaveUp, "error", reason)
	}
	if failed > 0 {
		errs = append(errs, fmt.Errorf("%d of %d links were not refreshed in the CDN: %w", failed, len(all), reason))
	}
	return errors.Join(errs...)
}

// notifyCDN asks the CDN to forget links. failures has the reason for each link that failed.
func (j *Jobs) notifyCDN(ctx context.Context, list []*store.CDNRefresh) (failures map[store.FileID]string, cause error) {
	links, of := make([]string, len(list)), map[string]store.FileID{}
	for i, r := range list {
		links[i] = j.Files.BaseURL + files.EscapePath(r.ObjectKey)
		of[links[i]] = r.ID
	}
	failed := links
	var effective bool
	var c *store.CDN
	cause = j.DB.View(func(tx *store.Tx) (err error) {
		if effective, err = j.refreshes(tx); err == nil {
			c, err = tx.CDN()
		}
		return err
	})
	if cause == nil && !effective {
		cause = errors.New("the refresh is switched off, or its credentials or the address of links are missing")
	}
	if cause == nil {
		failed, cause = j.callCDN(ctx, c, links)
	}
	failures = map[store.FileID]string{}
	for _, link := range failed {
		failures[of[link]] = cause.Error()
	}
	return failures, cause
}

// callCDN calls the provider, and returns the links of calls that failed.
func (j *Jobs) callCDN(ctx context.Context, c *store.CDN, links []string) (failed []string, err error) {
	who, err := j.Files.Credentials(c)
	if err != nil {
		return links, err
	}
	done := j.Files.CDN.Refresh(ctx, who, links)
	if done.Error != "" {
		err = errors.New(done.Error)
	}
	return done.Failed, err
}
