package cmd

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"svc/internal/geo"
	"svc/internal/setting"
)

// geoCheck is the interval at which the location database is checked for changes.
const geoCheck = time.Minute

// openGeo opens the location database. If the database cannot be used, the error is a
// setting.Errors.
func openGeo(s *setting.Settings) (*geo.Locator, error) {
	geo, err := geo.Open(s.GeoEnabled, s.GeoDatabase)
	if err != nil {
		return nil, setting.Errors{fmt.Errorf("%s %w", s.Value("geo.database").Name, err)}
	}
	return geo, nil
}

// followGeo reloads the location database whenever its file changes, until stop is called. stop
// waits for a reload in progress.
func followGeo(ctx context.Context, geo *geo.Locator, log *slog.Logger) (stop func()) {
	return background(ctx, func(ctx context.Context) {
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
				log.Warn("geo database not reloaded; the old one stays in use", "error", err)
			case changed:
				log.Info("geo database reloaded")
			}
		}
	})
}
