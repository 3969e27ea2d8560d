package pages

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"svc/api/web"
	"svc/internal/platform"
	"svc/internal/useragent"
	"svc/store"
)

// offerView is the download that the page suggests for the visitor's system.
type offerView struct {
	downloadView
	System string // name of the system
	Facts  string // name, size and age of the file
}

// varyBySystem is the value of the Vary header of a page that offers a download for the visitor's
// system. It must not be modified.
var varyBySystem = []string{"Accept-Encoding, Accept-Language, User-Agent"}

// chosen returns the view of the version that the page shows at its top, with the download for the
// visitor's system apart from the others. It cuts notes that exceed the given limit in bytes. If
// the limit is 0, notes are not cut.
func (to reader) chosen(e *store.VersionEntry, limit int) (*versionView, error) {
	v, err := to.version(e, limit)
	if err != nil || len(v.Downloads) == 0 {
		return v, err
	}
	v.varies = true
	system := useragent.Detect(useragent.Declared{}, to.request.UserAgent()).Platform
	for i, d := range v.Downloads {
		if system == platform.Others || d.system != system || d.Href == "" {
			continue
		}
		name := to.platform(system)
		facts := []string{d.Name, d.Size, to.age(e.Record.PublishedAt)}
		facts = slices.DeleteFunc(facts, func(s string) bool { return s == "" || s == name })
		v.Offer = &offerView{d, name, strings.Join(facts, " · ")}
		v.Downloads = slices.Delete(v.Downloads, i, i+1)
		break
	}
	return v, nil
}

// age describes how long ago a version was published.
func (to reader) age(published int64) string {
	days := int(to.Now().Sub(time.Unix(published, 0)).Hours() / 24)
	switch {
	case days < 1:
		return to.Today
	case days == 1:
		return to.Yesterday
	case days < 60:
		return fmt.Sprintf(to.DaysAgo, days)
	case days < 730:
		return fmt.Sprintf(to.MonthsAgo, days/30)
	}
	return fmt.Sprintf(to.YearsAgo, days/365)
}

// publishVarying responds with a page that depends on the visitor's system.
func publishVarying(w http.ResponseWriter, r *web.Request, page *web.File) error {
	setPublicHeaders(w.Header(), noScripts)
	w.Header()["Vary"] = varyBySystem
	page.Serve(w, r, forAMinute)
	return nil
}
