package cmd

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"svc/internal/geo"
	"svc/internal/setting"
)

// geoCheck is how often the file of places is checked.
const geoCheck = time.Minute

// openGeo prepares the lookup of places. A file that cannot be used is a
// problem of the settings.
func openGeo(s *setting.Settings) (*geo.Locator, error) {
	geo, err := geo.Open(s.GeoEnabled, s.GeoDatabase)
	if err != nil {
		return nil, setting.Errors{fmt.Errorf("%s %w", s.Value("geo.database").Name, err)}
	}
	return geo, nil
}

// followGeo reads the file of places again whenever it has changed, until stop,
// which waits for a reading that has begun.
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
