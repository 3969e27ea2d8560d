package cmd

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"svc/internal/origin"
	"svc/internal/setting"
)

// geoCheck is how often the file of places is looked at.
const geoCheck = time.Minute

// openGeo prepares the look-up of places. A file that cannot be used is a
// problem of the settings.
func openGeo(s *setting.Settings) (*origin.Geo, error) {
	geo, err := origin.OpenGeo(s.GeoEnabled, s.GeoDatabase)
	if err != nil {
		return nil, setting.Errors{fmt.Errorf("%s %w", s.Value("geo.database").Name, err)}
	}
	return geo, nil
}

// followGeo reads the file of places again whenever it has changed, until stop,
// which waits for a reading that has begun.
func followGeo(ctx context.Context, geo *origin.Geo, log *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var follower sync.WaitGroup
	follower.Go(func() {
		tick := time.NewTicker(geoCheck)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			switch changed, err := geo.Refresh(); {
			case err != nil:
				log.Warn("database of places not read again, the old one stays in use", "error", err)
			case changed:
				log.Info("database of places read again")
			}
		}
	})
	return func() {
		cancel()
		follower.Wait()
	}
}
