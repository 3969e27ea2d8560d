package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"svc/api/analytics"
	"svc/api/resource"
	"svc/api/web"
	"svc/internal/datadir"
	"svc/internal/event"
	"svc/internal/fault"
	"svc/internal/files/engine"
	"svc/internal/platform"
	"svc/internal/transfer"
	"svc/store"
)

// The trailers of an export. They describe the archive or, if it is incomplete, state why.
const (
	trailerManifest = http.TrailerPrefix + "Svc-Manifest"
	trailerContents = http.TrailerPrefix + "Svc-Contents"
	trailerError    = http.TrailerPrefix + "Svc-Error"
)

func (h *Handlers) transferRoutes() []web.Route {
	return []web.Route{
		{Method: "GET", Path: "/control/export/:k", Access: web.OwnerOnly(), Handler: h.exportProject},
		{Method: "POST", Path: "/control/import", Access: web.OwnerOnly(), Handler: h.importProject},
	}
}

// exportProject responds with an archive of a project. The archive contains the state of the
// project at the start of the export. An export may take longer than other requests.
func (h *Handlers) exportProject(w http.ResponseWriter, r *web.Request) error {
	var p problems
	contents := p.Bool(r, "files")
	if _, err := p.Project(r, h.DB); err != nil {
		return err
	}
	if err := h.Flush(); err != nil {
		return err
	}
	data, err := h.openCopy()
	if err != nil {
		return err
	}
	defer func() {
		if err := data.close(); err != nil {
			h.Log.Error("cannot remove copy of the data", "error", err, "id", r.ID)
		}
	}()
	project, err := data.db.FindProject(r.Param("k"))
	if err != nil {
		return err
	}
	web.NoDeadlines(w)
	w.Header().Set("Content-Type", "application/zip")
	w.WriteHeader(http.StatusOK)
	archive := transfer.NewWriter(w, transfer.Manifest{Program: "svc " + h.Version, CreatedAt: h.Now().Unix(), ProjectKey: project.Key})
	x := &exporter{out: archive, project: project, events: data.events, ctx: r.Context(), files: h.Files, bare: contents != nil && !*contents}
	err = data.db.View(func(tx *store.Tx) error {
		x.tx = tx
		return x.run()
	})
	var manifest transfer.Manifest
	if err == nil {
		manifest, err = archive.Close()
	}
	if err != nil {
		// Part of the archive has been sent. The missing end shows the client that the archive is
		// incomplete.
		if r.Context().Err() == nil {
			h.Log.Error("export interrupted", "error", err, "id", r.ID)
		}
		w.Header().Set(trailerError, strings.ReplaceAll(err.Error(), "\n", "; "))
		return nil
	}
	text, err := json.Marshal(manifest)
	if err != nil {
		return err
	}
	w.Header().Set(trailerManifest, string(text))
	if text, err = json.Marshal(x.contents); err != nil {
		return err
	}
	w.Header().Set(trailerContents, string(text))
	return nil
}

// dataCopy is a pair of consistent copies of both data files, open for reading.
type dataCopy struct {
	folder string
	db     *store.Store
	events *event.Engine
}

// openCopy copies both data files and opens the copies. If the export read the files in use, a slow
// client would keep a transaction open.
func (h *Handlers) openCopy() (_ *dataCopy, err error) {
	c := &dataCopy{}
	if c.folder, err = h.Copy("export-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("open a copy of the data: %w", err), c.close())
		}
	}()
	if c.db, err = store.Open(filepath.Join(c.folder, datadir.Database), store.Options{}); err != nil {
		return nil, err
	}
	c.events, err = event.Open(filepath.Join(c.folder, datadir.Events), event.Options{ReadOnly: true, Log: h.Log})
	if errors.Is(err, event.ErrDamaged) {
		return nil, fault.New(fault.Damaged,
			"the file events.db of the server is damaged, so nothing can be exported; its administrator has to repair it")
	}
	if err != nil {
		return nil, err
	}
	return c, c.events.Flush()
}

// close closes and removes the copy.
func (c *dataCopy) close() error {
	var err error
	if c.events != nil {
		err = c.events.Close()
	}
	if c.db != nil {
		err = errors.Join(err, c.db.Close())
	}
	return errors.Join(err, os.RemoveAll(c.folder))
}

// exporter writes a project to an archive.
type exporter struct {
	out     *transfer.Writer
	tx      *store.Tx
	project *store.Project
	events  *event.Engine
	ctx     context.Context

	files    *engine.Engine
	bare     bool // omits contents
	contents exportedContents
	problems map[store.FileID]string // reasons why the contents of files are missing
}

func (x *exporter) run() error {
	for _, file := range []struct {
		name      string
		WriteJSON func() error
	}{
		{transfer.ProjectFile, func() error { return x.line(resource.ArchiveProject(x.project)) }},
		{transfer.AliasesFile, func() error { return lines(x, x.project.Aliases, resource.ViewAlias) }},
		{transfer.LanguagesFile, func() error { return lines(x, x.project.Languages, resource.ViewLanguage) }},
		{transfer.DistributionFile, x.distribution},
		{transfer.TrustKeysFile, x.trustKeys},
		{transfer.VersionsFile, x.versions},
		{transfer.AnnouncementsFile, x.announcements},
		{transfer.FeedbacksFile, x.feedbacks},
		{transfer.LogsFile, x.logs},
		{transfer.CardsFile, x.cards},
		{transfer.DefinitionsFile, x.definitions},
		{transfer.EventsFile, x.eachEvent},
		{transfer.EventCountersFile, x.counters},
		{transfer.RequestsFile, x.requests},
		{transfer.SystemVersionsFile, func() error { return x.systems(x.tx.EachSystemVersion) }},
		{transfer.ClientVersionsFile, func() error { return x.systems(x.tx.EachClientVersion) }},
		{transfer.DownloadsFile, x.downloads},
		{transfer.HealthFile, x.health},
		{transfer.LogGroupsFile, x.logGroups},
		{transfer.FilesFile, x.fileRecords},
	} {
		if file.name == transfer.FilesFile {
			if err := x.fileContents(); err != nil {
				return err
			}
		}
		if err := x.out.Begin(file.name); err != nil {
			return err
		}
		if err := file.WriteJSON(); err != nil {
			return fmt.Errorf("%s: %w", file.name, err)
		}
	}
	return nil
}

// line writes a record. It returns an error if the client has disconnected.
func (x *exporter) line(record any) error {
	if err := x.ctx.Err(); err != nil {
		return err
	}
	return x.out.Line(record)
}

// lines writes each record of a list in the form that view returns.
func lines[R, V any](x *exporter, list []R, view func(R) V) error {
	for _, record := range list {
		if err := x.line(view(record)); err != nil {
			return err
		}
	}
	return nil
}

// distribution writes the distribution settings, unless they have never been changed.
func (x *exporter) distribution() error {
	d, err := x.tx.Distribution(x.project.ID)
	if err != nil || d.UpdatedAt == 0 {
		return err
	}
	return x.line(resource.ArchiveDistribution(&d))
}

func (x *exporter) trustKeys() error {
	keys, err := x.tx.TrustKeys(x.project.ID)
	if err != nil {
		return err
	}
	return lines(x, keys, resource.ViewTrustKey)
}

func (x *exporter) versions() error {
	return x.tx.EachVersion(x.project.ID, func(v *store.Version) error {
		downgradeTo := ""
		if v.Yank != nil && v.Yank.DowngradeTo != nil {
			switch to, err := x.tx.Version(x.project.ID, *v.Yank.DowngradeTo); {
			case err == nil:
				downgradeTo = to.Version
			case !fault.Is(err, fault.NotFound): // it may have been deleted since
				return err
			}
		}
		return x.line(resource.ArchiveVersion(x.project, v, downgradeTo))
	})
}

func (x *exporter) announcements() error {
	return x.tx.EachAnnouncement(x.project.ID, func(a *store.Announcement) error { return x.line(resource.ArchiveAnnouncement(x.project, a)) })
}

func (x *exporter) feedbacks() error {
	return x.tx.EachFeedback(x.project.ID, func(f *store.Feedback) error { return x.line(resource.ViewFeedback(f)) })
}

func (x *exporter) logs() error {
	return x.tx.EachLog(x.project.ID, func(l *store.Log) error { return x.line(resource.ViewLog(l)) })
}

func (x *exporter) cards() error {
	return x.tx.EachCard(x.project.ID, func(c *store.Card) error { return x.line(analytics.ViewCard(x.project, c)) })
}

func (x *exporter) definitions() error {
	return lines(x, x.events.Names(event.Project(x.project.ID)), exportDefinition)
}

func (x *exporter) eachEvent() error {
	var line exportedEvent
	return x.events.EachEvent(x.ctx, event.Project(x.project.ID), func(subject string, e *event.Event) error {
		line = exportedEvent{subject, analytics.ViewEvent(e)}
		return x.line(&line)
	})
}

func (x *exporter) counters() error {
	return x.events.EachCount(x.ctx, event.Project(x.project.ID), func(c event.Count) error { return x.line(exportCount(&c)) })
}

func (x *exporter) requests() error {
	var failed error
	err := x.tx.EachRequest(x.project.ID, 0, math.MaxUint32, func(h store.Hour, r store.Request, n int64) {
		if failed == nil {
			failed = x.line(exportRequests(h, r, n))
		}
	})
	return errors.Join(err, failed)
}

func (x *exporter) downloads() error {
	var failed error
	err := x.tx.EachDownload(x.project.ID, 0, math.MaxUint32, func(day store.Hour, file []byte, n int64) {
		if failed == nil {
			failed = x.line(exportedDownloads{day.Start(), string(file), n})
		}
	})
	return errors.Join(err, failed)
}

// logGroups writes the groups of logs. It omits all groups while logs that an earlier version of
// the program stored are still being counted in them. An import of an archive without groups counts
// all logs itself.
func (x *exporter) logGroups() error {
	whole, err := x.tx.LogsGrouped(x.project.ID)
	if err != nil || !whole {
		return err
	}
	groups, err := x.tx.LogGroups(x.project.ID)
	if err != nil {
		return err
	}
	return lines(x, groups, resource.ArchiveLogGroup)
}

// health writes the health counts of versions that exist.
func (x *exporter) health() error {
	return x.tx.EachVersion(x.project.ID, func(v *store.Version) error {
		var failed error
		err := x.tx.EachHealth(x.project.ID, v.ID, 0, func(at int64, c store.HealthCount) {
			if failed == nil {
				failed = x.line(exportHealth(v.Version, at, c))
			}
		})
		return errors.Join(err, failed)
	})
}

// systems writes the version counters that the given iterator visits.
func (x *exporter) systems(
	each func(p store.ProjectID, from, to store.Hour, each func(h store.Hour, on platform.Platform, version []byte, n int64)) error,
) error {
	var failed error
	err := each(x.project.ID, 0, math.MaxUint32, func(h store.Hour, on platform.Platform, version []byte, n int64) {
		if failed == nil {
			failed = x.line(exportedSystem{h.Start(), on, string(version), n})
		}
	})
	return errors.Join(err, failed)
}
